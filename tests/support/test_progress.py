"""How far a run is, is shown in one way: a bar on a terminal, lines elsewhere, or not at all."""

from __future__ import annotations

import io

from rich.console import Console

from gridbeam.support import progress


def on_terminal(total: int) -> str:
    out = io.StringIO()
    terminal = Console(
        file=out, width=80, force_terminal=True, legacy_windows=False, color_system=None
    )
    assert list(progress.shown(range(total), total, terminal)) == list(range(total))
    return out.getvalue()


def test_a_terminal_gets_a_bar_with_what_is_done_and_how_fast():
    text = on_terminal(3)
    assert "━" in text and "3/3" in text and "/s" in text


def test_a_file_gets_a_line_now_and_then(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(progress, "_EVERY", -1.0)
    assert list(progress.shown("ab", 2, Console(file=out, width=80))) == ["a", "b"]
    assert [line.split(",")[0] for line in out.getvalue().splitlines()] == [
        "1 of 2 segments",
        "2 of 2 segments",
    ]


def test_nobody_is_told_anything_without_a_console():
    assert list(progress.shown("ab", 2, None)) == ["a", "b"]
