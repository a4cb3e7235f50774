"""Runs of Pick-Revise and its variants as tables: BLEU in each cycle, the paper's, the cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gridbeam.experiments.defaults import EXPERIMENTS, is_as_in_paper
from gridbeam.experiments.log import SUMMARY, Record, Run
from gridbeam.experiments.paper import PICK_REVISE
from gridbeam.experiments.table import Table, distinct


def tables(runs: Sequence[Run]) -> list[Table]:
    """BLEU by cycle of all runs, and a table of effort and work for each measure that was taken."""
    return [_bleu(runs), _costs(runs)]


def label(run: Run) -> str:
    """What a run is called: languages, test set, and how the user went about it."""
    options = run.header["options"]
    way = options["method"] if options["method"] != "pick" else options["mode"]
    size = f", first {options['limit']}" if options["limit"] else ""
    return f"{options['languages']} {options['name']}, {way}{_setting(options)}{size}"


def _setting(options: Mapping[str, Any]) -> str:
    """How the user picks and the search is done, where not as usual."""
    usual = {"pick": "first", "units": "words"}
    chosen = {name: options.get(name, value) for name, value in usual.items()}
    if is_as_in_paper(options) and chosen == {"pick": "longest", "units": "tokens"}:
        return ", as in the paper"
    said = "".join(f", {value}" for name, value in chosen.items() if value != usual[name])
    return said + unusual(options)


def unusual(options: Mapping[str, Any]) -> str:
    """How the search was done, where not as usual; the beam is told with the model."""
    if is_as_in_paper(options):
        return ", searched as in the paper"
    usual = EXPERIMENTS.but(beam=1).as_values()
    found = {name: options[name] for name in usual if name in options and name != "beam"}
    return "".join(
        f", {name.replace('_', ' ')} {value:g}"
        if isinstance(value, float)
        else f", {name.replace('_', ' ')} {value}"
        for name, value in found.items()
        if value != usual[name]
    )


def bleu_by_cycle(run: Run) -> list[float]:
    """BLEU in each finished cycle."""
    return [float(record["scores"]["BLEU"]) for record in run.records(SUMMARY)]


def _bleu(runs: Sequence[Run]) -> Table:
    cycles = max(len(bleu_by_cycle(run)) for run in runs)
    rows: list[tuple[str, ...]] = []
    for run in runs:
        rows.append(_row(label(run), bleu_by_cycle(run), cycles))
        rows += [row for row in _paper_row(run, cycles) if row not in rows]
    columns = ("BLEU", *map(str, range(cycles)), "gain")
    return Table("BLEU in each cycle of corrections", columns, tuple(rows), signatures(runs))


def _row(name: str, values: Sequence[float], cycles: int) -> tuple[str, ...]:
    shown = [f"{value:.2f}" for value in values] + [""] * (cycles - len(values))
    return (name, *shown[:cycles], f"{values[-1] - values[0]:+.2f}" if len(values) > 1 else "")


def _paper_row(run: Run, cycles: int) -> list[tuple[str, ...]]:
    """The paper's row, where it has one for these languages and this mode."""
    options = run.header["options"]
    known = PICK_REVISE.get((options.get("mode", ""), options["languages"]))
    return (
        [_row(f"paper: {options['languages']} {known[0]}, {options['mode']}", known[1], cycles)]
        if known
        else []
    )


_TOKENISED = "tokenised_bleu"
_COSTS = (
    "tokenised BLEU",
    "chrF",
    "HTER",
    "equal",
    "words %",
    "KSMR",
    "met",
    "outside",
    "s",
    "expanded",
    "early %",
)


def _costs(runs: Sequence[Run]) -> Table:
    records = [(label(run), record) for run in runs for record in run.records(SUMMARY)]
    columns: tuple[str, ...] = ("run", "cycle", *_COSTS)
    rows = [_cost(name, record) for name, record in records]
    if not any(_TOKENISED in record for _, record in records):  # a log of before it was measured
        place = columns.index(_COSTS[0])
        columns, *rows = ((*row[:place], *row[place + 1 :]) for row in (columns, *rows))
    return Table("What it costs, and what it does", columns, tuple(rows))


def _cost(name: str, record: Record) -> tuple[str, ...]:
    met, due = record["met"]
    outside = record["outside"]
    return (
        name,
        str(record["cycle"]),
        f"{record[_TOKENISED]:.2f}" if _TOKENISED in record else "",
        f"{record['scores']['chrF']:.2f}",
        f"{record['scores']['TER']:.2f}",
        f"{record['equal']}",
        f"{record['words_typed']:.1f}",
        f"{record['ksmr']:.1f}",
        f"{met} of {due}",
        f"{outside['before']:.2f} → {outside['after']:.2f}" if outside else "",
        f"{record['seconds']:.3f}",
        f"{record['expanded']:.0f}",
        f"{record['stopped_early']:.1f}",
    )


def signatures(runs: Sequence[Run]) -> tuple[str, ...]:
    """Those of the scores, of the models and data, and of the machines."""
    notes = [
        f"{name}: {text}"
        for run in runs
        for record in run.records(SUMMARY)
        for name, text in record["signatures"].items()
    ]
    notes += [
        f"model {run.header['model']}, weights {run.header['weights']}, beam"
        f" {run.header['options']['beam']}"
        for run in runs
    ]
    notes += [f"{name} {digest}" for run in runs for name, digest in run.header["data"]]
    return distinct([*notes, *(signature for run in runs for signature in run.signatures)])
