"""Which of the texts found is the next: the best of those that keep what must stay, in its place.

The best is the most probable, where each word of the rest that is not as it was costs a factor of
e. So the rest changes where that makes the text clearly better: a verb with its other half. Another
form of the same word costs nothing: an article that agrees is no new wording. What was put in must
have landed in its place (`landing.py`); of the words that have crossed something locked, each but
one costs as much as another word. Where words were taken out, nothing comes in their place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gridbeam.constraints.occurrences import Spans
from gridbeam.editing.aims import Aim
from gridbeam.editing.difference import unchanged
from gridbeam.editing.landing import Landing, landing
from gridbeam.editing.speaker import Said
from gridbeam.editing.state import Lock
from gridbeam.editing.stretch import Stretch, occurrences
from gridbeam.editing.taken_out import is_said_more_often, number_of_words
from gridbeam.text.lemmas import Lemma
from gridbeam.text.words import folded

PRICE = 1.0
"""What another word of the rest costs, in logarithms of probability."""


@dataclass(frozen=True)
class Held:
    """A text found, with its locks where they stand in it, and what it is worth."""

    said: Said
    locks: tuple[Lock, ...]
    worth: float


def chosen(aim: Aim, found: Iterable[Said], lemma: Lemma = folded) -> Held | None:
    """The best of the texts that keep what must stay; None where none does."""
    texts = (each for first in found for each in (first, *first.others))
    candidates = (each for said in texts for each in _candidates(aim, said, lemma))
    return max(candidates, key=lambda each: each.worth, default=None)


def followed(aim: Aim, said: Said) -> tuple[Lock, ...] | None:
    """The locks where they stand in another text; None where they are not all there, in order.

    Where the words around a lock stayed, it is the place among them; elsewhere what the search
    says, or the first place that will do.
    """
    blocks = unchanged(aim.text, said.text)
    ordered = next((spans for spans in reversed(said.spans) if spans), ())
    found: list[Lock] = []
    end = 0
    for number, lock in enumerate(aim.locks):
        words = aim.says(lock)
        first = max(end, len(aim.begun)) if aim.is_behind(lock) else end
        places = [
            *_through(blocks, lock.where),
            *_reported(ordered, number - len(aim.locks), said.text, words),
        ]
        places += occurrences(said.text, words)
        here = next((p for p in places if p.start >= first and p.of(said.text) == words), None)
        if here is None:
            return None
        found.append(replace(lock, where=here))
        end = here.end
    return tuple(found)


def _candidates(aim: Aim, said: Said, lemma: Lemma) -> Iterator[Held]:
    """The text as a candidate, if it is one."""
    locks = followed(aim, said)
    reworded = None if locks is None else _reworded(aim, said.text, locks, lemma)
    if locks is not None and reworded is not None and said.text.startswith(aim.begun):
        astray = _astray(aim, said.text, locks)
        yield Held(said, locks, said.score - PRICE * (reworded + astray))


def _reworded(aim: Aim, text: str, locks: Sequence[Lock], lemma: Lemma) -> int | None:
    """How many words of the rest are other words; None where what was put in is elsewhere."""
    if aim.left:
        return 0
    if aim.takes_out and _fills_up(aim, text):
        return None
    found = _landing(aim, text, locks, lemma)
    return found.reworded if aim.edit is None or aim.takes_out or found.is_in_place else None


def _landing(aim: Aim, text: str, locks: Sequence[Lock], lemma: Lemma) -> Landing:
    """How a text compares with the one before."""
    if aim.edit is None or aim.takes_out:
        beginning = Stretch(0, 0)
        return landing(aim.text, beginning, text, beginning, lemma)
    now = aim.edit.new.moved(_moved(aim, aim.edit.new, text, locks))
    return landing(aim.edit.before, aim.edit.old, text, now, lemma)


def _fills_up(aim: Aim, text: str) -> bool:
    """Whether a text says what was taken out once more, or anything else in its place."""
    assert aim.edit is not None
    if is_said_more_often(aim.takes_out, text, aim.text):
        return True
    blocks = unchanged(aim.text, text)
    place = aim.edit.new
    before = max(
        (_end(each, place) for each in blocks if each[0].start < place.start), default=(0, 0)
    )
    after = min(
        (_start(each, place) for each in blocks if each[0].end > place.end),
        default=(len(aim.text), len(text)),
    )
    beside, now = aim.text[before[0] : after[0]], text[before[1] : after[1]]
    return number_of_words(now) > number_of_words(beside)


def _end(kept: tuple[Stretch, Stretch], place: Stretch) -> tuple[int, int]:
    """Where what stayed ends before a place: in the text before, and in that after."""
    old, new = kept
    end = min(old.end, place.start)
    return end, new.start + end - old.start


def _start(kept: tuple[Stretch, Stretch], place: Stretch) -> tuple[int, int]:
    """Where what stayed begins behind a place: in the text before, and in that after."""
    old, new = kept
    start = max(old.start, place.end)
    return start, new.start + start - old.start


def _astray(aim: Aim, text: str, locks: Sequence[Lock]) -> int:
    """How many words have crossed something locked, but for one: a verb may."""
    pairs = zip(aim.locks, locks, strict=True)
    found = (landing(aim.text, old.where, text, new.where) for old, new in pairs)
    return sum(max(0, each.crossed - 1) for each in found)


def _moved(aim: Aim, place: Stretch, text: str, locks: Sequence[Lock]) -> int:
    """By how much the lock around a place has moved; without one it is an end of the text."""
    for before, now in zip(aim.locks, locks, strict=True):
        if before.where.overlaps(place) or before.where.holds(place):
            return now.where.start - before.where.start
    return len(text) - len(aim.text) if place.start else 0


def _through(blocks: Sequence[tuple[Stretch, Stretch]], where: Stretch) -> list[Stretch]:
    """Where a stretch is now that lies within words that stayed."""
    return [where.moved(new.start - old.start) for old, new in blocks if old.holds(where)]


def _reported(found: Spans, from_end: int, text: str, words: str) -> list[Stretch]:
    """Where the search says that words are that it was asked for last, or last but one."""
    if -from_end > len(found):
        return []
    start, end = found[from_end]
    return [each.moved(start) for each in occurrences(text[start:end], words)]
