"""Inputs that are nearly right: real ones, changed in a few places.

An input is told by the name of its parser and a number, so that anybody can make it again. Changes
are of bytes, of lines, of words and of trees: the first are mostly refused at once, the last get
deep into a parser.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from odd_text import HUGE, ODD, encoded

Change: TypeAlias = Callable[[random.Random, bytes, Sequence[bytes]], bytes]
"""An input with a change, given all seeds."""
_WORD = re.compile(rb"<[^<>]{0,80}>|\"[^\"\n]{0,80}\"|\w+|[^\w\s]|\s+")
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_NUMBERS = (b"0", b"-1", b"1", b"2147483648", b"1e400", b"NaN", b"0.5", b"9" * 400, b"999999999")
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**63, 0.5, 1e308, float("nan"), float("inf"), "", "x", [], {}),
    *([[]], [None], {"x": 1}, {"": None}, ["a", "b"], [1, 2, 3], "9" * 5_000),
)
_LEVELS = 3_000
_MOST_CHANGES = 4
_LARGEST = 400_000
"""Bytes of an input: larger ones cost time and show nothing new."""


def mutated(name: str, number: int, seeds: Sequence[bytes]) -> bytes:
    """The input of this number for a parser; the first ones are the seeds as they are."""
    if number < len(seeds):
        return seeds[number]
    draw = random.Random(f"{name} {number}")
    found = draw.choice(seeds)
    for _ in range(draw.randint(1, _MOST_CHANGES)):
        found = draw.choice(CHANGES)(draw, found, seeds)[:_LARGEST]
    return found


def _flip(draw: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    found = bytearray(data or b"x")
    for _ in range(draw.randint(1, 3)):
        found[draw.randrange(len(found))] = draw.choice((draw.randrange(256), 0, 255, 34, 60, 10))
    return bytes(found)


def _cut(draw: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    place = draw.randint(0, len(data))
    return draw.choice((data[:place], data[place:]))


def _stretch(draw: random.Random, data: bytes) -> tuple[int, int]:
    start = draw.randint(0, len(data))
    return start, min(len(data), start + draw.choice((1, 4, 20, 200)))


def _leave_out(draw: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    start, end = _stretch(draw, data)
    return data[:start] + data[end:]


def _repeat(draw: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    start, end = _stretch(draw, data)
    return data[:end] + data[start:end] * draw.choice((1, 2, 50)) + data[end:]


def _splice(draw: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    other = draw.choice(seeds)
    start, end = _stretch(draw, other)
    place = draw.randint(0, len(data))
    return data[:place] + other[start:end] + data[place:]


def _words(draw: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """A word in place of another: of the same input, of another, or an odd one."""
    found = _WORD.findall(data)
    if not found:
        return data
    place = draw.randrange(len(found))
    others = _WORD.findall(draw.choice((data, draw.choice(seeds)))) or found
    odd = encoded(draw.choice(ODD))
    found[place] = draw.choice((draw.choice(others), odd, found[place] + odd, b""))
    return b"".join(found)


def _nest(draw: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """A word very many times, as what opens brackets and tags may be."""
    found = _WORD.findall(data) or [b"["]
    opening = [each for each in found if each[:1] in b'<[{("'] or found
    place = data.find(word := draw.choice(opening))
    return data[:place] + word * draw.choice((5, 200, _LEVELS)) + data[place:]


def _numbers(draw: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    places = list(_NUMBER.finditer(data))
    if not places:
        return data
    found = draw.choice(places)
    return data[: found.start()] + draw.choice(_NUMBERS) + data[found.end() :]


def _lines(draw: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """The lines in another order, without one, or with one twice."""
    lines = data.splitlines(keepends=True) or [b"\n"]
    one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    match draw.randrange(3):
        case 0:
            lines[one], lines[other] = lines[other], lines[one]
        case 1:
            del lines[one]
        case _:
            lines.insert(other, lines[one])
    return b"".join(lines)


def _huge(draw: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    place = draw.randint(0, len(data))
    return data[:place] + encoded(draw.choice(HUGE)) + data[place:]


def _recode(draw: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    text = data.decode("utf8", "replace")
    coding = draw.choice(("utf-16", "utf-16-le", "latin-1", "utf-8-sig", "cp1252", "utf-7"))
    return text.encode(coding, "replace")


def _line_ends(draw: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return data.replace(b"\n", draw.choice((b"\r\n", b"\r", b"\n\n", b"\n\r", b"\n\0")))


def _tree(draw: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """JSON, or a line of JSON, with another value somewhere in it."""
    lines = data.split(b"\n")
    for number in draw.sample(range(len(lines)), len(lines)):
        for text, put in ((data, _alone), (lines[number], _line(lines, number))):
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                continue
            return put(encoded(json.dumps(_changed(draw, value), ensure_ascii=draw.random() < 0.5)))
    return data


def _alone(new: bytes) -> bytes:
    return new


def _line(lines: Sequence[bytes], number: int) -> Callable[[bytes], bytes]:
    return lambda new: b"\n".join([*lines[:number], new, *lines[number + 1 :]])


def _changed(draw: random.Random, value: Any) -> Any:
    """The value with something else in one place of it."""
    if not isinstance(value, dict | list) or not value or draw.random() < 0.15:
        return draw.choice((*_VALUES, draw.choice(ODD), [value], {"x": value}))
    if isinstance(value, list):
        place = draw.randrange(len(value))
        return draw.choice(
            (
                [*value[:place], _changed(draw, value[place]), *value[place + 1 :]],
                [*value[:place], *value[place + 1 :]],
                [*value, *value],
            )
        )
    key = draw.choice(list(value))
    without = {name: each for name, each in value.items() if name != key}
    if (how := draw.random()) < 0.1:
        return without
    if how < 0.2:
        return {**without, draw.choice(("x", key.upper(), draw.choice(ODD))): value[key]}
    return {**value, key: _changed(draw, value[key])}


CHANGES: tuple[Change, ...] = (
    *(_flip, _cut, _leave_out, _repeat, _splice, _nest, _numbers, _lines, _line_ends),
    *(_words, _words, _words, _tree, _tree, _tree, _huge, _recode),
)
"""What gets deepest stands here more than once."""
