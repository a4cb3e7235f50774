"""What decoding costs on a CPU, beside plain decoders on the same weights: `make bench`.

    python benchmarks/bench.py [--text STEM] [--count 16] [--threads 1] [--repeats 2] [--save]

Sentences are those of `texts/sentences.tsv`, or of parallel files STEM.en and STEM.de; three words
of each reference are required. Ways take turns, and the least of their times counts (what
transformers computes has one turn): seconds of the processor where there is one thread, so that
what else runs disturbs little, of the clock where there are more. `make bench` takes about ten
minutes on two processors.

transformers 4.56, the last with constrained beam search, is installed into a folder of its own;
where that cannot be had, its line is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ctranslate2
import torch
import ways
from ways import TAG, Work

import gridbeam
from gridbeam import Phrase, Request, Translator
from gridbeam.support.signature import signature
from gridbeam.translation.defaults import TRANSLATION

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "bench.json"
BEAM = TRANSLATION.beam
BUDGET = 2 * BEAM
OLD = ("transformers==4.56.*", "tokenizers==0.22.*", "huggingface-hub<1.0")
"""The last version with `force_words_ids`, and what it needs of other versions than ours."""
ONCE = ("transformers", "gridbeam, by transformers")
"""What takes longest has one turn."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Pair:
    """A source, its reference, and three words of that."""

    source: str
    reference: str = ""
    words: tuple[str, ...] = ()

    @property
    def request(self) -> Request:
        """The translation of the source with the words."""
        return Request(self.source, self.words)


@dataclass(frozen=True)
class Bench:
    """What is measured with."""

    pairs: Sequence[Pair]
    threads: int
    repeats: int
    folder: Path

    @property
    def clock(self) -> Callable[[], float]:
        """Seconds of the processor for one thread, else of the clock."""
        return time.process_time if self.threads == 1 else time.perf_counter

    def least(self, works: dict[str, Work]) -> dict[str, float]:
        """The least milliseconds a sentence of each work, which take turns."""
        found: dict[str, float] = {}
        for repeat in range(self.repeats):
            for name, work in works.items():
                if not (repeat and name.startswith(ONCE)):
                    seconds = self.seconds(work)
                    found[name] = min(seconds, found.get(name, seconds))
        return found

    def seconds(self, work: Work) -> float:
        """What a work takes once."""
        before = self.clock()
        work()
        return self.clock() - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--text", type=Path, help="parallel files, without .en and .de")
    parser.add_argument("--count", type=int, default=16, help="how many sentences")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--without-old", action="store_true", help="no transformers 4.56")
    parser.add_argument("--peak", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--save", action="store_true")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    if asked.peak:
        work_alone(asked.peak[0], Path(asked.peak[1]))
        return
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(read(asked.text, 32), asked.threads, asked.repeats, Path(folder))
        ways.exported(bench.folder)
        results = measured(bench, asked.count, with_old=not asked.without_old)
    print(f"{(time.monotonic() - began) / 60:.1f} minutes")
    if asked.save:
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf8")


def read(stem: Path | None, count: int) -> list[Pair]:
    """The first sentences of 12 to 24 words, each with three words of its reference."""
    draw = random.Random(0)
    found: list[Pair] = []
    for source, reference in _parallel(stem):
        words = sorted(set(re.findall(r"\w{5,}", reference)))
        is_fit = 12 <= len(source.split()) <= 24 and len(words) >= 3 and not set("{<") & set(source)
        if is_fit and len(found) < count:
            found.append(Pair(source.strip(), reference, tuple(draw.sample(words, 3))))
    return found


def _parallel(stem: Path | None) -> Iterator[tuple[str, ...]]:
    if stem is None:
        lines = (HERE / "texts" / "sentences.tsv").read_text(encoding="utf8").splitlines()
        yield from (tuple(line.split("\t")) for line in lines)
        return
    sides = (
        Path(f"{stem}.{side}").read_text(encoding="utf8").splitlines() for side in ("en", "de")
    )
    yield from zip(*sides, strict=True)


def measured(bench: Bench, count: int, *, with_old: bool) -> dict[str, Any]:
    """All results, section by section."""
    about = f"{signature()}, ctranslate2 {ctranslate2.__version__}, beam {BEAM}, {count} sentences"
    ours = {
        "gridbeam, by transformers": ways.ours("transformers"),
        "gridbeam": ways.ours("gridbeam"),
        "gridbeam, fast": ways.ours("gridbeam, fast"),
    }
    lean, some = ours["gridbeam"], bench.pairs[:count]
    rows = plain(bench, some, ours)
    words = with_words(bench, some, ours, {row["way"]: row for row in rows})
    if with_old:
        words += by_old_transformers(bench, some)
    return {
        "signature": about,
        "clock": bench.clock.__name__,
        "plain": rows,
        "words": words,
        "outside": outside(bench, some, lean),
        "growth": growth(bench, lean),
        "command": command(bench),
    }


def plain(bench: Bench, pairs: Sequence[Pair], ours: dict[str, Translator]) -> list[Row]:
    """Translation without constraints, one by one and as one batch, and the memory of a batch."""
    sources = [each.source for each in pairs]
    batches = {**_others(bench, sources), **_by_ours(ours, sources)}
    ones = [{**_others(bench, [source]), **_by_ours(ours, [source])} for source in sources]
    for work in batches.values():
        work()  # the first of each shape is slow, whoever computes
    batch = bench.least(batches)
    one = bench.least({name: _all_of([each[name] for each in ones]) for name in batches})
    (bench.folder / "sources.json").write_text(json.dumps(sources), encoding="utf8")
    read = _known(bench)["pieces"](sources)
    (bench.folder / "pieces.json").write_text(json.dumps(read), encoding="utf8")
    rows = []
    for name in batches:
        row = {
            "way": name,
            "one ms": _ms(one[name], sources),
            "one ratio": round(one[name] / one["CTranslate2, int8"], 2),
            "batch ms": _ms(batch[name], sources),
            "batch ratio": round(batch[name] / batch["CTranslate2, int8"], 2),
            "peak MB": _peak(bench, name),
        }
        rows.append(_told(row))
    return rows


def _others(bench: Bench, sources: Sequence[str]) -> dict[str, Work]:
    known = _known(bench)
    read = known["pieces"](list(sources))
    return {
        "CTranslate2, int8": known["int8"](read, BEAM),
        "CTranslate2, float32": known["float32"](read, BEAM),
        "transformers": known["generate"](list(sources), BEAM),
    }


_loaded: dict[Path, dict[str, Any]] = {}


def _known(bench: Bench) -> dict[str, Any]:
    """The other decoders, loaded once."""
    if bench.folder not in _loaded:
        by_text = dict(
            zip(texts := [*_texts(bench)], ways.pieces(bench.folder, texts), strict=True)
        )
        _loaded[bench.folder] = {
            "pieces": lambda sources: [by_text[source] for source in sources],
            "int8": ways.by_ctranslate2(bench.folder, "int8", bench.threads),
            "float32": ways.by_ctranslate2(bench.folder, "float32", bench.threads),
            "generate": ways.by_generate(bench.folder),
        }
    return _loaded[bench.folder]


def _texts(bench: Bench) -> Iterator[str]:
    """All that is ever translated: the sentences, and several of them as one."""
    for size in LENGTHS:
        yield from _joined(bench, size)


def _joined(bench: Bench, size: int) -> list[str]:
    """Texts of so many sentences each, eight at most."""
    sources = [each.source for each in bench.pairs]
    if size == 1:
        return sources
    starts = range(0, len(sources) - size + 1, size)
    return [" ".join(sources[start : start + size]) for start in starts][:8]


def _by_ours(
    ours: dict[str, Translator], sources: Sequence[str | Request], **options: Any
) -> dict[str, Work]:
    return {
        name: ways.by_translator(each, sources, beam=BEAM, **options) for name, each in ours.items()
    }


def _all_of(works: Sequence[Work]) -> Work:
    return lambda: [work() for work in works]


def _ms(seconds: float, sources: Sequence[object]) -> float:
    return round(1000 * seconds / len(sources), 1)


def _told(row: Row) -> Row:
    print(row, flush=True)
    return row


def _peak(bench: Bench, name: str) -> int:
    """The most memory of a process that only translates the batch in this way."""
    command = [sys.executable, __file__, "--threads", str(bench.threads), "--peak", name]
    arguments = [*command, str(bench.folder)]
    if name.startswith("CTranslate2"):
        arguments = [sys.executable, "-c", ALONE, str(bench.folder), name.rpartition(" ")[2]]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    return int(done.stdout.partition("VmHWM:")[2].split()[0]) // 1024


ALONE = """
import ctranslate2, json, pathlib, sys
folder, kind = pathlib.Path(sys.argv[1]), sys.argv[2]
translator = ctranslate2.Translator(str(folder / "converted"), compute_type=kind)
translator.translate_batch(json.loads((folder / "pieces.json").read_text()), beam_size=5)
print(pathlib.Path("/proc/self/status").read_text())
"""
"""CTranslate2 by itself."""


def work_alone(name: str, folder: Path) -> None:
    """Translates the sources of the folder in one way, and prints what the system knows of it."""
    sources = json.loads((folder / "sources.json").read_text(encoding="utf8"))
    if name == "transformers":
        work = ways.by_generate(folder)(sources, BEAM)
    else:
        kind = {"gridbeam, by transformers": "transformers"}.get(name, name)
        work = ways.by_translator(ways.ours(kind), sources, beam=BEAM)
    work()
    print(Path("/proc/self/status").read_text(encoding="utf8"))


def with_words(
    bench: Bench, pairs: Sequence[Pair], ours: dict[str, Translator], before: dict[str, Row]
) -> list[Row]:
    """Three words required, with a beam in each row and with a budget."""
    requests = [each.request for each in pairs]
    rows = []
    for budget in (None, BUDGET):
        those = ours if budget is None else {"gridbeam": ours["gridbeam"]}
        batch = bench.least(_by_ours(those, requests, budget=budget))
        ones = [_by_ours(those, [request], budget=budget) for request in requests]
        one = bench.least({name: _all_of([each[name] for each in ones]) for name in those})
        for name in those:
            row = {
                "way": name if budget is None else f"{name}, budget {budget}",
                "one ms": _ms(one[name], pairs),
                "one, of plain": round(_ms(one[name], pairs) / before[name]["one ms"], 1),
                "batch ms": _ms(batch[name], pairs),
                "batch, of plain": round(_ms(batch[name], pairs) / before[name]["batch ms"], 1),
            }
            rows.append(_told(row))
    return rows


def by_old_transformers(bench: Bench, pairs: Sequence[Pair]) -> list[Row]:
    """The same in transformers 4.56; nothing, and a line that says why, where it cannot be had."""
    where, job = bench.folder / "old", bench.folder / "job.json"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(where)]
    done = subprocess.run([*pip, *OLD], capture_output=True, text=True, check=False)
    asked = {
        "folder": str(bench.folder / "plain"),
        "sources": [TAG + each.source for each in pairs],
        "words": [each.words for each in pairs],
        "beam": BEAM,
        "threads": bench.threads,
    }
    job.write_text(json.dumps(asked), encoding="utf8")
    if not done.returncode:
        command = [sys.executable, str(HERE / "force_words.py"), str(job)]
        alone = {**os.environ, "PYTHONPATH": str(where)}
        done = subprocess.run(command, env=alone, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"no transformers 4.56: {done.stderr.strip().splitlines()[-1]}")
        return []
    found = json.loads(done.stdout.splitlines()[-1])
    return [
        _told(
            {
                "way": f"transformers {found['version']}, force_words_ids",
                "one ms": round(found["3 words ms"], 1),
                "one, of plain": round(found["3 words ms"] / found["plain ms"], 1),
                "sentences with all words": f"{found['said']} of {len(pairs)}",
            }
        )
    ]


def outside(bench: Bench, pairs: Sequence[Pair], translator: Translator) -> list[Row]:
    """The share of time that is not the model's, and the model's calls made again without us."""
    rows = []
    for what, requests in {
        "plain": [each.source for each in pairs],
        "3 words": [each.request for each in pairs],
    }.items():
        for size in (1, len(pairs)):
            parts = [requests[at : at + size] for at in range(0, len(requests), size)]
            rows.append(_told({"what": what, "batch": size, **_outside(bench, parts, translator)}))
    return rows


def _outside(bench: Bench, parts: Sequence[Sequence[str | Request]], translator: Translator) -> Row:
    model = translator.model
    watched = Watched(model, bench.clock)
    translator.model = translator._planner.model = watched  # type: ignore[misc]
    try:
        whole = bench.seconds(
            _all_of([ways.by_translator(translator, part, beam=BEAM) for part in parts])
        )
    finally:
        translator.model = translator._planner.model = model  # type: ignore[misc]
    count = sum(map(len, parts))
    return {
        "ms": round(1000 * whole / count, 1),
        "bare model ms": round(
            1000 * min(bench.seconds(watched.again) for _ in range(2)) / count, 1
        ),
        "outside %": round(100 * (1 - watched.seconds / whole), 1),
    }


class Watched:
    """A model that notes how long its verbs take, and what was asked of them."""

    def __init__(self, model: Any, clock: Callable[[], float]) -> None:
        self._model, self._clock = model, clock
        self._calls: list[tuple[str, Any]] = []
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def start(self, sources: Any) -> Any:
        return self._timed("start", sources)

    def step(self, state: Any, tokens: Any) -> Any:
        return self._timed("step", tokens, state)

    def select(self, state: Any, rows: Any) -> Any:
        return self._timed("select", rows, state)

    def again(self) -> None:
        """Makes the same calls once more."""
        if hasattr(self._model, "sources"):
            self._model.sources.forget()
        state: Any = None
        with torch.inference_mode():
            for verb, what in self._calls:
                if verb == "start":
                    state = self._model.start(what)
                elif verb == "step":
                    _, state = self._model.step(state, what)
                else:
                    state = self._model.select(state, what)

    def _timed(self, verb: str, what: Any, *state: Any) -> Any:
        self._calls.append((verb, what))
        before = self._clock()
        found = getattr(self._model, verb)(*state, what)
        self.seconds += self._clock() - before
        return found


TOKENS, BEAMS, BATCHES, LENGTHS = (
    (0, 3, 6, 9, 12, 15),
    (1, 2, 5, 10, 20),
    (1, 2, 4, 8, 16, 32),
    (1, 2, 4),
)


def growth(bench: Bench, translator: Translator) -> list[Row]:
    """How the time of a sentence grows with constraints, beam, batch and length."""
    rows = []
    for tokens in TOKENS:
        works = _with_tokens(bench, translator, tokens)
        rows.append(_grown("constraint tokens", tokens, bench.least(works), 8))
    sources = [each.source for each in bench.pairs]
    for beam in BEAMS:
        rows.append(
            _grown("beam", beam, bench.least(_both(bench, translator, sources[:8], beam)), 8)
        )
    for batch in BATCHES:
        works = _both(bench, translator, sources[:batch], BEAM)
        rows.append(_grown("batch", batch, bench.least(works), batch))
    for size in LENGTHS:
        texts = _joined(bench, size)[:8]
        words = round(sum(len(text.split()) for text in texts) / len(texts))
        rows.append(
            _grown("words", words, bench.least(_both(bench, translator, texts, BEAM)), len(texts))
        )
    return rows


def _with_tokens(bench: Bench, translator: Translator, count: int) -> dict[str, Work]:
    """Eight sentences with so many tokens of their reference required, in phrases of three."""
    sources, constraints = [], []
    tokenizer = translator.tokenizer
    for pair in bench.pairs[:8]:
        read = tokenizer(text_target=pair.reference, add_special_tokens=False)["input_ids"]
        sources.append(tokenizer(TAG + pair.source)["input_ids"])
        constraints.append([Phrase(read[at : at + 3]) for at in range(0, count, 3)])

    def work(**changes: Any) -> Work:
        options = TRANSLATION.but(max_length=60, **changes)
        return lambda: gridbeam.search(translator.model, sources, constraints, options=options)

    return {"gridbeam": work(share="rows"), "budget": work(budget=BUDGET)}


def _both(
    bench: Bench, translator: Translator, sources: Sequence[str], beam: int
) -> dict[str, Work]:
    known = _known(bench)
    return {
        "gridbeam": ways.by_translator(translator, sources, beam=beam),
        "CTranslate2, int8": known["int8"](known["pieces"](list(sources)), beam),
    }


def _grown(by: str, value: int, seconds: dict[str, float], count: int) -> Row:
    return _told(
        {"by": by, "value": value}
        | {f"{name} ms": round(1000 * each / count, 1) for name, each in seconds.items()}
    )


def command(bench: Bench) -> list[Row]:
    """`gridbeam translate` of twenty product strings with a glossary, the whole command."""
    strings, glossary = HERE / "texts" / "strings.txt", HERE / "texts" / "glossary.csv"
    asked = [
        sys.executable,
        "-m",
        "gridbeam",
        "translate",
        str(strings),
        "--glossary",
        str(glossary),
    ]
    rows = []
    for what, arguments in {
        "twenty strings with a glossary": asked,
        "importing torch and the tokenizer of transformers": [
            sys.executable,
            "-c",
            "import torch; from transformers import AutoConfig, MarianTokenizer",
        ],
    }.items():
        runs = [_run(bench, arguments, number) for number in range(3)]
        row = {"what": what, "processor s": min(each[0] for each in runs)}
        rows.append(_told(row | {"clock s": min(each[1] for each in runs)}))
    return rows


def _run(bench: Bench, arguments: Sequence[str], number: int) -> tuple[float, float]:
    """The seconds of the processor and of the clock that a command takes."""
    out = ["-o", str(bench.folder / f"out-{number}.txt")] if "translate" in arguments else []
    threads = {**os.environ, "OMP_NUM_THREADS": str(bench.threads)}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*arguments, *out], check=True, capture_output=True, env=threads)
    clock, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return round(used, 2), round(clock, 2)


if __name__ == "__main__":
    main()
