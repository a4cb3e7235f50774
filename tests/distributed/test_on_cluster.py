"""A real cluster of Ray, of two nodes on this machine, one of which dies in mid-run."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import small_files
from small_files import ask
from small_jobs import sentences

WAIT_S = 120
HAS_RAY = importlib.util.find_spec("ray") is not None and Path("/proc").is_dir()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not HAS_RAY, reason="needs ray, and /proc to tell what belongs to a node"),
    pytest.mark.skipif(
        os.environ.get("GRIDBEAM_TESTS") != "thorough",
        reason="takes half a minute of a quiet machine: asked for by GRIDBEAM_TESTS=thorough",
    ),
]


@dataclass(frozen=True)
class Cluster:
    """Nodes of Ray that nobody else knows of, each known by a word in its environment."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """What whoever looks for a cluster finds this one by."""
        known = {name: each for name, each in os.environ.items() if name != "RAY_ADDRESS"}
        quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
        quiet["RAY_AUTH_MODE"] = "disabled"  # whatever a file of the user says
        return {**known, **quiet, "RAY_TMPDIR": str(self.folder), "OMP_NUM_THREADS": "1"}

    def start(self, name: str, *words: str) -> str:
        """Starts a node with one processor, and gives what Ray says of it."""
        size = ("--num-cpus", "1", "--object-store-memory", "80000000")
        ray = (sys.executable, "-m", "ray.scripts.scripts", "start", *size)
        done = subprocess.run(
            [*ray, "--disable-usage-stats", *words],
            env={**self.environment, "GRIDBEAM_NODE": self._word(name)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def kill(self, name: str) -> int:
        """Kills all processes of a node, as if its machine were switched off, and counts them."""
        word = f"GRIDBEAM_NODE={self._word(name)}".encode()
        found = [each for each in Path("/proc").glob("[0-9]*") if _has(each, word)]
        for each in found:
            with suppress(ProcessLookupError):
                os.kill(int(each.name), signal.SIGKILL)
        return len(found)

    def _word(self, name: str) -> str:
        return f"{self.folder.name}-{name}"


def _has(process: Path, word: bytes) -> bool:
    try:
        return word in (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


@pytest.fixture
def cluster():
    """A cluster of two nodes, with one worker each."""
    made = Cluster(Path(tempfile.mkdtemp(prefix="gb-")))  # sockets have short names
    try:
        head = ("--head", "--port", "0", "--include-dashboard", "false")
        said = made.start("head", *head, "--node-ip-address", "127.0.0.1")
        address = said.split("--address='")[1].split("'")[0]
        made.start("second", "--address", address, "--node-ip-address", "127.0.0.2")
        yield made
    finally:
        while made.kill("second") + made.kill("head"):
            time.sleep(0.1)
        shutil.rmtree(made.folder, ignore_errors=True)


def parts_of(out: Path) -> int:
    return len([*out.glob("parts/part-*.jsonl")])


def test_a_node_that_dies_in_mid_run_changes_nothing_of_the_output(cluster, tmp_path):
    path, out = tmp_path / "a.txt", tmp_path / "out"
    path.write_text(sentences(120))
    one = ask(path, "-o", tmp_path / "one.txt")
    assert one.exit_code == 0, one.output
    words = ["translate", path, "-o", out, "--engine", "ray", "--address", "auto", "--shards", 40]
    words += ["-m", small_files.model(), "--beam", "2", "--fail-on", "nothing"]
    run = subprocess.Popen(
        [sys.executable, "-m", "gridbeam", *map(str, words)],
        env=cluster.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    until = time.monotonic() + WAIT_S
    while parts_of(out) < 2 and run.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    done = parts_of(out)
    assert cluster.kill("second") >= 2  # its raylet, and its worker or one that was to be
    said, _ = run.communicate(timeout=WAIT_S)
    assert run.returncode == 0, said
    assert 2 <= done < 40, "the node has died before or after the work"
    assert (out / "a.txt").read_bytes() == (tmp_path / "one.txt").read_bytes()
    assert not [*(out / "attempts").iterdir()]
