"""A text stands in LaTeX as it is, whatever characters it has."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridbeam.evaluation.score import ScoreReport, ScoreRow
from gridbeam.evaluation.scoretable import formatter
from gridbeam.experiments.table import Table
from gridbeam.support.latex import escaped

SPECIAL = r"\{}$&#^_%~<>|["
SHOWN = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    "{[}": "[",
    **{f"\\{character}": character for character in "{}$&#_%"},
}
"""What LaTeX shows for each of these."""


def as_shown(latex: str) -> str:
    """What LaTeX shows; all that it would take for something else is left as a box."""
    pattern = "|".join(map(re.escape, sorted(SHOWN, key=len, reverse=True)))
    return re.sub(
        rf"({pattern})|[{re.escape(SPECIAL)}]",
        lambda found: SHOWN[found[1]] if found[1] else "\N{WHITE SQUARE}",
        latex,
    )


@pytest.mark.parametrize("character", SPECIAL)
def test_every_special_character_is_shown_as_it_is(character):
    assert escaped(character) != character
    assert as_shown(escaped(f"a{character}b")) == f"a{character}b"


@given(st.text(SPECIAL + "ab ü"))
def test_every_text_is_shown_as_it_is(text):
    assert as_shown(escaped(text)) == text


def test_both_tables_are_escaped_alike():
    name = r"C:\out_1~50%"
    table = Table("t", ("run", "BLEU_x"), ((name, "1.0"),)).latex()
    scores = ScoreReport(
        name, "reference", None, None, 1, None, 0, 0, (ScoreRow("BLEU_x", 1.0, "s"),), "here"
    )
    report = formatter("latex")(scores)
    for latex in (table, report):
        body = latex.partition(r"\begin{tabular}")[2]
        assert escaped(name) in body and escaped("BLEU_x") in body


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_latex_takes_every_special_character(tmp_path):
    cells = r" \\ ".join(escaped(character) for character in SPECIAL)
    tabular = rf"\begin{{tabular}}{{l}}{cells}\end{{tabular}}"
    document = rf"\documentclass{{article}}\begin{{document}}{tabular}\end{{document}}"
    (tmp_path / "a.tex").write_text(document)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
