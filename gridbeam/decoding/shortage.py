"""Memory that does not suffice for a batch: half of it is searched at a time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TypeVar

import torch

from gridbeam.errors import Option, UserError, UserNotice

Item = TypeVar("Item")
Result = TypeVar("Result")
_SIGNS = (
    "can't allocate memory: you tried to allocate",  # torch on Linux
    "not enough memory: you tried to allocate",  # torch on Windows and macOS
    "could not create a primitive",  # oneDNN, which computes in 8 bits
    "could not create a memory",
    "CUBLAS_STATUS_ALLOC_FAILED",
)
"""What a `RuntimeError` says that is a lack of memory."""


class TooLarge(UserError):
    """One search takes more memory than there is: the message says what to lower."""


def too_large() -> TooLarge:
    """The error of a text that does not fit, even alone."""
    return TooLarge(
        "there is not enough memory to search for this text, even alone: lower ",
        Option("beam"),
        " or ",
        Option("max_length"),
        ", or shorten the text.",
    )


def is_shortage(error: BaseException) -> bool:
    """Whether an error is that the machine or the device had no memory left.

    >>> is_shortage(MemoryError()), is_shortage(RuntimeError("no such kernel"))
    (True, False)
    """
    if isinstance(error, RuntimeError) and any(sign in str(error) for sign in _SIGNS):
        return True
    return isinstance(error, MemoryError | torch.OutOfMemoryError)


def let_go() -> None:
    """Gives back what a GPU holds for tensors that are no more."""
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def halved_to_fit(
    items: Sequence[Item], search: Callable[[Sequence[Item]], list[Result]]
) -> list[Result]:
    """What a search finds for each item, in halves where all at once do not fit in memory.

    Where one item alone does not, `TooLarge` is raised.
    """
    try:
        return search(items)
    except (MemoryError, RuntimeError) as error:
        if not is_shortage(error):
            raise
    # Here the error is gone, and with it what the failed search held.
    let_go()
    if len(items) == 1:
        raise too_large()
    middle = len(items) // 2
    warnings.warn(
        f"a batch of {len(items)} does not fit in memory: tried again with {middle} at a time.",
        UserNotice,
        stacklevel=2,
    )
    return halved_to_fit(items[:middle], search) + halved_to_fit(items[middle:], search)
