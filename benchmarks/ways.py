"""Ways to translate on a CPU, for benchmarks: plain decoders on the same weights, and ours.

CTranslate2 and transformers read what `gridbeam export` has written (`pip install ctranslate2`).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gridbeam import Request, Translator
from gridbeam.decoding.options import SearchKeywords
from gridbeam.models.lean.folder import SWITCH
from gridbeam.models.lean.model import Lean
from gridbeam.models.load import export

MODEL, TAG = "builtin:en-de", ">>de<< "
BY_LEAN = {"transformers": "off", "gridbeam": "on", "gridbeam, fast": "fast"}
"""How what computes our model is switched on, by its name."""
Work = Callable[[], object]


def exported(folder: Path) -> Path:
    """The model as a folder of transformers, and beside it as one of CTranslate2."""
    import ctranslate2

    export(MODEL, folder / "plain")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        converter = ctranslate2.converters.TransformersConverter(str(folder / "plain"))
        converter.convert(str(folder / "converted"))
    return folder


def pieces(folder: Path, sources: Sequence[str]) -> list[list[str]]:
    """What CTranslate2 reads for each source."""
    tokenizer = Translator.load(str(folder / "plain"), target="de").tokenizer
    ids = [tokenizer(TAG + source)["input_ids"] for source in sources]
    return [tokenizer.convert_ids_to_tokens(each) for each in ids]


def by_ctranslate2(folder: Path, kind: str, threads: int) -> Callable[[list[list[str]], int], Work]:
    """For sources in pieces and a beam, their translation as one batch."""
    import ctranslate2

    other = ctranslate2.Translator(
        str(folder / "converted"), compute_type=kind, intra_threads=threads
    )
    return lambda sources, beam: lambda: other.translate_batch(sources, beam_size=beam)


def by_generate(folder: Path) -> Callable[[list[str], int], Work]:
    """For sources and a beam, what `generate` of transformers does with them, as one batch."""
    import torch
    from transformers import MarianMTModel, MarianTokenizer

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tokenizer = MarianTokenizer.from_pretrained(str(folder / "plain"))
        network = MarianMTModel.from_pretrained(str(folder / "plain")).eval()

    @torch.inference_mode()
    def generate(sources: list[str], beam: int) -> object:
        read = tokenizer([TAG + source for source in sources], return_tensors="pt", padding=True)
        return network.generate(**read, num_beams=beam, max_length=200)

    return lambda sources, beam: lambda: generate(sources, beam)


def ours(name: str) -> Translator:
    """Our translator, computed by what has this name."""
    os.environ[SWITCH] = BY_LEAN[name]
    return Translator.load(MODEL, device="cpu")


def by_translator(
    translator: Translator, requests: Sequence[str | Request], **options: Any
) -> Work:
    """The translation of these as one batch, as of sources that the model has not seen."""
    model: Any = translator.model
    changes: SearchKeywords = options  # type: ignore[assignment]

    def translate() -> object:
        if isinstance(model, Lean):
            model.sources.forget()
        size = len(requests)
        return [*translator.translate_all(requests, split=False, batch_size=size, **changes)]

    return translate
