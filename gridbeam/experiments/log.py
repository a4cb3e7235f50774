"""The log of an experiment: JSON Lines to resume an interrupted run from, and for reports.

The first line is the header: what the run was begun with, as any JSON value. Whoever goes on must
have the same. After it comes a line for each record, written at once; one that was cut off counts
as not written, and so does one that was damaged since, which its checksum tells: that record is
made again. Every record has a `key` of its own, by which the run knows what is done, and a
`kind`: a "summary" is what reports show, anything else is what it was made of.

    begun = header("terminology", model=..., options={...}, data=[source, reference])
    with Log(Path("run.jsonl"), begun) as log:
        if "gbs/17" not in log:
            log.add({"key": "gbs/17", "kind": "sentence", "text": ...})
    log["gbs/17"]["text"], log.records("sentence"), log.signatures
    run = read(Path("run.jsonl"))    # the same to look at: header, signatures, records
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gridbeam.decoding.options import SearchOptions
from gridbeam.errors import UserError
from gridbeam.models.load import digest_of_weights
from gridbeam.support.line_files import (
    LineFile,
    has_seal,
    sealed,
    unsealed,
    warn_of_damage,
)
from gridbeam.support.output_files import write_text
from gridbeam.support.signature import digest, signature

Record = Mapping[str, Any]
SUMMARY = "summary"


def header(
    experiment: str,
    *,
    model: str,
    data: Sequence[Path],
    search: SearchOptions,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """What a run is begun with: experiment, model and weights, digests of the data, all options.

    Those of the search are among them, whichever there are, so that no run mixes two settings.
    """
    return {
        "experiment": experiment,
        "model": model,
        "weights": digest_of_weights(model),
        "data": [[path.name, digest(path)] for path in data],
        "options": {**options, **search.as_values()},
    }


@dataclass(frozen=True)
class Run:
    """What a log says."""

    path: Path
    header: Record
    signatures: tuple[str, ...]
    """Versions, commit and machine of the run; more than one where it was gone on with
    elsewhere."""
    all: Mapping[str, Record]
    """Every record by its key, in the order of writing."""

    def records(self, kind: str) -> list[Record]:
        """The records of this kind, in the order of writing."""
        return _of_kind(self.all, kind)

    @property
    def experiment(self) -> str:
        """Which experiment this is a run of."""
        return str(self.header["experiment"])


class Log(Mapping[str, Record]):
    """The log of a run in progress: what is done so far, and a place for more.

    It belongs to this run alone until it ends.
    """

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self.path = path
        self._records: dict[str, Record] = {}
        self.signatures = [signature()]
        self._lines = LineFile(path)
        try:
            self._begin(header)
        except UserError:
            self.close()
            raise

    def _begin(self, header: Mapping[str, Any]) -> None:
        """Reads what there is, and writes down who goes on with it."""
        (here,) = self.signatures
        if not self._lines.end:
            self._write({"header": dict(header), "signature": here})
            return
        run = read(self.path)
        _refuse_another(self.path, run.header, json.loads(json.dumps(header)))
        self._records, self.signatures = dict(run.all), list(run.signatures)
        if here not in self.signatures:
            self.signatures.append(here)
            self._write({"signature": here})

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the writing; what is there can be read on."""
        self._lines.close()

    def __contains__(self, key: object) -> bool:
        return key in self._records

    def __getitem__(self, key: str) -> Record:
        return self._records[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def records(self, kind: str) -> list[Record]:
        """The records of this kind, in the order of writing."""
        return _of_kind(self._records, kind)

    def add(self, record: Record) -> None:
        """Takes down a record with a new `key`, and a `kind`."""
        if record["key"] in self._records or not isinstance(record["kind"], str):
            raise ValueError(f"{record['key']} is there already, or has no kind")
        self._write(record)
        self._records[record["key"]] = record

    def _write(self, value: Record) -> None:
        self._lines.add(sealed(json.dumps(value, ensure_ascii=False)))


def read(path: Path) -> Run:
    """The log of a run, finished or not; a notice names damaged lines, whose records are left out.

    A log whose first line has no checksum is of a version that wrote none, or a summary.
    """
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror}. Name the log of an experiment."
        ) from None
    must_be_sealed = bool(lines) and has_seal(lines[0])
    values, damaged = [], []
    for number, line in enumerate(lines, 1):
        content = unsealed(line) if must_be_sealed or has_seal(line) else line
        if content is not None:
            values.append(_value(path, number, content))
        else:
            damaged.append(number)
    if not values or "header" not in values[0] or 1 in damaged:
        raise UserError(
            f"{path} line 1: this is no log of an experiment. Name the file that -o wrote."
        )
    if damaged:
        warn_of_damage(path, damaged, "What stood there is done again when the run goes on.")
    signatures = [value["signature"] for value in values if "signature" in value]
    return Run(
        path,
        values[0]["header"],
        tuple(signatures),
        {value["key"]: value for value in values if "key" in value},
    )


def save_summary(run: Run, path: Path) -> None:
    """Writes the header, signatures and summaries of a run: all that a report needs."""
    first = {"header": run.header, "signature": run.signatures[0]}
    lines = [first, *({"signature": each} for each in run.signatures[1:]), *run.records(SUMMARY)]
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    write_text(path, text, "Choose another folder.")


def _of_kind(records: Mapping[str, Record], kind: str) -> list[Record]:
    return [record for record in records.values() if record["kind"] == kind]


def _value(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not _is_entry(found):
        raise UserError(
            f"{path} line {number}: this is no line of an experiment's log. Name the file that -o"
            " wrote."
        )
    return found


def _is_entry(value: dict[str, Any]) -> bool:
    """Whether it is what a log begins with, who goes on with it, or a record."""
    names = {name for name in ("signature", "key", "kind") if name in value}
    is_one = "signature" in names or {"key", "kind"} <= names
    if not is_one or not all(isinstance(value[name], str) for name in names):
        return False
    begun = value.get("header", {"experiment": ""})
    is_whole = isinstance(begun, dict) and isinstance(begun.get("options", {}), dict)
    return is_whole and isinstance(begun.get("experiment"), str)


def _refuse_another(path: Path, begun: Record, wanted: Record) -> None:
    other = [name for name in _unlike(begun, wanted) if name != "options"]
    before, now = begun.get("options", {}), wanted.get("options", {})
    other += [
        f"option {name} ({before.get(name)}, not {now.get(name)})" for name in _unlike(before, now)
    ]
    if other:
        raise UserError(
            f"{path} was begun with another {' and another '.join(other)}. "
            "Run what it was begun with, or give a new file with --out."
        )


def _unlike(one: Record, other: Record) -> list[str]:
    """The names under which two records have something else."""
    return [name for name in dict.fromkeys([*one, *other]) if one.get(name) != other.get(name)]
