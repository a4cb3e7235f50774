"""An exported model: `<pad>` is its last piece, its scores are as before, CTranslate2 reads it."""

from __future__ import annotations

import json
import shutil
import warnings
from pathlib import Path

import pytest
import tiny
import torch
from safetensors.torch import load_file, save_file
from test_builtin import LANGUAGES, SENTENCES

from gridbeam import Translator, UserError
from gridbeam.models import eightbit
from gridbeam.models.load import FOLDERS, export, load
from gridbeam.training.config import Network
from gridbeam.training.learners import build
from gridbeam.training.sentencepieces import pad_of

PADDING, START = "model.shared.weight", "model.decoder.embed_positions.weight"


def trained(folder: Path, *, padding: bool = True) -> Path:
    """A tiny model whose `<pad>` has learned something, as it does where no one holds it."""
    shutil.copytree(tiny.marian(), folder)
    weights = load_file(folder / "model.safetensors")
    weights[PADDING][2] = torch.linspace(-1, 1, 32) if padding else 0
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("before") / "model")


@pytest.fixture(scope="module")
def after(before, tmp_path_factory):
    folder = tmp_path_factory.mktemp("after") / "model"
    export(str(before), folder)
    return folder


def scores(folder: Path) -> dict[str, torch.Tensor]:
    """The log-probabilities of every piece after each token of a text, by piece."""
    loaded = load(str(folder), target="fr")
    ids = loaded.tokenizer(loaded.tag + "The disk is full.")["input_ids"]
    state, rows = loaded.model.start([ids]), []
    tokens = [loaded.model.bos, *loaded.tokenizer("L'été, la maison est vide !")["input_ids"]]
    for token in tokens:
        log_probs, state = loaded.model.step(state, torch.tensor([token]))
        rows.append(log_probs[0])
    found = torch.stack(rows)
    return {piece: found[:, number] for piece, number in loaded.tokenizer.encoder.items()}


def test_padding_is_the_last_piece_everywhere(after):
    vocabulary = json.loads((after / "vocab.json").read_text("utf8"))
    last = len(vocabulary) - 1
    assert sorted(vocabulary.values()) == list(range(last + 1))
    assert vocabulary["<pad>"] == last
    for name in ("config.json", "generation_config.json"):
        settings = json.loads((after / name).read_text("utf8"))
        assert settings["pad_token_id"] == settings["decoder_start_token_id"] == last
        assert settings["eos_token_id"] == vocabulary["</s>"]
    assert load(str(after), target="de").tokenizer.pad_token_id == last


def test_every_score_is_as_before(before, after):
    old, new = scores(before), scores(after)
    assert old.keys() == new.keys()
    for piece, log_probs in old.items():
        assert torch.allclose(log_probs, new[piece], atol=1e-5), piece


def test_transformers_scores_as_before_and_never_writes_padding(before, after):
    from transformers import AutoModelForSeq2SeqLM

    found = []
    for folder in (before, after):
        model = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
        loaded = load(str(folder), target="de")
        pieces = [piece for piece in sorted(loaded.tokenizer.encoder) if piece != "<pad>"]
        ids = torch.tensor([loaded.tokenizer(">>de<< The disk is full.")["input_ids"]])
        start = torch.tensor([[model.config.decoder_start_token_id]])
        logits = model(input_ids=ids, decoder_input_ids=start).logits[0, 0]
        found.append(logits[loaded.tokenizer.convert_tokens_to_ids(pieces)])
    assert torch.allclose(*found, atol=1e-4)
    assert logits.argmin() == model.config.pad_token_id


def test_exported_again_nothing_changes(after, tmp_path):
    export(str(after), tmp_path / "again")
    for name in ("vocab.json", "config.json", "generation_config.json"):
        assert (tmp_path / "again" / name).read_bytes() == (after / name).read_bytes()
    first, second = (load_file(each / "model.safetensors") for each in (after, tmp_path / "again"))
    assert first.keys() == second.keys()
    assert all(second[name].equal(tensor) for name, tensor in first.items())


def test_in_8_bits_an_exported_model_starts_as_before(after, tmp_path):
    eightbit.store(after, tmp_path / "small")
    assert eightbit.restore(tmp_path / "small")[START].equal(
        load_file(after / "model.safetensors")[START]
    )
    names = load_file(tmp_path / "small" / "model.safetensors")
    assert [name for name in names if "embed_positions" in name] == [START]


def test_where_padding_has_learned_nothing_no_table_is_written(tmp_path):
    export(str(trained(tmp_path / "model", padding=False)), tmp_path / "out")
    assert START not in load_file(tmp_path / "out" / "model.safetensors")


def test_training_refuses_to_go_on_from_ids_that_are_not_those_of_its_vocabulary(after):
    sizes = Network("marian", encoder_layers=2, decoder_layers=1, width=32, heads=4)
    learner = build(sizes, 480, label_smoothing=0.1, pad=pad_of(after / "source.spm"))
    with pytest.raises(UserError, match="Begin with the folder that training has written"):
        learner.begin(after, after / "source.spm", has_other_pieces=False)


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    """The general model, exported and converted."""
    ctranslate2 = pytest.importorskip("ctranslate2")
    if not (FOLDERS["general"] / "config.json").exists():
        pytest.skip("the weights are not here")
    folder = tmp_path_factory.mktemp("exported")
    export("general:en-de", folder / "plain")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        converter = ctranslate2.converters.TransformersConverter(str(folder / "plain"))
        converter.convert(str(folder / "converted"))
    return ctranslate2.Translator(str(folder / "converted"), compute_type="float32")


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_ctranslate2_says_the_same(converted, language):
    translator = Translator.load(f"general:en-{language}")
    tokenizer = translator.tokenizer
    plain = {"split": False, "length_penalty": 1.0, "length_reward": 0.0, "stop": "first"}
    ours = [found.text for found in translator.translate_all(SENTENCES, beam=5, **plain)]
    sources = [
        tokenizer.convert_ids_to_tokens(tokenizer(f">>{language}<< {text}")["input_ids"])
        for text in SENTENCES
    ]
    theirs = converted.translate_batch(sources, beam_size=5, length_penalty=1)
    said = [tokenizer.convert_tokens_to_string(found.hypotheses[0]) for found in theirs]
    assert said == ours
