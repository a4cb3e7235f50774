"""What `gridbeam translate` was asked for, carried out for a text, a file or a stream."""

from __future__ import annotations

import io
import sys
import warnings
from typing import BinaryIO, cast

from rich.console import Console

from gridbeam.errors import UserNotice
from gridbeam.files.arguments import Arguments, check
from gridbeam.files.instructions import read_glossary
from gridbeam.files.journal import digest_of_folder
from gridbeam.files.run import Instructions, Summary, translate_file, translate_stream
from gridbeam.files.single import translate_text
from gridbeam.glossary.entries import Glossary
from gridbeam.models.load import folder_of
from gridbeam.text.lemmas import has_lemmas
from gridbeam.translation.translator import Translator


def carry_out(given: Arguments, console: Console) -> Summary:
    """Does what was asked; what is wrong with it is told before a model is loaded."""
    check(given)
    translator = translator_for(given)
    instructions = instructions_for(given, translator.source, translator.target)
    if given.text is not None:
        return translate_text(translator, given.text, sys.stdout.buffer, instructions, to=given.to)
    if given.path is None or given.out is None:
        return translate_stream(
            translator,
            _stdin(),
            sys.stdout.buffer,
            instructions,
            format=given.format or "text",
            to=given.to,
        )
    return translate_file(
        translator,
        given.path,
        given.out,
        instructions,
        format=given.format,
        to=given.to,
        report=given.report,
        resume=given.resume,
        restart=given.restart,
        model=f"{given.model} {digest_of_folder(folder_of(given.model))}",
        console=console,
    )


def translator_for(given: Arguments) -> Translator:
    """The translator that was asked for."""
    return Translator.load(
        given.model,
        source=given.source,
        target=given.target,
        device=given.device,
        told=given.told,
    )


def instructions_for(given: Arguments, source: str | None, target: str | None) -> Instructions:
    """How to translate between these languages, with the glossary that was asked for."""
    glossary = read_glossary(
        given.glossary,
        names=given.names,
        forms=given.forms,
        source=source,
        target=target,
        case=given.case,
        sheet=given.sheet,
    )
    if given.lemmas and not has_lemmas(target):
        _tell_of_single_forms(glossary)
    return given.instructions(glossary)


def _tell_of_single_forms(glossary: Glossary) -> None:
    """Tells of inflected terms that must be translated without being inflected."""
    if not any(entry.forms for entry in glossary.entries) and any(
        entry.targets for entry in glossary.entries
    ):
        warnings.warn(
            "--lemmas finds terms in any form, and knows no other forms of their targets, as there"
            " are no lemmas for the target language: give them in a column forms.",
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
