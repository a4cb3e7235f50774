"""What is asked for on the command line of how work is spread over workers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gridbeam.errors import UserError


@dataclass(frozen=True)
class ShardShare:
    """Which of the shards a run does, where several runs divide them up: the 17th of 100, say."""

    index: int = 1
    count: int = 1


@dataclass(frozen=True)
class Spread:
    """How work is to be spread over workers."""

    engine: str | None
    workers: int | None
    address: str | None
    shards: int | None
    shard: str | None

    @property
    def is_asked(self) -> bool:
        """Whether there are to be workers at all."""
        return self.engine is not None or self.shard is not None

    def refuse_alone(self) -> None:
        """Raises where there is an option for workers, and none are asked for."""
        refuse_without_engine(
            {"--workers": self.workers, "--address": self.address, "--shards": self.shards}
        )


def refuse_without_engine(options: Mapping[str, object]) -> None:
    """Raises where there is an option for workers, and none are asked for."""
    for name, value in options.items():
        if value is not None:
            raise UserError(f"{name} is for many workers: add --engine processes or --engine ray.")


def share_of(written: str) -> ShardShare:
    """Which share of the shards is meant.

    >>> share_of("17/100")
    ShardShare(index=17, count=100)
    """
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", written)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise UserError(
            f'--shard "{written}": write which of how many it is, from 1 on: --shard 17/100.'
        )
    return ShardShare(int(found[1]), int(found[2]))
