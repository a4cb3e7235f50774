"""A training configuration says what it does not understand: file, line, key, and a guess."""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import replace
from pathlib import Path

import lessons
import pytest

from gridbeam import UserError
from gridbeam.training.config import (
    Config,
    Corpus,
    Network,
    Training,
    as_json,
    differences,
    from_json,
    read,
)
from gridbeam.training.corpus import Cleaning
from gridbeam.training.sentencepieces import VocabularyOptions

ROOT = Path(__file__).parents[2]
CONFIGS = sorted((ROOT / "configs").glob("*.toml"))
LINES = lessons.MARIAN.splitlines()


def written(tmp_path, text=lessons.MARIAN):
    path = tmp_path / "toy.toml"
    path.write_text(text, encoding="utf8")
    return path


def changed(tmp_path, old, new):
    """The configuration with a change, and the number of the line that is changed."""
    assert lessons.MARIAN.count(old) == 1
    text = lessons.MARIAN.replace(old, new)
    return written(tmp_path, text), text[: text.index(new)].count("\n") + 1


def complaint(path, *changes):
    with pytest.raises(UserError) as error:
        read(path, changes)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_configuration_that_comes_along_is_read(path):
    config = read(path)
    assert config.name == path.stem
    assert from_json(as_json(config)) == config


def test_there_is_one_configuration_for_each_model_of_the_paper():
    papers = [read(path) for path in CONFIGS if path.stem.startswith("paper")]
    assert [config.targets for config in papers] == [("de",), ("fr",), ("pt",)]
    assert [config.training.batch_sentences for config in papers] == [50, 40, 40]
    assert [(config.network.embedding, config.network.hidden) for config in papers] == [
        (300, 1000),
        (300, 1000),
        (200, 800),
    ]
    for config in papers:
        training = config.training
        assert (config.network.kind, config.network.dropout, config.vocabulary.kind) == (
            "gru",
            0.5,
            "bpe",
        )
        assert (training.optimizer, training.l2, training.clip, training.updates) == (
            "adadelta",
            1e-5,
            1.0,
            500_000,
        )


def test_a_file_fills_the_values_and_the_rest_have_defaults(tmp_path):
    config = read(written(tmp_path))
    assert config.targets == ("de", "fr")
    assert (config.training.updates, config.training.schedule, config.seed) == (300, "cosine", 1)
    assert config.corpus[1].target == "toy.fr" and config.corpus[1].repeat == 1
    assert isinstance(config.training.learning_rate, float)


def test_an_unknown_key_is_named_with_its_line_and_the_key_that_was_meant(tmp_path):
    path, line = changed(tmp_path, "warmup = 20", "warm_up = 20")
    assert (
        complaint(path) == f"{path} line {line}: unknown key training.warm_up. Did you mean warmup?"
    )
    path, line = changed(tmp_path, "[vocabulary]", "[vocabulry]")
    assert complaint(path) == f"{path} line {line}: unknown key vocabulry. Did you mean vocabulary?"
    path, line = changed(tmp_path, "size = 340", "size = 340\nxyz = 1")
    assert complaint(path).startswith(
        f"{path} line {line + 1}: unknown key vocabulary.xyz. The keys here are size, kind,"
    )


def test_the_line_is_that_of_the_right_table(tmp_path):
    text = lessons.MARIAN.replace('target = "toy.fr"', 'traget = "toy.fr"', 1)
    path = written(tmp_path, text)
    line = text[: text.index("traget")].count("\n") + 1
    assert (
        complaint(path) == f"{path} line {line}: unknown key corpus[1].traget. Did you mean target?"
    )
    path, line = changed(tmp_path, "size = 340", "size = 340\nwidth = 3")
    assert complaint(path).startswith(f"{path} line {line + 1}: unknown key vocabulary.width.")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("updates = 300", "updates = 3.5", "training.updates is 3.5, and must be a whole number"),
        (
            "updates = 300",
            'updates = "300"',
            "training.updates is '300', and must be a whole number",
        ),
        ("updates = 300", "updates = true", "training.updates is True, and must be a whole number"),
        ("updates = 300", "updates = -5", "training.updates is -5, and must be at least 1"),
        ("updates = 300", "updates = 0", "training.updates is 0, and must be at least 1"),
        ("heads = 4", "heads = 0", "network.heads is 0, and must be at least 1"),
        (
            "learning_rate = 0.01",
            "learning_rate = -0.01",
            "training.learning_rate is -0.01, and must be at least 0",
        ),
        (
            "learning_rate = 0.01",
            "learning_rate = nan",
            "training.learning_rate is nan, and must be at least 0",
        ),
        ("learning_rate = 0.01", "compile = 1", "training.compile is 1, and must be true or false"),
        ("size = 340", "file = 3", "vocabulary.file is 3, and must be a text in quotes"),
        ('kind = "marian"', 'kind = "lstm"', "network.kind is 'lstm'; choose one of marian, gru"),
        (
            'source = "en"',
            'source = "en"\nvocabulary = 5',
            "vocabulary must be a table, written [vocabulary], not 5",
        ),
    ],
)
def test_a_wrong_value_is_named_with_its_line(tmp_path, old, new, said):
    text = lessons.MARIAN.replace(old, new).replace(
        "[vocabulary]\nsize = 340\n" if "vocabulary = 5" in new else "\0", ""
    )
    path = written(tmp_path, text)
    line = text[: text.index(new)].count("\n") + 1 + new.count("\n")
    assert complaint(path) == f"{path} line {line}: {said}"


def test_corpora_are_tables(tmp_path):
    text = re.sub(r"\[\[corpus\]\][^[]*", "", lessons.MARIAN)
    assert "corpus is missing. A whole training run." in complaint(written(tmp_path, text))
    path = written(tmp_path, 'corpus = "toy"\n' + text)
    assert (
        complaint(path) == f"{path} line 1: corpus must be one or more tables, written [[corpus]]"
    )


def test_a_missing_key_is_named_with_its_table(tmp_path):
    path, _ = changed(tmp_path, "updates = 300\n", "")
    line = LINES.index("[training]") + 1
    assert complaint(path) == f"{path} line {line}: training.updates is missing. How it is trained."
    path, _ = changed(tmp_path, 'name = "toy"\n', "")
    assert complaint(path) == f"{path}: name is missing. A whole training run."


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            ["training.batch_sentences=5"],
            "give training.batch_tokens or training.batch_sentences, and not both",
        ),
        (
            ["training.graphs=true"],
            (
                "training.graphs needs network.kind = 'gru', and it is 'marian'; or set"
                " training.graphs to false"
            ),
        ),
        (
            ["training.batch_tokens=0"],
            "give training.batch_tokens or training.batch_sentences, and not both",
        ),
        (
            ["training.bleu_sentences=0"],
            'training.bleu_sentences is 0, so training.best_by must be "loss"',
        ),
        (["vocabulary.kind=words"], "vocabulary.kind is 'words'; choose one of unigram, bpe"),
        (["network.heads=5"], "network.width must be a multiple of network.heads"),
        (["training.clip=0"], "training.clip is 0, so nothing would be learned"),
        (["network.dropout=1.5"], "network.dropout is 1.5, and must be less than 1"),
        (
            ["training.label_smoothing=1"],
            "training.label_smoothing is 1.0, and must be less than 1",
        ),
        (
            ["training.cooldown=300"],
            "training.warmup and training.cooldown take 320 of 300 updates; make them shorter",
        ),
        (
            ["training.cooldown=9", "training.patience=2"],
            "training.patience may end a run before its training.cooldown",
        ),
        (["cleaning.max_tokens=63"], "cleaning.max_tokens must be at most network.positions - 2"),
    ],
)
def test_values_that_do_not_go_together_are_told(tmp_path, changes, said):
    path = written(tmp_path)
    assert complaint(path, *changes).startswith(f"{path}: {said}")


def test_a_development_set_is_in_a_language_that_is_learned(tmp_path):
    text = lessons.MARIAN[::-1].replace('"fr"'[::-1], '"pt"'[::-1], 1)[::-1]
    assert "a development set is pt, and no corpus is" in complaint(written(tmp_path, text))


def test_what_is_no_toml_is_told_with_its_line(tmp_path):
    assert re.search(
        r"toy\.toml: .*at line 3, column \d+",
        complaint(written(tmp_path, 'name = "x"\nseed = 1\nupdates 5\n')),
    )
    path = tmp_path / "toy.toml"
    path.write_bytes(b'name = "caf\xe9"')
    assert complaint(path) == f"{path} is not UTF-8: a training configuration is a TOML file"
    assert "cannot be read: No such file or directory" in complaint(tmp_path / "nothing.toml")


def test_a_file_with_a_byte_order_mark_is_read(tmp_path):
    path = tmp_path / "toy.toml"
    path.write_text(lessons.MARIAN, encoding="utf-8-sig")
    assert read(path).name == "toy"


def test_set_changes_a_value(tmp_path):
    path = written(tmp_path)
    config = read(
        path,
        [
            "training.updates=7",
            "name=other",
            "training.compile=true",
            "network.dropout=0",
            "vocabulary.kind=bpe",
        ],
    )
    assert (config.training.updates, config.name, config.training.compile) == (7, "other", True)
    assert (config.network.dropout, config.vocabulary.kind) == (0.0, "bpe")
    assert sorted(differences(config, read(path))) == [
        "name",
        "network.dropout",
        "training.compile",
        "training.updates",
        "vocabulary.kind",
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("training.updates", "--set training.updates: write KEY=VALUE"),
        (
            "training.updates=many",
            "--set training.updates: training.updates is 'many', and must be a whole number",
        ),
        (
            "training.update=5",
            "--set training.update: unknown key training.update. Did you mean updates?",
        ),
        ("corpus.repeat=2", "--set corpus.repeat=2: corpus is no single table"),
        ("training=5", "--set training: training must be a table"),
        ("name.first=5", "--set name.first=5: name is no single table"),
    ],
)
def test_what_is_wrong_with_set_is_not_blamed_on_the_file(tmp_path, change, said):
    assert complaint(written(tmp_path), change).startswith(said)


def test_differences_are_named_by_their_keys(tmp_path):
    config = read(written(tmp_path))
    assert differences(config, config) == differences(config, from_json(as_json(config))) == []
    other = replace(
        config, seed=2, corpus=config.corpus[:1], training=replace(config.training, clip=2.0)
    )
    assert differences(config, other) == ["corpus", "training.clip", "seed"]


def test_a_saved_configuration_with_an_unknown_key_is_told(tmp_path):
    text = as_json(read(written(tmp_path))).replace('"warmup"', '"warm_up"')
    with pytest.raises(
        UserError, match=r"^config: unknown key training\.warm_up\. Did you mean warmup\?"
    ):
        from_json(text)


def test_every_key_is_documented_with_its_default():
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf8")
    for kind in (Config, Corpus, Network, Training, VocabularyOptions, Cleaning):
        for key in dataclasses.fields(kind):
            if key.name in (
                "corpus",
                "development",
                "network",
                "training",
                "vocabulary",
                "cleaning",
            ):
                continue
            shown = json.dumps(key.default) if key.default is not dataclasses.MISSING else ""
            row = next(line for line in page.splitlines() if f"`{key.name}`" in line)
            assert f"`{shown}`" in row.replace("2_000_000", "2000000") or not shown, (
                f"{key.name}: {row}"
            )
