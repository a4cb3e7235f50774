"""News with a few dictionary terms for each sentence, as Dinu et al.

(2019) have it: what it costs to have every term said.

A term is required exactly as it is given, in its own capitals and as whole words, and as often as
it is listed. What is said of its own accord is counted in the same way, and by lemma.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from gridbeam.constraints.terms import AnyOf, Pattern, Phrase
from gridbeam.decoding.options import SearchOptions
from gridbeam.errors import UserError
from gridbeam.evaluation import metrics
from gridbeam.evaluation.due import DueTerms, listed
from gridbeam.evaluation.resampling import SAMPLES
from gridbeam.evaluation.term_scores import term_scores
from gridbeam.experiments.defaults import DICTIONARY
from gridbeam.experiments.log import SUMMARY, Log, Record, header
from gridbeam.experiments.pickrevise import read_pairs
from gridbeam.experiments.translations import by_grid, translated, work
from gridbeam.glossary.wording import Wording
from gridbeam.support.output_files import refuse_overwriting
from gridbeam.translation.request import Request
from gridbeam.translation.translator import Translator

EXPERIMENT = "dictionary"
PLAIN, CONSTRAINED = "plain", "constrained"


def dictionary(
    source: Path,
    reference: Path,
    terms: Path,
    *,
    out: Path,
    model: str,
    target: str | None = None,
    search: SearchOptions = DICTIONARY,
    samples: int = SAMPLES,
    limit: int | None = None,
    batch_size: int = 64,
    device: str | None = None,
    console: Console | None = None,
) -> list[Record]:
    """Runs or resumes the experiment; returns its summaries, with terms and without."""
    refuse_overwriting({"--out": out}, {"--src": source, "--ref": reference, "--terms": terms})
    pairs = read_pairs(source, reference, limit)
    translator = Translator.load(model, target=target, device=device)
    due = _exactly(listed(terms, translator.target), limit)
    if len(due.segments) != len(pairs):
        raise UserError(
            f"{terms} has {len(due.segments)} lines, and {source} has {len(pairs)}: they are"
            " aligned line by line."
        )
    options = {"target": target, "samples": samples, "limit": limit}
    references = [text for _, text in pairs]
    grid = by_grid(translator, options=search, batch_size=batch_size)
    texts: dict[str, list[str]] = {}
    data = [source, reference, terms]
    begun = header(EXPERIMENT, model=model, data=data, search=search, options=options)
    with Log(out, begun) as log:
        for system in (PLAIN, CONSTRAINED):
            wishes = [
                [*map(_constraint, own.required)] if system == CONSTRAINED else []
                for own in due.segments
            ]
            requests = {
                number: Request(text, wishes[number]) for number, (text, _) in enumerate(pairs)
            }
            found = translated(log, system, requests, grid, batch_size, console)
            texts[system] = [found[number]["text"] for number in requests]
            if f"{SUMMARY}/{system}" not in log:
                log.add(
                    _summary(system, texts, references, due, samples)
                    | {"work": work(found.values())}
                )
    return log.records(SUMMARY)


def _exactly(due: DueTerms, limit: int | None) -> DueTerms:
    """The same terms, in their own capitals only, of the first so many segments."""
    segments = (
        replace(each, required=tuple(replace(wording, case="exact") for wording in each.required))
        for each in due.segments[:limit]
    )
    return replace(due, segments=tuple(segments))


def _constraint(wording: Wording) -> Pattern:
    phrases = [Phrase(text, case="exact", whole_word=True) for text in wording.texts]
    return phrases[0] if len(phrases) == 1 else AnyOf(*phrases)


def _summary(
    system: str,
    texts: Mapping[str, Sequence[str]],
    references: Sequence[str],
    due: DueTerms,
    samples: int,
) -> dict[str, Any]:
    """Scores, whether terms change them, and how many of the due terms are said."""
    own = texts[system]
    scores = metrics.scores(own, references, metrics.QUICK)
    pairs = (
        metrics.compared(own, texts[PLAIN], references, samples, metrics.QUICK)
        if system != PLAIN
        else []
    )
    counted = {
        score.name: [int(n) for n in score.parts.sum(0)]
        for score in term_scores(own, references, due)
        if score.is_count
    }
    return {
        "key": f"{SUMMARY}/{system}",
        "kind": SUMMARY,
        "system": system,
        "scores": {score.name: score.value for score in scores},
        "signatures": {score.name: score.signature for score in scores},
        "p": {score.name: pair.p for score, pair in pairs},
        "terms": counted,
    }
