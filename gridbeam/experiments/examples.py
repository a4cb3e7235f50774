"""The sentences that corrections helped most, after the paper's third table, corrections bold.

A heading of two words gains most when both are given, and shows nothing; so sentences count of
whose references the user gave some, and the model had to find the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sacrebleu.metrics.bleu import BLEU

from gridbeam.constraints.occurrences import Span
from gridbeam.errors import UserError
from gridbeam.experiments.draft import PlayedDraft
from gridbeam.experiments.log import SUMMARY, Run, read
from gridbeam.experiments.pickrevise import EXPERIMENT
from gridbeam.experiments.reference import ReferenceText, numbers
from gridbeam.support.latex import escaped

MOST_GIVEN = 0.6
"""The share of a reference that may have been given; of the paper's examples about half was."""


@dataclass(frozen=True)
class Example:
    """A sentence before and after its corrections."""

    source: str
    reference: str
    original: str
    revised: str
    spans: tuple[Span, ...]
    """The stretches of the revised text that were given."""
    given: tuple[str, ...]
    """What was given, cycle by cycle."""
    share_given: float
    """How much of the reference that is, in words."""
    before: float
    """Sentence BLEU of the original."""
    after: float

    @property
    def gain(self) -> float:
        """By how much sentence BLEU rose."""
        return self.after - self.before


def examples(
    log: Path, count: int = 10, form: str = "markdown", most_given: float = MOST_GIVEN
) -> str:
    """The sentences of a run of Pick-Revise whose BLEU rose most, best first.

    Left out are those of whose references more than the share `most_given` was given.
    """
    if form not in _FORMATS:
        raise UserError(f'unknown format "{form}": write markdown or latex.')
    return _FORMATS[form](best(read(log), count, most_given))


def best(run: Run, count: int, most_given: float = MOST_GIVEN) -> list[Example]:
    """The examples that gained most; of equal gains the earlier sentence."""
    if run.experiment != EXPERIMENT:
        raise UserError(
            f"{run.path} is a run of {run.experiment}: examples are for those of {EXPERIMENT}."
        )
    if run.header["options"].get("units", "words") != "words":
        raise UserError(
            f"{run.path}: its user gave tokens of the model, and examples show words. Name a run"
            " without --units and --as-in-paper."
        )
    cycles = [record["cycle"] for record in run.records(SUMMARY)]
    if not cycles or not run.records("pair"):
        raise UserError(
            f"{run.path} has no finished cycles, or is a summary. Name the log that --out wrote,"
            " once it is finished."
        )
    found = [_example(run, record["number"], max(cycles)) for record in run.records("pair")]
    told = [example for example in found if example.share_given <= most_given]
    return sorted(told, key=lambda example: -example.gain)[:count]


def _example(run: Run, number: int, last: int) -> Example:
    pair = run.all[f"pair/{number}"]
    drafts = [PlayedDraft.of(run.all[f"{cycle}/{number}"]) for cycle in range(last + 1)]
    reference = ReferenceText.of(pair["reference"])
    judge = BLEU(effective_order=True)
    before, after = (
        judge.sentence_score(draft.text, [pair["reference"]]).score
        for draft in (drafts[0], drafts[-1])
    )
    given = tuple(reference[stretch] for stretch in drafts[-1].given)
    share = len(numbers(drafts[-1].given)) / max(len(reference), 1)
    texts = pair["source"], pair["reference"], drafts[0].text, drafts[-1].text
    return Example(*texts, drafts[-1].spans, given, share, before, after)


def marked(
    text: str, spans: Sequence[Span], before: str, after: str, shown: Callable[[str], str] = str
) -> str:
    """The text with marks around stretches that do not overlap, each part as `shown` writes it.

    >>> marked("Er nahm an.", [(3, 7)], "**", "**")
    'Er **nahm** an.'
    """
    parts, done = [], 0
    for start, end in sorted(spans):
        if start >= done:
            parts += [shown(text[done:start]), before, shown(text[start:end]), after]
            done = end
    return "".join([*parts, shown(text[done:])])


def _markdown(found: Sequence[Example]) -> str:
    return "\n\n".join(_markdown_of(example) for example in found)


def _markdown_of(example: Example) -> str:
    given = "; ".join(f"({number}) {text}" for number, text in enumerate(example.given, 1))
    rows = {
        "Source": example.source,
        "Original hypothesis": f"{example.original} ({example.before:.1f})",
        "Reference": example.reference,
        "Constraints": given,
        "Constrained hypothesis": (
            f"{marked(example.revised, example.spans, '**', '**')} ({example.after:.1f})"
        ),
    }
    lines = [f"| {name} | {text.replace('|', chr(92) + '|')} |" for name, text in rows.items()]
    return "\n".join(["| | |", "| --- | --- |", *lines])


def _latex(found: Sequence[Example]) -> str:
    rows = [line for example in found for line in _latex_of(example)]
    return "\n".join(
        [
            r"\begin{tabular}{p{0.65\linewidth}|p{0.25\linewidth}}",
            r"\hline",
            *rows,
            r"\end{tabular}",
        ],
    )


def _latex_of(example: Example) -> list[str]:
    given = r" \newline ".join(
        f"({number}) {escaped(text)}" for number, text in enumerate(example.given, 1)
    )
    bold = marked(example.revised, example.spans, r"\textbf{", "}", escaped)
    return [
        r"\multicolumn{2}{l}{\bf Source} \\",
        rf"\multicolumn{{2}}{{p{{0.9\linewidth}}}}{{{escaped(example.source)}}} \\",
        r"\multicolumn{2}{l}{\bf Original Hypothesis} \\",
        rf"\multicolumn{{2}}{{p{{0.9\linewidth}}}}{{{escaped(example.original)}}} \\",
        r"\bf Reference & \bf Constraints \\",
        rf"{escaped(example.reference)} & {given} \\",
        r"\bf Constrained Hypothesis & \\",
        rf"{bold} & \\",
        r"\hline",
    ]


_FORMATS: dict[str, Callable[[Sequence[Example]], str]] = {"markdown": _markdown, "latex": _latex}
