"""The parts of a run joined in order, and written in the format of the input."""

from __future__ import annotations

from pathlib import Path

from gridbeam.distributed.attempts import Attempts, finished
from gridbeam.distributed.manifest import Manifest, Writing, manifest_in
from gridbeam.distributed.parts import Gathered, PartFiles, ShardPiece
from gridbeam.documents import Document
from gridbeam.documents.registry import format_of
from gridbeam.errors import UserError
from gridbeam.files.instructions import Instructions, read_glossary
from gridbeam.files.output import write_output
from gridbeam.files.report import checks_of, report_on, write_report
from gridbeam.files.summary import Summary, summary_of
from gridbeam.support.signature import digest

_SHOWN = 10
"""How many missing shards are named."""


def gather(folder: Path, *, report: Path | None = None) -> Summary:
    """Writes the output of a run whose shards are all done; its name is that of the input."""
    manifest = manifest_in(folder)
    if manifest is None:
        raise UserError(
            f"{folder} has no manifest.json. Name the folder that gridbeam translate --engine, or"
            " --shard, was given with -o."
        )
    return gathered(folder, manifest, manifest.writing, report)


def gathered(folder: Path, manifest: Manifest, writing: Writing, report: Path | None) -> Summary:
    """Writes the output of a run in this way."""
    parts = PartFiles(folder, manifest.id)
    _refuse_missing(folder, manifest, parts)
    path = writing.path(writing.input)
    document = format_of(path, writing.format).open(path, manifest.languages)
    _refuse_changed(document, manifest)
    instructions = _instructions(manifest, writing)
    outcomes = Gathered(parts, manifest, terms=len(instructions.glossary.entries))
    out = output_of(folder, path, writing.to)
    note = write_output(document, outcomes, out, writing.to, instructions)
    if report is not None:
        checks = checks_of(document, outcomes)
        made = report_on(writing.input, outcomes.values(), instructions.glossary, checks)
        write_report(made, report)
    return summary_of(Path(writing.input), outcomes.values(), instructions, note)


def output_of(folder: Path, path: Path, to: str | None) -> Path:
    """The file in a folder that the translation of an input goes to.

    >>> print(output_of(Path("out"), Path("texts/big.po"), "jsonl"))
    out/big.jsonl
    """
    suffix = {None: path.suffix, "text": ".txt", "jsonl": ".jsonl"}[to]
    return folder / path.with_suffix(suffix).name


def is_whole(piece: ShardPiece, parts: PartFiles, attempts: Attempts) -> bool:
    """Whether a shard is done; one that was done in pieces is joined."""
    found = finished(piece, parts, attempts)
    if found is None:
        return False
    if found != [piece]:
        parts.join(piece, found)
        attempts.forget_all(piece)
    return True


def _refuse_missing(folder: Path, manifest: Manifest, parts: PartFiles) -> None:
    attempts = Attempts(folder)
    missing = [
        each.number
        for each in manifest.shards
        if not is_whole(ShardPiece.whole(each), parts, attempts)
    ]
    if missing:
        shown = ", ".join(map(str, missing[:_SHOWN])) + (", ..." if len(missing) > _SHOWN else "")
        raise UserError(
            f"{folder}: {len(missing):,} of {len(manifest.shards):,} shards are not done yet:"
            f" {shown}. The command that the run was begun with does them."
        )


def _refuse_changed(document: Document, manifest: Manifest) -> None:
    if digest(document.path) != manifest.header["input"]:
        raise UserError(
            f"{document.path} has changed since the run was begun. Bring it back as it was, or"
            " begin anew with --restart."
        )


def _instructions(manifest: Manifest, writing: Writing) -> Instructions:
    glossary = read_glossary(
        tuple(map(writing.path, writing.glossary)) or None,
        names=None if writing.names is None else writing.path(writing.names),
        forms=None if writing.forms is None else writing.path(writing.forms),
        source=manifest.languages.source,
        target=manifest.languages.target,
        case=writing.case,
        sheet=writing.sheet,
    )
    return Instructions(
        glossary=glossary,
        on_unmet=writing.on_unmet,
        fail_on=writing.fail_on,
        review_below=writing.review_below,
    )
