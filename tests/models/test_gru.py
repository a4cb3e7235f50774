"""The paper's network agrees with its equations written out in numpy.

As a model it keeps the laws.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import replace

import laws
import numpy as np
import pytest
import torch
from small_gru import BOS, EOS, PAD, SMALL, SOURCES, TARGET, network, padded

import gridbeam
from gridbeam import Phrase
from gridbeam.models import Model
from gridbeam.models.gru import recurrences
from gridbeam.models.gru.model import GRU
from gridbeam.models.gru.network import AttentionalGRU
from gridbeam.models.gru.recurrences import Steps

# The equations, one vector at a time.


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gru(state, from_input, from_state):
    """Reset, update and proposal from what the input and the state add to each."""
    (reset_x, update_x, new_x), (reset_s, update_s, new_s) = (
        np.split(from_input, 3),
        np.split(from_state, 3),
    )
    update = sigmoid(update_x + update_s)
    return update * state + (1 - update) * np.tanh(new_x + sigmoid(reset_x + reset_s) * new_s)


def encoded_by_hand(p, source, direction):
    state, states = np.zeros(p["first_state.weight"].shape[0]), []
    for token in source:
        name = f"encoder_{direction}"
        x = (
            p[f"{name}.weight_ih_l0"] @ p["source_embedding.weight"][token]
            + p[f"{name}.bias_ih_l0"]
        )
        state = gru(state, x, p[f"{name}.weight_hh_l0"] @ state + p[f"{name}.bias_hh_l0"])
        states.append(state)
    return states


def logits_by_hand(p, source, target):
    """After each target token: s_i from y_{i-1} and c_i, where s_{i-1} attends to c_i."""
    forward, backward = (
        encoded_by_hand(p, source, "forward"),
        encoded_by_hand(p, source[::-1], "backward")[::-1],
    )
    h = [np.concatenate(both) for both in zip(forward, backward, strict=True)]
    s = np.tanh(p["first_state.weight"] @ backward[0] + p["first_state.bias"])
    n = len(s)
    w_a, recurrent = p["of_state.weight"][:n], p["of_state.weight"][n:]
    logits = []
    for y in target:
        energies = [
            p["energy.weight"][0] @ np.tanh(w_a @ s + p["keys.weight"] @ h_j + p["keys.bias"])
            for h_j in h
        ]
        alpha = np.exp(energies) / np.sum(np.exp(energies))
        c = sum(a * h_j for a, h_j in zip(alpha, h, strict=True))
        token = p["of_token.weight"] @ p["target_embedding.weight"][y] + p["of_token.bias"]
        s = gru(s, token[: 3 * n] + p["of_context.weight"] @ c, recurrent @ s)
        t = token[3 * n :] + p["readout.weight"] @ np.concatenate([s, c])
        t = np.array([max(t[2 * k], t[2 * k + 1]) for k in range(n // 2)])
        logits.append(
            p["to_vocabulary.weight"] @ (p["narrowed.weight"] @ t) + p["to_vocabulary.bias"]
        )
    return np.array(logits)


@pytest.mark.parametrize("seed", range(3))
def test_it_computes_the_equations_of_the_paper(seed):
    net = network(seed=seed)
    weights = {name: tensor.double().numpy() for name, tensor in net.state_dict().items()}
    fast = net(padded(SOURCES), torch.tensor([TARGET] * 3)).detach().numpy()
    for row, source in enumerate(SOURCES):
        assert np.allclose(fast[row], logits_by_hand(weights, source, TARGET), atol=1e-4)


def test_a_state_goes_on_as_in_the_gru_cell_of_torch():
    net = network()
    cell = torch.nn.GRUCell(SMALL.embedding + 2 * SMALL.hidden, SMALL.hidden, bias=False)
    gates = 3 * SMALL.hidden
    with torch.no_grad():
        cell.weight_ih.copy_(torch.cat([net.of_token.weight[:gates], net.of_context.weight], 1))
        cell.weight_hh.copy_(net.of_state.weight[SMALL.hidden :])
        net.of_token.bias.zero_()
        encoded, state = net.encode(torch.tensor([[5]]))
        _, after = net.step(encoded, state[:, None], torch.tensor([[7]]))
        # A source of one token is attended to wholly, so that the context is known.
        fed = torch.cat([net.target_embedding(torch.tensor([7])), encoded.annotations[:, 0]], 1)
        assert torch.allclose(after[:, 0], cell(fed, state), atol=1e-6)


def test_it_has_the_three_verbs():
    assert isinstance(GRU(network()), Model)


@pytest.mark.parametrize("law", laws.ALL, ids=lambda law: law.__name__)
def test_it_keeps_the_laws(law):
    law(GRU(network()), SOURCES, TARGET[1:])


def test_what_is_read_to_search_is_what_is_read_to_learn():
    net = network()
    (to_learn, first), source = net.encode(padded(SOURCES)), padded(SOURCES)
    with torch.no_grad():
        to_search, same = net.encode(source)
    assert torch.allclose(
        to_learn.annotations, to_search.annotations, atol=1e-6
    ) and torch.allclose(first, same, atol=1e-6)


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float64])
def test_its_weights_may_be_of_another_type(kind):
    exact, net = network(scale=0.2), network(scale=0.2).to(kind)
    log_probs, _ = GRU(net).step(GRU(net).start(SOURCES), torch.full((3,), BOS))
    expected, _ = GRU(exact).step(GRU(exact).start(SOURCES), torch.full((3,), BOS))
    assert (log_probs - expected).abs().max() < 0.05
    net(padded(SOURCES), torch.tensor([TARGET] * 3)).float().square().sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in net.parameters())


def test_stepping_equals_teacher_forcing():
    net = network()
    forced = net(padded(SOURCES), torch.tensor([TARGET] * 3)).log_softmax(-1)
    model = GRU(net)
    state = model.start(SOURCES)
    for position, token in enumerate(TARGET):
        log_probs, state = model.step(state, torch.full((3,), token))
        assert torch.allclose(log_probs, forced[:, position], atol=1e-5)


def test_padding_changes_nothing():
    net = network()
    together = net(padded([*SOURCES, [4] * 20]), torch.tensor([TARGET] * 4))
    for row, source in enumerate(SOURCES):
        assert torch.allclose(
            together[row], net(torch.tensor([source]), torch.tensor([TARGET]))[0], atol=1e-5
        )


def test_padding_has_no_gradient():
    net = network()
    net(padded(SOURCES), torch.tensor([TARGET] * 3)).square().sum().backward()
    assert net.source_embedding.weight.grad[PAD].abs().max() == 0
    assert net.source_embedding.weight.grad[3].abs().max() > 0


def test_later_tokens_of_the_target_change_nothing_before_them():
    net = network()
    other = [*TARGET[:4], 11, 12]
    a, b = (net(padded(SOURCES), torch.tensor([target] * 3)) for target in (TARGET, other))
    assert torch.equal(a[:, :4], b[:, :4]) and not torch.allclose(a[:, 4:], b[:, 4:])


def test_rows_that_are_reordered_repeated_and_dropped_are_scored_as_alone():
    net, random = network(), torch.Generator().manual_seed(3)
    model = GRU(net)
    state, feed = model.start(SOURCES), torch.full((3,), BOS)
    rows = [(source, [BOS]) for source in SOURCES]
    for width in (7, 7, 5, 9, 3, 2, 1):
        log_probs, state = model.step(state, feed)
        alone = [
            net(torch.tensor([source]), torch.tensor([prefix]))[0, -1].log_softmax(-1)
            for source, prefix in rows
        ]
        assert torch.allclose(log_probs, torch.stack(alone), atol=1e-5)
        chosen = torch.randint(len(rows), (width,), generator=random)
        feed = torch.randint(3, 13, (width,), generator=random)
        state = model.select(state, chosen)
        rows = [
            (rows[row][0], [*rows[row][1], token])
            for row, token in zip(chosen.tolist(), feed.tolist(), strict=True)
        ]


def test_what_was_read_of_a_sentence_is_stored_once_and_forgotten_with_its_rows():
    model = GRU(network())
    state = model.start(SOURCES)
    many = model.select(state, torch.tensor([0, 1, 2, 2, 2, 1]))
    assert many.encoded is state.encoded
    assert len(model.select(many, torch.tensor([3, 4])).encoded.mask) == 1


def test_dropout_is_for_training_only():
    net = network().train()
    source, target = padded(SOURCES), torch.tensor([TARGET] * 3)
    assert not torch.allclose(net(source, target), net(source, target))
    GRU(net).start(SOURCES)
    assert torch.equal(net(source, target), net(source, target))


def test_dropout_leaves_the_recurrence_alone():
    net = network(replace(SMALL, dropout=0.9)).train()
    encoded, state = net.encode(padded(SOURCES))
    (a, after), (b, again) = (
        net.step(encoded, state[:, None], torch.full((3, 1), 5)) for _ in range(2)
    )
    assert torch.equal(after, again) and not torch.allclose(a, b)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The .grad attribute")  # torch's compiler looks at it
def test_a_compiled_step_computes_the_same(monkeypatch):
    # Where shapes are checked as they run, a wrapper checks them, which torch cannot compile.
    for name in ("gated", "gated_backward"):
        monkeypatch.setattr(recurrences, name, inspect.unwrap(getattr(recurrences, name)))
    net = network()
    net._steps = Steps(
        **{name: inspect.unwrap(function) for name, function in vars(Steps()).items()}
    )
    source, target = padded(SOURCES), torch.tensor([TARGET] * 3)
    plain = net(source, target)
    gradients = torch.autograd.grad(plain.square().sum(), net.parameters())
    net.compile_steps(backend="eager")
    compiled = net(source, target)
    assert torch.allclose(compiled, plain, atol=1e-6)
    for one, other in zip(
        torch.autograd.grad(compiled.square().sum(), net.parameters()), gradients, strict=True
    ):
        assert torch.allclose(one, other, atol=1e-4)


def test_bfloat16_stays_close_to_float32_and_keeps_the_state_in_float32():
    net = network(replace(SMALL, hidden=64, embedding=32), scale=0.15)
    source, target = (
        padded(SOURCES),
        torch.randint(3, 13, (3, 60), generator=torch.Generator().manual_seed(0)),
    )
    exact = net(source, target).log_softmax(-1)
    with torch.autocast("cpu", torch.bfloat16):
        rough = net(source, target)
        assert rough.dtype == torch.bfloat16
        assert net.encode(source)[1].dtype == torch.float32
        rough.float().logsumexp(-1).sum().backward()
    assert (rough.float().log_softmax(-1) - exact).abs().max() < 0.05
    assert all(parameter.grad.isfinite().all() for parameter in net.parameters())


def test_the_first_weights_are_those_of_blocks():
    net = AttentionalGRU(replace(SMALL, hidden=32))
    for matrix in (*net.of_state.weight[32:].chunk(3), *net.encoder_backward.weight_hh_l0.chunk(3)):
        assert torch.allclose(matrix @ matrix.T, torch.eye(32), atol=1e-5)
    assert 0.009 < net.of_state.weight[:32].std() < 0.011
    assert net.to_vocabulary.bias.abs().max() == net.encoder_forward.bias_hh_l0.abs().max() == 0


def test_source_and_target_may_have_vocabularies_of_different_sizes():
    model = GRU(AttentionalGRU(replace(SMALL, source_vocab_size=30)))
    log_probs, _ = model.step(model.start([[29, 2]]), torch.tensor([BOS]))
    assert log_probs.shape == (1, 13)


# Training, and the search on what was trained.


@pytest.fixture(scope="module")
def reverser():
    """Overfitted to twenty pairs of a sentence and the same backwards."""
    random = torch.Generator().manual_seed(1)
    texts = [torch.randint(3, 13, (4 + i % 3,), generator=random).tolist() for i in range(20)]
    sources, targets = (
        padded([[*text, EOS] for text in texts]),
        padded([[BOS, *text[::-1], EOS] for text in texts]),
    )
    torch.manual_seed(0)
    net = AttentionalGRU(replace(SMALL, embedding=32, hidden=64, dropout=0.0))
    # AdaDelta, which the paper trained with, gets there too, in four times the steps.
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    loss = torch.tensor(math.inf)
    for _ in range(300):
        logits = net(sources, targets[:, :-1])
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), targets[:, 1:].flatten(), ignore_index=PAD
        )
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
    return GRU(net), texts, loss.item()


@pytest.mark.slow
def test_it_overfits_twenty_pairs(reverser):
    model, texts, loss = reverser
    assert loss < 0.1
    found = gridbeam.search(
        model, [[*text, EOS] for text in texts], [[] for _ in texts], beam=3, max_length=10
    )
    assert [list(hypotheses[0].tokens[:-1]) for hypotheses in found] == [
        text[::-1] for text in texts
    ]


@pytest.mark.slow
def test_a_constraint_is_met_by_a_trained_model(reverser):
    model, texts, _ = reverser
    wanted = [next(token for token in range(3, 13) if token not in text) for text in texts]
    constraints = [[Phrase((token, texts[number][-1]))] for number, token in enumerate(wanted)]
    found = gridbeam.search(
        model, [[*text, EOS] for text in texts], constraints, beam=3, max_length=12
    )
    for hypotheses, token, text in zip(found, wanted, texts, strict=True):
        pairs = list(zip(hypotheses[0].tokens, hypotheses[0].tokens[1:], strict=False))
        assert (token, text[-1]) in pairs
