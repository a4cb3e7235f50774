"""The commands asked in this process: what they print, and what they complain of."""

from __future__ import annotations

from typer.testing import CliRunner

from gridbeam.cli import app


def ask(*arguments, **environment):
    return CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1", **environment}).invoke(
        app, list(map(str, arguments))
    )


def complaint(*arguments):
    """What a command says that refuses to work."""
    found = ask(*arguments)
    assert found.exit_code == 2, found.output
    assert found.stdout == ""
    assert found.stderr.startswith("gridbeam: ") and found.stderr.count("\n") == 1
    return found.stderr.removeprefix("gridbeam: ").rstrip("\n")
