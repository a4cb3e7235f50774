"""What a person asks to be done to a segment, as it comes in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from gridbeam.editing.stretch import Stretch
from gridbeam.errors import UserError
from gridbeam.store import NewAct

ActKind: TypeAlias = Literal[
    "translate",
    "replace",
    "lock",
    "unlock",
    "forbid",
    "allow",
    "complete",
    "write",
    "undo",
    "redo",
    "confirm",
    "unconfirm",
    "review",
    "copy",
]
KINDS: tuple[ActKind, ...] = get_args(ActKind)
SEARCHING: frozenset[ActKind] = frozenset(("translate", "replace", "forbid", "complete"))
"""The acts that the model answers."""
_NEEDED = {
    "replace": ("where", "words"),
    "lock": ("where",),
    "unlock": ("where",),
    "forbid": ("words",),
    "allow": ("words",),
    "complete": ("left",),
    "write": ("text",),
}


@dataclass(frozen=True)
class Act:
    """One act on a version of a segment."""

    kind: ActKind
    version: int
    where: tuple[int, int] | None = None
    """Characters of the translation, as code points."""
    words: str | None = None
    left: str | None = None
    """What stands left of the cursor."""
    text: str | None = None
    seconds: float | None = None
    """How long the person took."""
    keystrokes: int | None = None
    clicks: int | None = None
    client: str = ""
    id: str | None = None
    """What its client calls it: an act that is sent again is done once."""

    def __post_init__(self) -> None:
        for name in _NEEDED.get(self.kind, ()):
            if getattr(self, name) is None:
                raise UserError(f'the act "{self.kind}" says no {name}. Add it.').within(name)

    @property
    def stretch(self) -> Stretch:
        """Where it is made."""
        start, end = self.where or (0, 0)
        return Stretch(start, end)

    @property
    def logged(self) -> NewAct:
        """What the store keeps of it."""
        given = {name: getattr(self, name) for name in ("words", "left", "text", "clicks")}
        payload: dict[str, Any] = {name: each for name, each in given.items() if each is not None}
        if self.where is not None:
            payload["where"] = list(self.where)
        return NewAct(self.kind, payload, self.seconds, self.keystrokes, self.client, self.id)
