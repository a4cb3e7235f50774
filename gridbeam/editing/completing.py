"""The text from the cursor on: what stands left of it is taken to the letter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gridbeam.editing.aims import Aim
from gridbeam.editing.change import Change
from gridbeam.editing.locking import cut, joined, lockable, unsure
from gridbeam.editing.searching import best
from gridbeam.editing.speaker import Speaker
from gridbeam.editing.state import EditingState, Lock
from gridbeam.editing.stretch import Stretch, is_within_word, occurrences, whole_words
from gridbeam.editing.taken_out import still_out


def completed(speaker: Speaker, state: EditingState, left: str) -> Change:
    """The text that begins so, with what was locked behind it in its order.

    What is left of the cursor is taken as it is, also in the middle of a word. What of it is new
    has been typed, and is locked.
    """
    aim = _behind(state, left)
    is_behind = any(map(aim.is_behind, aim.locks))
    ways = [aim.in_order(), aim.beside_neighbours()] if is_behind else [aim.in_order()]
    found = best(speaker, state, aim, *ways)
    new = Stretch(_same(state.text, aim.begun), len(aim.begun))
    after = found.after
    own = [Lock(part, typed=True) for part in lockable(after.text, new)] if new.size else []
    locks = joined([*after.locks, *own])
    after = replace(after, locks=locks, words=unsure(after.words, locks))
    return replace(found, after=after)


def _behind(state: EditingState, left: str) -> Aim:
    """The text up to the cursor, and behind it what was locked there and is not said before it."""
    begun, same = left.rstrip(), _same(state.text, left)
    word = whole_words(state.text, Stretch(same, same))
    left_of_it = cut(state.locks, state.text, word)
    before = [lock for lock in left_of_it if lock.where.end <= same]
    after = [lock for lock in left_of_it if lock not in before]
    said, behind = _said_in(begun, same, after, state.text)
    cursor = max([same, word.end, *(lock.where.end for lock, _ in said)])
    if len(begun) > cursor == same and not any(lock.where.start == same for lock in behind):
        cursor = whole_words(state.text, Stretch(same, min(same + 1, len(state.text)))).end
    text = _joined(begun, state.text[cursor:]) if begun[same:] else begun + state.text[cursor:]
    by = len(text) - len(state.text)
    kept = [*before, *(replace(lock, where=where) for lock, where in said)]
    moved = [replace(lock, where=lock.where.moved(by)) for lock in behind]
    out = still_out(state.taken_out, begun)
    locks = (*kept, *moved)
    return Aim(text, locks, state.forbidden, state.required, left=left, taken_out=out)


def _said_in(
    begun: str, start: int, locks: Sequence[Lock], text: str
) -> tuple[list[tuple[Lock, Stretch]], list[Lock]]:
    """Those of the locks that were said before the cursor, with their place there, and the rest."""
    said = list[tuple[Lock, Stretch]]()
    for number, lock in enumerate(locks):
        places = occurrences(begun, lock.where.of(text))
        here = next((place for place in places if place.start >= start), None)
        if here is None:
            return said, [*locks[number:]]
        said.append((lock, here))
        start = here.end
    return said, []


def _joined(begun: str, rest: str) -> str:
    """Two parts of a text, with a space where they would be one word."""
    is_one = is_within_word(f"{begun[-1:]}{rest}", 1)
    return f"{begun} {rest}" if is_one else begun + rest


def _same(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = zip(one, other, strict=False)
    shorter = min(len(one), len(other))
    return next((n for n, (a, b) in enumerate(pairs) if a != b), shorter)
