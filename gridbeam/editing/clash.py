"""What cannot be said together: which of the locks are to blame."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gridbeam.editing.state import Lock
from gridbeam.editing.stretch import Stretch
from gridbeam.errors import MessagePart, UserError


class Clash(UserError):
    """What was asked cannot be said: the message says why, `locks` what of the text is in its way.

    Nothing has changed. Without one of the locks, and with what is in `forbidden` allowed, it can.
    """

    def __init__(
        self,
        *pieces: MessagePart,
        locks: Sequence[Stretch] = (),
        forbidden: Sequence[str] = (),
    ) -> None:
        super().__init__(*pieces)
        self.locks, self.forbidden = tuple(locks), tuple(forbidden)

    def _of(self, pieces: tuple[MessagePart, ...], where: tuple[str, ...]) -> Clash:
        error = Clash(*pieces, locks=self.locks, forbidden=self.forbidden)
        error.where = where
        return error


def to_blame(locks: Sequence[Lock], fails: Callable[[Sequence[Lock]], bool]) -> list[Lock]:
    """Those of the locks that fail together, none of which could be left out; none if all may stay.

    Each is left out in turn, and stays out if the rest fails without it.

    >>> locks = [Lock(Stretch(n, n + 1)) for n in range(4)]
    >>> found = to_blame(locks, lambda left: {locks[1], locks[3]} <= set(left))
    >>> [lock.where.start for lock in found]
    [1, 3]
    """
    left = list(locks)
    if fails([]):
        return []
    for lock in locks:
        rest = [each for each in left if each != lock]
        if fails(rest):
            left = rest
    return left
