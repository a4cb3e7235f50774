"""Translated files that wait to be fetched: in a folder that goes with the server.

A file has a name that nobody can guess. The oldest goes where there are too many.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory

from gridbeam.documents.registry import FORMATS, by_suffix
from gridbeam.files.instructions import Instructions
from gridbeam.files.run import translate_file
from gridbeam.server.refusal import Refusal, Refused
from gridbeam.translation.translator import Translates

_MOST = 200


@dataclass(frozen=True)
class KeptFile:
    """A translated file, and what it is to be called where it is saved."""

    key: str
    name: str
    content: bytes


class KeptFiles:
    """Files by their keys, for many threads."""

    def __init__(self) -> None:
        self._files: OrderedDict[str, KeptFile] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, name: str, content: bytes) -> KeptFile:
        """Keeps a file."""
        kept = KeptFile(secrets.token_hex(16), name, content)
        with self._lock:
            self._files[kept.key] = kept
            while len(self._files) > _MOST:
                self._files.popitem(last=False)
        return kept

    def get(self, key: str) -> KeptFile | None:
        """A file, if it is still there."""
        with self._lock:
            return self._files.get(key)


def suffixes() -> list[str]:
    """The suffixes of files that are translated."""
    return [suffix for each in FORMATS for suffix in each.suffixes]


def plain_name(given: str | None) -> str:
    """The name of an uploaded file without folders, with a suffix that is known; else raises."""
    name = PurePath((given or "").replace("\\", "/")).name
    suffix = PurePath(name).suffix.lower()
    if not name or by_suffix(suffix) is None:
        told = "Invalid request: file format not supported (Invalid file)."
        raise Refused(Refusal(400, told, "file", f"There is {', '.join(suffixes())}."))
    return "".join(letter if letter.isprintable() else "_" for letter in name)


def translated(
    translator: Translates, name: str, content: bytes, instructions: Instructions
) -> bytes:
    """The content of a file, translated, in its own format."""
    suffix = PurePath(name).suffix
    with TemporaryDirectory(prefix="gridbeam-") as folder:
        path, out = Path(folder, f"source{suffix}"), Path(folder, f"target{suffix}")
        path.write_bytes(content)
        translate_file(translator, path, out, instructions)
        return out.read_bytes()
