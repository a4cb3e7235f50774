"""What an act asks of the next text, and the constraints that say so.

An aim is the text as the person left it, with the words put in and nothing else changed, and what
of it must stay. There are several ways to ask a search for it; `searching.py` says which are tried.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from gridbeam.constraints.terms import (
    AnyOf,
    Avoid,
    Constraint,
    InOrder,
    PatternLike,
    Phrase,
    Prefix,
)
from gridbeam.editing.apart import is_searched_apart
from gridbeam.editing.state import EditingState, Lock
from gridbeam.editing.stretch import Stretch, occurrences
from gridbeam.editing.taken_out import LONG
from gridbeam.text.letters import is_of_a_word
from gridbeam.text.sentences import split
from gridbeam.text.words import spans, words


@dataclass(frozen=True)
class PutIn:
    """Words put in, or taken out, at a place: the text before, where they were, where they are."""

    before: str
    old: Stretch
    new: Stretch


@dataclass(frozen=True)
class Aim:
    """What the next text is to be like."""

    text: str
    """The text as the person left it."""
    locks: tuple[Lock, ...]
    """What of it must stay, in this order."""
    forbidden: tuple[str, ...] = ()
    required: tuple[Constraint, ...] = ()
    edit: PutIn | None = None
    left: str = ""
    """What the text must begin with: all that stands left of the cursor, perhaps within a word."""
    taken_out: tuple[str, ...] = ()

    @staticmethod
    def of(state: EditingState) -> Aim:
        """To say the same again, with all that is locked."""
        return Aim(
            state.text, state.locks, state.forbidden, state.required, taken_out=state.taken_out
        )

    @property
    def takes_out(self) -> str:
        """The words that this act takes out and puts nothing in for; empty where there are none."""
        is_all = self.edit is not None and not self.edit.new.of(self.text).strip()
        return self.edit.old.of(self.edit.before) if self.edit is not None and is_all else ""

    @property
    def demands(self) -> tuple[Constraint, ...]:
        """What must be or must not be said, wherever it is."""
        forbidden = map(exactly, self.forbidden)
        return (*self.required, *map(Avoid, (*forbidden, *map(self._kept_out, self.taken_out))))

    def _kept_out(self, words: str) -> Phrase:
        """Words that were taken out, whatever their capitals; long ones as parts of words, too.

        A model that may not say "gestern" says "gesternpo" before it leaves the word out.
        """
        is_in_a_word = words.casefold() in self.text.casefold()
        return Phrase(words, case="any", whole_word=len(words) < LONG or is_in_a_word)

    @property
    def begun(self) -> str:
        """What stands left of the cursor, without white space at its end."""
        return self.left.rstrip()

    def is_behind(self, lock: Lock) -> bool:
        """Whether something locked stands right of the cursor."""
        return lock.where.start >= len(self.begun)

    def says(self, lock: Lock) -> str:
        """What is locked."""
        return lock.where.of(self.text)

    def in_order(self) -> tuple[Constraint, ...]:
        """All that is locked in its order, whatever stands between; behind the cursor if any."""
        return self._said(lambda lock: exactly(self.says(lock)))

    def beside_neighbours(self) -> tuple[Constraint, ...]:
        """The same, with each lock right beside a word that it stood beside."""
        return self._said(self._beside)

    def _said(self, pattern: Callable[[Lock], PatternLike]) -> tuple[Constraint, ...]:
        begun = self.begun
        behind = [lock for lock in self.locks if not begun or self.is_behind(lock)]
        groups = [[*map(pattern, group)] for group in self._searched_apart(behind)]
        if not begun:
            return (*self.demands, *(InOrder(*group) for group in groups))
        is_whole = begun != self.left or not is_of_a_word(begun[-1])
        first = Phrase(begun, case="exact", whole_word=is_whole)
        if not is_searched_apart(self.text):
            return (*self.demands, Prefix(InOrder(first, *(each for g in groups for each in g))))
        return (*self.demands, Prefix(first), *(InOrder(*group) for group in groups))

    def _searched_apart(self, locks: Sequence[Lock]) -> list[list[Lock]]:
        """The locks of each sentence that is searched apart: perhaps all are one."""
        if not is_searched_apart(self.text):
            return [[*locks]] if locks else []
        starts = split(self.text).starts
        groups = groupby(locks, lambda lock: bisect_right(starts, lock.where.start))
        return [[*group] for _, group in groups]

    def _beside(self, lock: Lock) -> PatternLike:
        """What is locked with the word before it, or with the one after it."""
        taken = [other.where for other in self.locks if other != lock]
        taken.append(Stretch(0, len(self.begun)))
        grown = with_neighbours(self.text, lock.where)
        free = [each for each in grown if not any(map(each.overlaps, taken))]
        return AnyOf(*(exactly(each.of(self.text)) for each in free or [lock.where]))

    def instead(self) -> tuple[Constraint, ...]:
        """The same without the old words, if they stand nowhere else."""
        assert self.edit is not None
        old = self.edit.old.of(self.edit.before)
        is_gone = bool(old) and not self.takes_out and not any(occurrences(self.text, old))
        return (*self.in_order(), *([Avoid(exactly(old))] if is_gone else []))

    def as_it_is(self) -> tuple[Constraint, ...]:
        """Exactly the text as the person left it."""
        return (*self.demands, Prefix(Phrase(self.text, case="exact")))


def exactly(words: str) -> Phrase:
    """These words, with these capitals."""
    return Phrase(words, case="exact", whole_word=True)


def with_neighbours(text: str, where: Stretch) -> list[Stretch]:
    """A stretch with the word or mark before it, and with that after it, where there are such."""
    placed = spans(text, words(text))
    left = [start for start, end in placed if end <= where.start][-1:]
    right = [end for start, end in placed if start >= where.end][:1]
    return [
        *(Stretch(start, where.end) for start in left),
        *(Stretch(where.start, end) for end in right),
    ]
