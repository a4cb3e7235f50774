"""Kills runs at very many places, and looks after each kill whether anything was lost or doubled.

    PYTHONPATH=tests python tests/faults/faults.py                     # every run, some kills
    PYTHONPATH=tests python tests/faults/faults.py --kills 1000 RUN    # one, more
    ... --cold 5     # so many kills of real processes of `gridbeam` besides
    ... --seed 7     # other places

A run that was killed goes on, and is killed again, until it is done: then its result must be that
of a run that nobody has disturbed. Ends with 1 where it is not, or where anything was lost.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import echo
import torch
from breaking import LOST, Kill, Measure, gone_on, measured
from runs import RUNS, Run


@dataclass
class Tally:
    """What came of killing a run."""

    kills: int = 0
    ends: int = 0
    """How often it came to its end, on its way through kills."""
    finished: int = 0
    """Things that were acknowledged."""
    faults: list[str] = field(default_factory=list)


def killed(run: Run, kills: int, seed: int) -> Tally:
    """What comes of so many kills."""
    tally, number = Tally(), 0
    with TemporaryDirectory(prefix="faults-") as name:
        expected, measure = _undisturbed(run, Path(name, "undisturbed"))
        while tally.kills < kills and not tally.faults:
            number += 1
            folder = Path(name, str(number))
            _until_its_end(run, folder, measure, expected, random.Random(f"{seed}/{number}"), tally)
    return tally


def _undisturbed(run: Run, folder: Path) -> tuple[object, Measure]:
    folder.mkdir()
    run.begin(folder)
    measure = measured(run.go, folder)
    expected = run.result(folder)
    assert expected is not None, f"{run.name} did not come to its end"
    return expected, measure


def _until_its_end(
    run: Run, folder: Path, measure: Measure, expected: object, draw: random.Random, tally: Tally
) -> None:
    """Kills a run until it is done; after some kills it is let go on to its end."""
    folder.mkdir()
    run.begin(folder)
    said: list[str] = []
    kills: list[Kill | None] = [measure.kill(draw) for _ in range(draw.randint(1, 8))]
    for kill in (*kills, None):
        found = gone_on(run.go, folder, kill)
        said += found.said
        tally.kills += found.kills
        tally.finished += len(found.said) - found.said.count(LOST)
        try:
            assert found.is_killed or not found.code, f"ended with {found.code}: {found.messages}"
            run.check(folder, said)
            if (result := run.result(folder)) is not None:
                assert result == expected, "the result is not that of an undisturbed run"
                tally.ends += 1
                return
            assert kill is not None, "it does not come to its end"
        except Exception:
            tally.faults.append(f"{run.name}, {folder.name}, {kill}: {traceback.format_exc()}")
            return


def killed_cold(run: Run, kills: int, seed: int) -> Tally:
    """What comes of killing real processes at moments drawn from the time that they take."""
    assert run.words is not None
    tally, draw = Tally(), random.Random(seed)
    with TemporaryDirectory(prefix="faults-") as name:
        undisturbed = _begun(run, Path(name, "undisturbed"))
        before = time.monotonic()
        assert _process(run, undisturbed).wait() == 0
        seconds, expected = time.monotonic() - before, run.result(undisturbed)
        while tally.kills < kills and not tally.faults and tally.ends < 2 * kills:
            folder = _begun(run, Path(name, f"killed-{tally.ends}"))
            while tally.kills < kills and run.result(folder) is None:
                process = _process(run, folder)
                time.sleep(draw.uniform(0, seconds))
                tally.kills += _killed(process, draw)
                run.check(folder, ())
            if run.result(folder) is None:
                assert _process(run, folder).wait() == 0
            if run.result(folder) != expected:
                tally.faults.append(f"{run.name}: the result is not that of an undisturbed run")
            tally.ends += 1
    return tally


def _begun(run: Run, folder: Path) -> Path:
    folder.mkdir()
    run.begin(folder)
    return folder


def _killed(process: subprocess.Popen[bytes], draw: random.Random) -> bool:
    """Whether a process was killed, or a worker of it; what is left of them comes to its end."""
    victim = draw.choice([process.pid, *_workers(process.pid)])
    with suppress(ProcessLookupError):
        if process.poll() is None:
            os.kill(victim, signal.SIGKILL)
    return process.wait() == -signal.SIGKILL or victim != process.pid


def _workers(process: int) -> list[int]:
    """The workers that a process has started."""
    found = []
    with suppress(OSError):  # it may have ended
        for name in Path(f"/proc/{process}/task/{process}/children").read_text().split():
            is_worker = b"spawn_main" in Path(f"/proc/{name}/cmdline").read_bytes()
            found += [int(name)] * is_worker
    return found


def _process(run: Run, folder: Path) -> subprocess.Popen[bytes]:
    assert run.words is not None
    from small_files import model

    words = [sys.executable, "-m", "gridbeam", *run.words(folder), "-m", str(model())]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def in_line(name: str, tally: Tally) -> str:
    """What came of the kills of a run, as a row of a table."""
    return f"{name:28} {tally.kills:6,} {tally.ends:6,} {tally.finished:9,} {len(tally.faults):6}"


def main(arguments: Sequence[str]) -> int:
    """Kills runs; 1 where one has lost something."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("runs", nargs="*")
    reader.add_argument("--kills", type=int)
    reader.add_argument("--cold", type=int, default=0)
    reader.add_argument("--seed", type=int, default=0)
    given = reader.parse_args(arguments)
    chosen = [run for run in RUNS if not given.runs or run.name.startswith(tuple(given.runs))]
    torch.set_num_threads(1)  # a fork has no threads of its parent
    echo.translator()  # loaded once, for all forks
    print(f"{'':28}  kills   ends  finished faults", flush=True)
    kills = faults = 0
    for run in chosen:
        found = {run.name: killed(run, given.kills or run.kills, given.seed)}
        if given.cold and run.words is not None:
            found[f"{run.name}, cold"] = killed_cold(run, given.cold, given.seed)
        for name, tally in found.items():
            print(in_line(name, tally), *tally.faults, sep="\n    ", flush=True)
            kills, faults = kills + tally.kills, faults + len(tally.faults)
    print(f"{kills:,} kills, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
