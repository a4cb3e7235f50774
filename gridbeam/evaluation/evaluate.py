"""A test set translated and scored, with all that is needed to do it again."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from rich.console import Console

from gridbeam.errors import UserError
from gridbeam.evaluation.metrics import QUICK, Score, scores
from gridbeam.evaluation.scoretable import save
from gridbeam.models.load import digest_of_weights
from gridbeam.support.output_files import check_place, refuse_overwriting
from gridbeam.support.progress import shown
from gridbeam.support.signature import signature
from gridbeam.text.parallel import aligned
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
    beam: int
    scores: tuple[Score, ...]
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
        about = f"weights {self.weights}, data {self.data}, beam {self.beam}"
        return f"{self.test}  {self.model}\n{found}\n{speed}\n{about}, {self.signature}"

    def as_json(self) -> str:
        """All of it, in a line."""
        return json.dumps(asdict(self), ensure_ascii=False)


def evaluate(
    source: Path,
    reference: Path,
    *,
    model: str,
    source_language: str | None = None,
    target: str | None = None,
    beam: int = 5,
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
        [text for text, _ in pairs], beam=beam, batch_size=batch_size, split=False
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
        beam,
        found_scores,
        round(seconds, 2),
        signature(),
    )
