"""What changed between two texts, word by word: kept, new, gone, or moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal, TypeAlias

from gridbeam.editing.stretch import Stretch
from gridbeam.text.words import is_word, spans, words

PassageKind: TypeAlias = Literal["kept", "new", "gone", "moved"]


@dataclass(frozen=True)
class Passage:
    """Words in a row that the same has become of."""

    kind: PassageKind
    text: str
    start: int
    """Where it begins in the text after; for what is gone, in the text before."""
    end: int

    def as_json(self) -> dict[str, Any]:
        """The same in values that JSON knows."""
        return {"kind": self.kind, "text": self.text, "start": self.start, "end": self.end}


def difference(before: str, after: str) -> tuple[Passage, ...]:
    """All words of the text after, and between them those that are gone, where they stood.

    What has moved is shown where it stands now, and not as gone where it stood.

    >>> [(each.kind, each.text) for each in difference("Das Treffen war", "Die Besprechung war")]
    [('gone', 'Das Treffen'), ('new', 'Die Besprechung'), ('kept', 'war')]
    >>> [(each.kind, each.text) for each in difference("Er kam gestern", "gestern Er kam")]
    [('moved', 'gestern'), ('kept', 'Er kam')]
    """
    old, new = words(before), words(after)
    places = spans(before, old), spans(after, new)
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    gone = {n for tag, a, b, _, _ in steps if tag != "equal" for n in range(a, b)}
    added = {n for tag, _, _, a, b in steps if tag != "equal" for n in range(a, b)}
    moved = _moved(old, sorted(gone), new, sorted(added))
    left = gone - set(moved.values())
    found: list[Passage] = []
    for tag, a, b, c, d in steps:
        if tag == "equal":
            found.append(_passage("kept", after, places[1][c:d]))
            continue
        found += _passages(before, places[0], [("gone", n) for n in range(a, b) if n in left])
        now: list[tuple[PassageKind, int]] = [
            ("moved" if n in moved else "new", n) for n in range(c, d)
        ]
        found += _passages(after, places[1], now)
    return tuple(found)


def unchanged(before: str, after: str) -> list[tuple[Stretch, Stretch]]:
    """The stretches of whole words that stand in both texts, in their order, best matched.

    >>> unchanged("Das alte Haus", "Ein altes Haus")
    [(Stretch(start=9, end=13), Stretch(start=10, end=14))]
    """
    old, new = words(before), words(after)
    there, here = spans(before, old), spans(after, new)
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return [
        (_hull(there[a : a + size]), _hull(here[b : b + size])) for a, b, size in blocks if size
    ]


def _moved(
    old: Sequence[str], gone: Sequence[int], new: Sequence[str], added: Sequence[int]
) -> dict[int, int]:
    """Of the words that are new, those that were elsewhere before: their number then."""
    free = list(gone)
    found: dict[int, int] = {}
    for number in added:
        same = next((n for n in free if old[n] == new[number] and is_word(old[n])), None)
        if same is not None:
            free.remove(same)
            found[number] = same
    return found


def _passages(
    text: str, places: Sequence[tuple[int, int]], marked: Sequence[tuple[PassageKind, int]]
) -> Iterator[Passage]:
    """Words with what became of them, those in a row that are alike as one."""
    run: list[tuple[PassageKind, int]] = []
    for each in marked:
        if run and each != (run[-1][0], run[-1][1] + 1):
            yield _passage(run[0][0], text, [places[n] for _, n in run])
            run = []
        run.append(each)
    if run:
        yield _passage(run[0][0], text, [places[n] for _, n in run])


def _passage(kind: PassageKind, text: str, places: Sequence[tuple[int, int]]) -> Passage:
    where = _hull(places)
    return Passage(kind, where.of(text), where.start, where.end)


def _hull(places: Sequence[tuple[int, int]]) -> Stretch:
    return Stretch(places[0][0], places[-1][1])
