"""Why a request to an engine may come to nothing though nothing is wrong with it.

These are no `UserError`: who asks in another way does not get further, so nobody tries to.
"""

from __future__ import annotations


class Stopped(Exception):
    """The search was dropped: nobody waits for it any more, or its engine is closed."""


class TooSlow(Stopped):
    """The search was dropped, as it was not over when its patience was."""


class Busy(Exception):
    """There is no place in the queue."""
