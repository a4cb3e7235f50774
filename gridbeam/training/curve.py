"""Learning curves: the logs of training runs as a figure that is readable without colour."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gridbeam.errors import UserError
from gridbeam.support import figures
from gridbeam.support.output_files import refuse_overwriting
from gridbeam.training.log import entry_of


def draw_curves(runs: Sequence[Path], out: Path, *, joined: bool = False) -> None:
    """Draws loss and BLEU of the runs over the target tokens seen.

    `joined`: each run has seen the tokens of all runs before it.
    """
    refuse_overwriting(
        {"--out": out}, {f"log {number}": run / "log.jsonl" for number, run in enumerate(runs, 1)}
    )
    logs = {name: _log(run / "log.jsonl") for name, run in _named(runs).items()}
    figure, (losses, scores) = figures.blank(2, (10, 4))
    before = 0
    for number, (name, log) in enumerate(logs.items()):
        style = figures.style(number)
        reports = [entry for entry in log if entry["kind"] == "progress"]
        seen = {entry["update"]: (before + entry["tokens"]) / 1e6 for entry in reports}
        losses.plot(
            [seen[e["update"]] for e in reports],
            [e["loss"] for e in reports],
            style,
            lw=1,
            label=f"{name}, training",
        )
        trials = [
            entry for entry in log if entry["kind"] == "validation" and entry["update"] in seen
        ]
        at = [seen[entry["update"]] for entry in trials]
        losses.plot(
            at,
            [entry["loss"] for entry in trials],
            style,
            marker="o",
            lw=1.5,
            label=f"{name}, development",
        )
        for place, test in enumerate(trials[0]["bleu"] if trials else ()):
            marker = figures.marker(place)
            scores.plot(
                at,
                [entry["bleu"].get(test, math.nan) for entry in trials],
                style,
                marker=marker,
                label=f"{name}, {test}",
            )
        before += reports[-1]["tokens"] if joined and reports else 0
    losses.set(xlabel="target tokens (millions)", ylabel="nats a token", title="Loss")
    scores.set(xlabel="target tokens (millions)", ylabel="BLEU", title="BLEU on development sets")
    for axes in (losses, scores):
        axes.grid(alpha=0.3)
        if axes.lines:
            axes.legend(
                fontsize="small",
                loc="upper center",
                bbox_to_anchor=(0.5, -0.15),
                ncols=2,
                frameon=False,
            )
    figures.save(figure, out)


def _named(runs: Sequence[Path]) -> dict[str, Path]:
    """The runs by name: the folder's, or where two have the same, the path from where they part."""
    names = [run.name for run in runs]
    if len(set(names)) < len(set(runs)):
        shared = os.path.commonpath([run.absolute() for run in runs])
        names = [os.path.relpath(run, shared) for run in runs]
    return dict(zip(names, runs, strict=True))


def _log(path: Path) -> list[dict[str, Any]]:
    """What a run has reported; a last line without an end is still being written."""
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except OSError:
        raise UserError(f"{path} cannot be read: name the folder of a training run") from None
    found = [_entry(line, f"{path} line {number}") for number, line in enumerate(lines, 1)]
    if not found:
        raise UserError(f"{path} is empty: the run has not reported yet")
    return found


def _entry(line: bytes, place: str) -> dict[str, Any]:
    try:
        return entry_of(line)
    except UserError as error:
        raise UserError(f"{place} is no training log: {error}") from None
