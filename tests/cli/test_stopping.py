"""A command that is stopped from outside: what is said, what is kept, and the exit code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from gridbeam.cli.commands import MESSAGES, command
from gridbeam.cli.stopping import Terminated, as_interrupts

SIGNALS = [
    number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None
]


def run(function):
    """What a command that does this ends with."""
    group = typer.Typer()
    command(function, group, needs_arguments=False)
    return CliRunner().invoke(group, [])


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_a_command_as_ctrl_c_does(number):
    def work() -> None:
        os.kill(os.getpid(), number)
        raise AssertionError("it goes on")

    found = run(work)
    assert found.exit_code == 128 + number
    assert found.stderr == "stopped; the same command goes on where it can\n"
    assert signal.getsignal(number) == signal.SIG_DFL


def test_ctrl_c_is_130():
    def work() -> None:
        raise KeyboardInterrupt

    assert run(work).exit_code == 130


def test_what_was_kept_is_said_whatever_the_signal():
    def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except KeyboardInterrupt as stop:
            stop.args = ("stopped; 7 are kept",)
            raise

    found = run(work)
    assert (found.exit_code, found.stderr) == (143, "stopped; 7 are kept\n")


def test_a_signal_that_the_process_ignores_stays_ignored():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with as_interrupts():
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    with pytest.raises(Terminated), as_interrupts():
        os.kill(os.getpid(), signal.SIGTERM)


def test_a_system_without_a_signal_has_commands_too(monkeypatch):
    monkeypatch.delattr(signal, "SIGHUP")
    assert run(lambda: None).exit_code == 0


def test_a_pipe_without_a_reader_ends_a_command_in_silence():
    def work() -> None:
        raise BrokenPipeError(32, "Broken pipe")

    found = run(work)
    assert (found.exit_code, found.output) == (141, "")


def test_messages_that_nobody_reads_end_a_command_too(monkeypatch):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        monkeypatch.setattr(MESSAGES, "_file", closed)

        def work() -> None:
            MESSAGES.print("a message")
            closed.flush()
            raise AssertionError("it goes on")

        assert run(work).exit_code == 141
        monkeypatch.undo()
        with pytest.raises(BrokenPipeError):
            closed.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), closed.fileno())
    MESSAGES.quiet = False
    MESSAGES._buffer.clear()  # what it could not print


@pytest.mark.parametrize("arguments", [["glossary", "check"], ["--help"]])
def test_a_process_whose_output_nobody_reads_says_nothing(tmp_path, arguments):
    terms = tmp_path / "terms.tsv"
    rows = "".join(f"word{n // 2}\ttarget{n}\n" for n in range(4_000))
    terms.write_text(f"source\ttarget\n{rows}")
    given = [*arguments, *([str(terms)] if "check" in arguments else [])]
    process = subprocess.Popen(
        [sys.executable, "-m", "gridbeam", *given],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) in (141, 1)  # the latter is that of --help, by rich
    assert b"Traceback" not in said and b"Broken pipe" not in said
