"""Accelerators: `_Open`, `&Save as...`, `~File` name the key of a menu or button by a mark.

The mark before a letter is taken out, as it cuts a word in two for any reader, and put back on a
fitting letter of the translation: the same one where a word begins with it, else the first of a
word. Chinese, Japanese and Korean have the key itself at the end, as in 打开(_O).

No mark is one that may well mean something else: `R&D`, `AT&T`, `&amp;`, `file_name`, `~/bin`,
`&&`, which is an ampersand, or one of two. In-word marks such as `E_xit` count where the word
without it is in a dictionary and is not made of two, as `File_name` is, or where the file says
which mark it has.

>>> found = accelerator_of(Marked(("&Save as...",)), "auto", "en")
>>> text = Marked(("Speichern unter...",))
>>> str(found.bare), str(inserted(text, found.marks_in(text, "de")))
('Save as...', '&Speichern unter...')
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gridbeam.errors import UserError
from gridbeam.markup.inline import Marked, Piece
from gridbeam.markup.placeholders import placeholders
from gridbeam.text.languages import language
from gridbeam.text.layout import LAYOUT
from gridbeam.text.lemmas import is_known
from gridbeam.text.letters import is_of_a_word

AcceleratorRule: TypeAlias = Literal["auto", "_", "&", "~", "none"]
"""Which marks are looked for: any that is surely one, this one, or none."""
RULES: tuple[AcceleratorRule, ...] = ("auto", "_", "&", "~", "none")
MARKS = "_&~"
_DOUBLED = frozenset(mark * 2 for mark in MARKS)
"""How a mark is written that is meant as such."""
Insertion: TypeAlias = tuple[int, str]
"""A place in a text with its codes, and what to write there."""

_AT_THE_END = re.compile(r"\s?\(([_&~])([A-Za-z0-9])\)")
_KEY_AT_THE_END = frozenset(("ja", "ko", "zh"))
_MOST_WORDS = 12
"""A label has no more words."""
_END_OF_LABEL = re.compile(r"(?<!\s)\s*(?:(?:(?<!\.)\.{2,}|(?<!…)…+|[:：])\s*)?\Z")


@dataclass(frozen=True)
class Accelerator:
    """A label without the mark of its key, and what makes it the label again."""

    mark: str
    letter: str
    bare: Marked
    own: tuple[Insertion, ...]
    """The marks of the source: that of its key, and those of marks that are meant as such."""

    def marks_in(self, text: Marked, target: str | None) -> list[Insertion]:
        """The marks of a translation of the label, in its order."""
        if Marked.of(text.pieces) == self.bare:
            return [*self.own]
        places = [*_letters(text)]
        literal = [(place, self.mark) for place, letter, _ in places if letter == self.mark]
        doubled = literal if len(self.own) > 1 else []
        return sorted([*doubled, self._of_the_key(text, places, target)])

    def _of_the_key(self, text: Marked, places: Sequence[_Letter], target: str | None) -> Insertion:
        label = _before_a_tab(str(text), places)
        starts = [(place, letter) for place, letter, begins in label if begins]
        same = (p for p, letter in starts if letter.casefold() == self.letter.casefold())
        first = (place for place, letter in starts if letter.isalpha())
        anywhere = (place for place, letter, _ in label if letter.isalnum())
        is_spelled = language(target or "") not in _KEY_AT_THE_END
        for found in (same, first, anywhere) if is_spelled else ():
            if (place := next(found, None)) is not None:
                return place, self.mark
        return _end_of_label(text, label), f"({self.mark}{self.letter.upper()})"


def accelerator_of(
    source: Marked, rule: AcceleratorRule, language: str | None, *, own: str | None = None
) -> Accelerator | None:
    """The accelerator of a label in this language; None for a text that has none.

    `own` is the mark that the file says it has, which holds where the rule is `auto`.
    """
    if rule == "none":
        return None
    mark = own if rule == "auto" else rule
    places = [*_letters(source, is_source=True)]
    found = [
        (each, place)
        for each in (mark or MARKS)
        for place in _places_of(each, str(source), places, is_sure=mark is not None, code=language)
    ]
    return _taken_out(source, *found[0]) if len(found) == 1 else None


def inserted(text: Marked, marks: Sequence[Insertion]) -> Marked:
    """The text with these marks in it."""
    pieces, done, left = list[Piece](), 0, [*marks]
    for piece in text.pieces:
        size = len(str(piece))
        # A place right before a code is reached here where the text before it has become empty.
        while left and left[0][0] <= (done + size if isinstance(piece, str) else done):
            place, mark = left.pop(0)
            if isinstance(piece, str):
                before = max(place - done, 0)
                pieces.append(piece[:before] + mark)
                piece, done, size = piece[before:], done + before, size - before
            else:
                pieces.append(mark)
        pieces.append(piece)
        done += size
    return Marked.of([*pieces, *(mark for _, mark in left)])


def check_rule(given: str) -> None:
    """Raises for a word that is no rule."""
    if given not in RULES:
        raise UserError(
            f'accelerators "{given}" is unknown: write {", ".join(RULES[:-1])} or none.'
        )


_Letter: TypeAlias = tuple[int, str, bool]
"""A character of the text that is no placeholder: where, which, and whether a word begins there."""


def _letters(text: Marked, *, is_source: bool = False) -> Iterator[_Letter]:
    """The characters of a text that are part of no code and no placeholder.

    In a source a name with one low line in it may be a word with an accelerator.
    """
    done = 0
    for piece in text.pieces:
        if isinstance(piece, str):
            hidden = {
                place
                for found in placeholders(piece)
                if not (is_source and found.kind == "name" and _is_cut_word(found.raw))
                and found.raw not in _DOUBLED
                for place in range(found.start, found.end)
            }
            for place, letter in enumerate(piece):
                if place not in hidden:
                    before = piece[place - 1] if place else " "
                    begins = letter.isalnum() and not is_of_a_word(before)
                    yield done + place, letter, begins
        done += len(str(piece))


def _is_cut_word(raw: str) -> bool:
    return re.fullmatch(r"[^\W\d_]+_[^\W\d_]+", raw) is not None


def _places_of(
    mark: str, text: str, places: Sequence[_Letter], *, is_sure: bool, code: str | None
) -> list[int]:
    """Where the mark of a key may stand: one place, if all is well."""
    free = [
        place
        for place, letter, _ in places
        if letter == mark and mark not in (text[place - 1 : place], text[place + 1 : place + 2])
    ]
    if at_the_end := [m.start(1) for m in _AT_THE_END.finditer(text) if m.start(1) in free]:
        return at_the_end
    visible = {place: letter for place, letter, _ in places}
    around = [(place, visible.get(place - 1, ""), visible.get(place + 1, "")) for place in free]
    if any(before.isalnum() and not after.isalnum() for _, before, after in around):
        return []
    starts = [place for place, before, after in around if _may_begin(mark, before, after)]
    inner = [place for place, before, after in around if before.isalpha() and after.islower()]
    if starts:
        is_label = _is_label(text.replace(mark, ""))
        is_one = is_sure or (is_label and _begins_a_label(text, starts[0]))
        return starts if is_one else []
    is_word = inner and _is_label(text) and (is_sure or _is_in_a_dictionary(text, inner[0], code))
    return inner if is_word else []


def _may_begin(mark: str, before: str, after: str) -> bool:
    is_first = not before or before.isspace() or before in "([{\"'“„«‹|"
    return is_first and (after.isalpha() if mark == "~" else after.isalnum())


def _is_label(text: str) -> bool:
    """Whether a text is short, and no sentence or several lines."""
    bare = text.strip()
    is_sentence = bare.endswith(".") and not bare.endswith("..")
    has_lines = any(space.strip(" \t") for space in LAYOUT.findall(bare))
    return len(bare.split()) <= _MOST_WORDS and not is_sentence and not has_lines


def _begins_a_label(text: str, place: int) -> bool:
    """Whether what begins at the mark is more than a name of a program, such as _blank."""
    return len(text.split()) > 1 or not text[place + 1].islower()


def _is_in_a_dictionary(text: str, place: int, code: str | None) -> bool:
    before, after = re.search(r"\w*\Z", text[:place]), re.match(r"\w*", text[place + 1 :])
    assert before is not None
    assert after is not None
    halves = before[0], after[0]
    is_compound = all(len(half) > 2 and is_known(half, code) for half in halves)
    return text[:1].isupper() and is_known("".join(halves), code) and not is_compound


def _taken_out(source: Marked, mark: str, place: int) -> Accelerator:
    """The label without the mark at a place, and with single ones for those that are doubled."""
    text = str(source)
    spelled = next((m for m in _AT_THE_END.finditer(text) if m.start(1) == place), None)
    spans = [spelled.span() if spelled else (place, place + 1)]
    own_marks = {at for at, letter, _ in _letters(source) if letter == mark}
    spans += [
        (m.start(), m.start() + 1)
        for m in re.finditer(re.escape(mark * 2), text)
        if m.start() in own_marks
    ]
    pieces, insertions, done, shift = list[Piece](), list[Insertion](), 0, 0
    spans.sort()
    for piece in source.pieces:
        size = len(str(piece))
        for start, end in reversed(spans):
            if isinstance(piece, str) and done <= start < done + size:
                piece = piece[: start - done] + piece[end - done :]
        pieces.append(piece)
        done += size
    for start, end in spans:
        insertions.append((start - shift, text[start:end]))
        shift += end - start
    return Accelerator(mark, text[place + 1], Marked.of(pieces), tuple(insertions))


def _before_a_tab(text: str, places: Sequence[_Letter]) -> Sequence[_Letter]:
    """What stands before a tab, which parts a label from its keys, as in Copy, tab, Ctrl+C."""
    tab = text.find("\t")
    before = [each for each in places if each[0] < tab]
    return before if any(letter.isalnum() for _, letter, _ in before) else places


def _end_of_label(text: Marked, label: Sequence[_Letter]) -> int:
    """The place after the last character of a label, and before dots or a colon at its end."""
    last = label[-1][0] + 1 if label else len(str(text))
    ending = _END_OF_LABEL.search(str(text)[:last])
    assert ending is not None
    return ending.start()
