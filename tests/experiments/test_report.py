"""Tables and figures from fixed logs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gridbeam import UserError
from gridbeam.cli import app
from gridbeam.experiments.defaults import AS_IN_PAPER
from gridbeam.experiments.draft import PlayedDraft
from gridbeam.experiments.examples import best, examples
from gridbeam.experiments.log import read
from gridbeam.experiments.report import draw, fill, keep_summaries, put_into, report
from gridbeam.experiments.table import Table

ROOT = Path(__file__).parents[2]
BLEU = {"strict": (18.0, 29.5, 40.25), "relaxed": (18.0, 27.0, 36.0)}


def header(**options):
    given = {
        "name": "newstest2013",
        "languages": "en-de",
        "method": "pick",
        "beam": 10,
        "limit": None,
    }
    given |= {"length_penalty": 0.0, "length_reward": 0.2}
    return {
        "experiment": "pick-revise",
        "model": "general:en-de",
        "weights": "abc",
        "data": [["newstest2013.en", "d1"]],
        "options": {**given, **options},
    }


def summary(cycle, value):
    return {
        "key": f"summary/{cycle}",
        "kind": "summary",
        "cycle": cycle,
        "sentences": 2,
        "equal": cycle,
        "scores": {"BLEU": value, "chrF": 50.0 + cycle, "TER": 60.0 - cycle},
        "signatures": {"BLEU": "nrefs:1|v", "chrF": "nrefs:1|c", "TER": "nrefs:1|t"},
        "met": [2 * cycle, 2 * cycle],
        "outside": {"sentences": 2, "before": 20.0, "after": 21.5} if cycle else None,
        "effort": {"words": 3 * cycle, "keystrokes": 20 * cycle, "clicks": cycle},
        "words_typed": 12.5 * cycle,
        "ksmr": 10.25 * cycle,
        "searched": 2,
        "seconds": 0.125,
        "expanded": 320.0,
        "stopped_early": 50.0,
        "fell_back": 0,
    }


def written(path, head, records):
    lines = [{"header": head, "signature": "gridbeam 0.1.0, a machine"}, *records]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf8")
    return path


@pytest.fixture
def logs(tmp_path):
    return [
        written(
            tmp_path / f"{mode}.jsonl",
            header(mode=mode, pick="first"),
            [*PAIRS, *DRAFTS, *(summary(cycle, value) for cycle, value in enumerate(values))],
        )
        for mode, values in BLEU.items()
    ]


SENTENCES = [
    ("He came.", "Er kam gestern.", ["Er ging.", "Er kam.", "Er kam gestern."]),
    ("Yes & no | 5%", "Ja & nein", ["Ja & nein", "Ja & nein", "Ja & nein"]),
]
PAIRS = [
    {
        "key": f"pair/{number}",
        "kind": "pair",
        "number": number,
        "source": source,
        "reference": reference,
    }
    for number, (source, reference, _) in enumerate(SENTENCES)
]
GIVEN = {
    0: [((), ()), (((1, 2),), ((3, 6),)), (((1, 2), (2, 3)), ((3, 6), (7, 14)))],
    1: [((), ())] * 3,
}
DRAFTS = [
    PlayedDraft(number, cycle, text, *GIVEN[number][cycle]).as_record()
    for number, (_, _, texts) in enumerate(SENTENCES)
    for cycle, text in enumerate(texts)
]


def test_bleu_of_each_cycle_stands_beside_the_papers(logs):
    lines = report(logs).splitlines()
    assert "| BLEU | 0 | 1 | 2 | gain |" in lines
    assert "| en-de newstest2013, strict | 18.00 | 29.50 | 40.25 | +22.25 |" in lines
    assert "| en-de newstest2013, relaxed | 18.00 | 27.00 | 36.00 | +18.00 |" in lines
    assert "| paper: en-de newstest2013, strict | 18.44 | 27.64 | 36.66 | +25.48 |" in lines


def test_cost_and_effort_are_shown_by_cycle(logs):
    line = next(
        line
        for line in report(logs).splitlines()
        if line.startswith("| en-de newstest2013, strict | 2 |")
    )
    assert line.endswith(
        "| 52.00 | 58.00 | 2 | 25.0 | 20.5 | 4 of 4 | 20.00 → 21.50 | 0.125 | 320 | 50.0 |"
    )


def test_every_number_is_signed_once(logs):
    shown = report(logs)
    for note in (
        "BLEU: nrefs:1|v",
        "model general:en-de, weights abc, beam 10",
        "newstest2013.en d1",
        "gridbeam 0.1.0, a machine",
    ):
        assert shown.count(f"*{note}*") == 1


def test_tables_for_latex_compile_in_principle(logs):
    shown = report(logs, "latex")
    assert shown.count(r"\begin{tabular}") == shown.count(r"\end{tabular}") == 2
    assert r"en-de newstest2013, strict & 18.00 & 29.50 & 40.25 & +22.25 \\" in shown
    assert not re.search(
        r"(?<!\\)[%_#]", "\n".join(line for line in shown.splitlines() if not line.startswith("%"))
    )


def test_variants_are_named_in_their_rows(tmp_path):
    log = written(
        tmp_path / "a.jsonl",
        header(method="prefix", limit=50, length_penalty=0.5, coverage="placed", budget=20),
        [summary(0, 10.0)],
    )
    assert (
        "| en-de newstest2013, prefix, budget 20, coverage placed, length penalty 0.5, first 50 |"
        " 10.00 |  |" in report([log]).splitlines()
    )


def test_a_run_with_the_papers_settings_is_named_so(tmp_path):
    how = {**AS_IN_PAPER.as_values(), "pick": "longest", "units": "tokens", "mode": "strict"}
    log = written(tmp_path / "paper.jsonl", header(**how), [summary(0, 18.0)])
    assert "| en-de newstest2013, strict, as in the paper |" in report([log])
    log = written(tmp_path / "other.jsonl", header(**{**how, "max_ratio": 2.0}), [summary(0, 18.0)])
    assert "strict, longest, tokens, max ratio 2, coverage placed" in report([log])
    with pytest.raises(UserError, match="its user gave tokens"):
        examples(log)


def test_tokenised_bleu_stands_beside_the_other_where_it_was_measured(tmp_path, logs):
    assert "tokenised" not in report(logs)
    measured = {**summary(0, 18.0), "tokenised_bleu": 19.5}
    log = written(tmp_path / "measured.jsonl", header(mode="strict"), [measured])
    assert "| tokenised BLEU | chrF |" in report([log]) and "| 19.50 | 50.00 |" in report([log])


def test_an_unknown_experiment_is_told(tmp_path):
    log = written(tmp_path / "a.jsonl", {**header(), "experiment": "other"}, [summary(0, 1.0)])
    with pytest.raises(
        UserError, match="a run of other, which is not known here: there is pick-revise"
    ):
        report([log])


def test_a_page_is_filled_between_its_marks_and_stays_so(tmp_path, logs):
    page = tmp_path / "results.md"
    page.write_text(
        "before\n<!-- pick-revise -->\nold\n<!-- end -->\nafter\n<!-- examples -->\nx\n<!-- end"
        " -->\n",
        encoding="utf8",
    )
    fill(page, logs)
    filled = page.read_text(encoding="utf8")
    assert filled.startswith("before\n<!-- pick-revise -->\n**BLEU") and "old" not in filled
    assert filled.endswith("<!-- end -->\nafter\n<!-- examples -->\nx\n<!-- end -->\n")
    fill(page, logs)
    assert page.read_text(encoding="utf8") == filled
    with pytest.raises(UserError, match=r"no place for this. Put the lines <!-- other -->"):
        put_into(page, "other", "text")


def test_summaries_alone_give_the_same_report(tmp_path, logs):
    keep_summaries(logs, tmp_path / "kept")
    short = [tmp_path / "kept" / log.name for log in logs]
    assert report(short) == report(logs)
    assert short[0].stat().st_size < logs[0].stat().st_size
    with pytest.raises(UserError, match="is a summary"):
        examples(short[0])


def test_the_figure_tells_runs_apart_without_colour(tmp_path, logs):
    draw(logs, tmp_path / "bleu.svg")
    drawn = (tmp_path / "bleu.svg").read_text(encoding="utf8")
    assert "<svg" in drawn
    assert (
        "stroke-dasharray: none" in drawn or "stroke-linecap: square" in drawn
    )  # the first line is solid
    assert re.search(r"stroke-dasharray: [\d.]+,", drawn)  # the second is not
    with pytest.raises(UserError, match=r"ends in .svg, .png or .pdf"):
        draw(logs, tmp_path / "bleu.xyz")


def test_what_has_no_results_is_told(tmp_path, logs):
    empty = written(tmp_path / "e.jsonl", header(), [])
    with pytest.raises(UserError, match="no results yet"):
        report([empty])
    with pytest.raises(UserError, match='unknown format "html"'):
        report(logs, "html")
    other = written(
        tmp_path / "o.jsonl", {**header(), "experiment": "terminology"}, [summary(0, 1.0)]
    )
    with pytest.raises(UserError, match="none of these logs has cycles"):
        draw([other], tmp_path / "x.svg")
    with pytest.raises(UserError, match="is a run of terminology"):
        examples(other)


def test_examples_are_those_that_gained_most_with_what_was_given_in_bold(logs):
    first, second = best(read(logs[0]), 5)
    assert first.after == pytest.approx(100) and first.gain > 0 == second.gain
    assert first.share_given == 0.5 and [
        each.gain for each in best(read(logs[0]), 5, most_given=0.4)
    ] == [0.0]
    shown = examples(logs[0], 1)
    assert "| Constrained hypothesis | Er **kam** **gestern**. (100.0) |" in shown
    assert "| Constraints | (1) kam; (2) gestern |" in shown
    assert f"| Original hypothesis | Er ging. ({first.before:.1f}) |" in shown


def test_examples_for_latex_are_those_of_the_papers_third_table(logs):
    shown = examples(logs[0], 2, "latex")
    assert r"Er \textbf{kam} \textbf{gestern}. & \\" in shown
    assert r"Er kam gestern. & (1) kam \newline (2) gestern \\" in shown
    assert r"Yes \& no \textbar{} 5\%" in shown


def test_cells_cannot_break_a_table():
    table = Table("t", ("a", "b"), (("x|y", "1_2%"),))
    assert r"| x\|y | 1_2% |" in table.markdown() and r"x\textbar{}y & 1\_2\% \\" in table.latex()


def test_the_commands_print_fill_draw_and_keep(tmp_path, logs):
    page = tmp_path / "page.md"
    page.write_text("<!-- pick-revise -->\n<!-- end -->\n<!-- examples -->\n<!-- end -->\n")
    names = list(map(str, logs))
    printed = CliRunner().invoke(app, ["experiment", "report", *names])
    assert printed.stdout.rstrip("\n") == report(logs)
    where = [
        "--into",
        str(page),
        "--figure",
        str(tmp_path / "f.svg"),
        "--summaries",
        str(tmp_path / "kept"),
    ]
    done = CliRunner().invoke(app, ["experiment", "report", *names, *where])
    assert (
        done.exit_code == 0
        and (tmp_path / "f.svg").exists()
        and (tmp_path / "kept" / logs[0].name).exists()
    )
    assert (
        CliRunner().invoke(app, ["experiment", "examples", names[0], "--into", str(page)]).exit_code
        == 0
    )
    assert report(logs) in page.read_text("utf8") and "**kam**" in page.read_text("utf8")


def test_the_tables_of_the_results_page_are_those_of_the_logs_that_are_kept():
    kept = sorted((ROOT / "benchmarks" / "results" / "experiments").glob("*.jsonl"))
    if not kept:
        pytest.skip("no experiment has been run yet")
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf8")
    for name in {read(log).experiment for log in kept}:
        assert report([log for log in kept if read(log).experiment == name]) in page


def test_the_table_of_lengths_has_the_numbers_of_its_runs():
    page = (ROOT / "docs" / "search.md").read_text(encoding="utf8").replace("**", "")
    runs = sorted((ROOT / "benchmarks" / "results" / "lengths").glob("*.jsonl"))
    assert len(runs) >= 4
    for log in map(read, runs):
        options = log.header["options"]
        how = [f"{options['length_penalty']:g}", f"{options['length_reward']:g}"]
        how.append("none" if options["max_ratio"] is None else f"{options['max_ratio']:g}")
        found = [f"{record['scores']['BLEU']:.2f}" for record in log.records("summary")]
        assert f"| {' | '.join([*how, *found])} |" in page
