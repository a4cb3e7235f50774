"""Writes the measured results into the documentation: `python benchmarks/tables.py`.

And what the package itself says: the defaults of each way in. Runs no model.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from textwrap import fill
from typing import Any

import robustness

from gridbeam.checks import RULES
from gridbeam.decoding.options import NAMES, SEARCH, SearchOptions
from gridbeam.experiments.defaults import DICTIONARY, EXPERIMENTS
from gridbeam.generate.method import GENERATE
from gridbeam.support import figures
from gridbeam.translation.defaults import POST_EDITING, TRANSLATION

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
TABLES = {
    "workers": (
        "scale.md",
        "workers.json",
        "rows",
        [
            "workers",
            "sentences",
            "wall_s",
            "processor_s",
            "efficiency",
            "efficiency_by_processor",
        ],
    ),
    "required": (
        "scale.md",
        "scale.json",
        "cost",
        ["phrases", "required_characters", "characters", "ms", "ratio", "planned"],
    ),
    "sent": ("scale.md", "scale.json", "bytes", ["what", "bytes"]),
    "planning": ("scale.md", "scale.json", "planning", ["lines", "shards", "us_per_line"]),
    "larger": (
        "scale.md",
        "terms_memory.json",
        "rows",
        ["how", "limit_mb", "seconds", "peak_mb", "terms", "failed", "same"],
    ),
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
    "placing": (
        "damage.md",
        "placing.json",
        "rows",
        [
            "set",
            "sentences",
            "that_lack_a_term",
            "BLEU_plain",
            "search",
            "best_places",
            "and_a_word",
        ],
    ),
    "alarms": (
        "checks.md",
        "checks.json",
        "alarms",
        ["rule", "severity", "de", "fr", "pt", "software", "interfaces", "manuals", "all"],
    ),
    "faults": ("checks.md", "checks.json", "faults", ["fault", "rule", "made", "caught_%"]),
    "estimate": (
        "checks.md",
        "quality.json",
        "auc",
        ["texts", "count", "usable_%", "score", "score_a_token", "estimate"],
    ),
    "calibration": (
        "checks.md",
        "quality.json",
        "calibration",
        ["estimate", "count", "usable_%", "chrF"],
    ),
    "limits": (
        "checks.md",
        "quality.json",
        "limits",
        ["review_below", "flagged_%", "usable_among_others_%"],
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
    "shares": (
        "search.md",
        "shares.json",
        "rows",
        ["task", "way", "hypotheses", "times", "score", "BLEU", "gain_%"],
    ),
    "editing": (
        "postediting.md",
        "editing.json",
        "rows",
        ["set", "way", "replaced", "in place %", "kept %", "chrF", "seconds"],
    ),
    "offered": (
        "postediting.md",
        "editing.json",
        "offered",
        ["set", "places", "offered", "wanted %", "seconds"],
    ),
    "kinds": (
        "documents.md",
        "kinds.json",
        "rows",
        [
            "kind",
            "shown",
            "sentences",
            "as is survives %",
            "{1} survives %",
            "as is chrF",
            "{1} chrF",
            "as is s",
            "{1} s",
        ],
    ),
    "tags": (
        "documents.md",
        "tags.json",
        "rows",
        ["model", "set", "language", "pairs", "told %", "guessed right %", "guided right %"],
    ),
    "generate": (
        "transformers.md",
        "generate-h200.json",
        "rows",
        ["sentences", "what", "seconds", "ratio"],
    ),
    "store": ("store.md", "store.json", "rows", ["what", "sqlite_ms", "postgresql_ms"]),
    "cpu": (
        "performance.md",
        "cpu.json",
        "rows",
        [
            "text",
            "way",
            "one ms",
            "one ratio",
            "batch ms",
            "batch ratio",
            "3 words, one ms",
            "3 words, one, of plain",
            "3 words, batch ms",
            "3 words, batch, of plain",
        ],
    ),
    "plain": (
        "performance.md",
        "bench.json",
        "plain",
        ["way", "one ms", "one ratio", "batch ms", "batch ratio", "peak MB"],
    ),
    "words": (
        "performance.md",
        "bench.json",
        "words",
        [
            "way",
            "one ms",
            "one, of plain",
            "batch ms",
            "batch, of plain",
            "sentences with all words",
        ],
    ),
    "outside": (
        "performance.md",
        "bench.json",
        "outside",
        ["what", "batch", "ms", "bare model ms", "outside %"],
    ),
    "growth": (
        "performance.md",
        "bench.json",
        "growth",
        ["by", "value", "gridbeam ms", "budget ms", "CTranslate2, int8 ms"],
    ),
    "command": (
        "performance.md",
        "bench.json",
        "command",
        ["what", "processor s", "clock s"],
    ),
    "threads": (
        "performance.md",
        "threads.json",
        "rows",
        ["others", "way", "one ms", "one ratio", "batch ms", "batch ratio"],
    ),
    "damage": (
        "damage.md",
        "damage.json",
        "rows",
        [
            "set",
            "language",
            "name",
            "beam",
            "forms",
            "sentences",
            "changed",
            "fell_%",
            "rose_%",
            "chrF_plain",
            "chrF",
            "met_%",
            "BLEU_plain",
            "BLEU",
        ],
    ),
}
"""For each table: its page, the results file, the list in it, and the columns shown."""


ROBUSTNESS = ["general", "builtin"]
"""The models side by side in the table of benchmarks/robustness.py."""
HIDDEN_BEAMS = {"defaults": (2, 5), "spending": (2, 5), "generate": (2, 5)}
"""Of tables with several beams, those between the narrowest and the widest."""


def markdown(name: str) -> str:
    """A table with the signature of its results below."""
    _, file, part, columns = TABLES[name]
    results = json.loads((HERE / "results" / file).read_text())
    lines = [
        "| " + " | ".join(column.replace("_", " ") for column in columns) + " |",
        "| " + " | ".join("---" for _ in columns) + " |",
    ]
    rows = [row for row in results[part] if row.get("beam") not in HIDDEN_BEAMS.get(name, ())]
    lines += [
        "| " + " | ".join(_shown(row.get(column, "")) for column in columns) + " |" for row in rows
    ]
    return "\n".join([*lines, "", f"*{results['signature']}*"])


DOORS: dict[str, tuple[SearchOptions, dict[str, str]]] = {
    "`search`": (SEARCH, {"max_length": "100"}),
    "`Translator`, files": (TRANSLATION, {"max_length": "by source"}),
    "`PostEditing`": (POST_EDITING, {"max_length": "by source"}),
    "experiments": (EXPERIMENTS, {"max_length": "by source"}),
    "`generate`": (
        GENERATE,
        {"max_length": "`max_new_tokens`", "beam": "`num_beams`", "stop": "`early_stopping`"},
    ),
}
"""The ways in: the defaults of each, and what stands in the table in place of a value."""
WHY = {
    "beam": (
        "the paper has 10; with 5 BLEU is [as high](results.md#ablations) for half the hypotheses."
        f" The experiment with dictionary terms has {DICTIONARY.beam}, as a translator has"
    ),
    "share": (
        "a glossary may have nearly every word of a long sentence, and a beam in each of a hundred"
        " rows takes minutes; up to twelve rows"
        " [nothing is different](#how-places-are-shared-out). Locked text is a long phrase, within"
        " which [two places are enough](performance.md#locked-text)"
    ),
    "max_length": "a sentence is about as long as its source, if there is one: twice, and 10",
    "length_penalty": (
        "the paper divides by length, which constraints"
        " [turn into chatter](#length-and-constraints)"
    ),
    "length_reward": "a reward for each token in place of that division",
    "force_end": "`generate` cuts texts off where its length ends",
    "stop": (
        "with a reward for each token nearly every text might still win by growing, so that `exact`"
        " stops late; `likely` is the rule of transformers"
    ),
}
"""Why defaults differ, for each option where they do."""


def doors() -> str:
    """The defaults of every option of the search by the way in, and why some differ."""
    shown = {name: [_default(name, *door) for door in DOORS.values()] for name in NAMES}
    differing = [name for name, cells in shown.items() if len(set(cells)) > 1]
    lines = ["| option | " + " | ".join(DOORS) + " |", "| --- " * (len(DOORS) + 1) + "|"]
    lines += [f"| `{name}` | " + " | ".join(cells) + " |" for name, cells in shown.items()]
    reasons = [f"- `{name}`: {WHY[name]}." for name in differing]
    wrapped = [fill(each, 100, subsequent_indent="  ", break_on_hyphens=False) for each in reasons]
    return "\n".join([*lines, "", *wrapped])


def rules() -> str:
    """The rules of the checks, with their other names."""
    lines = ["| rule | severity | looks at | what it finds | also called |", "| --- " * 5 + "|"]
    for rule in RULES:
        names = ", ".join(f"`{name}`" for name in rule.also)
        cells = (f"`{rule.name}`", rule.severity, rule.compares, rule.about, names)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _default(name: str, options: SearchOptions, words: dict[str, str]) -> str:
    value = getattr(options, name)
    return words.get(name, "the sum" if callable(value) else str(value))


def _shown(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def draw_growth(out: Path) -> None:
    """Draws how the time of a sentence grows, from what `bench.py` has measured."""
    rows = json.loads((HERE / "results" / "bench.json").read_text())["growth"]
    kinds = list(dict.fromkeys(row["by"] for row in rows))
    figure, panels = figures.blank(len(kinds), (13, 3.4))
    for kind, axes in zip(kinds, panels, strict=True):
        here = [row for row in rows if row["by"] == kind]
        names = list(dict.fromkeys(key for row in here for key in row if key.endswith(" ms")))
        for number, name in enumerate(names):
            line = f"{figures.style(number)}{figures.marker(number)}"
            points = [row["value"] for row in here], [row[name] for row in here]
            axes.plot(*points, line, label=name.removesuffix(" ms"))
        axes.set(xlabel=kind, ylabel="ms a sentence", ylim=(0, None))
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small", frameon=False)
    figures.save(figure, out)


def main() -> None:
    """Replaces each table in its page, between its marks, and the figure of `bench.py`."""
    draw_growth(DOCS / "performance.svg")
    tables = [(name, page, markdown(name)) for name, (page, *_) in TABLES.items()]
    for name, page, table in [
        *tables,
        ("doors", "search.md", doors()),
        ("rules", "checks.md", rules()),
        ("robustness", "models.md", robustness.table(ROBUSTNESS)),
    ]:
        path = DOCS / page
        marked = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        text = path.read_text(encoding="utf8")
        text = re.sub(
            marked, lambda match, table=table: f"{match[1]}{table}\n{match[2]}", text, flags=re.S
        )
        path.write_text(text, encoding="utf8")


if __name__ == "__main__":
    main()
