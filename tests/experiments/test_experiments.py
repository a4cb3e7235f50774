"""Experiments on a tiny model: what a run logs, that it resumes, and the measures by hand."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest
import tiny
from other_options import other_value
from transformers import MarianMTModel
from typer.testing import CliRunner

from gridbeam import UserError
from gridbeam.cli import app
from gridbeam.decoding.options import NAMES
from gridbeam.editing.effort import Effort
from gridbeam.evaluation.metrics import bleu, scores, tokenised_bleu
from gridbeam.experiments.cycles import summary
from gridbeam.experiments.defaults import AS_IN_PAPER, EXPERIMENTS, as_in_paper
from gridbeam.experiments.draft import PlayedDraft
from gridbeam.experiments.log import Log, header, read, save_summary
from gridbeam.experiments.outside import covered, in_place_of, without
from gridbeam.experiments.pickrevise import PickReviseSetting, run
from gridbeam.experiments.reference import ReferenceText, in_tokens
from gridbeam.experiments.users import method
from gridbeam.translation.translator import Request, Translator

SOURCES = [f"The {noun} is {state}." for noun in tiny.NOUNS[:5] for state in ("full", "empty")]
REFERENCES = [f"Die {noun} ist {state}." for noun in tiny.NOUNS[7:] for state in ("voll", "leer")]
DATA = Path(__file__).parents[3] / "shared" / "data"


@cache
def model():
    """The folder of a tiny model that comes to an end before long."""
    folder = Path(mkdtemp(prefix="ending-"))
    shutil.copytree(tiny.marian(), folder, dirs_exist_ok=True)
    network = MarianMTModel.from_pretrained(folder)
    network.final_logits_bias[:, 0] += 4
    network.save_pretrained(folder)
    return folder


def setting(folder, **how):
    for name, lines in (("toy.en", SOURCES), ("toy.de", REFERENCES)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf8")
    return PickReviseSetting(
        folder / "toy.en",
        folder / "toy.de",
        f"hf:{model()}",
        "de",
        **{"search": EXPERIMENTS.but(beam=2), **how},
    )


def without_time(path):
    """The records of sentences, but for how long they took."""
    records = read(path).records("sentence")
    return {
        r["key"]: {**r, "search": r["search"] and {**r["search"], "seconds": 0}} for r in records
    }


@pytest.mark.parametrize(
    ("way", "mode", "size"),
    [
        ("pick", "strict", 10),
        ("pick", "relaxed", 3),
        ("prefix", "strict", 3),
        ("segments", "strict", 3),
    ],
)
def test_a_run_of_ten_sentences_meets_all_that_was_given_and_gains(tmp_path, way, mode, size):
    log = run(
        setting(tmp_path, method=way, mode=mode, limit=size),
        tmp_path / "run.jsonl",
        cycles=2,
        batch_size=10,
    )
    summaries = log.records("summary")
    assert [record["cycle"] for record in summaries] == [0, 1, 2]
    assert len(log.records("sentence")) == 3 * size and len(log.records("pair")) == size
    for record in summaries[1:]:
        met, due = record["met"]
        assert met == due >= size
    assert (
        summaries[0]["scores"]["chrF"]
        < summaries[1]["scores"]["chrF"]
        < summaries[2]["scores"]["chrF"]
    )
    assert summaries[0]["effort"] == {"words": 0, "keystrokes": 0, "clicks": 0}
    assert summaries[2]["effort"]["words"] > summaries[1]["effort"]["words"] >= size
    assert all(record["searched"] == size and record["expanded"] > 0 for record in summaries[:2])


def test_a_user_who_gives_tokens_of_the_model_may_cut_words(tmp_path):
    how = setting(tmp_path, units="tokens", pick="longest", limit=4)
    log = run(how, tmp_path / "run.jsonl", cycles=2)
    translator = Translator.load(how.model, target="de")
    read_tokens = in_tokens(translator)
    for number in range(4):
        reference, record = read_tokens(REFERENCES[number]), log[f"2/{number}"]
        given = [reference.tokens[slice(*stretch)] for stretch in record["given"]]
        assert given and all(len(phrase) <= 3 for phrase in given)
        said = "".join(map(translator.word, read_tokens(record["text"]).tokens))
        for phrase in given:
            assert "".join(map(translator.word, phrase)).strip("▁") in said
    for record in log.records("summary"):
        assert record["met"][0] == record["met"][1] and record["outside"] is None


def test_the_places_of_tokens_are_those_of_their_letters():
    text = "Die  Katze frißt, 日 was?"
    found = in_tokens(Translator.load(f"hf:{model()}", target="de"))(text)
    assert found.text == "Die Katze frißt, 日 was?"
    written = "".join(found.text[slice(*place)] for place in found.places)
    assert set(written) >= set(found.text) - {" "}
    assert len(found.words) == len(found.tokens) == len(found.places)
    assert found.phrase((0, 2)).content == found.tokens[:2]


def test_tokens_are_given_to_the_user_who_picks_only(tmp_path):
    with pytest.raises(UserError, match="--units tokens is for --method pick"):
        setting(tmp_path, units="tokens", method="prefix")


def test_the_papers_search_is_taken_whole_or_not_at_all():
    assert as_in_paper(EXPERIMENTS.but(beam=3)) == AS_IN_PAPER.but(beam=3)
    assert as_in_paper(EXPERIMENTS.but(length_penalty=1.0)) == AS_IN_PAPER
    message = r"length_reward=0.4: the paper has 0.0; leave out this or --as-in-paper"
    with pytest.raises(UserError, match=message):
        as_in_paper(EXPERIMENTS.but(length_reward=0.4))


def test_the_scores_of_a_cycle_are_those_of_its_texts(tmp_path):
    log = run(setting(tmp_path, limit=4), tmp_path / "run.jsonl", cycles=1)
    texts = [log[f"1/{number}"]["text"] for number in range(4)]
    found = {score.name: score.value for score in scores(texts, REFERENCES[:4])}
    assert (
        log["summary/1"]["scores"] == found and "version" in log["summary/1"]["signatures"]["BLEU"]
    )
    assert log["summary/1"]["tokenised_bleu"] == tokenised_bleu(texts, REFERENCES[:4]).value
    assert "tok:none" in log["summary/1"]["signatures"]["tokenised BLEU"]


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_and_comes_to_the_same(tmp_path):
    how = setting(tmp_path, pick="random", seed=3, limit=4)
    whole, broken = tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    run(how, whole, cycles=2, batch_size=2)
    lines = whole.read_bytes().splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if b'"key": "1/3"' in line)
    broken.write_bytes(b"".join(lines[:place]) + lines[place][:20])
    run(how, broken, cycles=2, batch_size=2)
    assert without_time(broken) == without_time(whole)
    size = whole.stat().st_size
    run(how, whole, cycles=2)
    assert whole.stat().st_size == size


def test_more_cycles_go_on_from_those_that_are_there(tmp_path):
    how = setting(tmp_path, limit=2)
    run(how, tmp_path / "run.jsonl", cycles=0)
    log = run(how, tmp_path / "run.jsonl", cycles=1)
    assert [record["cycle"] for record in log.records("summary")] == [0, 1]


def test_another_setting_is_refused(tmp_path):
    run(setting(tmp_path, limit=2), tmp_path / "run.jsonl", cycles=0)
    with pytest.raises(
        UserError,
        match=r"another option beam \(2, not 3\)\. Run what it was begun with, or give a new file",
    ):
        run(
            setting(tmp_path, limit=2, search=EXPERIMENTS.but(beam=3)),
            tmp_path / "run.jsonl",
            cycles=0,
        )


def test_what_cannot_be_met_leaves_the_sentence_and_is_counted(tmp_path):
    how = setting(tmp_path, limit=1, mode="relaxed")
    (tmp_path / "toy.de").write_text(
        "Festplatte" * 80 + "\n" + "".join(f"{line}\n" for line in REFERENCES[1:]), encoding="utf8"
    )
    log = run(how, tmp_path / "run.jsonl", cycles=1)
    assert log["1/0"]["text"] == log["0/0"]["text"] and "64" in log["1/0"]["unmet"]
    assert log["summary/1"]["met"] == [0, 1]


def test_mistakes_in_a_setting_are_told(tmp_path):
    with pytest.raises(UserError, match="--mode lax: must be strict, relaxed or whole"):
        setting(tmp_path, mode="lax")
    how = setting(tmp_path)
    (tmp_path / "toy.de").write_text("a\n\n" + "b\n" * 8, encoding="utf8")
    with pytest.raises(UserError, match=r"toy.de line 2 is blank"):
        run(how, tmp_path / "run.jsonl")


def drafts_of(texts, given=(), spans=(), effort=None):
    return [
        PlayedDraft(number, 1, text, given, spans, effort or Effort())
        for number, text in enumerate(texts)
    ]


def test_effort_is_summed_over_all_sentences():
    references = [ReferenceText.of("ab cd"), ReferenceText.of("efghi")]
    now = drafts_of(["ab cd", "x"], given=((0, 1),), effort=Effort(1, 2, 1))
    found = summary(1, drafts_of(["", ""]), now, references, method("pick", "strict", "first"))
    assert found["effort"] == {"words": 2, "keystrokes": 4, "clicks": 2}
    assert found["words_typed"] == pytest.approx(100 * 2 / 3, abs=1e-3)
    assert found["ksmr"] == pytest.approx(100 * 6 / 10)
    assert found["met"] == [1, 2] and found["equal"] == 1


def test_the_global_effect_of_the_worked_example():
    """The example of docs/experiments.md: `nahm` was given, and the rest got better by itself."""
    reference = ReferenceText.of("Er nahm an vielen Kampagnen teil.")
    plain, revised = (
        ReferenceText.of("Er war bei vielen Aktionen dabei."),
        ReferenceText.of("Er nahm an vielen Aktionen teil."),
    )
    given, span = {1}, (3, 7)
    assert without(reference, given) == "Er an vielen Kampagnen teil ."
    assert without(plain, in_place_of(given, reference, plain)) == "Er bei vielen Aktionen dabei ."
    assert without(revised, covered(revised, [span])) == "Er an vielen Aktionen teil ."
    found = summary(
        1,
        drafts_of([plain.text]),
        drafts_of([revised.text], ((1, 2),), (span,)),
        [reference],
        method("pick", "strict", "first"),
    )["outside"]
    assert found == {
        "sentences": 1,
        "before": pytest.approx(
            bleu(["Er bei vielen Aktionen dabei ."], ["Er an vielen Kampagnen teil ."]), abs=1e-3
        ),
        "after": pytest.approx(
            bleu(["Er an vielen Aktionen teil ."], ["Er an vielen Kampagnen teil ."]), abs=1e-3
        ),
    }
    assert found["before"] < found["after"]


def test_constraints_alone_have_no_global_effect():
    """Where only the given word replaced a wrong one, the text outside it is as good as before."""
    reference, plain, revised = (
        ReferenceText.of("Er nahm an."),
        ReferenceText.of("Er lief an."),
        ReferenceText.of("Er nahm an."),
    )
    outside_before = without(plain, in_place_of({1}, reference, plain))
    assert outside_before == without(revised, covered(revised, [(3, 7)])) == without(reference, {1})


def test_words_are_aligned_with_the_fewest_edits():
    reference, text = ReferenceText.of("a b c d"), ReferenceText.of("x a c e")
    assert in_place_of({0, 1, 2, 3}, reference, text) == {1, 2, 3}
    assert in_place_of({1}, reference, text) == set()
    assert in_place_of({3}, reference, text) == {3}


def about(**options):
    return {"experiment": "try", "model": "m", "weights": "w", "data": [], "options": options}


def test_a_log_gives_back_its_records_by_key_and_by_kind(tmp_path):
    with Log(tmp_path / "run.jsonl", about(beam=5)) as log:
        log.add({"key": "a", "kind": "sentence", "text": "ä\u2028b"})
        log.add({"key": "b", "kind": "summary", "n": 1})
    with Log(tmp_path / "run.jsonl", about(beam=5)) as again:
        assert "a" in again and again["a"]["text"] == "ä\u2028b" and list(again) == ["a", "b"]
        assert [record["key"] for record in again.records("summary")] == ["b"]
        assert read(tmp_path / "run.jsonl").header == about(beam=5)
        with pytest.raises(ValueError, match="there already"):
            again.add({"key": "a", "kind": "sentence"})


@pytest.mark.parametrize("name", NAMES)
def test_a_log_with_another_option_of_the_search_is_not_gone_on_with(tmp_path, name):
    def begun(search):
        return header("try", model="m", data=[], search=search, options={"limit": 2})

    path = tmp_path / "run.jsonl"
    Log(path, begun(EXPERIMENTS)).close()
    other = EXPERIMENTS.but(**{name: other_value(name, EXPERIMENTS)})
    with pytest.raises(UserError, match=rf"another option {name} \(.*, not .*\)"):
        Log(path, begun(other))
    Log(path, begun(EXPERIMENTS)).close()


def test_two_runs_do_not_write_to_one_log(tmp_path):
    with Log(tmp_path / "run.jsonl", about()) as log:
        log.add({"key": "a", "kind": "x"})
        with pytest.raises(
            UserError, match=r"run.jsonl is being written by another run. Wait until it has ended"
        ):
            Log(tmp_path / "run.jsonl", about())
    with Log(tmp_path / "run.jsonl", about()) as log:
        assert list(log) == ["a"]


@pytest.mark.parametrize("kept", [0, 10])
def test_a_log_cut_off_in_its_first_line_is_begun_anew(tmp_path, kept):
    path = tmp_path / "run.jsonl"
    Log(path, about()).close()
    path.write_bytes(path.read_bytes()[:kept])
    with Log(path, about(beam=2)) as log:
        log.add({"key": "a", "kind": "x"})
    assert read(path).header == about(beam=2) and "a" in read(path).all


def test_a_log_names_every_machine_it_was_written_on(tmp_path, monkeypatch):
    monkeypatch.setattr("gridbeam.experiments.log.signature", lambda: "one")
    Log(tmp_path / "run.jsonl", about()).close()
    monkeypatch.setattr("gridbeam.experiments.log.signature", lambda: "other")
    for _ in range(2):
        with Log(tmp_path / "run.jsonl", about()) as log:
            log.add({"key": f"{_}", "kind": "summary"})
    assert read(tmp_path / "run.jsonl").signatures == ("one", "other")
    save_summary(read(tmp_path / "run.jsonl"), tmp_path / "short.jsonl")
    assert read(tmp_path / "short.jsonl").signatures == ("one", "other")


def test_files_that_are_no_logs_are_told(tmp_path):
    path = tmp_path / "x.jsonl"
    for text in ("\n", "[]\n", '{"key": "a", "kind": "b"}\n'):
        path.write_text(text)
        with pytest.raises(UserError, match=r"x.jsonl line 1: this is no"):
            read(path)
    with pytest.raises(UserError, match="cannot be read"):
        read(tmp_path / "none.jsonl")
    with pytest.raises(UserError, match="cannot be written"):
        Log(tmp_path / "no" / "run.jsonl", about())


def test_a_header_tells_data_and_weights_apart(tmp_path):
    data = tmp_path / "a.en"
    data.write_text("one\n")
    before = header("try", model=f"hf:{model()}", data=[data], search=EXPERIMENTS, options={})
    data.write_text("two\n")
    after = header("try", model=f"hf:{model()}", data=[data], search=EXPERIMENTS, options={})
    assert before["data"] != after["data"] and before["weights"] == after["weights"] != "unknown"


def test_the_command_runs_prints_a_table_and_shows_examples(tmp_path):
    setting(tmp_path)
    files = [
        "--src",
        str(tmp_path / "toy.en"),
        "--ref",
        str(tmp_path / "toy.de"),
        "-o",
        str(tmp_path / "run.jsonl"),
    ]
    how = ["-m", f"hf:{model()}", "--target", "de", "--beam", "2", "--cycles", "1", "--limit", "3"]
    done = CliRunner().invoke(app, ["experiment", "pick-revise", *files, *how])
    assert done.exit_code == 0, done.output
    assert "| en-de toy, strict, first 3 |" in done.stdout
    shown = CliRunner().invoke(
        app, ["experiment", "examples", str(tmp_path / "run.jsonl"), "--count", "2"]
    )
    assert shown.stdout.count("| Constrained hypothesis |") == 2 and "**" in shown.stdout
    refused = CliRunner().invoke(app, ["experiment", "pick-revise", *files, "--pick", "last"])
    assert refused.exit_code == 2


@pytest.mark.slow
@pytest.mark.skipif(not DATA.exists(), reason="needs the data")
def test_a_short_real_run_gains(tmp_path):
    """Two sentences of news and the model of the experiments, where they are there."""
    folder = pytest.importorskip("gridbeam.models.load").FOLDERS["general"]
    if not (folder / "model.safetensors").exists():
        pytest.skip("the weights are not here")
    test = DATA / "test" / "en-de"
    how = PickReviseSetting(
        test / "newstest2013.en",
        test / "newstest2013.de",
        "general:en-de",
        limit=2,
        search=EXPERIMENTS.but(beam=5),
    )
    log = run(how, tmp_path / "run.jsonl", cycles=1)
    assert log["summary/0"]["scores"]["BLEU"] < log["summary/1"]["scores"]["BLEU"]
    assert (
        json.loads((tmp_path / "run.jsonl").read_text("utf8").splitlines()[0])["header"]["options"][
            "languages"
        ]
        == "en-de"
    )


def test_the_work_of_a_search_is_what_its_recorded_grid_shows():
    translator = Translator.load(f"hf:{model()}", target="de")
    request, how = Request("The disk is full.", ["Festplatte"]), {"beam": 3, "trace": True}
    found = (
        translator.translate(request, length_penalty=1, length_reward=0, **how)
        .sentences[0]
        .hypothesis
    )
    widths = [len(column) for column in found.trace.columns]
    assert found.work.columns == len(widths) == found.work.limit and not found.work.stopped_early
    # Each column is made from what went on of the one before; the first, from the start alone.
    assert found.work.columns <= found.work.expanded <= 1 + sum(widths[:-1])
    greedy = translator.translate("The disk is full.", beam=1).sentences[0].hypothesis
    assert (
        greedy.work.expanded == greedy.work.columns >= len(greedy.tokens)
        and greedy.work.stopped_early
    )


def test_workers_log_what_one_process_logs(tmp_path, monkeypatch):
    from small_jobs import here

    from gridbeam.distributed import requests
    from gridbeam.distributed.engines import WorkerEngine

    alone, many = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    run(setting(tmp_path, limit=4), alone, cycles=1)
    monkeypatch.setattr(requests, "pool_of", here)
    run(setting(tmp_path, limit=4), many, cycles=1, batch_size=2, engine=WorkerEngine("here", 2))
    assert without_time(many) == without_time(alone)
    assert read(many).header == read(alone).header
