"""Bilingual terms from parallel text: the short name of `gridbeam.terminology.extract`."""

from gridbeam.terminology.extract import Term, extract, npmi, write
from gridbeam.terminology.options import TermOptions

__all__ = ["Term", "TermOptions", "extract", "npmi", "write"]
