"""The verbs: from a text as it stands to the next, each a function that changes nothing itself.

`PostEditing` remembers what was before; whoever keeps states elsewhere, in a database say, calls
these. What cannot be met raises a `Clash`, or another `UserError` where no lock is to blame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gridbeam.constraints.drawing import in_line
from gridbeam.constraints.terms import Constraint, ConstraintLike, as_constraints
from gridbeam.editing.aims import Aim
from gridbeam.editing.change import Change
from gridbeam.editing.choosing import Held, followed
from gridbeam.editing.completing import completed
from gridbeam.editing.locking import (
    carried,
    joined,
    lockable,
    typed,
    unsure,
    with_fixed,
    words_of,
)
from gridbeam.editing.replacing import replaced, still_said
from gridbeam.editing.searching import best, change, said
from gridbeam.editing.speaker import Speaker
from gridbeam.editing.state import EditingState, Lock
from gridbeam.editing.stretch import (
    Stretch,
    StretchLike,
    as_stretch,
    occurrences,
    whole_words,
)
from gridbeam.editing.taken_out import still_out, taken_out_of
from gridbeam.errors import UserError
from gridbeam.text.layout import LAYOUT

__all__ = [
    "again",
    "allowing",
    "begin",
    "completed",
    "forbidding",
    "locked",
    "replaced",
    "revise",
    "unlocked",
    "written",
]


def begin(speaker: Speaker, required: Sequence[Constraint] = ()) -> Change:
    """The first text, which nobody has touched."""
    empty = EditingState("", required=tuple(required))
    aim = Aim.of(empty)
    [found] = said(speaker, aim, [aim.in_order()])
    return change(empty, aim, Held(found, (), 0.0))


def revise(speaker: Speaker, state: EditingState, phrase: ConstraintLike) -> Change:
    """The text with this phrase as well, wherever it goes; or what else a constraint may be."""
    required = (*state.required, *as_constraints([phrase]))
    out = still_out(state.taken_out, state.text, required)
    aim = replace(Aim.of(state), required=required, taken_out=out)
    [found] = said(speaker, aim, [aim.in_order()])
    locks = followed(aim, found)
    if locks is None:
        raise UserError(f"{in_line(aim.required[-1])}: what is locked is not said with it.")
    return change(state, aim, Held(found, locks, found.score))


def again(speaker: Speaker, state: EditingState) -> Change:
    """The text said anew: what is locked stays, and nothing else need."""
    aim = Aim.of(state)
    [found] = said(speaker, aim, [aim.in_order()])
    locks = followed(aim, found)
    if locks is None:
        raise UserError("no text was found that keeps what is locked, and in its place.")
    return change(state, aim, Held(found, locks, found.score))


def forbidding(speaker: Speaker, state: EditingState, words: str) -> Change:
    """The text without these words, here and from now on."""
    wanted = _some(words)
    if wanted in state.forbidden:
        raise UserError(f'"{wanted}" is forbidden already.')
    aim = replace(Aim.of(state), forbidden=(*state.forbidden, wanted))
    first = next(occurrences(state.text, wanted), None)
    if first is None:
        return Change(state, replace(state, forbidden=aim.forbidden))
    from_there = replace(aim, left=state.text[: first.start])
    return best(speaker, state, aim, aim.in_order(), from_there.in_order())


def allowing(state: EditingState, words: str) -> Change:
    """The same text; these words, forbidden or taken out before, may be said again."""
    wanted = _some(words)
    if wanted not in state.avoided:
        raise UserError(f'"{wanted}" is not forbidden.')
    forbidden = tuple(each for each in state.forbidden if each != wanted)
    taken_out = tuple(each for each in state.taken_out if each != wanted)
    return Change(state, replace(state, forbidden=forbidden, taken_out=taken_out))


def locked(state: EditingState, where: StretchLike) -> Change:
    """The same text, in which a stretch stays as it is."""
    stretch = with_fixed(state, whole_words(state.text, as_stretch(where, state.text)))
    new = [Lock(part) for part in lockable(state.text, stretch)]
    if not new:
        raise UserError("there is no word to lock: give a stretch that has one.")
    locks = joined([*state.locks, *new])
    return Change(state, replace(state, locks=locks, words=unsure(state.words, locks)))


def unlocked(state: EditingState, where: StretchLike) -> Change:
    """The same text, in which whatever is locked at a place may change again."""
    stretch = as_stretch(where, state.text)
    at = stretch if stretch.size else Stretch(stretch.start, stretch.start + 1)
    left = tuple(lock for lock in state.locks if not lock.where.overlaps(at))
    if left == state.locks:
        raise UserError("nothing is locked there.")
    return Change(state, replace(state, locks=left))


def written(state: EditingState, text: str) -> Change:
    """The text as the person has written it, without a search.

    What is new is locked. Locks whose words are gone are gone, and what is forbidden and said
    nevertheless is forbidden no longer.
    """
    locks = joined([*carried(state.locks, state.text, text), *typed(state.text, text)])
    fixed = carried([Lock(each) for each in state.fixed], state.text, text)
    after = replace(
        state,
        text=text,
        locks=locks,
        forbidden=tuple(each for each in state.forbidden if not any(occurrences(text, each))),
        words=unsure(words_of(state, text), locks),
        required=still_said(state.required, state.text, text),
        fixed=tuple(each.where for each in fixed),
        taken_out=taken_out_of(state, text),
    )
    return Change(state, after)


def _some(words: str) -> str:
    wanted = LAYOUT.sub(" ", words.strip())
    if not wanted:
        raise UserError("there are no words: give at least one.")
    return wanted
