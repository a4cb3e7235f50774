"""Whatever is read, damaged or odd: a result or a message, within 5 seconds and 500 MB."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
INPUTS = 300
"""Of each kind; `make fuzz` tries 20,000."""
GROUPS = (
    ("documents", "glossaries", "constraints", "configurations", "journals", "logs"),
    ("checkpoints", "model folders", "runs of many workers"),
    ("requests",),
)
"""Kinds of inputs; those of a group share the start of a process."""


def fuzzing(*arguments: object) -> subprocess.CompletedProcess[str]:
    """What the command says, in a process that nothing else has worked in."""
    words = [sys.executable, HERE / "fuzzing.py", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent), "TQDM_DISABLE": "1"}
    return subprocess.run(
        list(map(str, words)), capture_output=True, text=True, env=environment, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: " ".join(group))
def test_every_input_is_read_or_refused_with_a_message(group):
    done = fuzzing("--inputs", INPUTS, *group)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(" 0 faults\n")


def test_an_input_is_known_by_its_number():
    shown = [fuzzing("--show", 7, "constraints").stdout for _ in range(2)]
    assert shown[0] == shown[1] != ""
