"""From the logs of experiments to tables and figures: Markdown, LaTeX, and pictures.

The pictures are readable without colour.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from gridbeam.errors import UserError
from gridbeam.evaluation.scoretable import save
from gridbeam.experiments import (
    ablations,
    comparisons,
    cycletable,
    dictionary,
    pickrevise,
    terminology,
)
from gridbeam.experiments.log import SUMMARY, Run, read, save_summary
from gridbeam.experiments.table import Table
from gridbeam.support import figures
from gridbeam.support.output_files import refuse_overwriting
from gridbeam.support.typed_values import fits

_TABLES: dict[str, Callable[[Sequence[Run]], list[Table]]] = {
    pickrevise.EXPERIMENT: cycletable.tables,
    terminology.EXPERIMENT: comparisons.terminology_tables,
    dictionary.EXPERIMENT: comparisons.dictionary_tables,
    ablations.EXPERIMENT: comparisons.ablation_tables,
}
"""How the runs of an experiment become tables."""
_FORMATS: dict[str, Callable[[Table], str]] = {"markdown": Table.markdown, "latex": Table.latex}


def report(logs: Sequence[Path], form: str = "markdown") -> str:
    """All tables of these logs, an experiment after the other."""
    if form not in _FORMATS:
        raise UserError(f'unknown format "{form}": write markdown or latex.')
    return "\n\n".join(
        _FORMATS[form](table) for tables in _by_experiment(logs).values() for table in tables
    )


def check_places(
    logs: Sequence[Path], figure: Path | None, page: Path | None, summaries: Path | None
) -> None:
    """Raises where an output would overwrite a log or another output."""
    numbered = dict(enumerate(logs, 1))
    kept = (
        {f"--summaries, log {number}:": summaries / log.name for number, log in numbered.items()}
        if summaries
        else {}
    )
    read = {f"log {number}:": log for number, log in numbered.items()}
    refuse_overwriting({"--into": page, "--figure": figure, **kept}, read)


def fill(page: Path, logs: Sequence[Path]) -> None:
    """Puts the tables of each experiment on a page, in the place that has its name."""
    for name, tables in _by_experiment(logs).items():
        put_into(page, name, "\n\n".join(map(Table.markdown, tables)))


def put_into(page: Path, name: str, text: str) -> None:
    """Replaces what stands on a page between `<!-- NAME -->` and `<!-- end -->`."""
    try:
        before = page.read_text(encoding="utf8")
    except OSError as error:
        raise UserError(
            f"{page} cannot be read: {error.strerror}. Name a page of Markdown."
        ) from None
    after, count = re.subn(
        rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)",
        lambda found: f"{found[1]}{text}\n{found[2]}",
        before,
        flags=re.S,
    )
    if not count:
        raise UserError(
            f"{page} has no place for this. Put the lines <!-- {name} --> and <!-- end --> where it"
            " belongs."
        )
    save(after.removesuffix("\n"), page)


def draw(logs: Sequence[Path], out: Path) -> None:
    """Draws BLEU over the cycles of corrections, a line for each run."""
    runs = [run for run in map(_finished, logs) if run.experiment == pickrevise.EXPERIMENT]
    if not runs:
        raise UserError("none of these logs has cycles to draw. Name the log of a pick-revise run.")
    figure, axes = figures.blank(1, (7, 4.5))
    for number, run in enumerate(runs):
        style = figures.style(number) + figures.marker(number)
        values = cycletable.bleu_by_cycle(run)
        axes.plot(range(len(values)), values, style, lw=1.3, label=cycletable.label(run))
    axes.set(xlabel="cycle of corrections", ylabel="BLEU")
    axes.set_xticks(range(max(len(cycletable.bleu_by_cycle(run)) for run in runs)))
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    figures.save(figure, out)


def keep_summaries(logs: Sequence[Path], folder: Path) -> None:
    """Writes each log without its sentences to a folder: small, and all that reports need."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"{folder} cannot be made: {error.strerror}. Choose another folder."
        ) from None
    for run in map(_finished, logs):
        save_summary(run, folder / run.path.name)


def _by_experiment(logs: Sequence[Path]) -> dict[str, list[Table]]:
    found: dict[str, list[Run]] = {}
    for run in map(_finished, logs):
        found.setdefault(run.experiment, []).append(run)
    return {name: _tables(name, runs) for name, runs in found.items()}


def _tables(name: str, runs: Sequence[Run]) -> list[Table]:
    """The tables of an experiment; what somebody has changed in its logs may fit none."""
    try:
        tables = _TABLES[name](runs)
        if not all(fits(table, Table) for table in tables):
            raise TypeError("what stands in a table is no text")
        return tables
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        if isinstance(error, UserError):
            raise
        paths = ", ".join(str(run.path) for run in runs)
        raise UserError(
            f"{paths}: these are not as {name} writes them ({type(error).__name__}: {error}). Take"
            " the logs as they were written, or run the experiment again."
        ) from error


def _finished(path: Path) -> Run:
    """The log of a run that has something to report."""
    run = read(path)
    if run.experiment not in _TABLES:
        raise UserError(
            f"{path} is a run of {run.experiment}, which is not known here: there is"
            f" {', '.join(_TABLES)}."
        )
    if not run.records(SUMMARY):
        raise UserError(
            f"{path} has no results yet: the run was broken off. Run the same command again to"
            " go on."
        )
    return run
