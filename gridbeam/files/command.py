"""What `gridbeam translate` was asked for, carried out for a text, a file or a stream."""

from __future__ import annotations

import io
import sys
import warnings
from typing import BinaryIO, cast

from rich.console import Console

from gridbeam.errors import UserNotice
from gridbeam.files.instructions import read_glossary
from gridbeam.files.journal import digest_of_folder
from gridbeam.files.order import Order, check
from gridbeam.files.run import Instructions, Summary, translate_file, translate_stream
from gridbeam.files.single import translate_text
from gridbeam.glossary.entries import Glossary
from gridbeam.models.load import folder_of
from gridbeam.translation.translator import Translator


def carry_out(order: Order, console: Console) -> Summary:
    """Does what was asked; what is wrong with the order is told before a model is loaded."""
    check(order)
    translator = Translator.load(
        order.model, source=order.source, target=order.target, device=order.device
    )
    instructions = _instructions(order, translator)
    if order.text is not None:
        return translate_text(translator, order.text, sys.stdout.buffer, instructions, to=order.to)
    if order.path is None or order.out is None:
        return translate_stream(
            translator,
            _stdin(),
            sys.stdout.buffer,
            instructions,
            format=order.format or "text",
            to=order.to,
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
    return order.instructions(glossary)


def _tell_of_single_forms(glossary: Glossary) -> None:
    """Tells of inflected terms that must be translated without being inflected."""
    if not any(entry.forms for entry in glossary.entries) and any(
        entry.targets for entry in glossary.entries
    ):
        warnings.warn(
            "--lemmas finds terms in any form, and their targets have but one, which is said"
            " whatever the form: give others in a column forms, or name a text with --forms that"
            " has them.",
            UserNotice,
            stacklevel=2,
        )


def _stdin() -> BinaryIO:
    """Stdin as a file object of its own.

    The interpreter ends by taking hold of the usual one, which may be waiting.
    """
    try:
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except (io.UnsupportedOperation, ValueError):
        return cast(BinaryIO, sys.stdin.buffer)
