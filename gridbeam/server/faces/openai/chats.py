"""The causal models of a server, loaded when they are first asked for; each answers one by one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request

from gridbeam.errors import UserError
from gridbeam.server.faces.openai.face import refused
from gridbeam.server.refusal import Refusal, Refused
from gridbeam.server.running import Call
from gridbeam.serving.refusals import Busy, Stopped, TooSlow

if TYPE_CHECKING:
    from gridbeam.generate.chat import ChatModel


class Chats:
    """Causal models by the names that requests call them by."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._places = {_shown(name): name for name in names}
        self._models: dict[str, ChatModel] = {}
        self._locks = {name: threading.Lock() for name in self._places}

    @property
    def names(self) -> list[str]:
        """What requests call the models."""
        return list(self._places)

    def named(self, name: str) -> str:
        """The name of a model that there is; the only one, where none is asked for."""
        if not name and len(self._places) == 1:
            return self.names[0]
        if name not in self._places:
            there = ", ".join(self._places) or "none: start the server with one"
            raise refused(
                "model", f"The model '{name[:80]}' does not exist. There is {there}.", 404
            )
        return name

    @contextmanager
    def held(self, name: str, call: Call) -> Iterator[ChatModel]:
        """A model, while nobody else has it."""
        lock = self._locks[name]
        if not lock.acquire(timeout=call.patience):
            raise Busy("another answer is still being searched for. Ask again later.")
        try:
            if name not in self._models:
                self._models[name] = _loaded(self._places[name])
            yield self._models[name]
        finally:
            lock.release()


def chats_of(request: Request) -> Chats:
    """The causal models of the server that a request has come to."""
    state = request.app.state
    if not hasattr(state, "chats"):
        state.chats = Chats(state.services.settings.chat)
    chats: Chats = state.chats
    return chats


def stopper(call: Call) -> Callable[[Any], None]:
    """What ends a search once its client has gone, or its time is over."""
    until = time.monotonic() + call.patience

    def watch(_: Any) -> None:
        if call.stop.is_set():
            raise Stopped("the client has gone")
        if time.monotonic() > until:
            raise TooSlow(f"no answer was found in {call.patience:g} s. Ask for fewer tokens.")

    return watch


def _shown(name: str) -> str:
    """What requests call a model: of a folder its last name."""
    place = name.removeprefix("hf:")
    return Path(place).name if Path(place).exists() else place


def _loaded(name: str) -> ChatModel:
    from gridbeam.generate.chat import ChatModel  # takes seconds, and most servers have none

    try:
        return ChatModel.load(name)
    except UserError as error:
        told = f"the model {_shown(name)} cannot be loaded"
        raise Refused(Refusal(503, told, remedy="See the log of the server.")) from error
