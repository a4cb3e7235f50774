"""The manifest of a run: what it was begun with, and how its input was cut, once and for all.

Whoever comes later, with another scheduler or another number of workers, takes the cut that is
there. Of several who make one at the same time, as the tasks of an array do, the first wins.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from gridbeam.constraints.terms import Case
from gridbeam.documents import Languages
from gridbeam.documents.lines import LinePlace
from gridbeam.errors import UserError
from gridbeam.files.arguments import Arguments
from gridbeam.files.instructions import FailOn, OnUnmet
from gridbeam.files.journal import RunHeader
from gridbeam.files.output import To
from gridbeam.support.typed_values import made_of

_FORMAT = 1
_NEEDED = frozenset({"input", "source language", "target language"})
"""What a header says at least."""


@dataclass(frozen=True)
class Shard:
    """A stretch of the segments of a document, which costs about as much as any other."""

    number: int
    first: int
    """The number of its first segment."""
    end: int
    """The number after that of its last."""
    due: int
    """How many of them are to be translated."""
    cost: float
    """What that is thought to cost, in `gridbeam.distributed.plan.cost`."""
    place: LinePlace | None = None
    """Where it begins in a file of lines."""


@dataclass(frozen=True)
class Writing:
    """What it takes to write the output: all that was asked for that the parts do not hold."""

    input: str
    folder: str
    """The folder that the run was begun in, for paths that begin there."""
    format: str | None
    to: To | None
    glossary: tuple[str, ...]
    names: str | None
    forms: str | None
    case: Case
    sheet: str | None
    on_unmet: OnUnmet
    fail_on: FailOn
    review_below: float | None

    @classmethod
    def of(cls, given: Arguments) -> Writing:
        """What was asked for on the command line."""
        return cls(
            input=str(given.path),
            folder=os.getcwd(),
            format=given.format,
            to=given.to,
            glossary=tuple(map(str, given.glossary)),
            names=None if given.names is None else str(given.names),
            forms=None if given.forms is None else str(given.forms),
            case=given.case,
            sheet=given.sheet,
            on_unmet=given.on_unmet,
            fail_on=given.fail_on,
            review_below=given.review_below,
        )

    def path(self, name: str) -> Path:
        """A path as it was given, from the folder of today."""
        is_there = os.getcwd() == self.folder
        return Path(name) if is_there else Path(self.folder, name)


@dataclass(frozen=True)
class Manifest:
    """What a run was begun with, and its shards."""

    header: RunHeader
    writing: Writing
    bytes: int
    """The size of the input."""
    shards: tuple[Shard, ...]

    @property
    def id(self) -> str:
        """What tells the parts of this run from those of any other, and damage from what was."""
        shards = [asdict(each) for each in self.shards]
        kept = [dict(self.header), asdict(self.writing), self.bytes, shards]
        return sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def is_sound(self) -> bool:
        """Whether its shards can be those of a document: one after the other, without a gap."""
        firsts = [0, *(shard.end for shard in self.shards)]
        return {*self.header} >= _NEEDED and all(
            shard.number == number
            and shard.first == firsts[number] < shard.end
            and 0 <= shard.due <= shard.end - shard.first
            and (shard.place is None or min(astuple(shard.place)) >= 0)
            for number, shard in enumerate(self.shards)
        )

    @property
    def languages(self) -> Languages:
        """The languages that the run translates between."""
        source, target = self.header["source language"], self.header["target language"]
        return Languages(source or None, target or None)

    @property
    def due(self) -> int:
        """How many segments are to be translated."""
        return sum(shard.due for shard in self.shards)

    def chosen(self, index: int, count: int) -> list[Shard]:
        """The shards of the one with this number, from 1, of so many who share them."""
        return [each for each in self.shards if each.number % count == index - 1]


def manifest_in(folder: Path) -> Manifest | None:
    """The manifest of a folder; None where there is none yet."""
    path = folder / "manifest.json"
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}. Check the path.") from None
    try:
        values = json.loads(text)
        if values["format"] != _FORMAT:
            raise ValueError
        found = manifest_of(values)
        if found.id != values["id"]:
            raise ValueError
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise UserError(
            f"{path} is damaged, or of another version of gridbeam. Start anew with --restart, or"
            " choose another folder."
        ) from None
    return found


def published(manifest: Manifest, folder: Path) -> Manifest:
    """Writes a manifest, unless there is one already; what comes back is what is there."""
    path = folder / "manifest.json"
    try:
        handle, name = tempfile.mkstemp(dir=folder, prefix=".manifest.", suffix=".partial")
        with os.fdopen(handle, "wb") as file:
            file.write(_text(manifest).encode("utf8", "backslashreplace"))
            file.flush()
            os.fsync(file.fileno())
        _linked(Path(name), path)
    except OSError as error:
        raise UserError(
            f"{path} cannot be written: {error.strerror or error}. Choose a folder where you may"
            " write."
        ) from None
    found = manifest_in(folder)
    assert found is not None
    return found


def _linked(new: Path, path: Path) -> None:
    """Gives a file its name, unless another has it."""
    try:
        os.link(new, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        if not path.exists():
            new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def _text(manifest: Manifest) -> str:
    values = {
        "format": _FORMAT,
        "id": manifest.id,
        "header": dict(manifest.header),
        "writing": asdict(manifest.writing),
        "bytes": manifest.bytes,
        "shards": [asdict(each) for each in manifest.shards],
    }
    return json.dumps(values, ensure_ascii=False, indent=1)


def manifest_of(values: Mapping[str, Any]) -> Manifest:
    """The manifest of what JSON holds of it; an error where that is none."""
    writing = {**values["writing"], "glossary": tuple(values["writing"]["glossary"])}
    parts = {
        "header": values["header"],
        "writing": made_of(Writing, writing),
        "bytes": values["bytes"],
        "shards": tuple(map(_shard, values["shards"])),
    }
    found = made_of(Manifest, parts)
    if not found.is_sound:
        raise ValueError("these are no shards of a document")
    return found


def _shard(values: Mapping[str, Any]) -> Shard:
    place = None if values["place"] is None else made_of(LinePlace, values["place"])
    return made_of(Shard, {**values, "place": place})
