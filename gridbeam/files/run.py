"""Files and streams in, the same translated out: a glossary obeyed, no finished segment lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

import gridbeam
from gridbeam.decoding.options import FLAGS
from gridbeam.documents import Document, Languages, format_of
from gridbeam.files.instructions import Instructions
from gridbeam.files.journal import Journal, RunHeader
from gridbeam.files.output import To, check_form, check_output, write_output
from gridbeam.files.pipeline import Pipeline
from gridbeam.files.report import check_suffix, report_on, write_report
from gridbeam.files.stream import translate_stream
from gridbeam.files.summary import Summary, summary_of
from gridbeam.support.output_files import check_place, is_stream, refuse_overwriting
from gridbeam.support.progress import progress
from gridbeam.support.signature import digest
from gridbeam.translation.translator import Translator

__all__ = ["Instructions", "Summary", "translate_file", "translate_stream"]


def translate_file(
    translator: Translator,
    path: Path,
    out: Path,
    instructions: Instructions,
    *,
    format: str | None = None,
    to: To | None = None,
    report: Path | None = None,
    resume: bool = False,
    restart: bool = False,
    model: str = "",
    console: Console | None = None,
) -> Summary:
    """Translates what is due in a file and writes it to another, replaced when complete.

    Until then finished segments are in a journal beside the output; `resume` goes on with it,
    `restart` begins anew. `model` tells the model from others, for the journal: a run that was
    begun with another is not gone on with. An output that is a stream, such as - for stdout, has
    nothing beside it: its journal is gone when the run ends, however it ends.
    """
    check_form(to)
    check_places(path, out, report)
    form = format_of(path, format)
    document = form.open(path, Languages(translator.source, translator.target))
    check_output(path, form, out, to)
    due = sum(
        map(instructions.is_due, document.segments())
    )  # reads all of it: what is wrong is told before work begins
    header = _header(document, instructions, translator, model)
    with _journal(out, header, resume=resume, restart=restart) as journal:
        with progress(console, due, len(journal)) as advance:
            _translate(document, Pipeline(translator, instructions), journal, instructions, advance)
        note = write_output(document, journal, out, to, instructions.glossary)
        if report is not None:
            write_report(report_on(str(path), journal.values(), instructions.glossary), report)
        return summary_of(path, journal.values(), instructions.on_unmet, note)


@contextmanager
def _journal(out: Path, header: RunHeader, *, resume: bool, restart: bool) -> Iterator[Journal]:
    """The journal of a run, which stays if the run breaks off.

    It goes where there is nothing in it, or where the output is a stream.
    """
    with TemporaryDirectory(prefix="gridbeam-") as folder:
        journal = Journal(
            journal_of(out) or Path(folder, "journal"), header, resume=resume, restart=restart
        )
        try:
            yield journal
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_stopped(journal, is_kept=not is_stream(out))) from None
        finally:
            journal.close()
            if not journal:
                journal.remove()
        journal.remove()


def check_places(
    path: Path, out: Path, report: Path | None, others: Mapping[str, Path | None] | None = None
) -> None:
    """Raises where output or report cannot be written, or would overwrite the input.

    The same holds for `others`, which are read. Whether the output itself may take the place of the
    input depends on its format: see `check_output`.
    """
    for place in filter(None, (out, report)):
        check_place(place)
    if report is not None:
        check_suffix(report)
    beside = {"--report": report, "the journal of the output": journal_of(out)}
    refuse_overwriting({"--out": out, **beside}, others or {})
    refuse_overwriting(beside, {"the input": path})


def journal_of(out: Path) -> Path | None:
    """Where the journal of an output is; None for a stream."""
    return None if is_stream(out) else out.with_name(f"{out.name}.journal")


def _translate(
    document: Document,
    pipeline: Pipeline,
    journal: Journal,
    instructions: Instructions,
    advance: Callable[[], None],
) -> None:
    """Fills the journal with what is due and not yet in it."""
    waiting = (
        each
        for each in document.segments()
        if instructions.is_due(each) and each.number not in journal
    )
    while window := list(islice(waiting, pipeline.window)):
        for _, outcome in pipeline.outcomes(window):
            journal.add(outcome)
            advance()


def _header(
    document: Document, instructions: Instructions, translator: Translator, model: str
) -> RunHeader:
    """All that an output depends on; how many sentences make a batch is not among it.

    All options of the search are, whatever they are: one that was forgotten here would let
    `--resume` mix two settings.
    """
    how = instructions
    return {
        "version of gridbeam": gridbeam.__version__,
        "input": digest(document.path),
        "format": document.format,
        "model": model,
        "source language": translator.source or "",
        "target language": translator.target or "",
        "glossary": _digest_of(how.glossary.entries),
        "-c, --avoid or --prefix": _digest_of(how.everywhere),
        "--placeholder": " ".join(how.placeholders),
        "--lemmas": "yes" if how.lemmas else "no",
        "--numbers": how.numbers,
        "--on-unmet": how.on_unmet,
        "--retranslate": how.retranslate,
        **{FLAGS.get(name, name): str(value) for name, value in how.search.as_values().items()},
    }


def _digest_of(value: object) -> str:
    return sha256(repr(value).encode("utf8", "backslashreplace")).hexdigest()[:16]


def _stopped(journal: Journal, *, is_kept: bool) -> str:
    if not journal:
        return "stopped; nothing was finished yet"
    if not is_kept:
        return (
            "stopped; nothing was written, and nothing is kept: name a file with -o for a run that"
            " can go on"
        )
    return (
        f"stopped; {journal.path} keeps {len(journal):,} finished segments. The same command with"
        " --resume goes on."
    )
