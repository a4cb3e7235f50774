"""The status of a term in the words of the tools that have one: whether it must not be said.

>>> [is_forbidding(said) for said in ("deprecatedTerm-admn-sts", "Not recommended", "approved")]
[True, True, False]
"""

from __future__ import annotations

import re

_FORBIDDING = re.compile(
    "deprecated|superseded|forbidden|obsolete|outdated|not ?recommended|prohibited|rejected|banned"
    "|disallowed|do not use|don't use|avoid|not ?(?:allowed|approved|permitted|to be used)"
    "|unapproved|verboten|veraltet|abgelehnt|nicht (?:verwenden|empfohlen|freigegeben)"
)
_ALLOWING = re.compile(
    "preferred|admitted|approved|accepted|allowed|recommended|permitted|standard|regulated|legal"
    "|valid|verified|reviewed|confirmed|translated|final|active|current|new|draft|proposed|pending"
    "|in use|yes|true|ok|bevorzugt|erlaubt|zugelassen|freigegeben|genehmigt|empfohlen|neu"
)


def is_forbidding(status: str) -> bool:
    """Whether a term of this status must not be said."""
    return _FORBIDDING.match(_plain(status)) is not None


def is_known(status: str) -> bool:
    """Whether it is a status at all, and not something else that stands in its column."""
    return not status or is_forbidding(status) or _ALLOWING.match(_plain(status)) is not None


def _plain(status: str) -> str:
    return re.sub(r"[\s_-]+", " ", status).strip().lower()
