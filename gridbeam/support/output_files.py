"""Files and folders that are there whole or not at all: all that the package writes goes here.

A kill or a full disk leaves what was there before. Files that grow by lines are in `line_files`.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

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
def replacing(path: Path, remedy: str = "Choose another file.") -> Iterator[BinaryIO]:
    """A file to write beside `path` that replaces it if all goes well, and else leaves no trace.

    Where that fails, a UserError says why, and the `remedy`. A link stays, and what it leads to is
    replaced. What is written to a stream, which cannot be replaced, goes there.
    """
    with _told(path, remedy):
        if is_stream(path):
            with _stdout() if path in _STDOUT else path.open("wb") as out:
                yield out
            return
        with _beside(path) as name, name.open("wb") as file:
            yield file


@contextmanager
def replacing_path(path: Path, remedy: str = "Choose another file.") -> Iterator[Path]:
    """What `replacing` gives, for a library that wants the path of a file and opens it itself."""
    with _told(path, remedy), _beside(path) as name:
        yield name


def write_text(path: Path, text: str, remedy: str = "Choose another file.") -> None:
    """Writes a text in UTF-8, whole or not at all; half a character of UTF-16 as its escape."""
    with replacing(path, remedy) as file:
        file.write(text.encode("utf8", "backslashreplace"))


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """A new folder to write to, which takes the place of `folder` once it is complete.

    A kill at any moment leaves one of the two; `recover` makes sure of it afterwards.
    """
    new, old = folder.with_name(folder.name + ".new"), _old(folder)
    try:
        recover(folder)
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        yield new
        for file in new.rglob("*"):
            if file.is_file():
                _sync(file)
        shutil.rmtree(old, ignore_errors=True)
        if folder.exists():
            folder.rename(old)
        new.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        recover(folder)
        raise


def recover(folder: Path) -> None:
    """Brings back what was in `folder` when a kill came between the two renames."""
    if _old(folder).exists() and not folder.exists():
        _old(folder).rename(folder)


def _old(folder: Path) -> Path:
    return folder.with_name(folder.name + ".old")


@contextmanager
def _told(path: Path, remedy: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # its reader has had enough
        raise
    except OSError as error:
        why = error.strerror or error
        raise UserError(f"{path} cannot be written: {why}. {remedy}") from None


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """An empty file beside `path`, which takes its place and permissions in the end."""
    path = path.resolve()
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    handle, made = tempfile.mkstemp(
        dir=path.parent, prefix=f".{path.name[:100]}.", suffix=".partial"
    )
    os.close(handle)
    new = Path(made)
    try:
        yield new
        _sync(new)
        new.chmod(stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask())
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def _sync(path: Path) -> None:
    """Waits until what was written to a file is on the disk."""
    with path.open("r+b") as file:
        os.fsync(file.fileno())


@contextmanager
def _stdout() -> Iterator[BinaryIO]:
    sys.stdout.flush()
    yield cast(BinaryIO, sys.stdout.buffer)
    sys.stdout.buffer.flush()


def claim(file: BinaryIO, path: Path) -> bool:
    """Raises where another run has claimed this file.

    From here until it is closed, or the process ends, it is claimed; False where there are no
    locks, so that nobody can know.
    """
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise UserError(
            f"{path} is being written by another run. Wait until it has ended, or choose another"
            " file."
        ) from None
    except OSError:  # a file system without locks
        return False
    return True


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


PathsRead: TypeAlias = Mapping[str, Path | Sequence[Path] | None]
"""Files that a command reads, by what a user calls them: one, several or none of a name."""


def refuse_overwriting(outputs: Mapping[str, Path | None], inputs: PathsRead) -> None:
    """Raises where an output is the same file as an input or an earlier output.

    Other names and links do not hide it. Paths are given by what a user calls them. Pipes and
    terminals lose nothing by being written to.
    """
    taken = [(name, path) for name, given in inputs.items() for path in _several(given)]
    for name, path in outputs.items():
        if path is None or is_stream(path):
            continue
        for other, before in taken:
            if _are_one_file(path, before):
                raise UserError(
                    f"{name} {path} is the same file as {other} {before}, which would be"
                    " overwritten. Choose another file."
                )
        taken.append((name, path))


def _several(given: Path | Sequence[Path] | None) -> Sequence[Path]:
    if given is None:
        return ()
    return (given,) if isinstance(given, Path) else given


def _are_one_file(one: Path, other: Path) -> bool:
    if os.path.exists(one) and os.path.exists(other):
        return os.path.isfile(one) and os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
