"""Marian in slots gives what transformers gives, and kernels what their plain versions give."""

from __future__ import annotations

import pytest
import torch
import transformers

import gridbeam
from gridbeam import Avoid, GridBeamSearch, Phrase
from gridbeam.decoding.slots.shape import SWITCH
from gridbeam.models.huggingface.adapter import HuggingFace
from gridbeam.models.slots.kernels.best import best_tokens
from gridbeam.models.slots.kernels.norm import add_and_norm, plainly_added
from gridbeam.models.slots.kernels.recall import plainly_recalled, recall

SIZE = 103


def marian(**more):
    torch.manual_seed(0)
    return transformers.MarianMTModel(
        transformers.MarianConfig(
            **{
                "vocab_size": SIZE,
                "d_model": 32,
                "encoder_layers": 1,
                "decoder_layers": 2,
                "encoder_attention_heads": 4,
                "decoder_attention_heads": 4,
                "encoder_ffn_dim": 64,
                "decoder_ffn_dim": 64,
                "max_position_embeddings": 64,
                "pad_token_id": SIZE - 1,
                "eos_token_id": 0,
                "decoder_start_token_id": SIZE - 1,
                "forced_eos_token_id": None,
                "init_std": 0.3,
                **more,
            }
        )
    ).eval()


SOURCES = [[5, 9, 3], [7, 8, 20, 21, 4], [11]]


def steps_of(adapter, tokens):
    """The logits of slots that go on from others, and the log-probabilities of the three verbs."""
    asked = adapter.in_slots(SOURCES, 20)
    seats = asked.network.seats(3, 2, 20, 8)
    seats.read(asked.encoded)
    state = adapter.select(adapter.start(SOURCES), torch.tensor([0, 0, 1, 1, 2, 2]))
    draw = torch.Generator().manual_seed(1)
    parents = torch.arange(6)
    for number, token in enumerate(tokens):
        if number:
            parents = torch.tensor([0, 0, 2, 2, 4, 4]) + torch.randint(0, 2, (6,), generator=draw)
            state = adapter.select(state, parents)
        fed = torch.full((6,), token) + torch.arange(6) if number else torch.full((6,), adapter.bos)
        log_probs, state = adapter.step(state, fed)
        yield seats.step(fed, parents, torch.tensor(number)), log_probs


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"scale_embedding": True, "activation_function": "swish"},
        {"activation_function": "relu", "decoder_attention_heads": 2},
    ],
    ids=str,
)
def test_steps_in_slots_equal_the_three_verbs_on_reordered_prefixes(more):
    adapter = HuggingFace(marian(**more), forbidden=[7, SIZE - 1])
    for logits, log_probs in steps_of(adapter, [0, 3, 40, 9, 12]):
        found = logits.log_softmax(1)
        assert found.shape[1] % 64 == 0
        assert torch.equal(found[:, SIZE:], torch.full_like(found[:, SIZE:], -torch.inf))
        assert torch.allclose(found[:, :SIZE], log_probs, atol=1e-4)


def test_weights_that_change_are_read_anew():
    model = marian()
    adapter = HuggingFace(model)
    first = adapter.in_slots(SOURCES, 20).network
    assert adapter.in_slots(SOURCES, 20).network is first
    with torch.no_grad():
        model.get_decoder().layers[0].fc1.weight.mul_(2)
    assert adapter.in_slots(SOURCES, 20).network is not first
    for logits, log_probs in steps_of(adapter, [0, 3]):
        assert torch.allclose(logits.log_softmax(1)[:, :SIZE], log_probs, atol=1e-4)


def test_what_is_not_known_is_left_to_transformers():
    model = marian()
    assert HuggingFace(model).in_slots(SOURCES, 20) is not None
    assert HuggingFace(model).in_slots(SOURCES, 64) is None  # no position for all of it
    ruled = transformers.GenerationConfig.from_model_config(model.config)
    ruled.repetition_penalty = 1.5
    assert HuggingFace(model, generation_config=ruled).in_slots(SOURCES, 20) is None
    prompted = [{"input_ids": each, "decoder_input_ids": [SIZE - 1, 4]} for each in SOURCES]
    assert HuggingFace(model).in_slots(prompted, 20) is None
    model.get_decoder().layers[0].fc1.register_forward_hook(lambda *given: None)
    assert HuggingFace(model).in_slots(SOURCES, 20) is None


@pytest.mark.parametrize(
    "options",
    [
        {"min_new_tokens": 12},
        {"early_stopping": True, "length_penalty": 0.3},
        {"bad_words_ids": [[5], [SIZE - 1]]},
    ],
    ids=str,
)
def test_generate_gives_the_same_in_slots(options, monkeypatch):
    model, found = marian(), []
    source = torch.tensor([[5, 9, 3, 0], [7, 8, 20, 21]])
    wishes = [[Phrase([30, 31]), Phrase([32])], [Phrase([5, 6]), Avoid(Phrase([9]))]]
    if "bad_words_ids" in options:
        wishes[1] = [Avoid(Phrase([9]))]
    for how in ("everywhere", "off"):
        monkeypatch.setenv(SWITCH, how)
        found.append(
            model.generate(
                source, num_beams=4, max_new_tokens=12, do_sample=False, num_return_sequences=2,
                custom_generate=GridBeamSearch(), constraints=wishes, return_dict_in_generate=True,
                **options,
            )
        )  # fmt: skip
    assert torch.equal(found[0].sequences, found[1].sequences)
    assert torch.allclose(found[0].sequences_scores, found[1].sequences_scores, atol=1e-4)
    assert found[0].constraint_spans == found[1].constraint_spans


def test_batches_of_all_sizes_give_the_same(monkeypatch):
    monkeypatch.setenv(SWITCH, "everywhere")
    adapter = HuggingFace(marian())
    wishes = [[Phrase([30, 31])], [], [Phrase([4]), Phrase([5])]]
    how = {"beam": 3, "max_length": 12}
    together = gridbeam.search(adapter, SOURCES, wishes, **how)
    for number, source in enumerate(SOURCES):
        [alone] = gridbeam.search(adapter, [source], [wishes[number]], **how)
        assert [h.tokens for h in alone] == [h.tokens for h in together[number]]


@pytest.mark.parametrize(("rows", "vocab", "count"), [(3, 200, 9), (2, 5000, 22), (4, 64, 40)])
def test_the_best_tokens_are_those_of_a_whole_sort(rows, vocab, count):
    logits = torch.randn(rows, vocab, generator=torch.Generator().manual_seed(vocab))
    logits[:, ::7] = -torch.inf
    best = best_tokens(logits, torch.ones(rows, dtype=torch.bool), count)
    value, token = logits.sort(dim=1, descending=True, stable=True)
    assert torch.equal(best.value, value[:, :count])
    assert torch.equal(best.token, token[:, :count])
    assert torch.allclose(best.log_sum, logits.logsumexp(1), atol=1e-5)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="compares kernels with plain versions")
def test_kernels_give_what_their_plain_versions_give():
    device, number = torch.device("cuda"), torch.tensor(17, device="cuda")
    asked, cache = torch.randn(6, 96, device=device), torch.randn(32, 6, 64, device=device)
    own = torch.randint(0, 6, (6, 32), dtype=torch.int32, device=device)
    other = cache.clone()
    found = recall(asked, cache, own, number, 4)
    assert torch.allclose(found, plainly_recalled(asked, other, own, number, 4), atol=1e-4)
    rows, change = torch.randn(2, 6, 32, device=device)
    weight, bias = torch.randn(2, 32, device=device)
    added = add_and_norm(rows, change, weight, bias, 1e-5)
    assert torch.allclose(added, plainly_added(rows, change, weight, bias, 1e-5), atol=1e-4)


def test_no_column_to_come_is_remembered():
    asked, own = torch.randn(4, 96), torch.randint(0, 4, (4, 8), dtype=torch.int32)
    cache = torch.randn(8, 4, 64)
    cache[3:] = torch.nan
    found = plainly_recalled(asked, cache, own, torch.tensor(3), 4)
    assert bool(found.isfinite().all())
