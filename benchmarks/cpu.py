"""What a translation costs on a CPU, beside CTranslate2 on the same weights.

    python benchmarks/cpu.py SOFTWARE NEWS [--threads 1] [--repeats 3] [--save]

SOFTWARE and NEWS are files without their .en and .de. Of each, the first 16 sentences of 12 to 24
words are translated one by one and as one batch, and with three words of the reference required.
Ways take turns, and the least of their times counts (transformers has one turn): seconds of the
processor where there is one thread, so that what else runs disturbs little, of the clock where
there are more. CTranslate2 reads what `gridbeam export` has written (`pip install ctranslate2`).
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ctranslate2
import torch
from ways import BY_LEAN, by_ctranslate2, exported, ours, pieces

from gridbeam import Request, Translator
from gridbeam.models.lean.model import Lean
from gridbeam.support.signature import signature

COUNT, BEAM = 16, 5
RESULTS = Path(__file__).parent / "results" / "cpu.json"
Work = dict[str, Callable[[], object]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("software", type=Path)
    parser.add_argument("news", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--save", action="store_true")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    ways = [*_converted(asked.threads), *_ours()]
    texts = {"software": requests(asked.software), "news": requests(asked.news)}
    clock = time.process_time if asked.threads == 1 else time.perf_counter
    rows = [
        row
        for text, found in texts.items()
        for row in _rows(text, {name: work(found) for name, work in ways}, asked.repeats, clock)
    ]
    results = {
        "signature": f"{signature()}, ctranslate2 {ctranslate2.__version__}, beam {BEAM}",
        "clock": clock.__name__,
        "rows": rows,
    }
    if asked.save:
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf8")


def requests(stem: Path) -> list[Request]:
    """The sentences, each with three words of its reference."""
    draw = random.Random(0)
    found: list[Request] = []
    lines = (
        Path(f"{stem}.{side}").read_text(encoding="utf8").splitlines() for side in ("en", "de")
    )
    for source, reference in zip(*lines, strict=True):
        words = sorted(set(re.findall(r"\w{5,}", reference)))
        is_fit = 12 <= len(source.split()) <= 24 and len(words) >= 3 and not set("{<") & set(source)
        if is_fit and len(found) < COUNT:
            found.append(Request(source.strip(), draw.sample(words, 3)))
    return found


def _ours() -> list[tuple[str, Callable[[list[Request]], Work]]]:
    return [(name, _work_of(ours(name))) for name in BY_LEAN]


def _work_of(translator: Translator) -> Callable[[list[Request]], Work]:
    model: Any = translator.model

    def anew(search: Callable[[], object]) -> Callable[[], object]:
        """A search of sources that the model has not seen, as far as it can tell."""

        def searched() -> object:
            if isinstance(model, Lean):
                model.sources.forget()
            return search()

        return searched

    def one_by_one(texts: list[Any]) -> Callable[[], object]:
        return anew(lambda: [translator.translate(each, split=False, beam=BEAM) for each in texts])

    def together(texts: list[Any]) -> Callable[[], object]:
        return anew(lambda: [*translator.translate_all(texts, split=False, beam=BEAM)])

    def work(found: list[Request]) -> Work:
        plain = [each.source for each in found]
        return {
            "one": one_by_one(plain),
            "batch": together(plain),
            "3 words, one": one_by_one(found),
            "3 words, batch": together(found),
        }

    return work


def _converted(threads: int) -> list[tuple[str, Callable[[list[Request]], Work]]]:
    folder = exported(Path(tempfile.mkdtemp()))

    def way(kind: str) -> Callable[[list[Request]], Work]:
        translating = by_ctranslate2(folder, kind, threads)

        def work(found: list[Request]) -> Work:
            read = pieces(folder, [each.source for each in found])
            each = [translating([source], BEAM) for source in read]
            return {
                "one": lambda: [translate() for translate in each],
                "batch": translating(read, BEAM),
            }

        return work

    return [("CTranslate2, int8", way("int8")), ("CTranslate2, float32", way("float32"))]


def _rows(
    text: str, works: dict[str, Work], repeats: int, clock: Callable[[], float]
) -> list[dict[str, Any]]:
    """Milliseconds a sentence of each way, and how many times those of the first."""
    least: dict[tuple[str, str], float] = {}
    for repeat in range(repeats):
        for name, work in works.items():
            if repeat and name == "transformers":
                continue  # a third of the time of all would be spent on what is slowest
            for what, do in work.items():
                before = clock()
                do()
                seconds = clock() - before
                least[name, what] = min(seconds, least.get((name, what), seconds))
                print(text, name, what, f"{seconds:.2f} s", flush=True)
    first = next(iter(works))
    rows = []
    for name, work in works.items():
        row: dict[str, Any] = {"text": text, "way": name}
        row |= {f"{what} ms": round(1000 * least[name, what] / COUNT, 1) for what in work}
        row |= {
            f"{what} ratio": round(least[name, what] / least[first, what], 2)
            for what in ("one", "batch")
        }
        for what in ("one", "batch"):
            if f"3 words, {what}" in work:
                times = least[name, f"3 words, {what}"] / least[name, what]
                row[f"3 words, {what}, of plain"] = round(times, 1)
        rows.append(row)
    return rows


if __name__ == "__main__":
    main()
