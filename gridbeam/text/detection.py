"""Which language a text is in, as far as its script, its little words and its letters tell.

A small and honest judge: a text of a few words may show none of these, and then it says so by
naming no language. It knows the languages of `LANGUAGES`.

>>> [found.language for found in detected("Die Datei wurde gelöscht.")][:1]
['de']
>>> detected("OK 12")
[]
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

_LITTLE_WORDS = """
en the a an and or of to in is are was were be been it this that you your for with on at from by as
en not have has had will can cannot would could should please there which what when how who why do
en does did its they we he she his her their our all any if but more than into use used my i
de der die das den dem des ein eine einen einem einer eines und oder nicht ist sind war waren wird
de werden wurde wurden mit von zu zum zur im am auf für aus bei nach über als auch wie es sie er ich
de wir ihr ihre sich kann können bitte hat haben wenn dass nur noch was wer sein kein keine in an
fr le la les un une des du de et ou est sont était ne pas que qui dans pour par sur avec au aux ce
fr cette ces il elle vous nous votre vos ils être avoir ont été plus si mais sans sous leur je tu en
pt o a os as um uma uns umas de do da dos das e ou é são foi foram não que em no na nos nas por para
pt com ao aos se mais mas como você seu sua este esta isso ser está estão tem pelo pela quando eu
es el la los las un una unos unas de del y o es son fue fueron no que en por para con al se más pero
es como usted su sus este esta esto ser está están tiene cuando muy sin sobre lo le yo hay
it il lo la i gli le un uno una di del della dei delle e o è sono era non che in nel nella per con
it su al alla ai si più ma come questo questa essere ha hanno quando anche sul dal io
nl de het een en of is zijn was niet dat die in op voor met van te aan bij naar door als ook om er
nl maar deze dit worden wordt werd kan heeft hebben wanneer uw ik je we
sv en ett och eller är var inte att som på för med av till den det de i om från kan har vi du jag
da en et og eller er var ikke at som på for med af til den det de i om fra kan har vi du jeg
no en et og eller er var ikke at som på for med av til den det de i om fra kan har vi du jeg
pl i lub jest są był nie że w na do z ze się jak po dla od przez o to ten ta te co może jego
cs a nebo je jsou byl není že v na do z ze se jak po pro od to ten ta co může jeho by
fi ja tai on ovat oli ei että se ne tämä joka kun niin mutta voi ole hän minä
hu a az és vagy van nem hogy egy ez azt is meg csak már mint volt lehet
ro și sau este sunt era nu că în la de pe cu din un o ce care mai pentru dar nu
tr ve veya bir bu şu için ile de da değil var yok ne mi gibi daha çok olan
"""
_LETTERS = {
    "de": "ßäöü",
    "fr": "éèêàùçœîôûëï",
    "pt": "ãõçáéíóúâêô",
    "es": "ñáéíóú¿¡",
    "it": "àèéìòù",
    "sv": "åäö",
    "da": "åæø",
    "no": "åæø",
    "pl": "ąćęłńóśźż",
    "cs": "áčďéěíňóřšťúůýž",
    "fi": "äö",
    "hu": "áéíóöőúüű",
    "ro": "ăâîșțşţ",
    "tr": "çğıöşü",
}
"""Letters that are common in a language, and not in English."""
_SCRIPTS = (
    ("uk", "іїєґІЇЄҐ"),
    ("ja", "\u3040-\u30ff"),
    ("ko", "\u1100-\u11ff\uac00-\ud7af"),
    ("zh", "\u4e00-\u9fff"),
    ("ru", "\u0400-\u04ff"),
    ("el", "\u0370-\u03ff"),
    ("fa", "پچژگکی"),
    ("ar", "\u0600-\u06ff"),
    ("he", "\u0590-\u05ff"),
    ("hi", "\u0900-\u097f"),
    ("th", "\u0e00-\u0e7f"),
)
"""Languages told by their scripts; of two that share one, that with letters of its own first."""
_MOST = 4000
"""How many characters are looked at."""


@dataclass(frozen=True)
class DetectedLanguage:
    """A language that a text may be in, and what speaks for it, from 0 to 1."""

    language: str
    confidence: float


def _languages_of_words() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in _LITTLE_WORDS.strip().splitlines():
        language, *words = line.split()
        for word in set(words):
            found.setdefault(word, []).append(language)
    return found


_WORDS = _languages_of_words()
LANGUAGES = tuple(sorted({*_LETTERS, "en", "nl", *(language for language, _ in _SCRIPTS)}))
"""What can be told apart, by plain codes."""


def detected(text: str) -> list[DetectedLanguage]:
    """The languages that a text may be in, the likeliest first; none if nothing tells.

    Their confidences add up to what of the words told anything, at most 1.
    """
    words = re.findall(r"[^\W\d_]+|[¿¡]", text[:_MOST])
    if not words:
        return []
    scores = _by_script(words) or _by_words(words)
    total = sum(scores.values())
    sure = min(1.0, 2 * total / len(words))
    found = [
        DetectedLanguage(each, round(sure * score / total, 3)) for each, score in scores.items()
    ]
    return sorted(found, key=lambda each: -each.confidence)


def _by_script(words: list[str]) -> Counter[str]:
    """How many words are in each script other than the Latin, where most are."""
    scores = Counter[str]()
    for word in words:
        for language, letters in _SCRIPTS:
            if re.search(f"[{letters}]", word):
                scores[language] += 1
                break
    for language, other in (("ja", "zh"), ("uk", "ru"), ("fa", "ar")):
        if scores[language]:  # the other's letters are written in it, too
            scores[language] += scores.pop(other, 0)
    return scores if 2 * scores.total() > len(words) else Counter()


def _by_words(words: list[str]) -> dict[str, float]:
    """What the words and their letters say for each language written in Latin letters."""
    scores: dict[str, float] = {}
    for word in words:
        lower = word.lower()
        said = _WORDS.get(lower, [])
        for language in said:
            scores[language] = scores.get(language, 0.0) + 1 / len(said)
        telling = [each for each, letters in _LETTERS.items() if not set(lower).isdisjoint(letters)]
        for language in telling:
            scores[language] = scores.get(language, 0.0) + 0.7 / len(telling)
    return scores
