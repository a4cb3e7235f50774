"""The parts of an XLSX file, a zip of XML, each read as a stream of tags and texts.

Nothing of a part is kept but what its reader keeps; no entity is resolved, and what is damaged, or
unpacks to more than any glossary has, is an error that says so.
"""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any, Protocol, TypeAlias
from xml.parsers import expat

from gridbeam.errors import UserError

_LARGEST = 1 << 26
"""In bytes, unpacked."""
_CHUNK = 1 << 16

Attributes: TypeAlias = dict[str, str]


class PartReader(Protocol):
    """What is done with a part: names come without their prefixes."""

    def start(self, name: str, has: Attributes) -> None:
        """A tag opens."""

    def end(self, name: str) -> None:
        """A tag closes."""

    def text(self, text: str) -> None:
        """A stretch of text between tags."""


class PackedParts:
    """The parts of a file, by their names."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, name: str, reader: PartReader) -> None:
        """Lets a reader have all of a part."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = lambda tag, has: reader.start(
            _local(tag), {_local(key): value for key, value in has.items()}
        )
        parser.EndElementHandler = lambda tag: reader.end(_local(tag))
        parser.CharacterDataHandler = reader.text
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        try:
            self._feed(name, parser)
        except UserError:
            raise
        except KeyError:
            raise self._damaged(f"it has no {name}") from None
        except (expat.ExpatError, LookupError, ValueError) as error:  # or an unknown encoding
            raise self._damaged(f"{name}, {error}") from None
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise self._damaged(str(error)) from None
        except (NotImplementedError, RuntimeError) as error:  # packed in another way, or encrypted
            raise self._damaged(str(error)) from None

    def _feed(self, name: str, parser: Any) -> None:
        with zipfile.ZipFile(self.path) as parts:
            size = parts.getinfo(name).file_size
            if size > _LARGEST:
                raise UserError(
                    f"{self.path}: {name} unpacks to {size:,} bytes. This is no glossary; save what"
                    " is one as .csv."
                )
            with parts.open(name) as part:
                while chunk := part.read(_CHUNK):
                    parser.Parse(chunk, False)
                parser.Parse(b"", True)

    def _refuse_doctype(self, *_: object) -> None:
        raise UserError(
            f"{self.path} declares a document type, which may hide anything. Save it anew as .xlsx."
        )

    def _damaged(self, why: str) -> UserError:
        return UserError(
            f"{self.path} is no XLSX workbook, or a damaged one: {why}. Save it anew as .xlsx."
        )


def _local(name: str) -> str:
    return name.rpartition(":")[2]
