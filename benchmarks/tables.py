"""Writes the measured results into the documentation: `python benchmarks/tables.py`.

Runs no model.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
TABLES = {
    "engine": (
        "search.md",
        "engine.json",
        "rows",
        ["case", "coverage", "hypotheses", "column_ms", "topk_ms", "ratio", "us_per_hypothesis"],
    ),
    "defaults": (
        "search.md",
        "defaults.json",
        "rows",
        [
            "model",
            "beam",
            "constrained",
            "coverage",
            "ended",
            "score",
            "better",
            "worse",
            "hypotheses",
        ],
    ),
    "spending": (
        "search.md",
        "defaults.json",
        "spending",
        ["model", "spend", "score", "hypotheses"],
    ),
    "memory": (
        "transformers.md",
        "memory.json",
        "rows",
        ["model", "way", "hypotheses", "peak_mb", "generated_mb", "bound_mb", "step_ms"],
    ),
    "glossary": (
        "glossary.md",
        "glossary.json",
        "rows",
        ["terms", "by", "matches", "build_s", "match_s", "bare_s", "ratio"],
    ),
    "terms": (
        "terms.md",
        "terms.json",
        "rows",
        ["corpus", "segments", "seconds", "peak_mb", "terms", "load"],
    ),
    "updates": (
        "training.md",
        "updates.json",
        "rows",
        ["way", "16 tokens", "32 tokens", "48 tokens"],
    ),
    "generate": (
        "transformers.md",
        "generate-h200.json",
        "rows",
        ["sentences", "what", "seconds", "ratio"],
    ),
}
"""For each table: its page, the results file, the list in it, and the columns shown."""


def markdown(name: str) -> str:
    """A table with the signature of its results below.

    Of several beams, the narrowest and the widest.
    """
    _, file, part, columns = TABLES[name]
    results = json.loads((HERE / "results" / file).read_text())
    lines = [
        "| " + " | ".join(column.replace("_", " ") for column in columns) + " |",
        "| " + " | ".join("---" for _ in columns) + " |",
    ]
    rows = [row for row in results[part] if row.get("beam") not in (2, 5)]
    lines += [
        "| " + " | ".join(_shown(row.get(column, "")) for column in columns) + " |" for row in rows
    ]
    return "\n".join([*lines, "", f"*{results['signature']}*"])


def _shown(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def main() -> None:
    """Replaces each table in its page, between its marks."""
    for name, (page, *_) in TABLES.items():
        path, table = DOCS / page, markdown(name)
        marked = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        text = path.read_text(encoding="utf8")
        text = re.sub(
            marked, lambda match, table=table: f"{match[1]}{table}\n{match[2]}", text, flags=re.S
        )
        path.write_text(text, encoding="utf8")


if __name__ == "__main__":
    main()
