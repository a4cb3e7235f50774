"""What `gridbeam translate --engine` and `--shard` were asked for, checked and carried out."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from gridbeam.distributed.engines import check_engine, engine_of
from gridbeam.distributed.gather import output_of
from gridbeam.distributed.run import translate_sharded
from gridbeam.distributed.spread import Spread, share_of
from gridbeam.distributed.translating import TranslationJob
from gridbeam.documents.registry import format_of
from gridbeam.errors import UserError
from gridbeam.files.arguments import Arguments, check
from gridbeam.files.output import check_review
from gridbeam.files.summary import Summary
from gridbeam.glossary.entries import Glossary
from gridbeam.support.output_files import is_stream


def carry_out_spread(given: Arguments, spread: Spread, console: Console) -> Summary | str:
    """Translates a file by many workers, to a folder; what is wrong is told before any starts."""
    share = None if spread.shard is None else share_of(spread.shard)
    name = spread.engine or "processes"
    check_engine(name, spread.address)
    _check(given)
    engine = engine_of(
        name,
        workers=spread.workers or (None if share is None else 1),
        address=spread.address,
        device=given.device,
    )
    return translate_sharded(
        TranslationJob(given),
        engine,
        share=share,
        shards=spread.shards,
        restart=given.restart,
        console=console,
    )


def _check(given: Arguments) -> None:
    """Refuses what cannot be done, as for a single file, with the file that will be written."""
    if given.path is None or given.text is not None:
        raise UserError("--engine and --shard are for files: name one.")
    if given.out is None or is_stream(given.out) or given.out.is_file():
        raise UserError(
            f"{given.path}: with --engine or --shard, -o names a folder for the shards and the"
            " output. Name one."
        )
    if given.resume:
        raise UserError("--resume is not needed with --engine or --shard, which always go on.")
    is_new = not given.out.exists()
    try:
        given.out.mkdir(exist_ok=True)
    except OSError as error:
        raise UserError(
            f"{given.out} cannot be made: {error.strerror}. Choose a folder where you may write."
        ) from None
    try:
        _check_output(given, output_of(given.out, given.path, given.to))
    except UserError:
        if is_new:
            with suppress(OSError):
                given.out.rmdir()
        raise


def _check_output(given: Arguments, out: Path) -> None:
    assert given.path is not None
    check(replace(given, out=out, restart=False))
    form = format_of(given.path, given.format)
    check_review(given.path, form, given.instructions(Glossary(())), given.to, given.report)
    if out.exists() and out.samefile(given.path):
        raise UserError(
            f"{out} is the input, which would be overwritten. Choose another folder with -o."
        )
