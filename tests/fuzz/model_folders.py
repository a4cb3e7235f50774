"""Folders of models of each kind with one file that is not as it was."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp

import tiny
from bounded import Read
from fuzzed import Parser

from gridbeam.models import eightbit
from gridbeam.models.gru import model as gru
from gridbeam.models.gru.network import AttentionalGRU, GRUConfig
from gridbeam.support.output_files import write_text
from gridbeam.translation.translator import Translator

FILES = (
    "config.json",
    "tokenizer_config.json",
    "generation_config.json",
    "vocab.json",
    "source.spm",
    "model.safetensors",
)


@cache
def in_floats() -> Path:
    """A tiny Marian."""
    return tiny.marian(("de",))


@cache
def in_8_bits() -> Path:
    """The same as the model that ships is stored."""
    folder = Path(mkdtemp(prefix="fuzz-"))
    eightbit.store(in_floats(), folder / "model")
    return folder / "model"


@cache
def of_the_paper() -> Path:
    """A tiny network of the paper's kind."""
    folder = Path(mkdtemp(prefix="fuzz-"))
    size = tiny.tokenizer_files(folder)
    gru.save(AttentionalGRU(GRUConfig(size, embedding=8, hidden=8, pad=2, bos=2, eos=0)), folder)
    about = '"gridbeam": {"source": "en", "targets": ["de"]}, '
    config = (folder / "config.json").read_text("utf8")
    write_text(folder / "config.json", config.replace("{", "{" + about, 1))
    return folder


KINDS: dict[str, Callable[[], Path]] = {
    "model": in_floats,
    "model in 8 bits": in_8_bits,
    "gru": of_the_paper,
}


def contents(kind: str, name: str) -> Sequence[bytes]:
    """The file of this name in a folder of this kind."""
    path = KINDS[kind]() / name
    return (path.read_bytes(),) if path.exists() else (b"{}",)


def with_file(kind: str, name: str) -> Read:
    """Reads an input as that file of a folder, and translates a text by the model."""

    def read(data: bytes, folder: Path) -> None:
        here = folder / "model"
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(KINDS[kind](), here, copy_function=shutil.copy)
        (here / name).write_bytes(data)
        Translator.load(str(here), target="de").translate("The disk", beam=1, max_length=4)

    return read


PARSERS = tuple(
    Parser("model folders", f"{kind}: {name}", partial(contents, kind, name), with_file(kind, name))
    for kind in KINDS
    for name in FILES
)
