"""Updates of padded batches, and updates as CUDA graphs, are those of batches as they are."""

from __future__ import annotations

from dataclasses import replace

import lessons
import pytest
import torch
from safetensors.torch import load_file

from gridbeam.training import train
from gridbeam.training.config import read
from gridbeam.training.events import TrainingProgress
from gridbeam.training.graphs import GraphedUpdates, padded
from gridbeam.training.minibatches import Batch

ROWS = 4
GRAPHS = ["training.batch_sentences=8", "training.optimizer=adadelta"]
GRAPHS += [
    "training.schedule=constant",
    "training.warmup=0",
    "training.learning_rate=1.0",
    "training.updates=60",
]
GRAPHS += [
    "network.dropout=0",
    "training.validate_every=60",
    "training.bleu_sentences=0",
    "training.best_by=loss",
]


def batch(rows=ROWS, source=5, target=3):
    tokens = torch.arange(rows * 100).reshape(rows, 100) + 1
    return Batch(
        tokens[:, :source], tokens[:, :target], False, torch.arange(rows * target), rows * target
    )


def test_a_padded_batch_is_wider_and_has_no_more_tokens():
    one = replace(batch(2), target=torch.tensor([[5, 6, 2], [5, 2, 0]]))
    found = padded(one, 8, 8, pad=0)
    assert found.source.shape == found.target.shape == (2, 8) and found.source_is_padded
    assert found.target.tolist() == [[5, 6, 2, 0, 0, 0, 0, 0], [5, 2, 0, 0, 0, 0, 0, 0]]
    assert found.places is None and found.target_tokens == one.target_tokens


def test_whole_batches_are_padded_and_others_left_as_they_are():
    seen = []
    updates = GraphedUpdates(
        lambda given: seen.append(given) or (torch.zeros(()),) * 2,
        rows=ROWS,
        pad=0,
        device=torch.device("cpu"),
    )
    for each in (batch(), batch(rows=ROWS - 1), batch(source=97), batch(source=96)):
        updates(each)
    assert [tuple(given.source.shape) for given in seen] == [
        (ROWS, 8),
        (ROWS - 1, 5),
        (ROWS, 97),
        (ROWS, 96),
    ]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    lessons.write(folder)
    (folder / "gru.toml").write_text(lessons.GRU, encoding="utf8")
    return folder


def weights(data, folder, *changes):
    """The weights of a run, and its losses."""
    events = list(train(read(data / "gru.toml", [*GRAPHS, *changes]), folder, data))
    return load_file(folder / "last" / "model.safetensors"), [
        each.loss for each in events if isinstance(each, TrainingProgress)
    ]


@pytest.mark.slow
def test_training_with_padded_batches_is_training(data, tmp_path):
    plain, losses = weights(data, tmp_path / "plain", "training.graphs=false")
    graphed, same_losses = weights(data, tmp_path / "graphed", "training.graphs=true")
    assert losses == pytest.approx(same_losses, abs=1e-4) and losses[-1] < losses[0]
    for name, weight in plain.items():
        torch.testing.assert_close(graphed[name], weight, rtol=1e-3, atol=1e-4)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="graphs are recorded on a GPU")
def test_a_recorded_update_is_the_update(data, tmp_path, monkeypatch):
    recorded, losses = weights(
        data, tmp_path / "recorded", "training.graphs=true", "network.dropout=0.5"
    )
    monkeypatch.setattr("gridbeam.training.graphs._BEFORE", 10**9)
    made, same_losses = weights(
        data, tmp_path / "made", "training.graphs=true", "network.dropout=0.5"
    )
    assert losses == pytest.approx(same_losses, abs=1e-3)
    for name, weight in made.items():
        torch.testing.assert_close(recorded[name], weight, rtol=1e-2, atol=1e-3)
