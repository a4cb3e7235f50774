"""The options of the search, and of the extraction of terms, as flags of a command.

They are made from `SearchOptions` and `TermOptions` themselves.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import Field, fields, replace
from functools import wraps
from typing import Annotated, Any, Literal, get_origin, get_type_hints

import typer

from gridbeam.cli.commands import SEARCH_PANEL, TERMS_PANEL
from gridbeam.decoding.options import FLAGS, SearchOptions
from gridbeam.terminology.options import TermOptions

Command = Callable[..., None]


def with_search_flags(
    usual: SearchOptions, *, without: Collection[str] = ()
) -> Callable[[Command], Command]:
    """Gives a command a flag for each option of the search, `usual` where it is not given.

    The command has a parameter `search`, in whose place the flags are, and gets them as one value.
    `without` leaves options out that would do nothing in it.
    """
    return _with_flags("search", usual, FLAGS.keys() - {*without}, SEARCH_PANEL)


def with_term_flags(usual: TermOptions) -> Callable[[Command], Command]:
    """Gives a command a flag for each option of the extraction of terms, as its one `terms`."""
    return _with_flags("terms", usual, {each.name for each in fields(usual)}, TERMS_PANEL)


def _with_flags(
    parameter: str, usual: Any, names: Collection[str], panel: str
) -> Callable[[Command], Command]:
    """Flags for these options in the place of a parameter, which gets them as one value."""
    wanted = [each for each in fields(usual) if each.name in names]
    kinds = get_type_hints(type(usual))
    flags = [_flag(each, kinds[each.name], getattr(usual, each.name), panel) for each in wanted]

    def with_flags(function: Command) -> Command:
        @wraps(function)
        def wrapped(**given: Any) -> None:
            chosen = {each.name: given.pop(each.name) for each in wanted}
            function(**given, **{parameter: replace(usual, **chosen)})

        own = inspect.signature(function, eval_str=True)
        parameters: list[inspect.Parameter] = []
        for each in own.parameters.values():
            keyword = each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            parameters += flags if each.name == parameter else [keyword]
        wrapped.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        return wrapped

    return with_flags


def _flag(option: Field[Any], kind: Any, default: Any, panel: str) -> inspect.Parameter:
    """The parameter of a command from which typer makes a flag."""
    about = typer.Option(
        help=option.metadata["help"], metavar=_metavar(kind), rich_help_panel=panel
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
