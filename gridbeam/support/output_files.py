"""Files that are there whole or not at all: a kill or a full disk leaves what was there before.

Also files that one run claims for itself alone.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from gridbeam.errors import UserError

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]


STDOUT = Path("-")
"""What a user calls stdout."""
_STDOUT = (STDOUT, Path("/dev/stdout"), Path("/dev/fd/1"))


def is_stream(path: Path) -> bool:
    """Whether what is written goes on to somebody: stdout (also called -), a pipe or a device."""
    return path in _STDOUT or (path.exists() and not path.is_file() and not path.is_dir())


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write beside `path` that replaces it if all goes well, and else leaves no trace.

    A link stays, and what it leads to is replaced. What is written to a stream, which cannot be
    replaced, goes there.
    """
    if is_stream(path):
        with _stdout() if path in _STDOUT else path.open("wb") as out:
            yield out
        return
    path = path.resolve()
    if path.is_dir():
        raise IsADirectoryError(21, "it is a folder", str(path))
    handle, name = tempfile.mkstemp(
        dir=path.parent, prefix=f".{path.name[:100]}.", suffix=".partial"
    )
    try:
        with os.fdopen(handle, "wb") as file:
            yield cast(BinaryIO, file)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def _stdout() -> Iterator[BinaryIO]:
    sys.stdout.flush()
    yield cast(BinaryIO, sys.stdout.buffer)
    sys.stdout.buffer.flush()


def claim(file: BinaryIO, path: Path) -> None:
    """Raises where another run has claimed this file.

    From here until it is closed, or the process ends, it is claimed.
    """
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise UserError(
            f"{path} is being written by another run. Wait until it has ended, or choose another"
            " file."
        ) from None
    except OSError:  # a file system without locks
        return


def check_place(path: Path) -> None:
    """Raises where a file cannot be written, as far as can be told beforehand."""
    if is_stream(path):
        return
    if not path.parent.is_dir():
        raise UserError(
            f"{path} cannot be written: there is no folder {path.parent}. Make it first."
        )
    if path.is_dir():
        raise UserError(f"{path} cannot be written: it is a folder. Name a file in it.")


def refuse_overwriting(
    outputs: Mapping[str, Path | None], inputs: Mapping[str, Path | None]
) -> None:
    """Raises where an output is the same file as an input or an earlier output.

    Other names and links do not hide it. Paths are given by what a user calls them. Pipes and
    terminals lose nothing by being written to.
    """
    taken = {name: path for name, path in inputs.items() if path is not None}
    for name, path in outputs.items():
        if path is None or is_stream(path):
            continue
        for other, before in taken.items():
            if _are_one_file(path, before):
                raise UserError(
                    f"{name} {path} is the same file as {other} {before}, which would be"
                    " overwritten. Choose another file."
                )
        taken[name] = path


def _are_one_file(one: Path, other: Path) -> bool:
    if os.path.exists(one) and os.path.exists(other):
        return os.path.isfile(one) and os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
