"""Constraints as JSON, for files, command lines and the network.

A string is a phrase; everything else is an object with one key that names the term:

>>> from gridbeam import Avoid
>>> to_json([InOrder("ask", Gap(1, 5), "out"), Avoid("HDD"), Phrase([5, 7])])
'[{"in_order": ["ask", {"gap": [1, 5]}, "out"]}, {"avoid": "HDD"}, {"phrase": [5, 7]}]'
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar, get_args

from gridbeam.constraints.spelled import Spellings
from gridbeam.constraints.terms import (
    MOST_LEVELS,
    TOO_DEEP,
    AnyOf,
    Constraint,
    Constraints,
    Demand,
    Gap,
    InOrder,
    Pattern,
    Phrase,
    as_constraints,
)
from gridbeam.errors import UserError


def to_json(constraints: Constraints) -> str:
    """The constraints of one text as a JSON list; `from_json` gives them back."""
    return json.dumps([_value(term) for term in as_constraints(constraints)], ensure_ascii=False)


def from_json(text: str, *, name: str = "constraints") -> tuple[Constraint, ...]:
    """The constraints that a JSON list describes; errors call the list by its name.

    >>> from_json('["gegen das Rauchen", {"any_of": ["Laufwerk", "Laufwerke"]}]')
    (Phrase('gegen das Rauchen'), AnyOf(Phrase('Laufwerk'), Phrase('Laufwerke')))
    """
    try:
        values = json.loads(text)
    except RecursionError:
        raise UserError(f"{name}: {TOO_DEEP}") from None
    except json.JSONDecodeError as error:
        raise UserError(f"{name} are not JSON: {error}. Write a list, such as {_EXAMPLE}") from None
    except ValueError:
        raise UserError(f"{name} hold a number of thousands of digits. Write {_EXAMPLE}") from None
    if not isinstance(values, list):
        raise UserError(f"{name} are a JSON {type(values).__name__}, not a list. Write {_EXAMPLE}")
    _refuse_deep(values, name)
    return tuple(_constraint(value, f"{name}[{i}]") for i, value in enumerate(values))


def _refuse_deep(values: list[Any], name: str) -> None:
    """Raises where JSON is nested deeper than terms may be; an object and its list are a level."""
    level = values
    for _ in range(2 * (MOST_LEVELS + 2)):
        level = [
            inner
            for value in level
            if isinstance(value, dict | list)
            for inner in (value.values() if isinstance(value, dict) else value)
        ]
    if level:
        raise UserError(f"{name}: {TOO_DEEP}")


Term = TypeVar("Term", bound=Constraint | Gap)
_DEMANDS: dict[str, type[Demand]] = {kind.name: kind for kind in get_args(Demand)}
_EXAMPLE = '["a phrase", {"any_of": ["this", "that"]}]'


def _value(term: Constraint | Gap) -> Any:
    match term:
        case Phrase(_, when) if when is not None:
            raise UserError(
                f"{term}: a Python function cannot be written to JSON. Leave when= out and add it"
                " after reading"
            )
        case Phrase(content) if term.options:
            return {"phrase": content, **term.options}
        case Phrase(content):
            return content if isinstance(content, str) else {"phrase": list(content)}
        case Spellings(text):
            raise UserError(
                f'"{text}" has been spelled in token ids already: write the phrase of text to JSON'
            )
        case Gap(least, most):
            return {"gap": [least] if most is None else [least, most]}
        case AnyOf(parts):
            return {"any_of": [_value(part) for part in parts]}
        case InOrder(parts):
            return {"in_order": [_value(part) for part in parts]}
        case _:
            options = {name: getattr(term, name) for name in _option_names(type(term))}
            return {term.name: _value(term.pattern), **options}


def _constraint(value: Any, where: str) -> Constraint:
    name = _demanded(value)
    return _pattern(value, where) if name is None else _demand(_DEMANDS[name], value, where)


def _demanded(value: Any) -> str | None:
    """The name of what stands at the top of a list, where a value describes that."""
    return next(filter(_DEMANDS.get, value), None) if isinstance(value, dict) else None


def _demand(kind: type[Demand], value: dict[str, Any], where: str) -> Demand:
    """A constraint of a kind, with its options in the same object."""
    options = {name: option for name, option in value.items() if name != kind.name}
    names = _option_names(kind)
    if options.keys() != set(names):
        expected = "".join(f', "{name}": ...' for name in names)
        raise UserError(
            f'{where}: write {{"{kind.name}": ...{expected}}}, found the keys {", ".join(value)}'
        )
    pattern = _pattern(value[kind.name], f"{where}.{kind.name}")
    return _built(where, lambda: kind(pattern=pattern, **options))


def _option_names(kind: type[Demand]) -> list[str]:
    return [each.name for each in fields(kind) if each.name != "pattern"]


def _pattern(value: Any, where: str) -> Pattern:
    term = _part(value, where)
    if isinstance(term, Gap):
        raise UserError(f"{where}: a gap stands between two parts of in_order, nowhere else")
    return term


def _part(value: Any, where: str) -> Pattern | Gap:
    if isinstance(value, str):
        return _built(where, lambda: Phrase(value))
    if isinstance(value, list):
        raise UserError(f'{where}: write token ids as {{"phrase": {json.dumps(value)}}}')
    if isinstance(value, dict) and "phrase" in value:
        return _phrase(value, where)
    if (demanded := _demanded(value)) is not None:
        raise UserError(
            f"{where}: {demanded} stands at the top of the list, not inside another term"
        )
    if not isinstance(value, dict) or len(value) != 1:
        raise UserError(
            f"{where}: expected a string or an object with one key, found {json.dumps(value)}"
        )
    (kind, inner), *_ = value.items()
    match kind:
        case "any_of":
            alternatives = [
                _pattern(v, f"{where}.any_of[{i}]") for i, v in enumerate(_items(inner, where))
            ]
            return _built(where, lambda: AnyOf(*alternatives))
        case "in_order":
            parts = [_part(v, f"{where}.in_order[{i}]") for i, v in enumerate(_items(inner, where))]
            return _built(where, lambda: InOrder(*parts))
        case "gap":
            bounds = _items(inner, where)
            if not 1 <= len(bounds) <= 2 or not all(type(bound) is int for bound in bounds):
                raise UserError(
                    f"{where}: write a gap as [least] or [least, most], found {json.dumps(inner)}"
                )
            return _built(where, lambda: Gap(*bounds))
        case _:
            raise UserError(
                f'{where}: unknown term "{kind}": write phrase, any_of, in_order, gap,'
                f" {' or '.join(_DEMANDS)}"
            )


def _phrase(value: dict[str, Any], where: str) -> Phrase:
    """A phrase with its options, in an object of their names."""
    options = {name: option for name, option in value.items() if name != "phrase"}
    unknown = options.keys() - {"case", "whole_word", "inflect"}
    if unknown:
        raise UserError(
            f'{where}: unknown option "{min(unknown)}" of a phrase: write case, whole_word or'
            " inflect"
        )
    return _built(where, lambda: Phrase(value["phrase"], **options))


def _items(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise UserError(f"{where}: expected a list, found {json.dumps(value)}")
    return value


def _built(where: str, build: Callable[[], Term]) -> Term:
    """What `build` makes; its complaints say where in the JSON."""
    try:
        return build()
    except UserError as error:
        raise error.within(where) from None
