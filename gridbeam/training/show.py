"""A training run as it happens, for a terminal or a log file."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console

from gridbeam.support.progress import bar
from gridbeam.training.events import Event, Prepared, TrainingProgress


def show(events: Iterable[Event], updates: int, console: Console) -> None:
    """Shows a bar that moves and a line for each validation.

    Where there is no terminal, a line for every report.
    """
    with bar(console, updates, doing="preparing") as update:
        for event in events:
            if isinstance(event, TrainingProgress):
                update(event.update, _brief(event), "training")
            if not isinstance(event, TrainingProgress) or not console.is_terminal:
                console.print(in_line(event), highlight=False, markup=False, soft_wrap=True)


def in_line(event: Event) -> str:
    """What happened, in a line.

    >>> from gridbeam.training.events import Validation
    >>> in_line(Validation(500, 2.5, 1.2, {"dev.de": 17.4}, is_best=True))
    'update 500: development loss 2.500 (the source gains 1.200), BLEU 17.4 dev.de, the best so far'
    """
    if isinstance(event, Prepared):
        left_out = [
            f"{count:,} {reason} (first in line {event.first[reason]})"
            for reason, count in event.dropped.items()
        ]
        return f"{event.name}: {event.pairs:,} of {event.read:,} pairs" + (
            f"; left out {', '.join(left_out)}" * bool(left_out)
        )
    if isinstance(event, TrainingProgress):
        return f"update {event.update}: {_status(event)}, {event.seconds:.0f} s"
    scores = "".join(f", BLEU {value:.1f} {name}" for name, value in event.bleu.items())
    return (
        f"update {event.update}: development loss {event.loss:.3f} (the source gains"
        f" {event.source_gain:.3f}){scores}" + ", the best so far" * event.is_best
    )


def _brief(event: TrainingProgress) -> str:
    """What leaves room for the bar on a terminal of eighty columns."""
    return f"loss {event.loss:.3f}, {event.tokens_per_second:,.0f} tokens/s"


def _status(event: TrainingProgress) -> str:
    speed = f"{event.tokens_per_second:,.0f} tokens/s, waiting {event.waiting:.1%}"
    return f"epoch {event.epoch + 1}, loss {event.loss:.3f}, gradient {event.gradient:.2f}, {speed}"
