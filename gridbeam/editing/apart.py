"""Which texts are searched sentence by sentence, though they are edited as one."""

from __future__ import annotations

from gridbeam.text.layout import set_apart

_LONG = 1000
"""A text of more characters takes too long as one sentence, and a model may not have the room."""


def is_searched_apart(text: str) -> bool:
    r"""Whether a text has lines or columns, which must stay, or is long.

    >>> is_searched_apart("Name:\tSize"), is_searched_apart("It rains. It pours.")
    (True, False)
    """
    return len(text) > _LONG or len(set_apart(text)) > 1
