"""Constraints as JSON: the short name of `gridbeam.constraints.notation`."""

from gridbeam.constraints.notation import from_json, to_json

__all__ = ["from_json", "to_json"]
