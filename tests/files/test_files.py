"""Files: a glossary that is obeyed, and nothing else of a file changed."""

from __future__ import annotations

import json
import re
import tracemalloc
from pathlib import Path

import echo
import pytest
from small_files import CLASH, XLIFF1, ask, complaint, leftovers

from gridbeam import Avoid, Phrase
from gridbeam.checks import Finding
from gridbeam.checks.report import CheckedSegment, CheckReport
from gridbeam.documents import open_document
from gridbeam.files.instructions import read_glossary
from gridbeam.files.outcome import Outcome, Use
from gridbeam.files.output import as_line
from gridbeam.files.run import Instructions, translate_file
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.markup.inline import Marked
from gridbeam.text.wordforms import word_forms
from gridbeam.translation.defaults import TRANSLATION
from gridbeam.translation.request import Translation

XLIFF2 = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0"
 srcLang="en" trgLang="de">
<file id="f"><unit id="u"><segment id="s"><source>The <pc id="1">disk</pc> is full.</source>
</segment></unit></file></xliff>
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
    "a.jsonl": (
        '{"text": "The disk is full.", "avoid": ["leer"], "x": [1.50]}\n\n{"text": "The house",'
        ' "id": "h"}\n'
    ),
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


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_each_format_is_translated_with_its_terms_and_nothing_else_changes(
    file, terms, tmp_path, name
):
    source, out = file(name, FILES[name]), tmp_path / f"out-{name}"
    found = ask(source, "-o", out, "--glossary", terms)
    assert found.exit_code == 0 and found.stdout == "", found.output
    translated = {
        str(each.source): str(each.target or "")
        for each in open_document(out, target_language="de").segments()
    }
    if name in TARGETS:
        before, after = (
            re.sub(TARGETS[name], b"", text, flags=re.M | re.S)
            for text in (source.read_bytes(), out.read_bytes())
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
    assert [str(files.target).count(each) for each in ("{0}", "{file}", "%s", "Ordner")] == [
        1,
        1,
        1,
        1,
    ]
    assert (locked.target, str(old.target)) == (None, "Alt")


@pytest.mark.parametrize(("which", "due"), [("nothing", 1), ("drafts", 2), ("all", 3)])
def test_translations_that_are_there_are_made_anew_only_if_asked(file, tmp_path, which, due):
    fuzzy = PO + '\n#, fuzzy\nmsgid "The house"\nmsgstr "Das Haus"\n'
    found = ask(file("a.po", fuzzy), "-o", tmp_path / "b.po", "--retranslate", which)
    assert f"{due} of {due} segments translated" in found.stderr


def test_as_jsonl_a_segment_has_score_spans_terms_and_alternatives(file, terms, tmp_path):
    source = file(
        "a.jsonl",
        '{"text": "The <b>disk</b>, {n}", "constraints": ["gut"], "key": 7}\n{"text": "x",'
        ' "translation": "y"}\n',
    )
    found = ask(
        source, "-o", tmp_path / "b.jsonl", "--to", "jsonl", "--n-best", "2", "--glossary", terms
    )
    assert found.exit_code == 0, found.output
    first, second = map(json.loads, (tmp_path / "b.jsonl").read_text("utf8").splitlines())
    assert (first["key"], first["number"], first["name"], first["text"]) == (
        7,
        0,
        "1",
        "The <b>disk</b>, {n}",
    )
    assert first["score"] < 0 and first["alternatives"] and "unmet" not in first
    good, disk = first["met"]
    assert (good["constraint"], good["said"]) == ("gut", ["gut"])
    for each in (good, disk):
        assert [first["translation"][start:end] for start, end in each["spans"]] == each["said"]
    assert first["terms"] == [
        {"source": "disk", "met": True, "said": disk["said"][0], "entry": f"{terms} line 2"}
    ]
    assert (second["translation"], second["status"]) == ("y", "translated")


def test_as_text_there_is_a_line_for_each_segment(file, tmp_path):
    assert ask(file("a.xliff", XLIFF1), "-o", tmp_path / "b.txt", "--to", "text").exit_code == 0
    _, locked, _, old = (tmp_path / "b.txt").read_text("utf8").splitlines()
    assert (locked, old) == ("The disk", "Alt")


@pytest.mark.parametrize("sources", [["disk", "folder"], ["folder", "disk"]])
def test_a_term_is_said_in_the_sentence_that_has_it(file, terms, tmp_path, sources):
    text = "The {}\nThe {}".format(*sources)
    ask(
        file("a.jsonl", json.dumps({"text": text}) + "\n"),
        "-o",
        tmp_path / "b.jsonl",
        "--glossary",
        terms,
    )
    from_file = json.loads((tmp_path / "b.jsonl").read_text("utf8"))["translation"]
    for found in (from_file, ask("--text", text, "--glossary", terms).stdout.rstrip("\n")):
        lines = found.split("\n")
        assert [bool(re.search("Festplatte|Laufwerk", line)) for line in lines] == [
            source == "disk" for source in sources
        ]
        assert ["Ordner" in line for line in lines] == [source == "folder" for source in sources]


@pytest.mark.parametrize(
    "text", ["The {0}\nThe %s", "The %s, %d\nThe {0}", "{0} is %d\n%s is full"]
)
def test_a_placeholder_is_said_in_the_line_that_has_it(file, tmp_path, text):
    ask(file("a.jsonl", json.dumps({"text": text}) + "\n"), "-o", tmp_path / "b.jsonl")
    found = json.loads((tmp_path / "b.jsonl").read_text("utf8"))["translation"]
    for source, line in zip(text.split("\n"), found.split("\n"), strict=True):
        assert re.findall(r"\{0\}|%[sd]", line) == re.findall(r"\{0\}|%[sd]", source)


def test_names_stay_as_they_are_and_win_over_terms(file, terms, tmp_path):
    names = file("names.txt", "disk is\n\nWie-Fi\n")
    ask(
        file("a.txt", "The disk is full.\nWie-Fi\n"),
        "-o",
        tmp_path / "b.txt",
        "--glossary",
        terms,
        "--do-not-translate",
        names,
    )
    first, second = (tmp_path / "b.txt").read_text("utf8").splitlines()
    assert "disk is" in first and not re.search("Festplatte|Laufwerk", first)
    assert second == "Wie-Fi"


@pytest.mark.slow
def test_forms_of_a_target_are_harvested_from_a_text(file, tmp_path):
    terms, text = file("t.tsv", "disk\tLaufwerk\n"), file("de.txt", "Alle Laufwerke sind voll.\n")
    found = read_glossary(terms, names=None, forms=text, source="en", target="de")
    assert found.entries[0].required == ("Laufwerk", "Laufwerke")
    given = [
        file("a.txt", "The disks\n"),
        "-o",
        tmp_path / "b.txt",
        "--glossary",
        terms,
        "--forms",
        text,
        "--lemmas",
    ]
    others = ("Laufwerk", "Laufwerks", "Laufwerkes", "Laufwerken")
    avoided = [part for form in others for part in ("--avoid", form)]
    assert ask(*given, *avoided).exit_code == 0
    assert "Laufwerke" in (tmp_path / "b.txt").read_text("utf8")


def test_capitals_of_a_glossary_are_those_of_the_flag(file, terms):
    found = {
        case: ask("A Disk is full.", "--glossary", terms, "--case", case, "--json")
        for case in ("exact", "sentence")
    }
    assert [json.loads(each.stdout)["terms"] == [] for each in found.values()] == [True, False]


def test_terms_found_by_lemmas_are_said_in_a_form_and_the_report_tells_which(file, terms, tmp_path):
    source, report = file("a.txt", "The disks\n"), tmp_path / "r.json"
    given = ["-o", tmp_path / "b.txt", "--glossary", terms, "--lemmas", "--report", report]
    ask(source, *given)
    [term] = json.loads(report.read_text("utf8"))["terms"]
    [form] = term["forms"]
    assert any(form in word_forms(target, "de") for target in term["required"])
    assert form in (tmp_path / "b.txt").read_text("utf8")


def test_what_holds_everywhere_holds_in_every_segment_with_words(file, tmp_path):
    given = ["-c", "Ordner", "--avoid", "full", "--prefix", "Bitte"]
    ask(file("a.txt", "The disk is full.\n---\nThe house\n"), "-o", tmp_path / "b.txt", *given)
    first, second, third = (tmp_path / "b.txt").read_text("utf8").splitlines()
    assert all(
        line.startswith("Bitte") and "Ordner" in line and "full" not in line
        for line in (first, third)
    )
    assert second == "---"


def test_placeholders_in_a_syntax_of_ones_own_stay(file, tmp_path):
    source, out = file("a.txt", "The disk --help\n"), tmp_path / "b.txt"
    assert ask(source, "-o", out, "--placeholder", "--[a-z]+").exit_code == 0
    assert "--help" in out.read_text() and out.read_text() != source.read_text()
    assert complaint(source, "-o", out, "--placeholder", "(a").startswith(
        "--placeholder (a: missing ), unterminated"
    )


def test_a_term_within_a_placeholder_is_none(file, tmp_path):
    terms = file("t.tsv", "file\tOrdner\n")
    report = tmp_path / "r.json"
    ask(
        file("a.txt", "The {file} is full.\n"),
        "-o",
        tmp_path / "b.txt",
        "--glossary",
        terms,
        "--report",
        report,
    )
    assert json.loads(report.read_text())["terms"] == []


def test_segments_that_say_the_same_are_translated_once(file, tmp_path, monkeypatch):
    asked = []
    translator = echo.translator()
    monkeypatch.setattr(
        translator,
        "translate_each",
        lambda requests, **how: (
            asked.extend(requests) or type(translator).translate_each(translator, requests, **how)
        ),
    )
    source = file("a.txt", "The disk\nThe house\n" * 200)
    translate_file(
        translator,
        source,
        tmp_path / "b.txt",
        Instructions(search=TRANSLATION.but(beam=1), batch_size=2),
    )
    assert [request.source for request in asked] == ["The disk", "The house"]
    assert (tmp_path / "b.txt").read_text() == source.read_text()


def test_unmet_segments_are_left_alone_and_exit_with_3(file, tmp_path):
    source = file("a.xliff", XLIFF1.replace("is full.", "and screen"))
    given = [source, "-o", tmp_path / "b.xliff", "--glossary", file("t.tsv", CLASH)]
    found = ask(*given)
    assert found.exit_code == 3
    assert (
        f'{source} line 3, segment app:1, left as it is: {tmp_path}/t.tsv line 2: "disk" requires'
        ' "Laufwerk"' in found.stderr
    )
    assert "1 of 2 segments translated, 1 not as asked" in found.stderr
    first, _, other, _ = open_document(tmp_path / "b.xliff").segments()
    assert first.target is None and other.target is not None
    assert leftovers(tmp_path) == []
    assert ask(*given, "--on-unmet", "skip").exit_code == 0


def test_relaxed_a_segment_keeps_what_goes_together(file, tmp_path):
    source, out, report = (
        file("a.txt", "The disk and the screen {n}\n"),
        tmp_path / "b.txt",
        tmp_path / "r.json",
    )
    found = ask(
        source,
        "-o",
        out,
        "--glossary",
        file("t.tsv", CLASH),
        "--on-unmet",
        "relax",
        "--report",
        report,
    )
    assert found.exit_code == 0 and "translated without 1 of what was asked" in found.stderr
    assert all(word in out.read_text("utf8") for word in ("Laufwerk", "Bildschirm", "{n}"))
    (unmet,) = json.loads(report.read_text())["unmet"]
    assert (
        unmet["dropped"] == [{"avoid": {"phrase": "Laufwerk", "case": "sentence"}}]
        and unmet["translated"]
    )


def test_what_the_model_finds_impossible_is_unmet_too(file, tmp_path):
    source = file(
        "a.jsonl", '{"text": "The disk", "constraints": ["a"], "avoid": ["a"], "id": "k"}\n'
    )
    found = ask(source, "-o", tmp_path / "b.jsonl")
    assert (
        found.exit_code == 3
        and "segment k, left as it is: these contradict each other" in found.stderr
    )
    assert (tmp_path / "b.jsonl").read_bytes() == source.read_bytes()


def test_the_report_says_where_each_term_was_due_met_and_how(file, tmp_path):
    source = file("a.txt", "The disk\nThe disk and the screen\nThe screen\n")
    report, page = tmp_path / "r.json", tmp_path / "r.html"
    for path in (report, page):
        ask(source, "-o", tmp_path / "b.txt", "--glossary", file("t.tsv", CLASH), "--report", path)
    found = json.loads(report.read_text("utf8"))
    assert (found["segments"], found["due"], found["met"]) == (3, 4, 2)
    assert [(each["number"], each["name"], each["line"]) for each in found["unmet"]] == [
        (1, "2", 2)
    ]
    disk = found["terms"][0]
    assert (disk["source"], disk["due"], disk["met"], disk["forms"]) == (
        "disk",
        2,
        1,
        {"Laufwerk": 1},
    )
    assert disk["place"] == f"{tmp_path / 't.tsv'} line 2"
    assert [(each["number"], each["met"], each["said"]) for each in disk["segments"]] == [
        (0, True, "Laufwerk"),
        (1, False, None),
    ]
    shown = page.read_text("utf8")
    assert (
        shown.startswith("<!doctype html>")
        and "prefers-color-scheme:dark" in shown
        and "http" not in shown
    )
    assert shown.index("requires &quot;Laufwerk&quot;") < shown.index("1 of 2 met")


def test_problems_come_first_in_a_report_and_names_are_escaped(file, tmp_path):
    glossary = Glossary(
        (Entry("good", ("gut",)), Entry("<bad>", ("b",), forbidden=("x",))), "en", "de"
    )
    from gridbeam.files.page import as_html
    from gridbeam.files.report import report_on

    outcomes = [
        Outcome(0, "a", 1, Marked(("gut",)), uses=(Use(0, "good", True, "gut"),) * 3),
        Outcome(1, "<i>", 2, uses=(Use(1, "<bad>", False),), unmet="why"),
    ]
    found = Finding("numbers", "error", "<7> is missing")
    checked = CheckedSegment(0, "a", 1, "<bad>7", "<i>", (found,), 0.25)
    report = report_on("a.txt", outcomes, glossary, CheckReport("a.txt", 2, (checked,)))
    assert [term.entry.source for term in report.terms] == ["<bad>", "good"]
    page = as_html(report)
    assert "<i>" not in page and "<bad>" not in page and "&lt;bad&gt;" in page
    assert "&lt;7&gt; is missing" in page and "0.25" in page


def test_a_file_may_be_translated_in_place_if_it_keeps_its_sources(file):
    source = file("a.po", PO)
    assert ask(source, "-o", source).exit_code == 0
    assert all(segment.target for segment in open_document(source).segments())
    text = file("a.txt", "The disk\n")
    assert "is the input, and its sources would be lost" in complaint(text, "-o", text)
    assert text.read_text() == "The disk\n"


def test_a_sentence_is_not_cut_where_a_source_is_wrapped(file, tmp_path):
    source = file(
        "a.xliff",
        XLIFF1.replace("The <g", "\n    The\n    <g").replace("is full.", "is\n    full.\n"),
    )
    translate_file(echo.translator(), source, tmp_path / "b.xliff", Instructions())
    written = (tmp_path / "b.xliff").read_text("utf8")
    assert '"mt-suggestion">\n    The <g id="1">disk</g> is full.\n</target>' in written
    assert re.sub(
        r"<target state=\"needs.*?</target>", "", written, flags=re.S
    ) == source.read_text("utf8")


def test_a_charset_that_cannot_hold_a_translation_loses_no_work_and_is_told(file):
    source = file("a.po", PO.replace("UTF-8", "ASCII"))
    found = ask(source, "-o", source, "-c", "für")
    assert (
        found.exit_code == 0
        and 'is in UTF-8, as its header now says: ascii has no "ü"' in found.stderr
    )
    assert b"charset=UTF-8" in source.read_bytes() and "für" in source.read_text("utf8")


def test_everything_a_file_asks_for_is_in_the_request():
    from gridbeam.files.task import Tasks

    glossary = Glossary(
        (Entry("disk", ("Platte",), forbidden=("HDD",)), Entry("disks", forbidden=("HDD",))),
        "en",
        "de",
    )
    tasks = Tasks(Instructions(glossary, everywhere=(Phrase("a"),)), lambda text: True)
    document = Path(__file__)
    from gridbeam.documents import Segment

    task = tasks.task(
        Segment(0, "n", Marked(("The disk {x}, disks",)), document, 1, constraints=(Phrase("b"),))
    )
    hdd = Avoid(Phrase("HDD", case="sentence"))
    wanted = [
        (Phrase("b"), "segment"),
        (Phrase("a"), "everywhere"),
        (Phrase("Platte", case="sentence"), "term"),
        (hdd, "term"),
    ]
    assert [(wish.constraint, wish.account) for wish in task.wishes[1:]] == wanted
    assert [(term.entry, term.text) for term in task.terms] == [(0, "disk"), (1, "disks")]


@pytest.mark.slow
def test_memory_stays_flat_over_many_segments(tmp_path, monkeypatch):
    """The peak memory of Python objects without a search: the same for many more segments."""

    def at_once(requests, **how):
        return enumerate(
            Translation(each.source, 0.0, (), (), each.source, ()) for each in requests
        )

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
    # What is remembered fills up, and garbage waits for its collection: less than a megabyte. What
    # came of a segment takes more than 200 bytes, so that keeping them all would take two.
    assert peak(10_000) < peak(500) + 1_200_000


@pytest.mark.parametrize("former", [None, "früher"])
def test_a_segment_that_stays_as_it_is_shows_what_was_there_as_text(file, former):
    path = file("a.po", f'msgid "now"\nmsgstr "{former or ""}"\n')
    (segment,) = open_document(path).segments()
    unmet = Outcome(0, "now", 1, unmet="impossible")
    made = Outcome(0, "now", 1, Marked(("jetzt",)))
    for outcome, said in ((None, former or "now"), (unmet, former or "now"), (made, "jetzt")):
        assert as_line(segment, outcome, "text", Instructions()).decode() == f"{said}\n"
