"""A model in 8 bits computed without transformers, judged by transformers on the same weights."""

from __future__ import annotations

import gc
import json
import shutil
import weakref

import laws
import pytest
import tiny
import torch
from safetensors.torch import load_file, save_file

from gridbeam import Translator, UserError
from gridbeam.models import eightbit
from gridbeam.models.huggingface import HuggingFace
from gridbeam.models.lean import matrices
from gridbeam.models.lean.folder import SWITCH, network_in
from gridbeam.models.lean.marian import marian_of
from gridbeam.models.lean.matrices import InEightBits, InFloat, has_eight_bits
from gridbeam.models.lean.model import Lean
from gridbeam.models.lean.weights import StoredMatrix, StoredWeights
from gridbeam.models.load import load

pytestmark = pytest.mark.skipif(not has_eight_bits(), reason="this processor has no 8-bit products")
SOURCES = [[5, 6, 7, 0], [9, 0], [30, 31, 5, 5, 5, 8, 40, 0]]
TOKENS = [12, 40, 7]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("lean") / "model"
    eightbit.store(tiny.marian(), path)
    return path


@pytest.fixture(scope="module")
def lean(folder):
    model = load(str(folder), target="de").model
    assert isinstance(model, Lean)
    return model


@pytest.fixture(scope="module")
def plain(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SWITCH, "off")
        model = load(str(folder), target="de").model
    assert isinstance(model, HuggingFace)
    return model


@pytest.fixture(scope="module")
def in_float32(folder, lean):
    from transformers import AutoConfig

    weights = StoredWeights(load_file(folder / eightbit.WEIGHTS))
    network = marian_of(AutoConfig.from_pretrained(folder), weights, digits=0)
    return Lean(network, bos=lean.bos, eos=lean.eos, forbidden=lean._forbidden.tolist())


def scores(model, sources, tokens=TOKENS):
    """The log-probabilities after each token, for all sources side by side."""
    state, feed, found = model.start(sources), torch.full((len(sources),), model.bos), []
    for token in (*tokens, model.bos):
        log_probs, state = model.step(state, feed)
        found.append(log_probs.clone())
        feed = torch.full_like(feed, token)
    return torch.stack(found)


@pytest.mark.parametrize("law", laws.ALL, ids=lambda law: law.__name__)
@pytest.mark.parametrize("kind", ["lean", "in_float32"])
def test_it_keeps_the_laws(law, kind, request):
    law(request.getfixturevalue(kind), SOURCES, TOKENS)


def test_in_float32_it_scores_as_transformers_does(in_float32, plain):
    assert torch.allclose(scores(in_float32, SOURCES), scores(plain, SOURCES), atol=1e-4)


def test_in_8_bits_it_scores_nearly_as_transformers_does(lean, plain):
    expected = scores(plain, SOURCES)
    assert torch.allclose(scores(lean, SOURCES), expected, atol=5e-3)
    assert (expected == -torch.inf).equal(scores(lean, SOURCES) == -torch.inf)


def test_in_8_bits_a_batch_gives_bit_for_bit_what_its_sentences_give(lean):
    together = scores(lean, SOURCES)
    for number, source in enumerate(SOURCES):
        assert together[:, number].equal(scores(lean, [source])[:, 0])


def test_rows_that_were_repeated_dropped_and_swept_out_score_as_if_read_anew(lean):
    draw = torch.Generator().manual_seed(0)
    state, read = lean.start(SOURCES), [[number, lean.bos] for number in range(3)]
    for _ in range(30):
        feed = torch.tensor([tokens[-1] for tokens in read])
        log_probs, state = lean.step(state, feed)
        rows = torch.randint(len(read), (12,), generator=draw).sort().values
        state = lean.select(state, rows)
        added = torch.randint(3, 50, (12,), generator=draw).tolist()
        read = [[*read[row], token] for row, token in zip(rows.tolist(), added, strict=True)]
    log_probs, state = lean.step(state, torch.tensor([tokens[-1] for tokens in read]))
    assert all(tree.sees.shape[1] < 30 * 12 for tree in state.trees)
    number, *tokens = read[-1]
    alone = lean.start([SOURCES[number]])
    for token in tokens:
        anew, alone = lean.step(alone, torch.tensor([token]))
    assert torch.allclose(log_probs[-1], anew[0], atol=1e-4)


def test_a_text_that_fills_all_positions_must_end(lean, plain):
    tokens = [5] * (lean.positions - 1)
    expected = scores(plain, SOURCES[:1], tokens)[-1, 0]
    found = scores(lean, SOURCES[:1], tokens)[-1, 0]
    assert (found == -torch.inf).equal(expected == -torch.inf)
    assert int((found > -torch.inf).sum()) == 1


@pytest.mark.parametrize(("digits", "error"), [(1, 0.2), (2, 2e-3)])
@pytest.mark.parametrize("rows", [1, 5, 17, 70, 300, 700])
def test_a_product_in_8_bits_is_that_of_float32(rows, digits, error):
    draw = torch.Generator().manual_seed(rows)
    numbers = torch.randint(-127, 128, (64, 96), generator=draw, dtype=torch.int8)
    bias = torch.randn(64, generator=draw)
    stored = StoredMatrix(numbers, torch.rand(64, generator=draw) / 100, bias)
    given = torch.randn(rows, 96, generator=draw) * torch.rand(rows, 1, generator=draw)
    given[0] = 0
    expected = InFloat(stored.weight(), bias)(given)
    assert torch.allclose(InEightBits.of(stored, digits)(given), expected, atol=error)


def test_without_second_digits_scores_are_further_off(folder, lean, plain, monkeypatch):
    monkeypatch.setenv(SWITCH, "fast")
    fast = load(str(folder), target="de").model
    assert fast.network is not lean.network
    allowed = scores(plain, SOURCES) > -torch.inf
    errors = [(scores(each, SOURCES) - scores(plain, SOURCES))[allowed] for each in (fast, lean)]
    assert 10 * errors[1].abs().max() < errors[0].abs().max() < 0.5


def test_a_processor_that_gets_sums_wrong_is_noticed(monkeypatch):
    monkeypatch.setattr(matrices, "_product", lambda *_: torch.zeros(2, 64))
    assert not has_eight_bits.__wrapped__()


def test_the_languages_of_a_folder_share_one_network(folder):
    german, french = (load(str(folder), target=target).model for target in ("de", "fr"))
    assert german.network is french.network
    assert network_in(folder, None) is german.network


def test_a_network_that_nobody_holds_is_given_up(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    held = weakref.ref(load(str(copy), target="de").model.network)
    gc.collect()
    assert held() is None


def test_what_it_does_not_know_is_left_to_transformers(folder, tmp_path):
    for number, change in enumerate(
        ({"no_repeat_ngram_size": 3}, {"bad_words_ids": [[90]]}, {"repetition_penalty": 1.5})
    ):
        copy = shutil.copytree(folder, tmp_path / str(number))
        path = copy / "generation_config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | change))
        assert isinstance(load(str(copy), target="de").model, HuggingFace)


def test_words_that_are_never_written_anyway_may_be_forbidden_again(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    path = copy / "generation_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"bad_words_ids": [[2]]}))
    assert isinstance(load(str(copy), target="de").model, Lean)


def test_weights_that_do_not_fit_are_refused_as_ever(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    weights = load_file(copy / eightbit.WEIGHTS)
    weights["more"] = torch.zeros(1)
    save_file(weights, copy / eightbit.WEIGHTS, metadata={"format": "pt"})
    with pytest.raises(UserError, match="more is too many"):
        load(str(copy), target="de")


def test_sources_it_cannot_read_are_named(lean):
    with pytest.raises(UserError, match="source 1 has token 9999, but the model reads ids from 0"):
        lean.start([[5, 0], [9999, 0]])
    with pytest.raises(UserError, match=r"source 0 has 65 tokens.*no more than 64"):
        lean.start([[5] * 65])


def test_a_search_finds_what_it_finds_with_transformers(folder, monkeypatch):
    texts = ["The disk is full.", "Why is it that the house is empty?", "The smoke."]
    found = []
    for switch in ("on", "off"):
        monkeypatch.setenv(SWITCH, switch)
        translator = Translator.load(str(folder), target="de")
        results = translator.translate_all(texts, beam=4, max_length=20)
        found.append([(each.text, pytest.approx(each.score, abs=2e-3)) for each in results])
    assert found[0] == found[1]
