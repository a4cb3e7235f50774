"""What is written: the file with its translations, or a line per segment, as text or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, TypeAlias

from gridbeam.documents import Document, Format, Segment, replaced
from gridbeam.documents.lines import on_one_line
from gridbeam.documents.registry import by_suffix, format_of
from gridbeam.errors import Option, UserError
from gridbeam.files.instructions import Instructions
from gridbeam.files.outcome import Outcome
from gridbeam.files.review import Settled, needs_review
from gridbeam.markup.inline import Marked
from gridbeam.support.output_files import is_stream

To: TypeAlias = Literal["text", "jsonl"]
LINES: tuple[To, ...] = ("text", "jsonl")


def check_form(to: str | None) -> None:
    """Raises where lines of this form cannot be written."""
    if to is not None and to not in LINES:
        raise UserError(
            f'to "{to}" is unknown: write {" or ".join(LINES)}, or leave it out for the format of'
            " the input."
        )


def check_output(path: Path, format: Format, out: Path, to: To | None) -> None:
    """Raises where the output would take the place of texts that are nowhere else.

    The same where its name contradicts what would be written there.
    """
    keeps = to is None and format.keeps_source
    if out.exists() and path.exists() and out.samefile(path) and not keeps:
        raise UserError(
            f"{out} is the input, and its sources would be lost. Write to another file."
        )
    _check_name(path, format, out, to)


def _check_name(path: Path, format: Format, out: Path, to: To | None) -> None:
    """Raises where a name would say one format, and the file be in another.

    The suffix of the input will do for its own format, and any for a format that has none.
    """
    named = None if is_stream(out) else by_suffix(out.suffix)
    written = format if to is None else format_of(path, to)
    is_own = to is None and path.suffix.lower() == out.suffix.lower()
    if named is None or named == written or is_own or not written.suffixes:
        return
    as_input = f", as {path} is" if to is None else ""
    lines = f", or say --to {named.name}" if named.name in LINES else ""
    raise UserError(
        f"{out} would be {written.name}{as_input}, though its name says {named.name}. Call it"
        f" {out.with_suffix(written.suffixes[0]).name}{lines}."
    )


def check_review(
    path: Path, format: Format, instructions: Instructions, to: To | None, report: Path | None
) -> None:
    """Raises where nothing that is written can say which translations are to be looked at."""
    is_said = format.has_states if to is None else to == "jsonl"
    if instructions.review_below is not None and not is_said and report is None:
        what = f"{path}: {format.name} files have" if to is None else f"--to {to} has"
        raise UserError(
            f"{what} no place to say which translations are to be reviewed. Add --report, or --to"
            " jsonl, or leave out ",
            Option("review_below"),
            ".",
        )


def write_output(
    document: Document,
    outcomes: Mapping[int, Outcome],
    out: Path,
    to: To | None,
    instructions: Instructions,
) -> str | None:
    """Writes the output from what came of the finished segments, by number.

    A file of that name is replaced when all is there.

    What comes back is what there is to say about it.
    """
    if to is None:
        settled = Settled(outcomes, instructions.review_below)
        return document.write(out, _Texts(outcomes), settled)
    with replaced(out) as file:
        for segment in document.segments():
            file.write(as_line(segment, outcomes.get(segment.number), to, instructions))
    return None


def as_line(segment: Segment, outcome: Outcome | None, to: To, instructions: Instructions) -> bytes:
    """What came of a segment, or what was there before.

    As JSON with the keys that the input has.
    """
    if to == "text":
        made = outcome.text if outcome else None
        translation = segment.target if made is None else made
        text = segment.source if translation is None else translation
        return f"{on_one_line(text, returns=False)}\n".encode()
    values = {**segment.values, **_record(segment, outcome, instructions)}
    return f"{json.dumps(values, ensure_ascii=False)}\n".encode("utf8", "backslashreplace")


def _record(
    segment: Segment, outcome: Outcome | None, instructions: Instructions
) -> dict[str, Any]:
    about = {"number": segment.number, "name": segment.name, "source": str(segment.source)}
    if outcome is None:
        return {
            **about,
            "translation": None if segment.target is None else str(segment.target),
            "status": segment.status,
        }
    record = {
        **about,
        "translation": None if outcome.text is None else str(outcome.text),
        "score": outcome.score,
        "quality": outcome.quality,
        "findings": [asdict(each) for each in outcome.findings],
        "met": [
            {"constraint": each.constraint, "said": each.said, "spans": each.spans}
            for each in outcome.met
        ],
        "terms": [
            {
                "source": use.source,
                "met": use.is_met,
                "said": use.said or None,
                "entry": instructions.glossary.entries[use.entry].where,
            }
            for use in outcome.uses
        ],
    }
    if instructions.review_below is not None:
        record["needs_review"] = needs_review(outcome, instructions.review_below)
    if outcome.unmet:
        record |= {"unmet": outcome.unmet, "dropped": outcome.dropped}
    if outcome.notes:
        record["notes"] = outcome.notes
    if outcome.alternatives:
        record["alternatives"] = [
            {"translation": text, "score": score} for text, score in outcome.alternatives
        ]
    return record


class _Texts(Mapping[int, Marked]):
    """The translations of outcomes by the number of their segment."""

    def __init__(self, outcomes: Mapping[int, Outcome]) -> None:
        self._outcomes = outcomes

    def __getitem__(self, number: int) -> Marked:
        text = self._outcomes[number].text
        if text is None:
            raise KeyError(number)
        return text

    def __iter__(self) -> Iterator[int]:
        return iter(self._outcomes)

    def __len__(self) -> int:
        return len(self._outcomes)
