"""Which language a text is in, as far as its script, its little words and its letters tell.

A small and honest judge: a text of a few words may show none of these, and then it says so by
naming no language. It knows the languages of `LANGUAGES`.

>>> [found.language for found in detected("Die Datei wurde gelöscht.")][:1]
['de']
>>> detected("OK 12")
[]
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
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
fr a à se sa son ses on y où d l n qu c j s m hier fait peut comme même deux très tous tout
pt o a os as um uma uns umas de do da dos das e ou é são foi foram não que em no na nos nas por para
pt com ao aos se mais mas como você seu sua este esta isso ser está estão tem pelo pela quando eu
pt à às foi ontem sobre também já ele ela muito nós num numa entre até depois só há
es el la los las un una unos unas de del y o es son fue fueron no que en por para con al se más pero
es como usted su sus este esta esto ser está están tiene cuando muy sin sobre lo le yo hay
es a al ha han fue ayer también ya ella él entre hasta después donde todo todos antes sólo
it il lo la i gli le un uno una di del della dei delle e o è sono era non che in nel nella per con
it su al alla ai si più ma come questo questa essere ha hanno quando anche sul dal io
it a ed da nella nelle nei gli stato stata stati ieri dopo tutti tutto ogni lei lui c l un d
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
_ENDINGS = {
    "en": "ing tion ness ally ould ight ted ery",
    "de": "ung keit heit lich isch schaft igen ische",
    "fr": "tion eux euse ment eau ique ées aire ence ais ait ant eur",
    "pt": "ção ções dade mente ado ada inho ência agem eiro",
    "es": "ción ciones dad mente ado ada iento ncia aje ero",
    "it": "zione zioni tà mente ato ata ezza enza aggio iere ino",
    "nl": "ing heid lijk ijk",
    "sv": "ning het lig ande",
    "da": "ning hed lig ende",
    "no": "ning het lig ende",
}
"""How longer words end in some languages."""
_LONG = 6
"""A word of so many letters is told by its ending, too."""
_AGAINST_WORD, _AGAINST_LETTERS = 1.4, 0.7
"""By how much a word of other languages makes one less likely, in logarithms, and its letters or
ending."""
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
    return _by_script(words) or _by_words(words)


def _by_script(words: list[str]) -> list[DetectedLanguage]:
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
    is_most = 2 * scores.total() > len(words)
    return _ranked(scores, len(words), scores.total()) if is_most else []


def _by_words(words: list[str]) -> list[DetectedLanguage]:
    """What the words, their letters and their endings say, of languages in Latin letters.

    A language is the less likely the more of them are of others.
    """
    evidence = [[*_evidence(word.lower())] for word in words]
    single = [each for one in evidence for each in one]
    known = {language for spoken_in, _ in single for language in spoken_in}
    likely = {
        language: math.exp(-sum(less for spoken_in, less in single if language not in spoken_in))
        for language in known
    }
    return _ranked(likely, len(words), sum(map(bool, evidence)))


def _evidence(word: str) -> Iterator[tuple[Collection[str], float]]:
    """Languages that a word speaks for, and by how much less likely it makes all others."""
    if said := _WORDS.get(word):
        yield said, _AGAINST_WORD
    if letters := [each for each, some in _LETTERS.items() if not set(word).isdisjoint(some)]:
        yield letters, _AGAINST_LETTERS
    if len(word) >= _LONG:
        ends = [each for each, some in _ENDINGS.items() if word.endswith(tuple(some.split()))]
        if ends:
            yield ends, _AGAINST_LETTERS


def _ranked(likely: Mapping[str, float], words: int, telling: int) -> list[DetectedLanguage]:
    """Languages by how likely they are; no surer than twice the share of words that tell."""
    total, sure = sum(likely.values()), min(1.0, 2 * telling / words)
    found = [DetectedLanguage(each, round(sure * some / total, 3)) for each, some in likely.items()]
    return sorted(found, key=lambda each: (-each.confidence, each.language))
