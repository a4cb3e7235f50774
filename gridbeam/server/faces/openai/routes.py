"""/v1/models, /v1/chat/completions and /v1/completions."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.requests import Request

from gridbeam.constraints.notation import to_json
from gridbeam.server.faces.fields import fields_of
from gridbeam.server.faces.openai.asked import ChatCall, call_of
from gridbeam.server.faces.openai.chats import Chats, chats_of, stopper
from gridbeam.server.faces.openai.face import new_router, refused
from gridbeam.server.running import Call, run_blocking

if TYPE_CHECKING:
    from gridbeam.generate.chat import Reply  # loads transformers' own generate: seconds

router = new_router()


@dataclass(frozen=True)
class ChatAnswer:
    """What was found for a call."""

    model: str
    replies: list[Reply]
    prompt_size: int
    is_chat: bool


@router.get("/v1/models")
async def models(request: Request) -> Response:
    """The causal models there are."""
    known = [_model(name) for name in chats_of(request).names]
    return JSONResponse({"object": "list", "data": known})


@router.get("/v1/models/{name:path}")
async def model(request: Request, name: str) -> Response:
    """One of them."""
    return JSONResponse(_model(chats_of(request).named(name)))


@router.post("/v1/chat/completions")
async def chat(request: Request) -> Response:
    """Answers to a chat."""
    return await _completed(request, is_chat=True)


@router.post("/v1/completions")
async def completion(request: Request) -> Response:
    """Texts that go on with a prompt."""
    return await _completed(request, is_chat=False)


async def _completed(request: Request, *, is_chat: bool) -> Response:
    services, chats = request.app.state.services, chats_of(request)
    call = call_of(await fields_of(request), services.settings.limits, is_chat=is_chat)
    size = len(call.prompt) + sum(len(each["content"]) for each in call.messages)
    if size > services.settings.limits.chars:
        told = (
            f"the prompt has {size:,} characters: the limit is {services.settings.limits.chars:,}."
        )
        raise refused("messages" if is_chat else "prompt", told)
    found = await run_blocking(
        request,
        lambda running: _found(running, chats, call, is_chat=is_chat),
        patience=services.settings.patience.chat,
    )
    if call.is_streamed:
        return StreamingResponse(_streamed(found, call), media_type="text/event-stream")
    return JSONResponse(_whole(found, call))


def _found(running: Call, chats: Chats, call: ChatCall, *, is_chat: bool) -> ChatAnswer:
    name = chats.named(call.model)
    with chats.held(name, running) as model:
        prompt = model.chat(call.messages) if is_chat else model.prompt(call.prompt)
        if call.choices:
            replies = model.chosen(prompt, call.choices)[: call.wanted]
        else:
            watch = stopper(running)
            replies = model.replies(prompt, call.constraints, options=call.options, watch=watch)
    return ChatAnswer(name, replies, len(prompt), is_chat)


def _whole(found: ChatAnswer, call: ChatCall) -> dict[str, Any]:
    said = sum(reply.size for reply in found.replies)
    sizes = {"prompt_tokens": found.prompt_size, "completion_tokens": said}
    usage = {**sizes, "total_tokens": sum(sizes.values())}
    kind = "chat.completion" if found.is_chat else "text_completion"
    choices = [
        _choice(number, reply, call, found.is_chat) for number, reply in enumerate(found.replies)
    ]
    return {**_head(found, kind), "choices": choices, "usage": usage}


def _choice(number: int, reply: Reply, call: ChatCall, is_chat: bool) -> dict[str, Any]:
    terms = json.loads(to_json(call.constraints))
    met = [
        {"constraint": term, "spans": [list(span) for span in spans]}
        for term, spans in zip(terms, reply.spans, strict=False)
    ]
    text = (
        {"message": {"role": "assistant", "content": reply.text}}
        if is_chat
        else {"text": reply.text}
    )
    reason = "stop" if reply.has_ended else "length"
    return {"index": number, **text, "logprobs": None, "finish_reason": reason, "constraints": met}


def _streamed(found: ChatAnswer, call: ChatCall) -> Iterator[str]:
    """The answer as one piece of a stream: a search knows its text at the end only."""
    kind = "chat.completion.chunk" if found.is_chat else "text_completion"
    choices = _whole(found, call)["choices"]
    for choice in choices:
        if found.is_chat:
            choice["delta"] = choice.pop("message")
    yield _event({**_head(found, kind), "choices": choices})
    yield "data: [DONE]\n\n"


def _event(values: dict[str, Any]) -> str:
    return f"data: {json.dumps(values)}\n\n"


def _head(found: ChatAnswer, kind: str) -> dict[str, Any]:
    prefix = "chatcmpl" if found.is_chat else "cmpl"
    made = {"id": f"{prefix}-{secrets.token_hex(12)}", "object": kind, "created": int(time.time())}
    return {**made, "model": found.model}


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "gridbeam"}
