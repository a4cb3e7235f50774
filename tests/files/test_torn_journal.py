"""A journal that was broken off within a line goes on as if that line had never been begun."""

from __future__ import annotations

import pytest

from gridbeam.files.journal import Journal
from gridbeam.files.outcome import Outcome
from gridbeam.markup.inline import Marked

HEADER = {"input": "1"}


def outcome(number: int, text: str) -> Outcome:
    return Outcome(number, str(number), number + 1, Marked((text,)))


LONG, SHORT = outcome(1, "a translation that is much longer " * 3), outcome(2, "kurz")


@pytest.mark.parametrize("size", range(1, 400, 37))
def test_half_a_line_leaves_nothing_behind(tmp_path, size):
    """Whatever is written next, the journal is what it would be without the half line."""
    torn, whole = tmp_path / "torn", tmp_path / "whole"
    for path in (torn, whole):
        journal = Journal(path, HEADER)
        journal.add(outcome(0, "eins"))
        journal.close()
    torn.write_bytes(torn.read_bytes() + LONG.as_line().encode()[:size])
    for path in (torn, whole):
        journal = Journal(path, HEADER, resume=True)
        assert list(journal) == [0]
        journal.add(SHORT)
        journal.close()
    assert torn.read_bytes() == whole.read_bytes()
    again = Journal(torn, HEADER, resume=True)
    assert dict(again) == {0: outcome(0, "eins"), 2: SHORT}
    again.close()


def test_half_a_first_line_is_begun_anew(tmp_path):
    path = tmp_path / "journal"
    path.write_bytes(b'{"input": "1", "some other thing that is longer than the header": "')
    journal = Journal(path, HEADER, resume=True)
    journal.add(SHORT)
    journal.close()
    again = Journal(path, HEADER, resume=True)
    assert dict(again) == {2: SHORT}
    again.close()


def test_a_line_written_over_half_a_line_is_read_as_it_is(tmp_path):
    """What was read ahead of the first line holds nothing of the half that stood there."""
    path = tmp_path / "journal"
    journal = Journal(path, HEADER)
    journal.add(outcome(0, "eins"))
    journal.close()
    path.write_bytes(path.read_bytes() + LONG.as_line().encode()[:120])
    journal = Journal(path, HEADER, resume=True)
    assert journal[0] == outcome(0, "eins")
    journal.add(outcome(1, "zwei"))
    assert journal[1] == outcome(1, "zwei")
    journal.close()
