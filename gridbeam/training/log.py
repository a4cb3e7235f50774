"""The log of a training run: a line of JSON for each event, none from a future that was undone."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from gridbeam.errors import UserError
from gridbeam.support.line_files import LineFile, whole_lines
from gridbeam.training.checkpoint import put
from gridbeam.training.events import TrainingProgress, Validation

_NUMBERS = {"progress": ("update", "tokens", "loss"), "validation": ("update", "loss")}
"""What each kind of line says in numbers."""


def write(log: Path, event: TrainingProgress | Validation) -> None:
    """Adds what happened; where that is the loss of all numbers, says what to do."""
    remedy = "Make room, then run the same command."
    with LineFile(log, remedy) as lines:
        lines.add(json.dumps({"kind": event.kind, **asdict(event)}), remedy)
    if not math.isfinite(event.loss):
        raise UserError(
            f"update {event.update}: the loss is no number any more. Start anew with a lower"
            " training.learning_rate, or a longer warmup."
        )


def cut(log: Path, update: int) -> tuple[float, int]:
    """Cuts from the log what came after the checkpoint; returns seconds and tokens up to it."""
    kept: list[str] = []
    seconds, tokens = 0.0, 0
    for number, line in enumerate(whole_lines(log), 1):
        try:
            entry = entry_of(line)
        except UserError as error:
            raise UserError(
                f"{log} line {number}: {error}. Mend or remove the log, then run the same command."
            ) from None
        if entry["update"] > update:
            break
        kept.append(line.decode("utf8"))
        seconds, tokens = entry.get("seconds", seconds), entry.get("tokens", tokens)
    put(log, "".join(kept))
    return seconds, tokens


def entry_of(line: bytes) -> dict[str, Any]:
    """What a line of a log says of progress or a validation; a `UserError` where it is neither."""
    try:
        entry = json.loads(line.decode("utf8"))
    except (ValueError, RecursionError) as error:
        raise UserError(str(error)) from None
    kind = entry.get("kind") if isinstance(entry, dict) else None
    needed = _NUMBERS.get(kind) if isinstance(kind, str) else None
    if needed is None or not all(_is_number(entry.get(name)) for name in needed):
        raise UserError("it says neither progress nor validation")
    if not _is_number(entry.get("seconds", 0)) or not _is_number(entry.get("tokens", 0)):
        raise UserError("its seconds or tokens are no numbers")
    if kind == "validation" and not _are_scores(entry.get("bleu")):
        raise UserError("its bleu holds no scores of development sets")
    return cast(dict[str, Any], entry)


def _is_number(value: object) -> bool:
    is_whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63
    return is_whole or isinstance(value, float)


def _are_scores(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_number, value.values()))
