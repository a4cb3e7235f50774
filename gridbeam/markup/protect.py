"""What must not be translated is hidden from the model and put back: placeholders, tags, names.

A model copies best what looks like a word. So placeholders stay in the text as they are, or short
for long ones (`{1}` for an address), and are required as phrases, as often as they occur; those
that take the next argument (`%s`, `{}`) in their order. Tags say nothing to a model: they are taken
out, and `gridbeam.markup.restore` puts them back.

>>> protected = protect("Open <b>{file}</b> at https://example.org/help.")
>>> protected.text
'Open {file} at {1}.'
>>> for constraint in constraints_of(protected):
...     print(constraint)
"{file}"
"{1}"
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise, takewhile

from gridbeam.constraints.encode import Speller, spell
from gridbeam.constraints.occurrences import Span
from gridbeam.constraints.terms import Constraint, InOrder, Phrase
from gridbeam.errors import UserError
from gridbeam.markup.inline import Code, Marked, Piece, as_marked, stretch_among
from gridbeam.markup.kinds import CODE, KIND, TERM
from gridbeam.markup.placeholders import (
    FoundPlaceholder,
    PlaceholderKind,
    character,
    element,
    expressions,
    is_language,
    placeholders,
)
from gridbeam.text.layout import is_layout
from gridbeam.text.letters import is_of_a_word
from gridbeam.text.sentences import split

_LONGEST_SHOWN = 16
"""A longer placeholder has a short one stand for it: each token of it would be one more row of the
grid."""
_STAND_INS = ("{{{}}}", "[{}]", "X{}")
_WORD = 2
"""So many letters are a word of its own where markup cuts them off from others; fewer are part of a
word, as in `<u>O</u>pen` or `file<b>s</b>`."""
_TAG = re.compile(r"<|&(?:amp;)*lt;")
_DIGITS = re.compile(r"\d+")
_PARTS = re.compile(r"\s+|\S+")
JOINT = re.compile(r"[:/.,;|_@#=+*~\u2010-\u2013\u00d7-]*")
"""What makes one thing of the placeholders on its two sides."""
_STOPS = frozenset(".,;:")
"""What may also end a sentence or a line, where a code of the file stands beside it."""
_MEANT = {"\\n": "\n", "\\r": "\n", "\\t": "\t"}
"""Layout that is written with a backslash."""


@dataclass(frozen=True)
class Placeholder:
    """What stands in the text from `start` up to `end`, and must stand in its translation."""

    start: int
    end: int
    piece: Piece | Marked
    """What it stands for; several pieces where they touch each other in the source."""
    kind: PlaceholderKind
    keeps_its_order: bool
    whole_word: bool
    is_glued: tuple[bool, bool] = (False, False)
    """Whether a word stands right before it in the source, and right after it; in the text there is
    a space between the two."""

    must_be_exact: bool = True
    """Whether it may not occur more often either; a name that is shown as it is may."""


@dataclass(frozen=True)
class Spacing:
    """White space and codes between two words of the source, as `size` characters of the text."""

    at: int
    size: int
    pieces: tuple[Piece, ...]

    @property
    def codes(self) -> list[Code]:
        """The codes among the pieces."""
        return [piece for piece in self.pieces if isinstance(piece, Code)]


@dataclass(frozen=True)
class Protected:
    """A text as a model should see it, and what it takes to put the rest back."""

    text: str
    source: Marked
    placeholders: tuple[Placeholder, ...]
    gaps: tuple[Spacing, ...]
    """Where codes were taken out, and the two ends of the text, whose white space is kept."""
    entities: tuple[tuple[str, str], ...]
    """Characters that the source writes as entities, and how."""
    own: tuple[re.Pattern[str], ...] = ()
    """What else is a placeholder."""
    parts: tuple[tuple[Span, Span], ...] = field(default=(), repr=False)
    """For each word and placeholder its characters in the source as it is written, and in the
    text."""

    @cached_property
    def kinds(self) -> frozenset[PlaceholderKind]:
        """The syntax of what was found in the text.

        Where it has none of a kind, nothing in a translation is taken for one.
        """
        texts = (piece for piece in self.source.pieces if isinstance(piece, str))
        found = {
            each.kind
            for text in texts
            for each in placeholders(text, own=self.own)
            if KIND[each.kind].is_exact and not is_language(each)
        }
        return frozenset(
            found
            | (
                {"brace"}
                if any(each.piece != self.text[each.start : each.end] for each in self.placeholders)
                else set()
            )
        )

    def shown(self, span: Span) -> Span | None:
        """The stretch of the text that stands for some characters of the source.

        None where none does.

        >>> protected = protect("Open <b>https://example.org/help</b> now.")
        >>> protected.text, *map(protected.shown, [(5, 36), (37, 40), (5, 8)])
        ('Open {1} now.', (5, 8), (9, 12), None)
        """
        return stretch_among(self.parts, span)

    @cached_property
    def placed(self) -> list[tuple[Constraint, int]]:
        """What `constraints_of` and `places_of` tell."""
        return _placed(self)

    def has_words(self, names: Iterable[Span] = ()) -> bool:
        """Whether there is anything to translate besides placeholders and these names."""
        spans = [*((each.start, each.end) for each in self.placeholders), *names]
        rest, done = "", 0
        for start, end in sorted(spans):
            rest, done = rest + self.text[done:start], max(done, end)
        return any(map(str.isalpha, rest + self.text[done:]))


def protect(
    text: Marked | str,
    do_not_translate: Iterable[str] = (),
    *,
    own: Iterable[str] = (),
    can_write: Callable[[str], bool] = lambda shown: True,
    shows_nothing: bool = False,
    is_term: Callable[[str], bool] = lambda name: False,
) -> Protected:
    """The text without what a model should not see, and all that `restore` needs.

    `own` are regular expressions for placeholders in a syntax of one's own. `can_write` says
    whether a model has tokens for a text: what it cannot write, such as braces, something else
    stands for. `shows_nothing` has something stand for what is shown as it is otherwise, too.
    `is_term` says whether a name, of those that may occur more often, is a word to translate.
    """
    source, terms = as_marked(text), tuple(do_not_translate)
    patterns = expressions(own)
    elements, raws, entities = _elements(source, terms, patterns, is_term)
    elements, raws = _joined_runs(elements, raws)
    if shows_nothing:
        elements = [_unshown(each) if isinstance(each, _Shown) else each for each in elements]
    assembled = _assembled(_with_stand_ins(elements, source, can_write), raws, source, entities)
    return replace(assembled, own=patterns)


def writable(speller: Speller) -> Callable[[str], bool]:
    """Whether a tokenizer has tokens for a text, for `can_write` of `protect`.

    `Translator.subwords` is a speller.
    """

    @lru_cache(maxsize=4096)
    def can_write(shown: str) -> bool:
        try:
            spell(Phrase(shown, case="exact", whole_word=True), speller)
        except UserError:
            return False
        return True

    return can_write


def constraints_of(protected: Protected) -> list[Constraint]:
    """What makes a translation hold each placeholder as often as the source.

    Those of a sentence that must keep their order keep it.
    """
    return [constraint for constraint, _ in protected.placed]


def places_of(protected: Protected) -> list[int]:
    """For each of `constraints_of` the offset of its first placeholder, for `Request(places=)`."""
    return [place for _, place in protected.placed]


def _placed(protected: Protected) -> list[tuple[Constraint, int]]:
    free, in_order = list[tuple[Constraint, int]](), list[tuple[Phrase, int]]()
    for each in protected.placeholders:
        phrase = Phrase(
            protected.text[each.start : each.end], case="exact", whole_word=each.whole_word
        )
        (in_order if each.keeps_its_order else free).append((phrase, each.start))
    return [*free, *_chained(protected.text, in_order)] if in_order else free


def _chained(text: str, in_order: Sequence[tuple[Phrase, int]]) -> list[tuple[Constraint, int]]:
    """Those of each sentence as one constraint, where that is needed."""
    chained, ordered = list[tuple[Constraint, int]](), dict[int, list[tuple[Phrase, int]]]()
    sentences = split(text)  # each is translated on its own, so no constraint can go across
    for phrase, place in in_order:
        ordered.setdefault(sentences.at(place), []).append((phrase, place))
    sentences_with = Counter(phrase for placed in ordered.values() for phrase in dict(placed))
    for placed in ordered.values():
        # One that two sentences need could meet two different constraints at once; as the same
        # phrase twice, it cannot.
        is_chain = len(dict(placed)) > 1 and all(
            sentences_with[phrase] == 1 for phrase, _ in placed
        )
        chained += (
            [(InOrder(*(phrase for phrase, _ in placed)), placed[0][1])] if is_chain else placed
        )
    return chained


@dataclass(frozen=True)
class _Shown:
    """Something of the source that stays in the text, or has something shown for it."""

    piece: Piece | Marked
    shown: str
    kind: PlaceholderKind
    keeps_its_order: bool = False


_Element = str | Code | _Shown


def _unshown(each: _Shown) -> _Shown:
    return each if each.kind == TERM.name else replace(each, shown="")


def _elements(
    source: Marked,
    terms: Sequence[str],
    own: Sequence[re.Pattern[str]],
    is_term: Callable[[str], bool],
) -> tuple[list[_Element], list[str], dict[str, str]]:
    """Words, white space, codes to take out, and what is shown; as they are written.

    And the characters written as entities.
    """
    elements, raws = list[_Element](), list[str]()
    entities: dict[str, str] = {}
    for piece in source.pieces:
        if isinstance(piece, Code):
            elements.append(
                _Shown(piece, piece.shown, CODE.name) if piece.role == "alone" else piece
            )
            raws.append(piece.raw)
            continue
        done = 0
        for found in placeholders(piece, terms, own):
            kind = KIND[found.kind]
            if kind is not TERM and not kind.is_exact and is_term(found.raw):
                continue
            words = _PARTS.findall(piece[done : found.start])
            elements += [*words, _element(found, entities)]
            raws += [*words, found.raw]
            done = found.end
        words = _PARTS.findall(piece[done:])
        elements += words
        raws += words
    return elements, raws, entities


def _joined_runs(
    elements: Sequence[_Element], raws: Sequence[str]
) -> tuple[list[_Element], list[str]]:
    """The same, where placeholders that touch are one, with the marks that join them.

    A model writes spaces between those of `{name}{ext}` or `%d:%d`, or tears them apart.
    """
    joined, written = list[_Element](), list[str]()
    place = 0
    while place < len(elements):
        end = _end_of_run(elements, place)
        run = [each for each in elements[place:end] if isinstance(each, _Shown)]
        joined.append(_as_one(elements[place:end], run) if len(run) > 1 else elements[place])
        written.append("".join(raws[place:end]))
        place = end
    return joined, written


def _end_of_run(elements: Sequence[_Element], start: int) -> int:
    """Where the placeholders end that begin here and touch; the next element if there are none."""
    end = start + 1
    while _can_join(elements[start]):
        mark = elements[end] if end < len(elements) else None
        is_joint = isinstance(mark, str) and bool(JOINT.fullmatch(mark))
        follows = end + is_joint
        if follows >= len(elements) or not _can_join(elements[follows]):
            break
        beside = (elements[end - 1], elements[follows])
        if is_joint and not _STOPS.isdisjoint(str(mark)) and any(map(_is_code, beside)):
            break
        end = follows + 1
    return end


def _can_join(each: _Element) -> bool:
    if not isinstance(each, _Shown):
        return False
    kind = KIND[each.kind]
    return kind.is_exact and kind is not TERM and kind.shown != "character"


def _is_code(each: _Element) -> bool:
    return isinstance(each, _Shown) and isinstance(each.piece, Code)


def _as_one(elements: Sequence[_Element], run: Sequence[_Shown]) -> _Shown:
    pieces = [each.piece if isinstance(each, _Shown) else each for each in elements]
    marked = Marked.of(part for piece in pieces for part in as_pieces(piece))
    piece = marked if marked.codes else marked.text
    in_order = any(each.keeps_its_order for each in run)
    return _Shown(piece, "", run[0].kind, in_order)


def as_pieces(piece: Piece | Marked) -> tuple[Piece, ...]:
    """What a placeholder stands for, one by one."""
    return piece.pieces if isinstance(piece, Marked) else (piece,)


def _element(found: FoundPlaceholder, entities: dict[str, str]) -> _Element:
    shown = KIND[found.kind].shown
    if shown == "taken out":
        return _taken_out(found)
    if shown == "character":
        meant = character(found.raw)
        if meant is None:
            return Code(found.raw)
        if is_language(found):
            entities[meant] = found.raw
            return meant
        return _Shown(found.raw, meant, found.kind)
    as_it_is = found.raw if shown == "as it is" else ""
    return _Shown(found.raw, as_it_is, found.kind, found.keeps_its_order)


def _taken_out(found: FoundPlaceholder) -> Code:
    if not _TAG.match(found.raw):
        return Code(found.raw)
    name, closes, alone = element(found.raw)
    # A pair of the file's own markup has an id; these are told apart by their name.
    return Code(found.raw, "alone" if alone else "closes" if closes else "opens", f"<{name}>")


def _with_stand_ins(
    elements: Sequence[_Element], source: Marked, can_write: Callable[[str], bool]
) -> list[_Element]:
    """The same elements, shown so that different ones differ and none looks like text.

    Nor could one overlap another.
    """
    words = " ".join(each for each in elements if isinstance(each, str))
    taken = str(source) + words
    numbers = frozenset(_DIGITS.findall(words))

    def fits(shown: str) -> bool:
        # A number that must be said could be taken to be said by one in braces.
        return numbers.isdisjoint(_DIGITS.findall(shown)) and can_write(shown)

    shown: dict[Piece | Marked, str] = {}
    for each in elements:
        if not isinstance(each, _Shown) or each.piece in shown:
            continue
        wish = each.shown
        is_fit = (
            wish
            and len(wish) <= _LONGEST_SHOWN
            and not re.search(r"\s", wish)
            and wish not in words
            and can_write(wish)
        )
        if each.kind == "term" or (
            is_fit and not any(overlap(wish, other) for other in shown.values())
        ):
            shown[each.piece] = wish
        else:
            shown[each.piece] = stand_in(taken, fits) or f"{{{len(taken)}}}"
            taken += shown[each.piece]
    return [
        replace(each, shown=shown[each.piece]) if isinstance(each, _Shown) else each
        for each in elements
    ]


def stand_in(taken: str, can_write: Callable[[str], bool]) -> str | None:
    """A short text that is not taken, the first in braces that the model can write.

    None if it can write none.
    """
    free = (
        new for form in _STAND_INS for n in range(1, 100) if (new := form.format(n)) not in taken
    )
    return next(filter(can_write, free), None)


def overlap(one: str, other: str) -> bool:
    """Whether a text could hold both in fewer characters than the two have."""
    if one in other or other in one:
        return True
    sizes = range(1, min(len(one), len(other)))
    return any(one[-size:] == other[:size] or other[-size:] == one[:size] for size in sizes)


def _assembled(
    elements: Sequence[_Element],
    raws: Sequence[str],
    source: Marked,
    entities: dict[str, str],
) -> Protected:
    text, run = "", list[Piece]()
    found, gaps, parts = list[Placeholder](), list[Spacing](), list[tuple[Span, Span]]()
    edges = accumulate(map(len, raws), initial=0)
    for each, written in zip([*elements, None], [*pairwise(edges), (0, 0)], strict=True):
        if isinstance(each, Code) or (isinstance(each, str) and each.isspace()):
            run.append(each)
            continue
        following = "" if each is None else each.shown if isinstance(each, _Shown) else each
        joint = _joint(run, text, following)
        glue = "" if joint or run else _glue(text, each, following, found)
        if glue and found and found[-1].end == len(text):
            found[-1] = replace(found[-1], is_glued=(found[-1].is_glued[0], True))
        if each is None or not text or any(isinstance(piece, Code) for piece in run):
            gaps.append(Spacing(len(text), len(joint), tuple(run)))
        run = []
        joint += glue
        start = len(text) + len(joint)
        text += joint + following
        parts += [] if each is None else [(written, (start, len(text)))]
        if isinstance(each, _Shown):
            found.append(
                Placeholder(
                    start,
                    len(text),
                    each.piece,
                    each.kind,
                    each.keeps_its_order,
                    True,
                    (bool(glue), False),
                    KIND[each.kind].is_exact or each.shown != each.piece,
                )
            )
    free = {
        text[each.start : each.end] for each in found if touches_word(text, each.start, each.end)
    }
    marked = tuple(
        replace(each, whole_word=text[each.start : each.end] not in free) for each in found
    )
    bare = "".join(piece for piece in source.pieces if isinstance(piece, str))
    for raw in entities.values():
        bare = bare.replace(raw, "")
    kept = tuple((meant, raw) for meant, raw in entities.items() if meant not in bare)
    return Protected(text, source, marked, tuple(gaps), kept, parts=tuple(parts))


def _glue(before: str, each: _Element | None, after: str, found: Sequence[Placeholder]) -> str:
    """A space between a placeholder and a word that stands right beside it.

    A model knows `files`, and not `%dfiles`.
    """
    is_beside = bool(found) and found[-1].end == len(before)
    first, last = isinstance(each, _Shown), is_beside
    if not before or not after or first == last:
        return ""
    joins = _is_letter(before[-1]) if first else _is_letter(after[0])
    kind = KIND[each.kind if isinstance(each, _Shown) else found[-1].kind]
    return " " if joins and kind.is_exact and kind.shown != "character" else ""


def _is_letter(character: str) -> bool:
    return character.isalpha() and is_of_a_word(character)


def _joint(run: Sequence[Piece], before: str, after: str) -> str:
    """What stands in the text for white space and codes between two words."""
    if not before or not after:
        return ""
    spaces = [piece for piece in run if isinstance(piece, str)]
    codes = [piece for piece in run if isinstance(piece, Code)]
    if not codes:
        return "".join(spaces)
    if any(map(is_layout, spaces)):
        return "".join(spaces)
    if written := next((_MEANT[code.raw] for code in codes if code.raw in _MEANT), None):
        return written
    if spaces:
        return spaces[0]
    is_parting = any(code.role == "alone" for code in codes) and is_of_a_word(after[0])
    if is_parting and (before[-1].isalnum() or before[-1] in ".,;:!?"):
        return " "
    return " " if _letters_at_end(before) >= _WORD and _letters_at_end(after[::-1]) >= _WORD else ""


def _letters_at_end(text: str) -> int:
    """How many letters of one word a text ends with, as far as that matters."""
    return sum(1 for _ in takewhile(_is_letter, reversed(text[-_WORD:])))


def touches_word(text: str, start: int, end: int) -> bool:
    """Whether a letter stands right beside a stretch that begins or ends in one."""
    begins = start > 0 and is_of_a_word(text[start]) and is_of_a_word(text[start - 1])
    return begins or (end < len(text) and is_of_a_word(text[end - 1]) and is_of_a_word(text[end]))
