"""For each option of the search a value that it does not have by default."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin, get_type_hints

from gridbeam.decoding.options import NAMES, SEARCH, SearchOptions


def half(new):
    return new.score + 0.5 * new.log_prob


def never(sentences, tokens):
    return sentences < 0


def other_value(name: str, usual: SearchOptions = SEARCH) -> Any:
    """A value of this option that is not the usual one, and that all other usual ones go with."""
    kind, default = get_type_hints(SearchOptions)[name], getattr(usual, name)
    if get_origin(kind) is Literal:
        return next(word for word in get_args(kind) if word != default)
    if kind is bool:
        return not default
    if kind is float:
        return default + 0.25
    if name in ("score", "cut_off"):
        return {"score": half, "cut_off": never}[name]
    return 2 if default is None else default + 1


def unusual() -> SearchOptions:
    """Options none of which is as usual."""
    return SearchOptions(**{name: other_value(name) for name in NAMES})
