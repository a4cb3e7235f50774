"""How a server is to run: one value, filled by the flags of `gridbeam serve`. Loads no torch."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path

from gridbeam.server.patience import FacePatience

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
"""What a browser on this machine calls it."""
MIB = 1024 * 1024


@dataclass(frozen=True)
class RequestLimits:
    """The most that one request may ask for; more is refused, and the answer says the limit."""

    chars: int = 20_000
    """Characters of one text."""
    texts: int = 128
    """Texts of one request."""
    constraints: int = 100
    """Phrases that the constraints of one text have, glossary terms not counted."""
    entries: int = 5_000
    """Entries of a glossary that comes in a request."""
    beam: int = 20
    """Hypotheses in a row of the grid, and so translations of a text."""
    length: int = 512
    """Tokens of a sentence of the translation, where a request says how many."""
    body: int = 32 * MIB
    """Bytes of a request, files included."""
    seconds: float = 60.0
    """How long a search may take, waiting included."""
    queue: int = 64
    """Searches that run or wait; whoever comes when all places are taken is told to come back."""


@dataclass(frozen=True)
class Settings:
    """How a server is to run."""

    models: tuple[str, ...] = ("builtin",)
    """Names of translation models, as `gridbeam.server.served` reads them."""
    chat: tuple[str, ...] = ()
    """Names of causal models, for /v1/chat/completions."""
    host: str = "127.0.0.1"
    """The address to listen on."""
    port: int = 8000
    """The port to listen on; 0 takes a free one."""
    database: str | None = None
    """A URL of SQLite or PostgreSQL; None: a file among the user's data."""
    glossaries: tuple[Path, ...] = ()
    """Files that are put into the database under their names when it starts."""
    keys: bool | None = None
    """Whether an API key is asked for; None: where others than this machine can reach it."""
    hosts: tuple[str, ...] = ()
    """Names that it is reached by besides those of this machine, as behind a proxy."""
    origins: tuple[str, ...] = ()
    """Origins whose pages may call it, such as https://example.org; * for all."""
    limits: RequestLimits = field(default_factory=RequestLimits)
    patience: FacePatience = field(default_factory=FacePatience)
    """How long requests of other services' clients wait."""
    threads: int | None = None
    """On how many threads a model computes; None: on all processors but one, which is left to the
    page and whatever else is at work. Threads that wait for one which has no processor cost more
    than they bring."""
    log_level: str = "warning"

    @property
    def is_exposed(self) -> bool:
        """Whether others than this machine can reach it."""
        return bool(self.hosts) or not is_loopback(self.host)

    @property
    def needs_keys(self) -> bool:
        """Whether a request must bring an API key."""
        return self.is_exposed if self.keys is None else self.keys

    @property
    def known_hosts(self) -> tuple[str, ...]:
        """What a Host header may say; nothing: anything.

        On loopback only the names of this machine: another name that leads here is a page of
        somewhere else that has its own name point to this machine (DNS rebinding).
        """
        if not is_loopback(self.host) and not self.hosts:
            return ()
        return (*LOOPBACK_NAMES, *self.hosts)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
