"""Translate, explain how a translation was found, and score translations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gridbeam.cli.commands import (
    DEFAULT_MODEL,
    FILES_PANEL,
    GLOSSARY_FORMATS,
    GLOSSARY_PANEL,
    MESSAGES,
    PLAIN,
    SAY_PANEL,
    SEARCH_PANEL,
    WORKERS_PANEL,
    CaseRule,
    ClusterAddress,
    Device,
    EngineName,
    EveryTime,
    Lemmas,
    MemoryLimit,
    ModelName,
    Sheet,
    Source,
    Target,
    Told,
    WorkerCount,
    command,
)
from gridbeam.cli.option_flags import with_search_flags
from gridbeam.decoding.options import SearchOptions
from gridbeam.documents.registry import listed
from gridbeam.errors import UserError
from gridbeam.support.memory_limit import bounded_memory
from gridbeam.support.output_files import STDOUT, refuse_overwriting
from gridbeam.translation.defaults import TRANSLATION

if TYPE_CHECKING:
    from gridbeam.files.summary import Summary

ConstraintFlag = Annotated[
    list[str] | None,
    typer.Option(
        "--constraint",
        "-c",
        help="A phrase that the translation must contain.",
        rich_help_panel=SAY_PANEL,
    ),
]
Avoided = Annotated[
    list[str] | None,
    typer.Option("--avoid", help="A phrase that it must not contain.", rich_help_panel=SAY_PANEL),
]
Beginning = Annotated[
    str | None,
    typer.Option("--prefix", help="What it must begin with.", rich_help_panel=SAY_PANEL),
]


@with_search_flags(TRANSLATION)
def translate(
    text: Annotated[
        str | None,
        typer.Argument(
            help="What to translate: a text, or a file. Without it, or for -, lines from stdin."
        ),
    ] = None,
    *,
    constraint: ConstraintFlag = None,
    avoid: Avoided = None,
    prefix: Beginning = None,
    placeholder: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "A regular expression for placeholders, which stay as they are, besides the usual."
            ),
            rich_help_panel=SAY_PANEL,
        ),
    ] = None,
    accelerators: Annotated[
        str,
        typer.Option(
            help=(
                "The mark before the key of a label, as in _Open: _, &, ~, none, or auto for those"
                " that surely are."
            ),
            rich_help_panel=SAY_PANEL,
        ),
    ] = "auto",
    glossary: Annotated[
        list[Path] | None,
        typer.Option(
            help=f"Terms that it must use where the text has them: {GLOSSARY_FORMATS}. Of several"
            " files, later ones win.",
            rich_help_panel=GLOSSARY_PANEL,
        ),
    ] = None,
    case: CaseRule = "sentence",
    sheet: Sheet = None,
    lemmas: Lemmas = False,
    every_time: EveryTime = False,
    forms: Annotated[
        Path | None,
        typer.Option(
            help="A text of the target language: inflected targets that it has will do as well.",
            rich_help_panel=GLOSSARY_PANEL,
        ),
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option(
            "--do-not-translate",
            help="A file of names that stay, one a line.",
            rich_help_panel=GLOSSARY_PANEL,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Where the translation of a file goes; - is stdout.",
            rich_help_panel=FILES_PANEL,
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            help=f"The format of the input: {listed()}.",
            rich_help_panel=FILES_PANEL,
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            help="text or jsonl: a line for each segment, not the format of the input.",
            rich_help_panel=FILES_PANEL,
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="JSON with scores, spans and alternatives: --to jsonl.",
            rich_help_panel=FILES_PANEL,
        ),
    ] = False,
    numbers: Annotated[
        str,
        typer.Option(
            help=(
                "localise or keep: whether separators in numbers may be those of the target"
                " language, or every character stays."
            ),
            rich_help_panel=SAY_PANEL,
        ),
    ] = "localise",
    on_unmet: Annotated[
        str,
        typer.Option(
            help=(
                "Where not all can be met: error (leave it, exit with 3), skip (leave it) or relax"
                " (drop some)."
            ),
            rich_help_panel=FILES_PANEL,
        ),
    ] = "error",
    fail_on: Annotated[
        str,
        typer.Option(
            help="Which findings of the checks make it exit with 3: error, warning or nothing.",
            rich_help_panel=FILES_PANEL,
        ),
    ] = "error",
    review_below: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help=(
                "Flag only translations whose chance to be usable is below X, from 0 to 1, or that"
                " have errors."
            ),
            rich_help_panel=FILES_PANEL,
        ),
    ] = None,
    retranslate: Annotated[
        str,
        typer.Option(
            help="What of a file to translate anew: nothing, drafts or all.",
            rich_help_panel=FILES_PANEL,
        ),
    ] = "nothing",
    report: Annotated[
        Path | None,
        typer.Option(
            help="Where each term was due and met, as .json or .html.",
            rich_help_panel=FILES_PANEL,
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Go on with a run that was broken off.",
            rich_help_panel=FILES_PANEL,
        ),
    ] = False,
    restart: Annotated[
        bool,
        typer.Option(
            "--restart",
            help="Give up what such a run has translated.",
            rich_help_panel=FILES_PANEL,
        ),
    ] = False,
    is_text: Annotated[
        bool,
        typer.Option(
            "--text",
            help="Take the argument for a text, even if it names a file.",
            rich_help_panel=FILES_PANEL,
        ),
    ] = False,
    search: SearchOptions,
    batch_size: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="How many sentences are searched at a time.",
            rich_help_panel=SEARCH_PANEL,
        ),
    ] = 16,
    engine: EngineName = None,
    workers: WorkerCount = None,
    address: ClusterAddress = None,
    shards: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="How many shards the input is cut into; by default as many as suit it.",
            rich_help_panel=WORKERS_PANEL,
        ),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Only the share I of N, from 1, as for an array of jobs; then gridbeam gather.",
            rich_help_panel=WORKERS_PANEL,
        ),
    ] = None,
    model: ModelName = DEFAULT_MODEL,
    source: Source = None,
    target: Target = None,
    device: Device = None,
    told: Told = False,
    memory_limit: MemoryLimit = None,
) -> None:
    """Translates a text, a file, or lines from stdin; each translation contains what it must."""
    from gridbeam.constraints.terms import as_constraints
    from gridbeam.distributed.spread import Spread
    from gridbeam.files.arguments import Arguments, kind_of
    from gridbeam.files.command import carry_out

    spread = Spread(engine, workers, address, shards, shard)
    kind = kind_of(text, is_text=is_text, has_output=out not in (None, STDOUT))
    given = Arguments(
        text=text if kind == "text" else None,
        path=Path(text) if text is not None and kind == "file" else None,
        out=out,
        constraints=as_constraints(_terms(constraint, avoid, prefix)),
        glossary=tuple(glossary or ()),
        case=case,  # type: ignore[arg-type]
        sheet=sheet,
        names=names,
        forms=forms,
        lemmas=lemmas,
        every_time=every_time,
        placeholders=tuple(placeholder or ()),
        accelerators=accelerators,  # type: ignore[arg-type]
        format=format,
        to="jsonl" if as_json else to,  # type: ignore[arg-type]
        numbers=numbers,  # type: ignore[arg-type]
        on_unmet=on_unmet,  # type: ignore[arg-type]
        retranslate=retranslate,  # type: ignore[arg-type]
        fail_on=fail_on,  # type: ignore[arg-type]
        review_below=review_below,
        report=report,
        resume=resume,
        restart=restart,
        model=model,
        source=source,
        target=target,
        device=device,
        told=told,
        search=search,
        batch_size=batch_size,
    )
    if not spread.is_asked:
        spread.refuse_alone()
        with bounded_memory(memory_limit, device):
            summary = carry_out(given, MESSAGES)
        _tell(summary, is_long=kind == "file")
        return
    if memory_limit is not None:
        raise UserError(
            "--memory-limit bounds one process: leave it out with --engine and --shard."
        )
    from gridbeam.distributed.command import carry_out_spread

    found = carry_out_spread(given, spread, MESSAGES)
    if isinstance(found, str):
        MESSAGES.print(found, **PLAIN)
    else:
        _tell(found)


def _tell(summary: Summary, *, is_long: bool = True) -> None:
    """Prints what there is to say at the end of a run, and exits with 3 if it has failed."""
    if is_long or summary.told:
        MESSAGES.print(str(summary), **PLAIN)
    if summary.is_failure:
        raise typer.Exit(3)


command(translate, needs_arguments=False)


@command
def gather(
    folder: Annotated[
        Path, typer.Argument(help="The folder that translate --shard was given with -o.")
    ],
    report: Annotated[
        Path | None,
        typer.Option(help="Where each term was due and met, as .json or .html."),
    ] = None,
) -> None:
    """Writes the output of shards that are all done, in the format of the input."""
    from gridbeam.distributed.gather import gather

    _tell(gather(folder, report=report))


@command
@with_search_flags(TRANSLATION, without=["n_best"])
def explain(
    text: Annotated[str, typer.Argument(help="One sentence to translate.")],
    *,
    constraint: ConstraintFlag = None,
    avoid: Avoided = None,
    prefix: Beginning = None,
    html: Annotated[
        Path | None,
        typer.Option(
            help="Writes the grid and the search graph to a page that needs nothing else."
        ),
    ] = None,
    svg: Annotated[Path | None, typer.Option(help="Writes the grid as a picture.")] = None,
    graph: Annotated[
        Path | None, typer.Option(help="Writes the search graph as a picture.")
    ] = None,
    search: SearchOptions,
    model: ModelName = DEFAULT_MODEL,
    source: Source = None,
    target: Target = None,
    device: Device = None,
    told: Told = False,
) -> None:
    """Shows how a translation was found: the grid of hypotheses and the path that won."""
    from gridbeam.translation.explain import explain

    terms = _terms(constraint, avoid, prefix)
    explain(
        text,
        terms,
        html,
        svg,
        graph,
        model=model,
        source=source,
        target=target,
        device=device,
        told=told,
        options=search,
    )


@command
def score(
    hypotheses: Annotated[
        Path, typer.Argument(metavar="HYP", help="Translations, a segment a line; plain, or .xz.")
    ],
    references: Annotated[
        Path, typer.Argument(metavar="REF", help="Their references, aligned line by line.")
    ],
    baseline: Annotated[
        Path | None, typer.Option(help="Translations of another system, to compare with.")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            help="The same without constraints: what did they do to the text outside the terms?"
            " Needs --terms, or --glossary and --source; with --lemmas, outside terms in any form."
        ),
    ] = None,
    glossary: Annotated[
        list[Path] | None,
        typer.Option(
            help="Terms that are due where the source has them; needs --source. Of several files,"
            " later ones win."
        ),
    ] = None,
    source: Annotated[
        Path | None, typer.Option(help="What was translated, for --glossary.")
    ] = None,
    case: CaseRule = "sentence",
    sheet: Sheet = None,
    lemmas: Lemmas = False,
    every_time: EveryTime = False,
    terms: Annotated[
        Path | None,
        typer.Option(help="The terms of each segment, a JSON list a line, instead of a glossary."),
    ] = None,
    languages: Annotated[
        str | None, typer.Option(help="Source and target of the terms, such as en-de.")
    ] = None,
    samples: Annotated[
        int, typer.Option(min=40, help="How many samples to compare with --baseline by.")
    ] = 1000,
    form: Annotated[str, typer.Option("--format", help="text, json or latex.")] = "text",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the scores go, instead of stdout.")
    ] = None,
) -> None:
    """Scores translations: BLEU, chrF, TER, the use of terms, and whether a difference is real."""
    from gridbeam.evaluation.score import score
    from gridbeam.evaluation.scoretable import formatter, save

    read = {"HYP": hypotheses, "REF": references, "--baseline": baseline, "--against": against}
    due = {"--source": source, "--glossary": glossary, "--terms": terms}
    refuse_overwriting({"--out": out}, {**read, **due})
    shown = formatter(form)
    found = score(
        hypotheses,
        references,
        baseline=baseline,
        against=against,
        glossary=glossary,
        source=source,
        case=case,  # type: ignore[arg-type]
        sheet=sheet,
        lemmas=lemmas,
        every_time=every_time,
        terms=terms,
        languages=languages,
        samples=samples,
    )
    if out is None:
        print(shown(found))
    else:
        save(shown(found), out)


def _terms(constraint: list[str] | None, avoid: list[str] | None, prefix: str | None) -> list[Any]:
    from gridbeam.constraints.terms import Avoid, Prefix

    return [*(constraint or ()), *map(Avoid, avoid or ()), *([Prefix(prefix)] if prefix else ())]
