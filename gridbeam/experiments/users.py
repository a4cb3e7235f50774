"""Three simulated users, who know the reference: one picks words, one a prefix, one segments.

A user looks at a hypothesis and
says which words of the reference are given from now on. How these become constraints is the
method's own: phrases anywhere, a prefix, segments in their order. The paper calls the latter two
special cases of the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from random import Random
from typing import TypeAlias

from gridbeam.constraints.terms import Constraint, InOrder, Prefix
from gridbeam.editing.effort import Effort
from gridbeam.experiments.picking import Choice, Mode, pick
from gridbeam.experiments.reference import ReferenceText, WordReader, numbers, stretches
from gridbeam.text.words import WordRange


@dataclass(frozen=True)
class Correction:
    """What a user has said about a hypothesis."""

    given: tuple[WordRange, ...]
    """The words of the reference that are required from now on."""
    effort: Effort


User: TypeAlias = Callable[[ReferenceText, str, Sequence[WordRange], Random], Correction | None]
"""From a reference, a hypothesis and what was given before to a correction; None where there is
nothing to correct."""


@dataclass(frozen=True)
class Method:
    """A user, the constraints made of the words given, and a check by characters alone."""

    user: User
    constraints: Callable[[ReferenceText, Sequence[WordRange]], tuple[Constraint, ...]]
    """What the words of a reference that are given require."""
    met: Callable[[Sequence[str], str], int]
    """How many of these texts a hypothesis has, where the method wants them."""


def picking(mode: Mode, choice: Choice, read: WordReader = ReferenceText.of) -> Method:
    """Pick-Revise: phrases of the reference, anywhere in the translation."""

    def user(
        reference: ReferenceText, hypothesis: str, given: Sequence[WordRange], random: Random
    ) -> Correction | None:
        found = pick(
            reference, hypothesis, given, mode=mode, choice=choice, random=random, read=read
        )
        if found is None:
            return None
        return Correction((*given, found), Effort.of_typing(found[1] - found[0], reference[found]))

    return Method(
        user,
        lambda reference, given: tuple(map(reference.phrase, given)),
        lambda texts, said: sum(text in said for text in texts),
    )


def _prefix_user(
    reference: ReferenceText, hypothesis: str, given: Sequence[WordRange], random: Random
) -> Correction | None:
    """Corrects the first wrong word; all up to it is right."""
    said = ReferenceText.of(hypothesis).words
    same = next(
        (
            n
            for n, pair in enumerate(zip(reference.words, said, strict=False))
            if pair[0] != pair[1]
        ),
        len(said),
    )
    right = max([same, *(end for _, end in given)])
    if right >= len(reference):
        return None
    return Correction(((0, right + 1),), Effort.of_typing(1, reference[right, right + 1]))


def _segments_user(
    reference: ReferenceText, hypothesis: str, given: Sequence[WordRange], random: Random
) -> Correction | None:
    """Marks all stretches of words that are right and in order, and corrects the next word.

    That is the first word that is not among them.
    """
    if ReferenceText.of(hypothesis).text == reference.text:
        return None
    matcher = SequenceMatcher(
        None, reference.words, ReferenceText.of(hypothesis).words, autojunk=False
    )
    right = numbers((block.a, block.a + block.size) for block in matcher.get_matching_blocks())
    before = numbers(given)
    wrong = next((number for number in range(len(reference)) if number not in right | before), None)
    if wrong is None:
        return None
    marked = Effort.of_marking([end - first for first, end in stretches(right - before)])
    typed = Effort.of_typing(1, reference[wrong, wrong + 1])
    return Correction(tuple(stretches(right | before | {wrong})), marked + typed)


def _in_order(texts: Sequence[str], said: str) -> int:
    """How many of the texts are found one after the other."""
    place = 0
    for number, text in enumerate(texts):
        found = said.find(text, place)
        if found < 0:
            return number
        place = found + len(text)
    return len(texts)


PREFIX = Method(
    _prefix_user,
    lambda reference, given: tuple(Prefix(reference[each]) for each in given),
    lambda texts, said: sum(map(said.startswith, texts)),
)
SEGMENTS = Method(
    _segments_user,
    lambda reference, given: (InOrder(*(reference[each] for each in given)),) if given else (),
    _in_order,
)
METHODS = ("pick", "prefix", "segments")


def method(name: str, mode: Mode, choice: Choice, read: WordReader = ReferenceText.of) -> Method:
    """The method of this name; the rest is for `pick`."""
    return {"pick": picking(mode, choice, read), "prefix": PREFIX, "segments": SEGMENTS}[name]
