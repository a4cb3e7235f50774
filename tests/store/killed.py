"""A process that only writes to a store is killed again and again.

`python killed.py URL TIMES SEED`. The process says each act that it was told is kept. After each
kill the database is opened anew and looked through: every act that was acknowledged is there, and
nothing is there by half. Prints at the end how many were acknowledged.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Iterator

from gridbeam.store import NewAct, NewProject, NewSegment, SegmentRow, Snapshot, Store

PARTS = 20


def write(url: str, segment: int, acknowledged: int, seed: int) -> None:
    """Acts on a segment for ever: free texts, undo and redo, and a project now and then."""
    draw = random.Random(seed)
    with Store.open(url) as store:
        row = store.segments.get(segment)
        while True:
            row = act(store, row, draw)
            os.write(acknowledged, f"act {row.version}\n".encode())
            if draw.random() < 0.1:
                made = store.projects.add(NewProject("more", "en", "de"), parts(), b"x" * 5_000)
                os.write(acknowledged, f"project {made.id}\n".encode())


def act(store: Store, row: SegmentRow, draw: random.Random) -> SegmentRow:
    kind = draw.choice(["write", "write", "undo", "redo"])
    if kind == "undo" and row.can_undo:
        return store.undo(row.id, row.version)
    if kind == "redo" and row.can_redo:
        return store.redo(row.id, row.version)
    words = f"text {row.version + 1} " * draw.randrange(1, 200)
    status = draw.choice(["edited", "confirmed"])
    after = Snapshot({"text": words}, {"version": row.version + 1}, status)
    return store.act(row.id, row.version, NewAct("write", {"text": words}), after)


def parts() -> list[NewSegment]:
    return [NewSegment(str(number), {"text": "source"}) for number in range(PARTS)]


def killed(url: str, segment: int, seed: int) -> Iterator[tuple[str, int]]:
    """What a process acknowledged that was killed at some moment: at its start, or in its work."""
    draw = random.Random(seed)
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(ours)
            write(url, segment, theirs, seed)
        finally:
            os._exit(1)
    os.close(theirs)
    with os.fdopen(ours) as lines:
        first = [lines.readline() for _ in range(draw.choice([0, 1, 5, 20]))]
        time.sleep(draw.uniform(0, 0.02 if first else 0.1))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), "the writer ended by itself"
        for line in [*first, *lines.read().splitlines()]:
            kind, number = line.split()
            yield kind, int(number)


def look_through(store: Store, segment: int, known: set[tuple[str, int]]) -> None:
    """Asserts that all that is known to be kept is there, and nothing by half."""
    row = store.segments.get(segment)
    log = store.history(segment)
    assert [each.version for each in log] == list(range(1, row.version + 1))
    assert {number for kind, number in known if kind == "act"} <= {each.version for each in log}
    assert not log or log[-1].after == row.content
    contents = {0: Snapshot(), **{each.version: each.after for each in log}}
    assert not log or contents[log[-1].head] == row.content
    projects = {each.id: each for each in store.projects.all()}
    assert {number for kind, number in known if kind == "project"} <= projects.keys()
    for identity, project in projects.items():
        if project.name == "more":
            assert project.counts.total == PARTS
            assert store.projects.content(identity) == b"x" * 5_000
    matches = store.memory.matches("en", "de", "the one")
    assert [match.segment for match in matches] == [segment] * (row.status == "confirmed")


def main(url: str, times: int, seed: int) -> None:
    with Store.open(url) as store:
        made = store.projects.add(
            NewProject("p", "en", "de"), [NewSegment("k", {"text": "the one"})]
        )
        (row,) = store.segments.of(made.id).rows
    known: set[tuple[str, int]] = set()
    for number in range(times):
        known |= set(killed(url, row.id, seed + number))
        with Store.open(url) as store:
            look_through(store, row.id, known)
    print(len(known))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
