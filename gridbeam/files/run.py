"""Files and streams in, the same translated out: a glossary obeyed, no finished segment lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

import gridbeam
from gridbeam.checks.report import check_suffix
from gridbeam.decoding.options import FLAGS
from gridbeam.documents import Document, Languages, format_of
from gridbeam.errors import UserError
from gridbeam.files.instructions import Instructions
from gridbeam.files.journal import Journal, RunHeader
from gridbeam.files.output import (
    To,
    check_form,
    check_output,
    check_review,
    write_output,
)
from gridbeam.files.report import checks_of, report_on, write_report
from gridbeam.files.segments import SegmentTranslator
from gridbeam.files.stream import translate_stream
from gridbeam.files.summary import Summary, summary_of
from gridbeam.support.output_files import PathsRead, check_place, is_stream, refuse_overwriting
from gridbeam.support.progress import progress
from gridbeam.support.signature import digest
from gridbeam.translation.translator import Translates

__all__ = ["Instructions", "Summary", "translate_file", "translate_stream"]


def translate_file(
    translator: Translates,
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
    check_review(path, form, instructions, to, report)
    # Reads all of it: what is wrong is told before work begins.
    due, unmeasured = 0, Counter[str]()
    for segment in filter(instructions.is_due, document.segments()):
        due += 1
        unmeasured.update(limit.unit for limit in segment.limits if not limit.is_measured)
    header = run_header(
        document.format,
        instructions,
        Languages(translator.source, translator.target),
        input=digest(document.path),
        model=model,
        is_told=translator.telling is not None,
    )
    with _journal(out, header, resume=resume, restart=restart) as journal:
        with progress(console, due, len(journal)) as advance:
            _translate(
                document,
                SegmentTranslator(translator, instructions),
                journal,
                instructions,
                advance,
            )
        note = write_output(document, journal, out, to, instructions)
        if report is not None:
            checks = checks_of(document, journal)
            made = report_on(str(path), journal.values(), instructions.glossary, checks)
            write_report(made, report)
        notes = "\n".join([*filter(None, [note]), *map(_not_measured, unmeasured.items())])
        return summary_of(path, journal.values(), instructions, notes or None)


@contextmanager
def _journal(out: Path, header: RunHeader, *, resume: bool, restart: bool) -> Iterator[Journal]:
    """The journal of a run, which stays if the run breaks off.

    It goes where there is nothing in it, or where the output is a stream.
    """
    with ExitStack() as at_the_end:
        path = journal_of(out) or Path(at_the_end.enter_context(_passing_folder()), "journal")
        journal = Journal(path, header, resume=resume, restart=restart)
        try:
            yield journal
        except KeyboardInterrupt as stop:
            stop.args = (_stopped(journal, is_kept=not is_stream(out)),)
            raise
        finally:
            journal.close()
            if not journal:
                journal.remove()
        journal.remove()


@contextmanager
def _passing_folder() -> Iterator[str]:
    """A folder for the time of a run."""
    try:
        folder = TemporaryDirectory(prefix="gridbeam-")
    except OSError as error:
        raise UserError(
            "there is no folder for temporary files, which an output that is a stream needs:"
            f" {error.strerror or error}. Set TMPDIR to one where you may write, or name a file"
            " with -o."
        ) from None
    with folder as name:
        yield name


def check_places(
    path: Path, out: Path, report: Path | None, others: PathsRead | None = None
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
    pipeline: SegmentTranslator,
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


def run_header(
    format: str,
    instructions: Instructions,
    languages: Languages,
    *,
    input: str,
    model: str,
    is_told: bool,
) -> RunHeader:
    """All that an output depends on; how many sentences make a batch is not among it.

    All options of the search are, whatever they are: one that was forgotten here would let
    `--resume` mix two settings.
    """
    how = instructions
    return {
        "version of gridbeam": gridbeam.__version__,
        "input": input,
        "format": format,
        "model": model,
        "--told": "yes" if is_told else "no",
        "source language": languages.source or "",
        "target language": languages.target or "",
        "glossary": _digest_of(how.glossary.entries),
        "-c, --avoid or --prefix": _digest_of(how.everywhere),
        "--placeholder": " ".join(how.placeholders),
        "--accelerators": how.accelerators,
        "--lemmas": "yes" if how.lemmas else "no",
        "--numbers": how.numbers,
        "--on-unmet": how.on_unmet,
        "--review-below": str(how.review_below),
        "--retranslate": how.retranslate,
        **{FLAGS.get(name, name): str(value) for name, value in how.search.as_values().items()},
    }


def _not_measured(unit: tuple[str, int]) -> str:
    name, count = unit
    return f"not measured, as it depends on what shows the text: limits in {name} ({count:,})"


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
