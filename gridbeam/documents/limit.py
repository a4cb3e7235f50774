"""How long a translation may be, where the document says so."""

from __future__ import annotations

from dataclasses import dataclass

from gridbeam.markup.inline import Marked


@dataclass(frozen=True)
class SizeLimit:
    """The most of a unit that a translation may take; its codes do not count.

    >>> [SizeLimit(5, unit).size("Grüße") for unit in ("characters", "bytes", "pixel")]
    [5, 7, None]
    """

    most: int
    unit: str = "characters"
    """Characters and bytes can be counted; any other depends on what shows the text."""
    encoding: str = "utf8"
    """What bytes are counted in."""

    @property
    def is_measured(self) -> bool:
        """Whether it can be told what keeps it."""
        return self.unit in ("characters", "bytes")

    def size(self, text: Marked | str) -> int | None:
        """How much a text takes; None where that cannot be told."""
        plain = text.text if isinstance(text, Marked) else text
        match self.unit:
            case "characters":
                return len(plain)
            case "bytes":
                return len(plain.encode(self.encoding, "replace"))
            case _:
                return None

    def holds(self, text: Marked | str) -> bool:
        """Whether there is room for a text, as far as that can be told."""
        size = self.size(text)
        return size is None or size <= self.most

    def share(self, part: int, whole: int) -> SizeLimit:
        """The limit of a part of a text, as its source is a part of the whole source."""
        return SizeLimit(self.most * part // max(1, whole), self.unit, self.encoding)


def limit_of(most: str | None, unit: str, encoding: str = "utf8") -> tuple[SizeLimit, ...]:
    """The limit that a document writes as a number, if it is one."""
    if most is None:
        return ()
    digits = most.strip()
    return (
        (SizeLimit(int(digits), unit, encoding),) if digits.isdecimal() and len(digits) < 10 else ()
    )
