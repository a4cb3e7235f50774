"""Other wordings of a stretch, after which the text goes on as it did.

The search is forced to begin with what stands on the left and must come to the first tokens on the
right, and a text is done as soon as it has. So nothing behind the place is searched, and as texts
that have begun what stands on the right have a row of their own, some always join it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gridbeam.constraints.terms import Constraint, InOrder, Phrase, Prefix
from gridbeam.editing.beginning import read, tokens_of
from gridbeam.editing.stretch import is_within_word
from gridbeam.text.layout import LAYOUT, set_apart
from gridbeam.translation.defaults import TRANSLATION
from gridbeam.translation.request import Request
from gridbeam.translation.translator import Translates

_JOINED = 2
"""So many tokens on the right must follow, at most, for the text to go on as it did."""
_LONGEST = 12
"""How many tokens a wording may have, with those on the right."""
_OPTIONS = TRANSLATION.but(beam=10, share="rows", length_reward=0.0)
_SURE = 3
"""So many are given however improbable they are."""
_FAR = 7.0
"""Further ones may be this much less probable than the first, in logarithms."""


@dataclass(frozen=True)
class Alternative:
    """Another wording of a stretch."""

    text: str
    score: float
    """Its log-probability, with that of the text going on as it did."""


def between(
    translator: Translates,
    source: str,
    left: str,
    right: str,
    constraints: Sequence[Constraint],
    n_best: int,
) -> list[Alternative]:
    """What may stand between two texts, the best first."""
    source, left, right = _line(source, left, right)
    begun, after = left.rstrip(), _behind(translator, right.rstrip())
    tokens = tokens_of(translator, begun)
    size = len(begun.encode()) if tokens is None else len(tokens)
    options = _OPTIONS.but(
        max_length=size + _LONGEST,
        cut_off=_Joined(0 if tokens is None else size, after) if after else None,
    )
    wanted = (*constraints, *_from_to(begun, tokens, after))
    request = Request(source, wanted, n_best=options.beam)
    found = translator.translate(request, split=False, options=options)
    joined = read(translator, after)
    texts: dict[str, Alternative] = {}
    for each in (found, *found.alternatives):
        for middle in _middle(each.text, begun, joined):
            texts.setdefault(middle, Alternative(middle, round(each.score, 4)))
    return _probable([*texts.values()])[:n_best]


def _from_to(begun: str, tokens: Sequence[int] | None, after: Sequence[int]) -> list[Constraint]:
    """What a text begins with, and what it must come to."""
    end = [Phrase(after)] if after else []
    if not begun:
        return [*end]
    first = Phrase(begun, case="exact") if tokens is None else Phrase(tokens)
    return [Prefix(InOrder(first, *end))]


def _probable(found: Sequence[Alternative]) -> list[Alternative]:
    """Those that are not far behind the best, but a few in any case."""
    return [
        each
        for number, each in enumerate(found)
        if number < _SURE or each.score > found[0].score - _FAR
    ]


def _line(source: str, left: str, right: str) -> tuple[str, str, str]:
    """The line or column of the source that a place lies in, and what is beside it there.

    The whole of it where the text has others than its source.
    """
    before, behind, lines = set_apart(left), set_apart(right), set_apart(source)
    if LAYOUT.search(before[-1]):
        before.append("")  # the place begins a line
    if len(lines) == 1 or len(before) + len(behind) - 1 != len(lines):
        return source, left, right
    return lines[len(before) - 1].strip(), before[-1], LAYOUT.split(right)[0]


def _behind(translator: Translates, right: str) -> list[int]:
    """The first tokens of what stands on the right, as they follow a word."""
    word, whole = tokens_of(translator, "a"), tokens_of(translator, f"a{right}")
    if word is None or whole is None or whole[: len(word)] != word:
        return []
    return whole[len(word) :][:_JOINED]


@dataclass(frozen=True, eq=False)
class _Joined:
    """Whether texts have come to what stands on the right, with something before it."""

    first: int
    """The column that the wording begins in."""
    ends: Sequence[int]

    def __call__(self, sentence: Tensor, tokens: Tensor) -> Tensor:
        """Which of the texts have."""
        size = len(self.ends)
        if tokens.shape[1] <= self.first + size:
            return torch.zeros_like(sentence, dtype=torch.bool)
        return (tokens[:, -size:] == torch.tensor(self.ends, device=tokens.device)).all(1)


def _middle(text: str, begun: str, joined: str) -> Iterator[str]:
    """What stands between, if the text has come to what stands on the right."""
    end = len(text) - len(joined)
    if text.startswith(begun) and text.endswith(joined) and not is_within_word(text, len(begun)):
        middle = text[len(begun) : end].strip()
        if middle:
            yield middle
