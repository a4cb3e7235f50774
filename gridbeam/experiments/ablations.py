"""What the paper left open, one table each: the same inputs, translated in several ways.

Constraints are words of the reference, drawn at random with a seed and by the number of the
sentence, so that each way is given the same. Nothing of a translation is looked at to draw them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any, Literal, TypeAlias, get_args

from rich.console import Console

from gridbeam.constraints.automaton import Coverage
from gridbeam.constraints.terms import Constraint, InOrder, Phrase
from gridbeam.decoding.options import SearchOptions
from gridbeam.errors import UserError
from gridbeam.evaluation import metrics
from gridbeam.evaluation.resampling import SAMPLES
from gridbeam.experiments.defaults import EXPERIMENTS
from gridbeam.experiments.log import SUMMARY, Log, Record, header
from gridbeam.experiments.pickrevise import read_pairs
from gridbeam.experiments.reference import ReferenceText
from gridbeam.experiments.translations import Search, by_grid, translated, work
from gridbeam.support.output_files import refuse_overwriting
from gridbeam.text.words import is_word
from gridbeam.translation.request import Request
from gridbeam.translation.translator import Translator

EXPERIMENT = "ablations"
What: TypeAlias = Literal["beam", "coverage", "budget", "length", "tokens", "order", "dba"]
PhraseOrder: TypeAlias = Literal["any", "reference", "random"]
"""In which order the phrases must come."""

LONGEST = 3
"""The most words of a phrase, as in section 4.1 of the paper."""


@dataclass(frozen=True)
class Way:
    """One way to translate all sentences: a row of a table."""

    shown: dict[str, Any]
    """What tells it from the others."""
    search: SearchOptions = EXPERIMENTS
    words: int = LONGEST
    """How many words of the reference are required."""
    longest: int = LONGEST
    """The most words of a phrase of them."""
    order: PhraseOrder = "any"

    @property
    def name(self) -> str:
        """What it is called in the log."""
        return ",".join(f"{name}={value}" for name, value in self.shown.items())


def ways(what: What, search: SearchOptions) -> list[Way]:
    """The rows of a table: the same search but for what the table is about."""
    match what:
        case "beam":
            return [Way({"beam": width}, search.but(beam=width)) for width in (1, 2, 5, 10, 20)]
        case "coverage":
            rules: tuple[Coverage, ...] = get_args(Coverage)
            return [
                Way({"coverage": rule, "beam": width}, search.but(beam=width, coverage=rule))
                for width in sorted({2, search.beam})
                for rule in rules
            ]
        case "budget":
            return _by_cost(search)
        case "length":
            return [_of_length(search, *each) for each in _LENGTHS]
        case "tokens":
            return [Way({"words": words}, search, words=words) for words in (0, 1, 2, 3, 6, 9, 12)]
        case "order":
            orders: tuple[PhraseOrder, ...] = get_args(PhraseOrder)
            return [Way({"order": order}, search, order=order, longest=1) for order in orders]
        case "dba":
            allocated = [
                Way(
                    {"search": "allocation", "width": width},
                    search.but(budget=width, share="dynamic"),
                )
                for width in (5, 10, 20, 40)
            ]
            return [*_by_cost(search), *allocated]


_LENGTHS = (
    (1.0, 0.0, None),
    (1.0, 0.0, 1.5),
    (1.0, 0.0, 1.3),
    (0.5, 0.0, None),
    (0.0, 0.0, None),
    (0.0, 0.2, None),
    (0.0, 0.2, 1.5),
    (0.0, 0.4, None),
)
"""Penalties, rewards and caps: the paper's division with the caps of its authors' scripts, too."""


def _of_length(search: SearchOptions, penalty: float, reward: float, ratio: float | None) -> Way:
    return Way(
        {"length penalty": penalty, "length reward": reward, "max ratio": ratio or "none"},
        search.but(length_penalty=penalty, length_reward=reward, max_ratio=ratio),
    )


def compared_with(chosen: Sequence[Way], search: SearchOptions) -> Way:
    """The row that the others are compared with: the usual search, or else the first.

    >>> compared_with(ways("beam", EXPERIMENTS), EXPERIMENTS).name
    'beam=10'
    """
    return next((way for way in chosen if way.search == search), chosen[0])


def _by_cost(search: SearchOptions) -> list[Way]:
    """Beams in each row, and budgets for all rows."""
    per_row = [
        Way(
            {"search": "grid, beam", "width": width},
            search.but(beam=width, budget=None, share="rows"),
        )
        for width in (1, 2, 5, 10)
    ]
    in_all = [
        Way({"search": "grid, budget", "width": width}, search.but(budget=width, share="budget"))
        for width in (5, 10, 20, 40)
    ]
    return [*per_row, *in_all]


def phrases(reference: ReferenceText, words: int, longest: int, random: Random) -> list[str]:
    """`words` words of a reference as phrases of at most `longest`, apart, and in order.

    They hold no marks. Where there is no room for all of a phrase, it is shorter, or left out.

    >>> phrases(ReferenceText.of("Ja, er kam spät."), 3, 3, Random(0))
    ['er kam spät']
    """
    is_free = [is_word(word) for word in reference.words]
    chosen: list[tuple[int, int]] = []
    left = words
    while left and longest:
        size = min(longest, left)
        places = [
            place for place in range(len(is_free) - size + 1) if all(is_free[place : place + size])
        ]
        if not places:
            longest = size - 1
            continue
        first = random.choice(places)
        chosen.append((first, first + size))
        left -= size
        before, after = max(first - 1, 0), min(first + size + 1, len(is_free))
        is_free[before:after] = [False] * (after - before)
    return [reference[stretch] for stretch in sorted(chosen)]


def ablation(
    what: str,
    source: Path,
    reference: Path,
    *,
    out: Path,
    model: str,
    target: str | None = None,
    search: SearchOptions = EXPERIMENTS,
    seed: int = 1,
    limit: int | None = None,
    samples: int = SAMPLES,
    batch_size: int = 64,
    device: str | None = None,
    console: Console | None = None,
) -> list[Record]:
    """Makes one table, or resumes it, and returns its rows; `limit` takes the first sentences."""
    if what not in get_args(What):
        raise UserError(
            f"--what {what}: must be {', '.join(get_args(What)[:-1])} or {get_args(What)[-1]}."
        )
    refuse_overwriting({"--out": out}, {"--src": source, "--ref": reference})
    pairs = read_pairs(source, reference, limit)
    options = {"what": what, "target": target, "seed": seed, "limit": limit, "samples": samples}
    translator = Translator.load(model, target=target, device=device)
    data = [source, reference]
    begun = header(EXPERIMENT, model=model, data=data, search=search, options=options)
    chosen = ways(what, search)  # type: ignore[arg-type]
    usual = compared_with(chosen, search)
    references = [text for _, text in pairs]
    with Log(out, begun) as log:
        found: dict[str, list[Record]] = {}
        wishes: dict[str, list[list[str]]] = {}
        for way in chosen:
            if console is not None:
                console.print(way.name, highlight=False, markup=False)
            search_by = _search(translator, way, batch_size)
            own = [phrases_for(way, text, seed, n) for n, text in enumerate(references)]
            wishes[way.name] = own
            requests = _requests(way, pairs, own)
            said = translated(log, way.name, requests, search_by, batch_size, console)
            found[way.name] = [said[number] for number in requests]
        for way in chosen:
            if f"{SUMMARY}/{way.name}" not in log:
                summary = _summary(way, found[way.name], wishes[way.name], references)
                log.add(summary | _difference(way, usual, found, references, samples))
    return log.records(SUMMARY)


def _requests(
    way: Way, pairs: Sequence[tuple[str, str]], wishes: Sequence[Sequence[str]]
) -> dict[int, Request]:
    """What each sentence is asked for, by its number."""
    return {
        number: Request(source, in_order(wanted, way.order))
        for number, ((source, _), wanted) in enumerate(zip(pairs, wishes, strict=True))
    }


def phrases_for(way: Way, reference: str, seed: int, number: int) -> list[str]:
    """The phrases of a sentence, in the order that they are wanted in."""
    # A generator for each sentence, so that more words for one do not change those of the next.
    random = Random(f"{seed}/{number}")
    found = phrases(ReferenceText.of(reference), way.words, way.longest, random)
    if way.order == "random":
        random.shuffle(found)
    return found


def in_order(wanted: Sequence[str], order: PhraseOrder) -> list[Constraint]:
    """The constraints that these phrases make."""
    free: list[Constraint] = [Phrase(text) for text in wanted]
    return free if order == "any" or len(wanted) < 2 else [InOrder(*wanted)]


def _search(translator: Translator, way: Way, batch_size: int) -> Search:
    return by_grid(translator, options=way.search, batch_size=batch_size)


def _summary(
    way: Way, found: Sequence[Record], wishes: Sequence[Sequence[str]], references: Sequence[str]
) -> dict[str, Any]:
    texts = [record["text"] for record in found]
    said = sum(
        phrase in text for text, wanted in zip(texts, wishes, strict=True) for phrase in wanted
    )
    scores = metrics.scores(texts, references, metrics.QUICK)
    return {
        "key": f"{SUMMARY}/{way.name}",
        "kind": SUMMARY,
        "way": way.shown,
        "scores": {score.name: score.value for score in scores},
        "signatures": {score.name: score.signature for score in scores},
        "phrases": [said, sum(map(len, wishes))],
        "constraint_tokens": round(mean(record["constraint_tokens"] for record in found), 2),
        "length_ratio": round(_words(texts) / _words(references), 4),
        "work": work(found),
    }


def _difference(
    way: Way,
    usual: Way,
    found: Mapping[str, Sequence[Record]],
    references: Sequence[str],
    samples: int,
) -> dict[str, Any]:
    """How often luck alone would make the difference in BLEU to the usual way, by resampling."""
    if way == usual:
        return {}
    texts, others = ([record["text"] for record in found[each.name]] for each in (way, usual))
    [(_, pair)] = metrics.compared(texts, others, references, samples, ["BLEU"])
    return {"p": pair.p, "compared_with": usual.name}


def _words(texts: Sequence[str]) -> int:
    return sum(len(text.split()) for text in texts)
