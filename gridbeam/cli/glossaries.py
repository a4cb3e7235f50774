"""Terms from parallel text, and glossaries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gridbeam.cli.commands import (
    GLOSSARY_FORMATS,
    MESSAGES,
    CaseRule,
    ClusterAddress,
    EngineName,
    Sheet,
    WorkerCount,
    app,
    command,
)
from gridbeam.cli.option_flags import with_term_flags
from gridbeam.support.output_files import check_place, refuse_overwriting
from gridbeam.terminology.options import TERMS, TermOptions

if TYPE_CHECKING:
    from gridbeam.terminology.extract import Term

terms = typer.Typer(help="Terms that translate each other.", no_args_is_help=True)
app.add_typer(terms, name="terms")
glossary = typer.Typer(help=f"Glossaries: {GLOSSARY_FORMATS}.", no_args_is_help=True)
app.add_typer(glossary, name="glossary")


@with_term_flags(TERMS)
def extract(
    source: Annotated[
        Path, typer.Argument(help="Text of the source language, a segment a line; plain, or .xz.")
    ],
    target: Annotated[Path, typer.Argument(help="Its translation, aligned line by line.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="A file of tab-separated columns.")],
    terms: TermOptions,
    engine: EngineName = None,
    workers: WorkerCount = None,
    address: ClusterAddress = None,
) -> None:
    """Extracts bilingual terms from parallel text, as the paper does: by NPMI.

    With --engine on disk, for text that no memory holds; the terms are the same.
    """
    from gridbeam.terminology.extract import write

    refuse_overwriting({"--out": out}, {"SOURCE": source, "TARGET": target})
    extract = _extraction(engine, workers, address, out)
    with MESSAGES.status("reading") as status:
        found = extract(
            source,
            target,
            options=terms,
            progress=lambda stage, done: status.update(f"{stage} {done:.0%}"),
        )
    write(found, out)
    MESSAGES.print(f"{len(found):,} terms in {out}", soft_wrap=True, highlight=False)


command(extract, terms)


def _extraction(
    engine: str | None, workers: int | None, address: str | None, out: Path
) -> Callable[..., list[Term]]:
    """What extracts terms: in memory, or by workers."""
    if engine is None:
        from gridbeam.distributed.spread import refuse_without_engine
        from gridbeam.terminology.extract import extract

        refuse_without_engine({"--workers": workers, "--address": address})
        return extract
    from gridbeam.distributed.engines import engine_of
    from gridbeam.distributed.terms import extract_by_many

    check_place(out)
    found = engine_of(engine, workers=workers, address=address, device="cpu")
    return partial(extract_by_many, engine=found, folder=out.parent)


def check(
    file: Annotated[Path, typer.Argument(help=f"A glossary: {GLOSSARY_FORMATS}.")],
    source: Annotated[
        str | None, typer.Option(help="Its source language, where the file has several.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Its target language, where the file has several.")
    ] = None,
    case: CaseRule = "sentence",
    sheet: Sheet = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", help="Also check that this model can write every term."),
    ] = None,
) -> None:
    """Reports conflicts, duplicates and entries that cannot be met.

    Exits with 3 if there are any.
    """
    from gridbeam.glossary.formats import read
    from gridbeam.glossary.problems import check

    found = read(file, source=source, target=target, case=case, sheet=sheet)  # type: ignore[arg-type]
    problems = check(found, _subwords(model, target or found.target_language))
    for problem in problems:
        print(problem)
    MESSAGES.print(f"{len(found.entries):,} entries, {len(problems):,} problems", highlight=False)
    if problems:
        raise typer.Exit(3)


def convert(
    old: Annotated[Path, typer.Argument(help=f"A glossary: {GLOSSARY_FORMATS}.")],
    new: Annotated[Path, typer.Argument(help="The same glossary in the format of this name.")],
    source: Annotated[str | None, typer.Option(help="The source language.")] = None,
    target: Annotated[str | None, typer.Option(help="The target language.")] = None,
    sheet: Sheet = None,
    dialect: Annotated[
        str, typer.Option(help="Of a .tbx to write: dca, dct, martif or min.")
    ] = "dca",
) -> None:
    """Converts a glossary from one format to another."""
    from gridbeam.glossary.formats import convert

    made = convert(old, new, source=source, target=target, sheet=sheet, dialect=dialect)  # type: ignore[arg-type]
    MESSAGES.print(f"{len(made.entries):,} entries in {new}", soft_wrap=True, highlight=False)


command(check, glossary)
command(convert, glossary)


def _subwords(model: str | None, target: str | None) -> Any:
    """How a model writes text, where one is named; without one torch is not loaded."""
    if model is None:
        return None
    from gridbeam.models.load import load
    from gridbeam.tokens.subwords import Subwords

    return Subwords(load(model, target=target).tokenizer)
