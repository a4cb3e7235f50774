"""Where pairs of tags belong, by a translation in which the model was shown them.

Tags are taken out of what is translated, and where they go back is a guess from the words alone
(`gridbeam.markup.projection`). A model that has read `{1}` and `{2}` around words, as catalogues of
messages have them, knows better. So it is shown them in a translation of its own, the guide. Of
that no more is taken than which words stand within a pair: they are found again in the translation
that counts, where the same words stand, or others in their place.

>>> from gridbeam.markup.protect import protect
>>> guide = guide_of(protect("Click <b>Save</b> to keep it."))
>>> guide.text
'Click {1}Save{2} to keep it.'
>>> told, final = "Auf {1}Speichern{2} klicken.", "Klicken Sie auf Speichern, um es zu behalten."
>>> [(anchor.source, final[slice(*anchor.target)]) for anchor in guide.anchors(told, final)]
[((6, 10), 'Speichern')]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import count
from typing import TypeAlias

from gridbeam.constraints.occurrences import Span
from gridbeam.markup.inline import partners
from gridbeam.markup.projection import Anchor
from gridbeam.markup.protect import Protected
from gridbeam.text.letters import is_of_a_word
from gridbeam.text.words import WordRange, folded, spans, words


@dataclass(frozen=True)
class ShownPair:
    """A pair of tags: the stretch of the text within it, and what is shown for the two."""

    stretch: Span
    opening: str
    closing: str


@dataclass(frozen=True)
class Guide:
    """A text with its pairs of tags shown."""

    text: str
    pairs: tuple[ShownPair, ...]
    """Those that hold fewer words first."""

    def anchors(self, told: str, final: str) -> Iterator[Anchor]:
        """For each pair the stretch of `final` that says what stands within it.

        `told` is the translation of the guide. A pair that is not there once, or whose words are
        not found together in `final`, has none.
        """
        places = spans(final, words(final))
        found = [folded(final[start:end]) for start, end in places]
        for pair in self.pairs:
            parts = _parted(told, pair)
            if parts is None:
                continue
            before, within, after = map(self._words, parts)
            said = _said_within(before, within, after, found)
            if said is not None:
                yield Anchor(pair.stretch, (places[said[0]][0], places[said[1] - 1][1]))

    def _words(self, told: str) -> list[str]:
        """The words of a part of a guide's translation, as they are compared."""
        for pair in self.pairs:
            told = told.replace(pair.opening, " ").replace(pair.closing, " ")
        return [*map(folded, words(told))]


def guide_of(protected: Protected) -> Guide | None:
    """The text with its pairs shown; None where no pair has to be looked for.

    Such a pair holds some words of the text, but not all, and cuts none.
    """
    text = protected.text
    sought = (each for each in _stretches(protected) if _is_sought(text, *each))
    stretches = sorted(dict.fromkeys(sought), key=lambda each: each[1] - each[0])
    if not stretches:
        return None
    edges = sorted(edge for each in stretches for edge in (_opening(each), _closing(each)))
    free = (shown for shown in map("{{{}}}".format, count(1)) if shown not in text)
    names = dict(zip(edges, free, strict=False))
    written, done = "", 0
    for (place, *_), shown in names.items():
        written, done = written + text[done:place] + shown, place
    pairs = (ShownPair(each, names[_opening(each)], names[_closing(each)]) for each in stretches)
    return Guide(written + text[done:], tuple(pairs))


_Edge: TypeAlias = tuple[int, int, int]
"""A tag, as they are sorted in a text: its place, what closes first, and what is well nested."""


def _opening(stretch: Span) -> _Edge:
    return stretch[0], 1, -stretch[1]


def _closing(stretch: Span) -> _Edge:
    return stretch[1], 0, -stretch[0]


def _stretches(protected: Protected) -> Iterator[Span]:
    """What stands within each pair of tags, without the white space at its edges."""
    codes = [(gap.at, code) for gap in protected.gaps for code in gap.codes]
    for opening, closing in partners([code for _, code in codes]).items():
        if opening < closing:
            start, end = codes[opening][0], codes[closing][0]
            inner = protected.text[start:end]
            yield end - len(inner.lstrip()), start + len(inner.rstrip())


def _is_sought(text: str, start: int, end: int) -> bool:
    has_words = any(map(str.isalpha, text[start:end]))
    is_all = not any(map(str.isalnum, text[:start] + text[end:]))
    return has_words and not is_all and not any(_cuts_word(text, edge) for edge in (start, end))


def _cuts_word(text: str, place: int) -> bool:
    beside = text[max(place - 1, 0) : place + 1]
    return len(beside) == 2 and all(map(is_of_a_word, beside))


def _parted(told: str, pair: ShownPair) -> tuple[str, str, str] | None:
    """What stands before a pair, within it and after it; None where it is not there just once."""
    if told.count(pair.opening) != 1 or told.count(pair.closing) != 1:
        return None
    before, _, rest = told.partition(pair.opening)
    within, closing, after = rest.partition(pair.closing)
    return (before, within, after) if closing else None


def _said_within(
    before: Sequence[str], within: Sequence[str], after: Sequence[str], final: Sequence[str]
) -> WordRange | None:
    """The words of `final` that say what stands within a pair.

    These are the same words if they stand there once, else those from the first to the last that is
    one of them or stands in their place. None where there is none.
    """
    size, start, end = len(within), len(before), len(before) + len(within)
    same = [at for at in range(len(final)) if [*final[at : at + size]] == [*within]]
    if within and len(same) == 1:
        return same[0], same[0] + size
    alike = SequenceMatcher(None, [*before, *within, *after], final, autojunk=False)
    found = list[int]()
    for kind, first, last, there, until in alike.get_opcodes():
        inside = max(first, start), min(last, end)
        if kind == "equal" and inside[0] < inside[1]:
            found += range(there + inside[0] - first, there + inside[1] - first)
        elif kind == "replace" and (first, last) == inside:
            found += range(there, until)
    return (found[0], found[-1] + 1) if found else None
