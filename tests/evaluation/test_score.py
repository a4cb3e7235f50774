"""Scores: those of sacreBLEU, and measures of terms that simpler code agrees with.

Mistakes are told by file and line.
"""

from __future__ import annotations

import itertools
import json
import lzma
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from asking import ask, complaint
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

from gridbeam.evaluation import metrics
from gridbeam.evaluation.due import Due, DueTerms, listed
from gridbeam.evaluation.resampling import paired, ratio
from gridbeam.evaluation.score import ScoreRow, score
from gridbeam.evaluation.term_edits import TERM_COST, term_edit_rate
from gridbeam.evaluation.term_scores import term_scores
from gridbeam.glossary.formats import read
from gridbeam.glossary.index import TextWords
from gridbeam.glossary.wording import Wording
from gridbeam.text.lemmas import lemmatizer

FILES = {
    "in.en": ["The old hard disk is full.", "Two folders on the disk."],
    "ref.de": ["Die alte Festplatte ist voll.", "Zwei Ordner auf der Platte."],
    "out.de": ["Die Festplatte ist alt.", "Zwei Ordnern auf der Diskette."],
    "best.de": ["Die alte Festplatte ist jetzt voll.", "Zwei Ordner auf der Platte."],
    "terms.tsv": [
        "source\ttarget\tforbidden",
        "hard disk\tFestplatte|Laufwerk",
        "disk\tPlatte|Laufwerk\tDiskette",
        "folder\tOrdner",
    ],
    "terms.jsonl": [
        '[{"en": "hard disk", "de": ["Festplatte", "Laufwerk"]}]',
        '[{"en": "folder", "de": "Ordner"}, {"en": "disk", "de": "Platte"}]',
    ],
}
TERMINOLOGY = Path(__file__).parents[3] / "shared" / "data" / "terminology" / "en-de"


@pytest.fixture
def folder(tmp_path):
    for name, lines in FILES.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf8")
    return tmp_path


def values(report):
    return {row.name: row.value for row in report.rows}


def measured(texts, references, *due, language=None):
    """The measures of terms, in percent."""
    terms = DueTerms(tuple(Due(tuple(wordings)) for wordings in due), language)
    return {found.name: ratio(found.parts) for found in term_scores(texts, references, terms)}


def test_scores_are_those_of_sacrebleu_with_its_signatures(folder):
    texts, references = FILES["out.de"], FILES["ref.de"]
    rows = score(folder / "out.de", folder / "ref.de").rows
    for row, metric in zip(rows, (BLEU(), CHRF(), TER()), strict=True):
        assert row.value == pytest.approx(metric.corpus_score(texts, [references]).score, abs=1e-4)
        assert row.signature == str(metric.get_signature())


def test_the_example_by_hand(folder):
    files = {"glossary": folder / "terms.tsv", "source": folder / "in.en"}
    report = score(folder / "out.de", folder / "ref.de", **files, lemmas=True, languages="en-de")
    found = values(report)
    assert (report.segments, report.terms, report.segments_with_terms) == (2, 3, 2)
    assert found["terms exact"] == pytest.approx(100 / 3, abs=1e-4)
    assert found["terms by lemma"] == pytest.approx(200 / 3, abs=1e-4)
    assert found["forbidden said"] == 100
    assert found["window 2"] == found["window 3"] == pytest.approx(100 * (2 / 4 + 0) / 2)
    assert found["1 - TERm"] == pytest.approx(100 * ((1 - 2 / 6) + (1 - 4 / 6)) / 2, abs=1e-4)


def test_terms_of_a_list_are_those_of_a_glossary(folder):
    by_list = values(score(folder / "out.de", folder / "ref.de", terms=folder / "terms.jsonl"))
    files = {"glossary": folder / "terms.tsv", "source": folder / "in.en"}
    by_glossary = values(
        score(folder / "out.de", folder / "ref.de", **files, lemmas=True, languages="en-de")
    )
    assert by_list == {
        name: value
        for name, value in by_glossary.items()
        if name not in ("forbidden said", "terms said")
    }


def test_the_keys_of_a_list_say_the_language_or_the_side(folder):
    path = folder / "terms.jsonl"
    path.write_text('[{"de": "Platte", "en": "disk"}]\n[]\n')
    assert listed(path, "de").segments[0].required == (Wording(("Platte",)),)
    assert listed(path).language == "en"
    path.write_text('[{"source": "disk", "target": "Platte"}]\n')
    assert listed(path).segments[0].required == (Wording(("Platte",)),)
    assert listed(path).language is None
    assert listed(path, "de").language == "de"


def test_without_a_language_there_is_no_row_by_lemma(folder):
    files = {"glossary": folder / "terms.tsv", "source": folder / "in.en"}
    assert "terms by lemma" not in values(score(folder / "out.de", folder / "ref.de", **files))
    assert "terms by lemma" not in values(
        score(folder / "out.de", folder / "ref.de", **files, languages="en-tlh")
    )
    assert "forbidden said" not in values(
        score(folder / "out.de", folder / "ref.de", terms=folder / "terms.jsonl")
    )


def test_a_text_that_is_its_reference_has_every_term():
    found = measured(
        ["Die Platte, die Platte."],
        ["Die Platte, die Platte."],
        [Wording(("Platte",))] * 2,
        language="de",
    )
    assert set(found.values()) == {100}


def test_a_term_due_twice_must_be_said_twice_and_any_target_will_do():
    disk = Wording(("Platte", "alte Platte"))
    assert measured(["eine alte Platte"], ["-"], [disk, disk])["terms exact"] == 50
    assert measured(["Platte an Platte"], ["-"], [disk, disk])["terms exact"] == 100


def test_terms_that_ask_for_other_things_may_share_words():
    assert (
        measured(["alte Platte"], ["-"], [Wording(("alte Platte",)), Wording(("alte",))])[
            "terms exact"
        ]
        == 100
    )


@pytest.mark.parametrize(
    ("text", "case", "is_met"),
    [
        ("Die platte.", "sentence", False),
        ("Alte Platte.", "sentence", True),
        ("Eine Alte Platte.", "sentence", False),
        ("Alte Platte.", "exact", False),
        ("EINE ALTE PLATTE.", "any", True),
        ("alte Plattenspieler", "any", False),
    ],
)
def test_capitals_and_whole_words_count_as_in_matching(text, case, is_met):
    assert measured([text], ["-"], [Wording(("alte Platte",), case)])["terms exact"] == 100 * is_met


def test_what_is_not_to_be_translated_is_due_in_the_capitals_of_the_source(folder):
    (folder / "terms.tsv").write_text("source\ttarget\tcase\tdnt\ngridbeam\t\tany\tyes\n")
    (folder / "in.en").write_text("GridBeam!\nNothing.\n")
    for said, share in (("GridBeam", 100), ("gridbeam", 0)):
        (folder / "out.de").write_text(f"{said}!\nNichts.\n")
        found = score(
            folder / "out.de",
            folder / "ref.de",
            glossary=folder / "terms.tsv",
            source=folder / "in.en",
        )
        assert values(found)["terms exact"] == share


def test_windows_are_of_words_and_paired_where_they_overlap_most():
    disk = Wording(("Platte",))
    found = measured(
        ["ein x Platte y drei. Platte, vier fünf"],
        ["zwei „Platte“ , vier ; ein Platte drei"],
        [disk, disk],
    )
    # The second of the reference, "vier ein" and "drei", goes with the first of the text, as "ein"
    # and "drei" are 2 of its 3. The first, "zwei" and "vier ein", is left with the second of the
    # text, "y drei" and "vier fünf": 1 of 3.
    assert found["window 2"] == pytest.approx(100 * (2 / 3 + 1 / 3) / 2)


def test_windows_are_counted_where_the_reference_says_a_term():
    disk = [Wording(("Platte",))]
    texts = ["die Platte da", "die Platte da", "die da"]
    assert (
        measured(texts, ["die Platte da", "das Laufwerk", "die Platte da"], disk, disk, disk)[
            "window 2"
        ]
        == 50
    )


def test_an_edit_at_a_term_costs_twice_and_a_shift_once():
    reference = ["die", "alte", "Festplatte", "ist", "voll"]
    assert term_edit_rate(["die", "alte", "ist", "voll"], reference, {2}) == 2 / 5
    assert term_edit_rate(["die", "alte", "Platte", "ist", "voll"], reference, {2}) == 2 / 5
    assert (
        term_edit_rate(["die", "alte", "Festplatte", "ist", "so", "voll"], reference, {2}) == 1 / 5
    )
    assert term_edit_rate(["ist", "voll", "die", "alte", "Festplatte"], reference, {2}) == 1 / 5
    assert term_edit_rate([], reference, {2}) == 6 / 5


def plain_cost(said, reference, of_terms):
    """The cost of edits without shifts, from its definition."""
    if not said or not reference:
        return len(said) + sum(
            TERM_COST if place in of_terms else 1 for place in range(len(reference))
        )
    cost = TERM_COST if len(reference) - 1 in of_terms else 1
    return min(
        plain_cost(said[:-1], reference, of_terms) + 1,
        plain_cost(said, reference[:-1], of_terms) + cost,
        plain_cost(said[:-1], reference[:-1], of_terms)
        + (0 if said[-1] == reference[-1] else cost),
    )


def plain_shifts(said, reference):
    """Each stretch that stands elsewhere in the reference, as long as it can be, moved there."""
    for start, place in itertools.product(range(len(said)), range(len(reference))):
        if start != place and said[start] == reference[place]:
            size = max(
                n
                for n in range(1, len(said) + 1)
                if said[start : start + n] == reference[place : place + n]
            )
            moved, rest = said[start : start + size], said[:start] + said[start + size :]
            yield rest[:place] + moved + rest[place:]


def plain_rate(said, reference, of_terms):
    shifts = 0
    while True:
        tried = sorted(
            (-plain_cost(text, reference, of_terms), text) for text in plain_shifts(said, reference)
        )
        if not tried or -tried[-1][0] >= plain_cost(said, reference, of_terms):
            return (shifts + plain_cost(said, reference, of_terms)) / len(reference)
        said, shifts = tried[-1][1], shifts + 1


@given(
    st.lists(st.sampled_from("abcd"), max_size=5),
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=5),
    st.sets(st.integers(0, 4)),
)
def test_the_edit_rate_is_that_of_its_definition(said, reference, of_terms):
    assert term_edit_rate(said, reference, of_terms) == plain_rate(said, reference, of_terms)


def test_resampling_agrees_with_sacrebleu_on_its_own_ratio():
    draw = random.Random(0)
    references = ["".join(draw.choices("abcd ", k=30)).strip() for _ in range(50)]
    new, old = ([text.replace("a", "b", n) for text in references] for n in (1, 2))
    parts = [
        np.array(TER()._extract_corpus_statistics(texts, [references]), float)
        for texts in (new, old)
    ]
    [theirs] = [
        pair for found, pair in metrics.compared(new, old, references, 200) if found.name == "TER"
    ]
    ours = paired(*parts, 200)
    for name in ("baseline", "baseline_mean", "baseline_interval", "mean", "interval", "p"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), abs=1e-3)


def test_a_clear_difference_is_marked_and_equal_systems_are_not(folder):
    for name in ("ref.de", "out.de", "best.de", "terms.jsonl"):
        (folder / name).write_text((folder / name).read_text() * 20)
    terms = {"terms": folder / "terms.jsonl", "samples": 100}
    found = score(folder / "best.de", folder / "ref.de", baseline=folder / "out.de", **terms)
    assert {row.verdict for row in found.rows} == {"better"}
    assert all("bs:100|seed:12345" in row.signature for row in found.rows)
    worse = score(folder / "out.de", folder / "ref.de", baseline=folder / "best.de", **terms)
    assert {row.verdict for row in worse.rows} == {"worse"}
    same = score(folder / "out.de", folder / "ref.de", baseline=folder / "out.de", **terms)
    assert {row.verdict for row in same.rows} == {""}


def test_the_seed_of_sacrebleu_is_the_one_of_all_rows(folder, monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    files = {"baseline": folder / "best.de", "terms": folder / "terms.jsonl", "samples": 40}
    assert all(
        "seed:7" in row.signature
        for row in score(folder / "out.de", folder / "ref.de", **files).rows
    )
    monkeypatch.setenv("SACREBLEU_SEED", "seven")
    said = complaint(
        "score", folder / "out.de", folder / "ref.de", "--baseline", folder / "best.de"
    )
    assert said.startswith("SACREBLEU_SEED=seven: ")


def test_lower_is_better_for_edits_and_what_is_forbidden():
    assert [
        ScoreRow(name, 1, "").lower_is_better
        for name in ("BLEU", "TER", "1 - TERm", "forbidden said")
    ] == [
        False,
        True,
        False,
        True,
    ]


def test_text_shows_every_score_with_its_signature(folder):
    found = ask("score", folder / "out.de", folder / "ref.de", "--terms", folder / "terms.jsonl")
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("out.de against ref.de, 2 segments, 3 terms in 2 of them\n")
    assert "terms exact ↑      33.33  1 of 3\n" in found.stdout
    for name in (
        "BLEU",
        "chrF",
        "TER",
        "terms exact",
        "terms by lemma",
        "window 2",
        "window 3",
        "1 - TERm",
    ):
        assert (
            sum(
                line.startswith(f"{name} ") and "version:" in line
                for line in found.stdout.splitlines()
            )
            == 1
        )
    assert found.stdout.splitlines()[-1].startswith("gridbeam 0")


def test_two_systems_are_shown_with_means_intervals_and_p_values(folder):
    given = [
        folder / "best.de",
        folder / "ref.de",
        "--baseline",
        folder / "out.de",
        "--samples",
        "40",
    ]
    shown = ask("score", *given).stdout
    [line] = [line for line in shown.splitlines() if line.startswith("BLEU ↑")]
    assert line.count("±") == 2 and "p = " in line
    assert "paired bootstrap, 40 samples" in shown
    row = json.loads(ask("score", *given, "--format", "json").stdout)["rows"][0]
    assert (
        f"{row['value']:.2f} ({row['paired']['mean']:.2f} ± {row['paired']['interval']:.2f})"
        in line
    )


def test_json_holds_all_of_the_report(folder):
    found = json.loads(
        ask("score", folder / "out.de", folder / "ref.de", "--format", "json").stdout
    )
    assert [row["name"] for row in found["rows"]] == ["BLEU", "chrF", "TER"]
    assert found["rows"][2]["lower_is_better"] and found["segments"] == 2 and found["terms"] is None


def test_latex_is_a_table_of_booktabs(folder):
    (folder / "a_b&c.de").write_text((folder / "best.de").read_text())
    given = [
        folder / "a_b&c.de",
        folder / "ref.de",
        "--baseline",
        folder / "out.de",
        "--terms",
        folder / "terms.jsonl",
    ]
    lines = ask("score", *given, "--format", "latex", "--samples", "40").stdout.splitlines()
    table = [line for line in lines if not line.startswith("%")]
    assert table[0] == r"\begin{tabular}{lrrrrrrrr}" and table[-1] == r"\end{tabular}"
    assert [line for line in table if line.endswith("rule")] == [
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
    ]
    assert {line.count("&") - line.count(r"\&") for line in table if line.endswith(r"\\")} == {8}
    assert any(line.startswith(r"a\_b\&c.de & ") for line in table)
    assert sum("version:" in line for line in lines if line.startswith("% ")) == 8


def test_scores_go_to_a_file_and_compressed_text_is_read(folder):
    with lzma.open(folder / "out.xz", "wt", encoding="utf8") as file:
        file.write((folder / "out.de").read_text(encoding="utf8"))
    found = ask("score", folder / "out.xz", folder / "ref.de", "-o", folder / "scores.txt")
    assert (found.exit_code, found.stdout) == (0, "")
    assert "BLEU ↑" in (folder / "scores.txt").read_text(encoding="utf8")


def test_systems_of_the_same_name_are_told_apart(folder):
    (folder / "other").mkdir()
    (folder / "other" / "out.de").write_text((folder / "best.de").read_text())
    found = score(
        folder / "out.de", folder / "ref.de", baseline=folder / "other" / "out.de", samples=40
    )
    assert found.system != found.baseline


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--glossary", "terms.tsv"], "--glossary needs --source"),
        (
            ["--glossary", "terms.tsv", "--terms", "terms.jsonl"],
            "--glossary and --terms both say which terms are due",
        ),
        (["--source", "in.en"], "--source is for --glossary"),
        (["--lemmas"], "--lemmas is for --glossary"),
        (["--format", "html"], 'unknown format "html": write text, json or latex'),
        (
            ["--terms", "terms.jsonl", "--languages", "de"],
            "--languages de: write source and target language",
        ),
        (
            ["--terms", "terms.jsonl", "--languages", "en-fr"],
            'terms.jsonl line 1: the keys are "en and de"',
        ),
        (
            ["--glossary", "terms.tsv", "--source", "ref.de"],
            "no term of the glossary occurs in the source",
        ),
        (
            ["--glossary", "terms.doc", "--source", "in.en"],
            'no glossary format has the ending ".doc"',
        ),
        (["--glossary", "terms.tsv", "--source", "short"], "short ends before line 2, and"),
        (["--baseline", "short"], "short ends before line 2, and"),
        (["--baseline", "latin"], "latin line 1: byte 2 is not UTF-8"),
        (["--terms", "short"], "short ends before line 2, and"),
        (
            ["-o", "nowhere/scores.txt"],
            "nowhere/scores.txt cannot be written: No such file or directory",
        ),
    ],
)
def test_what_does_not_go_together_is_told_with_its_remedy(folder, monkeypatch, options, said):
    monkeypatch.chdir(folder)
    (folder / "short").write_text("one\n")
    (folder / "latin").write_bytes("fünf\n\n".encode("latin1"))
    assert said in complaint("score", "out.de", "ref.de", *options)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("disk", "line 2: Expecting value at character 1"),
        ('{"en": "disk", "de": "Platte"}', "line 2: expected a list of objects with two keys"),
        ('[{"en": "disk"}]', "line 2: expected a list of objects with two keys"),
        (
            '[{"en": "disk", "fr": "disque"}]',
            'line 2: a term has the keys "en and fr", those before had "en and de"',
        ),
        ('[{"en": "disk", "de": []}]', 'line 2: "de" must be a text, or a list of texts'),
        ('[{"en": "disk", "de": 3}]', 'line 2: "de" must be a text, or a list of texts'),
    ],
)
def test_a_bad_list_of_terms_is_told_by_line(folder, line, said):
    (folder / "terms.jsonl").write_text(f'[{{"en": "disk", "de": "Platte"}}]\n{line}\n')
    assert said in complaint(
        "score", folder / "out.de", folder / "ref.de", "--terms", folder / "terms.jsonl"
    )


def test_files_without_anything_to_score_are_told(folder):
    (folder / "empty").write_text("")
    assert complaint("score", folder / "empty", folder / "empty").startswith(
        f"{folder / 'empty'} is empty"
    )
    assert "ends before line 1" in complaint("score", folder / "empty", folder / "ref.de")
    (folder / "blank").write_text("eins\n \n")
    assert complaint("score", folder / "out.de", folder / "blank").startswith(
        f"{folder / 'blank'} line 2: the reference is blank"
    )
    (folder / "terms.jsonl").write_text("[]\n[]\n")
    assert "lists no terms" in complaint(
        "score", folder / "out.de", folder / "ref.de", "--terms", folder / "terms.jsonl"
    )


def test_a_blank_translation_is_a_bad_one(folder):
    (folder / "out.de").write_text("\n\n")
    found = values(score(folder / "out.de", folder / "ref.de", terms=folder / "terms.jsonl"))
    assert (found["BLEU"], found["TER"], found["terms exact"], found["window 2"]) == (0, 100, 0, 0)
    assert found["1 - TERm"] == pytest.approx(100 * (1 - (7 / 6 + 8 / 6) / 2), abs=1e-4)


def met_by_search(text, wordings):
    """How many terms are said, by a search for their words with spaces around them.

    The judge of real text.
    """
    said = f" {'  '.join(TextWords(text).words)} "
    asked = Counter("  ".join(TextWords(wording.texts[0]).words) for wording in wordings)
    return sum(min(times, said.count(f" {words} ")) for words, times in asked.items())


@pytest.mark.slow
@pytest.mark.skipif(not TERMINOLOGY.exists(), reason="needs the shared data")
@pytest.mark.parametrize("name", ["newstest2017-iate.414", "newstest2017-wikt.727"])
def test_terms_of_real_news_are_counted_as_a_plain_search_counts_them(name):
    terms = listed(TERMINOLOGY / f"{name}.terms.jsonl")
    references = (TERMINOLOGY / f"{name}.de").read_text(encoding="utf8").splitlines()
    draw = random.Random(0)
    texts = [" ".join(word for word in text.split() if draw.random() > 0.2) for text in references]
    found = {each.name: each.parts for each in term_scores(texts, references, terms)}
    wanted = [
        met_by_search(text, due.required) for text, due in zip(texts, terms.segments, strict=True)
    ]
    assert found["terms exact"][:, 0].tolist() == wanted
    assert found["terms by lemma"][:, 0].sum() >= sum(wanted)
    assert (
        ratio(found["terms exact"])
        < 90
        < ratio(term_scores(references, references, terms)[0].parts)
    )


def test_lemmas_of_both_sides_are_compared():
    lemma = lemmatizer("de", "target")
    assert Wording(("alte Festplatte",)).inflected_places(
        TextWords("zwei alten Festplatten"), lemma
    ) == [(1, 3)]
    assert Wording(("löschen",)).inflected_places(TextWords("das Löschen"), lemma) == []


def test_the_glossary_may_name_the_languages(folder):
    assert (
        ask(
            "glossary",
            "convert",
            folder / "terms.tsv",
            folder / "terms.tbx",
            "--source",
            "en",
            "--target",
            "de",
        ).exit_code
        == 0
    )
    assert read(folder / "terms.tbx").target_language == "de"
    found = score(
        folder / "out.de",
        folder / "ref.de",
        glossary=folder / "terms.tbx",
        source=folder / "in.en",
        lemmas=True,
    )
    assert values(found)["terms by lemma"] == pytest.approx(200 / 3, abs=1e-4)
