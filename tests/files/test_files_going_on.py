"""Runs over files that were broken off: no finished segment is lost."""

from __future__ import annotations

import json
import re
import resource
import signal
import time

import echo
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from other_options import other_value
from small_files import ask, complaint, leftovers, start

from gridbeam import Phrase, UserError
from gridbeam.decoding.options import FLAGS, NAMES
from gridbeam.errors import UserNotice
from gridbeam.files.journal import Journal
from gridbeam.files.outcome import Met, Outcome, Use
from gridbeam.files.run import Instructions, translate_file
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.markup.inline import Code, Marked
from gridbeam.support.line_files import sealed
from gridbeam.translation.defaults import TRANSLATION

NARROW = TRANSLATION.but(beam=1)


MANY = 160
"""More segments than are translated before a signal arrives."""


def many(file, count=MANY):
    nouns = ["disk", "folder", "screen", "house", "file"]
    return file(
        "many.txt", "".join(f"The {nouns[n % 5]} {n} is <b>full</b>.\n" for n in range(count))
    )


def broken_off(how, source, out, *arguments):
    """What a process says that gets a signal when some segments are finished, and some not."""
    process, journal = start(source, "-o", out, *arguments), out.with_name(f"{out.name}.journal")
    while process.poll() is None and not (
        journal.exists() and journal.read_bytes().count(b"\n") > 6
    ):
        time.sleep(0.002)
    process.send_signal(how)
    _, said = process.communicate(timeout=60)
    assert not out.exists() and 6 < journal.read_bytes().count(b"\n") < MANY, said
    return process.returncode, said.decode(), journal


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was_and_ends_the_same(file, terms, tmp_path):
    source, whole, out = many(file), tmp_path / "whole.txt", tmp_path / "out.txt"
    options = ["--glossary", terms]
    code, _, journal = broken_off(signal.SIGKILL, source, out, *options, "--batch-size", "2")
    assert code == -signal.SIGKILL
    marked = tmp_path / "marked.txt.journal"
    header, first, *rest = journal.read_bytes().split(b"\n")
    number = json.loads(first)["number"]
    marked.write_bytes(
        b"\n".join(
            [header, sealed(Outcome(number, "", 1, Marked(("kept",))).as_line()).encode(), *rest]
        )[:-20]
    )

    assert "marked.txt.journal is there" in complaint(
        source, "-o", tmp_path / "marked.txt", *options
    )
    for path, extra in ((whole, []), (out, ["--resume"]), (tmp_path / "marked.txt", ["--resume"])):
        found = ask(source, "-o", path, *options, *extra)
        assert found.exit_code == 0 and f"{MANY} of {MANY} segments translated" in found.stderr, (
            found.output
        )
    assert out.read_bytes() == whole.read_bytes()
    differing = [
        (a, b)
        for a, b in zip(
            whole.read_text("utf8").split("\n"),
            (tmp_path / "marked.txt").read_text("utf8").split("\n"),
            strict=True,
        )
        if a != b
    ]
    assert [b for _, b in differing] == ["kept"]
    assert leftovers(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_says_how_to_go_on(file, tmp_path, how):
    source, out = many(file), tmp_path / "out.txt"
    code, said, journal = broken_off(how, source, out, "--batch-size", "2")
    assert code == 128 + how and "Traceback" not in said
    kept = journal.read_bytes().count(b"\n") - 1
    assert (
        f"{journal} keeps {kept} finished segments. The same command with --resume goes on." in said
    )
    assert ask(source, "-o", out, "--restart", "--batch-size", "64").exit_code == 0


@pytest.mark.slow
def test_a_run_whose_messages_nobody_reads_keeps_its_journal_in_silence(file, tmp_path):
    source, out = many(file), tmp_path / "out.txt"
    terms = file("terms.tsv", "disk\tFestplatte\n")
    ask(source, "-o", out, "--batch-size", "2")
    process = start(source, "-o", out, "--batch-size", "2", "--glossary", terms, "--lemmas")
    process.stderr.close()  # as 2>&1 | head does; the first to be told is a notice
    assert process.wait(timeout=60) == 141
    with process.stdout as stdout:
        assert stdout.read() == b"" and out.exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda given: given | {"text": "The house\n"}, "another input"),
        (
            lambda given: (
                given | {"instructions": Instructions(search=TRANSLATION.but(beam=2), lemmas=True)}
            ),
            r"another --lemmas \(no, not yes\) and another --beam \(1, not 2\)",
        ),
        (
            lambda given: (
                given | {"instructions": Instructions(everywhere=(Phrase("disk"),), search=NARROW)}
            ),
            "another -c, --avoid or --prefix",
        ),
        (
            lambda given: (
                given
                | {"instructions": Instructions(Glossary((Entry("a", ("b",)),)), search=NARROW)}
            ),
            "another glossary",
        ),
        (lambda given: given | {"model": "other"}, "another model"),
    ],
)
def test_a_journal_of_something_else_is_refused(file, tmp_path, monkeypatch, change, said):
    def broken(*_):
        raise RuntimeError

    def run(text, instructions, model, **how):
        return translate_file(
            echo.translator(),
            file("a.txt", text),
            tmp_path / "b.txt",
            instructions,
            model=model,
            **how,
        )

    given = {"text": "The disk\n", "instructions": Instructions(search=NARROW), "model": "m"}
    (tmp_path / "b.txt.journal").write_text("")
    assert run(**given, resume=True).translated == 1  # broken off before its first line was written
    with monkeypatch.context() as patch:
        patch.setattr("gridbeam.files.run.write_output", broken)
        with pytest.raises(RuntimeError):
            run(**given)
    with pytest.raises(
        UserError,
        match=(
            f"b.txt.journal was begun with {said}. Go on with what it was begun with, or .*"
            " --restart"
        ),
    ):
        run(**change(given), resume=True)
    assert run(**change(given), restart=True).translated == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_run_with_another_option_of_the_search_is_not_gone_on_with(
    file, tmp_path, monkeypatch, name
):
    def broken(*_):
        raise RuntimeError

    def run(search, **how):
        source, out = file("a.txt", "The disk\n"), tmp_path / "b.txt"
        return translate_file(echo.translator(), source, out, Instructions(search=search), **how)

    usual = TRANSLATION.but(max_length=9)
    other = usual.but(**{name: other_value(name, usual)})
    with monkeypatch.context() as patch:
        patch.setattr("gridbeam.files.run.write_output", broken)
        with pytest.raises(RuntimeError):
            run(usual)
    said = FLAGS.get(name, name)
    with pytest.raises(UserError, match=rf"was begun with another (\S+ .*another )?{said}[ .]"):
        run(other, resume=True)
    assert run(usual, resume=True).translated == 1


def test_a_torn_line_of_a_journal_counts_as_not_written(tmp_path):
    path, header = tmp_path / "j", {"input": "1"}
    journal = Journal(path, header)
    for number in (4, 2):
        journal.add(Outcome(number, "n", 1))
    journal.close()
    path.write_bytes(path.read_bytes() + b'{"number": 3, "na')
    again = Journal(path, header, resume=True)
    assert list(again) == [2, 4] and len(again) == 2 and 3 not in again
    again.add(Outcome(3, "n", 1))
    assert [outcome.number for outcome in again.values()] == [2, 3, 4]
    again.close()


def broken_journal(tmp_path, damage):
    """The path of a journal of three segments, with each line as `damage` makes it."""
    path = tmp_path / "j"
    journal = Journal(path, {"input": "1"})
    for number in range(3):
        journal.add(Outcome(number, "n", 1, Marked((f"text {number}",))))
    journal.close()
    path.write_bytes(b"".join(damage(path.read_bytes().splitlines(keepends=True))))
    return path


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: line.replace(b"text", b"test"),  # still JSON, and a translation
        lambda line: line.replace(b'"number":1', b'"number":0'),
        lambda line: line.replace(b'"crc"', b'"crk"'),
        lambda line: line[: len(line) // 2] + b"\n",
        lambda line: line[:-20] + b"\0\xff" + line[-18:],
        lambda line: b"\n",
        lambda line: json.dumps(json.loads(line)).encode() + b"\n",
    ],
)
def test_a_damaged_line_of_a_journal_is_named_and_its_segment_done_again(tmp_path, damage):
    path = broken_journal(tmp_path, lambda lines: [*lines[:2], damage(lines[2]), *lines[3:]])
    with pytest.warns(UserNotice, match=r"j: line 3 is damaged\. What stood there is translated"):
        journal = Journal(path, {"input": "1"}, resume=True)
    assert list(journal) == [0, 2] and str(journal[0].text) == "text 0"
    journal.add(Outcome(1, "n", 1, Marked(("anew",))))
    assert [str(each.text) for each in journal.values()] == ["text 0", "anew", "text 2"]
    journal.close()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_changed_byte_of_a_journal_goes_unseen(tmp_path, data):
    path = broken_journal(tmp_path, list)
    path_bytes = path.read_bytes()
    place = data.draw(st.integers(path_bytes.index(b"\n") + 1, len(path_bytes) - 2))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != path_bytes[place]))
    path.write_bytes(path_bytes[:place] + bytes([byte]) + path_bytes[place + 1 :])
    with pytest.warns(UserNotice, match="damaged"):
        journal = Journal(path, {"input": "1"}, resume=True)
    assert all(str(journal[number].text) == f"text {number}" for number in journal)
    assert len(journal) in (1, 2)
    journal.close()
    path.unlink()


def test_many_damaged_lines_are_counted(tmp_path):
    path = broken_journal(tmp_path, lambda lines: [*lines, *[b"{}\n"] * 50])
    with pytest.warns(UserNotice, match=r"50 lines \(5, 6, 7, 8, 9, 10, 11, 12, 13, 14, \.\.\.\)"):
        Journal(path, {"input": "1"}, resume=True).close()


@pytest.mark.parametrize(
    "header", [b"", b"{}", b'{"input":"1"}', b'{"input":"2","crc":"00000000"}']
)
def test_a_journal_whose_first_line_is_damaged_is_refused(tmp_path, header):
    path = broken_journal(tmp_path, lambda lines: [header + b"\n", *lines[1:]])
    with pytest.raises(
        UserError, match=r"j line 1 is not one of a journal\. Start anew with --restart"
    ):
        Journal(path, {"input": "1"}, resume=True)


def test_a_run_with_a_damaged_journal_ends_as_one_without(file, tmp_path, monkeypatch):
    def run(**how):
        return translate_file(
            echo.translator(), source, out, Instructions(search=NARROW), model="m", **how
        )

    source, out = file("a.txt", "The disk\nThe house\nThe file\n"), tmp_path / "b.txt"
    with monkeypatch.context() as patch:
        patch.setattr("gridbeam.files.run.write_output", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run()
    journal = tmp_path / "b.txt.journal"
    journal.write_bytes(journal.read_bytes().replace(b"house", b"mouse"))
    with pytest.warns(UserNotice, match=r"b\.txt\.journal: line \d is damaged"):
        assert run(resume=True).translated == 3
    damaged = out.read_text()
    run()
    assert out.read_text() == damaged and "mouse" not in damaged and "house" in damaged


@pytest.mark.slow
def test_a_full_disk_loses_no_finished_segment(file, tmp_path):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    source, out = many(file, 100), tmp_path / "out.txt"
    process = start(source, "-o", out, "--batch-size", "2", preexec_fn=limited)
    _, said = process.communicate(timeout=100)
    assert process.returncode == 2 and not out.exists(), said
    assert re.search(
        rb"out.txt.journal cannot be written: File too large. Make room and go on with --resume;"
        rb" \d+ finished",
        said,
    )
    assert ask(source, "-o", out, "--resume").exit_code == 0
    assert out.read_text("utf8").count("\n") == 100


def test_what_came_of_a_segment_is_a_line_and_back():
    pieces = Marked(("a\n", Code("<g>", "opens", "1"), "ä", Code("</g>", "closes", "1")))
    outcome = Outcome(
        3,
        "n\ud800",
        7,
        pieces,
        -1.5,
        (Met({"phrase": "x"}, ("x",), ((0, 1),)),),
        (Use(2, "s", True, "x"),),
        "why",
        ("d",),
        (("t", -2.0),),
    )
    assert "\n" not in outcome.as_line()
    assert Outcome.from_line(outcome.as_line().encode("utf8", "backslashreplace")) == outcome
    assert Outcome.from_line(Outcome(0, "", 1).as_line()) == Outcome(0, "", 1)
