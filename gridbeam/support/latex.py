"""Text as LaTeX shows it."""

from __future__ import annotations

_COMMANDS = {
    "\\": "textbackslash",
    "~": "textasciitilde",
    "^": "textasciicircum",
    "<": "textless",
    ">": "textgreater",
    "|": "textbar",
}
"""Characters that LaTeX has a command for; the last three are others in its usual encoding."""
_ESCAPES = str.maketrans(
    {
        **{character: f"\\{name}{{}}" for character, name in _COMMANDS.items()},
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "[": "{[}",  # after the end of a row it would begin an option
    }
)


def escaped(text: str) -> str:
    r"""The text for LaTeX to show, wherever it stands.

    >>> escaped("50% of C:\\x_1")
    '50\\% of C:\\textbackslash{}x\\_1'
    """
    return text.translate(_ESCAPES)
