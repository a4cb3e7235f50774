"""The commands: each parses, calls one function and prints. Results go to stdout, everything else to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from gridbeam.errors import ModelError, UserError
from gridbeam.scoring import LENGTH_PENALTY, LENGTH_REWARD

if TYPE_CHECKING:
    from gridbeam.translate import Translation

app = typer.Typer(
    name="gridbeam",
    help="Text that contains what it must: constrained translation, and the training of models for it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_DEFAULT_MODEL = "builtin:en-de"
_messages = Console(stderr=True)
_PLAIN: dict[str, Any] = {"highlight": False, "markup": False, "soft_wrap": True}
"""For messages that hold what a user has written."""

ModelName = Annotated[str, typer.Option("--model", "-m", help="builtin:PAIR, hf:NAME, gru:FOLDER, or the folder of a model.")]
Target = Annotated[str | None, typer.Option(help="The target language, for a model that knows several.")]
Device = Annotated[str | None, typer.Option(help="cpu or cuda; by default a GPU where there is one.")]


terms = typer.Typer(help="Terms that translate each other.", no_args_is_help=True)
app.add_typer(terms, name="terms")
glossary = typer.Typer(help="Glossaries: TSV, CSV, TBX, XLSX.", no_args_is_help=True)
app.add_typer(glossary, name="glossary")
experiment = typer.Typer(help="The paper's experiments; a run that was broken off goes on.", no_args_is_help=True)
app.add_typer(experiment, name="experiment")


def command(function: Callable[..., None], group: typer.Typer = app, *, needs_arguments: bool = True) -> Callable[..., None]:
    """A command that tells a user's mistake in a line and exits with 2."""

    @wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        try:
            function(*args, **kwargs)
        except (UserError, ModelError) as error:
            _messages.print(f"gridbeam: {error}", style="red", **_PLAIN)
            raise typer.Exit(2) from None
        except KeyboardInterrupt as stop:
            _messages.print(str(stop) or "stopped; the same command goes on where it can", **_PLAIN)
            raise typer.Exit(130) from None

    return group.command(no_args_is_help=needs_arguments)(wrapped)


@command
def train(
    config: Annotated[Path, typer.Argument(help="A training configuration, such as configs/builtin.toml.")],
    data: Annotated[Path, typer.Option(help="The folder that its paths of text are relative to.")] = Path("."),
    out: Annotated[Path | None, typer.Option(help="The folder of the run; runs/NAME by default.")] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", help="A key to change, as training.updates=100.")] = None,
) -> None:
    """Trains a model; run again, it goes on where it ended. On several GPUs: torchrun -m gridbeam train ..."""
    from gridbeam.training import read_config, train
    from gridbeam.training.show import show

    wanted = read_config(config, changes or ())
    folder = out or Path("runs") / wanted.name
    show(train(wanted, folder, data), wanted.training.updates, _messages)
    if os.environ.get("RANK", "0") == "0":  # of several processes, the first speaks for all
        _messages.print(
            f"The best model is {folder / 'best'}; the log is {folder / 'log.jsonl'}.", soft_wrap=True, highlight=False
        )


@command
def curve(
    runs: Annotated[list[Path], typer.Argument(help="The folders of training runs.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="An image: .svg, .png or .pdf.")] = Path("curve.svg"),
) -> None:
    """Draws the learning curves of training runs: loss, and BLEU on the development sets."""
    from gridbeam.training.curve import draw_curves

    draw_curves(runs, out)


@command
def evaluate(
    source: Annotated[Path, typer.Argument(help="Sentences to translate, one a line.")],
    reference: Annotated[Path, typer.Argument(help="Their translations, one a line.")],
    model: ModelName = _DEFAULT_MODEL,
    target: Target = None,
    beam: Annotated[int, typer.Option(min=1)] = 5,
    batch_size: Annotated[int, typer.Option(min=1)] = 32,
    device: Device = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where the translations go, one a line.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON instead of text.")] = False,
) -> None:
    """Translates a test set and prints BLEU and chrF with their signatures, and that of the run."""
    from gridbeam.evaluate import evaluate

    found = evaluate(
        source,
        reference,
        model=model,
        target=target,
        beam=beam,
        batch_size=batch_size,
        device=device,
        out=out,
        console=_messages,
    )
    print(found.as_json() if as_json else found)


@command
def score(
    hypotheses: Annotated[Path, typer.Argument(metavar="HYP", help="Translations, a segment a line; plain, or .xz.")],
    references: Annotated[Path, typer.Argument(metavar="REF", help="Their references, aligned line by line.")],
    baseline: Annotated[Path | None, typer.Option(help="Translations of another system, to compare with.")] = None,
    glossary: Annotated[Path | None, typer.Option(help="Terms that are due where the source has them; needs --source.")] = None,
    source: Annotated[Path | None, typer.Option(help="What was translated, for --glossary.")] = None,
    lemmas: Annotated[bool, typer.Option(help="Match the glossary's terms by lemmas too, so that disks is a disk.")] = False,
    terms: Annotated[
        Path | None, typer.Option(help="The terms of each segment, a JSON list a line, instead of a glossary.")
    ] = None,
    languages: Annotated[str | None, typer.Option(help="Source and target of the terms, such as en-de.")] = None,
    samples: Annotated[int, typer.Option(min=40, help="How many samples to compare with --baseline by.")] = 1000,
    form: Annotated[str, typer.Option("--format", help="text, json or latex.")] = "text",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where the scores go, instead of stdout.")] = None,
) -> None:
    """Scores translations: BLEU, chrF, TER with signatures, how terms are used, and whether a difference is significant."""
    from gridbeam.score import score
    from gridbeam.scoretable import formatter, save

    shown = formatter(form)
    found = score(
        hypotheses,
        references,
        baseline=baseline,
        glossary=glossary,
        source=source,
        lemmas=lemmas,
        terms=terms,
        languages=languages,
        samples=samples,
    )
    if out is None:
        print(shown(found))
    else:
        save(shown(found), out)


def translate(
    text: Annotated[
        str | None, typer.Argument(help="What to translate: a text, or a file. Without it, or for -, lines from stdin.")
    ] = None,
    constraint: Annotated[
        list[str] | None, typer.Option("--constraint", "-c", help="A phrase that each translation must contain.")
    ] = None,
    avoid: Annotated[list[str] | None, typer.Option(help="A phrase that it must not contain.")] = None,
    prefix: Annotated[str | None, typer.Option(help="What it must begin with.")] = None,
    glossary: Annotated[
        Path | None, typer.Option(help="Terms that it must use where the text has them: .tsv, .csv, .tbx or .xlsx.")
    ] = None,
    lemmas: Annotated[bool, typer.Option(help="Match the glossary's terms by lemmas too, so that disks is a disk.")] = False,
    forms: Annotated[
        Path | None, typer.Option(help="A text of the target language: inflected targets that it has will do as well.")
    ] = None,
    names: Annotated[Path | None, typer.Option("--do-not-translate", help="A file of names that stay, one a line.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where the translation of a file goes.")] = None,
    format: Annotated[
        str | None, typer.Option(help="The format of the input: text, tsv, jsonl, moses, po, xliff or tmx.")
    ] = None,
    to: Annotated[str | None, typer.Option(help="text or jsonl: a line for each segment, not the format of the input.")] = None,
    on_unmet: Annotated[
        str, typer.Option(help="Where not all can be met: error (leave it, exit with 3), skip (leave it) or relax (drop some).")
    ] = "error",
    retranslate: Annotated[str, typer.Option(help="What of a file to translate anew: nothing, drafts or all.")] = "nothing",
    report: Annotated[Path | None, typer.Option(help="Where each term was due and met, as .json or .html.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was broken off.")] = False,
    restart: Annotated[bool, typer.Option("--restart", help="Give up what such a run has translated.")] = False,
    is_text: Annotated[bool, typer.Option("--text", help="Take the argument for a text, even if it names a file.")] = False,
    model: ModelName = _DEFAULT_MODEL,
    target: Target = None,
    beam: Annotated[int, typer.Option(min=1)] = 5,
    batch_size: Annotated[int, typer.Option(min=1, help="How many sentences are searched at a time.")] = 16,
    n_best: Annotated[int, typer.Option(min=1, help="How many translations to print, best first.")] = 1,
    device: Device = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON with scores, spans and alternatives.")] = False,
) -> None:
    """Translates a text, a file, or lines from stdin; each translation contains what it must."""
    from gridbeam.constraints import as_constraints
    from gridbeam.files.command import Order, carry_out, kind_of, translate_text

    kind = kind_of(text, is_text=is_text, has_output=out is not None)
    order = Order(
        path=Path(text) if text is not None and kind == "file" else None,
        out=out,
        constraints=as_constraints(_terms(constraint, avoid, prefix)),
        glossary=glossary,
        names=names,
        forms=forms,
        lemmas=lemmas,
        format=format,
        to="jsonl" if as_json else to,  # type: ignore[arg-type]
        on_unmet=on_unmet,  # type: ignore[arg-type]
        retranslate=retranslate,  # type: ignore[arg-type]
        report=report,
        resume=resume,
        restart=restart,
        model=model,
        target=target,
        device=device,
        beam=beam,
        batch_size=batch_size,
        n_best=n_best,
    )
    if text is not None and kind == "text":
        _show(translate_text(text, order), as_json=as_json)
        return
    summary = carry_out(order, _messages)
    if kind == "file" or summary.unmet:
        _messages.print(str(summary), **_PLAIN)
    if summary.is_failure:
        raise typer.Exit(3)


command(translate, needs_arguments=False)


def _show(found: Translation, *, as_json: bool) -> None:
    """Prints a translation and its alternatives."""
    import json

    if as_json:
        print(json.dumps(found.as_json(), ensure_ascii=False))
        return
    in_colour = sys.stdout.isatty()
    for translation in (found, *found.alternatives):
        print(translation.marked("\033[1;32m", "\033[0m") if in_colour else translation.text)


@command
def explain(
    text: Annotated[str, typer.Argument(help="One sentence to translate.")],
    constraint: Annotated[
        list[str] | None, typer.Option("--constraint", "-c", help="A phrase that the translation must contain.")
    ] = None,
    avoid: Annotated[list[str] | None, typer.Option(help="A phrase that it must not contain.")] = None,
    prefix: Annotated[str | None, typer.Option(help="What it must begin with.")] = None,
    html: Annotated[
        Path | None, typer.Option(help="Writes the grid and the search graph to a page that needs nothing else.")
    ] = None,
    svg: Annotated[Path | None, typer.Option(help="Writes the grid as a picture.")] = None,
    graph: Annotated[Path | None, typer.Option(help="Writes the search graph as a picture.")] = None,
    model: ModelName = _DEFAULT_MODEL,
    target: Target = None,
    beam: Annotated[int, typer.Option(min=1)] = 5,
    device: Device = None,
) -> None:
    """Shows how a translation was found: the grid of hypotheses and the path that won."""
    from gridbeam.explain import explain

    explain(text, _terms(constraint, avoid, prefix), html, svg, graph, model=model, target=target, beam=beam, device=device)


@command
def export(
    model: Annotated[str, typer.Argument(help="builtin:PAIR, or the folder of a model.")],
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
) -> None:
    """Writes a model in the format of Hugging Face, with float weights, which any other tool can load."""
    from gridbeam.models.load import export

    export(model, folder)


def extract(
    source: Annotated[Path, typer.Argument(help="Text of the source language, a segment a line; plain, or .xz.")],
    target: Annotated[Path, typer.Argument(help="Its translation, aligned line by line.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="A file of tab-separated columns.")],
    min_words: Annotated[int, typer.Option(help="The fewest words of a term; 1 for single words as well.")] = 2,
    max_words: Annotated[int, typer.Option(help="The most words of a term.")] = 5,
    threshold: Annotated[float, typer.Option(help="The least normalised pointwise mutual information.")] = 0.9,
    min_count: Annotated[int, typer.Option(help="The fewest segments with a term, on each side.")] = 5,
    punctuation: Annotated[str, typer.Option(help="Where a term may have marks: inside, anywhere or nowhere.")] = "inside",
    fold_case: Annotated[bool, typer.Option(help="Take n-grams that differ in case only as one.")] = False,
    fold: Annotated[bool, typer.Option(help="Leave out a pair within a longer one with the same counts.")] = True,
    whole: Annotated[bool, typer.Option(help="Leave out stretches of longer repetitions.")] = False,
) -> None:
    """Extracts bilingual terms from parallel text, as the paper does: by NPMI."""
    from gridbeam.terms import extract, write

    with _messages.status("reading") as status:
        found = extract(
            source,
            target,
            min_words=min_words,
            max_words=max_words,
            threshold=threshold,
            min_count=min_count,
            punctuation=punctuation,  # type: ignore[arg-type]
            fold_case=fold_case,
            fold=fold,
            whole=whole,
            progress=lambda stage, done: status.update(f"{stage} {done:.0%}"),
        )
    write(found, out)
    _messages.print(f"{len(found):,} terms in {out}", soft_wrap=True, highlight=False)


command(extract, terms)


def check(
    file: Annotated[Path, typer.Argument(help="A glossary: .tsv, .csv, .tbx or .xlsx.")],
    source: Annotated[str | None, typer.Option(help="Its source language, where the file has several.")] = None,
    target: Annotated[str | None, typer.Option(help="Its target language, where the file has several.")] = None,
    model: Annotated[str | None, typer.Option("--model", "-m", help="Also check that this model can write every term.")] = None,
) -> None:
    """Reports conflicts, duplicates and entries that cannot be met; exits with 3 if there are any."""
    from gridbeam.glossaries import read
    from gridbeam.glossarycheck import check

    found = read(file, source=source, target=target)
    problems = check(found, _subwords(model, target or found.target_language))
    for problem in problems:
        print(problem)
    _messages.print(f"{len(found.entries):,} entries, {len(problems):,} problems", highlight=False)
    if problems:
        raise typer.Exit(3)


def convert(
    old: Annotated[Path, typer.Argument(help="A glossary: .tsv, .csv, .tbx or .xlsx.")],
    new: Annotated[Path, typer.Argument(help="The same glossary in the format of this name.")],
    source: Annotated[str | None, typer.Option(help="The source language.")] = None,
    target: Annotated[str | None, typer.Option(help="The target language.")] = None,
    dialect: Annotated[str, typer.Option(help="Of a .tbx to write: dca, dct, martif or min.")] = "dca",
) -> None:
    """Converts a glossary from one format to another."""
    from gridbeam.glossaries import convert

    made = convert(old, new, source=source, target=target, dialect=dialect)  # type: ignore[arg-type]
    _messages.print(f"{len(made.entries):,} entries in {new}", soft_wrap=True, highlight=False)


command(check, glossary)
command(convert, glossary)


Sources = Annotated[Path, typer.Option("--src", help="Segments to translate, one a line.")]
References = Annotated[Path, typer.Option("--ref", help="Their translations, one a line.")]
LengthPenalty = Annotated[float, typer.Option(help="Scores are divided by length to this power: 1 in the paper.")]
LengthReward = Annotated[float, typer.Option(help="What is added to a score for each token: nothing in the paper.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first so many segments.")]
RunLog = Annotated[Path, typer.Option("--out", "-o", help="The log of the run; where it is there, the run goes on.")]
Samples = Annotated[int, typer.Option(min=40, help="How many samples systems are compared by.")]
BatchSize = Annotated[int, typer.Option(min=1, help="How many segments are searched at a time.")]


def pick_revise(
    source: Sources,
    reference: References,
    out: RunLog,
    model: ModelName = _DEFAULT_MODEL,
    target: Target = None,
    method: Annotated[str, typer.Option(help="pick (phrases), prefix (up to the first wrong word) or segments.")] = "pick",
    mode: Annotated[
        str, typer.Option(help="What a phrase lacks: strict (every word), relaxed (its first) or whole.")
    ] = "strict",
    pick: Annotated[str, typer.Option(help="Which missing phrase: first, longest or random.")] = "first",
    cycles: Annotated[int, typer.Option(min=0, help="How often the user corrects.")] = 3,
    beam: Annotated[int, typer.Option(min=1)] = 10,
    length_penalty: LengthPenalty = LENGTH_PENALTY,
    length_reward: LengthReward = LENGTH_REWARD,
    seed: Annotated[int, typer.Option(help="For --pick random.")] = 1,
    limit: Limit = None,
    name: Annotated[str | None, typer.Option(help="What reports call the test set; by default its file.")] = None,
    batch_size: BatchSize = 64,
    device: Device = None,
) -> None:
    """Section 4.1: a simulated user corrects each translation a few times; BLEU, effort and work in each cycle."""
    from gridbeam.experiments.pickrevise import Setting, run
    from gridbeam.report import report

    setting = Setting(
        source,
        reference,
        model,
        target,
        name=name,
        method=method,
        mode=mode,  # type: ignore[arg-type]
        pick=pick,  # type: ignore[arg-type]
        seed=seed,
        beam=beam,
        length_penalty=length_penalty,
        length_reward=length_reward,
        limit=limit,
    )
    run(setting, out, cycles=cycles, batch_size=batch_size, device=device, console=_messages)
    print(report([out]))


def examples(
    log: Annotated[Path, typer.Argument(help="The log of a run of pick-revise.")],
    count: Annotated[int, typer.Option(min=1, help="How many sentences to show.")] = 10,
    most_given: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Leaves out those of whose reference more than this share was given.")
    ] = 0.6,
    form: Annotated[str, typer.Option("--format", help="markdown or latex.")] = "markdown",
    into: Annotated[
        Path | None, typer.Option(help="A page to put them on, between <!-- examples --> and <!-- end -->.")
    ] = None,
) -> None:
    """Section 4.3: the sentences whose BLEU rose most, with what was given in bold."""
    from gridbeam.experiments.examples import examples
    from gridbeam.report import put_into

    found = examples(log, count, form, most_given)
    if into is None:
        print(found)
    else:
        put_into(into, "examples", found)


def report(
    logs: Annotated[list[Path], typer.Argument(help="Logs of experiments.")],
    form: Annotated[str, typer.Option("--format", help="markdown or latex.")] = "markdown",
    figure: Annotated[Path | None, typer.Option(help="Also draws BLEU by cycle: .svg, .png or .pdf.")] = None,
    into: Annotated[
        Path | None, typer.Option(help="A page to put the tables on, between <!-- EXPERIMENT --> and <!-- end -->.")
    ] = None,
    summaries: Annotated[
        Path | None, typer.Option(help="A folder for the logs without their sentences, which suffice here.")
    ] = None,
) -> None:
    """Tables and figures from the logs of experiments."""
    from gridbeam.report import draw, fill, keep_summaries, report

    if into is None:
        print(report(logs, form))
    else:
        fill(into, logs)
    if figure is not None:
        draw(logs, figure)
    if summaries is not None:
        keep_summaries(logs, summaries)


def terminology(
    source: Sources,
    reference: References,
    out: RunLog,
    train_source: Annotated[
        Path | None, typer.Option("--train-src", help="Text of the domain that terms are extracted from; plain, or .xz.")
    ] = None,
    train_reference: Annotated[Path | None, typer.Option("--train-ref", help="Its translation, aligned line by line.")] = None,
    glossary: Annotated[Path | None, typer.Option(help="A glossary instead: .tsv, .csv, .tbx or .xlsx.")] = None,
    threshold: Annotated[float, typer.Option(help="The least npmi of a term.")] = 0.9,
    model: ModelName = _DEFAULT_MODEL,
    target: Target = None,
    beam: Annotated[int, typer.Option(min=1)] = 10,
    length_penalty: LengthPenalty = LENGTH_PENALTY,
    length_reward: LengthReward = LENGTH_REWARD,
    seeds: Annotated[int, typer.Option(min=1, help="How often terms are placed at random.")] = 10,
    samples: Samples = 1000,
    limit: Limit = None,
    batch_size: BatchSize = 64,
    device: Device = None,
) -> None:
    """Section 4.2: what the terms of a domain gain, by search, by random placement, at the beginning, by placeholders."""
    from gridbeam.experiments.terminology import terminology
    from gridbeam.report import report

    if (train_source is None) != (train_reference is None):
        raise UserError("--train-src and --train-ref belong together: give both, or a --glossary.")
    terminology(
        source,
        reference,
        out=out,
        model=model,
        target=target,
        train=(train_source, train_reference) if train_source and train_reference else None,
        glossary=glossary,
        threshold=threshold,
        beam=beam,
        length_penalty=length_penalty,
        length_reward=length_reward,
        seeds=seeds,
        samples=samples,
        limit=limit,
        batch_size=batch_size,
        device=device,
        console=_messages,
    )
    print(report([out]))


def dictionary(
    source: Sources,
    reference: References,
    terms: Annotated[Path, typer.Option(help="The terms of each segment, a JSON list a line.")],
    out: RunLog,
    model: ModelName = _DEFAULT_MODEL,
    target: Target = None,
    beam: Annotated[int, typer.Option(min=1)] = 5,
    length_penalty: LengthPenalty = LENGTH_PENALTY,
    length_reward: LengthReward = LENGTH_REWARD,
    samples: Samples = 1000,
    limit: Limit = None,
    batch_size: BatchSize = 64,
    device: Device = None,
) -> None:
    """News with dictionary terms, as Dinu et al. (2019): what it costs to have every term said."""
    from gridbeam.experiments.dictionary import dictionary
    from gridbeam.report import report

    dictionary(
        source,
        reference,
        terms,
        out=out,
        model=model,
        target=target,
        beam=beam,
        length_penalty=length_penalty,
        length_reward=length_reward,
        samples=samples,
        limit=limit,
        batch_size=batch_size,
        device=device,
        console=_messages,
    )
    print(report([out]))


def ablations(
    what: Annotated[str, typer.Option(help="beam, coverage, budget, length, tokens, order or dba.")],
    source: Sources,
    reference: References,
    out: RunLog,
    model: ModelName = _DEFAULT_MODEL,
    target: Target = None,
    beam: Annotated[int, typer.Option(min=1, help="Where the table is not about beams.")] = 10,
    seed: Annotated[int, typer.Option(help="For the words of the reference that are required.")] = 1,
    limit: Limit = None,
    batch_size: BatchSize = 64,
    device: Device = None,
) -> None:
    """What the paper left open, a table at a time: the same segments and constraints, searched in several ways."""
    from gridbeam.experiments.ablations import ablation
    from gridbeam.report import report

    ablation(
        what,
        source,
        reference,
        out=out,
        model=model,
        target=target,
        beam=beam,
        seed=seed,
        limit=limit,
        batch_size=batch_size,
        device=device,
        console=_messages,
    )
    print(report([out]))


command(pick_revise, experiment)
command(terminology, experiment)
command(dictionary, experiment)
command(ablations, experiment)
command(examples, experiment)
command(report, experiment)


def _subwords(model: str | None, target: str | None) -> Any:
    """How a model writes text, where one is named."""
    from gridbeam.models.load import load
    from gridbeam.subwords import Subwords

    return None if model is None else Subwords(load(model, target=target).tokenizer)


def _terms(constraint: list[str] | None, avoid: list[str] | None, prefix: str | None) -> list[Any]:
    from gridbeam.constraints import Avoid, Prefix

    return [*(constraint or ()), *map(Avoid, avoid or ()), *([Prefix(prefix)] if prefix else ())]


def main() -> None:
    """The entry point."""
    app()
