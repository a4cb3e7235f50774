"""How long an update of the paper's network takes, in four ways.

As autograd does it, with gradients by hand, compiled, and as CUDA graphs.

    python benchmarks/updates.py [--quick] [--save]

Random weights and random text: the network of configs/paper-en-de.toml, 128 pairs of so many tokens
on each side. Each way does what the one before does, and one thing more. On a GPU, or with --quick
in a tiny form on a CPU, where graphs only pad.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import torch
from clock import now
from torch import Tensor

from gridbeam.models.gru import network as attentional
from gridbeam.models.gru.recurrences import Encoded, Steps, StepWeights, decoder_step, reader_step
from gridbeam.support.signature import signature
from gridbeam.training.average import RunningAverage
from gridbeam.training.config import Config, read
from gridbeam.training.learners import build
from gridbeam.training.minibatches import Batch
from gridbeam.training.optimizers import optimizer_of
from gridbeam.training.ranks import Ranks
from gridbeam.training.sentencepieces import UNK
from gridbeam.training.updates import Updates

RESULTS = Path(__file__).parent / "results" / "updates.json"
CONFIG = Path(__file__).parent.parent / "configs" / "paper-en-de.toml"
WAYS = {
    "autograd": {"compile": False, "graphs": False},
    "by hand": {"compile": False, "graphs": False},
    "compiled": {"compile": True, "graphs": False},
    "graphs": {"compile": True, "graphs": True},
}
WARM = 14
"""Updates that are not timed: graphs are recorded after ten."""


def read_by_autograd(inputs: Tensor, weight: Tensor, bias: Tensor, _: Steps) -> Tensor:
    """`recurrences.read`, one step after the other."""
    exact = torch.promote_types(inputs.dtype, torch.float32)
    state = inputs.new_zeros((len(weight), inputs.shape[2], weight.shape[-1]), dtype=exact)
    states = []
    for of_token in inputs.unbind(1):
        state, _ = reader_step(state, of_token, weight, bias[:, None])
        states.append(state)
    return torch.stack(states)


def write_by_autograd(
    of_tokens: Tensor, state: Tensor, source: Encoded, weights: StepWeights, _: Steps
) -> tuple[Tensor, Tensor]:
    """`recurrences.write`, one step after the other."""
    now, steps = state[:, None], []
    for of_token in of_tokens.unbind(0):
        steps.append(decoder_step(now, of_token[:, None], source, weights))
        now = steps[-1].state
    return torch.stack([step.state[:, 0] for step in steps]), torch.stack(
        [step.context[:, 0] for step in steps]
    )


def measure(
    way: str, config: Config, vocabulary: int, tokens: list[int], times: int
) -> list[float]:
    """Milliseconds of an update, for each of these lengths."""
    by_hand = attentional.read, attentional.write
    if way == "autograd":
        attentional.read, attentional.write = read_by_autograd, write_by_autograd
    try:
        ranks = Ranks.start()
        training = replace(config.training, **WAYS[way])
        torch.manual_seed(1)
        learner = build(
            config.network, vocabulary, training.label_smoothing, pad=vocabulary - 1
        ).to(ranks.device)
        optimizer = optimizer_of(learner, training, ranks.device)
        average = RunningAverage(optimizer, training.average)
        updates = Updates(learner, optimizer, training, ranks, 1, average)
        return [
            timed(updates, batch(training.batch_sentences, length, vocabulary, ranks.device), times)
            for length in tokens
        ]
    finally:
        attentional.read, attentional.write = by_hand


def batch(pairs: int, tokens: int, vocabulary: int, device: torch.device) -> Batch:
    source, target = (
        torch.randint(UNK + 1, vocabulary - 1, (pairs, tokens), device=device) for _ in range(2)
    )
    return Batch(source, target, True, torch.arange(pairs * tokens, device=device), pairs * tokens)


def timed(updates: Updates, given: Batch, times: int) -> float:
    for number in range(WARM):
        updates.make(number, given)
    before = now(given.source.device)
    for number in range(times):
        updates.make(number, given)
    return 1e3 * (now(given.source.device) - before) / times


def main() -> None:
    """Prints the table, and with --save writes it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a tiny network, for a CPU; nothing is compiled"
    )
    parser.add_argument(
        "--save",
        nargs="?",
        const=RESULTS,
        type=Path,
        metavar="FILE",
        help=f"write {RESULTS.name}, or FILE",
    )
    options = parser.parse_args()
    changes = ["training.batch_sentences=128"]
    if options.quick:
        changes = ["training.batch_sentences=8", "network.hidden=32", "network.embedding=16"]
    config, vocabulary = read(CONFIG, changes), 500 if options.quick else 80_000
    tokens, times = ([4, 8], 3) if options.quick else ([16, 32, 48], 30)
    rows = []
    print(f"{'way':9}", *(f"{length:>3} tokens" for length in tokens), sep="  ")
    for way in WAYS:
        if options.quick and WAYS[way]["compile"]:
            continue
        found = measure(way, config, vocabulary, tokens, times)
        rows.append(
            {"way": way}
            | {f"{length} tokens": f"{ms:.2f} ms" for length, ms in zip(tokens, found, strict=True)}
        )
        print(f"{way:9}", *(f"{ms:7.2f} ms" for ms in found), sep="  ", flush=True)
    if options.save:
        about = {"signature": signature(), "pairs": config.training.batch_sentences, "rows": rows}
        options.save.write_text(json.dumps(about, indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
