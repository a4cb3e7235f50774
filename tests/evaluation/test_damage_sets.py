"""The sets and figures of benchmarks/damage.py, on texts small enough to see through."""

from __future__ import annotations

import json
from random import Random

import damage as benchmark
import pytest
from damage_terms import _TermFinder
from lexical_table import strengths

ABOUT = {"name": "toy", "beam": 5, "forms": "any"}
TERM = {"lemma": "Platte", "form": "Platte", "forms": ["Platte", "Platten"], "place": [4, 8]}
LINKS = {"festplatte": {"disk": 0.5, "hard": 0.2}, "voll": {"full": 0.9}, "ordner": {"hard": 0.1}}


def row(plain, text, reference="Die Platte ist voll."):
    source = "The disk is full."
    about = {"set": "software", "language": "de", "source": source, "terms": [TERM], "run": ABOUT}
    return about | {"reference": reference, "plain": plain, "text": text}


@pytest.fixture
def run(tmp_path):
    path = tmp_path / "run.jsonl"
    rows = [
        row("Die Scheibe ist voll.", "Die Platte ist voll."),
        row("Die Platten sind voll.", "Die Platten sind voll."),
    ]
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf8")
    return path


def test_words_that_only_occur_together_are_strongest():
    pairs = [({"disk", "full"}, {"platte", "voll"}), ({"disk", "old"}, {"platte", "alt"})] * 3
    found = strengths(pairs)
    assert found["platte"]["disk"] > 0.8
    assert max(found["voll"], key=found["voll"].get) == "full"


def test_a_term_is_a_word_that_the_plain_text_lacks_with_its_place_in_the_source():
    finder = _TermFinder("de", LINKS, frozenset())
    source, reference = "The hard disk is full.", "Die alten Festplatten sind voll."
    [term] = finder.drawn(source, reference, "Die Scheibe ist voll.", Random(0))
    assert (term["lemma"], term["form"]) == ("Festplatte", "Festplatten")
    assert source[slice(*term["place"])] == "hard disk"
    assert not finder.drawn(source, reference, "Die Festplatte ist voll.", Random(0))
    assert not _TermFinder("de", LINKS, frozenset({"festplatten"})).drawn(
        source, reference, "Die Scheibe ist voll.", Random(0)
    )


def test_a_run_is_measured_and_its_rows_replace_older_ones(run, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(benchmark, "RESULTS", tmp_path / "damage.json")
    for _ in range(2):
        monkeypatch.setattr("sys.argv", ["damage.py", "measure", str(run), "--save"])
        benchmark.main()
    [saved] = json.loads((tmp_path / "damage.json").read_text(encoding="utf8"))["rows"]
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == saved
    assert (saved["changed"], saved["rose"], saved["fell"], saved["met_%"]) == (1, 1, 0, 100.0)
    assert saved["chrF"] == 100.0 and "outside:required" in saved["measure"]


def test_changed_segments_are_shown_on_their_page(run, tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(f"Before\n{benchmark.MARK}old\n{benchmark.END}\nAfter\n", encoding="utf8")
    monkeypatch.setattr("sys.argv", ["damage.py", "show", str(run), "--page", str(page)])
    benchmark.main()
    text = page.read_text(encoding="utf8")
    assert "  - with `Platte`: `Die Platte ist voll.`\n" in text and "old" not in text
    assert text.startswith("Before\n") and text.endswith(f"{benchmark.END}\nAfter\n")
    assert "Platten sind" not in text


def test_what_is_required_is_any_form_the_lemma_or_that_of_the_reference():
    given = row("", "") | {"terms": [TERM | {"form": "Platten"}]}
    wanted = {
        "any": ("Platte", ("Platten",)),
        "lemma": ("Platte", ()),
        "reference": ("Platten", ()),
    }
    for forms, (text, others) in wanted.items():
        options = benchmark._arguments().parse_args(
            ["run", "x", "--model", "m", "--name", "n", "--out", "o", "--forms", forms]
        )
        [phrase] = benchmark._request(given, options).constraints
        assert (phrase.content, phrase.inflect) == (text, others)
