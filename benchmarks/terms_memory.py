"""Terms of a corpus that is larger than the memory: what one process needs, and what many need.

    python benchmarks/terms_memory.py --text A.en.xz --reference A.de.xz --limit-mb 600 [--save]

`one`: the extraction of a single machine, with all the memory that there is. `one, limited`: the
same in a process that may have no more than so many MB of data (RLIMIT_DATA): it has to fail, or
the limit shows nothing. `many`: the same text by workers, under the same limit for each of them and
for the process that merges. `same` says whether its terms are those of `one`, all of them with
their counts, scores and examples. `peak_mb` is the largest resident size of any one process.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from gridbeam.distributed.engines import WorkerEngine
from gridbeam.distributed.terms import extract_by_many
from gridbeam.support.signature import signature
from gridbeam.terminology.extract import Term, extract, write
from gridbeam.text.parallel import aligned

RESULTS = Path(__file__).parent / "results" / "terms_memory.json"


def cut(text: Path, reference: Path, lines: int, folder: Path) -> tuple[Path, Path]:
    """The first lines of a corpus, as files of their own."""
    paths = folder / "a.source", folder / "a.target"
    with paths[0].open("w", encoding="utf8") as one, paths[1].open("w", encoding="utf8") as other:
        for source, target in islice(aligned(text, reference), lines):
            one.write(f"{source}\n")
            other.write(f"{target}\n")
    return paths


def in_a_process(work: Callable[[], list[Term]], limit_mb: int | None) -> dict[str, Any]:
    """What came of an extraction in a process of its own, that may have so much memory."""
    ours, theirs = multiprocessing.Pipe()
    child = os.fork()
    if child == 0:
        theirs.send(_measured(work, limit_mb))
        os._exit(0)
    theirs.close()
    try:
        found: dict[str, Any] = ours.recv()
    except EOFError:
        found = {"failed": "the process was ended"}
    os.waitpid(child, 0)
    return found


def _measured(work: Callable[[], list[Term]], limit_mb: int | None) -> dict[str, Any]:
    if limit_mb is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (limit_mb << 20, limit_mb << 20))
    began = time.perf_counter()
    try:
        terms = work()
    except Exception as error:
        return {"failed": type(error).__name__, "peak_mb": _peak()}
    seconds = round(time.perf_counter() - began, 1)
    with tempfile.TemporaryDirectory() as folder:
        write(terms, Path(folder, "terms.tsv"))
        digest = sha256(Path(folder, "terms.tsv").read_bytes()).hexdigest()
    return {"seconds": seconds, "peak_mb": _peak(), "terms": len(terms), "digest": digest}


def _peak() -> int:
    """The largest resident size of this process, or of one that it has started."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(each).ru_maxrss for each in who) >> 10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--reference", type=Path, required=True)
    parser.add_argument("--lines", type=int, default=400_000)
    parser.add_argument("--limit-mb", type=int, default=600)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = cut(given.text, given.reference, given.lines, folder)
        engine = WorkerEngine("processes", given.workers)

        def one() -> list[Term]:
            return extract(*paths)

        def many() -> list[Term]:
            return extract_by_many(*paths, engine, folder)

        results: dict[str, Any] = {
            "corpus": f"{given.text.name} {given.lines:,} lines",
            "megabytes": sum(path.stat().st_size for path in paths) >> 20,
            "rows": [],
        }
        for how, work, limit in (
            ("one", one, None),
            ("one, limited", one, given.limit_mb),
            (f"{given.workers} workers, limited", many, given.limit_mb),
        ):
            row = {"how": how, "limit_mb": limit, **in_a_process(work, limit)}
            results["rows"].append(row)
            print(row, flush=True)
    first, limited, last = results["rows"]
    results["signature"] = signature()  # which loads torch, for which the limit has no room
    last["same"] = last.pop("digest", None) == first.pop("digest")
    print(json.dumps(results, indent=1))
    is_shown = last["same"] and "failed" in limited
    if given.save and is_shown:
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    return 0 if is_shown else 1


if __name__ == "__main__":
    sys.exit(main())
