"""A report of scores as text, as JSON, or as a table for LaTeX."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from gridbeam.errors import UserError
from gridbeam.evaluation.score import ScoreReport, ScoreRow
from gridbeam.support.latex import escaped
from gridbeam.support.output_files import write_text


def formatter(name: str) -> Callable[[ScoreReport], str]:
    """From a report to text in one of the formats text, json and latex."""
    if name not in _FORMATS:
        raise UserError(f'unknown format "{name}": write text, json or latex.')
    return _FORMATS[name]


def save(text: str, path: Path) -> None:
    """Writes the text to a file, whole or not at all."""
    write_text(path, f"{text}\n", "Give another --out.")


def _text(report: ScoreReport) -> str:
    cells = [_titles(report), *(_cells(row) for row in report.rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    table = [_aligned(line, widths) for line in cells]
    width = max(len(row.name) for row in report.rows)
    signatures = [f"{row.name:<{width}}  {row.signature}" for row in report.rows]
    return "\n".join(
        [_about(report), "", *table, *_legend(report), "", *signatures, report.signature]
    )


def _about(report: ScoreReport) -> str:
    terms = (
        f", {report.terms} terms in {report.segments_with_terms} of them"
        if report.terms is not None
        else ""
    )
    plain = f"; {report.against} is without constraints" if report.against is not None else ""
    return f"{report.system} against {report.reference}, {report.segments} segments{terms}{plain}"


def _titles(report: ScoreReport) -> list[str]:
    return (
        ["", report.system, ""]
        if report.baseline is None
        else ["", report.baseline, report.system, "", ""]
    )


def _cells(row: ScoreRow) -> list[str]:
    name = f"{row.name} {row.arrow}".rstrip()
    counted = "" if row.counted is None else f"{row.counted[0]} of {row.counted[1]}"
    if row.paired is None:
        return [name, f"{row.value:.2f}", counted]
    pair = row.paired
    old = f"{pair.baseline:.2f} ({pair.baseline_mean:.2f} ± {pair.baseline_interval:.2f})"
    new = f"{row.value:.2f} ({pair.mean:.2f} ± {pair.interval:.2f})"
    return [name, old, new, f"p = {pair.p:.4f}", f"* {row.verdict}" if row.verdict else ""]


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """The first cell and the last to the left, numbers to the right."""
    first, *numbers, last = (
        f"{cell:<{width}}" if place in (0, len(cells) - 1) else f"{cell:>{width}}"
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([first, *numbers, last]).rstrip()


def _legend(report: ScoreReport) -> list[str]:
    if report.baseline is None:
        return []
    return [
        "",
        (
            "score (mean ± half of the 95% interval); * p < 0.05, paired bootstrap,"
            f" {report.samples} samples"
        ),
    ]


def _json(report: ScoreReport) -> str:
    rows = [
        {**asdict(row), "lower_is_better": row.lower_is_better, "verdict": row.verdict}
        for row in report.rows
    ]
    return json.dumps({**asdict(report), "rows": rows}, ensure_ascii=False)


def _latex(report: ScoreReport) -> str:
    """A table for the package booktabs, a line for each system; the signatures are comments."""
    names = [f"{escaped(row.name)} {_ARROWS[row.arrow]}".rstrip() for row in report.rows]
    new = [f"{row.value:.1f}{'$^{*}$' if row.verdict else ''}" for row in report.rows]
    old = [f"{row.paired.baseline:.1f}" for row in report.rows if row.paired is not None]
    lines = [[report.baseline, *old]] if report.baseline is not None else []
    body = [
        " & ".join([escaped(name), *numbers]) + r" \\"
        for name, *numbers in [*lines, [report.system, *new]]
    ]
    comments = [
        _about(report),
        *_legend(report)[1:],
        *(f"{row.name}: {row.signature}" for row in report.rows),
    ]
    return "\n".join(
        [
            *(f"% {comment}" for comment in [*comments, report.signature]),
            rf"\begin{{tabular}}{{l{'r' * len(names)}}}",
            r"\toprule",
            " & ".join(["", *names]).lstrip() + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


_ARROWS = {"↓": r"$\downarrow$", "↑": r"$\uparrow$", "": ""}
_FORMATS: dict[str, Callable[[ScoreReport], str]] = {"text": _text, "json": _json, "latex": _latex}
