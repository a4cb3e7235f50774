"""A text and its translation as the rules look at them: what is no language is told apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from gridbeam.glossary.matching import Match
from gridbeam.markup.inline import Code, Marked, Piece, as_marked
from gridbeam.markup.kinds import MESSAGE
from gridbeam.markup.messages import closed_braces, starts
from gridbeam.markup.placeholders import is_language, placeholders
from gridbeam.text.languages import language

COVER = "\ufffc"
"""What stands for each character that is no language; neither a letter, nor a mark, nor a space."""
OF_MARKUP = frozenset(("tag", "code"))
"""The kinds of codes that say nothing themselves."""
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")


@dataclass(frozen=True)
class CodeInText:
    """A placeholder, a tag or a code of the file, from `start` up to `end`."""

    start: int
    end: int
    kind: str
    """The syntax, as in `gridbeam.markup.placeholders`; "code" for a code of the file."""
    raw: str


@dataclass(frozen=True)
class CheckedText:
    """One side of a pair, as the file writes it."""

    text: str
    codes: tuple[CodeInText, ...]
    """All that is no language, from left to right."""

    @classmethod
    def of(cls, text: Marked | str, own: Sequence[re.Pattern[str]] = ()) -> CheckedText:
        """The text with its placeholders, those of one's `own` syntax among them."""
        marked = as_marked(text)
        return cls(str(marked), tuple(_codes(marked, own)))

    @cached_property
    def plain(self) -> str:
        """The text with `COVER` in place of all that is no language, so that offsets stay."""
        shown, done = "", 0
        for each in self.codes:
            shown += self.text[done : each.start] + COVER * (each.end - each.start)
            done = each.end
        return shown + self.text[done:]

    @cached_property
    def words(self) -> list[re.Match[str]]:
        """The words of the text: letters in a row, with apostrophes and hyphens within."""
        return list(_WORD.finditer(self.plain))

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing but white space in it."""
        return not self.text.strip()

    @property
    def is_markup(self) -> bool:
        """Whether there is nothing but white space in it beside codes of the file and tags."""
        left, done = "", 0
        for each in self.codes:
            if each.kind in OF_MARKUP:
                left, done = left + self.text[done : each.start], each.end
        return not (left + self.text[done:]).strip()


@dataclass(frozen=True)
class CheckedPair:
    """A text, its translation, and what is known of both."""

    source: CheckedText
    target: CheckedText
    source_language: str = ""
    """The plain code of a language; empty where it is not known."""
    target_language: str = ""
    terms: tuple[Match, ...] = ()
    """The terms of a glossary that the translation owes, each as often as it is here."""
    is_for_one: bool = False
    """Whether it speaks of a single thing, whose number need not be said."""
    is_translated: bool = True
    """Whether there is a translation, be it an empty one."""

    @classmethod
    def of(
        cls,
        source: Marked | str,
        target: Marked | str | None,
        source_language: str | None = None,
        target_language: str | None = None,
        *,
        terms: Sequence[Match] = (),
        own: Sequence[re.Pattern[str]] = (),
        is_for_one: bool = False,
    ) -> CheckedPair:
        """The pair of two texts; `own` are placeholders in a syntax of one's own.

        A target of None says that there is no translation yet, an empty one that it says nothing.
        """
        return cls(
            CheckedText.of(source, own),
            CheckedText.of(target or "", own),
            language(source_language or ""),
            language(target_language or ""),
            tuple(terms),
            is_for_one,
            target is not None,
        )

    @property
    def says_nothing(self) -> bool:
        """Whether the translation is empty, or has but the markup of a source that has words."""
        return self.target.is_blank or (bool(self.source.words) and self.target.is_markup)


def _codes(marked: Marked, own: Sequence[re.Pattern[str]]) -> Iterator[CodeInText]:
    done = 0
    for piece in _with_messages(marked):
        if isinstance(piece, Marked):
            yield CodeInText(done, done + len(str(piece)), MESSAGE.name, str(piece))
        elif isinstance(piece, Code):
            yield CodeInText(done, done + len(piece.raw), "code", piece.raw)
        else:
            for each in placeholders(piece, own=own):
                if not is_language(each):
                    yield CodeInText(done + each.start, done + each.end, each.kind, each.raw)
        done += len(str(piece))


def _with_messages(marked: Marked) -> Iterator[Piece | Marked]:
    """The pieces, with one for each message that has codes in it, as these are part of it."""
    flat = marked.flat if marked.codes else ""
    ends = closed_braces(flat) if "{" in flat else {}
    done = 0
    for start in starts(flat):
        end = ends.get(start)
        if start >= done and end is not None and (message := marked.part(start, end)).codes:
            yield from marked.part(done, start).pieces
            yield message
            done = end
    yield from marked.part(done, len(flat)).pieces if done else marked.pieces
