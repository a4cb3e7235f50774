"""Terms in translations: put there by rule, by placeholders and by search.

And the runs that compare them.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import echo
import pytest
from typer.testing import CliRunner

from gridbeam import Avoid, Request
from gridbeam.cli import app
from gridbeam.errors import UserError
from gridbeam.experiments import log as logs
from gridbeam.experiments.defaults import EXPERIMENTS, extracted_as_in_paper
from gridbeam.experiments.dictionary import dictionary
from gridbeam.experiments.placeholder import masked
from gridbeam.experiments.placement import at_beginning, at_random
from gridbeam.experiments.terminology import BASELINE, GBS, RIGHT_ONLY, TermSegment, terminology
from gridbeam.experiments.translations import by_grid, work
from gridbeam.glossary import formats as glossaries
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.glossary.matching import Matcher
from gridbeam.glossary.problems import check
from gridbeam.glossary.wording import Wording
from gridbeam.terminology.options import TERMS, TermOptions
from gridbeam.translation.translator import Translator

ROOT = Path(__file__).parents[2]
SOURCES = [
    "The disk is full.",
    "The screen is empty.",
    "The disk or the screen is full.",
    "The house was deleted.",
] * 2
REFERENCES = [
    text.replace("disk", "Festplatte").replace("screen", "Bildschirm") for text in SOURCES
]
"""What a model that repeats its source says, but for the terms."""
GLOSSARY = "source\ttarget\ndisk\tFestplatte\nscreen\tBildschirm|Anzeige\n"


def test_a_term_may_go_anywhere_between_the_words_and_nowhere_else():
    places = {at_random("a b", ["x y"], Random(seed)) for seed in range(50)}
    assert places == {"x y a b", "a x y b", "a b x y"}


def test_the_same_seed_puts_terms_into_the_same_places():
    assert at_random("a b c d", ["x", "y"], Random(3)) == at_random(
        "a b c d", ["x", "y"], Random(3)
    )


def test_terms_in_one_place_keep_their_order():
    assert at_random("", ["x", "y", "z"], Random(0)) == "x y z"


def test_terms_at_the_beginning_come_before_the_text():
    assert at_beginning("a  b", ["x", "y z"]) == "x y z a b"
    assert at_beginning("a b", []) == "a b"


def test_a_term_that_is_due_twice_and_said_once_is_missing_once():
    disk, screen = Wording(("Platte", "Festplatte")), Wording(("Schirm",))
    segment = TermSegment("", "", (), (disk, screen, disk))
    assert segment.missing("Die Festplatte.") == ["Schirm", "Platte"]
    assert segment.missing("Die Festplatte, die Platte, der Schirm.") == []
    assert segment.targets == ["Platte", "Schirm", "Platte"]


def terms_of(source):
    return Matcher(
        Glossary((Entry("disk", ("Platte",)), Entry("hard disk", ("Festplatte",))))
    ).match(source)


def test_each_term_has_a_placeholder_of_its_own_and_the_longest_term_wins():
    found = masked("A disk or a hard disk?", terms_of("A disk or a hard disk?"))
    assert (found.text, found.terms) == ("A {1} or a {2}?", {"{1}": "Platte", "{2}": "Festplatte"})


def test_a_placeholder_that_is_not_copied_takes_its_term_with_it():
    found = masked("A disk or a hard disk?", terms_of("A disk or a hard disk?"))
    assert found.restored("Eine {2} oder?") == "Eine Festplatte oder?"
    assert (found.lost("Eine {2} oder?"), found.lost("{2} {1}")) == (1, 0)


def test_what_stands_in_the_source_or_cannot_be_written_is_no_placeholder():
    assert masked("disk {1}", terms_of("disk {1}")).text == "[1] {1}"
    assert masked("disk", terms_of("disk"), can_write=lambda text: "{" not in text).text == "[1]"


def test_a_term_that_looks_like_a_placeholder_is_not_taken_for_one():
    glossary = Glossary((Entry("disk", ("Wert {2}",)), Entry("file", ("Datei",))))
    found = masked("disk file", Matcher(glossary).match("disk file"))
    assert found.restored("{1} {2}") == "Wert {2} Datei"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setattr(Translator, "load", lambda *args, **kwargs: echo.translator())
    texts = {"test.en": SOURCES, "test.de": REFERENCES}
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf8")
    (tmp_path / "terms.tsv").write_text(GLOSSARY, encoding="utf8")
    return tmp_path


def run(files, **options):
    given = {
        "glossary": files / "terms.tsv",
        "search": EXPERIMENTS.but(beam=2),
        "seeds": 2,
        "samples": 40,
        "batch_size": 8,
        "out": files / "run.jsonl",
    }
    return terminology(files / "test.en", files / "test.de", model="echo", **given | options)


def without_times(rows):
    return [{name: value for name, value in row.items() if name != "work"} for row in rows]


def test_right_terms_are_those_that_the_reference_says(files):
    wrong = files / "wrong.tsv"
    wrong.write_text("source\ttarget\ndisk\tScheibe\nscreen\tBildschirm\n", encoding="utf8")
    counts, *rows = run(files, glossary=wrong)
    scores = {row["system"]: row["scores"]["BLEU"] for row in rows}
    assert (counts["terms_in_reference"], counts["terms"]) == (4, 8)
    assert scores[RIGHT_ONLY] > scores[GBS], "without the wrong terms"
    log = logs.read(files / "run.jsonl")
    assert {
        record["key"] for record in log.records("translation") if RIGHT_ONLY in record["key"]
    } == {f"{RIGHT_ONLY}/{number}" for number, text in enumerate(SOURCES) if "screen" in text}


def test_a_run_says_every_term_and_changes_no_segment_without_one(files):
    counts, *rows = run(files)
    assert [row["system"] for row in rows] == [
        BASELINE,
        "random",
        "beginning",
        "random, missing terms only",
        "beginning, missing terms only",
        GBS,
        RIGHT_ONLY,
        "placeholders",
        "placeholders required",
    ]
    assert (
        counts["entries"],
        counts["segments"],
        counts["terms"],
        counts["segments_with_terms"],
    ) == (2, 8, 8, 6)
    assert (
        counts["terms_in_reference"] == 8 and counts["term_words"] == 8 < counts["reference_words"]
    )
    assert rows[0]["bleu_where_due"] < rows[0]["scores"]["BLEU"], (
        "the model alone is right elsewhere"
    )
    by_system = {row["system"]: row for row in rows}
    assert by_system[BASELINE]["terms"] == [0, 8]
    assert all(row["terms"] == [8, 8] for name, row in by_system.items() if name != BASELINE)
    copied = by_system["placeholders"], by_system["placeholders required"]
    assert all((row["scores"]["BLEU"], row["lost"]) == (100.0, 0) for row in copied), (
        "the model copies what it is given"
    )
    assert by_system["random"]["seeds"] == 2 and by_system["random"]["deviations"]["BLEU"] > 0
    assert (list(by_system[GBS]["p"]), list(by_system[BASELINE]["p"])) == ([BASELINE], [GBS])
    of_gbs = {
        record["key"]
        for record in logs.read(files / "run.jsonl").records("translation")
        if record["key"].startswith("GBS/")
    }
    assert of_gbs == {f"GBS/{number}" for number, text in enumerate(SOURCES) if "house" not in text}


def test_what_cannot_be_met_is_told_and_translated_as_the_model_likes():
    search = by_grid(echo.translator(), options=EXPERIMENTS.but(beam=2), batch_size=8)
    wishes = [
        Request("The disk is full.", ["Platte"]),
        Request("The disk is full.", ["Platte", Avoid("Platte")]),
    ]
    met, unmet = search(wishes)
    assert "Platte" in met["text"] and "unmet" not in met
    assert unmet["text"] == "The disk is full." and "Platte" in unmet["unmet"]
    assert work([met | {"seconds": 1}, unmet | {"seconds": 2}])["unmet"] == 1


def test_a_run_that_was_broken_off_goes_on_to_the_same_numbers(files):
    whole = run(files, seeds=1)
    log = files / "run.jsonl"
    lines = log.read_bytes()
    kept = lines[: len(lines) // 3]
    log.write_bytes(kept)
    assert without_times(run(files, seeds=1)) == without_times(whole)
    assert log.read_bytes().startswith(kept[: kept.rindex(b"\n")]), (
        "what was there is not done again"
    )


def test_terms_are_extracted_from_training_text(files):
    nouns = ["disk", "drive", "file", "folder", "house"]
    pairs = [(f"The {noun} is full.", f"{noun.upper()} ist voll.") for noun in nouns]
    fillers = [(f"x{number}", f"y{number}") for number in range(40)]
    for name, lines in zip(
        ("train.en", "train.de"), zip(*pairs, *fillers, strict=True), strict=True
    ):
        (files / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf8")
    counts, *rows = run(
        files, glossary=None, train=(files / "train.en", files / "train.de"), seeds=1
    )
    assert (counts["entries"], counts["terms"]) == (
        1,
        4,
    ), '"is full" is a term, and stands in four segments'
    assert rows[5]["terms"] == [4, 4]


def test_single_words_are_terms_where_they_are_translated_so_often_enough(files):
    often = [("The disk is full.", "Die Platte ist voll.")] * 6
    seldom = [("The file is full.", f"Datei{number} ist voll.") for number in range(6)]
    fillers = [(f"x{number}", f"y{number}") for number in range(40)]
    lines = [*often, *seldom, *fillers]
    for name, side in zip(("train.en", "train.de"), zip(*lines, strict=True), strict=True):
        (files / name).write_text("".join(f"{line}\n" for line in side), encoding="utf8")
    train = files / "train.en", files / "train.de"

    def entries(**how):
        (files / "run.jsonl").unlink(missing_ok=True)
        return run(files, glossary=None, train=train, seeds=1, terms=TermOptions(**how))[0]

    every = entries(min_words=1, max_words=1, threshold=0.1)["entries"]
    sure = entries(min_words=1, max_words=1, threshold=0.1, min_share=0.9)["entries"]
    assert 0 < sure < every


def test_the_papers_terms_are_all_n_grams_with_their_marks(files):
    assert extracted_as_in_paper(TERMS) == TermOptions(punctuation="anywhere", fold=False)
    with pytest.raises(UserError, match="punctuation='nowhere': the paper has anywhere; leave"):
        extracted_as_in_paper(TermOptions(punctuation="nowhere"))
    with pytest.raises(UserError, match="--min-words is about terms that are extracted"):
        run(files, terms=TermOptions(min_words=1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"train": (Path("a"), Path("b"))}, "--glossary and --train-src both say"),
        ({"glossary": None}, "there are no terms"),
        ({"glossary": Path("none.tsv")}, "none.tsv cannot be read"),
    ],
)
def test_what_is_unclear_is_refused(files, options, message):
    with pytest.raises(UserError, match=message):
        run(files, **options)


def test_a_log_of_another_run_is_not_gone_on_with(files):
    log = files / "run.jsonl"
    begun = logs.header(
        "terminology",
        model="echo",
        data=[files / "test.en"],
        search=EXPERIMENTS.but(beam=2, stop="exact"),
        options={"target": None, "seeds": 2, "samples": 40, "limit": None},
    )
    logs.Log(log, begun).close()
    other = r"begun with another data and another option stop \(exact, not likely\)\. Run"
    with pytest.raises(UserError, match=other):
        run(files)


def dictionary_run(files, lines):
    (files / "terms.jsonl").write_text(
        "".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf8"
    )
    return dictionary(
        files / "test.en",
        files / "test.de",
        files / "terms.jsonl",
        out=files / "dictionary.jsonl",
        model="echo",
        search=EXPERIMENTS.but(beam=2),
        samples=40,
        batch_size=8,
    )


def test_every_listed_term_is_said_as_given_and_as_often(files):
    once, twice = [{"en": "disk", "de": "Festplatte"}], [{"en": "is", "de": "ist"}] * 2
    plain, constrained = dictionary_run(files, [once, twice, [], []] * 2)
    assert constrained["terms"] == {"terms exact": [6, 6], "terms by lemma": [6, 6]}
    assert plain["terms"]["terms exact"] == [0, 6]
    texts = {
        record["key"]: record["text"]
        for record in logs.read(files / "dictionary.jsonl").records("translation")
    }
    assert texts["plain/1"] == SOURCES[1] and texts["constrained/1"].count("ist") == 2
    assert texts["constrained/2"] == texts["plain/2"]


def test_a_list_of_terms_must_have_a_line_for_each_segment(files):
    with pytest.raises(UserError, match=r"has 1 lines, and .* has 8"):
        dictionary_run(files, [[{"en": "disk", "de": "Festplatte"}]])


@pytest.mark.parametrize("target", ["de", "fr", "pt"])
def test_the_glossaries_of_the_examples_have_fifty_terms_and_no_faults(target):
    found = glossaries.read(
        ROOT / "examples" / "glossaries" / f"software-en-{target}.tsv", source="en", target=target
    )
    assert (len(found.entries), check(found)) == (50, [])


def test_the_commands_print_their_tables(files):
    shared = [
        "-m",
        "echo",
        "--beam",
        "2",
        "--samples",
        "40",
        "--limit",
        "2",
        "--src",
        str(files / "test.en"),
        "--ref",
        str(files / "test.de"),
    ]
    done = CliRunner().invoke(
        app,
        [
            "experiment",
            "terminology",
            *shared,
            "--glossary",
            str(files / "terms.tsv"),
            "-o",
            str(files / "a.jsonl"),
        ],
    )
    assert done.exit_code == 0, done.output
    assert "GBS" in done.stdout and "beginning" in done.stdout
    (files / "terms.jsonl").write_text(
        '[{"en": "disk", "de": "Festplatte"}]\n' + "[]\n" * 7, encoding="utf8"
    )
    done = CliRunner().invoke(
        app,
        [
            "experiment",
            "dictionary",
            *shared,
            "--terms",
            str(files / "terms.jsonl"),
            "-o",
            str(files / "b.jsonl"),
        ],
    )
    assert done.exit_code == 0, done.output
    assert "constrained" in done.stdout
