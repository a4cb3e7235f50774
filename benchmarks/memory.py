"""The memory that decoding takes with 1 and 100 hypotheses of 2,000 tokens, shared and copied.

All hypotheses are of one sentence.

    python benchmarks/memory.py [--quick] [--device cuda] [--save]

Random weights: a causal model of the shape of SmolLM2-135M, and a Marian of 6 + 6 layers of 512.
Memory is the peak beyond the weights, of the first call and of 32 steps, in each of which every row
is selected anew, as counted by the allocator on CUDA and by the profiler of torch on a CPU. The
generated part is the keys and values of the 32 tokens of all hypotheses. The bound is what the
project promises: 1.5 times the peak of one hypothesis, plus the generated part. The copied way
needs 19 GB.
"""

from __future__ import annotations

import argparse
import itertools
import json
from pathlib import Path

import torch
import transformers
from clock import now

from gridbeam.models.huggingface.adapter import HuggingFace
from gridbeam.support.signature import signature

RESULTS = Path(__file__).parent / "results" / "memory.json"
TOKENS, LENGTH, VOCAB = 32, 2000, 49152


def llama() -> transformers.PreTrainedModel:
    config = transformers.LlamaConfig(
        vocab_size=VOCAB,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=30,
        num_attention_heads=9,
        num_key_value_heads=3,
        tie_word_embeddings=True,
        max_position_embeddings=8192,
        eos_token_id=2,
    )
    return transformers.LlamaForCausalLM(config)


def marian() -> transformers.PreTrainedModel:
    config = transformers.MarianConfig(
        vocab_size=VOCAB,
        d_model=512,
        encoder_layers=6,
        decoder_layers=6,
        encoder_attention_heads=8,
        decoder_attention_heads=8,
        encoder_ffn_dim=2048,
        decoder_ffn_dim=2048,
        max_position_embeddings=4096,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=2,
        forced_eos_token_id=None,
    )
    return transformers.MarianMTModel(config)


MODELS = {"llama": (llama, 30 * 2 * 3 * 64), "marian": (marian, 6 * 2 * 512)}
"""Each with the numbers that one token adds to the cache of one hypothesis."""


def decode(model: HuggingFace, rows: int, device: torch.device) -> list[float]:
    """Seconds of each step after the first."""
    source = torch.arange(LENGTH, device=device) % 1000 + 3
    state, feed = model.start([source]), torch.full((1,), model.bos, device=device)
    noise = torch.Generator().manual_seed(0)
    seconds = []
    for _ in range(TOKENS + 1):
        before = now(device)
        log_probs, state = model.step(state, feed)
        seconds.append(now(device) - before)
        feed = log_probs[:1].topk(rows).indices[0]
        parents = torch.randint(len(log_probs), (rows,), generator=noise).to(device)
        del log_probs
        state = model.select(state, parents)
    return seconds[1:]


def measure(name: str, rows: int, share: bool, device: torch.device) -> dict[str, float]:
    """Peak megabytes beyond the weights, and milliseconds a step."""
    torch.manual_seed(0)
    model = HuggingFace(MODELS[name][0]().eval().to(device), share=share)
    seconds = sorted(decode(model, rows, device))
    return {"peak_mb": peak(model, rows, device) / 1e6, "step_ms": 1e3 * seconds[len(seconds) // 2]}


def peak(model: HuggingFace, rows: int, device: torch.device) -> int:
    """The most bytes that were allocated at once while decoding."""
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        decode(model, rows, device)
        return torch.cuda.max_memory_allocated(device) - before
    with torch.profiler.profile(profile_memory=True) as profile:
        decode(model, rows, device)
    events = profile.profiler.kineto_results.events()
    return max(
        itertools.accumulate(event.nbytes() for event in events if event.name() == "[memory]")
    )


def main() -> None:
    """Prints the table, and with --save writes it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the shared way only")
    parser.add_argument("--rows", type=int, default=100, help="how many hypotheses")
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
    rows = []
    print(
        f"{'model':8} {'way':7} {'hyps':>5} {'peak':>9} {'generated':>10} {'bound':>9} {'ratio':>6}"
        f" {'step':>9}"
    )
    for name, (_, numbers) in MODELS.items():
        generated = options.rows * TOKENS * numbers * 4 / 1e6
        for share in (True,) if options.quick else (True, False):
            one, many = (
                measure(name, hyps, share, torch.device(options.device))
                for hyps in (1, options.rows)
            )
            bound = 1.5 * one["peak_mb"] + generated
            ratio = many["peak_mb"] / (one["peak_mb"] + generated)
            way = "shared" if share else "copied"
            for hyps, found in ((1, one), (options.rows, many)):
                row = {"model": name, "way": way, "hypotheses": hyps} | {
                    key: round(value, 1) for key, value in found.items()
                }
                rows.append(row)
                print(
                    f"{name:8} {way:7} {hyps:5} {found['peak_mb']:7.0f}MB",
                    end="" if hyps > 1 else "\n",
                )
            print(f" {generated:8.0f}MB {bound:7.0f}MB {ratio:6.2f} {many['step_ms']:7.1f}ms")
            rows[-1] |= {
                "generated_mb": round(generated, 1),
                "bound_mb": round(bound, 1),
                "ratio": round(ratio, 2),
            }
    print(signature())
    if options.save:
        options.save.write_text(
            json.dumps({"signature": signature(), "rows": rows}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
