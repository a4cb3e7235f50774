"""A test set translated and scored, with all that is needed to do it again."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from rich.console import Console

from gridbeam.decoding.options import SearchOptions
from gridbeam.errors import UserError
from gridbeam.evaluation.metrics import QUICK, MetricScore, scores
from gridbeam.evaluation.scoretable import save
from gridbeam.models.load import digest_of_weights
from gridbeam.support.output_files import check_place, refuse_overwriting
from gridbeam.support.progress import shown
from gridbeam.support.signature import signature
from gridbeam.text.parallel import aligned
from gridbeam.translation.defaults import TRANSLATION
from gridbeam.translation.translator import Translator


@dataclass(frozen=True)
class Evaluation:
    """What a model scores on a test set."""

    test: str
    model: str
    weights: str
    """The first digits of the hash of its weights."""
    data: str
    """The first digits of the hash of source and reference."""
    sentences: int
    search: dict[str, Any]
    """All options of the search."""
    scores: tuple[MetricScore, ...]
    seconds: float
    signature: str

    def __str__(self) -> str:
        found = "\n".join(
            f"{score.name:<5} {score.value:6.2f}  {score.signature}" for score in self.scores
        )
        speed = (
            f"{self.sentences} sentences in {self.seconds:.1f} s"
            f" ({self.sentences / max(self.seconds, 0.01):.1f} a second)"
        )
        about = f"weights {self.weights}, data {self.data}, {self._shown_options()}"
        return f"{self.test}  {self.model}\n{found}\n{speed}\n{about}, {self.signature}"

    def _shown_options(self) -> str:
        """The beam, and options that are not the usual ones."""
        usual = TRANSLATION.as_values()
        shown = [name for name in self.search if name == "beam" or self.search[name] != usual[name]]
        return ", ".join(f"{name.replace('_', ' ')} {self.search[name]}" for name in shown)

    def as_json(self) -> str:
        """All of it, in a line."""
        return json.dumps(asdict(self) | {"beam": self.search["beam"]}, ensure_ascii=False)


def evaluate(
    source: Path,
    reference: Path,
    *,
    model: str,
    source_language: str | None = None,
    target: str | None = None,
    options: SearchOptions = TRANSLATION,
    batch_size: int = 32,
    device: str | None = None,
    out: Path | None = None,
    console: Console | None = None,
) -> Evaluation:
    """The scores of a model on a test set, a sentence a line; the translations go to `out`."""
    refuse_overwriting({"--out": out}, {"SOURCE": source, "REFERENCE": reference})
    pairs = list(aligned(source, reference))
    if not pairs:
        raise UserError(f"{source} is empty: give a test set, a sentence a line")
    if out is not None:
        check_place(out)
    translator = Translator.load(model, source=source_language, target=target, device=device)
    before = time.perf_counter()
    found = translator.translate_all(
        [text for text, _ in pairs], options=options, batch_size=batch_size, split=False
    )
    texts = [" ".join(each.text.splitlines()) for each in shown(found, len(pairs), console)]
    seconds = time.perf_counter() - before
    if out is not None:
        save("\n".join(texts), out)
    data = sha256(
        "\n".join(f"{text}\t{translation}" for text, translation in pairs).encode()
    ).hexdigest()[:12]
    found_scores = scores(texts, [translation for _, translation in pairs], QUICK)
    name = source.name.removesuffix(".en")
    return Evaluation(
        name,
        model,
        digest_of_weights(model),
        data,
        len(pairs),
        options.as_values(),
        found_scores,
        round(seconds, 2),
        signature(),
    )
