"""Why the store does not do what it was asked to: each is said to the person who asked."""

from __future__ import annotations

from gridbeam.errors import UserError
from gridbeam.store.rows import SegmentRow


class Outdated(UserError):
    """Someone else was faster: `row` is the segment as it is now, and nothing was changed."""

    def __init__(self, row: SegmentRow) -> None:
        super().__init__(
            f"segment {row.number + 1} was changed meanwhile and has version {row.version}.",
            " Look at it as it is now, and act again.",
        )
        self.row = row


class Absent(UserError):
    """There is no such project, segment, glossary, entry or key, or there is none any more."""

    @classmethod
    def of(cls, kind: str, identity: object) -> Absent:
        """The error for something that has a name or number."""
        return cls(f'there is no {kind} "{identity}". It may have been deleted: load the list.')


class StoreFailure(UserError):
    """The database cannot be used: the message says which, why, and what to do."""
