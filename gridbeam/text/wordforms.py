"""The inflected forms of a word: the dictionaries of simplemma turned round.

A dictionary gives each form one lemma, so turned round it gives each lemma its forms, and none that
is said to be another word's. Where languages write compounds as one word, one that the dictionary
lacks is inflected in its last part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import takewhile

from gridbeam.text.languages import language
from gridbeam.text.lemmas import dictionary_of, has_inner_capitals, has_lemmas

MOST_FORMS = 40
"""How many forms of a word are given: the nearest to it."""
_PLURALS: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (("y", "ies"), ("", "s"), ("", "es")),
    "fr": (("", "s"), ("al", "aux"), ("", "x")),
    "pt": (("", "s"), ("ão", "ões"), ("m", "ns"), ("el", "éis"), ("l", "is"), ("", "es")),
    "es": (("", "s"), ("ión", "iones"), ("z", "ces"), ("", "es")),
    "ca": (("", "s"), ("a", "es"), ("", "os")),
    "gl": (("", "s"), ("", "es")),
}
"""Endings of a singular and its plural, where languages have hardly any others."""
_JOINTS = {
    "de": ("", "n", "s", "en", "es", "e", "er"),
    "nl": ("", "s", "en", "e"),
    "sv": ("", "s"),
    "da": ("", "s", "e"),
    "no": ("", "s", "e"),
    "nb": ("", "s", "e"),
    "nn": ("", "s", "e"),
}
"""What may stand between two parts of a compound, where languages write it as one word."""
_LEAST_PART = 4
"""How many letters a part of a compound has: fewer are in too many words."""


def word_forms(word: str, code: str | None) -> tuple[str, ...]:
    """A word and its other forms in a language, the nearest first, with its capitals.

    >>> word_forms("Festplatte", "de"), word_forms("Sicherungsplatte", "de")
    (('Festplatte', 'Festplatten'), ('Sicherungsplatte', 'Sicherungsplatten'))
    >>> word_forms("chevaux", "fr"), word_forms("PC", "fr"), word_forms("cheval", None)
    (('chevaux', 'cheval', 'chevall'), ('PC',), ('cheval',))
    """
    if code is None or not has_lemmas(code) or not word[:1].isalpha() or has_inner_capitals(word):
        return (word,)
    return _forms(word, language(code))


def plural_of(word: str, code: str) -> str | None:
    """The plural of a word, if it is regular, and known to the dictionary.

    >>> plural_of("sauvegarde", "fr"), plural_of("rouge-gorge", "fr"), plural_of("Datei", "de")
    ('sauvegardes', None, None)
    """
    known = _dictionary(language(code))
    for ending, other in _PLURALS.get(language(code), ()):
        if word.endswith(ending) and (plural := word[: len(word) - len(ending)] + other) in known:
            return plural
    return None


def lemma_in_dictionary(word: str, code: str) -> str | None:
    """The lemma that the dictionary has for a word; None for one that it lacks.

    >>> lemma_in_dictionary("disques", "fr"), lemma_in_dictionary("gridbeam", "fr")
    ('disque', None)
    """
    return _dictionary(language(code)).get(word)


def writes_compounds(code: str | None) -> bool:
    """Whether a language writes compounds as one word.

    >>> writes_compounds("de-AT"), writes_compounds("fr"), writes_compounds(None)
    (True, False, False)
    """
    return code is not None and language(code) in _JOINTS and has_lemmas(code)


@lru_cache(maxsize=1 << 16)
def is_part(part: str, word: str, code: str) -> bool:
    """Whether a compound has a word as its first or last part, whatever their capitals.

    The rest must be a word of its own, or several, with nothing but what joins them in between.

    >>> [is_part("Platte", word, "de") for word in ("Plattenspeicher", "Systemplatte", "Plattenx")]
    [True, True, False]
    >>> is_part("Bild", "Bildung", "de"), is_part("Bild", "Bildschirm", "de")
    (False, True)
    """
    if len(part) < _LEAST_PART or not writes_compounds(code) or not word.isalpha():
        return False
    own, whole = part.casefold(), word.casefold()
    code = language(code)
    if whole.startswith(own) and any(
        _is_rest(whole[len(own) + len(joint) :], code)
        for joint in _JOINTS[code]
        if whole.startswith(joint, len(own))
    ):
        return True
    return whole.endswith(own) and _is_head(whole[: len(whole) - len(own)], code)


def compound_parts(word: str, code: str) -> Iterator[str]:
    """What may be the first or last part of a compound, as a noun, the longest first.

    >>> parts = list(compound_parts("Plattenspeicher", "de"))
    >>> "Platten" in parts, "Platte" in parts, "Speicher" in parts
    (True, True, True)
    """
    places = range(_LEAST_PART, len(word) - _LEAST_PART + 1)
    found = ([_as_noun(word[place:], code), _as_noun(word[:place], code)] for place in places)
    known = (each for both in found for each in both if each in _dictionary(code))
    yield from sorted(dict.fromkeys(known), key=len, reverse=True)


def _is_rest(text: str, code: str) -> bool:
    """Whether a text is what a compound may end with: a noun, or a compound itself."""
    return len(text) >= _LEAST_PART and (
        _is_noun(text, code) or _split(text, code) is not None or _is_adjective_of(text, code)
    )


def _is_head(text: str, code: str) -> bool:
    """Whether a text is what a compound may begin with, with what joins it to the rest."""
    return any(
        len(bare) >= _LEAST_PART and (_is_noun(bare, code) or _split(bare, code) is not None)
        for joint in _JOINTS[code]
        if text.endswith(joint)
        for bare in [text[: len(text) - len(joint)]]
    )


def _is_noun(text: str, code: str) -> bool:
    """Whether a text is a noun of the dictionary; where nouns have no capitals, any word of it."""
    return _as_noun(text, code) in _dictionary(code)


def _is_adjective_of(text: str, code: str) -> bool:
    """Whether a text is such as ends adjectives that are compounds: basiert, fähige."""
    lemma = _dictionary(code).get(text)
    return code == "de" and lemma is not None and (text + "e") in _dictionary(code)


def _as_noun(text: str, code: str) -> str:
    return text[:1].upper() + text[1:].lower() if code == "de" else text.lower()


@lru_cache(maxsize=1 << 16)
def _split(word: str, code: str) -> int | None:
    """Where the last part of a compound begins, if its parts are known: the longest such part.

    >>> _split("sicherungsplatte", "de"), _split("bildung", "de")
    (10, None)
    """
    for place in range(_LEAST_PART, len(word) - _LEAST_PART + 1):
        if _is_noun(word[place:], code) and _is_head(word[:place].lower(), code):
            return place
    return None


def _last_part(word: str, code: str) -> int | None:
    """Where the last part of a word begins that the dictionary lacks; the rest may be unknown."""
    if code not in _JOINTS:
        return None
    place = _split(word, code)
    if place is not None:
        return place
    tails = range(3, len(word) - _LEAST_PART + 1)
    return next((place for place in tails if _is_noun(word[place:], code)), None)


@lru_cache(maxsize=1 << 16)
def _forms(word: str, code: str) -> tuple[str, ...]:
    """The forms of a word in small letters or with a capital first."""
    if word not in _dictionary(code) and word.lower() in _dictionary(code) and code != "de":
        return tuple(form[:1].upper() + form[1:] for form in _forms(word.lower(), code))
    if word not in _dictionary(code):
        place = _last_part(word, code)
        if place is None:
            return (word,)
        last = _forms(_as_noun(word[place:], code), code)
        return tuple(word[:place] + form.lower() for form in last)
    found = dict.fromkeys(
        form for form in _of_one_lemma(word, code) if form[:1].isupper() == word[:1].isupper()
    )
    found.pop(word, None)
    nearest = sorted(found, key=lambda form: _distance(word, form))
    return (word, *nearest[: MOST_FORMS - 1])


def _of_one_lemma(word: str, code: str) -> Iterator[str]:
    known = _dictionary(code)
    lemma = known[word]
    if plural := plural_of(word, code):
        yield plural
    lower = word.lower()
    if lower not in (word, lemma) and known.get(lower) == lower and lemma != word:
        return  # Speichern is a verb with a capital, and no form of Speicher
    if lemma in known:
        yield lemma
    yield from _by_lemma(code).get(lemma, "").splitlines()


def _distance(word: str, form: str) -> tuple[int, int, str]:
    """How far a form is from a word: by the letters that change, then by its length."""
    return max(len(word), len(form)) - shared_letters(word, form), len(form), form


def shared_letters(one: str, other: str) -> int:
    """How many letters two words have in common from the beginning.

    >>> shared_letters("Platte", "Platz")
    4
    """
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _dictionary(code: str) -> Mapping[str, str]:
    """The lemma of each form that simplemma knows."""
    from simplemma.strategies.dictionaries import DEFAULT_DICTIONARY_FACTORY

    return DEFAULT_DICTIONARY_FACTORY.get_dictionary(dictionary_of(code))


@cache
def _by_lemma(code: str) -> dict[str, str]:
    """The forms of each lemma, on a line each: one text takes less memory than a list."""
    dictionary = _dictionary(code)
    forms: dict[str, str] = {}
    for form in dictionary:
        lemma = dictionary[form]
        before = forms.get(lemma)
        forms[lemma] = form if before is None else f"{before}\n{form}"
    return forms
