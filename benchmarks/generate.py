"""What constraints cost in `generate`: seconds for a batch, beside plain beam search.

Both have the same width, in one run.

A Marian-sized encoder-decoder with random weights, so every text runs to the last token: 6+6 layers
of 512, vocabulary 58,101, beam 10, 9 constraint tokens in 4 phrases for each sentence, 40 new
tokens.

    python benchmarks/generate.py --save NAME      # writes results/NAME.json
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from statistics import median
from typing import Any

import torch
import transformers

from gridbeam import GridBeamSearch
from gridbeam.support.signature import signature

LENGTHS = (3, 2, 2, 2)
VOCAB = 58_101


def marian(layers: int, width: int, vocab: int = VOCAB, **more: Any) -> transformers.MarianMTModel:
    """A network with random weights."""
    torch.manual_seed(0)
    config = transformers.MarianConfig(
        vocab_size=vocab,
        d_model=width,
        encoder_layers=layers,
        decoder_layers=layers,
        encoder_attention_heads=8,
        decoder_attention_heads=8,
        encoder_ffn_dim=4 * width,
        decoder_ffn_dim=4 * width,
        max_position_embeddings=512,
        pad_token_id=vocab - 1,
        eos_token_id=0,
        decoder_start_token_id=vocab - 1,
        forced_eos_token_id=None,
        **more,
    )
    return transformers.MarianMTModel(config).eval()


def seconds(call, device: torch.device, times: int) -> float:
    taken = []
    for _ in range(times + 1):
        start = time.perf_counter()
        call()
        if device.type == "cuda":
            torch.cuda.synchronize()
        taken.append(time.perf_counter() - start)
    return median(taken[1:])


def measure(
    model, sentences: int, beam: int, new_tokens: int, times: int
) -> list[dict[str, object]]:
    device = model.device
    draw = torch.Generator().manual_seed(1)
    source = torch.randint(1, VOCAB - 1, (sentences, 24), generator=draw).to(device)
    phrases = (
        torch.randperm(VOCAB - 2, generator=draw)[: sentences * sum(LENGTHS)]
        .add(1)
        .view(sentences, -1)
    )
    wishes = [[part.tolist() for part in row.split(LENGTHS)] for row in phrases]
    options = {
        "num_beams": beam,
        "max_new_tokens": new_tokens,
        "min_new_tokens": new_tokens,
        "do_sample": False,
    }

    def run(**more: object) -> float:
        return seconds(lambda: model.generate(source, **options, **more), device, times)

    plain = run()
    rows = [("plain beam search of transformers", plain)]
    rows.append(("gridbeam, no constraints", run(custom_generate=GridBeamSearch())))
    rows.append(
        ("gridbeam, 9 constraint tokens", run(custom_generate=GridBeamSearch(), constraints=wishes))
    )
    budget = GridBeamSearch(budget=beam)
    rows.append(
        (
            f"gridbeam, 9 constraint tokens, budget={beam}",
            run(custom_generate=budget, constraints=wishes),
        )
    )
    return [
        {"sentences": sentences, "what": what, "seconds": round(s, 3), "ratio": round(s / plain, 2)}
        for what, s in rows
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--save", metavar="NAME")
    parser.add_argument("--sentences", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--beam", type=int, default=10)
    parser.add_argument("--new-tokens", type=int, default=40)
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    transformers.utils.logging.set_verbosity_error()
    model = marian(given.layers, given.width)
    if torch.cuda.is_available():
        model = model.cuda().half()
    rows = [
        row
        for n in given.sentences
        for row in measure(model, n, given.beam, given.new_tokens, given.times)
    ]
    for row in rows:
        print(
            f"{row['sentences']:4} sentences  {row['what']:45} {row['seconds']:8.3f} s "
            f" {row['ratio']:6.2f}"
        )
    if given.save:
        options = {
            name: value
            for name, value in vars(given).items()
            if name not in ("save", "sentences", "times")
        }
        path = Path(__file__).parent / "results" / f"{given.save}.json"
        path.write_text(
            json.dumps({"signature": signature(), "options": options, "rows": rows}, indent=1)
            + "\n"
        )
