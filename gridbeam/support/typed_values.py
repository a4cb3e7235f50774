"""Values that were read from a file, held against the types of the dataclasses that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

Made = TypeVar("Made")


def made_of(kind: type[Made], values: Mapping[str, Any]) -> Made:
    """A dataclass of these values; a ValueError where one of them is of another type.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Place:
    ...     byte: int
    >>> made_of(Place, {"byte": 3})
    Place(byte=3)
    >>> made_of(Place, {"byte": "3"})
    Traceback (most recent call last):
    ValueError: this is no Place
    """
    try:
        made = kind(**values)
    except TypeError:
        raise ValueError(f"this is no {kind.__name__}") from None
    if not fits(made, kind):
        raise ValueError(f"this is no {kind.__name__}")
    return made


def fits(value: object, hint: Any) -> bool:
    """Whether a value is of a type, and all that it holds.

    A whole number will do for a float, and a truth value for nothing else.

    >>> fits((1, 2), tuple[int, ...]), fits((1, "2"), tuple[int, ...]), fits(True, int)
    (True, False, False)
    """
    if hint in _PLAIN:
        return type(value) in _PLAIN[hint]
    if hint is Any:
        return True
    if is_dataclass(hint):
        return isinstance(value, hint) and _fields_fit(value, hint)  # type: ignore[arg-type]
    match get_origin(hint):
        case origin if origin in (Union, UnionType):
            return any(fits(value, each) for each in get_args(hint))
        case origin if origin is Literal:
            return isinstance(value, str) and value in get_args(hint)
        case origin if origin is tuple:
            return isinstance(value, tuple) and _items_fit(value, get_args(hint))
    inner = get_args(hint)  # of a mapping
    return isinstance(value, Mapping) and all(
        fits(key, inner[0]) and fits(each, inner[1]) for key, each in value.items()
    )


_PLAIN: dict[Any, tuple[type, ...]] = {
    int: (int,),
    float: (float, int),
    str: (str,),
    bool: (bool,),
    NoneType: (NoneType,),
}


def _fields_fit(value: object, kind: Any) -> bool:
    return all(fits(getattr(value, name), hint) for name, hint in _hints(kind))


@cache
def _hints(kind: Any) -> tuple[tuple[str, Any], ...]:
    hints = get_type_hints(kind)
    return tuple((each.name, hints[each.name]) for each in fields(kind))


def _items_fit(value: tuple[object, ...], hints: tuple[Any, ...]) -> bool:
    if hints[-1] is Ellipsis:
        return all(fits(each, hints[0]) for each in value)
    return len(value) == len(hints) and all(map(fits, value, hints))
