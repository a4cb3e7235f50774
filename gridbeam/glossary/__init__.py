"""Glossaries: what a translation must say, or must not, wherever its source says a term."""

from gridbeam.glossary.entries import Entry, Glossary

__all__ = ["Entry", "Glossary"]
