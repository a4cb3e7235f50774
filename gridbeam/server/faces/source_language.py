"""Which language texts are to be translated from, where nobody says it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gridbeam.server.served import ServedPair
from gridbeam.text.detection import detected
from gridbeam.text.languages import is_same

_TAG = re.compile(r"<[^<>]*>")
_SURE = 0.5
"""From which confidence on a text is taken to be in a language that no model translates."""


@dataclass(frozen=True)
class SourceLanguage:
    """The language of a text, and how sure that is, from 0 to 1."""

    code: str
    confidence: float
    is_known: bool = True
    """Whether a model translates from it."""


def source_of(text: str, pairs: Sequence[ServedPair], target: str | None = None) -> SourceLanguage:
    """The likeliest language of a text among those that are translated, into a target perhaps.

    One that nothing translates is told where the text shows it plainly. Where nothing tells, it is
    the first language that there is, with no confidence.
    """
    known = [pair.source for pair in pairs if target is None or is_same(pair.target, target)]
    known = known or [pair.source for pair in pairs]
    found = detected(_TAG.sub(" ", text))
    for each in found:
        own = next((code for code in known if is_same(code, each.language)), None)
        if own is not None and (each is found[0] or found[0].confidence < _SURE):
            return SourceLanguage(own, each.confidence)
    if found and found[0].confidence >= _SURE:
        return SourceLanguage(found[0].language, found[0].confidence, is_known=False)
    return SourceLanguage(known[0], found[0].confidence if found else 0.0)
