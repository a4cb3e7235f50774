"""What all commands share: a function as a command, errors as messages, common options."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Annotated, Any

import typer

from gridbeam import __version__
from gridbeam.cli.stopping import BROKEN_PIPE, Messages, as_interrupts, exit_code, silence_stdout
from gridbeam.errors import ModelError, UserError, UserNotice
from gridbeam.glossary import formats
from gridbeam.support.flags import flag

app = typer.Typer(
    name="gridbeam",
    help=(
        "Text that contains what it must: constrained translation, and the training of models"
        " for it."
    ),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
DEFAULT_MODEL = "builtin:en-de"
GENERAL_MODEL = "general:en-de"
"""That of the paper's experiments: it has never seen the text of their domains."""
GLOSSARY_FORMATS = formats.listed()
MESSAGES = Messages(stderr=True)
PLAIN: dict[str, Any] = {"highlight": False, "markup": False, "soft_wrap": True}
"""For messages that hold what a user has written."""

SAY_PANEL, GLOSSARY_PANEL, FILES_PANEL = "What to say", "Glossary", "Files"
SEARCH_PANEL, MODEL_PANEL, WORKERS_PANEL = "Search", "Model", "Many workers"
TERMS_PANEL = "Which terms"
"""The groups of options in the help of a command that has many."""
_NO_MEMORY = (
    "there is not enough memory: raise --memory-limit if it was given, choose a smaller model, or"
    " end other programs."
)

ModelName = Annotated[
    str,
    typer.Option(
        "--model",
        "-m",
        help="builtin:PAIR, general:PAIR, hf:NAME, gru:FOLDER, or the folder of a model.",
        rich_help_panel=MODEL_PANEL,
    ),
]
Source = Annotated[
    str | None,
    typer.Option(
        "--source",
        help="The source language, for a model that knows several.",
        rich_help_panel=MODEL_PANEL,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        help="The target language, for a model that knows several.", rich_help_panel=MODEL_PANEL
    ),
]
CaseRule = Annotated[
    str,
    typer.Option(
        "--case",
        rich_help_panel=GLOSSARY_PANEL,
        help=(
            "Capitals of a glossary's terms that have no rule of their own: exact, sentence (may"
            " rise) or any."
        ),
    ),
]
Lemmas = Annotated[
    bool,
    typer.Option(
        "--lemmas",
        help=(
            "Match the glossary's terms by lemmas too, so that disks is a disk, and let their"
            " targets be inflected."
        ),
        rich_help_panel=GLOSSARY_PANEL,
    ),
]
EveryTime = Annotated[
    bool,
    typer.Option(
        "--every-time",
        help="A term is due each time that a sentence has it, and not once.",
        rich_help_panel=GLOSSARY_PANEL,
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        help="The sheet of an .xlsx glossary; by default its first.", rich_help_panel=GLOSSARY_PANEL
    ),
]
Device = Annotated[
    str | None,
    typer.Option(
        help="cpu or cuda; by default a GPU where there is one.", rich_help_panel=MODEL_PANEL
    ),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help=(
            "The most memory to take, as 4GiB: a batch that would take more is halved. On a GPU,"
            " or of the whole process on Linux."
        ),
        rich_help_panel=MODEL_PANEL,
    ),
]
Told = Annotated[
    bool,
    typer.Option(
        help="Whether a model that has learned to be told its terms in the source is told them.",
        rich_help_panel=MODEL_PANEL,
    ),
]

EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="processes (of this machine) or ray: the work is spread over workers.",
        rich_help_panel=WORKERS_PANEL,
    ),
]
WorkerCount = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="How many workers; by default one for each GPU, or for each processor.",
        rich_help_panel=WORKERS_PANEL,
    ),
]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        help="The cluster of Ray, such as auto; without it one is started here.",
        rich_help_panel=WORKERS_PANEL,
    ),
]


def _say_version(is_wanted: bool) -> None:
    if is_wanted:
        print(f"gridbeam {__version__}")
        raise typer.Exit


@app.callback()
def options(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=_say_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Options of gridbeam itself."""


@contextmanager
def _told_notices() -> Iterator[None]:
    """Within it, each notice is a line on stderr; other warnings are shown as ever."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def tell(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if issubclass(category, UserNotice):
                MESSAGES.print(f"gridbeam: {message}", style="yellow", **PLAIN)
            else:
                show(message, category, *where)

        warnings.simplefilter("always", UserNotice)
        warnings.showwarning = tell  # type: ignore[assignment]
        yield


@contextmanager
def _quiet_where_nobody_reads() -> Iterator[None]:
    """Within it, a pipe whose reader has gone ends the command without a word."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
        raise typer.Exit(BROKEN_PIPE) from None


@contextmanager
def _told_ends() -> Iterator[None]:
    """Within it, a mistake is told in a line, and so is what a command that is stopped keeps."""
    try:
        yield
    except (UserError, ModelError) as error:
        told = error.in_words_of(flag) if isinstance(error, UserError) else error
        MESSAGES.print(f"gridbeam: {told}", style="red", **PLAIN)
        raise typer.Exit(2) from None
    except MemoryError:
        MESSAGES.print(f"gridbeam: {_NO_MEMORY}", style="red", **PLAIN)
        raise typer.Exit(2) from None
    except KeyboardInterrupt as stop:
        MESSAGES.print(str(stop) or "stopped; the same command goes on where it can", **PLAIN)
        raise typer.Exit(exit_code(stop)) from None


def command(
    function: Callable[..., None],
    group: typer.Typer = app,
    *,
    needs_arguments: bool = True,
    name: str | None = None,
) -> Callable[..., None]:
    """A command that tells a user's mistake in a line and exits with 2.

    One that is stopped from outside ends as `gridbeam.cli.stopping` says.
    """

    @wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        with _quiet_where_nobody_reads(), _told_ends(), as_interrupts(), _told_notices():
            function(*args, **kwargs)

    return group.command(name, no_args_is_help=needs_arguments)(wrapped)
