"""Tries very many inputs on everything that reads some, and says what came of them.

    PYTHONPATH=tests python tests/fuzz/fuzzing.py --inputs 20000             # of every kind
    PYTHONPATH=tests python tests/fuzz/fuzzing.py --inputs 20000 NAME ...    # kinds, or parsers
    ... --files FOLDER         # real files, by their endings, among what inputs are made of
    ... --show NUMBER PARSER   # writes an input to stdout

Ends with 1 where an input is answered by anything but a result or a message to its sender.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from bounded import Tried, tried
from fuzzed import Parser
from mutations import mutated
from parsers import PARSERS

_LARGEST = 200_000
"""Bytes of a real file."""
_MOST_SHOWN = 40


def try_all(parser: Parser, numbers: Sequence[int]) -> Tried:
    """What comes of the inputs of these numbers."""
    seeds = parser.seeds()
    parser.warm()
    inputs = partial(mutated, parser.name, seeds=seeds)
    return tried(parser.read, inputs, numbers, parser.seconds)


def with_files(parser: Parser, folder: Path | None) -> Parser:
    """The parser with the real files of a folder among its seeds."""
    if folder is None or not parser.suffix:
        return parser
    paths = [path for path in sorted(folder.rglob(f"*{parser.suffix}")) if path.is_file()]
    files = [path.read_bytes() for path in paths if path.stat().st_size < _LARGEST]
    return replace(parser, seeds=lambda: (*parser.seeds(), *files))


def in_line(parser: Parser, found: Tried) -> str:
    """What came of the inputs of a parser, as a row of a table."""
    return (
        f"{parser.name:34} {found.inputs:7,} {found.read:7,} {found.refused:7,}"
        f" {found.slowest:8.2f} {found.megabytes:6} {len(found.faults):6}"
    )


def chosen(names: Sequence[str]) -> list[Parser]:
    """The parsers whose names, or those of their kinds, begin so; or all."""
    begin = tuple(names)
    return [
        each
        for each in PARSERS
        if not names or each.name.startswith(begin) or each.kind.startswith(begin)
    ]


def shares(parsers: Sequence[Parser], inputs: int) -> dict[str, int]:
    """How many inputs each parser gets: those of a kind share so many."""
    counts = Counter(parser.kind for parser in parsers)
    return {parser.name: -(-inputs // counts[parser.kind]) for parser in parsers}


def main(arguments: Sequence[str]) -> int:
    """Tries inputs; 1 where there are faults."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("parsers", nargs="*")
    reader.add_argument("--inputs", type=int, default=20_000)
    reader.add_argument("--first", type=int, default=0)
    reader.add_argument("--files", type=Path)
    reader.add_argument("--show", type=int)
    given = reader.parse_args(arguments)
    torch.set_num_threads(1)  # a fork has no threads of its parent
    known = [with_files(each, given.files) for each in chosen(given.parsers)]
    if given.show is not None:
        sys.stdout.buffer.write(mutated(known[0].name, given.show, known[0].seeds()))
        return 0
    print(f"{'':34}  inputs    read refused  slowest     MB faults", flush=True)
    total, share = Tried(), shares(known, given.inputs)
    for parser in known:
        found = try_all(parser, range(given.first, given.first + share[parser.name]))
        total += found
        print(in_line(parser, found), flush=True)
        for fault in found.faults[:_MOST_SHOWN]:
            print(f"    {fault}", flush=True)
    print(f"{total.inputs:,} inputs, {len(total.faults)} faults")
    return 1 if total.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
