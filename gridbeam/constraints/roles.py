"""What a constraint asks of its pattern.

Code that treats constraints differently asks their role, in a `match` without a default: mypy then
names every place that has forgotten one.
"""

from __future__ import annotations

from enum import Enum


class Role(Enum):
    """What a constraint asks of its pattern; a kind of constraint has one."""

    REQUIRED = "required"
    """It occurs, as often as it is listed."""
    FORBIDDEN = "forbidden"
    """What the constraint seeks does not occur."""
    FIRST = "first"
    """The text begins with it."""
    LAST = "last"
    """The text ends with it, but for the end token."""

    @property
    def must_occur(self) -> bool:
        """Whether the text must hold the pattern somewhere."""
        match self:
            case Role.REQUIRED | Role.FIRST | Role.LAST:
                return True
            case Role.FORBIDDEN:
                return False

    @property
    def counts_copies(self) -> bool:
        """Whether one that is listed n times asks for more than one that is listed once."""
        match self:
            case Role.REQUIRED:
                return True
            case Role.FORBIDDEN | Role.FIRST | Role.LAST:
                return False

    @property
    def of_first_part(self) -> Role:
        """What is asked of the first of several parts in order."""
        match self:
            case Role.REQUIRED | Role.FORBIDDEN | Role.FIRST:
                return self
            case Role.LAST:
                return Role.REQUIRED

    @property
    def of_middle_part(self) -> Role:
        """What is asked of the parts between the first and the last."""
        return self.of_first_part.of_last_part

    @property
    def of_last_part(self) -> Role:
        """What is asked of the last of several parts in order."""
        match self:
            case Role.REQUIRED | Role.FORBIDDEN | Role.LAST:
                return self
            case Role.FIRST:
                return Role.REQUIRED
