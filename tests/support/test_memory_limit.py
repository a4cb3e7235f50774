"""`--memory-limit`: what would take more fails, and is done in smaller batches."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys

import pytest
import torch

from gridbeam import UserError
from gridbeam.support.memory_limit import bounded_memory, bytes_of

LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_DATA is Linux's")
BOUNDED = """
import re, warnings
from gridbeam import Translator, UserError
from gridbeam.support.memory_limit import bounded_memory

translator = Translator.load("builtin:en-de")
texts = [f"The file {n} is full." for n in range(48)]

def translated(at_once):
    return [each.text for each in translator.translate_all(texts, batch_size=at_once, beam=8)]

whole = translated(1)  # what is taken for one is kept, and what 48 take is far more
with open("/proc/self/status") as status:
    taken = int(re.search(r"VmData:\\s+(\\d+)", status.read())[1]) / 1024
for more in (10, 20, 30, 45, 60, 80, 100, 130):  # one text fits from some size on
    with warnings.catch_warnings(record=True) as told, bounded_memory(f"{taken + more:.0f}MiB"):
        warnings.simplefilter("always")
        try:
            again = translated(48)
        except UserError as error:
            assert "not enough memory to search for this text, even alone" in str(error), error
            continue
    break
assert again == whole, (again, whole)
assert any("does not fit in memory: tried again with" in str(each.message) for each in told)
"""


def test_a_size_is_a_number_with_its_unit():
    assert [*map(bytes_of, ("1.5 GiB", "300mb"))] == [3 * 2**29, 300_000_000]
    for wrong in ("4", "GiB", "-1GiB", "4 potatoes"):
        with pytest.raises(UserError, match="is no size: write a number with MiB"):
            bytes_of(wrong)


@LINUX_ONLY
def test_the_limit_holds_within_and_not_afterwards():
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with bounded_memory("64GiB", "cpu"):
        assert resource.getrlimit(resource.RLIMIT_DATA)[0] == 64 * 2**30
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


@LINUX_ONLY
def test_a_limit_below_what_is_taken_already_is_refused():
    with pytest.raises(UserError, match="MiB that gridbeam has taken already: give it more"):
        bounded_memory("1MiB", "cpu").__enter__()


def test_a_system_that_cannot_bound_memory_says_so(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(UserError, match="on a GPU and on Linux only: leave it out"):
        bounded_memory("4GiB", "cpu").__enter__()


def test_on_a_gpu_it_is_a_fraction_of_its_memory(monkeypatch):
    class Device:
        total_memory = 8 * 2**30

    given = []
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: Device)
    monkeypatch.setattr(
        torch.cuda, "set_per_process_memory_fraction", lambda part, device: given.append(part)
    )
    with bounded_memory("2GiB", "cuda:0"):
        assert given == [0.25]
    assert given == [0.25, 1.0]


@LINUX_ONLY
@pytest.mark.slow
def test_a_batch_beyond_a_real_limit_is_halved_and_gives_the_same():
    """The process is its own, so that no other test is bounded.

    Libraries of torch may crash where memory ends (docs/files.md#memory): then it is tried again.
    """
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", BOUNDED], capture_output=True, text=True)
        if done.returncode != -signal.SIGSEGV:
            break
    assert done.returncode == 0, done.stderr


@LINUX_ONLY
def test_commands_take_the_limit():
    words = ["translate", "The disk is full.", "--memory-limit", "100MB", "--device", "cpu"]
    done = subprocess.run(
        [sys.executable, "-m", "gridbeam", *words], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "gridbeam: --memory-limit 100MB is less than the" in done.stderr or (
        "gridbeam: there is not enough memory: raise --memory-limit" in done.stderr
    )
