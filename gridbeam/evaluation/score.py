"""Translations in a file scored against references, and against those of another system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from gridbeam.constraints.terms import Case
from gridbeam.errors import UserError
from gridbeam.evaluation import metrics
from gridbeam.evaluation.damage import damage
from gridbeam.evaluation.damage import signature as signature_of_damage
from gridbeam.evaluation.due import DueTerms, by_glossary, listed
from gridbeam.evaluation.resampling import SAMPLES, Paired, paired, ratio, seed
from gridbeam.evaluation.term_scores import TermScore, term_scores
from gridbeam.glossary import formats as glossaries
from gridbeam.glossary.formats import GlossaryFiles, Reading
from gridbeam.support.signature import signature
from gridbeam.text.languages import pair_of
from gridbeam.text.lemmas import lemmatizer
from gridbeam.text.parallel import aligned

_SIGNIFICANT = 0.05
_LOWER_IS_BETTER = ("TER", "forbidden said", "fell")
_IS_NEITHER = ("changed",)


@dataclass(frozen=True)
class ScoreRow:
    """A score, and how it differs from that of the baseline, where there is one."""

    name: str
    value: float
    signature: str
    paired: Paired | None = None
    counted: tuple[int, int] | None = None
    """So many of so many, where that is what the value says."""

    @property
    def lower_is_better(self) -> bool:
        """Whether the system with the lower value is the better one."""
        return self.name in _LOWER_IS_BETTER

    @property
    def arrow(self) -> str:
        """Which way is better; empty where neither is."""
        return "" if self.name in _IS_NEITHER else "↓" if self.lower_is_better else "↑"

    @property
    def verdict(self) -> str:
        """Whether the system is significantly better or worse than the baseline.

        Empty where neither is shown.
        """
        # Of two systems that score the same, sacreBLEU's p-value says nothing: it is the smallest
        # there is.
        if (
            self.paired is None
            or self.paired.p >= _SIGNIFICANT
            or self.value == self.paired.baseline
        ):
            return ""
        return "worse" if (self.value > self.paired.baseline) == self.lower_is_better else "better"


@dataclass(frozen=True)
class ScoreReport:
    """All scores of a file of translations."""

    system: str
    reference: str
    baseline: str | None
    against: str | None
    """The file of translations without constraints that damage is measured against."""
    segments: int
    terms: int | None
    """How many terms are due; None where nobody asked."""
    segments_with_terms: int | None
    samples: int
    """How many samples the intervals and p-values are from."""
    rows: tuple[ScoreRow, ...]
    signature: str


def score(
    hypotheses: Path,
    references: Path,
    *,
    baseline: Path | None = None,
    against: Path | None = None,
    glossary: GlossaryFiles | None = None,
    source: Path | None = None,
    terms: Path | None = None,
    case: Case = "sentence",
    sheet: str | None = None,
    lemmas: bool = False,
    every_time: bool = False,
    languages: str | None = None,
    samples: int = SAMPLES,
) -> ScoreReport:
    """BLEU, chrF and TER of a file of translations, a segment a line, and how it uses its terms.

    Terms are those of a glossary that the source has, in one file or several, or those that the
    file `terms` lists for each segment. `languages`, such as en-de, are those of glossary and
    terms; `case` and `sheet` are those of `gridbeam.glossary.formats.read`. `against` has the
    translations without constraints: what these did to the text outside the terms is told, with
    `lemmas` outside the terms in any form.
    """
    only_for_glossary = {
        "--source": source,
        "--lemmas": lemmas and (against is None or terms is None),
        "--every-time": every_time,
        "--sheet": sheet,
        "--case": case != "sentence",
    }
    paths = glossaries.paths_of(glossary)
    _refuse_unclear(
        paths, source, terms, [option for option, given in only_for_glossary.items() if given]
    )
    _refuse_against(against, baseline, has_terms=bool(paths or terms))
    reading = _reading(languages, case, sheet)
    wanted = _column(references, references)
    for number, text in enumerate(wanted, 1):
        if not text.strip():
            raise UserError(
                f"{references} line {number}: the reference is blank. Remove the segment from all"
                " files."
            )
    said, before = (
        _column(hypotheses, references),
        None if baseline is None else _column(baseline, references),
    )
    due = _due_terms(references, paths, source, terms, reading, lemmas, every_time)
    rows = [
        *_rows(said, before, wanted, samples),
        *(_term_rows(said, before, wanted, due, samples) if due else ()),
    ]
    if due and against is not None:
        rows += _damage_rows(said, _column(against, references), wanted, due, lemmas=lemmas)
    counts = None if due is None else [len(segment.required) for segment in due.segments]
    names_differ = baseline is None or baseline.name != hypotheses.name
    return ScoreReport(
        system=hypotheses.name if names_differ else str(hypotheses),
        reference=references.name,
        baseline=None if baseline is None else baseline.name if names_differ else str(baseline),
        against=None if against is None else against.name,
        segments=len(wanted),
        terms=None if counts is None else sum(counts),
        segments_with_terms=None if counts is None else sum(map(bool, counts)),
        samples=samples,
        rows=tuple(rows),
        signature=signature(of_model=False),
    )


def _refuse_unclear(
    glossary: Sequence[Path],
    source: Path | None,
    terms: Path | None,
    only_for_glossary: Sequence[str],
) -> None:
    if glossary and terms is not None:
        raise UserError("--glossary and --terms both say which terms are due. Give one of them.")
    if glossary and source is None:
        raise UserError(
            "--glossary needs --source: terms are due where the source has them. Give the file of"
            " sources."
        )
    if not glossary and only_for_glossary:
        raise UserError(
            f"{only_for_glossary[0]} is for --glossary, which is not given. Give it, or leave it"
            " out."
        )


def _refuse_against(against: Path | None, baseline: Path | None, *, has_terms: bool) -> None:
    if against is None:
        return
    if not has_terms:
        raise UserError(
            "--against measures the text outside the required words, and nothing says which are"
            " required. Give --terms, or --glossary and --source."
        )
    if baseline is not None:
        raise UserError(
            "--against and --baseline are two questions: what constraints did to the text around"
            " them, and which system is better. Give one of them, and ask twice."
        )


def _reading(languages: str | None, case: Case, sheet: str | None) -> Reading:
    return Reading(*pair_of(languages), case, sheet)


def _column(path: Path, references: Path) -> list[str]:
    """The lines of a file that has as many as that of the references."""
    found = [text for text, _ in aligned(path, references)]
    if not found:
        raise UserError(f"{path} is empty: give a file with a segment a line.")
    return found


def _due_terms(
    references: Path,
    glossary: Sequence[Path],
    source: Path | None,
    terms: Path | None,
    reading: Reading,
    lemmas: bool,
    every_time: bool,
) -> DueTerms | None:
    if terms is not None:
        _column(terms, references)
        return listed(terms, reading.target)
    if not glossary or source is None:
        return None
    entries = glossaries.read_all(glossary, **asdict(reading))
    sources = _column(source, references)
    return by_glossary(entries, sources, lemmas=lemmas, every_time=every_time)


def _rows(
    said: list[str], before: list[str] | None, wanted: list[str], samples: int
) -> list[ScoreRow]:
    if before is None:
        return [
            ScoreRow(found.name, found.value, found.signature)
            for found in metrics.scores(said, wanted)
        ]
    found = metrics.compared(said, before, wanted, samples)
    return [ScoreRow(score.name, score.value, score.signature, pair) for score, pair in found]


def _term_rows(
    said: list[str], before: list[str] | None, wanted: list[str], due: DueTerms, samples: int
) -> list[ScoreRow]:
    found = term_scores(said, wanted, due)
    if before is None:
        return [_term_row(new) for new in found]
    older = term_scores(before, wanted, due)
    rows = [
        _term_row(new, paired(new.parts, old.parts, samples))
        for new, old in zip(found, older, strict=True)
    ]
    return [replace(row, signature=f"bs:{samples}|seed:{seed()}|{row.signature}") for row in rows]


def _term_row(found: TermScore, pair: Paired | None = None) -> ScoreRow:
    met, due = map(int, found.parts.sum(0))
    return ScoreRow(
        found.name,
        round(ratio(found.parts), 4),
        found.signature,
        pair,
        (met, due) if found.is_count else None,
    )


def _damage_rows(
    said: list[str], plain: list[str], wanted: list[str], due: DueTerms, *, lemmas: bool
) -> list[ScoreRow]:
    lemma = lemmatizer(due.language, "target") if lemmas else None
    required = [segment.required for segment in due.segments]
    found = damage(said, plain, wanted, required, lemma=lemma)
    how = signature_of_damage(None if lemma is None else due.language)
    counts = {
        "changed": (len(found.changes), found.segments),
        "fell": (found.fell, len(found.changes)),
        "rose": (found.rose, len(found.changes)),
        "terms met": (found.met, found.due),
    }
    means = {"chrF outside": found.constrained, "chrF outside, plain": found.plain}
    return [
        *(_counted(name, *count, how) for name, count in counts.items()),
        *(ScoreRow(name, round(value, 4), how) for name, value in means.items()),
    ]


def _counted(name: str, count: int, of: int, how: str) -> ScoreRow:
    return ScoreRow(name, round(100 * count / max(of, 1), 4), how, counted=(count, of))
