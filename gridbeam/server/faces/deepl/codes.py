"""Languages as DeepL writes them: EN as a source, EN-GB or EN-US as a target."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gridbeam.server.served import ServedPair
from gridbeam.text.languages import english_name, language

_VARIANTS = {
    "en": {"EN-GB": "English (British)", "EN-US": "English (American)"},
    "pt": {"PT-BR": "Portuguese (Brazilian)", "PT-PT": "Portuguese (European)"},
}
"""Targets that are named with a region: the official clients refuse EN and PT."""
_OTHER = {"no": "nb"}
_OURS = {other: own for own, other in _OTHER.items()}


def short(code: str) -> str:
    """The code of a language without its region, in small letters.

    >>> short("EN-us"), short("no")
    ('en', 'nb')
    """
    plain = language(code)
    return _OTHER.get(plain, plain)


def ours(code: str) -> str:
    """A code as our models name it."""
    head, dash, rest = code.replace("_", "-").partition("-")
    return _OURS.get(head.lower(), head.lower()) + dash + rest


def sources(pairs: Iterable[ServedPair]) -> dict[str, str]:
    """The codes and names of the languages that are translated from."""
    codes = dict.fromkeys(short(pair.source) for pair in pairs)
    return {code.upper(): english_name(code) for code in codes}


def targets(pairs: Iterable[ServedPair]) -> dict[str, str]:
    """The codes and names of the languages that are translated into."""
    found: dict[str, str] = {}
    for code in dict.fromkeys(short(pair.target) for pair in pairs):
        found |= _VARIANTS.get(code, {code.upper(): english_name(code)})
    return found


def usable(pairs: Iterable[ServedPair], features: Iterable[str]) -> list[dict[str, Any]]:
    """The languages of a resource, as version 3 lists them."""
    known = list(pairs)
    plain = {short(pair.source) for pair in known}
    into = {code.lower(): name for code, name in targets(known).items()}
    names = {code: english_name(code) for code in plain} | into
    status = {"status": "stable"}
    return [
        {
            "lang": _written(code),
            "name": name,
            "usable_as_source": code in plain,
            "usable_as_target": code in into,
            "status": "stable",
            "features": dict.fromkeys(features, status),
        }
        for code, name in sorted(names.items())
    ]


def _written(code: str) -> str:
    head, dash, region = code.partition("-")
    return head + dash + region.upper()
