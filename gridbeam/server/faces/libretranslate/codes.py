"""Languages as LibreTranslate writes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gridbeam.server.refusal import Refusal, Refused
from gridbeam.server.served import ServedPair
from gridbeam.text.languages import english_name, is_same

_INWARD = {"pb": "pt-BR", "zt": "zh-Hant"}
"""Codes that only LibreTranslate has."""


def ours(code: str) -> str:
    """A code as our models name it."""
    return _INWARD.get(code.lower(), code)


def languages(pairs: Iterable[ServedPair]) -> list[dict[str, Any]]:
    """All languages, each with those that it is translated into."""
    known = list(pairs)
    codes = dict.fromkeys([each.source for each in known] + [each.target for each in known])
    return [
        {
            "code": code,
            "name": english_name(code),
            "targets": [each.target for each in known if each.source == code],
        }
        for code in codes
    ]


def check_pair(pairs: Iterable[ServedPair], source: str, target: str) -> None:
    """Raises in LibreTranslate's words where nothing translates between two languages."""
    known = [(each.source, each.target) for each in pairs]
    for code in (source, target):
        if not any(is_same(code, each) for pair in known for each in pair):
            raise Refused(Refusal(400, f"{code[:20]} is not supported"))
    if is_same(source, target):
        return
    if not any(is_same(source, one) and is_same(target, other) for one, other in known):
        told = f"{english_name(target)} ({target}) is not available as a target language from"
        raise Refused(Refusal(400, f"{told} {english_name(source)} ({source})"))
