"""The judge of the fuzzers: what it must not let pass."""

from __future__ import annotations

import os
import time

import pytest
from bounded import tried

from gridbeam.errors import UserError


def loops(data, folder):
    while data:
        pass


def grows(data, folder):
    kept = []
    while data:
        kept.append(bytearray(1 << 24))


def fails(data, folder):
    raise KeyError("x")


def dies(data, folder):
    os.kill(os.getpid(), 9)


def shouts(data, folder):
    raise UserError(*["no remedy\n"] * 3, "a\ud800")


def refuses(data, folder):
    raise UserError("This is wrong. Mend it.")


def waits(data, folder):
    time.sleep(0.01)


@pytest.mark.parametrize(
    ("read", "said"),
    [(loops, "worked"), (grows, "MemoryError"), (fails, "KeyError"), (dies, "status 9")],
)
def test_what_must_not_be_is_a_fault(read, said):
    seconds = 0.2 if read is loops else 5.0
    found = tried(read, lambda _: b"x", [1], seconds)
    assert found.inputs == 1 and said in found.faults[0]


def test_a_process_that_dies_costs_one_input():
    def read(data, folder):
        if data:
            dies(data, folder)

    found = tried(read, bytes, [0, 1, 0])
    assert (found.read, len(found.faults)) == (2, 1)


@pytest.mark.parametrize(("read", "count"), [(refuses, (0, 2)), (waits, (2, 0)), (shouts, (0, 2))])
def test_a_message_and_a_result_are_none(read, count):
    found = tried(read, lambda _: b"", [0, 1])
    assert (found.read, found.refused) == count and not found.faults
