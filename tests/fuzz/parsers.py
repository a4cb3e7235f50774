"""Everything that reads what comes from outside, each with real files that inputs are made of.

A parser may refuse an input, by a `UserError` that says what, where and what to do. Whatever it
reads obeys a law, where there is one: what is written from it is read again as the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import chain
from pathlib import Path

import checkpoints
import echo
import http_api
import model_folders
import seeds
import sharded_runs
from bounded import Read
from fuzzed import Parser

from gridbeam.checks.bilingual import Checking, check_file
from gridbeam.constraints.notation import from_json, to_json
from gridbeam.documents import Languages, format_of
from gridbeam.evaluation.due import listed
from gridbeam.experiments.log import Log, read, save_summary
from gridbeam.experiments.report import report
from gridbeam.files.journal import Journal
from gridbeam.files.run import Instructions, translate_file
from gridbeam.glossary import formats
from gridbeam.glossary.formats import FORMATS as GLOSSARY_FORMATS
from gridbeam.glossary.matching import Matcher
from gridbeam.support.line_files import sealed
from gridbeam.training import config, log
from gridbeam.training.curve import draw_curves
from gridbeam.translation.defaults import TRANSLATION

LANGUAGES = Languages("en", "de")
_OF_A_MODEL = 120.0
"""Seconds that the translation of a file of some hundred thousand characters may take."""


def in_file(name: str, use: Callable[[Path], object]) -> Read:
    """Reads an input as a file of this name."""

    def read(data: bytes, folder: Path) -> None:
        path = folder / name
        path.write_bytes(data)
        use(path)

    return read


def document(path: Path) -> None:
    """Reads a document, writes it with its sources as translations, and reads that."""
    form = format_of(path)
    opened = form.open(path, LANGUAGES)
    segments = list(opened.segments())
    out = path.with_name(f"out{path.suffix}")
    given = {each.number: each.source for each in segments if each.status != "locked"}
    opened.write(out, given)
    again = list(form.open(out, LANGUAGES).segments())
    if len(again) != len(segments) and form.keeps_source:
        raise AssertionError(f"{len(segments)} segments became {len(again)}")
    for before, after in zip(segments, again, strict=False):
        if form.keeps_source and str(before.source) != str(after.source):
            raise AssertionError(f"the source {before.source} became {after.source}")


def checked(path: Path) -> None:
    """Checks the translations of a document."""
    check_file(path, Checking(), LANGUAGES)


def translated(path: Path) -> None:
    """Translates a document by a model that repeats, and a glossary of terms."""
    search = TRANSLATION.but(beam=1, max_length=40)
    glossary = formats.Glossary(seeds.ENTRIES, "en", "de")
    how = Instructions(glossary, search=search, lemmas=True, on_unmet="relax")
    out, journal = path.with_name(f"out{path.suffix}"), path.with_name(f"out{path.suffix}.journal")
    journal.unlink(missing_ok=True)
    translate_file(echo.translator(), path, out, how)


def glossary(path: Path) -> None:
    """Reads a glossary, writes it as TSV, reads that, and matches a text."""
    found = formats.read(path, source="en", target="de")
    out = path.with_name("out.tsv")
    formats.write(found, out)
    again = formats.read(out)
    if len(again.entries) != len(found.entries):
        raise AssertionError(f"{len(found.entries)} entries became {len(again.entries)}")
    for lemmas in (False, True):
        Matcher(found, lemmas=lemmas).match("The hard disk of the US is full of HDDs.")


def constraints(data: bytes, _: Path) -> None:
    """Reads constraints, writes them, and reads that."""
    found = from_json(data.decode("utf8", "surrogateescape"))
    if from_json(to_json(found)) != found:
        raise AssertionError(f"{found} is not what comes back")


def configuration(path: Path) -> None:
    """Reads a configuration, writes it as JSON, and reads that."""
    found = config.read(path)
    if config.from_json(config.as_json(found)) != found:
        raise AssertionError(f"{found} is not what comes back")


def journal(data: bytes, folder: Path) -> None:
    """Reads a journal, and goes on with it."""
    path = folder / "journal"
    path.write_bytes(data)
    with closing(Journal(path, seeds.HEADER, resume=True)) as found:
        list(found.values())


def with_seals(data: bytes) -> bytes:
    """The lines of a file with seals that are right, whatever they say."""
    bare = (re.sub(rb',"crc":"[^"]*"\}$', b"}", line) for line in data.split(b"\n") if line)
    text = (line.decode("utf8", "replace") for line in bare)
    return "".join(sealed(line) + "\n" for line in text).encode()


def experiment(path: Path) -> None:
    """Reads the log of an experiment, reports on it, and goes on with it."""
    run = read(path)
    save_summary(run, path.with_name("summary"))
    Log(path, run.header).close()
    report([path])


def training_log(path: Path) -> None:
    """Goes on with the log of a training."""
    log.cut(path, 100)


def curve(path: Path) -> None:
    """Draws the log of a training."""
    draw_curves([path.parent], path.with_name("curve.svg"))


def sealed_again(read: Read) -> Read:
    """Reads an input as it is after somebody has changed it and made its checksums right."""
    return lambda data, folder: read(with_seals(data), folder)


def of_document(suffix: str) -> tuple[Parser, ...]:
    """What is done to documents of a kind."""
    made = partial(seeds.documents, suffix)
    uses: dict[str, Callable[[Path], object]] = {"document": document, "check": checked}
    return (
        *(
            Parser("documents", f"{name} {suffix}", made, in_file(f"a{suffix}", use), suffix)
            for name, use in uses.items()
        ),
        Parser(
            "documents",
            f"translate {suffix}",
            made,
            in_file(f"a{suffix}", translated),
            suffix,
            seconds=_OF_A_MODEL,
            warm=echo.translator,
        ),
    )


def of_glossary(suffix: str) -> Parser:
    """What is done to glossaries of a kind."""
    made = partial(seeds.glossaries, suffix)
    return Parser("glossaries", f"glossary {suffix}", made, in_file(f"a{suffix}", glossary), suffix)


DOCUMENTS = (".txt", ".tsv", ".jsonl", ".po", ".xlf", ".xliff", ".tmx")
PARSERS: tuple[Parser, ...] = (
    *chain.from_iterable(map(of_document, DOCUMENTS)),
    *(of_glossary(each.suffix) for each in GLOSSARY_FORMATS),
    Parser("constraints", "constraints", seeds.constraints, constraints),
    Parser("constraints", "terms that are due", seeds.due_terms, in_file("due.jsonl", listed)),
    Parser(
        "configurations",
        "configuration",
        seeds.configurations,
        in_file("a.toml", configuration),
        ".toml",
    ),
    Parser("journals", "journal", seeds.journals, journal),
    Parser("journals", "journal, sealed", seeds.journals, sealed_again(journal)),
    Parser("logs", "log of an experiment", seeds.experiment_logs, in_file("log.jsonl", experiment)),
    Parser(
        "logs",
        "log of an experiment, sealed",
        seeds.experiment_logs,
        sealed_again(in_file("log.jsonl", experiment)),
    ),
    Parser("logs", "log of a training", seeds.training_logs, in_file("log.jsonl", training_log)),
    Parser("logs", "curve of a training", seeds.training_logs, in_file("log.jsonl", curve)),
    *checkpoints.PARSERS,
    *model_folders.PARSERS,
    *http_api.PARSERS,
    *sharded_runs.PARSERS,
)
"""Everything that reads what comes from outside."""
