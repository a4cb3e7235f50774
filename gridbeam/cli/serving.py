"""The server and its page, and the keys of who may use it from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gridbeam.cli.commands import GLOSSARY_FORMATS, MESSAGES, PLAIN, MemoryLimit, app, command
from gridbeam.errors import UserError
from gridbeam.server.settings import MIB, RequestLimits, Settings
from gridbeam.support.memory_limit import bounded_memory

if TYPE_CHECKING:
    from gridbeam.store import Store

keys = typer.Typer(help="API keys, for a server that others can reach.", no_args_is_help=True)
app.add_typer(keys, name="keys")

ServingEngine = Literal["own", "ray"]
LogLevel = Literal["debug", "info", "warning", "error"]
_USUAL, _LIMITS = Settings(), RequestLimits()
REACH_PANEL, LIMITS_PANEL = "Who can reach it", "The most that a request may ask for"

DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        envvar="GRIDBEAM_DATABASE",
        metavar="URL",
        help=(
            "Where projects are kept: a file, or postgresql://USER:PASSWORD@HOST/NAME; by default"
            " a file among this user's data."
        ),
    ),
]


def _limit(help: str) -> Any:
    return typer.Option(min=1, metavar="N", rich_help_panel=LIMITS_PANEL, help=help)


def serve(
    host: Annotated[
        str,
        typer.Option(
            help="The address to listen on; 0.0.0.0 lets others in.", rich_help_panel=REACH_PANEL
        ),
    ] = _USUAL.host,
    port: Annotated[
        int,
        typer.Option(
            min=0,
            max=65535,
            metavar="N",
            help="The port; 0 takes a free one.",
            rich_help_panel=REACH_PANEL,
        ),
    ] = _USUAL.port,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="NAME",
            help=(
                "A model that translates, several if given several times: builtin, builtin:PAIR, a"
                " folder, or NAME@en-de; by default the one that ships."
            ),
        ),
    ] = None,
    chat_model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A causal model for /v1/chat/completions: hf:NAME or a folder."
        ),
    ] = None,
    glossary: Annotated[
        list[Path] | None,
        typer.Option(
            help=(
                f"A file of terms to keep under its name, FILE or FILE@en-de: {GLOSSARY_FORMATS}."
            )
        ),
    ] = None,
    database: DatabaseUrl = None,
    opens_browser: Annotated[bool, typer.Option("--open", help="Open the page.")] = False,
    has_keys: Annotated[
        bool | None,
        typer.Option(
            "--keys/--no-keys",
            help="Whether requests need an API key; by default where others can reach it.",
            rich_help_panel=REACH_PANEL,
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A name that it is reached by, as behind a proxy: mt.example.org.",
            rich_help_panel=REACH_PANEL,
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="An origin whose pages may use it, as https://example.org; * for all.",
            rich_help_panel=REACH_PANEL,
        ),
    ] = None,
    max_chars: Annotated[int, _limit("Characters of a text.")] = _LIMITS.chars,
    max_texts: Annotated[int, _limit("Texts of a request.")] = _LIMITS.texts,
    max_constraints: Annotated[
        int, _limit("Phrases in the constraints of a text.")
    ] = _LIMITS.constraints,
    max_beam: Annotated[int, _limit("Hypotheses in a row of the grid.")] = _LIMITS.beam,
    max_upload: Annotated[int, _limit("MiB of a request, files included.")] = _LIMITS.body // MIB,
    timeout: Annotated[int, _limit("Seconds, waiting included.")] = int(_LIMITS.seconds),
    queue: Annotated[int, _limit("Requests at a time; others are told to wait.")] = _LIMITS.queue,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="On how many threads a model computes; by default on all processors but one.",
        ),
    ] = None,
    engine: Annotated[
        ServingEngine,
        typer.Option(help="own: one process; ray: replicas that Ray Serve starts and watches."),
    ] = "own",
    replicas: Annotated[
        int, typer.Option(min=1, metavar="N", help="How many replicas, with --engine ray.")
    ] = 1,
    memory_limit: MemoryLimit = None,
    log_level: Annotated[
        LogLevel, typer.Option(help="debug, info, warning or error; info logs each request.")
    ] = "warning",
) -> None:
    """Serves the page, and translations over HTTP, until Ctrl+C.

    Only this machine can reach it unless --host says otherwise. Prints the address once it answers.
    """
    from gridbeam.server.extras import check_extras

    check_extras()
    _check_replicas(engine, replicas, memory_limit)
    from gridbeam.server.command import serve, share_processors

    limits = RequestLimits(
        chars=max_chars,
        texts=max_texts,
        constraints=max_constraints,
        beam=max_beam,
        body=max_upload * MIB,
        seconds=timeout,
        queue=queue,
    )
    settings = Settings(
        models=tuple(model or _USUAL.models),
        chat=tuple(chat_model or ()),
        host=host,
        port=port,
        database=database,
        glossaries=tuple(glossary or ()),
        keys=has_keys,
        hosts=tuple(each.lower() for each in allow_host or ()),
        origins=tuple(each.rstrip("/") for each in allow_origin or ()),
        limits=limits,
        threads=threads,
        log_level=log_level,
    )
    if engine == "ray":
        from gridbeam.server.replicas import serve_replicas

        serve_replicas(settings, replicas, _say)
        return
    share_processors(settings.threads)
    with bounded_memory(memory_limit):
        serve(settings, _say, opens_browser=opens_browser)


command(serve, needs_arguments=False)


def _check_replicas(engine: ServingEngine, replicas: int, memory_limit: str | None) -> None:
    if engine == "own" and replicas > 1:
        raise UserError(
            f"--replicas {replicas} needs --engine ray: add it, or start this command {replicas}"
            " times on one PostgreSQL database, behind a proxy."
        )
    if engine == "ray" and memory_limit is not None:
        raise UserError("--memory-limit bounds one process: leave it out with --engine ray.")


def create(
    name: Annotated[str, typer.Argument(help="Whose key it is.")], database: DatabaseUrl = None
) -> None:
    """Makes an API key and prints it: nobody can read it again."""
    with _store(database) as store:
        row, key = store.keys.add(name)
    print(key)
    MESSAGES.print(f"key {row.id} of {row.name}; only its hash is kept", **PLAIN)


def listing(database: DatabaseUrl = None) -> None:
    """Lists all API keys: their ids, states and names."""
    with _store(database) as store:
        for row in store.keys.all():
            state = "usable" if row.revoked is None else "revoked"
            used = "never used" if row.used is None else f"used {row.used:%Y-%m-%d}"
            print(f"{row.id}\t{state}\tmade {row.created:%Y-%m-%d}\t{used}\t{row.name}")


def revoke(
    identity: Annotated[str, typer.Argument(metavar="ID", help="The id of a key, as listed.")],
    database: DatabaseUrl = None,
) -> None:
    """Revokes an API key, which lets nobody in any more."""
    with _store(database) as store:
        row = store.keys.revoke(identity)
    MESSAGES.print(f"key {row.id} of {row.name} is revoked", **PLAIN)


command(create, keys)
command(listing, keys, needs_arguments=False, name="list")
command(revoke, keys)


@contextmanager
def _store(database: str | None) -> Iterator[Store]:
    from gridbeam.server.extras import check_extras

    check_extras()
    from gridbeam.store import Store

    found = Store.open(database)
    try:
        yield found
    finally:
        found.close()


def _say(address: str) -> None:
    print(address, flush=True)
    MESSAGES.print("Ctrl+C ends it; everything that was acknowledged is kept", **PLAIN)
