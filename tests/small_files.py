"""`gridbeam translate` with a small model, as a call and as a process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from tempfile import mkdtemp

import tiny
from typer.testing import CliRunner

from gridbeam.cli import app

XLIFF1 = """<?xml version="1.0"?>
<xliff version="1.2"><file original="app" source-language="en" target-language="de"><body>
<trans-unit id="1"><source>The <g id="1">disk</g> is full.</source></trans-unit>
<trans-unit id="2" translate="no"><source>The disk</source></trans-unit>
<trans-unit id="3"><source>{0} files in the folder {file}, %s</source><note>keep &amp; me</note></trans-unit>
<trans-unit id="4"><source>Old</source><target state="translated">Alt</target></trans-unit>
</body></file></xliff>
"""  # noqa: E501
CLASH = "source\ttarget\tforbidden\ndisk\tLaufwerk\nscreen\tBildschirm\tLaufwerk\n"


@cache
def model() -> str:
    """The folder of a model with random weights that comes to an end before long."""
    folder = shutil.copytree(tiny.marian(("de",)), mkdtemp(prefix="brief-"), dirs_exist_ok=True)
    found = tiny.transformers.MarianMTModel.from_pretrained(folder)
    found.final_logits_bias[:, found.config.eos_token_id] += 4
    found.save_pretrained(folder)
    return folder


def ask(*arguments, stdin=None):
    """What the command does; the model writes what it likes, so that no check makes it fail."""
    runner = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"})
    given = ["translate", "--fail-on", "nothing", *map(str, arguments)]
    return runner.invoke(app, [*given, "-m", model(), "--beam", "2"], input=stdin)


def complaint(*arguments, stdin=None) -> str:
    """What the command says that refuses to work."""
    found = ask(*arguments, stdin=stdin)
    assert found.exit_code == 2, found.output
    assert found.stdout == "" and found.stderr.startswith("gridbeam: ")
    return found.stderr.removeprefix("gridbeam: ").rstrip("\n")


def start(*arguments, **options):
    """A real process that translates."""
    given = [
        sys.executable,
        "-m",
        "gridbeam",
        "translate",
        *map(str, arguments),
        "-m",
        model(),
        "--beam",
        "2",
    ]
    return subprocess.Popen(
        given,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "COLUMNS": "200"},
        **options,
    )


def leftovers(folder):
    return [
        path.name for path in folder.iterdir() if "journal" in path.name or "partial" in path.name
    ]
