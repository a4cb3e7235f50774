"""A training run is shown as it happens: a bar on a terminal, a line per report in a file."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from gridbeam.training.events import Prepared, TrainingProgress, Validation
from gridbeam.training.show import show

EVENTS = [
    Prepared("a[b].de", 8, 10, {"empty": 2}, {"empty": 3}),
    TrainingProgress(50, 0, 3.25, 0.5, 0.001, 1000, 12345.6, 0.025, 1.5),
    Validation(50, 2.5, 0.5, {"dev.de": 17.44}, is_best=True),
    TrainingProgress(100, 1, 2.75, 0.5, 0.001, 2000, 12345.6, 0.025, 3.0),
    Validation(100, 2.75, 0.5, {"dev.de": 16.0}, is_best=False),
]
LINES = [
    "a[b].de: 8 of 10 pairs; left out 2 empty (first in line 3)",
    "update 50: epoch 1, loss 3.250, gradient 0.50, 12,346 tokens/s, waiting 2.5%, 2 s",
    "update 50: development loss 2.500 (the source gains 0.500), BLEU 17.4 dev.de, the best so far",
    "update 100: epoch 2, loss 2.750, gradient 0.50, 12,346 tokens/s, waiting 2.5%, 3 s",
    "update 100: development loss 2.750 (the source gains 0.500), BLEU 16.0 dev.de",
]


def shown(**options):
    out = io.StringIO()
    show(iter(EVENTS), 100, Console(file=out, width=80, **options))
    return out.getvalue()


def test_a_file_gets_a_line_for_every_report():
    assert shown().splitlines() == LINES


def test_a_terminal_gets_a_bar_that_moves_and_a_line_for_what_stays():
    text = shown(force_terminal=True, legacy_windows=False, color_system=None)
    assert all(line in text for line in (LINES[0], LINES[2], LINES[4]))
    assert LINES[1] not in text
    assert "━" in text and "100/100" in text and "loss 2.750, 12,346 tokens/s" in text


def test_a_run_that_fails_leaves_the_terminal_as_it_was():
    def failing():
        yield EVENTS[0]
        raise KeyboardInterrupt

    out = io.StringIO()
    with pytest.raises(KeyboardInterrupt):
        show(failing(), 100, Console(file=out, width=80, force_terminal=True, legacy_windows=False))
    assert "\x1b[?25h" in out.getvalue().rpartition("\x1b[?25l")[2]
