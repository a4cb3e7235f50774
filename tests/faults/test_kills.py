"""Whatever is killed, wherever: nothing that was finished is lost or doubled, and it goes on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
GROUPS = (
    ("translate", "log", "glossary"),
    ("workspace", "serve"),
    ("train",),
    ("many workers", "array", "terms"),
)
"""The runs by the beginnings of their names; those of a group share the start of a process."""


def report(*arguments: object) -> str:
    """What the harness prints, in a process that nothing else has worked in."""
    words = [sys.executable, HERE / "faults.py", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    done = subprocess.run(
        list(map(str, words)), capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS, ids=" ".join)
def test_nothing_is_lost_or_doubled_wherever_a_run_is_killed(group):
    said = report(*group)
    assert all(any(line.startswith(name) for line in said.splitlines()) for name in group)


@pytest.mark.slow
def test_a_real_process_that_is_killed_goes_on_to_the_same_end():
    assert "cold" in report("translate .po", "--kills", 1, "--cold", 2)
