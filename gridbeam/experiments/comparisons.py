"""Runs that compare systems as tables: a terminology, dictionary terms, and the ablations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gridbeam.experiments import paper
from gridbeam.experiments.cycletable import signatures, unusual
from gridbeam.experiments.log import SUMMARY, Record, Run
from gridbeam.experiments.table import Table
from gridbeam.experiments.terminology import BASELINE
from gridbeam.terminology.options import TERMS

_SIGNIFICANT = 0.05


def terminology_tables(runs: Sequence[Run]) -> list[Table]:
    """How many terms each run has, and what each system scores, beside the paper's BLEU."""
    return [_term_counts(runs), *map(_terminology, runs)]


def _label(run: Run) -> str:
    """What a run is called: its model and its sources, and options that are not the usual ones."""
    options = run.header["options"]
    size = f", first {options['limit']}" if options["limit"] else ""
    return f"{run.header['model']}, {run.header['data'][0][0]}{unusual(options)}{size}"


def _has_extracted(run: Run) -> bool:
    """Whether the terms are from parallel text, as the paper's are, and not from a glossary."""
    return "threshold" in run.header["options"]


def _terms_label(run: Run) -> str:
    origin, options = run.header["data"][2][0], run.header["options"]
    if not _has_extracted(run):
        return f"{_label(run)}, terms of {origin}"
    asked = {name: options[name] for name in vars(TERMS) if name in options}
    changed = [name for name, value in asked.items() if value != getattr(TERMS, name)]
    said = "".join(f", {name.replace('_', ' ')} {asked[name]}" for name in changed)
    return f"{_label(run)}, terms extracted from {origin}{said}"


def _term_counts(runs: Sequence[Run]) -> Table:
    columns = (
        "terms",
        "entries",
        "segments",
        "with terms",
        "terms",
        "per segment",
        "in reference %",
        "words of reference %",
    )
    rows = []
    for run in runs:
        found = run.all[f"{SUMMARY}/terms"]
        numbers = (
            found["entries"],
            found["segments"],
            found["segments_with_terms"],
            found["terms"],
        )
        shares = (
            _percent((found["terms_in_reference"], found["terms"])),
            _percent((found["term_words"], found["reference_words"])),
        )
        rows.append(
            (
                _terms_label(run),
                *map(str, numbers),
                f"{found['terms'] / found['segments']:.2f}",
                *shares,
            )
        )
    return Table("Terms", columns, tuple(rows))


def _terminology(run: Run) -> Table:
    systems = {record["system"]: record for record in run.records(SUMMARY) if "system" in record}
    published = (
        paper.TERMINOLOGY.get(run.header["options"]["target"] or "", {})
        if _has_extracted(run)
        else {}
    )
    columns = (
        "system",
        "BLEU",
        "gain",
        "where due",
        "chrF",
        "p to baseline",
        "p to GBS",
        "terms said",
        "lost",
        "s",
        "expanded",
        "paper",
    )
    rows = [
        (
            name,
            _with_deviation(record, "BLEU"),
            f"{record['scores']['BLEU'] - systems[BASELINE]['scores']['BLEU']:+.2f}",
            f"{record['bleu_where_due']:.2f}",
            _with_deviation(record, "chrF"),
            _p(record["p"].get(BASELINE)),
            _p(record["p"].get("GBS")),
            _of(record["terms"]),
            "" if record["lost"] is None else str(record["lost"]),
            *_work(record),
            _beside(published, name),
        )
        for name, record in systems.items()
    ]
    return Table(f"Terminology, {_terms_label(run)}", columns, tuple(rows), signatures([run]))


def dictionary_tables(runs: Sequence[Run]) -> list[Table]:
    """BLEU, terms found and time with and without terms, beside published numbers."""
    columns = (
        "system",
        "BLEU",
        "chrF",
        "p to plain",
        "exact",
        "exact %",
        "by lemma %",
        "s",
        "expanded",
    )
    rows = []
    for run in runs:
        for record in run.records(SUMMARY):
            terms = record["terms"]
            rows.append(
                (
                    f"{run.header['data'][0][0]}, {record['system']}",
                    f"{record['scores']['BLEU']:.2f}",
                    f"{record['scores']['chrF']:.2f}",
                    _p(record["p"]),
                    _of(terms["terms exact"]),
                    _percent(terms["terms exact"]),
                    _percent(terms.get("terms by lemma")),
                    *_work(record),
                )
            )
    rows += [
        (name, f"{bleu:.1f}", "", "", "", f"{found:.1f}", "", "", "")
        for name, (bleu, found) in paper.DICTIONARY.items()
    ]
    return [Table("Dictionary terms", columns, tuple(rows), signatures(runs))]


def ablation_tables(runs: Sequence[Run]) -> list[Table]:
    """A table for each run."""
    return [_ablation(run) for run in runs]


def _ablation(run: Run) -> Table:
    records = run.records(SUMMARY)
    bases = [record["compared_with"] for record in records if "compared_with" in record]
    columns = (
        *records[0]["way"],
        "BLEU",
        *(f"p to {base}" for base in bases[:1]),
        "chrF",
        "phrases said",
        "constraint tokens",
        "length ratio",
        "s",
        "expanded",
    )
    rows = [
        (
            *map(str, record["way"].values()),
            f"{record['scores']['BLEU']:.2f}",
            *(_p({"BLEU": record["p"]} if "p" in record else None) for _ in bases[:1]),
            f"{record['scores']['chrF']:.2f}",
            _of(record["phrases"]),
            "" if record["constraint_tokens"] is None else f"{record['constraint_tokens']:.1f}",
            f"{record['length_ratio']:.3f}",
            *_work(record),
        )
        for record in records
    ]
    return Table(
        f"Ablation of {run.header['options']['what']}, {_label(run)}",
        columns,
        tuple(rows),
        signatures([run]),
    )


def _with_deviation(record: Record, metric: str) -> str:
    shown = f"{record['scores'][metric]:.2f}"
    return f"{shown} ± {record['deviations'][metric]:.2f}" if record["seeds"] > 1 else shown


def _p(found: Mapping[str, float] | None) -> str:
    """The p-value of BLEU, with a star where it is significant."""
    return "" if not found else f"{found['BLEU']:.3f}{'*' if found['BLEU'] < _SIGNIFICANT else ''}"


def _of(counted: Sequence[int]) -> str:
    return f"{counted[0]} of {counted[1]}"


def _percent(counted: Sequence[int] | None) -> str:
    return f"{100 * counted[0] / max(counted[1], 1):.1f}" if counted else ""


def _work(record: Record) -> tuple[str, str]:
    found: Mapping[str, Any] | None = record["work"]
    return (f"{found['seconds']:.3f}", f"{found['expanded']:.0f}") if found else ("", "")


def _beside(published: Mapping[str, float], system: str) -> str:
    """The paper's BLEU and gain."""
    return (
        f"{published[system]:.2f} ({published[system] - published[BASELINE]:+.2f})"
        if system in published
        else ""
    )
