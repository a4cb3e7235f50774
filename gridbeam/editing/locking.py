"""What becomes of locks, and of what is known of words, when a person changes the text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gridbeam.editing.difference import unchanged
from gridbeam.editing.state import EditingState, Lock, Word
from gridbeam.editing.stretch import Stretch, trimmed, whole_words
from gridbeam.errors import UserError
from gridbeam.text.layout import set_apart
from gridbeam.text.letters import is_of_a_word
from gridbeam.text.words import spans, words


def lockable(text: str, where: Stretch) -> list[Stretch]:
    r"""A stretch in parts that a search can be asked for: whole words within one line or column.

    >>> [part.of("Name:\tSize in") for part in lockable("Name:\tSize in", Stretch(0, 8))]
    ['Name:', 'Size']
    """
    grown = whole_words(text, where)
    parts, start = list[Stretch](), grown.start
    for part in set_apart(grown.of(text)):
        parts.append(trimmed(text, Stretch(start, start + len(part))))
        start += len(part)
    return [part for part in parts if part.size]


def joined(locks: Iterable[Lock]) -> tuple[Lock, ...]:
    """The same in the order of the text, those that overlap as one."""
    found: list[Lock] = []
    for lock in sorted(locks):
        if found and found[-1].where.overlaps(lock.where):
            before = found.pop()
            whole = Stretch(before.where.start, max(before.where.end, lock.where.end))
            lock = Lock(whole, before.typed and lock.typed)
        found.append(lock)
    return tuple(found)


def cut(locks: Sequence[Lock], text: str, where: Stretch) -> list[Lock]:
    """What is left of the locks beside a stretch of the text; white space is nothing."""
    parts = [(lock, part) for lock in locks for part in lock.where.without(where)]
    kept = [replace(lock, where=trimmed(text, part)) for lock, part in parts]
    return [lock for lock in kept if lock.where.size]


def carried(locks: Iterable[Lock], before: str, after: str) -> list[Lock]:
    """Those of the locks whose words stayed, where they stand now."""
    blocks = unchanged(before, after)
    return [
        replace(lock, where=lock.where.moved(new.start - old.start))
        for lock in locks
        for old, new in blocks
        if old.holds(lock.where)
    ]


def typed(before: str, after: str) -> list[Lock]:
    """Locks on the words that are new."""
    places, end = list[Stretch](), 0
    for _, new in unchanged(before, after):
        places.append(Stretch(end, new.start))
        end = new.end
    places.append(Stretch(end, len(after)))
    parts = [part for place in places if place.size for part in lockable(after, place)]
    return [Lock(part, typed=True) for part in parts if any(map(is_of_a_word, part.of(after)))]


def words_of(state: EditingState, text: str) -> tuple[Word, ...]:
    """The words of a text, with the confidence of those that stayed."""
    known = {(word.start, word.end): word.confidence for word in state.words}
    moved = [(new, new.start - old.start) for old, new in unchanged(state.text, text)]
    found = []
    for start, end in spans(text, words(text)):
        here = Stretch(start, end)
        by = next((by for new, by in moved if new.holds(here)), None)
        sure = None if by is None else known.get((start - by, end - by))
        found.append(Word(start, end, sure))
    return tuple(found)


def unsure(words: Iterable[Word], locks: Sequence[Lock]) -> tuple[Word, ...]:
    """The words, without confidence where they are locked."""
    return tuple(
        replace(word, confidence=None)
        if any(lock.where.overlaps(Stretch(word.start, word.end)) for lock in locks)
        else word
        for word in words
    )


def with_fixed(state: EditingState, where: Stretch) -> Stretch:
    """The stretch with the whole of each placeholder that it cuts."""
    for fixed in state.fixed:
        if fixed.overlaps(where):
            where = Stretch(min(fixed.start, where.start), max(fixed.end, where.end))
    return where


def refuse_cutting(state: EditingState, where: Stretch, said: str) -> None:
    """Raises where a placeholder would be changed or lost."""
    for fixed in state.fixed:
        shown = fixed.of(state.text)
        if fixed.overlaps(where) and not (where.holds(fixed) and shown in said):
            raise UserError(
                f'"{shown}" is a placeholder or tag of the source: leave it out of the stretch, or'
                " write it among the new words."
            )
