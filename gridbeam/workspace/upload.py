"""Files that are sent and asked for, on their way through a folder that only this process sees.

Of the name that a file is sent under only the ending is used, and the name in messages: the file
itself is called `file` and that ending, in a new folder of its own that is gone afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from tempfile import TemporaryDirectory

from gridbeam.errors import MessagePart, UserError

_SUFFIX = re.compile(r"\.[a-z0-9]{1,12}")
_LONGEST_NAME = 200


@dataclass(frozen=True)
class Upload:
    """A file that was sent."""

    name: str
    content: bytes

    @property
    def title(self) -> str:
        r"""Its name without folders and unseen characters, as it is shown.

        >>> Upload("../../etc/app.xlf", b"").title, Upload("C:\\a\\b.po\n", b"").title
        ('app.xlf', 'b.po')
        """
        last = PureWindowsPath(PurePosixPath(self.name).name).name
        seen = "".join(each for each in last if each.isprintable())
        return seen[:_LONGEST_NAME].strip() or "file"

    @property
    def suffix(self) -> str:
        """The ending of its name, if it is one that a format could have.

        >>> Upload("app.XLF", b"").suffix, Upload("a.b/c", b"").suffix
        ('.xlf', '')
        """
        found = PurePath(self.title).suffix.lower()
        return found if _SUFFIX.fullmatch(found) else ""


@contextmanager
def on_disk(upload: Upload) -> Iterator[Path]:
    """Within it the file is there to be read; what is wrong with it is told under its own name."""
    with TemporaryDirectory(prefix="gridbeam-") as folder:
        path = Path(folder) / f"file{upload.suffix}"
        path.write_bytes(upload.content)
        try:
            yield path
        except UserError as error:
            raise _under(error, str(path), upload.title) from None


def _under(error: UserError, path: str, title: str) -> UserError:
    """The error with the name of a file in place of where it was."""

    def named(piece: MessagePart) -> MessagePart:
        return piece.replace(path, title) if isinstance(piece, str) else piece

    told = UserError(*map(named, error.pieces))
    told.where = tuple(place.replace(path, title) for place in error.where)
    return told
