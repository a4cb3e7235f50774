"""Pairs with placeholders, made of pairs that have none, to teach a model to copy them.

It learns to carry over what it cannot translate. Text of parliaments and newspapers has no `{0}`
and no `%s`, and a model that never saw one does not know where to put it. So in some pairs a word
that both sides have, such as a name or a number, gives its place to a placeholder on both sides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from random import Random

from gridbeam.markup.kinds import EXAMPLES
from gridbeam.text.letters import letter

_MOST = 2
"""How many words of a pair are replaced at most."""


def with_placeholders(
    pairs: Iterable[tuple[str, str]], share: float, seed: int
) -> Iterator[tuple[str, str]]:
    """The pairs, a share of them with placeholders for words that both sides have, if any."""
    chance = Random(seed)
    for source, target in pairs:
        yield replaced(source, target, chance) if chance.random() < share else (source, target)


def replaced(source: str, target: str, chance: Random) -> tuple[str, str]:
    """A pair with placeholders for one or two of the words that both sides have.

    >>> replaced("On 3 May Anna left.", "Am 3. Mai ging Anna.", Random(3))
    ('On {{value}} May Anna left.', 'Am {{value}}. Mai ging Anna.')
    """
    words = _common(source, target)
    chosen = chance.sample(words, min(len(words), chance.randint(1, _MOST)))
    given = dict(zip(chosen, chance.sample(EXAMPLES, len(chosen)), strict=True))
    return _filled(source, given), _filled(target, given)


def _common(source: str, target: str) -> Sequence[str]:
    """The names and numbers that both sides have once each."""
    here, there = (Counter(_word().findall(text)) for text in (source, target))
    return [
        word for word, times in here.items() if times == there[word] == 1 and not word.islower()
    ]


def _filled(text: str, given: dict[str, str]) -> str:
    return _word().sub(lambda match: given.get(match[0], match[0]), text)


@cache
def _word() -> re.Pattern[str]:
    """Letters in a row, and such rows with a mark between two: 1,000.50, O'Neill or Rhine-Main."""
    letters = f"(?:{letter()})+"
    return re.compile(f"{letters}(?:[.,:'’-]{letters})*")
