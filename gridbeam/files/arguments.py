"""What `gridbeam translate` is asked for on the command line, and whether that can be done."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from gridbeam.constraints.terms import Case, Constraint
from gridbeam.decoding.options import SearchOptions
from gridbeam.documents.registry import by_suffix, format_of
from gridbeam.errors import UserError
from gridbeam.files.instructions import FailOn, Instructions, OnUnmet, Retranslate
from gridbeam.files.journal import refuse_old
from gridbeam.files.output import To, check_form, check_output
from gridbeam.files.run import check_places, journal_of
from gridbeam.glossary.entries import Glossary
from gridbeam.markup.accelerators import AcceleratorRule
from gridbeam.markup.numbers import NumberRule
from gridbeam.support.output_files import STDOUT, is_stream

Kind: TypeAlias = Literal["text", "file", "stream"]
_FOR_FILES = "is for files: name one, or leave it out. A text, and lines from stdin, go to stdout."


@dataclass(frozen=True)
class Arguments:
    """What is to be translated, how, and where it goes."""

    text: str | None
    """A text; None for a file or lines from stdin."""
    path: Path | None
    """A file; None for a text or lines from stdin."""
    out: Path | None
    """Where the translation of a file goes; None for stdout."""
    constraints: tuple[Constraint, ...]
    glossary: tuple[Path, ...]
    """Files of terms, of which later ones win."""
    case: Case
    """The case rule of terms that have none of their own."""
    sheet: str | None
    """The sheet of the glossary, where that is a workbook."""
    names: Path | None
    """A file of names that are not to be translated, one a line."""
    forms: Path | None
    """A text of the target language, for inflected forms of the glossary's targets."""
    lemmas: bool
    every_time: bool
    placeholders: tuple[str, ...]
    """Regular expressions for placeholders, besides those that are known."""
    accelerators: AcceleratorRule
    format: str | None
    to: To | None
    numbers: NumberRule
    on_unmet: OnUnmet
    retranslate: Retranslate
    fail_on: FailOn
    review_below: float | None
    report: Path | None
    resume: bool
    restart: bool
    model: str
    source: str | None
    target: str | None
    device: str | None
    told: bool
    """Whether a model that can be told its terms is told them."""
    search: SearchOptions
    batch_size: int

    def instructions(self, glossary: Glossary) -> Instructions:
        """How segments are to be translated, with the terms of this glossary."""
        return Instructions(
            glossary=glossary,
            lemmas=self.lemmas,
            every_time=self.every_time,
            everywhere=self.constraints,
            placeholders=self.placeholders,
            accelerators=self.accelerators,
            numbers=self.numbers,
            on_unmet=self.on_unmet,
            retranslate=self.retranslate,
            fail_on=self.fail_on,
            review_below=self.review_below,
            search=self.search,
            batch_size=self.batch_size,
        )


def kind_of(argument: str | None, *, is_text: bool, has_output: bool) -> Kind:
    """What an argument is: a file if it names one, a stream if it is - or absent, else a text."""
    if is_text and argument is not None:
        return "text"
    if argument is None or argument == "-":
        if argument is None and sys.stdin.isatty():
            raise UserError(
                "there is nothing to translate: give a text, a file, or lines on stdin."
            )
        return "stream"
    if os.path.isfile(argument):
        return "file"
    has_suffix = by_suffix(os.path.splitext(argument)[1]) is not None
    looks_like_one = has_suffix and not any(map(str.isspace, argument))
    if has_output or looks_like_one or os.path.exists(argument):
        raise UserError(
            f"{argument}: there is no such file. Check the path, or say with --text that it is a"
            " text to translate."
        )
    return "text"


def check(given: Arguments) -> None:
    """Refuses what cannot be done, and options that would do nothing, before any work begins."""
    check_form(given.to)
    given.instructions(Glossary(()))
    if given.search.n_best > 1 and given.to != "jsonl" and given.text is None:
        raise UserError(
            f"--n-best {given.search.n_best}: a file has room for one translation. Add --to jsonl"
            " for more."
        )
    if not given.glossary:
        for_terms = {
            "--forms": given.forms,
            "--lemmas": given.lemmas,
            "--every-time": given.every_time,
            "--sheet": given.sheet,
            "--case": given.case != "sentence",
        }
        _refuse(
            for_terms, "is for the terms of a glossary: name one with --glossary, or leave it out."
        )
    if given.text is not None:
        _refuse(
            {"--format": given.format, "--retranslate": given.retranslate != "nothing"}, _FOR_FILES
        )
    if given.path is None and given.to != "jsonl":
        is_set = given.review_below is not None
        _refuse({"--review-below": is_set}, "is for files, or goes with --json: add it.")
    if given.path is None:
        is_elsewhere = given.out is not None and given.out != STDOUT
        _refuse({"-o": is_elsewhere, "--report": given.report} | _going_on(given), _FOR_FILES)
    else:
        _check_file(given, given.path)


def _check_file(given: Arguments, path: Path) -> None:
    if given.out is None:
        raise UserError(
            f"{path} is a file: say with -o where its translation goes (- is stdout), or with"
            " --text that it is a text."
        )
    if given.resume and given.restart:
        raise UserError("--resume goes on and --restart begins anew: leave one of the two out.")
    if is_stream(given.out):
        _refuse(_going_on(given), f"is for an output that is a file, which {given.out} is not.")
    terms = {"--glossary": given.glossary, "--do-not-translate": given.names}
    check_places(path, given.out, given.report, {**terms, "--forms": given.forms})
    check_output(path, format_of(path, given.format), given.out, given.to)
    if journal := journal_of(given.out):
        refuse_old(journal, resume=given.resume, restart=given.restart)


def _going_on(given: Arguments) -> dict[str, object]:
    return {"--resume": given.resume, "--restart": given.restart}


def _refuse(options: Mapping[str, object], why: str) -> None:
    """Raises where one of these options is given."""
    for name, value in options.items():
        if value:
            raise UserError(f"{name} {why}")
