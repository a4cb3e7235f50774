"""What the fuzzers have found, each as the rule that has held since."""

from __future__ import annotations

import json
import shutil

import pytest
import seeds
import small_jobs
import tiny

from gridbeam import Phrase, Translator, UserError
from gridbeam.distributed.gather import gather
from gridbeam.documents import open_document
from gridbeam.errors import UserNotice
from gridbeam.experiments.log import Log, read
from gridbeam.experiments.report import report
from gridbeam.files.journal import Journal
from gridbeam.files.outcome import Outcome
from gridbeam.glossary.entries import LONGEST, Entry
from gridbeam.markup.inline import Marked
from gridbeam.models.gru.network import GRUConfig
from gridbeam.support.line_files import sealed
from gridbeam.training import checkpoint, config, log
from gridbeam.training.curve import draw_curves

XLIFF = (
    '<?xml version="1.0" encoding="{}"?><xliff version="1.2"><file original="a"'
    ' source-language="en" target-language="de" datatype="plaintext"><body>'
    '<trans-unit id="1"><source>The disk ä</source></trans-unit></body></file></xliff>'
)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_xml_in_utf_16_without_a_mark_is_told_by_its_first_bytes(file, tmp_path, encoding):
    path, out = file("a.xlf", XLIFF.format("utf-8").encode(encoding)), tmp_path / "b.xlf"
    document = open_document(path, target_language="de")
    assert [str(each.source) for each in document.segments()] == ["The disk ä"]
    document.write(out, ["Die Platte ö"])
    assert "Die Platte ö</target>" in out.read_bytes().decode(encoding)


@pytest.mark.parametrize("encoding", ["unicode_escape", "utf-7", "idna", "undefined", "zip"])
def test_what_is_no_charset_is_none_of_a_file(file, encoding):
    path = file("a.xlf", XLIFF.format(encoding).replace("ä", "\\ud800"))
    with pytest.raises(UserError, match=rf'encoding "{encoding}" is unknown here'):
        list(open_document(path).segments())


def test_a_message_is_short_and_can_be_shown_whatever_the_input_holds():
    told = str(UserError("a.po line 3: \0\u202e\ud800 " + "x" * 100_000 + " is wrong. Mend it."))
    assert told.startswith(r"a.po line 3: \x00\u202e\ud800 xxx") and len(told) <= 4_000
    assert told.endswith("xxx is wrong. Mend it.")
    assert str(UserError("one\ntwo: ä„“")) == "one\ntwo: ä„“"


HEADER = {"input": "1"}


def journal_with(path, line):
    """A journal of two segments with a line between them whose seal is right."""
    journal = Journal(path, HEADER)
    for number in (0, 1):
        journal.add(Outcome(number, "n", 1, Marked((f"text {number}",))))
    journal.close()
    first, one, other = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + one + f"{sealed(line)}\n".encode() + other)


@pytest.mark.parametrize(
    "line",
    [
        json.dumps(HEADER),
        "{}",
        "[1]}",
        Outcome(2**40, "n", 1).as_line(),
        Outcome(-1, "n", 1).as_line(),
        Outcome(2, "n", 1).as_line().replace('"met":[]', '"met":[3]'),
        Outcome(2, "n", 1).as_line().replace('"number":2', '"number":"2"'),
        Outcome(2, "n", 1).as_line().replace('"text":null', '"text":[3]'),
        Outcome(2, "n", 1).as_line().replace('"unmet":""', '"unmet":{}'),
    ],
)
def test_a_line_of_a_journal_that_holds_no_outcome_counts_as_damaged(tmp_path, line):
    journal_with(tmp_path / "j", line)
    with pytest.warns(UserNotice, match=r"j: line 3 is damaged"):
        journal = Journal(tmp_path / "j", HEADER, resume=True)
    assert list(journal) == [0, 1]
    journal.close()


def test_a_first_line_that_is_no_header_is_refused_though_its_seal_is_right(tmp_path):
    for line in ("[]}", '{"input":1}'):
        (tmp_path / "j").write_text(f"{sealed(line)}\n")
        with pytest.raises(UserError, match="line 1 is not one of a journal"):
            Journal(tmp_path / "j", HEADER, resume=True)


@pytest.mark.parametrize(
    "line",
    [
        b"\xff",
        b"[" * 5_000,
        b"[]",
        b'{"kind": []}',
        b'{"kind": "progress", "update": "1", "tokens": 1, "loss": 1}',
        b'{"kind": "progress", "update": 1, "tokens": 1, "loss": 1, "seconds": "x"}',
        b'{"kind": "validation", "update": 1, "loss": 1, "bleu": [1]}',
        b'{"kind": "progress", "update": 1, "tokens": 1' + b"0" * 400 + b', "loss": 1}',
    ],
)
def test_a_line_that_is_none_of_a_training_log_is_named(tmp_path, line):
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"kind": "progress", "update": 1, "tokens": 5, "loss": 2}\n' + line + b"\n")
    with pytest.raises(UserError, match=r"log\.jsonl line 2: .*\. Mend or remove the log"):
        log.cut(path, 9)
    with pytest.raises(UserError, match=r"log\.jsonl line 2 is no training log"):
        draw_curves([tmp_path], tmp_path / "a.svg")


def test_a_report_on_records_that_somebody_has_changed_is_refused(tmp_path):
    path = tmp_path / "run.jsonl"
    header = {"experiment": "pick-revise", "options": {}}
    with Log(path, header) as written:
        written.add({"key": "summary/1", "kind": "summary", "scores": None})
    run = read(path)
    name = run.experiment
    with pytest.raises(UserError, match=rf"run\.jsonl.*{name}"):
        report([path])


@pytest.mark.parametrize("system", ["-1", "null", "[]"])
def test_a_report_whose_cells_are_no_texts_is_refused(tmp_path, system):
    kept = seeds.ROOT / "benchmarks/results/experiments/extracted-fr.jsonl"
    text, name = kept.read_text(), '"system": "beginning"'
    assert name in text
    (tmp_path / "run.jsonl").write_text(text.replace(name, f'"system": {system}'))
    with pytest.raises(UserError, match=r"run\.jsonl.*: these are not as "):
        report([tmp_path / "run.jsonl"])


@pytest.mark.parametrize(
    "first", [{"header": []}, {"header": {"experiment": 3}}, {"header": {"experiment": "x"}}]
)
def test_a_log_of_an_experiment_begins_with_what_it_is(tmp_path, first):
    (tmp_path / "a").write_text(json.dumps(first | {"signature": []}) + "\n")
    with pytest.raises(UserError, match="line 1: this is no line of an experiment"):
        read(tmp_path / "a")


@pytest.mark.parametrize("value", ["1" + "0" * 400, "1" + "0" * 30])
def test_a_number_beyond_any_use_is_refused_in_a_configuration(tmp_path, value):
    (tmp_path / "a.toml").write_text(f"[training]\nlearning_rate = {value}\n")
    with pytest.raises(UserError, match=r"a\.toml"):
        config.read(tmp_path / "a.toml")


def test_a_checkpoint_whose_state_is_no_object_is_refused(tmp_path):
    import torch

    network = torch.nn.Linear(2, 2)
    optimizer = torch.optim.Adam(network.parameters())
    checkpoint.save(tmp_path / "last", checkpoint.Position(), network, optimizer)
    (tmp_path / "last" / "state.json").write_text("3")
    with pytest.raises(UserError, match="is no checkpoint of this configuration, or is damaged"):
        checkpoint.load(tmp_path / "last", network, optimizer)


def test_a_term_or_a_phrase_that_nobody_could_say_is_refused_at_once():
    with pytest.raises(UserError, match="longer than 2,000 characters"):
        Entry("disk " * LONGEST, ("Platte",))
    with pytest.raises(UserError, match="longer than 2,000 characters"):
        Entry("disk", ("Platte" * LONGEST,))
    with pytest.raises(UserError, match="a phrase has 100,000 characters"):
        Phrase("a" * 100_000)


def changed(folder, name, **values):
    """The folder of a model with other values in one of its files."""
    path = folder / name
    path.write_text(json.dumps(json.loads(path.read_text()) | values))
    return folder


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("config.json", {"encoder_attention_heads": -1}, "which is no size"),
        ("config.json", {"vocab_size": 10**12}, "which is no size"),
        ("config.json", {"dropout": 1e308}, "which is no chance"),
        ("config.json", {"attention_dropout": float("nan")}, "which is no chance"),
        ("tokenizer_config.json", {"pad_token": "the new one"}, "the tokenizer pads or says"),
        ("vocab.json", {"disk": "7"}, "which is none"),
        ("vocab.json", {"disk": 2**40}, "which is none"),
        ("generation_config.json", {"eos_token_id": [True]}, "start or end with token"),
    ],
)
def test_sizes_and_ids_of_a_model_are_looked_at_before_it_is_used(tmp_path, name, values, said):
    folder = changed(shutil.copytree(tiny.marian(("de",)), tmp_path / "model"), name, **values)
    with pytest.raises(UserError, match=said):
        Translator.load(str(folder), target="de").translate("The disk", beam=1, max_length=3)


@pytest.fixture
def sharded(file, tmp_path, monkeypatch):
    """The folder of a run by many workers that is done."""
    path = file("a.txt", small_jobs.sentences(6))
    small_jobs.sharded(small_jobs.job(path, tmp_path / "out"), monkeypatch, shards=2)
    return tmp_path / "out"


@pytest.mark.parametrize(
    "changed",
    [
        lambda lines: lines[:-1],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [lines[0], *reversed(lines[1:])],
        lambda lines: [*lines, sealed("[3]}").encode() + b"\n"],
        lambda lines: [sealed('{"run": ' + "[" * 3_000).encode() + b"\n", *lines[1:]],
    ],
)
def test_a_part_that_has_lost_a_line_or_has_others_is_told_though_each_is_whole(sharded, changed):
    part = sharded / "parts" / "part-00001.jsonl"
    part.write_bytes(b"".join(changed(part.read_bytes().splitlines(keepends=True))))
    (sharded / "a.txt").unlink()
    with pytest.raises(UserError, match=r"part-00001\.jsonl is damaged, or of another run"):
        gather(sharded)
    assert not (sharded / "a.txt").exists()


def test_a_part_that_speaks_of_terms_that_there_are_not_is_told(sharded):
    part = sharded / "parts" / "part-00001.jsonl"
    lines = part.read_bytes().splitlines()
    use = b'"uses":[{"entry":7,"source":"disk","is_met":true,"said":""}]'
    bare = lines[-1].replace(b'"uses":[]', use).rpartition(b',"crc"')[0].decode()
    part.write_bytes(b"\n".join([*lines[:-1], sealed(bare + "}").encode()]) + b"\n")
    with pytest.raises(UserError, match="is damaged"):
        gather(sharded)


@pytest.mark.parametrize(
    ("there", "instead"),
    [
        ('"on_unmet": "error"', '"on_unmet": "skip"'),
        ('"glossary": []', '"glossary": [[]]'),
        ('"input": "', '"input": "x'),
        ('"end": 4', '"end": 5'),
        ('"bytes": ', '"bytes": 1'),
        ('"shards": [', '"shards": ' + "[" * 3_000),
    ],
)
def test_a_manifest_that_is_not_as_it_was_is_told(sharded, there, instead):
    path = sharded / "manifest.json"
    text = path.read_text()
    assert there in text
    path.write_text(text.replace(there, instead, 1))
    with pytest.raises(UserError, match=r"manifest\.json is damaged, or of another version"):
        gather(sharded)


@pytest.mark.parametrize("note", ["3", "[]", '"begun"', "[" * 5_000, '{"failed": 3}'])
def test_a_note_on_an_attempt_that_is_none_is_passed_over(sharded, file, monkeypatch, note):
    expected = (sharded / "a.txt").read_bytes()
    (sharded / "parts" / "part-00001.jsonl").unlink()
    (sharded / "attempts" / "part-00001").write_text(f'{note}\n{{"begun": 3}}\n')
    small_jobs.sharded(small_jobs.job(sharded.parent / "a.txt", sharded), monkeypatch)
    assert (sharded / "a.txt").read_bytes() == expected


@pytest.mark.parametrize("size", [0, 2**63, 10**400])
def test_a_size_of_a_network_that_nothing_could_hold_is_refused(size):
    with pytest.raises(UserError, match="is not a size: give 1 to 67,108,864"):
        GRUConfig(size)
