"""What comes as a form with a file or as JSON, and what goes out as a file or as events."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import quote

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from gridbeam.server.refusal import Refusal, Refused
from gridbeam.workspace.upload import Upload

Body = TypeVar("Body", bound=BaseModel)
_FIELDS = 20
"""More fields than any form here has."""


async def sent(
    request: Request, body: type[Body], fields: type[Body] | None = None
) -> tuple[Body, Upload | None]:
    """What a request says, and the file that comes with it: a form, or else JSON.

    `fields` is what a form may say besides its file.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return await _form(request, fields or body)
    try:
        values = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        told = f"the body is neither a form with a file nor JSON: {error}"
        raise Refused(Refusal(400, told, "body", "Send one of the two.")) from None
    return _checked(body, values), None


async def _form(request: Request, fields: type[Body]) -> tuple[Body, Upload | None]:
    try:
        form = await request.form(max_files=1, max_fields=_FIELDS)
    except HTTPException as error:
        told = f"the form cannot be read: {error.detail}"
        raise Refused(Refusal(400, told, "body", "Send it as multipart/form-data.")) from None
    try:
        file = form.get("file")
        upload = None
        if isinstance(file, UploadFile):
            upload = Upload(file.filename or "", await file.read())
        return _checked(fields, _texts(form)), upload
    finally:
        await form.close()


def _texts(form: FormData) -> dict[str, str]:
    """The fields that say something; an empty one says nothing."""
    return {name: value for name, value in form.multi_items() if isinstance(value, str) and value}


def _checked(body: type[Body], values: Any) -> Body:
    try:
        return body.model_validate(values)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from None


def accepts(body: type[BaseModel], fields: type[BaseModel]) -> dict[str, Any]:
    """What OpenAPI is told of a route that reads its body by `sent`."""
    form = fields.model_json_schema()
    form["properties"] = {
        "file": {"type": "string", "format": "binary"},
        **form.get("properties", {}),
    }
    form["required"] = ["file"]
    content = {
        "application/json": {"schema": body.model_json_schema()},
        "multipart/form-data": {"schema": form},
    }
    return {"requestBody": {"required": True, "content": content}}


def attachment(name: str) -> dict[str, str]:
    """The header that says under which name a file is to be kept.

    >>> print(attachment("größe.po")["Content-Disposition"])
    attachment; filename="gr__e.po"; filename*=utf-8''gr%C3%B6%C3%9Fe.po
    """
    plain = re.sub(r"[^A-Za-z0-9._ -]", "_", name)
    value = f"attachment; filename=\"{plain}\"; filename*=utf-8''{quote(name, safe='')}"
    return {"Content-Disposition": value}


def event(name: str, data: Mapping[str, Any]) -> str:
    """A server-sent event."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


EVENTS = "text/event-stream"
NOT_KEPT = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Headers of a stream of events, which nobody on the way may hold back."""
STILL_HERE = ": still here\n\n"
"""A comment, which no client takes for an event."""
