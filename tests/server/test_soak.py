"""A server that is asked for twice what it can do: `make soak` does it for ten minutes."""

from __future__ import annotations

import pytest
import soak

SECONDS, QUEUE = 15, 24
MOST_GROWTH = 96
"""MiB; what a search takes and gives back is about as much."""
LATE = 5.0
"""Seconds that an answer may take to be written where others have the processor."""


@pytest.mark.slow
def test_twice_the_load_gets_no_wrong_answer_none_late_and_no_more_memory(tmp_path):
    seen, able = soak.soak(SECONDS, QUEUE, tmp_path)
    assert able > 0 and seen.answered > 0
    assert not seen.wrong, seen.wrong[:5]
    patience = {ask.face: ask.patience for ask in soak.asks()}
    for face, most in patience.items():
        assert seen.p99(face) < most + LATE, face
    assert seen.growth < MOST_GROWTH, seen.resident


def test_a_wrong_answer_would_be_seen():
    ask = soak.asks()[0]
    for answer in (
        soak.httpx.Response(200, json={"text": "another's"}),
        soak.httpx.Response(500, json={}),
        soak.httpx.Response(503, json={}),
    ):
        seen = soak.Seen()
        seen.note(ask, answer, "mine", 0.1)
        assert len(seen.wrong) == 1
    seen.note(ask, soak.httpx.Response(504, json={}), "mine", 0.1)
    assert len(seen.wrong) == 1
