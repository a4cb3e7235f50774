"""Folders of runs by many workers with one file that is not as it was: gathered, and gone on with.

Whatever is damaged, the output is that of one process, or there is a message and no output. Where
somebody has made checksums right again it is read or refused, as anything is.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp
from unittest import mock

import echo
import small_jobs
from bounded import Read
from fuzzed import Parser

from gridbeam.decoding.options import SearchOptions
from gridbeam.distributed import run
from gridbeam.distributed.engines import WorkerEngine
from gridbeam.distributed.gather import gather
from gridbeam.distributed.manifest import manifest_of
from gridbeam.distributed.run import translate_sharded
from gridbeam.distributed.translating import TranslationJob
from gridbeam.errors import UserError
from gridbeam.support.line_files import sealed

TEXT = "".join(
    f"{json.dumps({'text': text, 'constraints': ['Platte'][: number % 2]})}\n"
    for number, text in enumerate(small_jobs.sentences(9).splitlines())
)
PART = "parts/part-00001.jsonl"
NOTES = "attempts/part-00001"
_NOTES = (
    '{"begun": 17, "on": "a"}\n{"failed": "its worker was ended by SIGKILL"}\n',
    '{"begun": 17, "on": "a"}\n{"withdrawn": 1}\n{"begun": 18, "on": "b"}\n{"beg',
)


def echoing(_: object) -> object:
    """The translator of a worker."""
    return echo.translator()


@cache
def finished() -> Path:
    """A folder with an input and what a run of three shards has made of it."""
    folder = Path(mkdtemp(prefix="fuzz-"))
    (folder / "a.jsonl").write_text(TEXT)
    (folder / "terms.tsv").write_text("disk\tFestplatte|Laufwerk\nscreen\tBildschirm\n")
    go_on(folder)
    return folder


@cache
def expected() -> bytes:
    """The output of the run, which is that of one process."""
    return (finished() / "out" / "a.jsonl").read_bytes()


def go_on(folder: Path) -> None:
    """Does what is still to be done of a run, in this process."""
    with mock.patch.object(run, "pool_of", small_jobs.here):
        translate_sharded(job(folder), WorkerEngine("here", 2), shards=3)


def job(folder: Path) -> TranslationJob:
    """The job of a run in this folder."""
    found = small_jobs.job(
        Path("a.jsonl"),
        Path("out"),
        load=echoing,
        to="jsonl",
        glossary=(Path("terms.tsv"),),
        on_unmet="relax",
        search=SearchOptions(beam=1, max_length=30),
    )
    os.chdir(folder)  # as whoever goes on with a run is where it was begun
    return found


def contents(name: str) -> Sequence[bytes]:
    """The file of this name in the folder of the run."""
    return ((finished() / "out" / name).read_bytes(),)


def notes() -> Sequence[bytes]:
    """Notes on attempts, as they are while a shard is worked on."""
    return tuple(map(str.encode, _NOTES))


def with_file(name: str, *, is_damage: bool, without: str = "") -> Read:
    """Reads an input as that file of a run; damage may not change the output."""

    def read(data: bytes, folder: Path) -> None:
        here = folder / "run"
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(finished(), here, copy_function=shutil.copy)
        out = here / "out"
        (out / "a.jsonl").unlink()
        if without:
            (out / without).unlink()
        (out / name).write_bytes(data)
        with suppress(UserError):
            gathered(here)
        check(out / "a.jsonl", is_damage=is_damage)
        try:
            go_on(here)
        finally:
            check(out / "a.jsonl", is_damage=is_damage)

    return read


def gathered(folder: Path) -> None:
    """Gathers a run, from the folder that it was begun in."""
    os.chdir(finished())
    gather(folder / "out")


def check(out: Path, *, is_damage: bool) -> None:
    """Asserts that damage has not got into the output."""
    if is_damage and out.exists() and out.read_bytes() != expected():
        raise AssertionError(f"the output has become {out.read_bytes()[:200]!r}")


def sealed_lines(data: bytes) -> bytes:
    """The lines of a file with seals that are right, whatever they say."""
    bare = (re.sub(rb',"crc":"[^"]*"\}$', b"}", line) for line in data.split(b"\n") if line)
    text = (line.decode("utf8", "replace") for line in bare)
    return "".join(sealed(line) + "\n" for line in text).encode()


def with_id(data: bytes) -> bytes:
    """A manifest that is called what its contents ask for, where it has contents."""
    try:
        values = json.loads(data)
        return json.dumps({**values, "id": manifest_of(values).id}).encode()
    except (ValueError, TypeError, RecursionError, AttributeError, LookupError):
        return data


def mended(mend: Callable[[bytes], bytes], read: Read) -> Read:
    """Reads an input whose checksums somebody has made right."""
    return lambda data, folder: read(mend(data), folder)


_MANIFEST = partial(contents, "manifest.json")
PARSERS = tuple(
    Parser("runs of many workers", *rest, seconds=20.0, warm=finished)
    for rest in (
        ("manifest", _MANIFEST, with_file("manifest.json", is_damage=True)),
        (
            "manifest, sealed",
            _MANIFEST,
            mended(with_id, with_file("manifest.json", is_damage=False)),
        ),
        ("part", partial(contents, PART), with_file(PART, is_damage=True)),
        (
            "part, sealed",
            partial(contents, PART),
            mended(sealed_lines, with_file(PART, is_damage=False)),
        ),
        ("notes on attempts", notes, with_file(NOTES, is_damage=True, without=PART)),
    )
)
