"""What a column of the engine costs beside a `torch.topk` of the same logits, and how it grows.

    python benchmarks/engine.py [--quick] [--save]

A null model returns the same random log-probabilities each time, so that all time is the engine's.
Times are taken between a return of `model.step` and the next call of it, in columns whose rows are
all full, and compared with `torch.topk(logits, k)` in the same run, the least of many each: the
machines are shared, only the ratios mean something.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from pathlib import Path

import torch
from clock import now

import gridbeam
from gridbeam import AnyOf, Avoid, Gap, InOrder, Phrase
from gridbeam.constraints.automaton import compile_constraints
from gridbeam.constraints.terms import as_constraints
from gridbeam.support.signature import signature

VOCAB = 32_000
RESULTS = Path(__file__).parent / "results" / "engine.json"


class NullModel:
    """The same random log-probabilities for the n-th row, whatever it holds.

    Notes when it is called.
    """

    vocab_size, bos, eos = VOCAB, 0, 1

    def __init__(self, rows: int, device: str) -> None:
        self.device = torch.device(device)
        self.log_probs = (
            torch.randn(rows, VOCAB, generator=torch.Generator().manual_seed(0))
            .log_softmax(1)
            .to(device)
        )
        self.calls: list[tuple[int, float, float]] = []

    def start(self, sources):
        return None

    def step(self, state, tokens):
        called = now(self.device)
        rows = self.log_probs[: len(tokens)]
        self.calls.append((len(tokens), called, time.perf_counter()))
        return rows, state

    def select(self, state, rows):
        return state


def phrases(tokens: int, words: int = 3) -> list[Phrase]:
    """So many constraint tokens, in phrases of three."""
    ids = list(range(100, 100 + tokens))
    return [Phrase(ids[i : i + words]) for i in range(0, tokens, words)]


def column_times(
    batch: int, beam: int, constraints: list, coverage: str, device: str, repeats: int = 3
) -> tuple[float, float, int]:
    """Seconds of an engine column, of a topk of the same logits, and the number of hypotheses."""
    automaton = compile_constraints(as_constraints(constraints), coverage)
    model = NullModel(batch * beam * (automaton.owed(automaton.start) + 3), device)
    length = 40 + automaton.owed(automaton.start)
    columns: list[tuple[int, float]] = []
    for _ in range(repeats):
        model.calls.clear()
        gridbeam.search(
            model,
            ["x"] * batch,
            [constraints] * batch,
            beam=beam,
            max_length=length,
            coverage=coverage,
        )
        calls = model.calls
        columns += [(a[0], b[1] - a[2]) for a, b in itertools.pairwise(calls)]
    fullest = max(rows for rows, _ in columns)
    logits = model.log_probs[:fullest]
    topk = []
    for _ in range(5 * repeats):
        before = now(model.device)
        logits.topk(beam)
        topk.append(now(model.device) - before)
    return min(s for rows, s in columns if rows == fullest), min(topk), fullest


def main() -> None:
    """Prints the table, and with --save writes it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the main line only")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument(
        "--save",
        nargs="?",
        const=RESULTS,
        type=Path,
        metavar="FILE",
        help=f"write {RESULTS.name}, or FILE",
    )
    options = parser.parse_args()
    mixed = [
        AnyOf([100, 101], [102]),
        InOrder([103], Gap(1, 5), [104]),
        Phrase([105, 106, 107]),
        Avoid([7, 8]),
    ]
    cases = [("16 sentences, beam 10, 9 tokens", 16, 10, phrases(9))]
    if not options.quick:
        cases += [
            ("  4 sentences", 4, 10, phrases(9)),
            ("  8 sentences", 8, 10, phrases(9)),
            (" 32 sentences", 32, 10, phrases(9)),
            ("  beam 5", 16, 5, phrases(9)),
            ("  beam 20", 16, 20, phrases(9)),
            ("  3 tokens", 16, 10, phrases(3)),
            (" 18 tokens", 16, 10, phrases(18)),
            (" 36 tokens", 16, 10, phrases(36)),
            ("  any of, in order, avoid", 16, 10, mixed),
            ("  unconstrained", 16, 10, []),
        ]
    rows = []
    print(
        f"{'case':36} {'coverage':10} {'hyps':>6} {'column':>9} {'topk':>9} {'ratio':>6}"
        f" {'us/hyp':>7}"
    )
    for name, batch, beam, constraints in cases:
        for coverage in ("contains", "placed"):
            column, topk, hyps = column_times(batch, beam, constraints, coverage, options.device)
            row = {
                "case": name.strip(),
                "coverage": coverage,
                "hypotheses": hyps,
                "ratio": round(column / topk, 2),
            }
            row |= {
                "column_ms": round(column * 1e3, 2),
                "topk_ms": round(topk * 1e3, 2),
                "us_per_hypothesis": round(column / hyps * 1e6, 1),
            }
            rows.append(row)
            print(
                f"{name:36} {coverage:10} {hyps:6} {column * 1e3:7.2f}ms {topk * 1e3:7.2f}ms "
                f"{column / topk:6.2f} {column / hyps * 1e6:7.1f}"
            )
    print(signature())
    if options.save:
        options.save.write_text(
            json.dumps({"signature": signature(), "rows": rows}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
