"""The search as a decoding method of transformers' `generate`."""

from gridbeam.generate.method import GridBeamSearch
from gridbeam.generate.speech import transcribe

__all__ = ["GridBeamSearch", "transcribe"]
