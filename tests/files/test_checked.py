"""Translations are checked and estimated: in the summary, the report, the lines and the flags."""

from __future__ import annotations

import json
import re

import echo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_files import ask, complaint

from gridbeam import Translator
from gridbeam.checks import Finding
from gridbeam.checks.estimate import SearchEvidence
from gridbeam.decoding.hypothesis import Origin
from gridbeam.documents import open_document
from gridbeam.errors import UserError
from gridbeam.files import Instructions, translate_file
from gridbeam.files.outcome import Outcome
from gridbeam.files.review import needs_review
from gridbeam.markup.inline import Marked
from gridbeam.translation.request import TokenSpan, Translation

PO = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "A good one."
msgstr ""

#, c-format, fuzzy
msgid "Once a draft."
msgstr "Entwurf"

#, fuzzy
msgid "Another draft."
msgstr "Entwurf"

msgid "A doubtful one."
msgstr ""

msgid "Wait for 7 of 30 days."
msgstr ""
"""
SAID = {
    "A good one.": ("Gut so.", -0.01),
    "Once a draft.": ("Ein Entwurf.", -0.01),
    "Another draft.": ("Ein Entwurf.", -0.01),
    "A doubtful one.": ("Zweifel.", -6.0),
    "Wait for 7 of 30 days.": ("Ein paar Tage warten.", -0.01),
}
"""What a translator says, and how likely it finds each token."""
UNIT1 = '<trans-unit id="{0}"><source>{1}</source></trans-unit>'
UNIT2 = '<unit id="u{0}"><segment id="s"><source>{1}</source></segment></unit>'
XLIFF1 = '<xliff version="1.2"><file source-language="en" target-language="de"><body>{}'
XLIFF2 = (
    '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de">'
    '<file id="f">{}'
)


def answers(requests, said):
    for number, each in enumerate(requests):
        text, log_prob = said[each.source]
        tokens = (TokenSpan(0, len(text), Origin.GENERATED, log_prob),)
        met = ((),) * len(each.constraints)
        yield number, Translation(text, log_prob, met, tokens, each.source, ())


@pytest.fixture
def translator(monkeypatch):
    """One that knows what to say."""

    monkeypatch.setattr(
        echo.translator(), "translate_each", lambda requests, **_: answers(requests, SAID)
    )
    return echo.translator()


def written(texts, unit, head, tail):
    units = "".join(unit.format(number, text) for number, text in enumerate(texts))
    return head.format(units) + tail


def test_an_error_is_in_the_summary_the_report_and_the_lines(translator, file, tmp_path):
    source, report = file("a.txt", "A good one.\nWait for 7 of 30 days.\n"), tmp_path / "r.json"
    out = tmp_path / "b.jsonl"
    summary = translate_file(translator, source, out, Instructions(), to="jsonl", report=report)
    assert summary.is_failure
    assert str(summary).splitlines() == [
        f"{source} line 2, segment 2: the translation has not the number 7, 30",
        f"{source} line 2, segment 2, error: numbers: 7 is missing; numbers: 30 is missing",
        "2 of 2 segments translated; 2 errors (numbers 2)",
    ]
    good, bad = map(json.loads, out.read_text("utf8").splitlines())
    assert [each["message"] for each in bad["findings"]] == ["7 is missing", "30 is missing"]
    assert good["findings"] == [] and "needs_review" not in good
    assert 0 < bad["quality"] < 1 and 0 < good["quality"] < 1
    told = json.loads(report.read_text("utf8"))["checks"]
    assert told["rules"] == {"numbers": 2} and told["segments"] == 2
    assert [each["quality"] for each in told["found"]] == [good["quality"], bad["quality"]]


@pytest.mark.parametrize(
    ("fail_on", "text", "is_failure"),
    [
        ("error", "Wait for 7 of 30 days.\n", True),
        ("warning", "Wait for 7 of 30 days.\n", True),
        ("nothing", "Wait for 7 of 30 days.\n", False),
        ("error", "A good one.\n", False),
    ],
)
def test_a_run_fails_on_findings_as_severe_as_asked(
    translator, file, tmp_path, fail_on, text, is_failure
):
    how = Instructions(fail_on=fail_on)
    summary = translate_file(translator, file("a.txt", text), tmp_path / "b.txt", how)
    assert summary.is_failure == is_failure
    with pytest.raises(UserError, match='fail-on "hint" is unknown: write error, warning or noth'):
        Instructions(fail_on="hint")


def test_without_a_limit_every_translation_of_a_catalogue_is_fuzzy(translator, file):
    source = file("a.po", PO)
    translate_file(translator, source, source, Instructions(retranslate="drafts"))
    assert source.read_text("utf8").count("fuzzy") == 5


def test_with_one_only_doubtful_translations_and_those_with_errors_are_fuzzy(translator, file):
    source = file("a.po", PO)
    how = Instructions(retranslate="drafts", review_below=0.5)
    summary = translate_file(translator, source, source, how)
    assert str(summary).endswith("; 2 errors (numbers 2); 2 to be reviewed")
    assert {each.name: each.status for each in open_document(source).segments()} == {
        "A good one.": "translated",
        "Once a draft.": "translated",
        "Another draft.": "translated",
        "A doubtful one.": "draft",
        "Wait for 7 of 30 days.": "draft",
    }
    lines = source.read_text("utf8").splitlines()
    assert lines[lines.index('msgid "Once a draft."') - 1] == "#, c-format"
    assert lines[lines.index('msgid "Another draft."') - 1] == ""


@pytest.mark.parametrize(
    ("name", "unit", "head", "tail"),
    [
        ("a.xliff", UNIT1, XLIFF1, "</body></file></xliff>"),
        ("b.xliff", UNIT2, XLIFF2, "</file></xliff>"),
    ],
)
def test_xliff_says_which_translations_are_to_be_reviewed(translator, file, name, unit, head, tail):
    source = file(name, written(SAID, unit, head, tail))
    translate_file(translator, source, source, Instructions(review_below=0.5))
    statuses = [each.status for each in open_document(source).segments()]
    assert statuses == ["translated", "translated", "translated", "draft", "draft"]
    again = file(name, written(SAID, unit, head, tail))
    translate_file(translator, again, again, Instructions())
    assert {each.status for each in open_document(again).segments()} == {"draft"}


def test_a_limit_that_nothing_could_tell_of_is_refused(translator, file, tmp_path):
    source, out = file("a.txt", "A good one.\n"), tmp_path / "b.txt"
    how = Instructions(review_below=0.5)
    with pytest.raises(UserError, match="text files have no place to say which translations"):
        translate_file(translator, source, out, how)
    lines = tmp_path / "b.jsonl"
    translate_file(translator, source, lines, how, to="jsonl")
    assert json.loads(lines.read_text("utf8"))["needs_review"] is False
    with pytest.raises(UserError, match="review_below=2: give a number from 0 to 1"):
        Instructions(review_below=2)


def test_what_is_unmet_or_wrong_needs_review_whatever_the_estimate():
    error = Finding("numbers", "error", "7 is missing")
    assert not needs_review(Outcome(0, "", 1, quality=0.5), 0.5)
    assert needs_review(Outcome(0, "", 1, quality=0.4), 0.5)
    assert needs_review(Outcome(0, "", 1, quality=0.9, findings=(error,)), 0.5)
    assert needs_review(Outcome(0, "", 1, quality=0.9, unmet="why"), 0.5)
    assert needs_review(Outcome(0, "", 1), 0.0)


SPANS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=2).map(tuple)
FINDINGS = st.builds(
    Finding, st.text(), st.sampled_from(["error", "hint"]), st.text(), SPANS, SPANS
)


@given(
    st.lists(FINDINGS, max_size=3).map(tuple),
    st.none() | st.floats(0, 1),
    st.none() | st.builds(SearchEvidence, st.floats(-9, 0), st.integers(0, 99)),
)
def test_a_line_of_the_journal_keeps_findings_and_estimate(findings, quality, search):
    outcome = Outcome(0, "a", 1, Marked(("x",)), search=search, findings=findings, quality=quality)
    assert Outcome.from_line(outcome.as_line()) == outcome


@pytest.mark.slow
def test_the_command_says_what_is_wrong_and_ends_with_3_unless_told_otherwise(
    file, tmp_path, monkeypatch
):
    """Whatever the model would say: nothing."""
    silent = dict.fromkeys(SAID, ("", -0.01))
    monkeypatch.setattr(
        Translator, "translate_each", lambda self, requests, **_: answers(requests, silent)
    )
    source, out = file("a.po", PO), tmp_path / "b.po"
    found = ask(source, "-o", out, "--fail-on", "error")
    assert found.exit_code == 3 and "error: blank: the translation says nothing" in found.stderr
    found = ask(source, "-o", out, "--fail-on", "nothing")
    assert found.exit_code == 0 and "error: " not in found.stderr
    assert re.search(r"^3 of 3 segments translated; 3 errors \(blank 3\)\n\Z", found.stderr, re.M)
    found = ask(source, "-o", out, "--review-below", "0.5")
    assert re.search(r"; \d to be reviewed\n\Z", found.stderr)


def test_an_option_for_review_that_would_do_nothing_is_refused(file, tmp_path):
    found = complaint("The disk", "--review-below", "0.5")
    assert found == "--review-below is for files, or goes with --json: add it."
    found = complaint(file("a.txt", "The disk\n"), "-o", tmp_path / "b", "--review-below", "0.5")
    assert found.endswith("Add --report, or --to jsonl, or leave out --review-below.")
    assert "--review-below 2.0: give a number from" in complaint(
        "a", "--json", "--review-below", "2"
    )


def test_a_run_is_gone_on_with_only_with_the_same_limit(translator, file, tmp_path, monkeypatch):
    source, out = file("a.po", PO), tmp_path / "b.po"
    whole = tmp_path / "whole.po"
    how = Instructions(review_below=0.5)
    translate_file(translator, source, whole, how)

    def broken(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("gridbeam.files.run.write_output", broken)
        with pytest.raises(KeyboardInterrupt):
            translate_file(translator, source, out, how)
    with pytest.raises(UserError, match=r"another --review-below \(0.5, not None\)"):
        translate_file(translator, source, out, Instructions(), resume=True)
    translate_file(translator, source, out, how, resume=True)
    assert out.read_bytes() == whole.read_bytes()
