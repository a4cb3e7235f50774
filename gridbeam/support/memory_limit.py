"""How much memory a process may take: what would be more fails there, and nothing else is killed.

On a CPU the limit is that of Linux on data (RLIMIT_DATA), which holds for the whole process; on a
GPU it is that of torch, and holds for tensors.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gridbeam.errors import UserError

_UNITS = {"MIB": 2**20, "GIB": 2**30, "MB": 10**6, "GB": 10**9}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(MiB|GiB|MB|GB)", re.IGNORECASE)
_STATUS = Path("/proc/self/status")


def bytes_of(size: str) -> int:
    """The bytes that a size says.

    >>> bytes_of("4GiB"), bytes_of("500 MB")
    (4294967296, 500000000)
    """
    found = _SIZE.fullmatch(size.strip())
    if found is None:
        raise UserError(
            f'--memory-limit "{size}" is no size: write a number with MiB, GiB, MB or GB, as 4GiB.'
        )
    return int(float(found[1]) * _UNITS[found[2].upper()])


@contextmanager
def bounded_memory(size: str | None, device: str | None = None) -> Iterator[None]:
    """Within it no more memory than this can be had, on the device that would be used."""
    if size is None:
        yield
        return
    most = bytes_of(size)
    with _bounded_gpu(most, device) if _is_gpu(device) else _bounded_process(most, size):
        yield


def _is_gpu(device: str | None) -> bool:
    import torch

    return torch.cuda.is_available() if device is None else device.startswith("cuda")


@contextmanager
def _bounded_gpu(most: int, device: str | None) -> Iterator[None]:
    import torch

    own = torch.device(device or "cuda")
    whole = torch.cuda.get_device_properties(own).total_memory
    torch.cuda.set_per_process_memory_fraction(min(1.0, most / whole), own)
    try:
        yield
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0, own)


@contextmanager
def _bounded_process(most: int, size: str) -> Iterator[None]:
    if sys.platform != "linux":
        raise UserError(
            "--memory-limit bounds memory on a GPU and on Linux only: leave it out, and lower"
            " --batch-size where memory is short."
        )
    import resource

    before, highest = resource.getrlimit(resource.RLIMIT_DATA)
    _refuse_too_little(most, size)
    bound = most if highest == resource.RLIM_INFINITY else min(most, highest)
    resource.setrlimit(resource.RLIMIT_DATA, (bound, highest))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, highest))


def _refuse_too_little(most: int, size: str) -> None:
    """Refuses what the process has already."""
    found = re.search(r"^VmData:\s+(\d+) kB$", _STATUS.read_text(), re.MULTILINE)
    taken = int(found[1]) * 1024 if found else 0
    if taken >= most:
        raise UserError(
            f"--memory-limit {size} is less than the {taken // 2**20} MiB that gridbeam has taken"
            " already: give it more."
        )
