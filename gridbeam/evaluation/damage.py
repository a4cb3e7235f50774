"""What constraints did to the text around the words that they required.

A constrained translation says what it must, so whatever counts the required words favours it. Here
they are taken out of the translation, of the one without constraints and of the reference alike,
and chrF compares what is left. docs/score.md has the definition and an example.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from sacrebleu.metrics.chrf import CHRF

import gridbeam
from gridbeam.evaluation.term_scores import disjoint, lemmas_signature
from gridbeam.glossary.index import TextWords
from gridbeam.glossary.wording import Wording
from gridbeam.text.lemmas import Lemma
from gridbeam.text.words import WordRange

TOLERANCE = 5.0
"""A segment has fallen or risen if its chrF differs by more than this."""


@dataclass(frozen=True)
class SegmentChange:
    """A segment that constraints changed: its chrF outside the required words, plain and with."""

    number: int
    plain: float
    constrained: float

    @property
    def fell(self) -> bool:
        """Whether the constraints made the rest of the text worse."""
        return self.plain - self.constrained > TOLERANCE

    @property
    def rose(self) -> bool:
        """Whether the constraints made the rest of the text better."""
        return self.constrained - self.plain > TOLERANCE


@dataclass(frozen=True)
class Damage:
    """What constraints did to a text, segment by segment, and how many terms they got said."""

    segments: int
    changes: tuple[SegmentChange, ...]
    """Those of the segments whose constrained text differs from the plain one."""
    met: int
    due: int
    """Terms that the constrained text says, of those required, in all segments."""

    @property
    def fell(self) -> int:
        """How many of the changed segments have become worse."""
        return sum(change.fell for change in self.changes)

    @property
    def rose(self) -> int:
        """How many of the changed segments have become better."""
        return sum(change.rose for change in self.changes)

    @property
    def plain(self) -> float:
        """The mean chrF of the changed segments without constraints; 0 if there are none."""
        return fmean(change.plain for change in self.changes) if self.changes else 0.0

    @property
    def constrained(self) -> float:
        """The mean chrF of the changed segments with constraints; 0 if there are none."""
        return fmean(change.constrained for change in self.changes) if self.changes else 0.0


def damage(
    outputs: Sequence[str],
    plain: Sequence[str],
    references: Sequence[str],
    required: Sequence[Sequence[Wording | Sequence[str]]],
    *,
    lemma: Lemma | None = None,
) -> Damage:
    """How translations under constraints compare with plain ones outside the required words.

    `required` has for each segment its terms, once for each time that one is due: a text, or
    several of which any will do. With a `lemma` other forms of their words will do as well.

    >>> found = damage(["Die Platte."], ["Die Scheibe."], ["Die Platte."], [["Platte"]])
    >>> found.rose, found.met
    (1, 1)
    """
    metric = CHRF()
    changes, met, due = [], 0, 0
    columns = zip(outputs, plain, references, required, strict=True)
    for number, (text, before, reference, terms) in enumerate(columns):
        wordings = Counter(map(_wording, terms))
        met += sum(map(len, _said(TextWords(text), wordings, lemma)))
        due += wordings.total()
        if text.split() != before.split():
            wanted = outside(reference, wordings, lemma)
            old, new = (
                _chrf(metric, outside(own, wordings, lemma), wanted) for own in (before, text)
            )
            changes.append(SegmentChange(number, old, new))
    return Damage(len(outputs), tuple(changes), met, due)


def signature(lemmas_of: str | None = None) -> str:
    """How the numbers of a `Damage` came about: with the lemmas of a language, or without."""
    forms = "lemmas:no" if lemmas_of is None else lemmas_signature(lemmas_of)
    metric = CHRF()
    metric.num_refs = 1
    how = f"outside:required|by:{TOLERANCE:g}|{forms}|gridbeam:{gridbeam.__version__}"
    return f"{metric.get_signature()}|{how}"


def outside(text: str, required: Counter[Wording], lemma: Lemma | None = None) -> str:
    """The text without the required words, with single spaces between what is left.

    Of each wording as many occurrences are taken out as are required, from the left. A text that
    does not say a wording is left as it is.

    >>> outside("Die Platte, die alte Platte.", Counter([Wording(("Platte",))]))
    'Die , die alte Platte.'
    """
    line = TextWords(text)
    dropped = {
        number
        for places in _said(line, required, lemma)
        for start, end in places
        for number in range(start, end)
    }
    kept, done = "", 0
    for number in sorted(dropped):
        start, end = line.spans[number]
        kept, done = kept + text[done:start], end
    return " ".join((kept + text[done:]).split())


def _said(
    line: TextWords, required: Counter[Wording], lemma: Lemma | None
) -> list[list[WordRange]]:
    """Where a text says each wording, no more often than it is required."""
    return [disjoint(_places(line, wording, lemma))[:times] for wording, times in required.items()]


def _places(line: TextWords, wording: Wording, lemma: Lemma | None) -> set[WordRange]:
    inflected = wording.inflected_places(line, lemma) if lemma else ()
    return {*wording.places(line), *inflected}


def _wording(term: Wording | Sequence[str]) -> Wording:
    if isinstance(term, Wording):
        return term
    return Wording((term,) if isinstance(term, str) else tuple(term))


def _chrf(metric: CHRF, text: str, reference: str) -> float:
    """chrF2 of a segment; where the reference has nothing left, a text should have nothing."""
    if not reference:
        return 0.0 if text else 100.0
    return float(metric.sentence_score(text, [reference]).score)
