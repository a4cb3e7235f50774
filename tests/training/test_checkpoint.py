"""A checkpoint is exact and always whole: a kill or a full disk leaves the last one.

It is made of safetensors and JSON.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from gridbeam import UserError
from gridbeam.training import checkpoint
from gridbeam.training.checkpoint import Position

POSITION = Position(update=120, epoch=3, batch=17, best=12.25, since_best=1)


class Network(nn.Module):
    """One with two names for the same tensor, as where embeddings are shared."""

    def __init__(self, width=6):
        super().__init__()
        self.embedding = nn.Embedding(11, width)
        self.layer = nn.GRU(width, width)
        self.output = nn.Linear(width, 11, bias=False)
        self.output.weight = self.embedding.weight
        self.register_buffer("count", torch.zeros(1))


OPTIMIZERS = {
    "adamw": lambda network: torch.optim.AdamW(network.parameters(), lr=0.01, fused=True),
    "adadelta": lambda network: torch.optim.Adadelta(
        network.parameters(), lr=1.0, rho=0.95, eps=1e-6, weight_decay=2e-5
    ),
}


def made(kind="adamw", steps=3, seed=0, width=6):
    torch.manual_seed(seed)
    network = Network(width)
    optimizer = OPTIMIZERS[kind](network)
    learn(network, optimizer, range(steps))
    return network, optimizer


def learn(network, optimizer, steps):
    for step in steps:
        torch.manual_seed(step)
        states, _ = network.layer(network.embedding(torch.randint(11, (5, 2))))
        network.output(states).logsumexp(-1).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def same(one, other):
    pairs = zip(one.state_dict().items(), other.state_dict().items(), strict=True)
    return all(
        name == other_name and torch.equal(tensor, other)
        for (name, tensor), (other_name, other) in pairs
    )


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_a_run_that_goes_on_from_a_checkpoint_is_the_run_it_would_have_been(tmp_path, kind):
    unbroken = made(kind, steps=3)
    checkpoint.save(tmp_path / "last", POSITION, *unbroken)
    fresh = made(kind, steps=0, seed=5)
    assert not same(unbroken[0], fresh[0])
    assert checkpoint.load(tmp_path / "last", *fresh) == POSITION
    assert same(unbroken[0], fresh[0])
    for pair in (unbroken, fresh):
        learn(*pair, range(3, 8))
    assert same(unbroken[0], fresh[0])
    states = [optimizer.state_dict()["state"] for _, optimizer in (unbroken, fresh)]
    assert all(
        torch.equal(states[0][n][name], states[1][n][name])
        for n in states[0]
        for name in states[0][n]
    )


def test_tensors_that_share_memory_still_share_it_when_loaded(tmp_path):
    checkpoint.save(tmp_path / "last", POSITION, *made())
    network, optimizer = made(steps=0, seed=5)
    checkpoint.load(tmp_path / "last", network, optimizer)
    assert network.output.weight is network.embedding.weight


def test_a_checkpoint_before_the_first_update_has_no_best(tmp_path):
    network, optimizer = made(steps=0)
    checkpoint.save(tmp_path / "last", Position(), network, optimizer)
    assert checkpoint.load(tmp_path / "last", network, optimizer) == Position()


def test_no_checkpoint_leaves_network_and_optimizer_as_they_are(tmp_path):
    one, other = made(), made()
    assert checkpoint.load(tmp_path / "last", *one) is None
    assert same(one[0], other[0])


def test_a_checkpoint_is_safetensors_and_json_and_nothing_else_is_left(tmp_path):
    for _ in range(2):
        checkpoint.save(tmp_path / "last", POSITION, *made())
    assert [path.name for path in tmp_path.iterdir()] == ["last"]
    assert set(bytes_of(tmp_path / "last")) == {
        "model.safetensors",
        "optimizer.safetensors",
        "state.json",
    }
    assert json.loads((tmp_path / "last" / "state.json").read_text())["update"] == 120
    for name in ("model", "optimizer"):
        assert all(
            torch.is_tensor(tensor)
            for tensor in load_file(tmp_path / "last" / f"{name}.safetensors").values()
        )


# Kills


def test_a_kill_between_the_two_renames_loses_nothing(tmp_path):
    network, optimizer = made()
    checkpoint.save(tmp_path / "last", POSITION, network, optimizer)
    shutil.copytree(tmp_path / "last", tmp_path / "last.new")
    (tmp_path / "last").rename(tmp_path / "last.old")
    fresh = made(steps=0, seed=5)
    assert checkpoint.load(tmp_path / "last", *fresh) == POSITION
    assert same(network, fresh[0])
    checkpoint.save(tmp_path / "last", POSITION, network, optimizer)
    assert [path.name for path in tmp_path.iterdir()] == ["last"]


def test_a_kill_while_writing_leaves_the_last_checkpoint(tmp_path):
    network, optimizer = made()
    checkpoint.save(tmp_path / "last", POSITION, network, optimizer)
    before = bytes_of(tmp_path / "last")
    (tmp_path / "last.new").mkdir()
    (tmp_path / "last.new" / "model.safetensors").write_bytes(b"half of i")
    assert checkpoint.load(tmp_path / "last", network, optimizer) == POSITION
    assert bytes_of(tmp_path / "last") == before
    checkpoint.save(tmp_path / "last", POSITION, network, optimizer)
    assert [path.name for path in tmp_path.iterdir()] == ["last"]


@pytest.mark.parametrize("calls", range(8))
def test_a_kill_at_any_call_leaves_a_checkpoint_to_go_on_from(tmp_path, monkeypatch, calls):
    """The renames and removals of a save, cut off after the first, the second and so on."""
    one, two = made(steps=1), made(steps=2)
    checkpoint.save(tmp_path / "last", Position(update=1), *one)
    left = [calls]

    class Killed(BaseException):
        pass

    def cut(function):
        def call(*args, **options):
            if left[0] == 0:
                raise Killed
            left[0] -= 1
            return function(*args, **options)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", cut(Path.rename))
        patch.setattr(shutil, "rmtree", cut(shutil.rmtree))
        patch.setattr(checkpoint, "save_file", cut(checkpoint.save_file))
        try:
            checkpoint.save(tmp_path / "last", Position(update=2), *two)
        except Killed:
            pass
        else:
            assert left[0] >= 0
    fresh = made(steps=0, seed=5)
    position = checkpoint.load(tmp_path / "last", *fresh)
    assert same(fresh[0], {1: one, 2: two}[position.update][0])


# Full disks

SAVE_ON_A_FULL_DISK = """
import sys
import torch
from pathlib import Path
from torch import nn
from gridbeam import UserError
from gridbeam.training import checkpoint

folder = Path(sys.argv[1]) / "last"
network = nn.Linear(500, 500)
optimizer = torch.optim.AdamW(network.parameters())
network(torch.ones(500)).sum().backward()
optimizer.step()
if sys.argv[2:] == ["limit"]:
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))
try:
    checkpoint.save(folder, checkpoint.Position(update=2), network, optimizer)
except UserError as error:
    print(error)
    sys.exit(2)
"""


def save_on_a_full_disk(folder, *how):
    """Tries to save 3 MB in a process of its own, as a full disk could end it."""
    command = [sys.executable, "-c", SAVE_ON_A_FULL_DISK, str(folder), *how]
    found = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert found.returncode == 2, found.stderr
    return found.stdout


@pytest.fixture
def small_disk(tmp_path):
    """A disk of two megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    try:
        is_mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        is_mounted = False
    if not is_mounted:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def is_whole_after_a_full_disk(folder, said, why):
    assert f"the checkpoint of update 2 cannot be written to {folder / 'last'}: " in said
    assert why in said
    assert "The one before it is whole: make room, then run the same command." in said
    fresh = made(steps=0, seed=5)
    return checkpoint.load(folder / "last", *fresh) == POSITION and same(fresh[0], made()[0])


@pytest.mark.slow
def test_a_full_disk_leaves_the_last_checkpoint_whole_and_says_so(small_disk):
    checkpoint.save(small_disk / "last", POSITION, *made())
    assert is_whole_after_a_full_disk(
        small_disk, save_on_a_full_disk(small_disk), "No space left on device"
    )
    assert [path.name for path in small_disk.iterdir()] == ["last"]


@pytest.mark.slow
def test_a_limit_on_files_leaves_the_last_checkpoint_whole_and_says_so(tmp_path):
    checkpoint.save(tmp_path / "last", POSITION, *made())
    assert is_whole_after_a_full_disk(
        tmp_path, save_on_a_full_disk(tmp_path, "limit"), "File too large"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["last"]


# Other files


def test_a_checkpoint_of_another_version_is_refused_and_kept(tmp_path):
    network, optimizer = made()
    checkpoint.save(tmp_path / "last", POSITION, network, optimizer)
    path = tmp_path / "last" / "state.json"
    for version in (checkpoint.FORMAT + 1, None):
        path.write_text(json.dumps(json.loads(path.read_text()) | {"format": version, "new": 1}))
        before = bytes_of(tmp_path / "last")
        with pytest.raises(
            UserError, match=r"last/state\.json: a checkpoint of another version of gridbeam"
        ):
            checkpoint.load(tmp_path / "last", network, optimizer)
        assert bytes_of(tmp_path / "last") == before


@pytest.mark.parametrize("name", ["model.safetensors", "optimizer.safetensors", "state.json"])
@pytest.mark.parametrize("damage", ["cut", "empty", "missing", "other"])
def test_a_damaged_checkpoint_is_named(tmp_path, name, damage):
    network, optimizer = made()
    checkpoint.save(tmp_path / "last", POSITION, network, optimizer)
    path = tmp_path / "last" / name
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(
            {"cut": path.read_bytes()[:-9], "empty": b"", "other": b"\x80\x04K\x01."}[damage]
        )
    with pytest.raises(
        UserError, match=r"last is no checkpoint of this configuration, or is damaged: .*Remove it"
    ) as error:
        checkpoint.load(tmp_path / "last", network, optimizer)
    assert "\n" not in str(error.value)


def test_a_checkpoint_of_other_sizes_is_refused(tmp_path):
    checkpoint.save(tmp_path / "last", POSITION, *made(width=6))
    with pytest.raises(
        UserError,
        match=(
            r"is no checkpoint of this configuration, or .* has the sizes \[.*\], and should"
            r" have \["
        ),
    ):
        checkpoint.load(tmp_path / "last", *made(width=8))


def test_a_checkpoint_of_another_network_is_refused(tmp_path):
    checkpoint.save(tmp_path / "last", POSITION, *made())
    network = nn.Linear(3, 3)
    with pytest.raises(UserError, match="tensors are missing or unknown: bias, weight, "):
        checkpoint.load(tmp_path / "last", network, torch.optim.AdamW(network.parameters()))


def test_a_folder_takes_the_place_of_another_only_when_it_is_complete(tmp_path):
    def write(fault=None):
        with checkpoint.replaced(tmp_path / "best", "a model") as new:
            (new / "a").write_text("two" if fault else "one")
            if fault:
                raise fault

    write()
    for fault in (KeyError("a fault of the program"), KeyboardInterrupt()):
        with pytest.raises(type(fault)):
            write(fault)
        assert (tmp_path / "best" / "a").read_text() == "one"
    with pytest.raises(
        UserError,
        match=r"a model cannot be written to .*best: Read-only.* The one before it is whole",
    ):
        write(OSError(30, "Read-only file system"))
    assert (tmp_path / "best" / "a").read_text() == "one"
