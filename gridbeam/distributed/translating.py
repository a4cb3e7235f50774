"""What a worker does that translates: a model that is loaded once, and pieces that are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path

from gridbeam.distributed.attempts import Attempts
from gridbeam.distributed.parts import PartFiles, ShardPiece
from gridbeam.distributed.reading import PieceReader
from gridbeam.documents import Languages, Segment
from gridbeam.errors import UserError
from gridbeam.files.arguments import Arguments
from gridbeam.files.command import instructions_for, translator_for
from gridbeam.files.instructions import Instructions
from gridbeam.files.journal import RunHeader
from gridbeam.files.outcome import Outcome
from gridbeam.files.run import run_header
from gridbeam.files.segments import SegmentTranslator
from gridbeam.models.load import folder_of
from gridbeam.support.signature import digest
from gridbeam.translation.translator import Translates


@dataclass(frozen=True)
class TranslationJob:
    """What is to be translated, how, and to which folder: all that a worker is told at first."""

    given: Arguments
    """As `gridbeam translate` is given it; `out` is the folder."""
    load: Callable[[Arguments], Translates] = translator_for

    @property
    def path(self) -> Path:
        """The input."""
        assert self.given.path is not None
        return self.given.path

    @property
    def folder(self) -> Path:
        """Where everything goes."""
        assert self.given.out is not None
        return self.given.out

    def instructions(self, languages: Languages) -> Instructions:
        """How to translate."""
        return instructions_for(self.given, languages.source, languages.target)

    def header(self, format: str, languages: Languages, *, input: str) -> RunHeader:
        """All that the output depends on, which must be the same for all who work on it."""
        return {
            **run_header(
                format,
                self.instructions(languages),
                languages,
                input=input,
                model=f"{self.given.model} {digest_of_contents(folder_of(self.given.model))}",
                is_told=self.given.told,
            ),
            "--source": self.given.source or "",
            "--target": self.given.target or "",
        }


@dataclass(frozen=True)
class Greeting:
    """What a worker says that has loaded its model."""

    languages: Languages
    header: RunHeader
    """As the worker has it, without the digest of the input, which is read but once."""


@dataclass(frozen=True)
class Order:
    """A piece of a run to be translated."""

    run: str
    piece: ShardPiece


class TranslatingHand:
    """Translates pieces and writes what came of them."""

    def __init__(self, job: TranslationJob) -> None:
        translator = job.load(job.given)
        languages = Languages(translator.source, translator.target)
        self._folder = job.folder
        self._instructions = job.instructions(languages)
        self._segments = SegmentTranslator(translator, self._instructions)
        self._reader = PieceReader(job.path, job.given.format, languages)
        header = job.header(self._reader.document.format, languages, input="")
        self.greeting = Greeting(languages, header)

    def __call__(self, order: Order) -> int:
        """How many segments of a piece are done, once that is on disk."""
        piece = order.piece
        parts, attempts = PartFiles(self._folder, order.run), Attempts(self._folder)
        attempts.begin(piece)
        segments = self._reader.segments(piece)
        due = [each for each in segments if self._instructions.is_due(each)]
        found = sorted(self._outcomes(due), key=lambda outcome: outcome.number)
        parts.write(piece, found)
        attempts.forget(piece)
        return len(found)

    def _outcomes(self, due: Sequence[Segment]) -> Iterator[Outcome]:
        waiting = iter(due)
        while window := list(islice(waiting, self._segments.window)):
            for _, outcome in self._segments.outcomes(window):
                yield outcome


def digest_of_contents(folder: Path) -> str:
    """A digest of all files in a folder by their names and contents: the same on any machine.

    Empty where there is none.
    """
    if not folder.is_dir():
        return ""
    files = sorted(each for each in folder.iterdir() if each.is_file())
    found = [(each.name, digest(each)) for each in files]
    return sha256(repr(found).encode()).hexdigest()[:16]


def refuse_differing(greeting: Greeting, header: RunHeader) -> None:
    """Raises where a worker has not what the run was begun with: another model, or glossary."""
    expected = {**header, "input": ""}
    names = [name for name, value in expected.items() if greeting.header.get(name) != value]
    if names:
        raise UserError(
            f"a worker has another {' and another '.join(names)} than the run. Put the same on all"
            " machines, or on a disk that they share; the same command goes on."
        )


def set_aside(segment: Segment, tries: int, why: str) -> Outcome:
    """The outcome of a segment that no worker has survived."""
    times = f"{tries} times" if tries > 1 else "once"
    return Outcome(
        segment.number,
        segment.name,
        segment.line,
        unmet=f"set aside, as no worker could translate it, tried {times}: {why}",
    )
