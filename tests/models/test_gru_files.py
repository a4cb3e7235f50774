"""The folder of a saved network of the paper, and wrong input: told as such, nothing lost."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file, save_file
from small_gru import SMALL, SOURCES, TARGET, network, padded

from gridbeam import UserError
from gridbeam.models.gru.model import GRU, load, save


@pytest.fixture
def folder(tmp_path):
    save(network(), tmp_path / "model")
    return tmp_path / "model"


def edit(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_what_was_saved_is_loaded_exactly(folder):
    loaded = load(folder)
    assert loaded.config == SMALL and not loaded.training
    assert all(
        torch.equal(tensor, loaded.state_dict()[name])
        for name, tensor in network().state_dict().items()
    )
    source, target = padded(SOURCES), torch.tensor([TARGET] * 3)
    assert torch.equal(loaded(source, target), network()(source, target))


def test_what_training_wrote_of_the_languages_is_no_setting(folder):
    edit(folder, gridbeam={"source": "en", "targets": ["de"]})
    assert load(folder).config == SMALL


def test_a_loaded_network_can_be_trained_on(folder):
    net = load(folder)
    net(padded(SOURCES), torch.tensor([TARGET] * 3)).sum().backward()
    assert all(parameter.grad is not None for parameter in net.parameters())


def test_saving_again_replaces_the_files_and_leaves_no_others(folder):
    save(network(seed=5), folder)
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "model.safetensors"]
    assert torch.equal(load(folder).energy.weight, network(seed=5).energy.weight)


def test_a_save_that_fails_leaves_the_model_that_was_there(folder, monkeypatch):
    def full(weights, path):
        path.write_bytes(b"half")
        raise OSError("no space left on device")

    monkeypatch.setattr("gridbeam.models.gru.model.save_file", full)
    with pytest.raises(UserError, match="no space"):
        save(network(seed=5), folder)
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "model.safetensors"]
    assert torch.equal(load(folder).energy.weight, network().energy.weight)


def test_the_config_says_what_it_is(folder):
    found = json.loads((folder / "config.json").read_text())
    assert (found["model_type"], found["format"], found["hidden"]) == ("gridbeam-gru", 1, 8)


def test_a_folder_that_is_missing_is_named(tmp_path):
    with pytest.raises(UserError, match=r"there is no folder .*nowhere: give the folder"):
        load(tmp_path / "nowhere")


def test_a_folder_without_a_model_is_named(tmp_path):
    with pytest.raises(UserError, match=r"has no config\.json: give the folder"):
        load(tmp_path)


def test_a_file_is_no_folder_to_save_in(tmp_path):
    (tmp_path / "model").write_text("")
    with pytest.raises(UserError, match="model is a file"):
        save(network(), tmp_path / "model")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"model_type": "marian"},
            'another kind of model: one for gridbeam has "model_type": "gridbeam-gru"',
        ),
        ({"format": 2}, "made by a newer gridbeam: format 2, this one reads 1"),
        ({"format": None}, "has format null, this gridbeam reads 1"),
        ({"layers": 3}, "has layers, which is no setting"),
        ({"hidden": "big"}, 'hidden is "big", which is not a number'),
        ({"hidden": True}, "hidden is true, which is not a number"),
        ({"hidden": 9}, r"config\.json: hidden=9 is odd"),
        ({"eos": 13}, "eos=13 is not a token: the vocabulary has ids from 0 to 12"),
        ({"hidden": 10}, r"energy\.weight of shape \[1, 8\], not \[1, 10\]"),
    ],
)
def test_a_wrong_config_is_explained(folder, changes, message):
    edit(folder, **changes)
    with pytest.raises(UserError, match=message):
        load(folder)


def test_a_config_that_lacks_a_size_is_explained(folder):
    (folder / "config.json").write_text(
        '{"model_type": "gridbeam-gru", "format": 1, "vocab_size": 9}'
    )
    with pytest.raises(UserError, match="lacks bos, lacks dropout"):
        load(folder)


@pytest.mark.parametrize("text", ["{", "[]", '"gridbeam-gru"', "\xff"])
def test_a_config_that_is_no_json_object_is_explained(folder, text):
    (folder / "config.json").write_bytes(text.encode("latin1"))
    with pytest.raises(UserError, match=r"config\.json (is not JSON|describes another kind)"):
        load(folder)


def test_missing_weights_are_explained(folder):
    (folder / "model.safetensors").unlink()
    with pytest.raises(UserError, match=r"has no model\.safetensors: copy the whole folder"):
        load(folder)


@pytest.mark.parametrize("keep", [0, 4, 200, -1])
def test_weights_that_are_cut_off_are_explained(folder, keep):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(
        UserError, match=r"model\.safetensors is damaged or cut off .*: copy it again"
    ):
        load(folder)


def test_tensors_that_do_not_fit_are_named(folder):
    path = folder / "model.safetensors"
    weights = load_file(path)
    del weights["keys.bias"]
    save_file(weights | {"extra": torch.zeros(1), "readout.weight": torch.zeros(3, 4)}, path)
    with pytest.raises(UserError) as error:
        load(folder)
    for part in (
        "lacks keys.bias",
        "has extra, which",
        "has readout.weight of shape [3, 4], not [8, 24]",
    ):
        assert part in str(error.value)


# Other wrong input.


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vocab_size": 0}, "vocab_size=0 is not a size"),
        ({"source_vocab_size": -3}, "source_vocab_size=-3 is not a size"),
        ({"dropout": 1.0}, "dropout=1.0 is not a share"),
        ({"pad": 2}, "pad and eos are both 2"),
        ({"bos": -1}, "bos=-1 is not a token"),
    ],
)
def test_sizes_that_cannot_be_are_refused(changes, message):
    with pytest.raises(UserError, match=message):
        replace(SMALL, **changes)


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ([], "there are no sources"),
        ([[3], []], "source 1 is empty"),
        ([[3], [4, 13]], "source 1 has token 13, but the model reads ids from 0 to 12"),
        ([[-1], [4]], "source 0 has token -1"),
        ([[3], [4, 0, 4]], "source 1 contains 0, which is padding"),
        ([["drei"]], "source 0 is not made of numbers"),
        ([[3.5]], "source 0 is of shape .* a source is one row of whole numbers"),
        ([[[3, 4]]], "source 0 is of shape .* a source is one row of whole numbers"),
        ([3, 4], "source 0 is of shape .* a source is one row of whole numbers"),
    ],
)
def test_sources_that_cannot_be_read_are_refused(sources, message):
    with pytest.raises(UserError, match=message):
        GRU(network()).start(sources)
