"""A document whose translations are spliced into its bytes, so that nothing else can change."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

from gridbeam.documents.segment import Segment
from gridbeam.errors import UserError
from gridbeam.markup.inline import Marked, as_marked
from gridbeam.support.output_files import replacing

Edit: TypeAlias = tuple[int, int, bytes]
"""Bytes to put in place of those from an offset up to another."""
Translations: TypeAlias = Mapping[int, Marked | str] | Iterable[Marked | str | None]
"""By the number of the segment, or one for each segment in order; None leaves a segment as it
is."""
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Unit:
    """Segments that are written together."""

    segments: tuple[Segment, ...]
    edits: Callable[[Sequence[Marked | None]], list[Edit]]
    """What their translations change, in the order of the file; asked when there is at least one,
    or no segment at all."""
    settled: Callable[[Sequence[Marked | None]], list[Edit]] | None = None
    """The same where nobody need look at the translations, for a format that can tell."""


@dataclass(frozen=True)
class Spliced:
    """A document that is read in units, anew each time it is asked, and written by splicing."""

    path: Path
    format: str
    units: Callable[[], Iterator[Unit]]
    original: Callable[[], BinaryIO]
    """Opens the bytes that the edits refer to."""
    stamp: tuple[int, int, int]
    """Which file it was when it was opened."""
    encoded: Callable[[bytes], bytes] = bytes
    """From those bytes to the ones of the file."""

    def segments(self) -> Iterator[Segment]:
        """The segments in the order of the file, those that must not be translated among them."""
        self._check_unchanged()
        for unit in self.units():
            yield from unit.segments

    def write(
        self, path: str | Path, translations: Translations, settled: Container[int] = ()
    ) -> str | None:
        """Writes the document with these translations to a file, replaced in one step."""
        with replaced(Path(path)) as out, self.original() as original:
            done = 0
            for start, end, new in self.edits(translations, settled):
                self._copy(original, out, done, start)
                out.write(self.encoded(new))
                done = end
            self._copy(original, out, done, None)
        return None

    def edits(self, translations: Translations, settled: Container[int] = ()) -> Iterator[Edit]:
        """What these translations change, in the order of the file.

        Those of the `settled` segments are marked as good, where the format can tell: where all new
        ones of a unit are.
        """
        self._check_unchanged()
        chosen = _chosen(translations)
        for unit in self.units():
            texts = [chosen(segment) for segment in unit.segments]
            if not unit.segments or any(text is not None for text in texts):
                is_settled = unit.settled is not None and all(
                    segment.number in settled
                    for segment, text in zip(unit.segments, texts, strict=True)
                    if text is not None
                )
                yield from (unit.settled if unit.settled and is_settled else unit.edits)(texts)
        chosen(None)

    def _copy(self, original: BinaryIO, out: BinaryIO, start: int, end: int | None) -> None:
        original.seek(start)
        if (
            self.encoded is not bytes
        ):  # characters must stay whole: these bytes are in memory anyhow
            out.write(self.encoded(original.read(-1 if end is None else end - start)))
        elif end is None:
            shutil.copyfileobj(original, out, _CHUNK)
        else:
            while start < end:
                part = original.read(min(_CHUNK, end - start))
                out.write(part)
                start += len(part)

    def _check_unchanged(self) -> None:
        if stamp(self.path) != self.stamp:
            raise UserError(
                f"{self.path} has changed since it was opened. Open it again, and translate what is"
                " new."
            )


def stamp(path: Path) -> tuple[int, int, int]:
    """What tells one state of a file from another."""
    try:
        found = path.stat()
    except OSError as error:
        raise unreadable(path, error) from None
    return found.st_ino, found.st_size, found.st_mtime_ns


def unreadable(path: Path, error: OSError) -> UserError:
    """The error of a file that cannot be read."""
    return UserError(f"{path} cannot be read: {error.strerror or error}. Check the path.")


def opened(path: Path) -> BinaryIO:
    """A file to read, as bytes."""
    try:
        return path.open("rb")
    except OSError as error:
        raise unreadable(path, error) from None


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """A file to write that replaces `path` if all goes well, and leaves no trace if not."""
    remedy = "Make room or get leave to write there, or write elsewhere."
    with replacing(path, remedy) as out:
        yield out


def _chosen(translations: Translations) -> Callable[[Segment | None], Marked | None]:
    """The translation of each segment asked for in order.

    Asked for None, it checks that there are no more.
    """
    if isinstance(translations, str):
        raise TypeError(
            "translations is one text: give one for each segment, or a mapping by their numbers"
        )
    waiting = None if isinstance(translations, Mapping) else iter(translations)

    def chosen(segment: Segment | None) -> Marked | None:
        if segment is None:
            if waiting is not None and next(waiting, None) is not None:
                raise ValueError(
                    "there are more translations than segments: give one for each, None where there"
                    " is none"
                )
            return None
        if waiting is None:
            found = cast(Mapping[int, Marked | str], translations).get(segment.number)
        else:
            try:
                found = next(waiting)
            except StopIteration:
                raise ValueError(
                    f"{segment.where}: translations have ended, segments go on. Give one for each."
                ) from None
        if found is not None and segment.status == "locked":
            raise ValueError(
                f"{segment.where}: {segment.name} must not be changed, and a translation is given"
            )
        return None if found is None else as_marked(found)

    return chosen
