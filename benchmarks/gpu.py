"""The search in slots on a GPU: that it finds what the loop finds, and how long it takes.

First its laws, on the device: kernels beside their plain versions, and whole searches beside those
of the loop. Then seconds, beside plain beam search of transformers in the same run, on a
Marian-sized network with random weights (6+6 layers of 512, vocabulary 58,101, beam 10, 40 new
tokens), and sentences a second of `Translator` on the model that ships.

    python benchmarks/gpu.py --minutes 4 --out FOLDER --text NEWS.en --reference NEWS.de
    python benchmarks/gpu.py --tiny --out FOLDER       # the same at tiny sizes, on a CPU

It stops between two measurements when its minutes are over; what there is stands in FOLDER.
"""

from __future__ import annotations

import argparse
import cProfile
import io
import json
import os
import pstats
import random
import re
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import torch
import transformers
from generate import marian

import gridbeam
from gridbeam import AnyOf, Avoid, Gap, GridBeamSearch, InOrder, Phrase, Prefix, Suffix
from gridbeam.decoding.slots import grid as grids
from gridbeam.decoding.slots.column import advance
from gridbeam.decoding.slots.shape import SWITCH
from gridbeam.models.huggingface.adapter import HuggingFace
from gridbeam.models.slots.kernels import PLAIN
from gridbeam.models.slots.kernels.best import best_tokens
from gridbeam.models.slots.kernels.norm import add_and_norm, plainly_added
from gridbeam.models.slots.kernels.recall import plainly_recalled, recall
from gridbeam.support.signature import signature

TOKENS: dict[int, tuple[int, ...]] = {0: (), 3: (3,), 9: (3, 2, 2, 2), 15: (3, 3, 3, 2, 2, 2)}
"""The lengths of the phrases that make so many tokens."""
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Report:
    """What was found, printed and written as it comes."""

    def __init__(self, out: Path, minutes: float, section: str) -> None:
        self.start, self.seconds = time.perf_counter(), 60 * minutes
        self.path = out / f"gpu-{section}.json"
        out.mkdir(parents=True, exist_ok=True)
        self.found: dict[str, Any] = {"signature": signature(), "laws": {}, "rows": [], "more": {}}

    @property
    def is_over(self) -> bool:
        return time.perf_counter() - self.start > self.seconds

    def note(self, line: str) -> None:
        print(f"{time.perf_counter() - self.start:6.1f} {line}", flush=True)

    def save(self) -> None:
        self.path.write_text(json.dumps(self.found, indent=1) + "\n")

    def row(self, **values: Any) -> None:
        self.found["rows"].append(values)
        self.note("  ".join(f"{name}={value}" for name, value in values.items()))
        self.save()

    def end_if_broken(self) -> None:
        """After an error on the GPU nothing works in this process."""
        try:
            wait()
        except RuntimeError:
            self.note("the GPU answers no more in this process")
            sys.stdout.flush()
            os._exit(BROKEN)

    def attempt(self, name: str, call: Callable[[], Any]) -> Any:
        """What a test or measurement gives; an error is printed, and the next goes on."""
        if self.is_over:
            self.note(f"-- {name}: no time left")
            return None
        try:
            result = call()
        except Exception:
            self.note(f"FAILED {name}\n{traceback.format_exc(limit=-8)}")
            self.found["laws"][name] = "failed"
            self.save()
            self.end_if_broken()
            return None
        self.found["laws"].setdefault(name, "ok")
        self.save()
        return result


@contextmanager
def switched(how: str, *, plain_kernels: bool = False) -> Iterator[None]:
    """Searches in slots, or `off`."""
    before = {name: os.environ.get(name) for name in (SWITCH, PLAIN)}
    os.environ[SWITCH] = how
    os.environ[PLAIN] = "1" if plain_kernels or ALWAYS_PLAIN else ""
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


ON = "everywhere"
ALWAYS_PLAIN = bool(os.environ.get(PLAIN))
BROKEN = 3
"""How a process ends whose GPU answers no more."""


def wait() -> None:
    if DEVICE.type == "cuda":
        torch.cuda.synchronize()


def seconds(call: Callable[[], Any], times: int) -> float:
    """The median of some calls after one that is not counted."""
    taken = []
    for _ in range(times + 1):
        wait()
        start = time.perf_counter()
        call()
        wait()
        taken.append(time.perf_counter() - start)
    return median(taken[1:])


# Laws


def law_best(report: Report) -> None:
    """The best tokens and the log-sum-exp, beside a sort of all."""
    for rows, vocab, count, kind in (
        (7, 1000, 11, torch.float32),
        (33, 58_112, 23, torch.float16),
        (5, 24_000, 18, torch.float32),
        (3, 151_936, 23, torch.bfloat16),
        (4, 100, 23, torch.float32),
    ):
        torch.manual_seed(rows)
        logits = torch.randn(rows, vocab, device=DEVICE).to(kind)
        logits[:, ::5], logits[0, 3:50] = -torch.inf, 4.0
        live = torch.ones(rows, dtype=torch.bool, device=DEVICE)
        found = best_tokens(logits, live, count)
        value, token = logits.float().sort(dim=1, descending=True, stable=True)
        assert torch.equal(found.value, value[:, :count]), (rows, vocab, "values")
        if found.settles_ties:
            is_there = value[:, :count] > -torch.inf
            same = found.token == token[:, :count]
            assert bool((same | ~is_there).all()), (rows, vocab, "tokens")
        assert torch.allclose(found.log_sum, logits.float().logsumexp(1), atol=2e-4)
        report.note(f"best of {rows} x {vocab} {kind}: ok, settles ties: {found.settles_ties}")


def law_recall(report: Report) -> None:
    """Attention through ancestors, and adding and normalising, beside their plain versions."""
    for kind, atol in ((torch.float32, 2e-5), (torch.float16, 4e-3)):
        for number in (0, 1, 17, 39):
            torch.manual_seed(number)
            asked = torch.randn(70, 3 * 512, device=DEVICE).to(kind) / 3
            cache = torch.randn(64, 70, 1024, device=DEVICE).to(kind)
            own = torch.randint(0, 70, (70, 64), dtype=torch.int32, device=DEVICE)
            at, other = torch.tensor(number, device=DEVICE), cache.clone()
            found = recall(asked, cache, own, at, 8)
            expected = plainly_recalled(asked, other, own, at, 8)
            assert torch.allclose(found, expected, atol=atol), float((found - expected).abs().max())
            assert torch.equal(cache[: number + 1], other[: number + 1])
        rows, change = (torch.randn(70, 512, device=DEVICE).to(kind) for _ in range(2))
        weight, bias = (torch.randn(512, device=DEVICE).to(kind) for _ in range(2))
        found = add_and_norm(rows, change, weight, bias, 1e-5)
        expected = plainly_added(rows, change, weight, bias, 1e-5)
        assert torch.allclose(found, expected, atol=10 * atol), "norm"
    report.note("recall and norm: ok")


WISHES: list[list[Any]] = [
    [],
    [Phrase([5, 6, 7])],
    [Phrase([5, 6]), Phrase([6, 5]), Phrase([9])],
    [Avoid(Phrase([3])), Phrase([8, 9])],
    [Prefix(Phrase([4, 5])), Suffix(Phrase([7, 7]))],
    [InOrder(Phrase([11]), Gap(1, 3), Phrase([12]))],
    [AnyOf(Phrase([20, 21, 22]), Phrase([23])), Phrase([24])],
    [InOrder(Phrase([30]), Phrase([31])), Avoid(AnyOf(Phrase([32, 33]), Phrase([34])))],
]
WAYS: list[dict[str, Any]] = [
    {},
    {"coverage": "placed"},
    {"ended": "in_beam", "stop": "likely", "force_end": False},
    {"share": "bounded", "stop": "likely", "length_penalty": 0.0, "length_reward": 0.2},
    {"budget": 12, "stop": "first"},
    {"coverage": "placed", "share": "bounded", "length_penalty": 0.5},
]


def same(found: Any, expected: Any, atol: float) -> tuple[int, int, float]:
    """How many sentences there are, how many are the same, and how far scores are apart."""
    pairs = list(zip(found, expected, strict=True))
    alike = [
        [(h.tokens, h.spans, h.origins) for h in a] == [(h.tokens, h.spans, h.origins) for h in b]
        for a, b in pairs
    ]
    apart = max(abs(a[0].score - b[0].score) for a, b in pairs)
    return len(pairs), sum(alike), apart


def law_searches(report: Report, *, is_tiny: bool) -> None:
    """Whole searches of a small random Marian in float32, all kinds of constraints together."""
    model = HuggingFace(marian(2, 64, 1003, init_std=0.3).to(DEVICE))
    draw = torch.Generator().manual_seed(2)
    sources = [torch.randint(1, 1002, (n,), generator=draw).tolist() for n in (5, 9, 17, 3) * 2]
    for way in WAYS[:3] if is_tiny else WAYS:
        options = {"beam": 4, "n_best": 2, "max_length": 16, **way}
        if "budget" in way:
            options.pop("beam")

        def run(options: dict[str, Any] = options) -> Any:
            return gridbeam.search(model, sources, WISHES, **options)

        with switched("off"):
            expected = run()
        for how, plain in ((ON, False), ("unrecorded", False), (ON, True)):
            with switched(ON if DEVICE.type == "cpu" else how, plain_kernels=plain), counted() as n:
                count, alike, apart = same(run(), expected, 1e-4)
            ok = alike == count and apart < 1e-3
            line = f"{alike} of {count} alike, {apart:.1e} apart, {n}"
            report.note(f"{'search' if ok else 'DIFFERS'} {how} plain={plain} {way}: {line}")


@contextmanager
def counted() -> Iterator[dict[str, int]]:
    """How many searches were made in slots, not at all, and sentences that were given up."""
    from gridbeam.decoding import searching

    counts = {"slots": 0, "loop": 0, "given_up": 0}
    real = searching.search_in_slots

    def noted(*given: Any) -> Any:
        found = real(*given)
        counts["loop" if found is None else "slots"] += 1
        counts["given_up"] += 0 if found is None else len(found.given_up)
        return found

    searching.search_in_slots = noted
    try:
        yield counts
    finally:
        searching.search_in_slots = real


# Seconds


class Sized:
    """The network and the sentences of the measurements."""

    def __init__(self, *, is_tiny: bool) -> None:
        self.is_tiny = is_tiny
        self.vocab = 2003 if is_tiny else 58_101
        self.columns, self.beam = (18, 4) if is_tiny else (40, 10)
        layers, width = (2, 64) if is_tiny else (6, 512)
        self.model = marian(layers, width, self.vocab).to(DEVICE)
        if DEVICE.type == "cuda":
            self.model = self.model.half()

    def generate(self, sentences: int, tokens: int, *, plainly: bool = False) -> Any:
        draw = torch.Generator().manual_seed(1)
        source = torch.randint(1, self.vocab - 1, (sentences, 24), generator=draw).to(DEVICE)
        options: dict[str, Any] = {
            "num_beams": self.beam,
            "max_new_tokens": self.columns,
            "min_new_tokens": self.columns,
            "do_sample": False,
        }
        if not plainly:
            options["custom_generate"] = GridBeamSearch()
        lengths = TOKENS[tokens]
        if lengths:
            drawn = torch.randperm(self.vocab - 2, generator=draw)[: sentences * sum(lengths)] + 1
            rows = drawn.view(sentences, -1)
            options["constraints"] = [
                [part.tolist() for part in row.split(lengths)] for row in rows
            ]
        return self.model.generate(source, **options)


def times_of(report: Report, sized: Sized) -> None:
    times, plain = 1 if sized.is_tiny else 3, dict[int, float]()
    sizes = (1, 3) if sized.is_tiny else (16, 64, 1)

    def measured(sentences: int, tokens: int, how: str, times: int) -> None:
        if DEVICE.type == "cuda":
            torch.cuda.reset_peak_memory_stats()
        start = time.perf_counter()
        with switched(how), counted() as counts:
            taken = seconds(lambda: sized.generate(sentences, tokens), times)
        all_taken = time.perf_counter() - start
        report.row(
            sentences=sentences,
            tokens=tokens,
            way="slots" if how == ON else how,
            seconds=round(taken, 4),
            ratio=round(taken / plain[sentences], 3),
            first=round(all_taken - times * taken, 2),
            gigabytes=peak(),
            **counts,
        )

    for sentences in sizes:

        def plainly(sentences: int = sentences) -> None:
            plain[sentences] = seconds(
                lambda: sized.generate(sentences, 0, plainly=True), min(times, 2)
            )
            report.row(sentences=sentences, way="plain", seconds=round(plain[sentences], 4))

        report.attempt(f"plain {sentences}", plainly)
        if sentences not in plain:
            continue
        for tokens in (9, 0, 15, 3):
            report.attempt(
                f"{sentences} x {tokens}", lambda s=sentences, t=tokens: measured(s, t, ON, times)
            )
        if sentences == sizes[0]:
            report.attempt("unrecorded", lambda s=sentences: measured(s, 9, "unrecorded", 1))
            report.attempt("loop", lambda s=sentences: measured(s, 9, "off", 1))
            report.attempt("parts", lambda s=sentences: parts_of(report, sized, s, 9))
            report.attempt("half precision", lambda s=sentences: alike_in_half(report, sized, s))


def peak() -> float:
    return round(torch.cuda.max_memory_allocated() / 1e9, 2) if DEVICE.type == "cuda" else 0.0


def alike_in_half(report: Report, sized: Sized, sentences: int) -> None:
    """How many texts are those of the loop, in the precision of the measurements."""
    with switched(ON):
        found = sized.generate(sentences, 9)
    with switched("off"):
        expected = sized.generate(sentences, 9)
    alike = (found == expected).all(1)
    report.note(f"texts as by the loop: {int(alike.sum())} of {len(alike)}")
    report.found["more"]["alike"] = [int(alike.sum()), len(alike)]


def parts_of(report: Report, sized: Sized, sentences: int, tokens: int) -> None:
    """What the network's step and the search's take of a column, and which kernels."""
    made: list[Any] = []
    real = grids._grid

    def noted(*given: Any) -> Any:
        made.append(real(*given))
        return made[-1]

    grids._grid = noted
    try:
        with switched(ON):
            sized.generate(sentences, tokens)
    finally:
        grids._grid = real
    grid = made[-1]
    report.note(f"shape {grid.memory.shape}")
    slots, number = grid.memory.slots, grid.memory.limits.number

    with torch.inference_mode():
        number.fill_(sized.columns // 2)
        slots.is_live.fill_(True)
        logits = grid.seats.step(slots.token, slots.parent, number).clone()

        def network() -> None:
            grid.seats.step(slots.token, slots.parent, number)

        def search() -> None:
            number.fill_(sized.columns // 2)
            slots.is_live.fill_(True)
            advance(grid.memory, grid.layout, logits)

        def best() -> None:
            best_tokens(logits, slots.is_live, grid.memory.shape.fetched)

        def both() -> None:
            number.fill_(sized.columns // 2)
            slots.is_live.fill_(True)
            grid.column()

        for name, part in (
            ("network", network),
            ("search", search),
            ("best", best),
            ("both", both),
        ):
            taken = column_time(part, grid.memory)
            report.row(part=name, milliseconds=round(1000 * taken, 3))
        if DEVICE.type == "cuda":
            for name, part in (("network", network), ("search", search)):
                report.note(f"kernels of the {name}, milliseconds of 5 columns")
                print(kernels_of(part), flush=True)
    grid.recorded = None


def column_time(part: Callable[[], None], memory: Any) -> float:
    """Seconds of a part of a column, recorded where that can be done."""
    call, times = part, 3
    if DEVICE.type == "cuda":
        call, times = grids.recording(part, memory).replay, 40
    call()
    wait()
    start = time.perf_counter()
    for _ in range(times):
        call()
    wait()
    return (time.perf_counter() - start) / times


def kernels_of(part: Callable[[], None]) -> str:
    """The kernels of a part that take longest."""
    from torch.profiler import ProfilerActivity, profile

    part()
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as profiled:
        for _ in range(5):
            part()
        wait()
    rows: dict[str, list[float]] = {}
    for event in profiled.events():
        if str(event.device_type).endswith("CUDA"):
            row = rows.setdefault(event.name, [0.0, 0])
            row[0] += event.device_time / 1000
            row[1] += 1
    best = sorted(rows.items(), key=lambda item: -item[1][0])
    whole, count = sum(v[0] for v in rows.values()), sum(v[1] for v in rows.values())
    lines = [f"{whole:9.3f} {count:5.0f} all"]
    lines += [f"{taken:9.3f} {count:5.0f} {name[:110]}" for name, (taken, count) in best[:26]]
    return "\n".join(lines)


# Translator


class Translations:
    """Sentences a second of the model that ships, plain and with three words each."""

    def __init__(self, text: Path | None, reference: Path | None, *, is_tiny: bool) -> None:
        from gridbeam import Request, Translator

        self.is_tiny, count = is_tiny, 6 if is_tiny else 512
        sentences = lines_of(text, count) or ["The house is small.", "We go home."] * (count // 2)
        references = lines_of(reference, count) or ["Das Haus ist klein.", "Wir gehen heute."] * 256
        draw = random.Random(0)
        words = [three_words(line, draw) for line in references[: len(sentences)]]
        pairs = zip(sentences, words, strict=True)
        self.asked = {
            "plain": [Request(line) for line in sentences],
            "3 words": [Request(line, constraints=each) for line, each in pairs],
        }
        self.translator = Translator.load("builtin:en-de", device=DEVICE)

    def run(self, requests: list[Any], size: int) -> list[Any]:
        options = {"max_length": 12} if self.is_tiny else {}
        found = self.translator.translate_each(requests, split=False, batch_size=size, **options)
        results = [result for _, result in sorted(found, key=lambda pair: pair[0])]
        wait()
        return results

    def measure(self, report: Report) -> None:
        for kind in ("float32", "float16")[: 1 if DEVICE.type == "cpu" else 2]:
            if kind == "float16":
                self.translator.model._model.half()
            for name in self.asked:
                for size in (6,) if self.is_tiny else (128,) if kind == "float32" else (128, 256):
                    report.attempt(
                        f"{kind} {name} {size}",
                        lambda n=name, s=size, k=kind: self.speed(report, n, s, k),
                    )
            report.attempt(f"translations {kind}", lambda k=kind: self.alike(report, k))
        for name in self.asked:
            report.attempt(f"profile {name}", lambda n=name: self.profiled(report, n))

    def alike(self, report: Report, kind: str) -> None:
        for name, requests in self.asked.items():
            with switched("off"):
                expected = texts(self.run(requests[:64], 64))
            with switched(ON), counted() as counts:
                found = texts(self.run(requests[:64], 64))
            same = sum(a == b for a, b in zip(found, expected, strict=True))
            report.note(f"{kind} {name}: {same} of {len(found)} texts as by the loop, {counts}")
            report.found["more"][f"{kind} {name}"] = [same, len(found)]

    def speed(self, report: Report, name: str, size: int, kind: str) -> None:
        requests = self.asked[name]
        with switched(ON), counted() as counts:
            first, taken = (seconds_once(lambda: self.run(requests, size)) for _ in range(2))
        report.row(
            what=f"translator, {name}",
            kind=kind,
            batch=size,
            sentences_per_second=round(len(requests) / taken, 1),
            first=round(first, 2),
            seconds=round(taken, 3),
            **counts,
        )

    def profiled(self, report: Report, name: str) -> None:
        with switched(ON):
            profile = cProfile.Profile()
            profile.enable()
            self.run(self.asked[name], 128)
            profile.disable()
        into = io.StringIO()
        pstats.Stats(profile, stream=into).sort_stats("tottime").print_stats(22)
        report.note(f"where {name} takes its time on the host\n{compact(into.getvalue())}")


def texts(found: list[Any]) -> list[str]:
    return [getattr(each, "text", None) or f"error: {each}" for each in found]


def seconds_once(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def compact(profile: str) -> str:
    """The lines of a profile without what is the same in each."""
    rows = [line.strip() for line in profile.splitlines() if re.match(r"\s*[\d/]+\s+\d", line)]
    return "\n".join(re.sub(r"\S*/(gridbeam|site-packages)/", "", row) for row in rows)


def lines_of(path: Path | None, count: int) -> list[str]:
    if path is None or not path.is_file():
        return []
    with path.open(encoding="utf8") as file:
        return [line.strip() for _, line in zip(range(count), file, strict=False)]


def three_words(line: str, draw: random.Random) -> list[str]:
    """Three different words of a line, or as many as it has."""
    words = list(dict.fromkeys(re.findall(r"[^\W\d_]{4,}", line)))
    return draw.sample(words, min(3, len(words)))


def laws(report: Report, given: argparse.Namespace) -> None:
    report.attempt("best", lambda: law_best(report))
    report.attempt("recall", lambda: law_recall(report))
    report.attempt("searches", lambda: law_searches(report, is_tiny=given.tiny))


def times(report: Report, given: argparse.Namespace) -> None:
    report.attempt("times", lambda: times_of(report, Sized(is_tiny=given.tiny)))


def translator(report: Report, given: argparse.Namespace) -> None:
    report.attempt(
        "translator",
        lambda: Translations(given.text, given.reference, is_tiny=given.tiny).measure(report),
    )


SECTIONS = {"laws": laws, "times": times, "translator": translator}


def in_processes(given: argparse.Namespace) -> None:
    """Each section in a process of its own, once more without kernels where these break it."""
    end = time.perf_counter() + 60 * given.minutes
    parts: dict[str, Any] = {}
    for section in SECTIONS:
        for kernels in ("", "1"):
            left = end - time.perf_counter()
            if left < 5:
                break
            command = [sys.executable, __file__, *sys.argv[1:], "--section", section]
            env = {**os.environ, PLAIN: kernels}
            try:
                code = subprocess.run(
                    [*command, "--minutes", str(left / 60)], env=env, timeout=left + 20, check=False
                ).returncode
            except subprocess.TimeoutExpired:
                print(f"{section}: no end", flush=True)
                break
            print(f"== {section}: exit {code}, {end - time.perf_counter():.0f} s left", flush=True)
            if code == 0:
                break
        path = given.out / f"gpu-{section}.json"
        if path.is_file():
            parts[section] = json.loads(path.read_text())
    (given.out / "gpu.json").write_text(json.dumps(parts, indent=1) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=4.0)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--text", type=Path)
    parser.add_argument("--reference", type=Path)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--section", choices=SECTIONS)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.section is None:
        in_processes(given)
        raise SystemExit
    warnings.simplefilter("always", gridbeam.errors.UserNotice)
    transformers.utils.logging.set_verbosity_error()
    if DEVICE.type == "cpu":
        os.environ["GRIDBEAM_LEAN"] = "off"
    report = Report(given.out, given.minutes, given.section)
    report.note(report.found["signature"])
    SECTIONS[given.section](report, given)
    report.save()
