"""The simulated user of section 4.1, who picks a phrase of the reference that the hypothesis lacks.

The phrase has three words, or where there is none such, two, or one. Words that were given before
are not picked again, so that phrases never overlap. Where the hypothesis is the reference, or lacks
nothing, nothing is picked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Literal, TypeAlias

from gridbeam.experiments.reference import ReferenceText, WordReader, numbers
from gridbeam.text.words import WordRange, contains

Mode: TypeAlias = Literal["strict", "relaxed", "whole"]
"""What is missing of a phrase: every word of it, its first word, or the phrase as a whole."""
Choice: TypeAlias = Literal["first", "longest", "random"]
"""Which missing phrase is picked: the leftmost, the one where most missing words follow each other,
or any."""
LONGEST = 3
"""The most words of a phrase."""

_IS_MISSING: dict[Mode, Callable[[Sequence[str], Sequence[str]], bool]] = {
    "strict": lambda phrase, said: not any(word in said for word in phrase),
    "relaxed": lambda phrase, said: phrase[0] not in said,
    "whole": lambda phrase, said: not contains(said, phrase),
}
MODES = tuple(_IS_MISSING)


def pick(
    reference: ReferenceText,
    hypothesis: str,
    given: Sequence[WordRange] = (),
    *,
    mode: Mode = "strict",
    choice: Choice = "first",
    random: Random | None = None,
    read: WordReader = ReferenceText.of,
) -> WordRange | None:
    """The phrase that the user gives next, if there is one; `read` is how words are told apart.

    >>> reference = ReferenceText.of("Ebenso setzte er sich gegen das Rauchen ein.")
    >>> reference[pick(reference, "Er setzte sich dagegen ein.")]
    'gegen das Rauchen'
    >>> reference[pick(reference, "Er setzte sich dagegen ein.", mode="relaxed")]
    'Ebenso setzte er'
    """
    said = read(hypothesis)
    if said.text == reference.text:
        return None
    given_words = numbers(given)
    for size in range(LONGEST, 0, -1):
        found = [
            (start, start + size)
            for start in range(len(reference) - size + 1)
            if given_words.isdisjoint(range(start, start + size))
            and _IS_MISSING[mode](reference.words[start : start + size], said.words)
        ]
        if found:
            return _CHOICES[choice](found, _missing_from_here(reference, said), random or Random(0))
    return None


def _missing_from_here(reference: ReferenceText, said: ReferenceText) -> list[int]:
    """For each word of the reference, how many words from it on are missing, without a gap."""
    counts, count = [], 0
    for word in reversed(reference.words):
        count = 0 if word in said.words else count + 1
        counts.append(count)
    return counts[::-1]


_CHOICES: dict[Choice, Callable[[list[WordRange], list[int], Random], WordRange]] = {
    "first": lambda found, missing, random: found[0],
    "longest": lambda found, missing, random: max(found, key=lambda stretch: missing[stretch[0]]),
    "random": lambda found, missing, random: random.choice(found),
}
CHOICES = tuple(_CHOICES)
