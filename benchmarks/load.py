"""How much more an engine does for many clients than for one, and how much longer they wait.

    python benchmarks/load.py [--passes N] [--save]

So many clients send sentences of twenty words to one engine with the model that ships, each its
next one as soon as it has an answer; once without constraints, and once with two that the model
would not have said. Throughput and the medians and 95th percentiles of latencies are ratios to
those of one client in the same pass; of some passes the one counts in which most was done, as the
machines are shared.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from gridbeam import Request, Translator
from gridbeam.serving.engine import Engine
from gridbeam.support.signature import signature

RESULTS = Path(__file__).parent / "results" / "load.json"
CLIENTS = (1, 2, 4, 8, 16)
FEWEST, OF_EACH = 24, 6
"""How many requests all clients of one pass send together, and each of many."""
FIRST = [
    ("The new settings are stored on the disk", ["Datenträger"]),
    ("The system shows an error in this window", ["Programmfenster"]),
    ("The user can open every file and folder", ["Verzeichnis"]),
    ("All changes are lost in the current session", ["Arbeitssitzung"]),
]
SECOND = [
    ("as soon as the main window of the program has been closed", ["beendet"]),
    ("unless another program has been started by the owner of it", ["Inhaber"]),
    ("if there is not enough space left on one of them", ["Speicherplatz"]),
    ("because the name of a file must not have any spaces", ["Leerzeichen"]),
]


@dataclass(frozen=True)
class Measured:
    """One pass with so many clients."""

    throughput: float
    """Sentences in a second."""
    p50: float
    p95: float

    @staticmethod
    def of(latencies: list[float], seconds: float) -> Measured:
        """From the seconds of each request, and of all together."""
        cuts = statistics.quantiles(latencies, n=20, method="inclusive")
        return Measured(len(latencies) / seconds, statistics.median(latencies), cuts[-1])


def requests(*, is_constrained: bool) -> list[Request]:
    """Sentences of twenty words, more or less, all different."""
    return [
        Request(f"{first}, {second}.", [*own, *others] if is_constrained else [])
        for (first, own), (second, others) in product(FIRST, SECOND)
    ]


def measured(engine: Engine, wanted: list[Request], clients: int) -> Measured:
    """What so many clients see."""

    def client(number: int) -> list[float]:
        seconds = []
        for turn in range(max(FEWEST // clients, OF_EACH)):
            began = time.perf_counter()
            engine.asking().translate(wanted[(number * 5 + turn) % len(wanted)])
            seconds.append(time.perf_counter() - began)
        return seconds

    with ThreadPoolExecutor(clients) as pool:
        began = time.perf_counter()
        latencies = [each for own in pool.map(client, range(clients)) for each in own]
        return Measured.of(latencies, time.perf_counter() - began)


def best_of(passes: list[Measured]) -> Measured:
    """The pass in which most was done."""
    return max(passes, key=lambda each: each.throughput)


def rows_of(engine: Engine, kind: str, passes: int) -> list[dict[str, object]]:
    """A line for each number of clients, which are measured in turns."""
    wanted = requests(is_constrained=kind == "two constraints")
    measured(engine, wanted, 4)  # spellings are found once, and kept
    found = [[measured(engine, wanted, clients) for clients in CLIENTS] for _ in range(passes)]
    best = [best_of([each[n] for each in found]) for n in range(len(CLIENTS))]
    one = best[0]
    rows = []
    for clients, here in zip(CLIENTS, best, strict=True):
        row = {
            "requests": kind,
            "clients": clients,
            "throughput_ratio": round(here.throughput / one.throughput, 2),
            "p50_ratio": round(here.p50 / one.p50, 2),
            "p95_ratio": round(here.p95 / one.p50, 2),
            "sentences_per_second": round(here.throughput, 2),
            "p50_seconds": round(here.p50, 3),
            "p95_seconds": round(here.p95, 3),
        }
        print("  ".join(f"{name} {value}" for name, value in row.items()))
        rows.append(row)
    return rows


def main() -> None:
    """Prints the table, and with --save writes it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    with Engine(Translator.load("builtin:en-de")) as engine:
        kinds = ("no constraints", "two constraints")
        rows = [row for kind in kinds for row in rows_of(engine, kind, options.passes)]
    machine = f"{signature()}, load {os.getloadavg()[0]:.1f}"
    print(machine)
    if options.save:
        RESULTS.write_text(json.dumps({"signature": machine, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
