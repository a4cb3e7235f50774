"""Files and streams in, the same with translations out: a glossary obeyed, and nothing lost."""

from gridbeam.files.instructions import Instructions
from gridbeam.files.run import translate_file
from gridbeam.files.stream import translate_stream
from gridbeam.files.summary import Summary

__all__ = ["Instructions", "Summary", "translate_file", "translate_stream"]
