"""The paper's experiments, and their reports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gridbeam.cli.commands import (
    GENERAL_MODEL,
    GLOSSARY_FORMATS,
    MESSAGES,
    SEARCH_PANEL,
    ClusterAddress,
    Device,
    EngineName,
    ModelName,
    Target,
    WorkerCount,
    app,
    command,
)
from gridbeam.cli.option_flags import with_search_flags, with_term_flags
from gridbeam.decoding.options import SearchOptions
from gridbeam.errors import UserError
from gridbeam.experiments.defaults import (
    DICTIONARY,
    EXPERIMENTS,
    as_in_paper,
    extracted_as_in_paper,
)
from gridbeam.terminology.options import TERMS, TermOptions

experiment = typer.Typer(
    help="The paper's experiments; a run that was broken off goes on.", no_args_is_help=True
)
app.add_typer(experiment, name="experiment")

Sources = Annotated[Path, typer.Option("--src", help="Segments to translate, one a line.")]
References = Annotated[Path, typer.Option("--ref", help="Their translations, one a line.")]
LimitFlag = Annotated[int | None, typer.Option(min=1, help="Only the first so many segments.")]
RunLog = Annotated[
    Path,
    typer.Option("--out", "-o", help="The log of the run; where it is there, the run goes on."),
]
Samples = Annotated[int, typer.Option(min=40, help="How many samples systems are compared by.")]
AsInPaper = Annotated[
    bool,
    typer.Option(
        "--as-in-paper",
        help="The settings of the paper, or of its authors' scripts (docs/experiments.md).",
    ),
]
BatchSize = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="N",
        help="How many segments are searched at a time.",
        rich_help_panel=SEARCH_PANEL,
    ),
]


@with_search_flags(EXPERIMENTS, without=["n_best"])
def pick_revise(
    *,
    source: Sources,
    reference: References,
    out: RunLog,
    model: ModelName = GENERAL_MODEL,
    target: Target = None,
    method: Annotated[
        str, typer.Option(help="pick (phrases), prefix (up to the first wrong word) or segments.")
    ] = "pick",
    mode: Annotated[
        str,
        typer.Option(
            help="What a phrase lacks: strict (every word), relaxed (its first) or whole."
        ),
    ] = "strict",
    pick: Annotated[
        str, typer.Option(help="Which missing phrase: first, longest or random.")
    ] = "first",
    units: Annotated[
        str, typer.Option(help="What a phrase has up to three of: words, or tokens of the model.")
    ] = "words",
    paper: AsInPaper = False,
    cycles: Annotated[int, typer.Option(min=0, help="How often the user corrects.")] = 3,
    search: SearchOptions,
    seed: Annotated[int, typer.Option(help="For --pick random.")] = 1,
    limit: LimitFlag = None,
    name: Annotated[
        str | None, typer.Option(help="What reports call the test set; by default its file.")
    ] = None,
    batch_size: BatchSize = 64,
    engine: EngineName = None,
    workers: WorkerCount = None,
    address: ClusterAddress = None,
    device: Device = None,
) -> None:
    """Section 4.1: a simulated user corrects each translation a few times.

    BLEU, effort and work in each cycle.
    """
    from gridbeam.distributed.engines import engine_of
    from gridbeam.distributed.spread import refuse_without_engine
    from gridbeam.experiments.pickrevise import PickReviseSetting, run
    from gridbeam.experiments.report import report

    if paper:
        search, pick, units = as_in_paper(search), "longest", "tokens"
    if engine is None:
        refuse_without_engine({"--workers": workers, "--address": address})

    setting = PickReviseSetting(
        source,
        reference,
        model,
        target,
        name=name,
        method=method,
        mode=mode,  # type: ignore[arg-type]
        pick=pick,  # type: ignore[arg-type]
        units=units,  # type: ignore[arg-type]
        seed=seed,
        search=search,
        limit=limit,
    )
    many = engine and engine_of(engine, workers=workers, address=address, device=device)
    run(
        setting,
        out,
        cycles=cycles,
        batch_size=batch_size,
        device=device,
        engine=many or None,
        console=MESSAGES,
    )
    print(report([out]))


def examples(
    log: Annotated[Path, typer.Argument(help="The log of a run of pick-revise.")],
    count: Annotated[int, typer.Option(min=1, help="How many sentences to show.")] = 10,
    most_given: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Leaves out those of whose reference more than this share was given.",
        ),
    ] = 0.6,
    form: Annotated[str, typer.Option("--format", help="markdown or latex.")] = "markdown",
    into: Annotated[
        Path | None,
        typer.Option(help="A page to put them on, between <!-- examples --> and <!-- end -->."),
    ] = None,
) -> None:
    """Section 4.3: the sentences whose BLEU rose most, with what was given in bold."""
    from gridbeam.experiments.examples import examples
    from gridbeam.experiments.report import put_into

    found = examples(log, count, form, most_given)
    if into is None:
        print(found)
    else:
        put_into(into, "examples", found)


def report(
    logs: Annotated[list[Path], typer.Argument(help="Logs of experiments.")],
    form: Annotated[str, typer.Option("--format", help="markdown or latex.")] = "markdown",
    figure: Annotated[
        Path | None, typer.Option(help="Also draws BLEU by cycle: .svg, .png or .pdf.")
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            help="A page to put the tables on, between <!-- EXPERIMENT --> and <!-- end -->."
        ),
    ] = None,
    summaries: Annotated[
        Path | None,
        typer.Option(help="A folder for the logs without their sentences, which suffice here."),
    ] = None,
) -> None:
    """Tables and figures from the logs of experiments."""
    from gridbeam.experiments.report import check_places, draw, fill, keep_summaries, report

    check_places(logs, figure, into, summaries)
    if into is None:
        print(report(logs, form))
    else:
        fill(into, logs)
    if figure is not None:
        draw(logs, figure)
    if summaries is not None:
        keep_summaries(logs, summaries)


@with_term_flags(TERMS)
@with_search_flags(EXPERIMENTS, without=["n_best"])
def terminology(
    *,
    source: Sources,
    reference: References,
    out: RunLog,
    train_source: Annotated[
        Path | None,
        typer.Option(
            "--train-src", help="Text of the domain that terms are extracted from; plain, or .xz."
        ),
    ] = None,
    train_reference: Annotated[
        Path | None, typer.Option("--train-ref", help="Its translation, aligned line by line.")
    ] = None,
    glossary: Annotated[
        list[Path] | None,
        typer.Option(help=f"A glossary instead: {GLOSSARY_FORMATS}. Of several, later ones win."),
    ] = None,
    terms: TermOptions,
    paper: AsInPaper = False,
    model: ModelName = GENERAL_MODEL,
    target: Target = None,
    search: SearchOptions,
    seeds: Annotated[int, typer.Option(min=1, help="How often terms are placed at random.")] = 10,
    samples: Samples = 1000,
    limit: LimitFlag = None,
    batch_size: BatchSize = 64,
    device: Device = None,
) -> None:
    """Section 4.2: what the terms of a domain gain, by the search and by simpler ways.

    The others put terms in at random, at the beginning, or by placeholders.
    """
    from gridbeam.experiments.report import report
    from gridbeam.experiments.terminology import terminology

    if (train_source is None) != (train_reference is None):
        raise UserError("--train-src and --train-ref belong together: give both, or a --glossary.")
    if paper:
        search = as_in_paper(search)
        terms = terms if glossary else extracted_as_in_paper(terms)
    terminology(
        source,
        reference,
        out=out,
        model=model,
        target=target,
        train=(train_source, train_reference) if train_source and train_reference else None,
        glossary=glossary,
        terms=terms,
        search=search,
        seeds=seeds,
        samples=samples,
        limit=limit,
        batch_size=batch_size,
        device=device,
        console=MESSAGES,
    )
    print(report([out]))


@with_search_flags(DICTIONARY, without=["n_best"])
def dictionary(
    *,
    source: Sources,
    reference: References,
    terms: Annotated[Path, typer.Option(help="The terms of each segment, a JSON list a line.")],
    out: RunLog,
    model: ModelName = GENERAL_MODEL,
    target: Target = None,
    search: SearchOptions,
    samples: Samples = 1000,
    limit: LimitFlag = None,
    batch_size: BatchSize = 64,
    device: Device = None,
) -> None:
    """News with dictionary terms, as Dinu et al. (2019): what it costs to have every term said."""
    from gridbeam.experiments.dictionary import dictionary
    from gridbeam.experiments.report import report

    dictionary(
        source,
        reference,
        terms,
        out=out,
        model=model,
        target=target,
        search=search,
        samples=samples,
        limit=limit,
        batch_size=batch_size,
        device=device,
        console=MESSAGES,
    )
    print(report([out]))


@with_search_flags(EXPERIMENTS, without=["n_best"])
def ablations(
    *,
    what: Annotated[
        str, typer.Option(help="beam, coverage, budget, length, tokens, order or dba.")
    ],
    source: Sources,
    reference: References,
    out: RunLog,
    model: ModelName = GENERAL_MODEL,
    target: Target = None,
    search: SearchOptions,
    seed: Annotated[
        int, typer.Option(help="For the words of the reference that are required.")
    ] = 1,
    samples: Samples = 1000,
    limit: LimitFlag = None,
    batch_size: BatchSize = 64,
    device: Device = None,
) -> None:
    """What the paper left open: the same segments and constraints, searched in several ways.

    One table at a time.
    """
    from gridbeam.experiments.ablations import ablation
    from gridbeam.experiments.report import report

    ablation(
        what,
        source,
        reference,
        out=out,
        model=model,
        target=target,
        search=search,
        seed=seed,
        samples=samples,
        limit=limit,
        batch_size=batch_size,
        device=device,
        console=MESSAGES,
    )
    print(report([out]))


command(pick_revise, experiment)
command(terminology, experiment)
command(dictionary, experiment)
command(ablations, experiment)
command(examples, experiment)
command(report, experiment)
