"""What the options of Python functions are called on the command line."""

from __future__ import annotations


def flag(option: str) -> str:
    """The flag of an option.

    >>> flag("max_length")
    '--max-length'
    """
    return f"--{option.replace('_', '-')}"
