"""Bilingual terms from parallel text: the short name of `gridbeam.terminology.extract`."""

from gridbeam.terminology.extract import Term, extract, npmi, write

__all__ = ["Term", "extract", "npmi", "write"]
