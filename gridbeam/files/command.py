"""What `gridbeam translate` was asked for on the command line, carried out for a text, a file or a stream."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias, cast

from rich.console import Console

from gridbeam.constraints import Case, Constraint
from gridbeam.documents import SUFFIXES
from gridbeam.errors import UserError, UserNotice
from gridbeam.files import Instructions, Summary, check_places, journal_of, translate_file, translate_stream
from gridbeam.files.instructions import OnUnmet, Retranslate, read_glossary
from gridbeam.files.journal import digest_of_folder, refuse_old
from gridbeam.files.output import To, check_form
from gridbeam.files.single import translate_text
from gridbeam.glossary import Glossary
from gridbeam.models.load import folder_of
from gridbeam.placeholders import expressions
from gridbeam.translate import Translator
from gridbeam.writing import STDOUT, is_stream

Kind: TypeAlias = Literal["text", "file", "stream"]


@dataclass(frozen=True)
class Order:
    """What is to be translated, how, and where it goes."""

    text: str | None
    """A text; None for a file or lines from stdin."""
    path: Path | None
    """A file; None for a text or lines from stdin."""
    out: Path | None
    """Where the translation of a file goes; None for stdout."""
    constraints: tuple[Constraint, ...]
    glossary: Path | None
    case: Case
    """The case rule of terms that have none of their own."""
    sheet: str | None
    """The sheet of the glossary, where that is a workbook."""
    names: Path | None
    """A file of names that are not to be translated, one a line."""
    forms: Path | None
    """A text of the target language, for inflected forms of the glossary's targets."""
    lemmas: bool
    placeholders: tuple[str, ...]
    """Regular expressions for placeholders, besides those that are known."""
    format: str | None
    to: To | None
    on_unmet: OnUnmet
    retranslate: Retranslate
    report: Path | None
    resume: bool
    restart: bool
    model: str
    source: str | None
    target: str | None
    device: str | None
    beam: int
    batch_size: int
    n_best: int


def kind_of(argument: str | None, *, is_text: bool, has_output: bool) -> Kind:
    """What an argument is: a file if it names one, a stream if it is a hyphen or not there, else a text."""
    if is_text and argument is not None:
        return "text"
    if argument is None or argument == "-":
        if argument is None and sys.stdin.isatty():
            raise UserError("there is nothing to translate: give a text, a file, or lines on stdin.")
        return "stream"
    if os.path.isfile(argument):
        return "file"
    looks_like_one = os.path.splitext(argument)[1].lower() in SUFFIXES and not any(map(str.isspace, argument))
    if has_output or looks_like_one or os.path.exists(argument):
        raise UserError(
            f"{argument}: there is no such file. Check the path, or say with --text that it is a text to translate."
        )
    return "text"


def carry_out(order: Order, console: Console) -> Summary:
    """Does what was asked; what is wrong with the order is told before a model is loaded."""
    _check(order)
    translator = Translator.load(order.model, source=order.source, target=order.target, device=order.device)
    instructions = _instructions(order, translator)
    if order.text is not None:
        return translate_text(translator, order.text, sys.stdout.buffer, instructions, to=order.to)
    if order.path is None or order.out is None:
        return translate_stream(
            translator, _stdin(), sys.stdout.buffer, instructions, format=order.format or "text", to=order.to
        )
    return translate_file(
        translator,
        order.path,
        order.out,
        instructions,
        format=order.format,
        to=order.to,
        report=order.report,
        resume=order.resume,
        restart=order.restart,
        model=f"{order.model} {digest_of_folder(folder_of(order.model))}",
        console=console,
    )


def _check(order: Order) -> None:
    check_form(order.to)
    expressions(order.placeholders)
    if order.path is None:
        is_elsewhere = order.out is not None and order.out != STDOUT
        _refuse(
            {"-o": is_elsewhere, "--report": order.report, "--resume": order.resume, "--restart": order.restart}, _FOR_FILES
        )
    if order.text is not None:
        _refuse({"--format": order.format, "--retranslate": order.retranslate != "nothing"}, _FOR_FILES)
    if order.glossary is None:
        needless = {
            "--forms": order.forms,
            "--lemmas": order.lemmas,
            "--sheet": order.sheet,
            "--case": order.case != "sentence",
        }
        _refuse(needless, "is for the terms of a glossary: name one with --glossary, or leave it out.")
    if order.path is not None and order.out is None:
        raise UserError(
            f"{order.path} is a file: say with -o where its translation goes (- is stdout), or with --text that it is a text."
        )
    if order.n_best > 1 and order.to != "jsonl" and order.text is None:
        raise UserError(f"--n-best {order.n_best}: a file has room for one translation. Add --to jsonl for more.")
    if order.n_best > order.beam:
        raise UserError(f"--n-best {order.n_best}: a beam of {order.beam} holds no more. Raise --beam, or ask for fewer.")
    if order.resume and order.restart:
        raise UserError("--resume goes on and --restart begins anew: leave one of the two out.")
    if order.out is not None and is_stream(order.out):
        _refuse(
            {"--resume": order.resume, "--restart": order.restart},
            f"is for an output that is a file, which {order.out} is not.",
        )
    if order.path is not None and order.out is not None:
        read = {"--glossary": order.glossary, "--do-not-translate": order.names, "--forms": order.forms}
        check_places(order.path, order.out, order.report, read)
        if journal := journal_of(order.out):
            refuse_old(journal, resume=order.resume, restart=order.restart)


_FOR_FILES = "is for files: name one, or leave it out. A text, and lines from stdin, go to stdout."


def _refuse(options: Mapping[str, object], why: str) -> None:
    """Raises where one of these options is given, which would do nothing."""
    for name, given in options.items():
        if given:
            raise UserError(f"{name} {why}")


def _instructions(order: Order, translator: Translator) -> Instructions:
    glossary = read_glossary(
        order.glossary,
        names=order.names,
        forms=order.forms,
        source=translator.source,
        target=translator.target,
        case=order.case,
        sheet=order.sheet,
    )
    if order.lemmas:
        _tell_of_single_forms(glossary)
    return Instructions(
        glossary,
        order.lemmas,
        order.constraints,
        order.placeholders,
        order.on_unmet,
        order.retranslate,
        order.n_best,
        order.beam,
        order.batch_size,
    )


def _tell_of_single_forms(glossary: Glossary) -> None:
    """Tells of inflected terms that must be translated without being inflected."""
    if not any(entry.forms for entry in glossary.entries) and any(entry.targets for entry in glossary.entries):
        warnings.warn(
            "--lemmas finds terms in any form, and their targets have but one, which is said whatever the form: give others "
            "in a column forms, or name a text with --forms that has them.",
            UserNotice,
            stacklevel=2,
        )


def _stdin() -> BinaryIO:
    """Stdin in a file object of its own, since the interpreter ends by taking hold of the usual one, which may be waiting."""
    try:
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except (io.UnsupportedOperation, ValueError):
        return cast(BinaryIO, sys.stdin.buffer)
