"""The log of a training run: a line of JSON for each event, none from a future that was undone."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path

from gridbeam.errors import UserError
from gridbeam.support.line_files import LineFile, whole_lines
from gridbeam.training.checkpoint import put
from gridbeam.training.events import TrainingProgress, Validation


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
    for line in map(bytes.decode, whole_lines(log)):
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise UserError(
                f"{log} line {len(kept) + 1}: {error}. Mend or remove the log, then run the same"
                " command."
            ) from None
        if entry["update"] > update:
            break
        kept.append(line)
        seconds, tokens = entry.get("seconds", seconds), entry.get("tokens", tokens)
    put(log, "".join(kept))
    return seconds, tokens
