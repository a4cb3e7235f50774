"""The inflected forms of a term, by the dictionaries of `gridbeam.text.wordforms`.

Of several words only those that agree with each other change, all at once: in French, Spanish and
the like a noun and its adjectives are singular or plural together, up to the first preposition; in
German adjectives change with the noun behind them, and what follows that stays. Elsewhere all
combinations are forms, the nearest first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, product

from gridbeam.text.languages import language
from gridbeam.text.lemmas import has_lemmas
from gridbeam.text.wordforms import (
    lemma_in_dictionary,
    plural_of,
    shared_letters,
    word_forms,
)
from gridbeam.text.words import is_word, spans, words

MOST_FORMS = 40
"""How many forms a term has at most, besides the one that is written."""
_MOST_TOGETHER = 30
"""How many of them have all their words changed, where nothing tells which words agree."""
_MOST_COMBINED = 4000
_LINKS = {
    "fr": "de du des d à au aux en pour par avec sans hors sous sur dans et ou le la les l",
    "pt": "de do da dos das a ao à em no na nos nas para por pelo pela com sem sobre sob e ou o os",
    "es": "de del a al en para por con sin sobre bajo y o el la los las",
    "ca": "de del dels d a al als en per amb sense sobre sota i o el la els les l",
    "gl": "de do da dos das a ao á en no na para por con sen sobre e ou o os as",
    "it": "di del dello della dei degli delle dell d a al alla ai in nel nella per da dal dalla con"
    " senza su sul e o il la i gli le l",
    "en": "of for in on to from by with without at and or as the a an per via",
    "de": "für von vom zur zum mit ohne in im an am auf aus bei nach über unter zu und oder des"
    " der",
}
"""Words that a term goes on with behind its head: what follows does not change with it."""
_WITH_NUMBERS = ("fr", "pt", "es", "ca", "gl")
"""Languages whose nouns and adjectives have two numbers, told apart by the last letter."""
_ENDINGS_OF_PLURALS = ("e", "en", "er")
_ADJECTIVE_ENDINGS = (*_ENDINGS_OF_PLURALS, "em", "es")
_FORMS_OF_A_VERB = 15
"""A word with more forms is a verb, in languages whose nouns have but a few."""


@lru_cache(maxsize=1 << 16)
def term_forms(term: str, code: str | None) -> tuple[str, ...]:
    """The other forms of a term, the nearest first; none where the language has no lemmas.

    >>> term_forms("Festplatte", "de"), term_forms("disque de sauvegarde", "fr")
    (('Festplatten',), ('disques de sauvegarde',))
    >>> term_forms("disco rígido", "pt"), term_forms("XML-Datei", "de")
    (('discos rígidos',), ('XML-Dateien',))
    """
    if code is None or not has_lemmas(code):
        return ()
    parts = words(term)
    combined = _combined(parts, language(code))
    found = dict.fromkeys(_with_gaps_of(term, parts, each) for each in combined)
    found.pop(term, None)
    return tuple(list(found)[:MOST_FORMS])


def _combined(parts: Sequence[str], code: str) -> Iterable[Sequence[str]]:
    """The words of a term in all forms that agree."""
    if sum(map(is_word, parts)) == 1:
        return product(*(word_forms(each, code) for each in parts))
    end = _end_of_head(parts, code)
    head, rest = parts[:end], parts[end:]
    if not head:
        return ()
    return ([*each, *rest] for each in _heads(head, code))


def _end_of_head(parts: Sequence[str], code: str) -> int:
    """Where the words end that change together: before what links others to them."""
    links = _LINKS.get(code, "").split()
    return next((place for place, word in enumerate(parts) if word.lower() in links), len(parts))


def _heads(head: Sequence[str], code: str) -> Iterable[Sequence[str]]:
    if code in _WITH_NUMBERS:
        return _heads_with_numbers(head, code)
    if code == "de":
        return _german_heads(head)
    if code == "en":
        return ([*head[:-1], form] for form in _english_nouns(head[-1]))
    return _nearest_combinations([word_forms(each, code) for each in head])


def _english_nouns(word: str) -> Iterator[str]:
    """The forms of a word but those of a verb."""
    return (form for form in word_forms(word, "en") if not form.endswith(("ed", "ing", "'s")))


def _heads_with_numbers(head: Sequence[str], code: str) -> Iterator[Sequence[str]]:
    """The words in the other number; of a verb and what it is about, all forms of the verb."""
    verb = word_forms(head[0], code)
    lower = head[0].lower()
    if len(verb) > _FORMS_OF_A_VERB and lemma_in_dictionary(lower, code) == lower:
        yield from ([form, *head[1:]] for form in verb)
        return
    yield head
    is_plural = any(_is_plural(each, code) for each in head)
    yield [_in_other_number(each, code, is_plural) for each in head]


def _is_plural(word: str, code: str) -> bool:
    lemma = lemma_in_dictionary(word.lower(), code)
    return lemma not in (None, word.lower()) and _ends_as_plural(word, code)


def _ends_as_plural(word: str, code: str) -> bool:
    return word.endswith(("s", "x") if code == "fr" else "s")


def _in_other_number(word: str, code: str, is_plural: bool) -> str:
    """A word in the plural, or in the singular if it is one; itself where it has no other."""
    if _ends_as_plural(word, code) != is_plural:
        return word  # souris has but one form
    regular = None if is_plural else plural_of(word.lower(), code)
    if regular is not None:
        return word[:1] + regular[1:]
    others = [
        form for form in word_forms(word, code)[1:] if _ends_as_plural(form, code) != is_plural
    ]
    return min(others, key=lambda form: _change(word, form), default=word)


def _change(word: str, form: str) -> tuple[int, int]:
    return abs(len(form) - len(word)), -shared_letters(word, form)


def _german_heads(head: Sequence[str]) -> Iterator[Sequence[str]]:
    """Adjectives with the same ending before the noun, and what follows as it is.

    Without a noun, or where the last word is a verb, as in Datei öffnen, the last word changes.
    """
    last, place = head[-1], _end_of_joined(head, _place_of_noun(head))
    if place < len(head) - 1 and lemma_in_dictionary(last, "de") == last:
        yield from ([*head[:-1], form] for form in word_forms(last, "de"))
        return
    before, noun, rest = head[:place], head[place], head[place + 1 :]
    inflected = [[_with_ending(each, ending) for each in before] for ending in _ADJECTIVE_ENDINGS]
    for form in word_forms(noun, "de"):
        is_plural = form != noun and form.endswith("n")
        same = inflected[: len(_ENDINGS_OF_PLURALS)] if is_plural else inflected
        for each in (before, *same) if form == noun else same:
            yield [*each, form, *rest]


def _place_of_noun(head: Sequence[str]) -> int:
    """Where the first noun stands; what only has the capital of a title may be an adjective."""
    for place, word in enumerate(head):
        has_noun_behind = any(each[:1].isupper() for each in head[place + 1 :])
        if word[:1].isupper() and not (has_noun_behind and _stem(word)):
            return place
    return len(head) - 1


def _end_of_joined(head: Sequence[str], place: int) -> int:
    """The last of words that hyphens join: the one of XML-Datei that changes."""
    while place + 2 < len(head) and head[place + 1] == "-":
        place += 2
    return place


def _with_ending(word: str, ending: str) -> str:
    """An adjective with another ending, if the dictionary has it; other words as they are."""
    stem = _stem(word)
    if stem is None or lemma_in_dictionary(f"{stem}{ending}", "de") is None:
        return word
    return word[:1] + f"{stem}{ending}"[1:]


def _stem(word: str) -> str | None:
    """An adjective in small letters without its ending; None for other words.

    >>> _stem("Externes"), _stem("teure"), _stem("Festplatte"), _stem("für")
    ('extern', 'teur', None, None)
    """
    lower = word.lower()
    stems = [lower.removesuffix(end) for end in ("", *_ADJECTIVE_ENDINGS) if lower.endswith(end)]
    is_inflected = (
        stem
        for stem in sorted(stems, key=len)
        if all(lemma_in_dictionary(f"{stem}{end}", "de") for end in _ENDINGS_OF_PLURALS)
    )
    return next(is_inflected, None)


def _nearest_combinations(forms: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Combinations of forms, those of near ones first: all words changed, or else one of them."""
    ranked = islice(product(*(enumerate(each) for each in forms)), _MOST_COMBINED)
    nearest = sorted(ranked, key=lambda each: sum(rank for rank, _ in each))
    most = sum(len(each) > 1 for each in forms)
    changed = [(sum(rank > 0 for rank, _ in each), each) for each in nearest]
    together = [each for count, each in changed if count == most]
    single = [each for count, each in changed if count == 1 < most]
    chosen = [*together[:_MOST_TOGETHER], *single]
    return [[form for _, form in each] for each in chosen]


def _with_gaps_of(term: str, own: Sequence[str], others: Sequence[str]) -> str:
    """Other words with the white space of a term between them."""
    places = spans(term, own)
    text, done = "", 0
    for (start, end), word in zip(places, others, strict=True):
        text += term[done:start] + word
        done = end
    return text + term[done:]
