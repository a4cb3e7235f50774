"""How long it takes to extract terms, and how much memory, with the paper's settings.

    python benchmarks/terms.py --pair NAME SOURCE TARGET [--pair ...] [--save]

Each pair of files is read and counted in a process of its own, whose peak of resident memory is
told with Python and torch included (which the package loads). `load` is the load average of the
machine when it was done.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from gridbeam.support.signature import signature
from gridbeam.terminology import extract as terms
from gridbeam.text.parallel import lines

RESULTS = Path(__file__).parent / "results" / "terms.json"


def measure(name: str, source: Path, target: Path) -> dict[str, Any]:
    began: dict[str, float] = {}

    def told(stage: str, done: float) -> None:
        began.setdefault(stage, time.perf_counter())

    start = time.perf_counter()
    found = terms.extract(source, target, progress=told)
    began["end"] = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "corpus": name,
        "segments": sum(1 for _ in lines(source)),
        "seconds": round(began["end"] - start, 1),
        "peak_mb": round(peak / 1024),
        "terms": len(found),
        "load": round(os.getloadavg()[0], 1),
        "stages": {one: round(began[other] - began[one], 1) for one, other in pairwise(began)},
    }


def main() -> None:
    """Prints the table, and with --save writes it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--pair", nargs=3, action="append", required=True, metavar=("NAME", "SOURCE", "TARGET")
    )
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    rows = []
    for pair in options.pair:
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            rows.append(pool.submit(measure, pair[0], Path(pair[1]), Path(pair[2])).result())
        print(rows[-1], flush=True)
    print(signature())
    if options.save:
        RESULTS.write_text(json.dumps({"signature": signature(), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
