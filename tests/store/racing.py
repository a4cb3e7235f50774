"""Acts on a segment until it has so many versions: `python racing.py URL SEGMENT VERSIONS NAME`.

Prints the versions that were its own, and how often another was faster.
"""

import json
import sys
import time

from gridbeam.store import NewAct, Outdated, Snapshot, Store


def main(url: str, segment: int, versions: int, name: str) -> None:
    won, lost = [], 0
    with Store.open(url) as store:
        print("ready", flush=True)
        sys.stdin.readline()
        row = store.segments.get(segment)
        while row.version < versions:
            after = Snapshot({"text": name}, None, "confirmed")
            try:
                row = store.act(segment, row.version, NewAct("write", client=name), after)
                won.append(row.version)
                time.sleep(0.002)  # SQLite has no queue: whoever never rests leaves no turn
            except Outdated as outdated:
                row = outdated.row
                lost += 1
    print(json.dumps([won, lost]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
