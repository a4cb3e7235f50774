"""What `gridbeam translate` was asked for on the command line, carried out for files and streams."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias, cast

from rich.console import Console

from gridbeam.constraints import Constraint
from gridbeam.documents import SUFFIXES
from gridbeam.errors import UserError
from gridbeam.files import Instructions, Summary, check_places, journal_of, translate_file, translate_stream
from gridbeam.files.instructions import OnUnmet, Retranslate, read_glossary
from gridbeam.files.journal import digest_of_folder, refuse_old
from gridbeam.files.output import To
from gridbeam.files.task import wishes_of
from gridbeam.matching import Matcher, refuse_contradictions
from gridbeam.models.load import folder_of
from gridbeam.translate import Request, Translation, Translator

Kind: TypeAlias = Literal["text", "file", "stream"]


@dataclass(frozen=True)
class Order:
    """What is to be translated, how, and where it goes."""

    path: Path | None
    """A file; None for lines from stdin to stdout."""
    out: Path | None
    constraints: tuple[Constraint, ...]
    glossary: Path | None
    names: Path | None
    """A file of names that are not to be translated, one a line."""
    forms: Path | None
    """A text of the target language, for inflected forms of the glossary's targets."""
    lemmas: bool
    format: str | None
    to: To | None
    on_unmet: OnUnmet
    retranslate: Retranslate
    report: Path | None
    resume: bool
    restart: bool
    model: str
    target: str | None
    device: str | None
    beam: int
    batch_size: int
    n_best: int

    @property
    def has_terms(self) -> bool:
        """Whether there are any terms or names to look for."""
        return self.glossary is not None or self.names is not None


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


def translate_text(text: str, order: Order) -> Translation:
    """The translation of a single text, as it is."""
    if order.report or order.resume or order.restart or order.format:
        raise UserError("--report, --resume, --restart and --format are for files: name one, or leave them out.")
    translator = Translator.load(order.model, target=order.target, device=order.device)
    instructions = _instructions(order, translator)
    matches = Matcher(instructions.glossary, lemmas=order.lemmas).match(text) if order.has_terms else []
    refuse_contradictions(matches)
    due = list(wishes_of(matches))
    constraints = [*order.constraints, *(wish.constraint for wish in due)]
    places = [*[None] * len(order.constraints), *(wish.place for wish in due)]
    return translator.translate(Request(text, constraints, order.n_best, places), beam=order.beam)


def carry_out(order: Order, console: Console) -> Summary:
    """Does what was asked; what is wrong with the order is told before a model is loaded."""
    _check(order)
    translator = Translator.load(order.model, target=order.target, device=order.device)
    instructions = _instructions(order, translator)
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
    if order.path is None and (order.out or order.report or order.resume or order.restart):
        raise UserError("-o, --report, --resume and --restart are for a file: name it. Lines from stdin go to stdout.")
    if order.path is not None and order.out is None:
        raise UserError(f"{order.path} is a file: say with -o where its translation goes, or with --text that it is a text.")
    if order.n_best > 1 and order.to != "jsonl":
        raise UserError(f"--n-best {order.n_best}: a file has room for one translation. Add --to jsonl for more.")
    if order.n_best > order.beam:
        raise UserError(f"--n-best {order.n_best}: a beam of {order.beam} holds no more. Raise --beam, or ask for fewer.")
    if order.forms is not None and order.glossary is None:
        raise UserError("--forms adds to the targets of a glossary: name one with --glossary.")
    if order.resume and order.restart:
        raise UserError("--resume goes on and --restart begins anew: leave one of the two out.")
    if order.path is not None and order.out is not None:
        read = {"--glossary": order.glossary, "--do-not-translate": order.names, "--forms": order.forms}
        check_places(order.path, order.out, order.report, read)
        refuse_old(journal_of(order.out), resume=order.resume, restart=order.restart)


def _instructions(order: Order, translator: Translator) -> Instructions:
    glossary = read_glossary(
        order.glossary, names=order.names, forms=order.forms, source=translator.source, target=translator.target
    )
    return Instructions(
        glossary,
        order.lemmas,
        order.constraints,
        order.on_unmet,
        order.retranslate,
        order.n_best,
        order.beam,
        order.batch_size,
    )


def _stdin() -> BinaryIO:
    """Stdin in a file object of its own, since the interpreter ends by taking hold of the usual one, which may be waiting."""
    try:
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except (io.UnsupportedOperation, ValueError):
        return cast(BinaryIO, sys.stdin.buffer)
