"""Words put in for a stretch of the text, in place of what stood there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gridbeam.constraints.terms import Constraint, Phrase
from gridbeam.editing.aims import Aim, PutIn
from gridbeam.editing.change import Change
from gridbeam.editing.locking import cut, joined, lockable, refuse_cutting
from gridbeam.editing.searching import best
from gridbeam.editing.speaker import Speaker
from gridbeam.editing.state import EditingState, Lock
from gridbeam.editing.stretch import Stretch, StretchLike, as_stretch, occurrences
from gridbeam.editing.taken_out import taken_out_of
from gridbeam.editing.wording import as_whole_words, put_in, take_out
from gridbeam.errors import UserError
from gridbeam.text.layout import LAYOUT


def replaced(speaker: Speaker, state: EditingState, where: StretchLike, words: str) -> Change:
    """The text with other words at a place, and what must change with them.

    No words take out what stands there; a place without characters puts them in between.
    """
    given = LAYOUT.sub(" ", words.strip())
    old, new = as_whole_words(state.text, as_stretch(where, state.text), given)
    if old.of(state.text) == new:
        raise UserError(
            f'"{new}" stands there already.' if new else "there is nothing to take out."
        )
    refuse_cutting(state, old, new)
    aim = _with_words(state, old, new)
    if not aim.text.strip():
        raise UserError("nothing would be left of the text. Write what it is to say instead.")
    return best(speaker, state, aim, aim.instead(), aim.as_it_is())


def still_said(required: Sequence[Constraint], before: str, after: str) -> tuple[Constraint, ...]:
    """What was required, but for phrases that a person has written over."""
    return tuple(
        term
        for term in required
        if not isinstance(term, Phrase)
        or not isinstance(term.content, str)
        or any(occurrences(after, term.content))
        or not any(occurrences(before, term.content))
    )


def _with_words(state: EditingState, old: Stretch, new: str) -> Aim:
    """The text with words put in for a stretch, which lets go of what was locked there."""
    before = state.text
    text, place = put_in(before, old, new) if new else take_out(before, old)
    further = len(text) - len(before)
    beside = [
        lock if lock.where.end <= old.start else replace(lock, where=lock.where.moved(further))
        for lock in cut(state.locks, before, old)
    ]
    own = [Lock(part, typed=True) for part in lockable(text, place)] if new else []
    required = still_said(state.required, before, text)
    return Aim(
        text,
        joined([*beside, *own]),
        state.forbidden,
        required,
        PutIn(before, old, place),
        taken_out=taken_out_of(state, text),
    )
