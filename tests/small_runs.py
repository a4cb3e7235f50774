"""Training runs on the made-up text of `lessons`, each made once a process."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import lessons
import torch
from safetensors.torch import load_file

from gridbeam.training import train
from gridbeam.training.config import read

SHORT = [
    "training.updates=40",
    "training.validate_every=20",
    "training.save_every=10",
    "training.bleu_sentences=2",
]
TIMES = {"seconds", "waiting", "tokens_per_second"}


@dataclass(frozen=True)
class Run:
    """A run that is done."""

    folder: Path
    data: Path
    events: list
    sentences: list

    @property
    def best(self):
        return str(self.folder / "best")


def write_data(folder):
    """Text and configurations."""
    lessons.write(folder)
    for name, text in (("marian", lessons.MARIAN), ("gru", lessons.GRU)):
        (folder / f"{name}.toml").write_text(text, encoding="utf8")
    return folder


def trained(data, kind, folder, changes=()):
    return list(train(read(data / f"{kind}.toml", changes), folder, data))


def kept(data, kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / kind
    return Run(folder, data, trained(data, kind, folder), lessons.write(data))


def log(folder):
    """What a run has logged, times left out."""
    entries = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [{key: value for key, value in entry.items() if key not in TIMES} for entry in entries]


def weights(folder):
    return load_file(folder / "model.safetensors")


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def command(*arguments):
    return [sys.executable, "-m", "gridbeam", *map(str, arguments)]
