"""Training: tiny models learn their text by heart, the best one is kept, and others can load it."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from itertools import chain, pairwise
from xml.etree import ElementTree

import lessons
import pytest
import sacrebleu
import torch
import transformers
from small_runs import SHORT, log, same, trained, weights
from typer.testing import CliRunner

import gridbeam.training.prepare
from gridbeam import UserError
from gridbeam.cli import app
from gridbeam.training.config import Training
from gridbeam.training.corpus import Pairs
from gridbeam.training.events import Prepared, TrainingProgress, Validation
from gridbeam.training.optimizers import learning_rate
from gridbeam.training.show import in_line
from gridbeam.translation.translator import Request, Translator

slow = pytest.mark.slow


# Overfitting


@slow
def test_a_tiny_model_learns_its_text_by_heart(run):
    reports = [event for event in run.events if isinstance(event, TrainingProgress)]
    assert reports[0].loss > 4 and reports[-1].loss < 0.3
    assert [report.update for report in reports] == list(range(10, reports[-1].update + 1, 10))
    (*_, last) = (event for event in run.events if isinstance(event, Validation))
    assert last.update == reports[-1].update and last.loss < 0.2


@slow
@pytest.mark.parametrize("target", ["de", "fr"])
def test_the_best_model_translates_what_it_has_learned(run, target):
    translator = Translator.load(run.best, target=target)
    place = {"de": 1, "fr": 2}[target]
    found = translator.translate_all([each[0] for each in run.sentences], beam=1, batch_size=32)
    texts = [translation.text for translation in found]
    assert (
        sacrebleu.BLEU().corpus_score(texts, [[each[place] for each in run.sentences]]).score > 80
    )


@slow
def test_the_best_model_meets_constraints_in_every_language(run):
    for target, phrases in (
        ("de", ["das Buch", "Ordner", "Grundgesetz №"]),
        ("fr", ["l'écran", "neuf", "日本"]),
    ):
        translator = Translator.load(run.best, target=target)
        requests = [
            Request(source, [phrase])
            for (source, *_), phrase in zip(run.sentences, phrases, strict=False)
        ]
        for translation, phrase in zip(
            translator.translate_all(requests, beam=3), phrases, strict=True
        ):
            assert phrase in translation.text
            assert [translation.text[start:end] for start, end in translation.spans[0]] == [phrase]


# What a run leaves


@slow
def test_a_run_leaves_no_pickles_and_nothing_half_done(run):
    files = [path for path in run.folder.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} <= {
        ".json",
        ".jsonl",
        ".safetensors",
        ".npz",
        ".model",
        ".spm",
    }
    assert sorted(path.name for path in run.folder.iterdir()) == [
        "best",
        "config.json",
        "data",
        "last",
        "log.jsonl",
        "signature.json",
        "vocabulary.model",
    ]


@slow
def test_the_log_says_what_happened(run):
    entries = [json.loads(line) for line in (run.folder / "log.jsonl").read_text().splitlines()]
    reported = [event for event in run.events if not isinstance(event, Prepared)]
    assert [entry["update"] for entry in entries] == [event.update for event in reported]
    assert {
        "loss",
        "learning_rate",
        "gradient",
        "tokens",
        "tokens_per_second",
        "waiting",
    } <= entries[0].keys()
    progress = [entry for entry in entries if entry["kind"] == "progress"]
    assert all(
        one["tokens"] < two["tokens"] and one["seconds"] < two["seconds"]
        for one, two in pairwise(progress)
    )
    assert all(0 <= entry["waiting"] < 1 for entry in progress)
    assert set(entries[-1]["bleu"]) == {"toy.de", "toy.fr"}


@slow
def test_every_corpus_is_reported_as_it_is_prepared(run):
    prepared = [event for event in run.events if isinstance(event, Prepared)]
    assert [(event.name, event.pairs, event.read) for event in prepared] == [
        ("toy.de", 30, 30),
        ("toy.fr", 30, 30),
    ] * 2
    assert in_line(prepared[0]) == "toy.de: 30 of 30 pairs"


@slow
@pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
def test_the_best_transformer_loads_in_plain_transformers_and_translates_the_same(marian):
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(marian.best)
    tokenizer = transformers.AutoTokenizer.from_pretrained(marian.best)
    assert type(model).__name__ == "MarianMTModel" and type(tokenizer).__name__ == "MarianTokenizer"
    sources = [source for source, *_ in marian.sentences[:10]]
    for target in ("de", "fr"):
        batch = tokenizer(
            [f">>{target}<< {source}" for source in sources], return_tensors="pt", padding=True
        )
        with torch.no_grad():
            theirs = tokenizer.batch_decode(
                model.generate(**batch, num_beams=1, max_length=60), skip_special_tokens=True
            )
        ours = Translator.load(marian.best, target=target).translate_all(sources, beam=1)
        assert theirs == [translation.text for translation in ours]


@slow
def test_what_a_model_reads_is_encoded_as_it_was_in_training(run):
    translator = Translator.load(run.best, target="fr")
    (path,) = (run.folder / "data").glob("corpus-toy.fr-*.npz")
    pairs = Pairs.load(path)
    for (source, *_), start, end in zip(
        run.sentences, [0, *pairs.source_ends[:-1]], pairs.source_ends, strict=True
    ):
        assert translator._planner.encoded(source) == tuple(pairs.source[start:end])


# Validation


@slow
def test_training_ends_when_it_has_lost_patience(data, tmp_path):
    changes = [
        "training.learning_rate=1e-9",
        "training.validate_every=5",
        "training.patience=2",
        "training.bleu_sentences=2",
    ]
    events = trained(data, "marian", tmp_path / "run", changes)
    validations = [
        (event.update, event.is_best) for event in events if isinstance(event, Validation)
    ]
    assert validations == [(5, True), (10, False), (15, False)]
    assert json.loads((tmp_path / "run" / "last" / "state.json").read_text())["update"] == 15


@slow
def test_the_best_folder_is_that_of_the_best_validation(data, tmp_path):
    """Sentences that are none of its translations get worse by heart."""
    folder = tmp_path / "data"
    lessons.write(folder)
    for language in ("de", "fr"):
        lines = (folder / f"toy.{language}").read_text("utf8").splitlines(keepends=True)
        (folder / f"other.{language}").write_text("".join(reversed(lines)), "utf8")
    head, tail = lessons.MARIAN.split("[vocabulary]")
    corpus, development = head.split("[[development]]", 1)
    (folder / "marian.toml").write_text(
        corpus + "[[development]]" + development.replace("toy.", "other.") + "[vocabulary]" + tail
    )
    (folder / "other.en").write_bytes((folder / "toy.en").read_bytes())
    changes = [
        "training.best_by=loss",
        "training.bleu_sentences=0",
        "training.schedule=constant",
        "training.validate_every=20",
    ]
    events = trained(folder, "marian", tmp_path / "run", [*changes, "training.updates=140"])
    losses_found = {event.update: event.loss for event in events if isinstance(event, Validation)}
    best = min(losses_found, key=losses_found.get)
    assert 20 < best < 140
    assert [event.update for event in events if isinstance(event, Validation) and event.is_best][
        -1
    ] == best
    trained(folder, "marian", tmp_path / "until", [*changes, f"training.updates={best}"])
    found, expected = weights(tmp_path / "run" / "best"), weights(tmp_path / "until" / "best")
    assert same(found, expected)
    assert not same(found, weights(tmp_path / "run" / "last"))


@slow
def test_development_sets_of_the_same_name_and_corpora_named_twice_all_count(tmp_path):
    lessons.write(tmp_path)
    for language in ("de", "fr"):
        (tmp_path / language).mkdir()
        (tmp_path / language / "dev").write_bytes((tmp_path / f"toy.{language}").read_bytes())
    head, tail = lessons.MARIAN.split("[[development]]", 1)
    tail = tail.replace('"toy.de"', '"de/dev"').replace('"toy.fr"', '"fr/dev"')
    again = '[[corpus]]\nsource = "toy.en"\ntarget = "toy.de"\nlanguage = "de"\n\n'
    (tmp_path / "marian.toml").write_text(f"{head}{again}[[development]]{tail}", "utf8")
    events = trained(tmp_path, "marian", tmp_path / "run", [*SHORT, "training.updates=1"])
    assert [event.name for event in events if isinstance(event, Prepared)] == [
        "toy.de",
        "toy.fr",
        "de/dev",
        "fr/dev",
    ]
    assert set(events[-1].bleu) == {"dev", "fr/dev"}


@slow
def test_validation_bleu_is_that_of_sentences_from_all_over_the_set(marian):
    (_, *_, last) = (event for event in marian.events if isinstance(event, Validation))
    some = [marian.sentences[place] for place in (0, 3, 7, 11, 15, 18, 22, 26)]
    for target, place in (("de", 1), ("fr", 2)):
        found = Translator.load(marian.best, target=target).translate_all(
            [each[0] for each in some], beam=1
        )
        texts, references = [each.text for each in found], [each[place] for each in some]
        assert last.bleu[f"toy.{target}"] == round(
            sacrebleu.BLEU().corpus_score(texts, [references]).score, 2
        )


# Several processes


@slow
def test_two_processes_train_one_model_and_write_one_log(data, tmp_path):
    launch = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--nproc-per-node",
        "2",
        "-m",
        "gridbeam",
    ]
    arguments = ["train", data / "marian.toml", "--data", data, "--out", tmp_path / "run"]
    changes = list(chain.from_iterable(("--set", change) for change in SHORT))
    found = subprocess.run(
        [*launch, *map(str, arguments), *changes], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    entries = log(tmp_path / "run")
    assert [(entry["kind"], entry["update"]) for entry in entries] == [
        ("progress", 10),
        ("progress", 20),
        ("validation", 20),
        ("progress", 30),
        ("progress", 40),
        ("validation", 40),
    ]
    assert 4 < entries[0]["loss"] < 7
    assert entries[-1]["loss"] < entries[2]["loss"]
    assert found.stderr.count("update 40: development loss") == 1
    assert (
        Translator.load(str(tmp_path / "run" / "best"), target="de")
        .translate("The disk is old.")
        .text
    )


@slow
def test_text_prepared_by_any_number_of_threads_is_the_same(marian, tmp_path, monkeypatch):
    monkeypatch.setattr(gridbeam.training.prepare.os, "cpu_count", lambda: 5)
    trained(marian.data, "marian", tmp_path / "run", [*SHORT, "training.updates=1"])
    ours, theirs = (
        sorted((folder / "data").iterdir()) for folder in (tmp_path / "run", marian.folder)
    )
    assert [path.name for path in ours] == [path.name for path in theirs]
    assert [path.read_bytes() for path in ours] == [path.read_bytes() for path in theirs]


# Bad input


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("toy.fr", b"bonjour\n" * 29, r"toy\.fr ends before line 30, and \S*toy\.en goes on"),
        (
            "toy.fr",
            b"bonjour\n" * 12 + b"caf\xe9\n" + b"bonjour\n" * 17,
            r"toy\.fr line 13: byte 4 is not UTF-8",
        ),
        ("toy.en", None, r"toy\.en is not there\. Check the configuration, and --data\."),
        ("toy.de", b"\n" * 30, "there are no pairs to learn from"),
    ],
)
def test_text_that_cannot_be_learned_from_is_named(tmp_path, name, content, said):
    lessons.write(tmp_path)
    size = 290 if name == "toy.de" else 300  # no more pieces in two languages than in three
    text = lessons.MARIAN.replace("size = 340", f"size = {size}")
    if name == "toy.de":
        text = text.replace("toy.fr", "toy.de")
    (tmp_path / "marian.toml").write_text(text)
    (tmp_path / name).unlink()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=said):
        trained(tmp_path, "marian", tmp_path / "run")


@slow
def test_empty_lines_are_left_out_and_told(tmp_path):
    lessons.write(tmp_path)
    lines = (tmp_path / "toy.fr").read_text("utf8").splitlines()
    lines[6] = lines[20] = ""
    (tmp_path / "toy.fr").write_text("\n".join(lines) + "\n", "utf8")
    (tmp_path / "marian.toml").write_text(lessons.MARIAN, "utf8")
    events = trained(tmp_path, "marian", tmp_path / "run", [*SHORT, "training.updates=1"])
    assert in_line(events[1]) == "toy.fr: 28 of 30 pairs; left out 2 empty (first in line 7)"


# Commands


def test_learning_rates_rise_to_their_height_and_fall_as_the_schedule_says():
    def rates(schedule, updates):
        training = Training(updates=100, learning_rate=2.0, warmup=10, schedule=schedule)
        return [learning_rate(update, training) for update in updates]

    for schedule in ("cosine", "inverse_sqrt", "constant"):
        assert rates(schedule, range(10)) == pytest.approx([0.2 * n for n in range(1, 11)])
        assert rates(schedule, [10]) == [2.0]
    assert rates("cosine", [55, 100, 200]) == pytest.approx([1.0, 0.0, 0.0])
    assert rates("inverse_sqrt", [40, 90, 1000]) == pytest.approx([1.0, 2 / 3, 0.2])
    assert rates("constant", [50, 1000]) == [2.0, 2.0]
    falling = rates("cosine", range(10, 101))
    assert falling == sorted(falling, reverse=True)
    assert learning_rate(0, Training(updates=5, learning_rate=2.0, schedule="inverse_sqrt")) == 2.0


@slow
def test_the_curve_of_runs_is_drawn_from_their_logs(marian, gru, tmp_path):
    found = CliRunner().invoke(
        app, ["curve", str(marian.folder), str(gru.folder), "-o", str(tmp_path / "curve.svg")]
    )
    assert found.exit_code == 0, found.output
    drawn = (tmp_path / "curve.svg").read_text("utf8")
    assert ElementTree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
    for label in (
        "marian, training",
        "marian, development",
        "gru, toy.de",
        "marian, toy.fr",
        "nats a token",
        "BLEU",
    ):
        assert f"<!-- {label} -->" in drawn


@slow
@pytest.mark.parametrize("target", ["de", "fr"])
def test_evaluate_prints_the_number_of_sacrebleu_with_its_signature(marian, tmp_path, target):
    data, out = marian.data, tmp_path / "out.txt"
    paths = [str(data / "toy.en"), str(data / f"toy.{target}")]
    options = [
        "--model",
        marian.best,
        "--target",
        target,
        "--beam",
        "2",
        "--device",
        "cpu",
        "--out",
        str(out),
    ]
    found = CliRunner().invoke(app, ["evaluate", *paths, *options])
    assert found.exit_code == 0, found.output
    texts, references = (
        path.read_text("utf8").splitlines() for path in (out, data / f"toy.{target}")
    )
    assert len(texts) == len(references) == 30
    for metric in (sacrebleu.BLEU(), sacrebleu.CHRF()):
        value = metric.corpus_score(texts, [references]).score
        (line,) = [
            line for line in found.stdout.splitlines() if str(metric.get_signature()) in line
        ]
        assert float(line.split()[1]) == pytest.approx(value, abs=0.005)
    assert "beam 2, gridbeam " in found.stdout
    answer = CliRunner().invoke(app, ["evaluate", *paths, *options, "--json"])
    entry = json.loads(answer.stdout)
    assert (entry["sentences"], entry["beam"], entry["scores"][0]["name"]) == (30, 2, "BLEU")
    assert math.isclose(
        entry["scores"][0]["value"],
        sacrebleu.BLEU().corpus_score(texts, [references]).score,
        abs_tol=1e-3,
    )
