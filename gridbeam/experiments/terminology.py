"""Domain adaptation by a terminology (section 4.2): what terms gain, and if placement matters.

Where a test segment says a term of the glossary, its translation must say the target. Grid beam
search is compared with the model alone, with the terms put into the model's translation at random
or at the beginning, and with placeholders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import mean, pstdev
from typing import Any

from rich.console import Console

from gridbeam.decoding.options import SearchOptions
from gridbeam.errors import UserError
from gridbeam.evaluation import metrics
from gridbeam.evaluation.due import Due, DueTerms, by_glossary
from gridbeam.evaluation.resampling import SAMPLES
from gridbeam.evaluation.term_scores import term_scores
from gridbeam.experiments.defaults import EXPERIMENTS
from gridbeam.experiments.log import SUMMARY, Log, Record, header
from gridbeam.experiments.pickrevise import read_pairs
from gridbeam.experiments.placeholder import masked
from gridbeam.experiments.placement import at_beginning, at_random
from gridbeam.experiments.translations import Search, by_grid, translated, work
from gridbeam.glossary import formats as glossaries
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.glossary.formats import GlossaryFiles
from gridbeam.glossary.index import TextWords
from gridbeam.glossary.matching import Match, Matcher, constraints_for
from gridbeam.glossary.wording import Wording
from gridbeam.markup.protect import writable
from gridbeam.support.flags import flag
from gridbeam.support.output_files import refuse_overwriting
from gridbeam.terminology.extract import Term, extract
from gridbeam.terminology.options import TERMS, TermOptions
from gridbeam.translation.request import Request
from gridbeam.translation.translator import Translator

BASELINE, GBS, RIGHT_ONLY = "baseline", "GBS", "GBS, right terms only"
"""The last is told by the references which terms to require: what is due to the search, and what to
wrong terms."""
EXPERIMENT = "terminology"


@dataclass(frozen=True)
class TermSegment:
    """A test segment, and the terms that its source says."""

    source: str
    reference: str
    matches: tuple[Match, ...]
    due: tuple[Wording, ...]
    """What the translation must say for each of them."""

    @property
    def targets(self) -> list[str]:
        """The target terms, in the order of the source; of several that will do, the first."""
        return [wording.texts[0] for wording in self.due]

    @property
    def right(self) -> tuple[Match, ...]:
        """The matches whose target term the reference says."""
        line = TextWords(self.reference)
        return tuple(
            match
            for match, wording in zip(self.matches, self.due, strict=True)
            if wording.places(line)
        )

    def missing(self, text: str) -> list[str]:
        """The target terms that a translation lacks.

        One that is due twice and said once is lacking once.
        """
        line = TextWords(text)
        left = Counter({wording: len(wording.places(line)) for wording in set(self.due)})
        lacking = []
        for wording in self.due:
            left[wording] -= 1
            if left[wording] < 0:
                lacking.append(wording.texts[0])
        return lacking


def terminology(
    source: Path,
    reference: Path,
    *,
    out: Path,
    model: str,
    target: str | None = None,
    train: tuple[Path, Path] | None = None,
    glossary: GlossaryFiles | None = None,
    terms: TermOptions = TERMS,
    search: SearchOptions = EXPERIMENTS,
    seeds: int = 10,
    samples: int = SAMPLES,
    limit: int | None = None,
    batch_size: int = 64,
    device: str | None = None,
    console: Console | None = None,
) -> list[Record]:
    """Runs the experiment, or goes on with it, and gives its summaries.

    The terms are those of `glossary`, or are extracted from the two files of `train`.
    """
    paths = glossaries.paths_of(glossary)
    corpus = dict(zip(("--train-src", "--train-ref"), train or (None, None), strict=True))
    refuse_overwriting(
        {"--out": out}, {"--src": source, "--ref": reference, "--glossary": paths, **corpus}
    )
    options: dict[str, Any] = {
        "target": target,
        "seeds": seeds,
        "samples": samples,
        "limit": limit,
    }
    if not paths:
        options["threshold"] = terms.threshold
        options |= terms.unlike(TERMS)
    elif terms != TERMS:
        raise UserError(
            f"{flag(next(iter(terms.unlike(TERMS))))} is about terms that are extracted: leave out"
            " this, or --glossary."
        )
    origin = _origin(train, paths)
    pairs = read_pairs(source, reference, limit)
    due = (
        _extracted(*train, target, terms)
        if train and not paths
        else glossaries.read_all(paths, source="en", target=target)
    )
    segments = term_segments(due, pairs)
    translator = Translator.load(model, target=target, device=device)
    data = [source, reference, *origin]
    begun = header(EXPERIMENT, model=model, data=data, search=search, options=options)
    with Log(out, begun) as log:
        grid = by_grid(translator, options=search, batch_size=batch_size)
        can_write = writable(translator.subwords)
        systems = dict(
            _Experiment(log, segments, grid, can_write, batch_size, console).systems(seeds)
        )
        if _key("terms") not in log:
            log.add(_counts(due, segments))
        for name in systems:
            if _key(name) not in log:
                log.add(_summary(name, systems, segments, due.target_language, samples))
    return log.records(SUMMARY)


def _origin(train: tuple[Path, Path] | None, glossary: Sequence[Path]) -> Sequence[Path]:
    if glossary and train is not None:
        raise UserError(
            "--glossary and --train-src both say where the terms are from. Give one of them."
        )
    if not glossary and train is None:
        raise UserError(
            "there are no terms: give --train-src and --train-ref to extract them from, or a"
            " --glossary."
        )
    return glossary or list(train or ())


def _extracted(source: Path, target: Path, language: str | None, options: TermOptions) -> Glossary:
    """The terms of a parallel text, the highest npmi first.

    Of several for one source phrase, the matcher takes the first.
    """
    found = extract(source, target, options=options)
    if not found:
        raise UserError(
            f"{source} and {target} have no such terms, with npmi {options.threshold} or more. Give"
            " more text, ask for less, or give a --glossary."
        )
    return glossary_of(found, language)


def glossary_of(terms: Sequence[Term], language: str | None) -> Glossary:
    """Extracted terms as a glossary."""
    entries = tuple(Entry(term.source, (term.target,)) for term in terms)
    return Glossary(entries, "en", language, "extracted terms")


def term_segments(glossary: Glossary, pairs: Sequence[tuple[str, str]]) -> list[TermSegment]:
    """The pairs of a test set with the terms of a glossary that their sources say."""
    matcher = Matcher(glossary)
    due = by_glossary(glossary, [source for source, _ in pairs], every_time=True)
    return [
        TermSegment(
            source,
            reference,
            tuple(match for match in matcher.match(source) if match.entry.required),
            segment.required,
        )
        for (source, reference), segment in zip(pairs, due.segments, strict=True)
    ]


@dataclass(frozen=True)
class System:
    """What a system says: the texts of all segments, once for each seed.

    Also what its searches took.
    """

    texts: tuple[tuple[str, ...], ...]
    searched: Mapping[int, Record] | None = None
    """The translations of the segments with terms, where they were searched for."""
    lost: int | None = None
    """How many placeholders were not copied."""


@dataclass(frozen=True)
class _Experiment:
    """Every system, on the same segments.

    Where a source says no term, all of them say what the baseline says.
    """

    log: Log
    segments: Sequence[TermSegment]
    search: Search
    can_write: Callable[[str], bool]
    """Whether the model has tokens for a text."""
    batch_size: int
    console: Console | None

    def systems(self, seeds: int) -> Iterator[tuple[str, System]]:
        """The name of each system and what it says."""
        plain = self._translations(
            BASELINE, {number: Request(each.source) for number, each in enumerate(self.segments)}
        )
        texts = tuple(plain[number]["text"] for number in range(len(self.segments)))
        yield BASELINE, System((texts,), {number: plain[number] for number in self._with_terms})
        every = [each.targets for each in self.segments]
        lacking = [each.missing(text) for each, text in zip(self.segments, texts, strict=True)]
        for which, terms in (("", every), (", missing terms only", lacking)):
            yield (
                f"random{which}",
                System(tuple(_at_random(texts, terms, seed) for seed in range(seeds))),
            )
            yield f"beginning{which}", System((tuple(map(at_beginning, texts, terms)),))
        yield (
            GBS,
            self._constrained(
                GBS, texts, {number: self.segments[number].matches for number in self._with_terms}
            ),
        )
        yield RIGHT_ONLY, self._constrained(RIGHT_ONLY, texts, self._right)
        for name, is_required in (("placeholders", False), ("placeholders required", True)):
            yield name, self._with_placeholders(name, texts, is_required=is_required)

    @property
    def _with_terms(self) -> list[int]:
        return [number for number, segment in enumerate(self.segments) if segment.due]

    @property
    def _right(self) -> dict[int, tuple[Match, ...]]:
        """The terms that the reference says too, of the segments that have any."""
        right = {number: self.segments[number].right for number in self._with_terms}
        return {number: matches for number, matches in right.items() if matches}

    def _constrained(
        self, name: str, texts: Sequence[str], terms: Mapping[int, Sequence[Match]]
    ) -> System:
        wishes = {
            n: Request(self.segments[n].source, constraints_for(matches, every_time=True))
            for n, matches in terms.items()
        }
        found = self._translations(name, wishes)
        return System(
            (_replaced(texts, {number: record["text"] for number, record in found.items()}),),
            found or None,
        )

    def _with_placeholders(self, name: str, texts: Sequence[str], *, is_required: bool) -> System:
        hidden = {
            n: masked(self.segments[n].source, self.segments[n].matches, self.can_write)
            for n in self._with_terms
        }
        wishes = {
            n: Request(each.text, each.constraints if is_required else ())
            for n, each in hidden.items()
        }
        found = self._translations(name, wishes)
        said = {number: each.restored(found[number]["text"]) for number, each in hidden.items()}
        lost = sum(each.lost(found[number]["text"]) for number, each in hidden.items())
        return System((_replaced(texts, said),), found, lost)

    def _translations(self, system: str, requests: Mapping[int, Request]) -> dict[int, Record]:
        return translated(self.log, system, requests, self.search, self.batch_size, self.console)


def _at_random(texts: Sequence[str], terms: Sequence[Sequence[str]], seed: int) -> tuple[str, ...]:
    random = Random(seed)
    return tuple(at_random(text, own, random) for text, own in zip(texts, terms, strict=True))


def _replaced(texts: Sequence[str], others: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(others.get(number, text) for number, text in enumerate(texts))


def _counts(glossary: Glossary, segments: Sequence[TermSegment]) -> Record:
    """The record that says how many terms there are, and how much of the references they are."""
    references = [each.reference for each in segments]
    in_reference, due = _terms_said(references, segments, glossary.target_language)
    return {
        "key": _key("terms"),
        "kind": SUMMARY,
        "entries": len(glossary.entries),
        "segments": len(segments),
        "terms": due,
        "terms_in_reference": in_reference,
        "segments_with_terms": sum(bool(each.due) for each in segments),
        "term_words": sum(len(text.split()) for each in segments for text in each.targets),
        "reference_words": sum(len(reference.split()) for reference in references),
        "signatures": {},
    }


def _summary(
    name: str,
    systems: Mapping[str, System],
    segments: Sequence[TermSegment],
    language: str | None,
    samples: int,
) -> Record:
    """The record of a system: scores, their differences, terms said, and work.

    Scores are compared with the baseline's and with those of GBS. With several seeds, scores are
    their mean, and the first is compared.
    """
    references = [each.reference for each in segments]
    system = systems[name]
    own = system.texts[0]
    of_seeds = [metrics.scores(texts, references, metrics.QUICK) for texts in system.texts]
    values = {
        scores[0].name: [score.value for score in scores] for scores in zip(*of_seeds, strict=True)
    }
    due = [number for number, segment in enumerate(segments) if segment.due]
    where_due = [
        metrics.bleu([texts[n] for n in due], [references[n] for n in due])
        for texts in system.texts
    ]
    others = {other: systems[other].texts[0] for other in (BASELINE, GBS) if other != name}
    return {
        "key": _key(name),
        "kind": SUMMARY,
        "system": name,
        "scores": {metric: round(mean(found), 4) for metric, found in values.items()},
        "bleu_where_due": round(mean(where_due), 4),
        "deviations": {metric: round(pstdev(found), 4) for metric, found in values.items()},
        "seeds": len(system.texts),
        "p": {other: _p_values(own, texts, references, samples) for other, texts in others.items()},
        "signatures": {score.name: score.signature for score in of_seeds[0]},
        "terms": _terms_said(own, segments, language),
        "lost": system.lost,
        "work": None if system.searched is None else work(system.searched.values()),
    }


def _key(name: str) -> str:
    """The key of a summary."""
    return f"{SUMMARY}/{name}"


def _p_values(
    texts: Sequence[str], others: Sequence[str], references: Sequence[str], samples: int
) -> dict[str, float]:
    return {
        score.name: pair.p
        for score, pair in metrics.compared(texts, others, references, samples, metrics.QUICK)
    }


def _terms_said(
    texts: Sequence[str], segments: Sequence[TermSegment], language: str | None
) -> list[int]:
    """How many terms the translations say, and how many are due."""
    chosen = [number for number, segment in enumerate(segments) if segment.due]
    due = DueTerms(tuple(Due(segments[number].due) for number in chosen), language)
    exact = term_scores([texts[n] for n in chosen], [segments[n].reference for n in chosen], due)[0]
    return [int(number) for number in exact.parts.sum(0)]
