"""Which defaults: what each meaning of "covered" and each rule for ended hypotheses reaches.

And what it spends.

    python benchmarks/defaults.py [--text FILE.xz] [--save]

Two models that know nothing of each other: e2k, a neural English-to-katakana speller
(examples/any_model.py), and a bigram model of words counted from `--text` (one sentence a line),
whose "sources" are the words of held-out sentences. Constraints are what the model would not say by
itself: stretches of its own lower-ranked outputs, or of the held-out sentence, that share no token.
Reported for each way to search: the mean score reached (length-normalised, higher is better), how
often it is better or worse than the first line of its group, and the hypotheses that the model was
asked to score.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice, product
from pathlib import Path
from typing import Any

import gridbeam
from gridbeam.models.toy import Words, bigram_of
from gridbeam.support.signature import signature

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
RESULTS = Path(__file__).parent / "results" / "defaults.json"
WORDS = """
algorithm alphabet anthem balcony banquet biscuit blanket bridge broccoli butterfly cabinet calendar
camera candle canyon carpet castle catalogue cathedral century champion chocolate citizen climate
cluster coconut comfort compass computer concert contract crystal curtain database daughter decision
diamond dictionary dinosaur document dolphin dragon elephant emperor engine envelope evidence
festival fiction finger forest fragment frequency furniture galaxy garden glacier gravity guitar
harvest helicopter history horizon hospital hurricane imagination industry instrument invention
island jacket journey jungle justice kangaroo kitchen knowledge laboratory language lantern lecture
leopard library lightning literature lobster machine magazine magnet manuscript marathon material
medicine melody memory merchant message microscope mineral miracle mountain museum narrative network
nightmare notebook novel nucleus oblique octopus opinion orchestra organic origin oxygen paradise
parallel passenger pattern pencil penguin photograph physics pillow planet platform poetry portrait
pottery president principle prophet puzzle pyramid quality quantum question rainbow recipe reference
republic rhythm river rocket sandwich satellite scaffold scholar science sculpture season shadow
signal silence skeleton society spectrum statistics strategy structure submarine summit surgeon
symphony telescope temple terminal theatre thunder tournament translation treasure triangle tropical
umbrella universe vacuum valley vampire vehicle velocity village violin volcano waterfall weather
whisper window winter wisdom yellow zephyr
""".split()  # noqa: SIM905


class Counted:
    """A model that counts the hypotheses it is asked to score."""

    def __init__(self, model: Any) -> None:
        self.model, self.spent = model, 0
        self.vocab_size, self.bos, self.eos = model.vocab_size, model.bos, model.eos
        self.start, self.select = model.start, model.select

    def step(self, state: Any, tokens: Any) -> Any:
        self.spent += len(tokens)
        return self.model.step(state, tokens)


def katakana_tasks(count: int) -> tuple[Any, list[tuple[Any, list[Any]]], int]:
    """Words to spell, with one or two stretches of 2 to 3 kana from a lower-ranked spelling."""
    from any_model import Katakana

    model, chance = Katakana(), random.Random(0)
    tasks = []
    for word, ranked in zip(
        WORDS[:count],
        gridbeam.search(model, WORDS[:count], [[]] * count, n_best=10, max_length=20),
        strict=True,
    ):
        other = chance.choice(ranked[3:]).tokens[:-1]
        tasks.append((word, _stretches(other, chance.choice(([2], [3], [1, 2], [2, 2])), chance)))
    return model, tasks, 24


def bigram_tasks(text: Path, count: int) -> tuple[Any, list[tuple[Any, list[Any]]], int]:
    """Held-out sentences of known words, each with two stretches of one to three of its words."""
    with lzma.open(text, "rt", encoding="utf8") as lines:
        sentences = [line.strip() for line in islice(lines, 60_000)]
    often = Counter(word for sentence in sentences for word in sentence.split())
    known = {word for word, _ in often.most_common(4000)}
    usable = [s for s in sentences if 6 <= len(s.split()) <= 20 and known.issuperset(s.split())]
    words = Words(usable)
    model, chance = bigram_of(usable[count:], words, attention=3.0), random.Random(0)
    encoded = [words.encode(sentence) for sentence in usable[:count]]
    return (
        model,
        [
            (ids, _stretches(ids, chance.choice(([1, 2], [2, 2], [3, 1], [3])), chance))
            for ids in encoded
        ],
        40,
    )


def _stretches(tokens: Sequence[int], sizes: list[int], chance: random.Random) -> list[list[int]]:
    """Stretches of one text that share no token, so it meets them in both senses of "covered"."""
    found, start = [], 0
    for number, size in enumerate(sizes):
        slack = len(tokens) - start - sum(sizes[number:])
        start += chance.randint(0, max(0, slack))
        found.append(list(tokens[start : start + size]))
        start += size
    return [stretch for stretch in found if stretch]


def search_all(
    model: Any, tasks: list[tuple[Any, list[Any]]], **options: Any
) -> tuple[list[float], dict[str, Any]]:
    """The score reached for each task, and their mean with the hypotheses spent on a task."""
    counted = Counted(model)
    found = gridbeam.search(
        counted, [source for source, _ in tasks], [wish for _, wish in tasks], **options
    )
    scores = [hyps[0].score for hyps in found]
    return scores, {
        "score": round(sum(scores) / len(scores), 4),
        "hypotheses": round(counted.spent / len(tasks)),
    }


def compare(
    name: str, model: Any, tasks: list[tuple[Any, list[Any]]], max_length: int, beams: Iterable[int]
) -> list[dict[str, Any]]:
    """One line for each way to search, at each width."""
    rows = []
    for beam in beams:
        reference: list[float] = []
        for is_constrained, coverage, ended in product(
            (True, False), ("contains", "placed"), ("set_aside", "in_beam")
        ):
            if not is_constrained and coverage == "placed":
                continue
            wished = tasks if is_constrained else [(source, []) for source, _ in tasks]
            options = {"beam": beam, "max_length": max_length, "coverage": coverage, "ended": ended}
            scores, reached = search_all(model, wished, **options)
            if (coverage, ended) == ("contains", "set_aside"):
                reference = scores
            row = {
                "model": name,
                "beam": beam,
                "constrained": is_constrained,
                "coverage": coverage if is_constrained else "-",
                "ended": ended,
                **reached,
                "better": sum(a > b + 1e-6 for a, b in zip(scores, reference, strict=True)),
                "worse": sum(a < b - 1e-6 for a, b in zip(scores, reference, strict=True)),
            }
            rows.append(row)
            print(
                f"{name:9} {beam:4} {'yes' if is_constrained else 'no':11} {row['coverage']:9}"
                f" {ended:10} {row['score']:8.4f} {row['better']:6} {row['worse']:6}"
                f" {row['hypotheses']:11}",
                flush=True,
            )
    return rows


def compare_spending(
    name: str, model: Any, tasks: list[tuple[Any, list[Any]]], max_length: int
) -> list[dict[str, Any]]:
    """One line for each way to spend hypotheses: a beam in each row, or a budget in all."""
    rows = []
    for spend in (
        {"beam": 1},
        {"budget": 4},
        {"beam": 2},
        {"budget": 8},
        {"beam": 5},
        {"budget": 20},
        {"beam": 10},
        {"budget": 40},
    ):
        [(option, value)] = spend.items()
        _, reached = search_all(model, tasks, max_length=max_length, **spend)
        rows.append({"model": name, "spend": f"{option}={value}", **reached})
        print(
            f"{name:9} {rows[-1]['spend']:10} {reached['score']:8.4f} {reached['hypotheses']:11}",
            flush=True,
        )
    return rows


def main() -> None:
    """Prints the tables, and with --save writes them down."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--text", type=Path, help="sentences for the bigram model, one a line, .xz")
    parser.add_argument("--count", type=int, default=200, help="how many sources")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    print(
        f"{'model':9} {'beam':>4} {'constrained':11} {'coverage':9} {'ended':10} {'score':>8} "
        f"{'better':>6} {'worse':>6} {'hyps/source':>11}"
    )
    models = {"katakana": katakana_tasks(min(options.count, len(WORDS)))}
    if options.text:
        models["bigram"] = bigram_tasks(options.text, options.count)
    rows = [
        row for name, tasks in models.items() for row in compare(name, *tasks, beams=(1, 2, 5, 10))
    ]
    spending = [row for name, tasks in models.items() for row in compare_spending(name, *tasks)]
    print(signature())
    if options.save:
        text = options.text.name if options.text else None
        results = {
            "signature": signature(),
            "count": options.count,
            "text": text,
            "rows": rows,
            "spending": spending,
        }
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
