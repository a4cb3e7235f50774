"""What a request says, in whichever form: JSON, a form, or the address; for GET, too.

The clients of other services do not agree on one. Each value is a list, as forms repeat names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import UploadFile
from starlette.requests import Request

from gridbeam.server.refusal import Refusal, Refused

_URLENCODED, _MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
_YES, _NO = ("1", "true", "on", "yes"), ("0", "false", "off", "no", "")
_MOST_FIELDS = 20_000
"""A form may have a name for each text; a list of JSON has no such limit."""


@dataclass(frozen=True)
class UploadedFile:
    """A file of a form."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Fields:
    """The values of a request by their names."""

    values: Mapping[str, list[Any]] = field(default_factory=dict)
    lists: frozenset[str] = frozenset()
    """The names whose values are lists of JSON."""

    def given(self, name: str) -> Any:
        """The value of a name; None where there is none, or where it is null."""
        return next(iter(self.values.get(name, ())), None)

    def text(self, name: str) -> str | None:
        """The text of a name; numbers are read as text, as a form has them."""
        found = self.given(name)
        if found is None or isinstance(found, str):
            return found
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise wrong(name, "must be a text")
        return str(found)

    def texts(self, name: str) -> list[str]:
        """All texts of a name."""
        found = self.values.get(name, [])
        if not all(isinstance(each, str) for each in found):
            raise wrong(name, "must be a text, or a list of texts")
        return list(found)

    def number(self, name: str) -> int | None:
        """The whole number of a name."""
        found = self.given(name)
        try:
            if isinstance(found, bool | float):
                raise ValueError
            return None if found is None or found == "" else int(found)
        except (TypeError, ValueError):
            raise wrong(name, "must be a whole number") from None

    def flag(self, name: str) -> bool | None:
        """Whether a name is said to hold."""
        found = self.given(name)
        written = str(found).lower()
        if found is not None and written not in (*_YES, *_NO):
            raise wrong(name, "must be true or false")
        return None if found is None else written in _YES

    def file(self, name: str) -> UploadedFile | None:
        """The file of a name."""
        found = self.given(name)
        return found if isinstance(found, UploadedFile) else None


def wrong(name: str, what: str, status: int = 400) -> Refused:
    """The refusal of a value."""
    return Refused(Refusal(status, f"Value for '{name}' not supported: it {what}.", name))


async def fields_of(request: Request, *, most: int | None = None) -> Fields:
    """What the body and the address of a request say; the body goes first. It is read once.

    `most` are the bytes of a body; a longer one is refused with 413.
    """
    known: Fields | None = getattr(request.state, "fields", None)
    if known is None:
        known = request.state.fields = await _read(request, most)
    return known


async def _read(request: Request, most: int | None) -> Fields:
    query: dict[str, list[Any]] = {}
    for name, said in _pairs(request.scope.get("query_string", b""), "the address"):
        query.setdefault(name, []).append(said)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    _refuse_longer(int(_said_length(request)), most)
    if kind == _MULTIPART:
        return Fields(query | await _of_form(request, most))
    body = await request.body()
    _refuse_longer(len(body), most)
    if kind == _URLENCODED:
        form: dict[str, list[Any]] = {}
        for name, said in _pairs(body, "the form"):
            form.setdefault(name, []).append(said)
        return Fields(query | form)
    if kind.endswith("json") and body:
        read = _of_json(body)
        lists = frozenset(name for name, value in read.items() if isinstance(value, list))
        return Fields(query | {name: _as_list(value) for name, value in read.items()}, lists)
    if body.strip():
        told = f'the body is "{kind}": send application/json or {_URLENCODED}'
        raise Refused(Refusal(415, told, "Content-Type"))
    return Fields(query)


def _pairs(written: bytes, what: str) -> list[tuple[str, str]]:
    """The names and values of a form or an address, in UTF-8 whether or not it is escaped."""
    try:
        return parse_qsl(
            written.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except UnicodeDecodeError:
        told = f"{what} is not in UTF-8"
        raise Refused(Refusal(400, told, "body", "Send it in UTF-8.")) from None
    except ValueError:
        told = f"{what} has more than {_MOST_FIELDS:,} values"
        raise Refused(Refusal(400, told, "body", "Send a list in JSON.")) from None


async def _of_form(request: Request, most: int | None) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    async with request.form(max_fields=_MOST_FIELDS, max_part_size=most or 1 << 20) as form:
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                read = UploadedFile(value.filename or "", await value.read())
                found.setdefault(name, []).append(read)
            else:
                found.setdefault(name, []).append(value)
    return found


def _said_length(request: Request) -> str:
    said = request.headers.get("content-length", "")
    return said if said.isdigit() and len(said) < 20 else "0"


def _refuse_longer(size: int, most: int | None) -> None:
    if most is not None and size > most:
        told = f"Request size of {size} bytes exceeds the limit of {most} bytes."
        raise Refused(Refusal(413, told, "body"))


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _of_json(body: bytes) -> dict[str, Any]:
    try:
        read = json.loads(body, parse_constant=_refuse_constant)
        json.dumps(read, ensure_ascii=False).encode()  # half a character cannot be answered with
    except (ValueError, RecursionError) as error:
        told = f"the body is not JSON: {error or 'it is nested too deep'}"
        raise Refused(Refusal(400, told.encode(errors="replace").decode(), "body")) from None
    if not isinstance(read, dict):
        raise Refused(Refusal(400, "Invalid JSON format: the body must be an object", "body"))
    return read


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")
