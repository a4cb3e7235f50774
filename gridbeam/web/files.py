"""The files of the page, each with what a browser is told about it.

They are read once, into memory: no path of a request ever reaches the file system, and what a
browser does not have yet goes to it packed.
"""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
MEDIA = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""What is served, and as what: never left to the tables of the machine."""


@dataclass(frozen=True)
class PageFile:
    """One file of the page."""

    body: bytes
    packed: bytes
    """The same, by gzip."""
    media: str
    tag: str
    """Its ETag: another one as soon as a byte is another."""


@cache
def page_files() -> dict[str, PageFile]:
    """All files of the page by their path below its root, such as `modules/main.js`."""
    paths = sorted(path for path in HERE.rglob("*") if path.suffix in MEDIA)
    return {path.relative_to(HERE).as_posix(): _read(path) for path in paths}


def _read(path: Path) -> PageFile:
    body = path.read_bytes()
    tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    return PageFile(body, gzip.compress(body, mtime=0), MEDIA[path.suffix], tag)
