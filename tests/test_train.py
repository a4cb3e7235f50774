"""Training: tiny models learn their text by heart, a kill changes nothing, the best model is kept, and others can load it."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

transformers = pytest.importorskip("transformers")
sacrebleu = pytest.importorskip("sacrebleu")
import lessons  # noqa: E402
import torch  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

import gridbeam.training.prepare  # noqa: E402
from gridbeam import UserError  # noqa: E402
from gridbeam.cli import app  # noqa: E402
from gridbeam.corpus import Pairs  # noqa: E402
from gridbeam.models.eightbit import store  # noqa: E402
from gridbeam.training import train  # noqa: E402
from gridbeam.training.config import Training, read  # noqa: E402
from gridbeam.training.events import Prepared, Progress, Validation  # noqa: E402
from gridbeam.training.optimizers import learning_rate  # noqa: E402
from gridbeam.training.show import in_line  # noqa: E402
from gridbeam.translate import Request, Translator  # noqa: E402

slow = pytest.mark.slow
SHORT = ["training.updates=40", "training.validate_every=20", "training.save_every=10", "training.bleu_sentences=2"]
TIMES = {"seconds", "waiting", "tokens_per_second"}


@dataclass(frozen=True)
class Run:
    """A run that is done."""

    folder: Path
    data: Path
    events: list
    sentences: list

    @property
    def best(self):
        return str(self.folder / "best")


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """A folder with text and configurations."""
    folder = tmp_path_factory.mktemp("data")
    lessons.write(folder)
    for name, text in (("marian", lessons.MARIAN), ("gru", lessons.GRU)):
        (folder / f"{name}.toml").write_text(text, encoding="utf8")
    return folder


def trained(data, kind, folder, changes=()):
    return list(train(read(data / f"{kind}.toml", changes), folder, data))


def kept(data, kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / kind
    return Run(folder, data, trained(data, kind, folder), lessons.write(data))


@pytest.fixture(scope="session")
def marian(data, tmp_path_factory):
    return kept(data, "marian", tmp_path_factory)


@pytest.fixture(scope="session")
def gru(data, tmp_path_factory):
    return kept(data, "gru", tmp_path_factory)


@pytest.fixture(params=["marian", "gru"])
def run(request):
    return request.getfixturevalue(request.param)


def log(folder):
    """What a run has logged, times left out."""
    entries = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [{key: value for key, value in entry.items() if key not in TIMES} for entry in entries]


def weights(folder):
    return load_file(folder / "model.safetensors")


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def command(*arguments):
    return [sys.executable, "-m", "gridbeam", *map(str, arguments)]


# Overfitting


@slow
def test_a_tiny_model_learns_its_text_by_heart(run):
    reports = [event for event in run.events if isinstance(event, Progress)]
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
    assert sacrebleu.BLEU().corpus_score(texts, [[each[place] for each in run.sentences]]).score > 80


@slow
def test_the_best_model_meets_constraints_in_every_language(run):
    for target, phrases in (("de", ["das Buch", "Ordner", "Grundgesetz №"]), ("fr", ["l'écran", "neuf", "日本"])):
        translator = Translator.load(run.best, target=target)
        requests = [Request(source, [phrase]) for (source, *_), phrase in zip(run.sentences, phrases, strict=False)]
        for translation, phrase in zip(translator.translate_all(requests, beam=3), phrases, strict=True):
            assert phrase in translation.text
            assert [translation.text[start:end] for start, end in translation.spans[0]] == [phrase]


# What a run leaves


@slow
def test_a_run_leaves_no_pickles_and_nothing_half_done(run):
    files = [path for path in run.folder.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} <= {".json", ".jsonl", ".safetensors", ".npz", ".model", ".spm"}
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
    assert {"loss", "learning_rate", "gradient", "tokens", "tokens_per_second", "waiting"} <= entries[0].keys()
    progress = [entry for entry in entries if entry["kind"] == "progress"]
    assert all(one["tokens"] < two["tokens"] and one["seconds"] < two["seconds"] for one, two in pairwise(progress))
    assert all(0 <= entry["waiting"] < 1 for entry in progress)
    assert set(entries[-1]["bleu"]) == {"toy.de", "toy.fr"}


@slow
def test_every_corpus_is_reported_as_it_is_prepared(run):
    prepared = [event for event in run.events if isinstance(event, Prepared)]
    assert [(event.name, event.pairs, event.read) for event in prepared] == [("toy.de", 30, 30), ("toy.fr", 30, 30)] * 2
    assert in_line(prepared[0]) == "toy.de: 30 of 30 pairs"


@slow
@pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
def test_the_best_transformer_loads_in_plain_transformers_and_translates_the_same(marian):
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(marian.best)
    tokenizer = transformers.AutoTokenizer.from_pretrained(marian.best)
    assert type(model).__name__ == "MarianMTModel" and type(tokenizer).__name__ == "MarianTokenizer"
    sources = [source for source, *_ in marian.sentences[:10]]
    for target in ("de", "fr"):
        batch = tokenizer([f">>{target}<< {source}" for source in sources], return_tensors="pt", padding=True)
        with torch.no_grad():
            theirs = tokenizer.batch_decode(model.generate(**batch, num_beams=1, max_length=60), skip_special_tokens=True)
        ours = Translator.load(marian.best, target=target).translate_all(sources, beam=1)
        assert theirs == [translation.text for translation in ours]


@slow
def test_what_a_model_reads_is_encoded_as_it_was_in_training(run):
    translator = Translator.load(run.best, target="fr")
    (path,) = (run.folder / "data").glob("corpus-toy.fr-*.npz")
    pairs = Pairs.load(path)
    for (source, *_), start, end in zip(run.sentences, [0, *pairs.source_ends[:-1]], pairs.source_ends, strict=True):
        assert translator._encoded(source) == tuple(pairs.source[start:end])


# Going on


@slow
def test_a_killed_run_goes_on_to_the_same_weights(marian, tmp_path):
    """kill -9 in the middle, and the same command again: every weight and every entry of the log is that of an unbroken run."""
    again = command("train", marian.data / "marian.toml", "--data", marian.data, "--out", tmp_path / "run")
    with subprocess.Popen(again, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if line.startswith("update 120:"):
                process.kill()
                break
        process.stderr.read()
    assert process.returncode == -signal.SIGKILL
    assert log(tmp_path / "run") == log(marian.folder)[: len(log(tmp_path / "run"))]
    state = json.loads((tmp_path / "run" / "last" / "state.json").read_text())
    assert 100 <= state["update"] < 300
    finished = subprocess.run(again, capture_output=True, text=True, check=True)
    assert f"update {state['update'] + 10}:" in finished.stderr and "update 100:" not in finished.stderr
    assert log(tmp_path / "run") == log(marian.folder)
    for name in ("last", "best"):
        assert same(weights(tmp_path / "run" / name), weights(marian.folder / name))
    optimizers = [load_file(folder / "last" / "optimizer.safetensors") for folder in (tmp_path / "run", marian.folder)]
    assert same(*optimizers)


ADADELTA = ["training.optimizer=adadelta", "training.schedule=constant", "training.learning_rate=1.0", "training.l2=1e-5"]


GRAPHS = ["training.graphs=true", "training.batch_sentences=8", "training.warmup=0", "network.dropout=0.3"]


@slow
@pytest.mark.parametrize(
    ("kind", "changes"),
    [("marian", SHORT), ("gru", SHORT + ADADELTA), ("gru", SHORT + ADADELTA + GRAPHS)],
    ids=["marian", "gru", "graphs"],
)
def test_a_run_stopped_at_any_report_goes_on_to_the_same_weights(data, tmp_path, kind, changes):
    whole = trained(data, kind, tmp_path / "whole", changes)
    for stop in (Prepared, Progress, Progress, Validation, Progress, Validation):
        events = train(read(data / f"{kind}.toml", changes), tmp_path / "broken", data)
        next((event for event in events if isinstance(event, stop)), None)
        events.close()
    trained(data, kind, tmp_path / "broken", changes)
    assert log(tmp_path / "broken") == log(tmp_path / "whole")
    assert whole[-1].update == 40
    for name in ("last", "best"):
        assert same(weights(tmp_path / "broken" / name), weights(tmp_path / "whole" / name))


@slow
def test_a_run_that_is_done_has_nothing_more_to_do(marian):
    before = {path: path.stat().st_mtime_ns for path in (marian.folder / "last").iterdir()}
    assert trained(marian.data, "marian", marian.folder) == []
    assert {path: path.stat().st_mtime_ns for path in (marian.folder / "last").iterdir()} == before
    assert len(log(marian.folder)) == 33


@slow
def test_a_run_can_be_made_longer(data, tmp_path):
    constant = [*SHORT, "training.schedule=constant"]
    trained(data, "marian", tmp_path / "long", [*constant, "training.updates=20"])
    assert trained(data, "marian", tmp_path / "long", constant)[-1].update == 40
    trained(data, "marian", tmp_path / "whole", constant)
    assert same(weights(tmp_path / "long" / "last"), weights(tmp_path / "whole" / "last"))


@slow
@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("seed=2", "seed"),
        ("network.width=64", "network.width"),
        ("training.optimizer=adadelta", "training.optimizer"),
        ("vocabulary.size=330", "vocabulary.size"),
    ],
)
def test_another_configuration_in_the_same_folder_is_refused_by_name(marian, change, named):
    before = (marian.folder / "config.json").read_text()
    with pytest.raises(UserError, match=rf"config\.json: this run began with another {named}\. Go on as it began"):
        trained(marian.data, "marian", marian.folder, [change])
    assert (marian.folder / "config.json").read_text() == before


def first_loss(data, kind, folder, *changes):
    events = trained(data, kind, folder, ["training.updates=1", "training.log_every=1", "training.bleu_sentences=2", *changes])
    return next(event.loss for event in events if isinstance(event, Progress))


@slow
def test_a_run_can_start_from_a_model_and_its_vocabulary(run, tmp_path):
    kind = run.folder.name
    assert first_loss(run.data, kind, tmp_path / "on", f"training.start_from={run.best}") < 0.5
    assert first_loss(run.data, kind, tmp_path / "anew") > 4
    vocabularies = [folder / "vocabulary.model" for folder in (run.folder, tmp_path / "on")]
    assert vocabularies[0].read_bytes() == vocabularies[1].read_bytes()


@slow
def test_a_run_can_start_from_a_model_in_8_bits(marian, tmp_path):
    store(marian.best, tmp_path / "small")
    assert first_loss(marian.data, "marian", tmp_path / "on", f"training.start_from={tmp_path / 'small'}") < 0.5


@slow
def test_a_model_that_a_run_cannot_start_from_is_named(marian, gru, tmp_path):
    def said(run, *changes):
        with pytest.raises(UserError) as raised:
            first_loss(marian.data, "marian", tmp_path / run, *changes)
        return str(raised.value)

    start = f"training.start_from={marian.best}"
    assert "other sizes" in said("wide", start, "network.feed_forward=96")
    assert "[network]" in said("deep", start, "network.encoder_layers=5")
    assert "other sizes" in said("gru", f"training.start_from={gru.best}")
    assert "cannot be read" in said("none", f"training.start_from={tmp_path / 'nowhere'}")
    first_loss(marian.data, "marian", tmp_path / "other", "vocabulary.kind=bpe")
    (tmp_path / "other" / "config.json").unlink()
    assert "another vocabulary" in said("other", start)


@slow
def test_training_ends_when_it_has_lost_patience(data, tmp_path):
    changes = ["training.learning_rate=1e-9", "training.validate_every=5", "training.patience=2", "training.bleu_sentences=2"]
    events = trained(data, "marian", tmp_path / "run", changes)
    validations = [(event.update, event.is_best) for event in events if isinstance(event, Validation)]
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
    changes = ["training.best_by=loss", "training.bleu_sentences=0", "training.schedule=constant", "training.validate_every=20"]
    events = trained(folder, "marian", tmp_path / "run", [*changes, "training.updates=140"])
    losses_found = {event.update: event.loss for event in events if isinstance(event, Validation)}
    best = min(losses_found, key=losses_found.get)
    assert 20 < best < 140
    assert [event.update for event in events if isinstance(event, Validation) and event.is_best][-1] == best
    trained(folder, "marian", tmp_path / "until", [*changes, f"training.updates={best}"])
    found, expected = weights(tmp_path / "run" / "best"), weights(tmp_path / "until" / "best")
    assert same(found, expected)
    assert not same(found, weights(tmp_path / "run" / "last"))


# Several processes


@slow
def test_two_processes_train_one_model_and_write_one_log(data, tmp_path):
    launch = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "-m", "gridbeam"]
    arguments = ["train", data / "marian.toml", "--data", data, "--out", tmp_path / "run"]
    changes = list(chain.from_iterable(("--set", change) for change in SHORT))
    found = subprocess.run([*launch, *map(str, arguments), *changes], capture_output=True, text=True, check=False)
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
    assert Translator.load(str(tmp_path / "run" / "best"), target="de").translate("The disk is old.").text


@slow
def test_text_prepared_by_any_number_of_threads_is_the_same(marian, tmp_path, monkeypatch):
    monkeypatch.setattr(gridbeam.training.prepare.os, "cpu_count", lambda: 5)
    trained(marian.data, "marian", tmp_path / "run", [*SHORT, "training.updates=1"])
    ours, theirs = (sorted((folder / "data").iterdir()) for folder in (tmp_path / "run", marian.folder))
    assert [path.name for path in ours] == [path.name for path in theirs]
    assert [path.read_bytes() for path in ours] == [path.read_bytes() for path in theirs]


# Bad input


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("toy.fr", b"bonjour\n" * 29, r"toy\.fr ends before line 30, and \S*toy\.en goes on"),
        ("toy.fr", b"bonjour\n" * 12 + b"caf\xe9\n" + b"bonjour\n" * 17, r"toy\.fr line 13: byte 4 is not UTF-8"),
        ("toy.en", None, r"toy\.en is not there\. Check the configuration, and --data\."),
        ("toy.de", b"\n" * 30, "there are no pairs to learn from"),
    ],
)
def test_text_that_cannot_be_learned_from_is_named(tmp_path, name, content, said):
    lessons.write(tmp_path)
    text = lessons.MARIAN.replace("size = 340", "size = 300")
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
    found = CliRunner().invoke(app, ["curve", str(marian.folder), str(gru.folder), "-o", str(tmp_path / "curve.svg")])
    assert found.exit_code == 0, found.output
    drawn = (tmp_path / "curve.svg").read_text("utf8")
    assert ElementTree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
    for label in ("marian, training", "marian, development", "gru, toy.de", "marian, toy.fr", "nats a token", "BLEU"):
        assert f"<!-- {label} -->" in drawn


@slow
@pytest.mark.parametrize("target", ["de", "fr"])
def test_evaluate_prints_the_number_of_sacrebleu_with_its_signature(marian, tmp_path, target):
    data, out = marian.data, tmp_path / "out.txt"
    paths = [str(data / "toy.en"), str(data / f"toy.{target}")]
    options = ["--model", marian.best, "--target", target, "--beam", "2", "--device", "cpu", "--out", str(out)]
    found = CliRunner().invoke(app, ["evaluate", *paths, *options])
    assert found.exit_code == 0, found.output
    texts, references = (path.read_text("utf8").splitlines() for path in (out, data / f"toy.{target}"))
    assert len(texts) == len(references) == 30
    for metric in (sacrebleu.BLEU(), sacrebleu.CHRF()):
        value = metric.corpus_score(texts, [references]).score
        (line,) = [line for line in found.stdout.splitlines() if str(metric.get_signature()) in line]
        assert float(line.split()[1]) == pytest.approx(value, abs=0.005)
    assert "beam 2, gridbeam " in found.stdout
    answer = CliRunner().invoke(app, ["evaluate", *paths, *options, "--json"])
    entry = json.loads(answer.stdout)
    assert (entry["sentences"], entry["beam"], entry["scores"][0]["name"]) == (30, 2, "BLEU")
    assert math.isclose(entry["scores"][0]["value"], sacrebleu.BLEU().corpus_score(texts, [references]).score, abs_tol=1e-3)


@slow
def test_validation_bleu_is_that_of_sentences_from_all_over_the_set(marian):
    (_, *_, last) = (event for event in marian.events if isinstance(event, Validation))
    some = [marian.sentences[place] for place in (0, 3, 7, 11, 15, 18, 22, 26)]
    for target, place in (("de", 1), ("fr", 2)):
        found = Translator.load(marian.best, target=target).translate_all([each[0] for each in some], beam=1)
        texts, references = [each.text for each in found], [each[place] for each in some]
        assert last.bleu[f"toy.{target}"] == round(sacrebleu.BLEU().corpus_score(texts, [references]).score, 2)


# Runs that something has happened to


@slow
def test_a_run_that_has_lost_patience_has_nothing_more_to_do(data, tmp_path):
    changes = [*SHORT, "training.learning_rate=1e-9", "training.validate_every=5", "training.patience=1"]
    trained(data, "marian", tmp_path / "run", changes)
    before = log(tmp_path / "run")
    assert before[-1]["update"] == 10
    assert trained(data, "marian", tmp_path / "run", changes) == []
    assert log(tmp_path / "run") == before


@slow
def test_a_run_that_saves_between_reports_logs_the_same_after_a_stop(data, tmp_path):
    changes = ["training.updates=20", "training.save_every=7", "training.best_by=loss", "training.bleu_sentences=0"]
    trained(data, "marian", tmp_path / "whole", changes)
    events = train(read(data / "marian.toml", changes), tmp_path / "broken", data)
    next(event for event in events if isinstance(event, Progress) and event.update == 10)
    events.close()
    trained(data, "marian", tmp_path / "broken", changes)
    assert [entry["update"] for entry in log(tmp_path / "broken")] == [7, 10, 14, 20, 20]
    assert log(tmp_path / "broken") == log(tmp_path / "whole")


@slow
def test_half_a_line_in_the_log_is_left_out(data, tmp_path):
    changes = [*SHORT, "training.updates=20"]
    trained(data, "marian", tmp_path / "run", changes)
    before = log(tmp_path / "run")
    with (tmp_path / "run" / "log.jsonl").open("a") as file:
        file.write('{"kind": "progr')
    trained(data, "marian", tmp_path / "run", changes)
    assert log(tmp_path / "run") == before


@slow
def test_a_damaged_configuration_of_a_run_is_named(marian, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    for text in ("", "{", "[]", '{"name": 5}'):
        (folder / "config.json").write_text(text)
        with pytest.raises(UserError, match=r"run/config\.json is damaged, or of another version of gridbeam"):
            trained(marian.data, "marian", folder)
        assert (folder / "config.json").read_text() == text


@slow
def test_a_folder_that_cannot_be_made_is_named(data, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"file/run/config\.json cannot be written: Not a directory"):
        trained(data, "marian", tmp_path / "file" / "run")


@slow
def test_a_full_disk_at_the_log_is_told(data, tmp_path, monkeypatch):
    events = train(read(data / "marian.toml", SHORT), tmp_path / "run", data)
    next(event for event in events if isinstance(event, Progress))
    opened = Path.open

    def full(path, *arguments, **options):
        if path.name == "log.jsonl":
            raise OSError(28, "No space left on device")
        return opened(path, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", full)
        with pytest.raises(UserError, match=r"log\.jsonl cannot be written: No space left on device\. Make room"):
            list(events)
    assert trained(data, "marian", tmp_path / "run", SHORT)[-1].update == 40


@slow
def test_a_loss_that_is_no_number_ends_training_with_advice(data, tmp_path):
    with pytest.raises(UserError, match=r"update \d+: the loss is no number any more\. .*lower training\.learning_rate"):
        trained(data, "marian", tmp_path / "run", ["training.learning_rate=1e30", "training.warmup=0"])


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
    assert [event.name for event in events if isinstance(event, Prepared)] == ["toy.de", "toy.fr", "de/dev", "fr/dev"]
    assert set(events[-1].bleu) == {"dev", "fr/dev"}
