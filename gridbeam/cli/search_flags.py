"""The options of the search as flags of a command, made from `SearchOptions` itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import Field, fields, replace
from functools import wraps
from typing import Annotated, Any, Literal, get_origin, get_type_hints

import typer

from gridbeam.cli.commands import SEARCH_PANEL
from gridbeam.decoding.options import FLAGS, SearchOptions

Command = Callable[..., None]


def with_search_flags(
    usual: SearchOptions, *, without: Collection[str] = ()
) -> Callable[[Command], Command]:
    """Gives a command a flag for each option of the search, `usual` where it is not given.

    The command has a parameter `search`, in whose place the flags are, and gets them as one value.
    `without` leaves options out that would do nothing in it.
    """
    wanted = [each for each in fields(SearchOptions) if each.name in FLAGS.keys() - {*without}]
    flags = [_flag(each, getattr(usual, each.name)) for each in wanted]

    def with_flags(function: Command) -> Command:
        @wraps(function)
        def wrapped(**given: Any) -> None:
            chosen = {each.name: given.pop(each.name) for each in wanted}
            function(**given, search=replace(usual, **chosen))

        own = inspect.signature(function, eval_str=True)
        parameters: list[inspect.Parameter] = []
        for each in own.parameters.values():
            keyword = each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            parameters += flags if each.name == "search" else [keyword]
        wrapped.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        return wrapped

    return with_flags


def _flag(option: Field[Any], default: Any) -> inspect.Parameter:
    """The parameter of a command from which typer makes a flag."""
    kind = get_type_hints(SearchOptions)[option.name]
    about = typer.Option(
        help=option.metadata["help"], metavar=_metavar(kind), rich_help_panel=SEARCH_PANEL
    )
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(
        option.name, keyword, default=default, annotation=Annotated[kind, about]
    )


def _metavar(kind: Any) -> str | None:
    """A short name for values, so that the help has room: choices are named in the help."""
    if kind is bool:
        return None
    return "WORD" if get_origin(kind) is Literal else "N"
