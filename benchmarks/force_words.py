"""What three required words cost in transformers 4.56, which had constrained beam search.

    PYTHONPATH=FOLDER_WITH_THAT_TRANSFORMERS python force_words.py JOB

JOB is a JSON file of `bench.py`: the folder of the model, sources, three words for each, beam and
threads. It knows nothing of gridbeam, and prints JSON: milliseconds a sentence without the words
and with them, one sentence at a time, as a batch would have the same words for all its sentences.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import torch
import transformers


@torch.inference_mode()
def main() -> None:
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf8"))
    transformers.logging.set_verbosity_error()
    warnings.simplefilter("ignore")
    torch.set_num_threads(job["threads"])
    clock = time.process_time if job["threads"] == 1 else time.perf_counter
    tokenizer = transformers.MarianTokenizer.from_pretrained(job["folder"])
    network = transformers.MarianMTModel.from_pretrained(job["folder"]).eval()

    def translated(source: str, words: list[str]) -> str:
        required: dict[str, Any] = {}
        if words:
            ids = [tokenizer(text_target=word, add_special_tokens=False) for word in words]
            required = {"force_words_ids": [each["input_ids"] for each in ids]}
        read = tokenizer(source, return_tensors="pt")
        found = network.generate(**read, num_beams=job["beam"], max_length=100, **required)
        return str(tokenizer.decode(found[0], skip_special_tokens=True))

    def cost(words: list[list[str]]) -> tuple[float, list[str]]:
        before = clock()
        texts = [translated(*each) for each in zip(job["sources"], words, strict=True)]
        return 1000 * (clock() - before) / len(texts), texts

    translated(job["sources"][0], [])
    plain, _ = cost([[]] * len(job["sources"]))
    with_words, texts = cost(job["words"])
    said = sum(all(word in text for word in words) for words, text in zip(job["words"], texts))  # noqa: B905
    print(
        json.dumps(
            {
                "version": transformers.__version__,
                "plain ms": plain,
                "3 words ms": with_words,
                "said": said,
            }
        )
    )


if __name__ == "__main__":
    main()
