"""Eight bits for a weight: how far off they may be, and what is left out."""

from __future__ import annotations

import json

import pytest
import tiny
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file

from gridbeam import UserError
from gridbeam.models import eightbit
from gridbeam.models.load import export, load


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "stored"
    eightbit.store(tiny.marian(), folder)
    return folder


@given(
    st.integers(0, 2**31),
    st.integers(1, 5),
    st.integers(1, 40),
    st.sampled_from([1e-30, 1e-4, 1.0, 1e20]),
)
def test_no_weight_is_off_by_more_than_half_its_scale(seed, rows, columns, size):
    weights = size * torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed))
    weights[0] *= seed % 2  # a row of zeros, now and then
    numbers, scale = eightbit.quantized(weights)
    off = (weights.double() - eightbit.dequantized(numbers, scale).double()).abs()
    assert (off <= scale.double()[:, None] * 0.50001).all()


def test_every_weight_comes_back_and_vectors_come_back_unchanged(stored):
    before, after = load_file(tiny.marian() / "model.safetensors"), eightbit.restore(stored)
    scales = load_file(stored / "model.safetensors")
    assert set(before) <= set(after)
    for name, weights in before.items():
        scale = scales.get(f"{name}.scale", torch.zeros(1))
        assert after[name].dtype == torch.float32
        assert (
            ((weights - after[name]).abs() <= scale[:, None] * 0.50001).all()
            if weights.ndim == 2
            else weights.equal(after[name])
        )


def test_tied_matrices_are_stored_once_and_position_tables_not_at_all(stored):
    names = set(load_file(stored / "model.safetensors"))
    assert not any("embed_positions" in name for name in names)
    assert (
        len(
            [
                name
                for name in names
                if "embed_tokens.weight" in name or "shared.weight" in name or "lm_head" in name
            ]
        )
        == 2
    )
    assert json.loads((stored / "config.json").read_text())["gridbeam"]["storage"] == "int8"


@pytest.mark.parametrize(("positions", "width"), [(64, 32), (7, 5), (512, 512)])
def test_position_tables_are_those_of_marian(positions, width):
    from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding

    expected = MarianSinusoidalPositionalEmbedding(positions, width).create_weight()
    assert torch.allclose(eightbit.sinusoids(positions, width), expected, atol=1e-6)


def test_the_same_model_is_stored_in_the_same_bytes(stored, tmp_path):
    eightbit.store(tiny.marian(), tmp_path / "again")
    for path in stored.iterdir():
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes()


def test_a_stored_model_scores_nearly_as_before(stored):
    few, many = (load(str(folder), target="de") for folder in (stored, tiny.marian()))
    source = many.tokenizer("The disk is full.")["input_ids"]
    scores = [
        loaded.model.step(loaded.model.start([source]), torch.tensor([2]))[0].exp()
        for loaded in (few, many)
    ]
    assert (scores[0] - scores[1]).abs().max() < 0.02


def test_an_exported_model_is_one_that_transformers_loads(stored, tmp_path):
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    export(str(stored), tmp_path / "exported")
    model = AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "exported")
    for name, weights in eightbit.restore(stored).items():
        if name not in ("model.shared.weight", "final_logits_bias"):  # renumbered: test_export.py
            assert torch.allclose(model.state_dict()[name], weights, atol=1e-6)
    assert model.lm_head.weight.data_ptr() == model.get_input_embeddings().weight.data_ptr()
    with pytest.warns(UserWarning, match="sacremoses"):
        tokenizer = AutoTokenizer.from_pretrained(tmp_path / "exported")
    assert (
        tokenizer.decode(tokenizer("Die Festplatte 😀")["input_ids"], skip_special_tokens=True)
        == "Die Festplatte 😀"
    )
    assert load(str(tmp_path / "exported"), target="fr").tag == ">>fr<< "


@pytest.mark.parametrize(
    "write", [eightbit.store, lambda folder, to: export(str(folder), to)], ids=["store", "export"]
)
def test_a_folder_with_something_in_it_is_not_overwritten(write, tmp_path):
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(UserError, match="is not empty, and nothing is overwritten"):
        write(tiny.marian(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
