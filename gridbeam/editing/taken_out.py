"""What a person took out does not come back, until they say it again, allow it, or undo.

Words are taken out where a text has lost them and nothing was put in their place: what is put in is
locked, and holds the place against the words before. What stands elsewhere in the text as well may
be said there, and only the place itself can be kept free of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from gridbeam.constraints.terms import Constraint, Phrase
from gridbeam.constraints.walk import phrases
from gridbeam.editing.state import EditingState
from gridbeam.editing.stretch import Stretch
from gridbeam.text.layout import LAYOUT
from gridbeam.text.words import contains, count_of, folded, is_word, spans, words

_LITTLE = 3
"""A word of so few letters, an article say, is kept out of its place only."""
LONG = 6
"""Of several words in a row, those of so many letters are kept out each: shorter ones, articles
say, may be needed elsewhere."""


def newly_taken_out(before: str, after: str) -> tuple[str, ...]:
    """The words that a person's text has no longer, and that stand for what is not to come back.

    >>> newly_taken_out("Er kam gestern an.", "Er kam an.")
    ('gestern',)
    >>> newly_taken_out("Er sprach nach einer langen Diskussion.", "Er sprach.")
    ('langen', 'Diskussion')
    >>> newly_taken_out("Der alte Mann und der alte Hund", "Der Mann und der alte Hund")
    ('alte Mann',)
    """
    placed = [Stretch(start, end) for start, end in spans(before, words(before))]
    old, new = [folded(each.of(before)) for each in placed], _folded(after)
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    runs = [(first, last) for step, first, last, _, _ in steps if step == "delete"]
    found = [each for run in runs for each in _kept_out(before, placed, run, after)]
    return tuple(dict.fromkeys(each for each in found if not LAYOUT.search(each)))


def still_out(
    taken_out: Sequence[str], text: str, required: Sequence[Constraint] = ()
) -> tuple[str, ...]:
    """What was taken out and neither stands in a person's text nor is required.

    >>> still_out(["gestern"], "Gestern kam er.")
    ()
    """
    said = [_folded(each) for each in (text, *_phrases_in(required))]
    return tuple(each for each in taken_out if not any(_stands(each, line) for line in said))


def taken_out_of(state: EditingState, text: str) -> tuple[str, ...]:
    """What is out of a text that a person has made of another, now and from before."""
    known = still_out(state.taken_out, text)
    return tuple(dict.fromkeys((*known, *newly_taken_out(state.text, text))))


def is_said_more_often(sought: str, text: str, than: str) -> bool:
    """Whether words stand more often in one text than in another."""
    part = _folded(sought)
    return count_of(part, _folded(text)) > count_of(part, _folded(than))


def number_of_words(text: str) -> int:
    """How many words a text has, without marks."""
    return sum(map(is_word, words(text)))


def _phrases_in(required: Sequence[Constraint]) -> Iterator[str]:
    for term in required:
        for each in phrases(term) if term.role.must_occur else ():
            if isinstance(each, Phrase) and isinstance(each.content, str):
                yield each.content


def _kept_out(
    text: str, placed: Sequence[Stretch], run: tuple[int, int], after: str
) -> Iterator[str]:
    """The words of a run that stand nowhere else, or the run with either of its neighbours."""
    first, last = run
    whole = _between(text, placed, first, last)
    if not is_said_more_often(whole, text, after):
        return  # it was moved
    telling = [placed[n].of(text) for n in range(first, last) if placed[n].size >= LONG]
    alone = telling if last - first > 1 and telling else [whole] if len(whole) > _LITTLE else []
    said = _folded(after)
    free = [each for each in alone if _has_word(each) and not _stands(each, said)]
    beside = [(max(0, first - 1), last), (first, min(len(placed), last + 1))]
    with_neighbours = [_between(text, placed, *ends) for ends in beside if ends != run]
    yield from free or [each for each in with_neighbours if not _stands(each, said)]


def _between(text: str, placed: Sequence[Stretch], first: int, last: int) -> str:
    return text[placed[first].start : placed[last - 1].end]


def _has_word(text: str) -> bool:
    return any(map(is_word, words(text)))


def _folded(text: str) -> list[str]:
    return [folded(word) for word in words(text)]


def _stands(sought: str, text: Sequence[str]) -> bool:
    return contains(text, _folded(sought))
