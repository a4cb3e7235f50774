"""Files of LibreTranslate's API: one is sent and translated, and fetched under another name."""

from __future__ import annotations

from urllib.parse import quote

from fastapi.responses import JSONResponse, Response
from starlette.requests import Request

from gridbeam.files.instructions import Instructions
from gridbeam.server.faces.fields import fields_of
from gridbeam.server.faces.kept_files import KeptFiles, plain_name, translated
from gridbeam.server.faces.libretranslate.codes import check_pair, ours
from gridbeam.server.faces.libretranslate.face import new_router
from gridbeam.server.faces.source_language import source_of
from gridbeam.server.refusal import Refusal, Refused
from gridbeam.server.running import Call, run_blocking

router, open_router = new_router(), new_router()

_HEAD = 20_000
"""Bytes of a file by which its language is told."""


@router.post("/translate_file")
async def translate_file(request: Request) -> Response:
    """The address of the translated file."""
    services = request.app.state.services
    fields = await fields_of(request)
    file, target = fields.file("file"), fields.text("target")
    source = fields.text("source")
    for name, value in (("file", file), ("source", source), ("target", target)):
        if not value:
            raise Refused(Refusal(400, f"Invalid request: missing {name} parameter"))
    assert file is not None
    assert source is not None
    assert target is not None
    name, content = plain_name(file.name), file.content
    if not content:
        raise Refused(Refusal(400, "Invalid request: empty file"))

    def work(running: Call) -> bytes:
        pairs = running.services.engines.pairs()
        head = content[:_HEAD].decode("utf8", "replace")
        is_auto = source.lower() == "auto"
        code = source_of(head, pairs, ours(target)).code if is_auto else ours(source)
        check_pair(pairs, code, ours(target))
        how = Instructions(on_unmet="relax", fail_on="nothing")
        return translated(running.asking(code, ours(target)), name, content, how)

    done = await run_blocking(request, work, patience=services.settings.patience.documents)
    kept = files_of(request).add(name, done)
    url = request.url_for("download_file", name=f"{kept.key}.{quote(name)}")
    return JSONResponse({"translatedFileUrl": str(url)})


@open_router.get("/download_file/{name}", name="download_file")
async def download_file(request: Request, name: str) -> Response:
    """A translated file."""
    kept = files_of(request).get(name.partition(".")[0])
    if kept is None:
        raise Refused(Refusal(400, "Invalid filename"))
    shown = f"attachment; filename*=UTF-8''{quote(kept.name)}"
    headers = {"Content-Disposition": shown}
    return Response(kept.content, media_type="application/octet-stream", headers=headers)


def files_of(request: Request) -> KeptFiles:
    """The files that the server of a request keeps."""
    state = request.app.state
    if not hasattr(state, "kept_files"):
        state.kept_files = KeptFiles()
    files: KeptFiles = state.kept_files
    return files
