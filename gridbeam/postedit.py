"""A sentence translated together with its user: the short name of `translation.postedit`."""

from gridbeam.translation.postedit import PostEditing, Turn

__all__ = ["PostEditing", "Turn"]
