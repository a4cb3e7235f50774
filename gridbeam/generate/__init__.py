"""The search as a decoding method of transformers' `generate`."""

from gridbeam.generate.method import GridBeamSearch

__all__ = ["GridBeamSearch"]
