"""From an aim to the next text: what is asked of the speaker, and what cannot be met.

All ways of asking are searched together, and the best text of any of them is taken. Where none can
be met, locks are left out one after the other until it is known which are in the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gridbeam.constraints.terms import Constraint
from gridbeam.editing.aims import Aim
from gridbeam.editing.change import Change
from gridbeam.editing.choosing import Held, chosen
from gridbeam.editing.clash import Clash, to_blame
from gridbeam.editing.locking import carried, unsure, words_of
from gridbeam.editing.speaker import Said, Speaker
from gridbeam.editing.state import EditingState, Lock
from gridbeam.editing.stretch import occurrences
from gridbeam.errors import UserError
from gridbeam.text.lemmas import Lemma, has_lemmas, lemmatizer
from gridbeam.text.words import folded
from gridbeam.translation.defaults import POST_EDITING

CHOICES = 5
"""How many texts of each search are compared."""
_NARROW = POST_EDITING.but(beam=1, stop="first")
"""To see whether there is any text at all."""


def best(speaker: Speaker, state: EditingState, aim: Aim, *ways: Sequence[Constraint]) -> Change:
    """The best text found in these ways that keeps what must stay in its place."""
    _refuse_forbidden(aim)
    found = chosen(aim, said(speaker, aim, ways, CHOICES), _lemma(speaker.target))
    if found is None and aim.edit is not None:
        return _as_typed(state, aim)
    if found is None:
        raise UserError("no text was found that keeps what is locked, and in its place.")
    return change(state, aim, found)


def _lemma(code: str | None) -> Lemma:
    """What tells the forms of a word in a language; where it has no lemmas, nothing does."""
    return lemmatizer(code, "target") if has_lemmas(code) else folded


def _as_typed(state: EditingState, aim: Aim) -> Change:
    """The text as the person left it, where nothing better is found."""
    fixed = carried([Lock(each) for each in state.fixed], state.text, aim.text)
    after = EditingState(
        aim.text,
        aim.locks,
        aim.forbidden,
        unsure(words_of(state, aim.text), aim.locks),
        aim.required,
        tuple(each.where for each in fixed),
        aim.taken_out,
    )
    return Change(state, after)


def said(
    speaker: Speaker, aim: Aim, ways: Sequence[Sequence[Constraint]], n_best: int = 1
) -> list[Said]:
    """What is said in those of the ways that can be met; a `Clash` where none can."""
    found = speaker.say(ways, n_best=n_best)
    texts = [each for each in found if isinstance(each, Said)]
    if not texts:
        raise _clash(speaker, aim, next(each for each in found if isinstance(each, UserError)))
    return texts


def change(state: EditingState, aim: Aim, found: Held) -> Change:
    """The act as it turned out."""
    after = EditingState(
        found.said.text,
        found.locks,
        aim.forbidden,
        unsure(found.said.words, found.locks),
        aim.required,
        found.said.fixed,
        aim.taken_out,
    )
    return Change(state, after, found.said)


def _refuse_forbidden(aim: Aim) -> None:
    """Raises where what must stay has words that are forbidden."""
    for words in aim.forbidden:
        having = [lock for lock in aim.locks if any(occurrences(aim.says(lock), words))]
        if having or any(occurrences(aim.begun, words)):
            raise Clash(
                f'"{words}" is forbidden, and is to be said: allow it, or unlock it.',
                locks=[lock.where for lock in having],
                forbidden=[words],
            )


def _clash(speaker: Speaker, aim: Aim, reason: UserError) -> UserError:
    """Why nothing can be said, and the locks without one of which something could."""
    free = [
        lock
        for lock in aim.locks
        if (aim.edit is None or not lock.where.overlaps(aim.edit.new))
        and (not aim.left or aim.is_behind(lock))
    ]

    def fails(locks: Sequence[Lock]) -> bool:
        own = tuple(lock for lock in aim.locks if lock in locks or lock not in free)
        way = replace(aim, locks=own).in_order()
        return isinstance(speaker.say([way], options=_NARROW)[0], UserError)

    blamed = to_blame(free, fails) if free else []
    if not blamed:
        return reason
    listed = ", ".join(f'"{aim.says(lock)}"' for lock in blamed)
    return Clash(
        f"this cannot be said with all that is locked: unlock one of {listed}. Reason: ",
        *reason.pieces,
        locks=[lock.where for lock in blamed],
    )
