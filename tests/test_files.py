"""Files and streams: a glossary that is obeyed, nothing else of a file changed, and no finished segment lost."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import tracemalloc
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import echo
import pytest
import tiny

typer = pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402

from gridbeam import Avoid, Phrase, UserError  # noqa: E402
from gridbeam.cli import app  # noqa: E402
from gridbeam.documents import open_document  # noqa: E402
from gridbeam.files import Instructions, translate_file  # noqa: E402
from gridbeam.files.instructions import read_glossary  # noqa: E402
from gridbeam.files.journal import Journal  # noqa: E402
from gridbeam.files.outcome import Met, Outcome, Use  # noqa: E402
from gridbeam.glossary import Entry, Glossary  # noqa: E402
from gridbeam.inline import Code, Marked  # noqa: E402
from gridbeam.translation import Translation  # noqa: E402

XLIFF1 = """<?xml version="1.0"?>
<xliff version="1.2"><file original="app" source-language="en" target-language="de"><body>
<trans-unit id="1"><source>The <g id="1">disk</g> is full.</source></trans-unit>
<trans-unit id="2" translate="no"><source>The disk</source></trans-unit>
<trans-unit id="3"><source>{0} files in the folder {file}, %s</source><note>keep &amp; me</note></trans-unit>
<trans-unit id="4"><source>Old</source><target state="translated">Alt</target></trans-unit>
</body></file></xliff>
"""
XLIFF2 = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de">
<file id="f"><unit id="u"><segment id="s"><source>The <pc id="1">disk</pc> is full.</source></segment></unit></file></xliff>
"""
TMX = """<tmx version="1.4"><header srclang="en"/><body>
<tu tuid="a"><tuv xml:lang="en"><seg>The disk is full.</seg></tuv></tu></body></tmx>
"""
PO = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

#: a.c:7
msgid "The disk %s is full."
msgstr ""

msgid "Old"
msgstr "Alt"
"""
FILES = {
    "a.txt": "The disk is full.\r\n\n  12 \nThe disk",
    "a.tsv": "The disk is full.\tleer\nThe house\n",
    "a.jsonl": '{"text": "The disk is full.", "avoid": ["leer"], "x": [1.50]}\n\n{"text": "The house", "id": "h"}\n',
    "a.moses": 'The <n translation="Ordner||Laufwerk">folder</n> and the disk\n',
    "a.po": PO,
    "a.xliff": XLIFF1,
    "b.xliff": XLIFF2,
    "a.tmx": TMX,
}
TARGETS = {  # where a translation stands, in place of which there may be anything
    "a.tsv": rb"^[^\t\n]+",
    "a.jsonl": rb', "translation": ".*?"(?=}$)',
    "a.po": rb'(?<=full."\nmsgstr )"(?:[^"\\]|\\.)*"(?:\n".*")*|#, fuzzy\n',
    "a.xliff": rb"<target state=\"needs-review-translation\".*?</target>",
    "b.xliff": rb"<target>.*?</target>| state=\"translated\" subState=\"gridbeam:needs-review\"",
    "a.tmx": rb'\s*<tuv xml:lang="de">.*?</tuv>',
}


@cache
def model() -> str:
    """The folder of a model with random weights that comes to an end before long."""
    folder = shutil.copytree(tiny.marian(("de",)), mkdtemp(prefix="brief-"), dirs_exist_ok=True)
    found = tiny.transformers.MarianMTModel.from_pretrained(folder)
    found.final_logits_bias[:, found.config.eos_token_id] += 4
    found.save_pretrained(folder)
    return folder


def ask(*arguments, stdin=None):
    runner = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"})
    return runner.invoke(app, ["translate", *map(str, arguments), "-m", model(), "--beam", "2"], input=stdin)


def complaint(*arguments, stdin=None) -> str:
    """What the command says that refuses to work."""
    found = ask(*arguments, stdin=stdin)
    assert found.exit_code == 2, found.output
    assert found.stdout == "" and found.stderr.startswith("gridbeam: ")
    return found.stderr.removeprefix("gridbeam: ").rstrip("\n")


@pytest.fixture
def file(tmp_path):
    """Writes a file and gives its path."""

    def make(name: str, content: str | bytes):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


@pytest.fixture
def terms(file):
    return file("terms.tsv", "source\ttarget\tforbidden\ndisk\tFestplatte|Laufwerk\nfolder\tOrdner\nscreen\tBildschirm\tdisk\n")


CLASH = "source\ttarget\tforbidden\ndisk\tLaufwerk\nscreen\tBildschirm\tLaufwerk\n"


def leftovers(folder):
    return [path.name for path in folder.iterdir() if "journal" in path.name or "partial" in path.name]


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_each_format_is_translated_with_its_terms_and_nothing_else_changes(file, terms, tmp_path, name):
    source, out = file(name, FILES[name]), tmp_path / f"out-{name}"
    found = ask(source, "-o", out, "--glossary", terms)
    assert found.exit_code == 0 and found.stdout == "", found.output
    translated = {str(each.source): str(each.target or "") for each in open_document(out, target_language="de").segments()}
    if name in TARGETS:
        before, after = (
            re.sub(TARGETS[name], b"", text, flags=re.M | re.S) for text in (source.read_bytes(), out.read_bytes())
        )
        assert after == re.sub(rb'(?<=full."\nmsgstr )""', b"", before)
    if name not in ("a.txt", "a.tsv", "a.moses"):
        due = [target for text, target in translated.items() if "disk" in text and target]
        assert due and all(re.search("Festplatte|Laufwerk", target) for target in due)
    assert leftovers(tmp_path) == []


def test_lines_keep_their_ends_and_what_has_no_words_stays(file, terms, tmp_path):
    ask(file("a.txt", FILES["a.txt"]), "-o", tmp_path / "b.txt", "--glossary", terms)
    first, blank, number, last = (tmp_path / "b.txt").read_bytes().split(b"\n")
    assert first.endswith(b"\r") and (blank, number) == (b"", b"  12 ")
    assert all(re.search(rb"Festplatte|Laufwerk", line) for line in (first, last))


def test_placeholders_survive_and_what_is_there_already_stays(file, terms, tmp_path):
    ask(file("a.xliff", XLIFF1), "-o", tmp_path / "b.xliff", "--glossary", terms)
    _, locked, files, old = open_document(tmp_path / "b.xliff").segments()
    assert [str(files.target).count(each) for each in ("{0}", "{file}", "%s", "Ordner")] == [1, 1, 1, 1]
    assert (locked.target, str(old.target)) == (None, "Alt")


@pytest.mark.parametrize(("which", "due"), [("nothing", 1), ("drafts", 2), ("all", 3)])
def test_translations_that_are_there_are_made_anew_only_if_asked(file, tmp_path, which, due):
    fuzzy = PO + '\n#, fuzzy\nmsgid "The house"\nmsgstr "Das Haus"\n'
    found = ask(file("a.po", fuzzy), "-o", tmp_path / "b.po", "--retranslate", which)
    assert f"{due} of {due} segments translated" in found.stderr


def test_as_jsonl_a_segment_has_score_spans_terms_and_alternatives(file, terms, tmp_path):
    source = file(
        "a.jsonl", '{"text": "The <b>disk</b>, {n}", "constraints": ["voll"], "key": 7}\n{"text": "x", "translation": "y"}\n'
    )
    found = ask(source, "-o", tmp_path / "b.jsonl", "--to", "jsonl", "--n-best", "2", "--glossary", terms)
    assert found.exit_code == 0, found.output
    first, second = map(json.loads, (tmp_path / "b.jsonl").read_text("utf8").splitlines())
    assert (first["key"], first["number"], first["name"], first["text"]) == (7, 0, "1", "The <b>disk</b>, {n}")
    assert first["score"] < 0 and first["alternatives"] and "unmet" not in first
    voll, disk = first["met"]
    assert (voll["constraint"], voll["said"]) == ("voll", ["voll"])
    for each in (voll, disk):
        assert [first["translation"][start:end] for start, end in each["spans"]] == each["said"]
    assert first["terms"] == [{"source": "disk", "met": True, "said": disk["said"][0], "entry": f"{terms} line 2"}]
    assert (second["translation"], second["status"]) == ("y", "translated")


def test_as_text_there_is_a_line_for_each_segment(file, tmp_path):
    assert ask(file("a.xliff", XLIFF1), "-o", tmp_path / "b.txt", "--to", "text").exit_code == 0
    _, locked, _, old = (tmp_path / "b.txt").read_text("utf8").splitlines()
    assert (locked, old) == ("The disk", "Alt")


@pytest.mark.parametrize("sources", [["disk", "folder"], ["folder", "disk"]])
def test_a_term_is_said_in_the_sentence_that_has_it(file, terms, tmp_path, sources):
    text = "The {}\nThe {}".format(*sources)
    ask(file("a.jsonl", json.dumps({"text": text}) + "\n"), "-o", tmp_path / "b.jsonl", "--glossary", terms)
    from_file = json.loads((tmp_path / "b.jsonl").read_text("utf8"))["translation"]
    for found in (from_file, ask("--text", text, "--glossary", terms).stdout.rstrip("\n")):
        lines = found.split("\n")
        assert [bool(re.search("Festplatte|Laufwerk", line)) for line in lines] == [source == "disk" for source in sources]
        assert ["Ordner" in line for line in lines] == [source == "folder" for source in sources]


@pytest.mark.parametrize("text", ["The {0}\nThe %s", "The %s, %d\nThe {0}", "{0} is %d\n%s is full"])
def test_a_placeholder_is_said_in_the_line_that_has_it(file, tmp_path, text):
    ask(file("a.jsonl", json.dumps({"text": text}) + "\n"), "-o", tmp_path / "b.jsonl")
    found = json.loads((tmp_path / "b.jsonl").read_text("utf8"))["translation"]
    for source, line in zip(text.split("\n"), found.split("\n"), strict=True):
        assert re.findall(r"\{0\}|%[sd]", line) == re.findall(r"\{0\}|%[sd]", source)


def test_names_stay_as_they_are_and_win_over_terms(file, terms, tmp_path):
    names = file("names.txt", "disk is\n\nWie-Fi\n")
    ask(
        file("a.txt", "The disk is full.\nWie-Fi\n"), "-o", tmp_path / "b.txt", "--glossary", terms, "--do-not-translate", names
    )
    first, second = (tmp_path / "b.txt").read_text("utf8").splitlines()
    assert "disk is" in first and not re.search("Festplatte|Laufwerk", first)
    assert second == "Wie-Fi"


@pytest.mark.slow
def test_forms_of_a_target_are_harvested_from_a_text(file, tmp_path):
    terms, text = file("t.tsv", "disk\tLaufwerk\n"), file("de.txt", "Alle Laufwerke sind voll.\n")
    found = read_glossary(terms, names=None, forms=text, source="en", target="de")
    assert found.entries[0].required == ("Laufwerk", "Laufwerke")
    given = [file("a.txt", "The disks\n"), "-o", tmp_path / "b.txt", "--glossary", terms, "--forms", text, "--lemmas"]
    assert ask(*given, "--avoid", "Laufwerk").exit_code == 0
    assert "Laufwerke" in (tmp_path / "b.txt").read_text("utf8")


def test_capitals_of_a_glossary_are_those_of_the_flag(file, terms):
    found = {case: ask("A Disk is full.", "--glossary", terms, "--case", case, "--json") for case in ("exact", "sentence")}
    assert [json.loads(each.stdout)["terms"] == [] for each in found.values()] == [True, False]


def test_terms_found_by_lemmas_whose_targets_have_one_form_are_told_of(file, terms):
    said = "--lemmas finds terms in any form, and their targets have but one"
    assert said in ask("The disks", "--glossary", terms, "--lemmas").stderr
    richer = file("t.tsv", "source\ttarget\tforms\ndisk\tPlatte\tPlatten\n")
    assert ask("The disks", "--glossary", richer, "--lemmas").stderr == ""


def test_what_holds_everywhere_holds_in_every_segment_with_words(file, tmp_path):
    given = ["-c", "Ordner", "--avoid", "full", "--prefix", "Bitte"]
    ask(file("a.txt", "The disk is full.\n---\nThe house\n"), "-o", tmp_path / "b.txt", *given)
    first, second, third = (tmp_path / "b.txt").read_text("utf8").splitlines()
    assert all(line.startswith("Bitte") and "Ordner" in line and "full" not in line for line in (first, third))
    assert second == "---"


def test_placeholders_in_a_syntax_of_ones_own_stay(file, tmp_path):
    source, out = file("a.txt", "The disk --help\n"), tmp_path / "b.txt"
    assert ask(source, "-o", out, "--placeholder", "--[a-z]+").exit_code == 0
    assert "--help" in out.read_text() and out.read_text() != source.read_text()
    assert complaint(source, "-o", out, "--placeholder", "(a").startswith("--placeholder (a: missing ), unterminated")


def test_a_term_within_a_placeholder_is_none(file, tmp_path):
    terms = file("t.tsv", "file\tOrdner\n")
    report = tmp_path / "r.json"
    ask(file("a.txt", "The {file} is full.\n"), "-o", tmp_path / "b.txt", "--glossary", terms, "--report", report)
    assert json.loads(report.read_text())["terms"] == []


def test_segments_that_say_the_same_are_translated_once(file, tmp_path, monkeypatch):
    asked = []
    translator = echo.translator()
    monkeypatch.setattr(
        translator,
        "translate_each",
        lambda requests, **how: asked.extend(requests) or type(translator).translate_each(translator, requests, **how),
    )
    source = file("a.txt", "The disk\nThe house\n" * 200)
    translate_file(translator, source, tmp_path / "b.txt", Instructions(beam=1, batch_size=2))
    assert [request.source for request in asked] == ["The disk", "The house"]
    assert (tmp_path / "b.txt").read_text() == source.read_text()


def test_unmet_segments_are_left_alone_and_exit_with_3(file, tmp_path):
    source = file("a.xliff", XLIFF1.replace("is full.", "and screen"))
    given = [source, "-o", tmp_path / "b.xliff", "--glossary", file("t.tsv", CLASH)]
    found = ask(*given)
    assert found.exit_code == 3
    assert f'{source} line 3, segment app:1, left as it is: {tmp_path}/t.tsv line 2: "disk" requires "Laufwerk"' in found.stderr
    assert "1 of 2 segments translated, 1 not as asked" in found.stderr
    first, _, other, _ = open_document(tmp_path / "b.xliff").segments()
    assert first.target is None and other.target is not None
    assert leftovers(tmp_path) == []
    assert ask(*given, "--on-unmet", "skip").exit_code == 0


def test_relaxed_a_segment_keeps_what_goes_together(file, tmp_path):
    source, out, report = file("a.txt", "The disk and the screen {n}\n"), tmp_path / "b.txt", tmp_path / "r.json"
    found = ask(source, "-o", out, "--glossary", file("t.tsv", CLASH), "--on-unmet", "relax", "--report", report)
    assert found.exit_code == 0 and "translated without 1 of what was asked" in found.stderr
    assert all(word in out.read_text("utf8") for word in ("Laufwerk", "Bildschirm", "{n}"))
    (unmet,) = json.loads(report.read_text())["unmet"]
    assert unmet["dropped"] == [{"avoid": {"phrase": "Laufwerk", "case": "sentence"}}] and unmet["translated"]


def test_what_the_model_finds_impossible_is_unmet_too(file, tmp_path):
    source = file("a.jsonl", '{"text": "The disk", "constraints": ["a"], "avoid": ["a"], "id": "k"}\n')
    found = ask(source, "-o", tmp_path / "b.jsonl")
    assert found.exit_code == 3 and "segment k, left as it is: these contradict each other" in found.stderr
    assert (tmp_path / "b.jsonl").read_bytes() == source.read_bytes()


def test_the_report_says_where_each_term_was_due_met_and_how(file, tmp_path):
    source = file("a.txt", "The disk\nThe disk and the screen\nThe screen\n")
    report, page = tmp_path / "r.json", tmp_path / "r.html"
    for path in (report, page):
        ask(source, "-o", tmp_path / "b.txt", "--glossary", file("t.tsv", CLASH), "--report", path)
    found = json.loads(report.read_text("utf8"))
    assert (found["segments"], found["due"], found["met"]) == (3, 4, 2)
    assert [(each["number"], each["name"], each["line"]) for each in found["unmet"]] == [(1, "2", 2)]
    disk = found["terms"][0]
    assert (disk["source"], disk["due"], disk["met"], disk["forms"]) == ("disk", 2, 1, {"Laufwerk": 1})
    assert disk["place"] == f"{tmp_path / 't.tsv'} line 2"
    assert [(each["number"], each["met"], each["said"]) for each in disk["segments"]] == [
        (0, True, "Laufwerk"),
        (1, False, None),
    ]
    shown = page.read_text("utf8")
    assert shown.startswith("<!doctype html>") and "prefers-color-scheme:dark" in shown and "http" not in shown
    assert shown.index("requires &quot;Laufwerk&quot;") < shown.index("1 of 2 met")


def test_problems_come_first_in_a_report_and_names_are_escaped(file, tmp_path):
    glossary = Glossary((Entry("good", ("gut",)), Entry("<bad>", ("b",), forbidden=("x",))), "en", "de")
    from gridbeam.files.page import as_html
    from gridbeam.files.report import report_on

    outcomes = [
        Outcome(0, "a", 1, Marked(("gut",)), uses=(Use(0, "good", True, "gut"),) * 3),
        Outcome(1, "<i>", 2, uses=(Use(1, "<bad>", False),), unmet="why"),
    ]
    report = report_on("a.txt", outcomes, glossary)
    assert [term.entry.source for term in report.terms] == ["<bad>", "good"]
    page = as_html(report)
    assert "<i>" not in page and "<bad>" not in page and "&lt;bad&gt;" in page


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


def start(*arguments, **options):
    """A real process that translates."""
    given = [sys.executable, "-m", "gridbeam", "translate", *map(str, arguments), "-m", model(), "--beam", "2"]
    return subprocess.Popen(
        given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "COLUMNS": "200"}, **options
    )


def many(file, count=80):
    nouns = ["disk", "folder", "screen", "house", "file"]
    return file("many.txt", "".join(f"The {nouns[n % 5]} {n} is <b>full</b>.\n" for n in range(count)))


def broken_off(how, source, out, *arguments):
    """What a process says that gets a signal when some segments are finished, and some not."""
    process, journal = start(source, "-o", out, *arguments), out.with_name(f"{out.name}.journal")
    while process.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") > 6):
        time.sleep(0.01)
    process.send_signal(how)
    _, said = process.communicate(timeout=60)
    assert not out.exists() and 6 < journal.read_bytes().count(b"\n") < 80, said
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
    marked.write_bytes(b"\n".join([header, Outcome(number, "", 1, Marked(("kept",))).as_line().encode(), *rest])[:-20])

    assert "marked.txt.journal is there" in complaint(source, "-o", tmp_path / "marked.txt", *options)
    for path, extra in ((whole, []), (out, ["--resume"]), (tmp_path / "marked.txt", ["--resume"])):
        found = ask(source, "-o", path, *options, *extra)
        assert found.exit_code == 0 and "80 of 80 segments translated" in found.stderr, found.output
    assert out.read_bytes() == whole.read_bytes()
    differing = [
        (a, b)
        for a, b in zip(
            whole.read_text("utf8").split("\n"), (tmp_path / "marked.txt").read_text("utf8").split("\n"), strict=True
        )
        if a != b
    ]
    assert [b for _, b in differing] == ["kept"]
    assert leftovers(tmp_path) == []


@pytest.mark.slow
def test_an_interrupted_run_says_how_to_go_on(file, tmp_path):
    source, out = many(file), tmp_path / "out.txt"
    code, said, journal = broken_off(signal.SIGINT, source, out, "--batch-size", "2")
    assert code == 130 and "Traceback" not in said
    kept = journal.read_bytes().count(b"\n") - 1
    assert f"{journal} keeps {kept} finished segments. The same command with --resume goes on." in said
    assert ask(source, "-o", out, "--restart", "--batch-size", "64").exit_code == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda given: given | {"text": "The house\n"}, "another input"),
        (
            lambda given: given | {"instructions": Instructions(beam=2, lemmas=True)},
            r"another --lemmas \(no, not yes\) and another --beam \(1, not 2\)",
        ),
        (
            lambda given: given | {"instructions": Instructions(everywhere=(Phrase("disk"),), beam=1)},
            "another -c, --avoid or --prefix",
        ),
        (lambda given: given | {"instructions": Instructions(Glossary((Entry("a", ("b",)),)), beam=1)}, "another glossary"),
        (lambda given: given | {"model": "other"}, "another model"),
    ],
)
def test_a_journal_of_something_else_is_refused(file, tmp_path, monkeypatch, change, said):
    def broken(*_):
        raise RuntimeError

    def run(text, instructions, model, **how):
        return translate_file(echo.translator(), file("a.txt", text), tmp_path / "b.txt", instructions, model=model, **how)

    given = {"text": "The disk\n", "instructions": Instructions(beam=1), "model": "m"}
    (tmp_path / "b.txt.journal").write_text("")
    assert run(**given, resume=True).translated == 1  # broken off before its first line was written
    with monkeypatch.context() as patch:
        patch.setattr("gridbeam.files.write_output", broken)
        with pytest.raises(RuntimeError):
            run(**given)
    with pytest.raises(
        UserError, match=f"b.txt.journal was begun with {said}. Go on with what it was begun with, or .* --restart"
    ):
        run(**change(given), resume=True)
    assert run(**change(given), restart=True).translated == 1


def test_a_damaged_journal_is_refused_and_a_torn_line_is_not(tmp_path):
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
    path.write_bytes(path.read_bytes().replace(b'"number":2', b'"numb'))
    with pytest.raises(UserError, match=r"j line 3 is not one of a journal. Start anew with --restart"):
        Journal(path, header, resume=True)


def test_a_stream_is_translated_line_for_line(terms):
    found = ask("-", "--glossary", terms, stdin="The disk\r\n\nThe <b>folder</b>\nthe end")
    first, blank, folder, _ = found.stdout_bytes.split(b"\n")
    assert re.search(rb"Festplatte|Laufwerk", first) and first.endswith(b"\r") and blank == b""
    assert b"Ordner" in folder and b"<b>" in folder
    assert found.stderr == ""


def test_a_stream_may_be_in_any_format_of_lines(terms):
    lines = '{"text": "The disk", "x": 1}\n\n{"text": "a", "translation": "b"}\n'
    first, blank, third = ask("--format", "jsonl", "--glossary", terms, stdin=lines).stdout.splitlines()
    assert json.loads(first)["x"] == 1 and re.search("Festplatte|Laufwerk", json.loads(first)["translation"])
    assert (blank, third) == ("", '{"text": "a", "translation": "b"}')
    (as_json,) = map(json.loads, ask("--to", "jsonl", "--format", "tsv", stdin="The disk\tvoll\n").stdout.splitlines())
    assert as_json["met"][0]["said"] == ["voll"]
    assert '"po" has not: write text, tsv, jsonl, moses' in complaint("--format", "po", stdin="")
    assert 'to "tmx" is unknown' in complaint("--to", "tmx", stdin="The disk\n")


@pytest.mark.slow
def test_a_slow_pipe_gets_each_answer_as_it_asks():
    with start("-", "-c", "Ordner", stdin=subprocess.PIPE, bufsize=0) as process:
        for line in (b"The disk\n", b"\n", b"The house\n"):
            process.stdin.write(line)
            answer = process.stdout.readline()
            assert answer.endswith(b"\n") and (b"Ordner" in answer) == bool(line.strip())
        process.stdin.close()
        assert process.wait(60) == 0


def test_lines_before_a_bad_one_are_translated_and_unmet_ones_exit_with_3(file):
    found = ask("-", stdin=b"The disk\nThe \xff\n")
    assert found.exit_code == 2 and len(found.stdout.splitlines()) == 1
    assert "<stdin> line 2: byte 5 (0xFF) is not UTF-8" in found.stderr
    found = ask("-", "--glossary", file("t.tsv", CLASH), stdin="disk and screen\nhouse\n")
    assert found.exit_code == 3 and found.stdout.startswith("disk and screen\n")
    assert "<stdin> line 1, segment 1, left as it is" in found.stderr


def test_a_text_is_told_from_a_file(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = file("The disk", "The house\n")
    assert "The disk is a file: say with -o where" in complaint("The disk")
    assert ask("The disk", "--text").exit_code == 0
    assert ask("The disk", "-o", "b.txt", "--format", "text").exit_code == 0 and source.read_text() == "The house\n"
    for missing in ("no.xliff", "no.txt"):
        assert f"{missing}: there is no such file" in complaint(missing)
    assert "The mouse: there is no such file" in complaint("The mouse", "-o", "b.txt")
    assert ask("The end.po or so").exit_code == 0
    for option in (["--report", "r.json"], ["--resume"], ["--restart"], ["--format", "text"], ["--retranslate", "all"]):
        assert complaint("The mouse", *option).startswith(f"{option[0]} is for files: name one, or leave it out.")
    assert complaint("The disk", "--text", "-o", "b.txt").startswith("-o is for files: name one")
    assert "-o is for files: name one" in complaint("-", "-o", "b.txt", stdin="")


def test_a_text_goes_the_way_of_a_segment(file, terms):
    found = ask("Open {file} on the disk,\n<b>please</b>.", "--glossary", terms, "--n-best", "2")
    assert found.exit_code == 0, found.output
    assert found.stdout.count("{file}") == found.stdout.count("<b>") == 2 and "\n<b>" in found.stdout
    given = ["disk and screen", "--glossary", file("t.tsv", CLASH)]
    found = ask(*given)
    assert (found.exit_code, found.stdout) == (2, "") and '"disk" requires "Laufwerk"' in found.stderr
    found = ask(*given, "--on-unmet", "skip")
    assert (found.exit_code, found.stdout) == (0, "disk and screen\n")
    assert "<text> line 1, segment 1, left as it is" in found.stderr
    found = ask(*given, "--on-unmet", "relax", "--to", "jsonl")
    assert found.exit_code == 0 and "Laufwerk" in json.loads(found.stdout)["translation"]
    assert 'to "tmx" is unknown' in complaint("The disk", "--to", "tmx")
    assert 'on-unmet "panic" is unknown' in complaint("The disk", "--on-unmet", "panic")


@pytest.mark.parametrize("option", [["--forms", "x"], ["--lemmas"], ["--sheet", "x"], ["--case", "any"]])
@pytest.mark.parametrize("text", ["The disk", "-"])
def test_an_option_for_a_glossary_needs_one(text, option):
    assert complaint(text, *option, stdin="").startswith(f"{option[0]} is for the terms of a glossary: name one with")


def test_options_that_do_not_go_together_are_named(file, tmp_path):
    source, out = file("a.txt", "The disk\n"), tmp_path / "b.txt"
    for given, said in [
        (["--n-best", "2"], "Add --to jsonl"),
        (["--n-best", "6", "--to", "jsonl"], "--n-best 6: a beam of 2 holds no more. Raise --beam, or ask for fewer."),
        (["--forms", source], "name one with --glossary"),
        (["--resume", "--restart"], "leave one of the two out"),
        (["--report", tmp_path / "r.pdf"], "Write .json or .html"),
        (["--on-unmet", "panic"], 'on-unmet "panic" is unknown: write error, relax or skip'),
        (["--retranslate", "some"], 'retranslate "some" is unknown'),
        (["--to", "tmx"], 'to "tmx" is unknown'),
        (["--format", "odt"], 'unknown format "odt"'),
    ]:
        assert said in complaint(source, "-o", out, *given)
        assert not out.exists() and leftovers(tmp_path) == []


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.xliff", XLIFF1.replace("</body>", ""), r"a.xliff line \d+"),
        ("a.xliff", XLIFF1.replace('"1.0"?>', f'"1.0"?>{BOMB}').replace("full", "&b;"), r"a.xliff line 1.*entit"),
        ("a.txt", b"fine\n" + "für\n".encode("latin-1"), r"a.txt line 2: byte 2 \(0xFC\) is not UTF-8"),
        ("a.po", 'msgid "a"\n', r"a.po line 1: the file ends before the msgstr"),
        ("a.jsonl", '{"text": "a"}\n{"txt": "b"}\n', 'a.jsonl line 2: no "text"'),
    ],
)
def test_a_bad_file_is_told_by_line_before_anything_is_written(file, tmp_path, name, content, said):
    out = file(f"out-{name}", "precious")
    assert re.search(said, complaint(file(name, content), "-o", out))
    assert out.read_text() == "precious" and leftovers(tmp_path) == []


@pytest.mark.slow
def test_a_line_of_two_gigabytes_is_refused_in_little_memory(tmp_path):
    source = tmp_path / "huge.txt"
    with source.open("wb") as file:
        file.truncate(2 << 30)  # zeros that take no room on disk
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    process = start(source, "-o", tmp_path / "out.txt")
    _, said = process.communicate(timeout=100)
    assert process.returncode == 2 and b"huge.txt line 1: longer than 1,048,576 bytes" in said
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss <= max(before, 1_500_000)
    with source.open("rb") as file:
        process = start("-", stdin=file)
        assert b"<stdin> line 1: longer than" in process.communicate(timeout=100)[1]


def test_a_glossary_that_requires_what_it_forbids_is_refused(file, tmp_path):
    bad = file("t.tsv", "source\ttarget\tforbidden\ndisk\tHDD\tHDD\n")
    said = complaint(file("a.txt", "The disk\n"), "-o", tmp_path / "b.txt", "--glossary", bad)
    assert said == f'{bad} line 2: "HDD" is both required and forbidden. Remove one of the two.'
    assert "no.tsv cannot be read" in complaint(tmp_path / "a.txt", "-o", tmp_path / "b.txt", "--glossary", tmp_path / "no.tsv")


def test_an_output_that_cannot_be_written_is_named_before_work_begins(file, tmp_path):
    source = file("a.txt", "The disk\n")
    assert "there is no folder" in complaint(source, "-o", tmp_path / "none" / "b.txt")
    assert "it is a folder" in complaint(source, "-o", tmp_path)
    assert "/proc/b.txt.journal cannot be written" in complaint(source, "-o", "/proc/b.txt")
    assert "there is no folder" in complaint(source, "-o", tmp_path / "b.txt", "--report", tmp_path / "none" / "r.json")


@pytest.mark.parametrize("out", ["-", "/dev/stdout"])
def test_an_output_may_be_stdout(file, tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    source = file("a.txt", "The disk {x}\n\n12\n")
    found = ask(source, "-o", out, "--report", "r.json")
    assert found.exit_code == 0, found.output
    assert "{x}" in found.stdout and found.stdout.endswith("\n\n12\n") and found.stdout.count("\n") == 3
    assert sorted(os.listdir()) == ["a.txt", "r.json"] and not Path("/dev/stdout.journal").exists()
    assert complaint(source, "-o", out, "--resume") == f"--resume is for an output that is a file, which {out} is not."
    assert ask("The disk", "-o", "-").exit_code == 0 and ask("-o", "-", stdin="The disk\n").exit_code == 0


def test_an_output_may_be_a_pipe_or_a_device(file, tmp_path):
    source, pipe = file("a.txt", "12\n"), tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        assert ask(source, "-o", pipe).exit_code == 0
        assert reader.communicate(timeout=30)[0] == b"12\n"
    assert ask(source, "-o", "/dev/null").exit_code == 0
    assert leftovers(tmp_path) == [] and not Path("/dev/null.journal").exists()


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
        rb"out.txt.journal cannot be written: File too large. Make room and go on with --resume; \d+ finished", said
    )
    assert ask(source, "-o", out, "--resume").exit_code == 0
    assert out.read_text("utf8").count("\n") == 100


def test_a_file_may_be_translated_in_place_if_it_keeps_its_sources(file):
    source = file("a.po", PO)
    assert ask(source, "-o", source).exit_code == 0
    assert all(segment.target for segment in open_document(source).segments())
    text = file("a.txt", "The disk\n")
    assert "is the input, and its sources would be lost" in complaint(text, "-o", text)
    assert text.read_text() == "The disk\n"


def test_a_sentence_is_not_cut_where_a_source_is_wrapped(file, tmp_path):
    source = file("a.xliff", XLIFF1.replace("The <g", "\n    The\n    <g").replace("is full.", "is\n    full.\n"))
    translate_file(echo.translator(), source, tmp_path / "b.xliff", Instructions())
    written = (tmp_path / "b.xliff").read_text("utf8")
    assert '"mt-suggestion">\n    The <g id="1">disk</g> is full.\n</target>' in written
    assert re.sub(r"<target state=\"needs.*?</target>", "", written, flags=re.S) == source.read_text("utf8")


def test_a_charset_that_cannot_hold_a_translation_loses_no_work_and_is_told(file):
    source = file("a.po", PO.replace("UTF-8", "ASCII"))
    found = ask(source, "-o", source, "-c", "für")
    assert found.exit_code == 0 and 'is in UTF-8, as its header now says: ascii has no "ü"' in found.stderr
    assert b"charset=UTF-8" in source.read_bytes() and "für" in source.read_text("utf8")


def test_everything_a_file_asks_for_is_in_the_request():
    from gridbeam.files.task import Tasks

    glossary = Glossary((Entry("disk", ("Platte",), forbidden=("HDD",)), Entry("disks", forbidden=("HDD",))), "en", "de")
    tasks = Tasks(Instructions(glossary, everywhere=(Phrase("a"),)), lambda text: True)
    document = Path(__file__)
    from gridbeam.documents import Segment

    task = tasks.task(Segment(0, "n", Marked(("The disk {x}, disks",)), document, 1, constraints=(Phrase("b"),)))
    hdd = Avoid(Phrase("HDD", case="sentence"))
    wanted = [(Phrase("b"), "segment"), (Phrase("a"), "everywhere"), (Phrase("Platte", case="sentence"), "term"), (hdd, "term")]
    assert [(wish.constraint, wish.account) for wish in task.wishes[1:]] == wanted
    assert [(term.entry, term.text) for term in task.terms] == [(0, "disk"), (1, "disks")]


@pytest.mark.slow
def test_memory_stays_flat_over_many_segments(tmp_path, monkeypatch):
    """The most that Python objects take at a time, without a search: the same for many times as many segments."""

    def at_once(requests, **how):
        return enumerate(Translation(each.source, 0.0, (), (), each.source, ()) for each in requests)

    monkeypatch.setattr(echo.translator(), "translate_each", at_once)
    monkeypatch.setattr("gridbeam.files.pipeline._REMEMBERED", 50)

    def peak(count):
        source = tmp_path / f"{count}.txt"
        source.write_text("".join(f"The disk {number} is full.\n" for number in range(count)))
        tracemalloc.start()
        translate_file(echo.translator(), source, tmp_path / "out.txt", Instructions(batch_size=4))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (tmp_path / "out.txt").read_bytes() == source.read_bytes()
        return most

    peak(10)
    assert peak(10_000) < peak(500) + 300_000
