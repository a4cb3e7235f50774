"""Runs on disks that are full: small file systems in memory, or a limit where none may be mounted.

    PYTHONPATH=tests python tests/faults/disks.py                 # every run, a few sizes
    PYTHONPATH=tests python tests/faults/disks.py --sizes 40      # more

A run that finds no room must end with a message, and code 2; with room again it goes on, and its
result is that of a run that had room from the beginning.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import echo
import torch
from breaking import Broken, gone_on
from runs import RUNS, Run

from gridbeam.errors import UserError

_NEW_NAMESPACE = 0x00020000  # CLONE_NEWNS
_ROOMY = 256 << 20
_PAGE = 4096
"""What a file takes at least of a file system in memory."""
_TOLD = 2
"""What a command ends with that has told its user what is wrong."""
Trial: TypeAlias = Callable[[Run, Path, int, object], bool]
"""Whether a run was short of room with so many bytes; raises where something was lost."""


@dataclass(frozen=True)
class Telling:
    """A run whose `UserError`s end the process as a command's do."""

    run: Run

    def __call__(self, folder: Path, say: Callable[[str], None]) -> None:
        try:
            self.run.go(folder, say)
        except UserError as error:
            print(error, file=sys.stderr)
            raise SystemExit(_TOLD) from None


def may_mount() -> bool:
    """Whether this process may have file systems of its own, which nobody else sees."""
    if os.geteuid() != 0 or not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_NAMESPACE) != 0:
        return False
    private = subprocess.run(["mount", "--make-rprivate", "/"], check=False, capture_output=True)
    return private.returncode == 0


@contextmanager
def mounted(folder: Path, size: int) -> Iterator[None]:
    """Within it a folder is a file system of so many bytes."""
    _mount("-t", "tmpfs", "-o", f"size={size}", "none", str(folder))
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)


def on_a_small_disk(run: Run, folder: Path, size: int, expected: object) -> bool:
    """Tries a run on a file system of this size, which is made larger afterwards."""
    with mounted(folder, size):
        try:
            run.begin(folder)
        except (OSError, UserError):
            return False  # not even what is to be translated has room
        found = gone_on(Telling(run), folder)
        _mount("-o", f"remount,size={_ROOMY}", str(folder))
        return _looked_at(run, folder, found, expected)


def within_a_limit(run: Run, folder: Path, size: int, expected: object) -> bool:
    """Tries a run whose files may have so many bytes, and then any."""
    run.begin(folder)
    return _looked_at(run, folder, gone_on(Telling(run), folder, most=size), expected)


def _looked_at(run: Run, folder: Path, found: Broken, expected: object) -> bool:
    assert not found.is_killed, found
    assert found.code in (0, _TOLD) and "Traceback" not in found.messages, found.messages
    run.check(folder, found.said)
    if found.code:
        again = gone_on(Telling(run), folder)
        assert again.code == 0, again.messages
        run.check(folder, [*found.said, *again.said])
    assert run.result(folder) == expected
    return found.code == _TOLD


def sizes(largest: int, count: int) -> list[int]:
    """So many sizes up to what a run needs, in pages."""
    pages = largest // _PAGE
    return [max(1, pages * number // count) * _PAGE for number in range(1, count + 1)]


def undisturbed(run: Run, folder: Path) -> tuple[object, int]:
    """What comes of a run that has room, and how many bytes it has on the disk at its end."""
    folder.mkdir()
    run.begin(folder)
    gone_on(run.go, folder)
    files = [each for each in folder.rglob("*") if each.is_file() and not each.is_symlink()]
    return run.result(folder), sum(-(-each.stat().st_size // _PAGE) * _PAGE for each in files)


def filled(run: Run, ways: Sequence[Trial], count: int) -> tuple[int, int]:
    """How many disks were tried on a run, and how many of them were full."""
    full = tried = 0
    with TemporaryDirectory(prefix="disks-") as name:
        expected, largest = undisturbed(run, Path(name, "undisturbed"))
        for size in sizes(largest, count):
            for way in ways:
                tried += 1
                folder = Path(name, str(tried))
                folder.mkdir()
                full += way(run, folder, size, expected)
    return tried, full


def main(arguments: Sequence[str]) -> int:
    """Fills disks; an error where something was lost."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("runs", nargs="*")
    reader.add_argument("--sizes", type=int, default=3)
    given = reader.parse_args(arguments)
    torch.set_num_threads(1)  # a fork has no threads of its parent
    echo.translator()
    ways: list[Trial] = [on_a_small_disk, within_a_limit] if may_mount() else [within_a_limit]
    for run in RUNS:
        if not given.runs or run.name.startswith(tuple(given.runs)):
            tried, full = filled(run, ways, given.sizes)
            print(f"{run.name:28} {tried} tried, {full} disks were full", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
