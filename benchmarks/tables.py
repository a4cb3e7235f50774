"""Writes the measured results into the documentation: `python benchmarks/tables.py`. Runs no model."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "search.md"
TABLES = {
    "engine": ("engine.json", "rows", ["case", "coverage", "hypotheses", "column_ms", "topk_ms", "ratio", "us_per_hypothesis"]),
    "defaults": (
        "defaults.json",
        "rows",
        ["model", "beam", "constrained", "coverage", "ended", "score", "better", "worse", "hypotheses"],
    ),
    "spending": ("defaults.json", "spending", ["model", "spend", "score", "hypotheses"]),
}
"""For each table of the page: the results file, the list in it, and the columns shown."""


def markdown(name: str) -> str:
    """A table with the signature of its results below; of several beams, the narrowest and the widest."""
    file, part, columns = TABLES[name]
    results = json.loads((HERE / "results" / file).read_text())
    lines = [
        "| " + " | ".join(column.replace("_", " ") for column in columns) + " |",
        "| " + " | ".join("---" for _ in columns) + " |",
    ]
    rows = [row for row in results[part] if row.get("beam") not in (2, 5)]
    lines += ["| " + " | ".join(_shown(row[column]) for column in columns) + " |" for row in rows]
    return "\n".join([*lines, "", f"*{results['signature']}*"])


def _shown(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def main() -> None:
    """Replaces each table of the page, between its marks."""
    page = PAGE.read_text(encoding="utf8")
    for name in TABLES:
        table = markdown(name)
        marked = rf"(<!-- {name} -->\n).*?(\n<!-- end -->)"
        page = re.sub(marked, lambda match, table=table: match[1] + table + match[2], page, flags=re.S)
    PAGE.write_text(page, encoding="utf8")


if __name__ == "__main__":
    main()
