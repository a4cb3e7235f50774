"""An ensemble is a model: it keeps the laws, and says what its members say together."""

from __future__ import annotations

import laws
import pytest
import torch

from gridbeam import UserError
from gridbeam.models import Model
from gridbeam.models.ensemble import Ensemble
from gridbeam.models.toy import Bigram

TOKENS = [5, 7, 3]


def bigrams():
    noise = torch.Generator().manual_seed(0)
    return [Bigram(torch.randn(9, 9, generator=noise)) for _ in range(2)], [[2, 3], [4], [5, 5, 6]]


def huggingface(*names):
    pytest.importorskip("transformers")
    from families import FAMILIES

    from gridbeam.models.huggingface.adapter import HuggingFace

    return [HuggingFace(FAMILIES[name].model()) for name in names], [[5, 6, 8], [7]]


def gpt2_and_llama():
    return huggingface("gpt2", "llama")


def marian_and_t5():
    return huggingface("marian", "t5")


@pytest.fixture(params=[bigrams, gpt2_and_llama, marian_and_t5], scope="module")
def members(request):
    return request.param()


@pytest.fixture(params=["log_linear", "linear"], scope="module")
def case(request, members):
    return Ensemble(members[0], weights=[2, 1], combine=request.param), members[1], TOKENS


def test_it_has_the_three_verbs(case):
    assert isinstance(case[0], Model)


@pytest.mark.parametrize("law", laws.ALL, ids=lambda law: law.__name__)
def test_it_keeps_the_laws(case, law):
    law(*case)


def stepped(model, sources, tokens=TOKENS):
    state, feed, answers = model.start(sources), torch.full((len(sources),), model.bos), []
    for token in (*tokens, 0):
        log_probs, state = model.step(state, feed)
        answers.append(log_probs)
        feed = torch.full_like(feed, token)
    return torch.stack(answers)


def test_probabilities_are_averaged_by_weight(members):
    models, sources = members
    a, b = (stepped(model, sources) for model in models)
    linear = (2 / 3 * a.exp() + 1 / 3 * b.exp()).log()
    log_linear = 2 / 3 * a + 1 / 3 * b
    log_linear = log_linear - log_linear.exp().sum(-1, keepdim=True).log()
    assert torch.allclose(stepped(Ensemble(models, [2, 1], "linear"), sources), linear, atol=1e-4)
    assert torch.allclose(stepped(Ensemble(models, [2, 1]), sources), log_linear, atol=1e-4)


def test_a_model_with_itself_says_what_it_says_alone(members):
    models, sources = members
    for combine in ("log_linear", "linear"):
        ensemble = Ensemble([models[0]] * 3, combine=combine)
        assert torch.allclose(stepped(ensemble, sources), stepped(models[0], sources), atol=1e-4)


def test_each_member_may_have_a_source_of_its_own():
    models, _ = bigrams()
    ensemble = Ensemble(models)
    apart = stepped(ensemble, [([2], [3]), ([4], [4])])
    together = (
        torch.stack([stepped(models[0], [[2], [4]]), stepped(models[1], [[3], [4]])])
        .mean(0)
        .log_softmax(-1)
    )
    assert torch.allclose(apart, together, atol=1e-4)
    with pytest.raises(UserError, match="source 1 is a tuple of 3, but there are 2 models"):
        ensemble.start([[2], ([3], [4], [5])])


def test_a_tuple_of_tokens_is_one_source_for_all():
    models, _ = bigrams()
    assert torch.equal(
        stepped(Ensemble(models), [(2, 3), (4, 5, 6)]),
        stepped(Ensemble(models), [[2, 3], [4, 5, 6]]),
    )


def test_each_member_starts_with_its_own_first_token():
    logits = torch.randn(9, 9, generator=torch.Generator().manual_seed(2))
    ensemble = Ensemble([Bigram(logits, bos=0), Bigram(logits, bos=4)])
    log_probs, _ = ensemble.step(ensemble.start([[]]), torch.tensor([ensemble.bos]))
    assert torch.allclose(
        log_probs[0],
        ((logits[0].log_softmax(0) + logits[4].log_softmax(0)) / 2).log_softmax(0),
        atol=1e-5,
    )


def test_what_members_forbid_between_them_is_forbidden():
    logits = torch.full((2, 3, 3), -torch.inf)
    logits[0, :, :2], logits[1, :, 2] = 0.0, 0.0
    models = [Bigram(table) for table in logits]
    log_probs, _ = Ensemble(models).step(Ensemble(models).start([[]]), torch.tensor([0]))
    assert log_probs.isneginf().all()
    unweighted = Ensemble(models, [1, 0])
    log_probs, _ = unweighted.step(unweighted.start([[]]), torch.tensor([0]))
    assert log_probs.exp().tolist() == [[0.5, 0.5, 0.0]]


def test_bad_ensembles_are_refused():
    one, small, other_end = (
        Bigram(torch.zeros(9, 9)),
        Bigram(torch.zeros(8, 8)),
        Bigram(torch.zeros(9, 9), eos=2),
    )
    with pytest.raises(UserError, match="at least one model"):
        Ensemble([])
    with pytest.raises(
        UserError, match="model 1 has a vocabulary of 8 tokens, but model 0 one of 9"
    ):
        Ensemble([one, small])
    with pytest.raises(UserError, match="model 1 ends with eos 2, but model 0 with 1"):
        Ensemble([one, other_end])
    with pytest.raises(UserError, match="1 weights for 2 models"):
        Ensemble([one, one], [1.0])
    for weights in ([-1, 2], [0, 0], [float("nan"), 1], [float("inf"), 1]):
        with pytest.raises(UserError, match="none may be negative, nor all be 0"):
            Ensemble([one, one], weights)
    with pytest.raises(UserError, match='write "log_linear" or "linear"'):
        Ensemble([one], combine="mean")
