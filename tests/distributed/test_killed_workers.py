"""Real processes, really killed: a worker, then the run itself, and the same bytes at the end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import small_files
from small_files import ask
from small_jobs import at_work, sentences

WAIT_S = 60


def start(*arguments) -> subprocess.Popen:
    """A real run that translates with a small model."""
    words = [sys.executable, "-m", "gridbeam", "translate", *map(str, arguments)]
    words += ["-m", small_files.model(), "--beam", "2", "--batch-size", "2"]
    return subprocess.Popen(
        [*words, "--fail-on", "nothing"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def worker_at_work(out: Path, not_among: set[int]) -> int:
    """The process of a worker that is amid a piece."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        for process in at_work(out):
            if process not in not_among:
                return process
        time.sleep(0.005)
    raise AssertionError("no worker has begun")


def has_ended(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc to see whether processes end")
def test_whoever_is_killed_in_mid_run_the_output_is_that_of_one_process(tmp_path):
    path, out = tmp_path / "a.txt", tmp_path / "out"
    path.write_text(sentences(12))
    one = ask(path, "-o", tmp_path / "one.txt", "--batch-size", "2")
    assert one.exit_code == 0, one.output
    first = start(path, "-o", out, "--engine", "processes", "--workers", "2", "--shards", "4")
    killed = {worker_at_work(out, set())}
    os.kill(*killed, signal.SIGKILL)  # a worker, which is replaced
    others = {worker_at_work(out, killed)}
    first.kill()  # the run, whose workers end with it
    first.communicate()
    until = time.monotonic() + WAIT_S
    while not all(map(has_ended, others)) and time.monotonic() < until:
        time.sleep(0.01)
    assert all(map(has_ended, others))
    assert not (out / "a.txt").exists()
    again = start(path, "-o", out, "--engine", "processes", "--workers", "2")
    _, said = again.communicate()
    assert again.returncode == 0, said
    assert (out / "a.txt").read_bytes() == (tmp_path / "one.txt").read_bytes()
    assert said.splitlines()[-1] == one.stderr.splitlines()[-1]
    assert not [*(out / "attempts").iterdir()]
    assert sorted(each.suffix for each in (out / "parts").iterdir()) == [".jsonl"] * 4
    shutil.rmtree(out)
