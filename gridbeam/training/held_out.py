"""Pairs that are left out of training by a rule that anyone can repeat, to be tested on.

Whether a pair is held out follows from its source alone, so a text that several corpora have is
held out of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

USUAL = 200
"""One pair of the catalogues in so many is held out of what the model that ships has seen
(configs/builtin.toml)."""


def is_held_out(source: str, one_in: int) -> bool:
    """Whether a pair with this source is left out, as one in so many is.

    >>> [number for number in range(1000) if is_held_out(f"File {number}", 200)]
    [148, 759, 908, 919, 994]
    """
    key = blake2b(source.strip().encode(), digest_size=8).digest()
    return int.from_bytes(key, "big") % one_in == 0


def without_held_out(pairs: Iterable[tuple[str, str]], one_in: int) -> Iterator[tuple[str, str]]:
    """The pairs that are left to learn from."""
    return (pair for pair in pairs if not is_held_out(pair[0], one_in))
