"""What threads bring, and what they cost where others use the processors, too.

    python benchmarks/threads.py SENTENCES [--save]

The first 16 sentences of 18 to 22 words of a file are translated one by one and as a batch, each
way in a process of its own: on one thread and on two, which wait for one another by turning in
circles for long (as the runtime of torch has it), for a moment (`GOMP_SPINCOUNT=1000`, as the
commands have it), or not. *Others* are processes that do nothing but count. Ratios are to one
thread without others. A way that takes longer than a minute is given up.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gridbeam.support.signature import signature

RESULTS = Path(__file__).parent / "results" / "threads.json"
COUNT, SHORTEST, LONGEST = 16, 18, 22
LIMIT = 60.0
WAYS: dict[str, dict[str, str]] = {
    "one thread": {"OMP_NUM_THREADS": "1"},
    "two threads": {"OMP_NUM_THREADS": "2"},
    "two threads, a moment": {"OMP_NUM_THREADS": "2", "GOMP_SPINCOUNT": "1000"},
    "two threads, not at all": {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "PASSIVE"},
}
OTHERS = (0, 4)


def timed(sentences: Path) -> dict[str, float]:
    """Milliseconds a sentence, one by one and as a batch."""
    from gridbeam import Translator

    lines = sentences.read_text(encoding="utf8").splitlines()
    texts = [line for line in lines if SHORTEST <= len(line.split()) <= LONGEST][:COUNT]
    translator = Translator.load("builtin:en-de")
    list(translator.translate_all(texts, batch_size=COUNT))
    before = time.perf_counter()
    for text in texts:
        translator.translate(text)
    between = time.perf_counter()
    list(translator.translate_all(texts, batch_size=COUNT))
    after = time.perf_counter()
    return {
        "one ms": 1000 * (between - before) / COUNT,
        "batch ms": 1000 * (after - between) / COUNT,
    }


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Within it so many other processes compute."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def measured(sentences: Path) -> Iterator[dict[str, Any]]:
    """A row for each way and number of others."""
    usual: dict[str, float] = {}
    for count in OTHERS:
        for way, environment in WAYS.items():
            row: dict[str, Any] = {"others": count, "way": way}
            command = [sys.executable, __file__, str(sentences), "--timed"]
            with busy(count):
                try:
                    done = subprocess.run(
                        command,
                        env=os.environ | environment,
                        timeout=LIMIT,
                        capture_output=True,
                        check=True,
                    )
                    found = json.loads(done.stdout)
                except subprocess.TimeoutExpired:
                    found = {}
            usual = usual or found
            for name in ("one ms", "batch ms"):
                known = name in found
                row[name] = round(found[name], 1) if known else f"over {LIMIT:.0f} s in all"
                row[name.replace("ms", "ratio")] = (
                    round(found[name] / usual[name], 2) if known else ""
                )
            print(json.dumps(row), flush=True)
            yield row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sentences", type=Path)
    parser.add_argument("--timed", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    if given.timed:
        print(json.dumps(timed(given.sentences)))
        return
    rows = list(measured(given.sentences))
    if given.save:
        values = {"signature": f"{signature()}, {os.cpu_count()} processors", "rows": rows}
        RESULTS.write_text(json.dumps(values, indent=2) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
