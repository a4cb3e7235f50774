"""Tests that need a program of the system: skipped and said so without it, or failed if needed."""

import pytest
import system_programs

HOW = "needs postgresql: as root, apt-get install postgresql"


class Report:
    """A test that was skipped, as pytest reports it."""

    def __init__(self, reason):
        self.longrepr = ("test.py", 1, f"Skipped: {reason}")


def test_what_needs_a_program_that_is_not_there_is_skipped(monkeypatch):
    monkeypatch.setattr(system_programs, "NEEDED", "chromium")
    with pytest.raises(pytest.skip.Exception, match=HOW):
        system_programs.do_without("postgresql")


def test_what_needs_it_where_it_must_be_there_fails(monkeypatch):
    monkeypatch.setattr(system_programs, "NEEDED", "chromium postgresql")
    with pytest.raises(pytest.fail.Exception, match=HOW):
        system_programs.do_without("postgresql")


def test_one_line_says_what_was_skipped_for_want_of_a_program_and_how_to_get_it():
    reports = [Report(HOW), Report("has no GPU"), Report(HOW)]
    assert system_programs.skipped_for_want(reports) == [f"2 tests skipped: {HOW}"]


def test_a_program_is_found_on_the_path_or_in_a_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    (tmp_path / "initdb").touch()
    assert system_programs.program("initdb") is None
    assert system_programs.program("initdb", folders=[tmp_path]) == tmp_path / "initdb"
