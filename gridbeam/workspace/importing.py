"""A file becomes a project: its segments, with all that the file says of them, and its bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gridbeam.documents import Languages, format_of
from gridbeam.errors import UserError
from gridbeam.store import NewProject, NewSegment
from gridbeam.text.languages import is_same
from gridbeam.workspace.kept import kept
from gridbeam.workspace.upload import Upload, on_disk


@dataclass(frozen=True)
class WantedProject:
    """What is said of a project when it is made; what is left out the file says, or a default."""

    name: str = ""
    source: str | None = None
    target: str | None = None
    glossary: str | None = None


@dataclass(frozen=True)
class Import:
    """A project to be, with its segments."""

    project: NewProject
    segments: tuple[NewSegment, ...]


def imported(
    upload: Upload,
    wanted: WantedProject,
    default: Languages,
    format: str | None = None,
    served: Sequence[Languages] = (),
) -> Import:
    """The project of a file, which is read to its end.

    What the file says of its languages holds where they are `served`, whatever is wanted.
    Lines without any text are no segments of it, though they stay in the file.
    """
    with on_disk(upload) as path:
        form = format_of(path, format)
        said = form.languages(path)
        source, target = _languages(said, wanted, default, served)
        if not source or not target:
            raise UserError("the file does not say its languages. Choose source and target.")
        found = form.open(path, Languages(source, target)).segments()
        segments = tuple(kept(each) for each in found if str(each.source).strip())
    if not segments:
        raise UserError(
            f"{upload.title}: there is no text in it to translate. Choose another file."
        )
    project = NewProject(
        wanted.name.strip() or upload.title,
        source,
        target,
        form.name,
        upload.title,
        wanted.glossary,
    )
    return Import(project, segments)


def _languages(
    said: Languages, wanted: WantedProject, default: Languages, served: Sequence[Languages]
) -> tuple[str | None, str | None]:
    """The languages of a project: its file's where a model has them, else those wanted."""
    source = said.source or wanted.source or default.source
    target = said.target or wanted.target or default.target
    is_served = any(
        is_same(pair.source or "", source or "") and is_same(pair.target or "", target or "")
        for pair in served
    )
    return (source, target) if is_served else (wanted.source or source, wanted.target or target)
