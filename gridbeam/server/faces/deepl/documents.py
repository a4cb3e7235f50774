"""Documents: one is sent, translated in the background, asked for, and fetched.

The formats are those of `gridbeam translate`. A document is kept in memory until there are too many
or the server ends.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from anyio import to_thread
from fastapi.responses import JSONResponse, Response
from starlette.requests import Request

from gridbeam.errors import UserError
from gridbeam.files.instructions import Instructions
from gridbeam.server.faces.deepl.codes import ours
from gridbeam.server.faces.deepl.face import new_router
from gridbeam.server.faces.deepl.glossary_terms import terms_of
from gridbeam.server.faces.deepl.parameters import TextOptions, options_of
from gridbeam.server.faces.deepl.translate import check_languages
from gridbeam.server.faces.deepl.usage import characters_of
from gridbeam.server.faces.fields import fields_of
from gridbeam.server.faces.kept_files import plain_name, translated
from gridbeam.server.faces.source_language import source_of
from gridbeam.server.refusal import Refusal, Refused, refusal_of
from gridbeam.server.running import Call
from gridbeam.server.services import Services
from gridbeam.serving.client import StopSearch
from gridbeam.serving.refusals import Busy, Stopped

_LOG = logging.getLogger("gridbeam")
router = new_router()
_MOST = 100
_HEAD = 20_000
"""Bytes of a document by which its language is told."""


@dataclass
class DocumentJob:
    """A document on its way."""

    name: str
    content: bytes
    options: TextOptions
    key: str
    characters: int
    """What it is billed as."""
    status: Literal["queued", "translating", "done", "error"] = "queued"
    message: str = ""


class Documents:
    """Documents by their ids, for many threads."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, DocumentJob] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()
        self._lock = threading.Lock()

    def start(self, services: Services, job: DocumentJob) -> str:
        """Begins with a document, and gives its id; half of the queue is left to texts."""
        if len(self._tasks) >= max(1, services.settings.limits.queue // 2):
            raise Busy(f"{len(self._tasks)} documents are being translated already")
        identity = secrets.token_hex(16).upper()
        with self._lock:
            self._jobs[identity] = job
            while len(self._jobs) > _MOST:
                self._jobs.popitem(last=False)
        task = asyncio.create_task(_translate(services, job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return identity

    def get(self, identity: str, key: str | None) -> DocumentJob:
        """A document, for whoever has its key."""
        with self._lock:
            found = self._jobs.get(identity)
        if (
            found is None
            or key is None
            or not secrets.compare_digest(found.key.encode(), key.encode())
        ):
            raise Refused(Refusal(404, "Not found: there is no such document."))
        return found


@router.post("/v2/document")
async def upload(request: Request) -> Response:
    """The id of a document, and the key that it is asked for with."""
    services: Services = request.app.state.services
    fields = await fields_of(request, most=services.settings.limits.body)
    options, file = options_of(fields), fields.file("file")
    if file is None:
        raise Refused(Refusal(400, "Parameter 'file' not specified.", "file"))
    check_languages(services.engines.pairs(), options)
    name = plain_name(fields.text("filename") or file.name)
    if fields.text("output_format") not in (None, name.rpartition(".")[2].lower()):
        raise Refused(Refusal(400, "'output_format' is not supported: it stays as it is."))
    size = len(file.content.decode("utf8", "replace"))
    job = DocumentJob(name, file.content, options, secrets.token_hex(32).upper(), size)
    identity = documents_of(request).start(services, job)
    characters_of(request).add(job.characters)
    return JSONResponse({"document_id": identity, "document_key": job.key})


@router.post("/v2/document/{identity}")
async def status(request: Request, identity: str) -> Response:
    """How far a document is."""
    job = await _job(request, identity)
    told: dict[str, Any] = {"document_id": identity, "status": job.status}
    if job.status == "done":
        told["billed_characters"] = job.characters
    elif job.status == "error":
        told["error_message"] = job.message
    else:
        told["seconds_remaining"] = 1
    return JSONResponse(told)


@router.post("/v2/document/{identity}/result")
async def result(request: Request, identity: str) -> Response:
    """The translated document."""
    job = await _job(request, identity)
    if job.status != "done":
        raise Refused(Refusal(503, "Document translation is not done."))
    shown = f"attachment; filename*=UTF-8''{quote(job.name)}"
    headers = {"Content-Disposition": shown}
    return Response(job.content, media_type="application/octet-stream", headers=headers)


def documents_of(request: Request) -> Documents:
    """The documents of the server that a request has come to."""
    state = request.app.state
    if not hasattr(state, "documents"):
        state.documents = Documents()
    documents: Documents = state.documents
    return documents


async def _job(request: Request, identity: str) -> DocumentJob:
    key = (await fields_of(request)).text("document_key")
    return documents_of(request).get(identity, key)


async def _translate(services: Services, job: DocumentJob) -> None:
    """Translates a document; what is wrong with it is told where its status is asked for."""
    call = Call(services, StopSearch(), services.settings.patience.documents)
    try:
        with services.stopping(call.stop):
            job.content = await to_thread.run_sync(_translated, call, job, limiter=services.threads)
        job.status = "done"
    except Refused as error:
        job.status, job.message = "error", error.refusal.error
    except (UserError, Stopped, Busy) as error:
        job.status, job.message = "error", str(error)
    except Exception as error:  # nobody else hears of it, and its client asks until it is over
        _LOG.error("the document %s failed", job.name, exc_info=error)
        job.status, job.message = "error", refusal_of(error).error


def _translated(call: Call, job: DocumentJob) -> bytes:
    job.status = "translating"
    options, pairs = job.options, call.services.engines.pairs()
    target = ours(options.target)
    head = job.content[:_HEAD].decode("utf8", "replace")
    source = ours(options.source) if options.source else source_of(head, pairs, target).code
    terms = terms_of(call.services.store, options.glossaries, source, target)
    how = Instructions(terms, on_unmet="relax", fail_on="nothing")
    return translated(call.asking(source, target), job.name, job.content, how)
