"""How long it takes to keep an act, and to find segments and matches.

    python benchmarks/store.py [--quick] [--database postgresql://...] [--save]

A project of 10,000 segments of 3 to 25 drawn words, and another of 100,000 that are confirmed.
`act` is one transaction, on the disk when it ends. `match` finds the confirmed segments at least
70% like one of 14 words of which every sixth is another; `first match` loads them before. Of 200
times the fastest tenth took no longer than these milliseconds: the machine has other work, too.
Those of PostgreSQL include the way to its server and back.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from gridbeam.store import NewAct, NewProject, NewSegment, Snapshot, Store
from gridbeam.support.signature import signature

RESULTS = Path(__file__).parent / "results" / "store.json"
BEGINNINGS = ("be", "con", "dis", "en", "for", "in", "mis", "out", "over", "pre", "re", "sub")
ENDS = ("act", "form", "ject", "tain", "ceive", "ply", "sist", "spect", "tend", "vert", "duct")
WORDS = [f"{beginning}{end}" for beginning in BEGINNINGS for end in ENDS]


def sentence(draw: random.Random) -> str:
    return " ".join(draw.choices(WORDS, k=draw.randrange(3, 26))).capitalize() + "."


def changed(draw: random.Random, text: str) -> str:
    words = text.split()
    for _ in range(max(1, len(words) // 6)):
        words[draw.randrange(len(words))] = draw.choice(WORDS)
    return " ".join(words)


def fastest(times: int, work: Callable[[int], object]) -> float:
    """The milliseconds that the fastest tenth of so many pieces of work took at most."""
    taken = []
    for number in range(times):
        before = time.perf_counter()
        work(number)
        taken.append(time.perf_counter() - before)
    return round(sorted(taken)[times // 10] * 1000, 1)


def measured(store: Store, size: int, remembered: int, times: int) -> dict[str, float]:
    """The milliseconds of each thing that is asked of a store."""
    draw = random.Random(0)
    found = {}
    parts = [NewSegment(str(n), {"text": sentence(draw)}) for n in range(size)]
    new = NewProject("work", "en", "de")
    found["import of 10,000 segments"] = fastest(1, lambda _: store.projects.add(new, parts))
    (project,) = store.projects.all()
    rows = store.segments.of(project.id).rows
    after = Snapshot({"text": sentence(draw)}, {"locks": [[0, 4]]}, "edited")
    act = NewAct("replace", {"where": [0, 4], "words": "four"})
    found["act"] = fastest(times, lambda n: store.act(rows[n].id, 0, act, after))
    found["undo"] = fastest(times, lambda n: store.undo(rows[n].id, 1))
    found["page of 100"] = fastest(
        times, lambda n: store.segments.of(project.id, offset=n, limit=100)
    )
    found["search, first 100"] = fastest(
        times, lambda n: store.segments.of(project.id, search=WORDS[n % len(WORDS)], limit=100)
    )
    found["list of projects"] = fastest(times, lambda _: store.projects.all())
    texts = [sentence(draw) for _ in range(remembered)]
    confirmed = [
        NewSegment("", {"text": text}, Snapshot({"text": text}, status="confirmed"))
        for text in texts
    ]
    store.projects.add(new, confirmed)
    usual = [text for text in texts if len(text.split()) == 14]
    asked = [changed(draw, draw.choice(usual)) for _ in range(times)]
    match = store.memory.matches
    found["first match in 100,000"] = fastest(1, lambda _: match("en", "de", asked[0]))
    found["match in 100,000"] = fastest(times, lambda n: match("en", "de", asked[n]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--database", help="of PostgreSQL, and empty")
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    sizes = (200, 1_000, 10) if given.quick else (10_000, 100_000, 200)
    columns = {}
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "w.db") as store:
        columns["sqlite_ms"] = measured(store, *sizes)
    if given.database:
        with Store.open(given.database) as store:
            columns["postgresql_ms"] = measured(store, *sizes)
    rows = [
        {"what": what, **{name: column[what] for name, column in columns.items()}}
        for what in columns["sqlite_ms"]
    ]
    for row in rows:
        print(*row.values(), sep="\t")
    if given.save:
        results = {"signature": signature(of_model=False), "rows": rows}
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
