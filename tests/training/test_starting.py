"""A model takes over what another has learned, though it is deeper or has another vocabulary."""

from __future__ import annotations

import lessons
import pytest
import torch
from small_runs import kept, trained, write_data

from gridbeam import UserError
from gridbeam.models.load import network_of
from gridbeam.training.config import Network
from gridbeam.training.learners import build
from gridbeam.training.sentencepieces import VocabularyOptions, learn, pad_of
from gridbeam.training.starting import taken_over

pytestmark = pytest.mark.slow
SIZES = {
    "kind": "marian",
    "decoder_layers": 1,
    "width": 32,
    "heads": 4,
    "feed_forward": 64,
    "positions": 64,
}
TAGS = (">>de<<", ">>fr<<")


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    return kept(write_data(tmp_path_factory.mktemp("data")), "marian", tmp_path_factory)


def test_new_layers_hand_on_what_they_read(first):
    vocabulary = first.folder / "best" / "source.spm"
    deep = build(Network(encoder_layers=4, **SIZES), 340, 0.0, pad=pad_of(vocabulary)).network
    deep.load_state_dict(taken_over(first.folder / "best", deep, vocabulary))
    shallow = network_of(first.folder / "best")
    tokens = torch.tensor([[20, 300, 310, 320, 0]])
    with torch.no_grad():
        one, other = (
            each.eval().get_encoder()(tokens).last_hidden_state for each in (shallow, deep)
        )
    likeness = torch.cosine_similarity(one, other, dim=-1)
    assert likeness.min() > 0.9


def test_the_layers_of_the_old_model_are_spread_over_the_new(first):
    vocabulary = first.folder / "best" / "source.spm"
    deep = build(Network(encoder_layers=3, **SIZES), 340, 0.0, pad=pad_of(vocabulary)).network
    weights = taken_over(first.folder / "best", deep, vocabulary)
    is_silent = [
        not weights[f"model.encoder.layers.{layer}.fc2.weight"].any() for layer in range(3)
    ]
    assert is_silent == [False, True, True]


def test_a_run_with_another_vocabulary_begins_where_the_old_model_was(first, tmp_path):
    texts = [text for sentence in lessons.SENTENCES for text in sentence] * 2
    learn(iter(texts), tmp_path / "v.model", VocabularyOptions(size=330), tags=TAGS, seed=5)
    changes = [
        f"training.start_from={first.folder / 'best'}",
        f"vocabulary.file={tmp_path / 'v.model'}",
        "network.encoder_layers=2",
        "training.updates=1",
        "training.learning_rate=1e-9",
        "training.warmup=1",
        "training.validate_every=1",
        "training.bleu_sentences=0",
        "training.best_by=loss",
    ]
    *_, begun = trained(first.data, "marian", tmp_path / "begun", changes)
    *_, blank = trained(first.data, "marian", tmp_path / "blank", changes[1:])
    assert begun.loss < 0.6 * blank.loss
    assert begun.source_gain > blank.source_gain + 0.3  # it looks at its source from the start


def test_other_sizes_are_named(first):
    vocabulary = first.folder / "best" / "source.spm"
    other = build(
        Network(encoder_layers=1, **{**SIZES, "width": 64}), 340, 0.0, pad=pad_of(vocabulary)
    ).network
    with pytest.raises(UserError, match=r"of other sizes.*only encoder_layers may be more"):
        taken_over(first.folder / "best", other, vocabulary)
    shallower = build(Network(encoder_layers=1, **SIZES), 340, 0.0, pad=2).network
    taken_over(first.folder / "best", shallower, vocabulary)


def test_a_folder_without_a_vocabulary_is_named(first, tmp_path):
    folder = tmp_path / "bare"
    folder.mkdir()
    for name in ("config.json", "model.safetensors", "generation_config.json"):
        (folder / name).write_bytes((first.folder / "best" / name).read_bytes())
    with pytest.raises(UserError, match=r"bare has no source\.spm"):
        taken_over(folder, network_of(first.folder / "best"), folder / "source.spm")
