"""The plural forms that a language has, by the names that Unicode's CLDR gives them."""

from __future__ import annotations

from gridbeam.text.languages import language

ORDER = ("zero", "one", "two", "few", "many", "other")
_CARDINAL = {
    "other": "id ja ko lo ms my th vi zh",
    "one other": (
        "af az bg bn da de el en eo et eu fa fi gl gu hi hu hy is ka kk kn ku mk ml mn mr nb nl nn"
        " no pa sq sv sw ta te tr ur uz"
    ),
    "one many other": "ca es fr it pt",
    "one few other": "bs hr ro sr",
    "one few many other": "be cs lt pl ru sk uk",
    "zero one other": "lv",
    "one two other": "he",
    "one two few other": "sl",
    "one two few many other": "ga",
    "zero one two few many other": "ar cy",
}
_ORDINAL = {
    "one other": "fr ga hu ms ro sv vi",
    "many other": "it",
    "few other": "be uk",
    "one two few other": "ca en",
    "one many other": "ka sq",
    "zero one two few many other": "cy",
}
"""Of those that have a cardinal, all others have but one form."""
_WIDE = "be bn bs fa fr gu hi hr hy is kn lt lv mk pa pt ru sl sr uk"
"""Where the form called one is that of other numbers than 1 as well, such as 0 or 21."""


def _by_language(table: dict[str, str]) -> dict[str, tuple[str, ...]]:
    return {code: tuple(forms.split()) for forms, codes in table.items() for code in codes.split()}


_CARDINALS, _ORDINALS = _by_language(_CARDINAL), _by_language(_ORDINAL)


def plural_forms(code: str, *, is_ordinal: bool = False) -> tuple[str, ...] | None:
    """The forms of a language for numbers, or for places in an order; None if it is not known.

    >>> plural_forms("de_AT"), plural_forms("fr"), plural_forms("en", is_ordinal=True)
    (('one', 'other'), ('one', 'many', 'other'), ('one', 'two', 'few', 'other'))
    """
    cardinal = _CARDINALS.get(language(code))
    return cardinal and (_ORDINALS.get(language(code), ("other",)) if is_ordinal else cardinal)


def one_is_wide(code: str) -> bool:
    """Whether the form called one is that of other numbers than 1 as well.

    >>> one_is_wide("de"), one_is_wide("ru")
    (False, True)
    """
    return language(code) in _WIDE.split()
