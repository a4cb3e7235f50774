"""Damage: what constraints did to the text outside the words that they required."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from asking import ask, complaint
from hypothesis import given
from hypothesis import strategies as st

from gridbeam.evaluation.damage import damage, outside
from gridbeam.evaluation.score import score
from gridbeam.glossary.wording import Wording
from gridbeam.text.lemmas import lemmatizer

FILES = {
    "in.en": ["The disk is full.", "Two folders."],
    "ref.de": ["Die Platte ist voll.", "Zwei Ordner."],
    "out.de": ["Die Platte ist voll.", "Zwei Ordner."],
    "plain.de": ["Die Scheibe ist voll.", "Zwei Ordner."],
    "terms.tsv": ["source\ttarget", "disk\tPlatte", "folder\tOrdner"],
    "terms.jsonl": ['[{"en": "disk", "de": "Platte"}]', '[{"en": "folder", "de": "Ordner"}]'],
}
TEXTS = st.lists(st.sampled_from(["Platte", "alte", "voll", "ist", "."]), max_size=6).map(" ".join)
REFERENCES = TEXTS.map("Die {}".format)


@pytest.fixture
def folder(tmp_path):
    for name, lines in FILES.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf8")
    return tmp_path


def test_the_measure_by_hand():
    # Outside "T", the reference is "ab". Of "abc" two of three letters are right and one of two
    # pairs, (2/3 + 1/2) / 2 = 7/12; all of "ab" is there: F2 is 5 * 7/12 / (4 * 7/12 + 1) = 7/8.
    found = damage(["T ab", "abc", "ab T"], ["abc", "T ab", "ab T"], ["ab T"] * 3, [["T"]] * 3)
    assert [change.number for change in found.changes] == [0, 1]
    first, second = found.changes
    assert (first.plain, first.constrained) == pytest.approx((87.5, 100))
    assert (second.plain, second.constrained) == pytest.approx((100, 87.5))
    assert (found.rose, found.fell, found.segments) == (1, 1, 3)
    assert (found.plain, found.constrained) == pytest.approx((93.75, 93.75))
    assert (found.met, found.due) == (2, 3)


def test_more_than_five_points_are_a_fall():
    found = damage(["T ab"], ["abc"], ["ab T"], [["T"]]).changes[0]
    assert not replace(found, plain=55.0, constrained=50.0).fell
    assert replace(found, plain=55.1, constrained=50.0).fell
    assert not replace(found, plain=50.0, constrained=55.0).rose


@pytest.mark.parametrize(
    ("text", "terms", "left"),
    [
        ("Die Platte ist voll.", [("Platte",)], "Die ist voll."),
        ("Die Scheibe ist  voll.", [("Platte",)], "Die Scheibe ist voll."),
        ("Platte und Platte", [("Platte",)], "und Platte"),
        ("Platte und Platte", [("Platte",)] * 2, "und"),
        ("Die Festplatte", [("Platte",)], "Die Festplatte"),
        ("Die alte Platte", [("alte Platte",), ("Platte",)], "Die"),
        ("Das Laufwerk, die Platte", [("Platte", "Laufwerk")], "Das , die Platte"),
        ("Öffnen", [("Öffnen",)], ""),
        ("Voll.", [("voll",)], "."),
    ],
)
def test_each_required_word_is_taken_out_where_it_is_said(text, terms, left):
    assert outside(text, Counter(map(Wording, terms))) == left


def test_other_forms_are_taken_out_where_they_will_do():
    required = Counter([Wording(("Ordner",))])
    assert outside("Mit zwei Ordnern.", required) == "Mit zwei Ordnern."
    assert outside("Mit zwei Ordnern.", required, lemmatizer("de", "target")) == "Mit zwei ."


def test_a_reference_of_the_term_alone_wants_nothing_else():
    found = damage(["Öffnen", "Öffnen auf"], ["Auf"] * 2, ["Öffnen"] * 2, [["Öffnen"]] * 2)
    assert [change.constrained for change in found.changes] == [100, 0]
    assert [change.plain for change in found.changes] == [0, 0]


@given(st.lists(st.tuples(TEXTS, TEXTS, REFERENCES), max_size=4))
def test_swapping_constrained_and_plain_swaps_fell_and_rose(rows):
    out, plain, references = ([row[side] for row in rows] for side in range(3))
    required = [["Platte", ["alte", "voll"]]] * len(rows)
    one, other = (damage(*sides, references, required) for sides in ((out, plain), (plain, out)))
    assert (one.fell, one.rose) == (other.rose, other.fell)
    assert (one.plain, one.constrained) == (other.constrained, other.plain)


@given(st.lists(st.tuples(TEXTS, REFERENCES), max_size=4))
def test_texts_that_are_the_same_but_for_white_space_have_not_changed(rows):
    texts, references = [row[0] for row in rows], [row[1] for row in rows]
    wider = [f" {text.replace(' ', '  ')}" for text in texts]
    assert not damage(texts, wider, references, [["Platte"]] * len(rows)).changes


@given(TEXTS, REFERENCES)
def test_saying_the_term_earns_nothing_in_itself(text, reference):
    found = damage([f"{text} Hut"], [text], [f"{reference} Hut"], [["Hut"]]).changes[0]
    assert found.plain == found.constrained


def test_the_table_has_the_measure_by_terms_and_by_glossary(folder):
    given = [folder / "out.de", folder / "ref.de", "--against", folder / "plain.de"]
    by_terms = ask("score", *given, "--terms", folder / "terms.jsonl")
    assert by_terms.exit_code == 0, by_terms.output
    lines = [" ".join(line.split()) for line in by_terms.stdout.splitlines()]
    assert lines[0].endswith("2 terms in 2 of them; plain.de is without constraints")
    for line in (
        "changed 50.00 1 of 2",
        "fell ↓ 0.00 0 of 1",
        "rose ↑ 100.00 1 of 1",
        "chrF outside ↑ 100.00",
        "terms met ↑ 100.00 2 of 2",
    ):
        assert line in lines
    assert sum("outside:required|by:5|" in line for line in lines) == 6
    terms = ["--glossary", folder / "terms.tsv", "--source", folder / "in.en", "--lemmas"]
    by_glossary = ask("score", *given, *terms, "--languages", "en-de")
    assert "fell ↓" in by_glossary.stdout


def test_json_and_latex_have_the_measure(folder):
    given = [folder / "out.de", folder / "ref.de", "--against", folder / "plain.de"]
    given += ["--terms", folder / "terms.jsonl", "--format"]
    report = json.loads(ask("score", *given, "json").stdout)
    rows = {row["name"]: row for row in report["rows"]}
    assert report["against"] == "plain.de" and rows["rose"]["counted"] == [1, 1]
    assert rows["fell"]["lower_is_better"] and not rows["rose"]["lower_is_better"]
    shown = ask("score", *given, "latex").stdout.splitlines()
    [titles] = [line for line in shown if "rose" in line and not line.startswith("%")]
    assert r"& changed & fell $\downarrow$ & rose $\uparrow$ &" in titles


def test_lemmas_let_forms_of_listed_terms_count(folder):
    (folder / "ref.de").write_text("Die Platte ist voll.\nMit zwei Ordnern.\n", encoding="utf8")
    files = {"against": folder / "plain.de", "terms": folder / "terms.jsonl"}
    (folder / "out.de").write_text("Die Platte ist voll.\nMit zwei Ordnern.\n", encoding="utf8")
    for lemmas, met in ((False, 1), (True, 2)):
        report = score(folder / "out.de", folder / "ref.de", **files, lemmas=lemmas)
        assert [row.counted for row in report.rows if row.name == "terms met"] == [(met, 2)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--against", "plain.de"], "nothing says which are required. Give --terms, or --glossary"),
        (
            ["--against", "plain.de", "--terms", "terms.jsonl", "--baseline", "plain.de"],
            "--against and --baseline are two questions",
        ),
        (["--against", "short", "--terms", "terms.jsonl"], "short ends before line 2, and"),
        (["--against", "none", "--terms", "terms.jsonl"], "none cannot be read"),
    ],
)
def test_what_keeps_damage_from_being_measured_is_told(folder, monkeypatch, options, said):
    monkeypatch.chdir(folder)
    (folder / "short").write_text("one\n")
    assert said in " ".join(complaint("score", "out.de", "ref.de", *options).split())
