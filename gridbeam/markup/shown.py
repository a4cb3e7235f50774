"""What must be said, as a model can say it: with what stands for placeholders, and without tags.

People write a constraint as they read the text, with its codes in it. The model reads and writes a
protected text, in which something short may stand for a placeholder and tags are not there.

>>> from gridbeam.markup.protect import protect
>>> protected = protect("Open <b>{file}</b> at https://example.org/help.")
>>> print(as_shown(Phrase("Auf https://example.org/help <b>öffnen"), protected))
"Auf {1} öffnen"
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from gridbeam.constraints.terms import Constraint, Phrase
from gridbeam.constraints.walk import rebuilt
from gridbeam.markup.protect import Placeholder, Protected

_SPACES = re.compile(" {2,}")


def as_shown(constraint: Constraint, protected: Protected) -> Constraint:
    """The same constraint on what a model writes for a protected text.

    A phrase of nothing but tags stays as it is: nothing is left of it that could be said.
    """
    shown = _shown_for(protected)
    if not shown:
        return constraint

    def phrase(given: Phrase) -> Phrase:
        if not isinstance(given.content, str):
            return given
        forms = [_with_shown(form, shown) for form in (given.content, *given.inflect)]
        return replace(
            given, content=forms[0] or given.content, inflect=tuple(filter(None, forms[1:]))
        )

    return rebuilt(constraint, phrase=phrase)


def shown_text(text: str, protected: Protected) -> str:
    """A part of a translation as a model writes it."""
    shown = _shown_for(protected)
    return _with_shown(text, shown) if shown else text


def written_text(text: str, protected: Protected) -> str:
    """A part of what a model has written with the placeholders in it; tags are not put back.

    >>> from gridbeam.markup.protect import protect
    >>> written_text("auf {1}", protect("Go to https://example.org/help."))
    'auf https://example.org/help'
    """
    for each in protected.placeholders:
        text = text.replace(protected.text[each.start : each.end], str(each.piece))
    return text


def _shown_for(protected: Protected) -> dict[str, str]:
    """For each thing that is written otherwise than a model writes it what the model writes."""
    shown = {raw: meant for meant, raw in protected.entities}
    for gap in protected.gaps:
        shown |= {code.raw: _in_place_of(code.role == "alone") for code in gap.codes}
    return shown | {str(each.piece): _spaced(each, protected) for each in protected.placeholders}


def _in_place_of(stands_alone: bool) -> str:
    """What is written for a code that is taken out: words on its two sides are two words."""
    return " " if stands_alone else ""


def _spaced(each: Placeholder, protected: Protected) -> str:
    """What stands for a placeholder, apart from the words that the source has right beside it."""
    before, after = each.is_glued
    return " " * before + protected.text[each.start : each.end] + " " * after


def _with_shown(text: str, shown: Mapping[str, str]) -> str:
    found = "|".join(map(re.escape, sorted(shown, key=len, reverse=True)))
    written = re.sub(found, lambda match: shown[match[0]], text)
    return text if written == text else _SPACES.sub(" ", written).strip()
