"""A translation with everything put back that `gridbeam.markup.protect` hid from the model.

>>> from gridbeam.markup.protect import protect
>>> protected = protect("Open <b>{file}</b> at https://example.org/help.")
>>> print(restore("Auf {1} die {file} öffnen.", protected))
Auf https://example.org/help die <b>{file}</b> öffnen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from gridbeam.constraints.occurrences import Span, Spans
from gridbeam.errors import UserError
from gridbeam.markup.inline import Code, Marked, Piece, partners, stretch_among
from gridbeam.markup.placeholders import is_language, placeholders
from gridbeam.markup.projection import Anchor, CodeStop, project
from gridbeam.markup.protect import (
    JOINT,
    Placeholder,
    Protected,
    Spacing,
    as_pieces,
    touches_word,
)
from gridbeam.text.layout import LAYOUT, is_layout
from gridbeam.text.letters import letter, whole
from gridbeam.text.words import spans, words


@dataclass(frozen=True)
class Restored:
    """A translation with everything put back, and where its words have gone."""

    text: Marked
    moves: tuple[tuple[Span, Span], ...]
    """For each word and placeholder its characters in the translation, and in `text` as it is
    written."""

    def place(self, span: Span) -> Span | None:
        """Where a stretch of the translation is written, with what was put back within it.

        None where none of it is written.

        >>> from gridbeam.markup.protect import protect
        >>> restored = restored_text("Die Datei löschen.", protect("Delete the <b>file</b>."))
        >>> print(restored.text)
        Die Datei <b>löschen</b>.
        >>> restored.place((4, 9)), restored.place((4, 17))
        ((4, 9), (4, 20))
        """
        return stretch_among(self.moves, span)


def restore(translated: str, protected: Protected, anchors: Iterable[Anchor] = ()) -> Marked:
    """The translation with everything put back: placeholders, and tags around their words.

    Each placeholder is there as often as in the source. `anchors` are stretches of `protected.text`
    and those of the translation that say them, such as terms of a glossary: tags around the one go
    around the other (`gridbeam.markup.projection`). Placeholders are anchors as they are. Copies
    too many are taken out. Raises where one is missing: a translation that meets `constraints_of`
    has them all.

    >>> from gridbeam.markup.protect import protect
    >>> protected = protect("Delete the <b>file</b>.")
    >>> print(restore("Die Datei löschen.", protected))
    Die Datei <b>löschen</b>.
    >>> print(restore("Die Datei löschen.", protected, [Anchor((11, 15), (4, 9))]))
    Die <b>Datei</b> löschen.
    """
    return restored_text(translated, protected, anchors).text


def restored_text(
    translated: str, protected: Protected, anchors: Iterable[Anchor] = ()
) -> Restored:
    """What `restore` makes of a translation, and where each of its words is in it."""
    text = translated.strip()
    begin = translated.index(text)
    if text == protected.text or not protected.text:
        moves = ((_shifted(shown, begin), written) for written, shown in protected.parts)
        return Restored(protected.source, tuple(moves))
    kept, wanted = _kept(text, protected), _counts(protected.source, protected)
    given = [
        replace(each, target=(each.target[0] - begin, each.target[1] - begin)) for each in anchors
    ]
    removed: list[Spans] = []
    while surplus := _surplus(text, kept, protected):
        spaced = _with_spaces(text, surplus)
        removed.append(spaced)
        text, kept, given = _without(text, spaced, kept, given)
    for separated in (False, True):
        restored = _joined(text, kept, given, protected, separated)
        if _counts(restored.text, protected) == wanted:
            moves = ((_before(span, removed, begin), there) for span, there in restored.moves)
            return Restored(restored.text, tuple(moves))
    raise UserError(
        f'"{translated}": the placeholders of "{protected.source}" run together in it. Translate'
        " this one by hand."
    )


def repairs(translated: str, protected: Protected) -> list[str]:
    """What `restore` takes out of this translation, so that no placeholder occurs too often."""
    text = translated.strip()
    return [text[start:end] for start, end in _surplus(text, _kept(text, protected), protected)]


_Occurrence = tuple[int, int, Placeholder]


def _kept(text: str, protected: Protected) -> list[_Occurrence]:
    """Where in a translation each placeholder stands, from left to right.

    Of several copies those nearest to its place.
    """
    due: dict[str, list[Placeholder]] = {}
    for each in protected.placeholders:
        if each.must_be_exact:
            due.setdefault(protected.text[each.start : each.end], []).append(each)
    if not due:
        return []
    occurrences: dict[str, list[tuple[int, int]]] = {shown: [] for shown in due}
    for match in re.finditer("|".join(map(re.escape, sorted(due, key=len, reverse=True))), text):
        if not (due[match[0]][0].whole_word and touches_word(text, *match.span())):
            occurrences[match[0]].append(match.span())
    kept = _kept_in_order(due, occurrences, text)
    for shown, wanted in due.items():
        if not wanted[0].keeps_its_order:
            spans = _nearest(
                occurrences[shown], [each.start / len(protected.text) for each in wanted], len(text)
            )
            _complain_if_missing(shown, len(spans), len(wanted), text)
            kept += [(*span, each) for span, each in zip(spans, wanted, strict=True)]
    return sorted(kept, key=lambda each: each[:2])


def _kept_in_order(
    due: dict[str, list[Placeholder]], occurrences: dict[str, list[tuple[int, int]]], text: str
) -> list[_Occurrence]:
    """The first occurrences, one after another, of placeholders that must keep their order."""
    sequence = sorted(
        (
            (each, shown)
            for shown, several in due.items()
            for each in several
            if each.keeps_its_order
        ),
        key=lambda pair: pair[0].start,
    )
    kept, done = list[_Occurrence](), 0
    for each, shown in sequence:
        span = next((span for span in occurrences[shown] if span[0] >= done), None)
        if span is None:
            _complain_if_missing(shown, len(occurrences[shown]), len(due[shown]), text)
            raise UserError(
                f'"{text}": "{shown}" has changed places with another placeholder. {_REMEDY}'
            )
        kept.append((*span, each))
        done = span[1]
    return kept


_REMEDY = "Translate with the constraints of gridbeam.markup.protect.constraints_of."


def _complain_if_missing(shown: str, found: int, wanted: int, text: str) -> None:
    if found < wanted:
        raise UserError(
            f'"{text}": "{shown}" occurs {found} times in the translation, {wanted} in the source.'
            f" {_REMEDY}"
        )


def _nearest(
    spans: Sequence[tuple[int, int]], shares: Sequence[float], size: int
) -> list[tuple[int, int]]:
    """As many of the spans as there are shares, without those that lie farthest from any."""
    left = list(spans)
    while len(left) > len(shares):
        left.remove(
            max(left, key=lambda span: min(abs(span[0] / size - share) for share in shares))
        )
    return left


def _surplus(text: str, kept: Sequence[_Occurrence], protected: Protected) -> list[tuple[int, int]]:
    """What is a placeholder in the source's own syntax, and not one that is kept."""
    kinds = protected.kinds
    if not kinds and not kept:
        return []
    shown = {
        protected.text[each.start : each.end]
        for each in protected.placeholders
        if each.must_be_exact
    }
    copies = [match.span() for part in shown for match in re.finditer(re.escape(part), text)]
    # What stands beside one that is kept is also looked at without it: "%s" is none in "7%s", and
    # is one in "{0}%s".
    spans = [(start, end) for start, end, _ in kept]
    between = [(end, start) for (_, end), (start, _) in pairwise([(0, 0), *spans, (len(text), 0)])]
    others = [
        (start + found.start, start + found.end)
        for start, end in {(0, len(text)), *between}
        for found in placeholders(text[start:end], own=protected.own)
        if found.kind in kinds
    ]
    surplus: list[tuple[int, int]] = []
    for start, end in sorted({*copies, *others}):
        if all(end <= a or b <= start for a, b in spans) and (
            not surplus or surplus[-1][1] <= start
        ):
            surplus.append((start, end))
    return surplus


def _shifted(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


def _before(span: Span, rounds: Sequence[Spans], begin: int) -> Span:
    """Where a stretch stood before parts of its text were removed, and its first characters."""
    start, end = span
    for removed in reversed(rounds):
        for first, last in removed:
            start += last - first if first <= start else 0
            end += last - first if first < end else 0
    return _shifted((start, end), begin)


def _with_spaces(text: str, spans: Sequence[Span]) -> Spans:
    """The spans with a space beside each, so that none overlaps another."""
    removed = list[Span]()
    for start, end in (_with_space(text, *span) for span in spans):
        removed.append((max(start, removed[-1][1]) if removed else start, end))
    return tuple(removed)


def _without(
    text: str,
    removed: Spans,
    kept: Sequence[_Occurrence],
    anchors: Sequence[Anchor],
) -> tuple[str, list[_Occurrence], list[Anchor]]:
    """The text less these spans, and where all else stands in it then."""
    left = "".join(
        text[end:start] for (_, end), (start, _) in pairwise([(0, 0), *removed, (len(text), 0)])
    )

    def moved(place: int) -> int:
        return place - sum(min(end, place) - start for start, end in removed if start < place)

    there = [
        replace(each, target=(moved(each.target[0]), moved(each.target[1]))) for each in anchors
    ]
    return left, [(moved(start), moved(end), each) for start, end, each in kept], there


def _with_space(text: str, start: int, end: int) -> tuple[int, int]:
    """The span, and a space beside it that would be one too many; layout stays."""
    before, after = len(text[:start].rstrip()), len(text) - len(text[end:].lstrip())
    is_set_apart = is_layout(text[before:start])
    if (end == len(text) or end < after) and not is_set_apart:
        return before, end
    goes_on = (is_set_apart or not start) and not is_layout(text[end:after])
    return start, after if goes_on else end


def _counts(marked: Marked, protected: Protected) -> tuple[Counter[str], Counter[Code]]:
    """How often each placeholder of the text occurs, and each code."""
    texts = [piece for piece in marked.pieces if isinstance(piece, str)] if protected.kinds else []
    found = (each for text in texts for each in placeholders(text, own=protected.own))
    raw = (each.raw for each in found if each.kind in protected.kinds and not is_language(each))
    return Counter(raw), Counter(marked.codes)


def _joined(
    text: str,
    kept: Sequence[_Occurrence],
    given: Sequence[Anchor],
    protected: Protected,
    separated: bool,
) -> Restored:
    """The text with pieces in place of placeholders, and codes between its words."""
    has_codes = any(gap.codes for gap in protected.gaps)
    anchors = _anchors(text, kept, given, protected) if has_codes else []
    edges = [edge for each in anchors for edge in each.target]
    words = _words(
        text, [(start, end) for start, end, _ in kept], [*_cuts(text, protected), *edges]
    )
    pieces_at = {start: placeholder.piece for start, _, placeholder in kept}
    glued = set(_glued(text, protected.text, kept))
    meant = dict(protected.entities)
    landed = _landed(text, words, protected, anchors)
    output: list[_Placed] = []
    done = 0
    for number, (start, end) in enumerate([*words, (len(text), len(text))]):
        space = "" if (done, start) in glued else text[done:start]
        gap = _gap_pieces(space, landed.get(number, []), protected.gaps, number, len(words))
        output += [(piece, None) for piece in gap]
        written = "".join(meant.get(letter, letter) for letter in text[start:end])
        parts = [(each, (start, end)) for each in as_pieces(pieces_at.get(start, written))]
        is_apart = separated and start in pieces_at
        output += [(_SEPARATOR, None), *parts, (_SEPARATOR, None)] if is_apart else parts
        done = end
    own = set(protected.source.codes)
    placed = _spaced([each for each in output if each[0]])
    pieces = (piece if isinstance(piece, str) or piece in own else piece.raw for piece, _ in placed)
    return Restored(Marked.of(pieces), tuple(_moves(placed)))


_Placed = tuple[Piece, Span | None]
"""A piece of a translation as it is written, and the stretch that it is written for."""


def _moves(placed: Sequence[_Placed]) -> Iterator[tuple[Span, Span]]:
    """For each stretch where it is written."""
    edges = pairwise(accumulate((len(str(piece)) for piece, _ in placed), initial=0))
    for (_, span), written in zip(placed, edges, strict=True):
        if span is not None and span[0] < span[1]:
            yield span, written


def _glued(text: str, source: str, kept: Sequence[_Occurrence]) -> Iterator[Span]:
    """The spaces between a placeholder and a word or another, where the source has none."""
    for (_, end, each), (start, _, following) in pairwise(kept):
        joint, written = source[each.end : following.start], text[end:start]
        if JOINT.fullmatch(joint) and written.split() == joint.split() and not is_layout(written):
            yield end, end + len(written) - len(written.lstrip())
            yield end + len(written.rstrip()), start
    for start, end, each in kept:
        before, after = len(text[:start].rstrip()), len(text) - len(text[end:].lstrip())
        for space, is_glued, beside in (
            ((before, start), each.is_glued[0], text[before - 1 : before]),
            ((end, after), each.is_glued[1], text[after : after + 1]),
        ):
            written = text[slice(*space)]
            if is_glued and written and beside.isalpha() and not is_layout(written):
                yield space


_SEPARATOR = Code(" ")


def _spaced(pieces: Sequence[_Placed]) -> list[_Placed]:
    """The pieces with a space for each separator that has none beside it."""
    spaced: list[_Placed] = []
    for place, (piece, span) in enumerate(pieces):
        if piece is not _SEPARATOR:
            spaced.append((piece, span))
        elif (
            spaced
            and not str(spaced[-1][0])[-1].isspace()
            and place + 1 < len(pieces)
            and not str(pieces[place + 1][0])[0].isspace()
        ):
            spaced.append((" ", None))
    return spaced


def _cuts(text: str, protected: Protected) -> list[int]:
    """Where a code stood within a word, in each copy of that word."""
    cuts: list[int] = []
    for gap in protected.gaps[1:-1]:
        before, after = (
            re.search(rf"(?:{letter()})*$", protected.text[: gap.at]),
            re.match(rf"(?:{letter()})*", protected.text[gap.at :]),
        )
        if not gap.size and before and after and before[0] and after[0]:
            copies = re.finditer(whole(re.escape(before[0] + after[0])), text)
            cuts += [match.start() + len(before[0]) for match in copies]
    return cuts


def _anchors(
    text: str, kept: Sequence[_Occurrence], given: Iterable[Anchor], protected: Protected
) -> list[Anchor]:
    """Placeholders, and the anchors given that say something and cut no placeholder, trimmed."""
    found = [Anchor((each.start, each.end), (start, end)) for start, end, each in kept]
    whole = [(each.start, each.end) for each in protected.placeholders if each.must_be_exact]
    for each in given:
        source = _trimmed(protected.text, each.source)
        strange = [
            other.target for other in found[: len(kept)] if not _overlap(other.source, source)
        ]
        target = _beside(text, _trimmed(text, each.target), strange)
        is_cutting = _cuts_any(source, whole) or _cuts_any(
            target, [(start, end) for start, end, _ in kept]
        )
        if source[0] < source[1] and target[0] < target[1] and not is_cutting:
            found.append(Anchor(source, target))
    return found


def _beside(text: str, span: tuple[int, int], strange: Sequence[Span]) -> tuple[int, int]:
    """A stretch of the text less what at its ends is not of it: placeholders from elsewhere.

    >>> _beside("um {1} den Ordner", (3, 17), [(3, 6)])
    (7, 17)
    """
    for first, last in sorted(strange):
        if first == span[0] and last <= span[1]:
            span = _trimmed(text, (last, span[1]))
    for first, last in sorted(strange, reverse=True):
        if last == span[1] and span[0] <= first:
            span = _trimmed(text, (span[0], first))
    return span


def _overlap(one: Span, other: Span) -> bool:
    return max(one[0], other[0]) < min(one[1], other[1])


def _trimmed(text: str, span: tuple[int, int]) -> tuple[int, int]:
    start, end = max(span[0], 0), min(span[1], len(text))
    return end - len(text[start:end].lstrip()), start + len(text[start:end].rstrip())


def _cuts_any(span: tuple[int, int], spans: Iterable[tuple[int, int]]) -> bool:
    """Whether a stretch begins or ends amid one of the others."""
    return any(start < edge < end for start, end in spans for edge in span)


def _words(
    text: str, whole: Sequence[tuple[int, int]], cuts: Iterable[int] = ()
) -> list[tuple[int, int]]:
    """The stretches of the text that are words; some are whole, and none goes across a cut."""
    edges = sorted({0, len(text), *cuts, *(edge for span in whole for edge in span)})
    starts = {start for start, _ in whole}
    found: list[tuple[int, int]] = []
    for start, end in pairwise(edges):
        part = text[start:end]
        places = [(0, end - start)] if start in starts else spans(part, words(part))
        found += [(start + first, start + last) for first, last in places]
    return found


_Landed = tuple[int, Code]
"""The number of the gap that a code comes from, and the code."""


def _landed(
    text: str, words: Sequence[tuple[int, int]], protected: Protected, anchors: Sequence[Anchor]
) -> dict[int, list[_Landed]]:
    """The codes that stand before each word of the translation."""
    spans = [(each.start, each.end) for each in protected.placeholders if each.must_be_exact]
    cuts = [gap.at for gap in protected.gaps] + [edge for each in anchors for edge in each.source]
    source = _words(protected.text, spans, cuts)
    codes = [(number, code) for number, gap in enumerate(protected.gaps) for code in gap.codes]
    if not codes:
        return {}
    before = [sum(end <= gap.at for _, end in source) for gap in protected.gaps]
    pairs = partners([code for _, code in codes])
    stops = [
        CodeStop(before[gap], code.role, pairs.get(number))
        for number, (gap, code) in enumerate(codes)
    ]
    breaks = list(zip(_layout(protected.text, source), _layout(text, words), strict=False))
    if LAYOUT.findall(protected.text) != LAYOUT.findall(text):
        breaks = []
    landed: dict[int, list[_Landed]] = {}
    known = [
        Anchor(_in_words(each.source, source), _in_words(each.target, words)) for each in anchors
    ]
    for place, number in project(
        _texts(protected.text, source), _texts(text, words), stops, breaks, known
    ):
        landed.setdefault(place, []).append(codes[number])
    return landed


def _layout(text: str, words: Sequence[tuple[int, int]]) -> list[int]:
    """How many words stand before each line break, tab and so on."""
    return [sum(end <= match.start() for _, end in words) for match in LAYOUT.finditer(text)]


def _in_words(span: tuple[int, int], words: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """A stretch of a text as numbers of words: the first, and the one after the last."""
    return sum(end <= span[0] for _, end in words), sum(start < span[1] for start, _ in words)


def _texts(text: str, words: Sequence[tuple[int, int]]) -> list[str]:
    return [text[start:end] for start, end in words]


def _gap_pieces(
    space: str, landed: Sequence[_Landed], gaps: Sequence[Spacing], number: int, words: int
) -> list[Piece]:
    """Codes and white space between two words of the translation, spaced as in the source."""
    if number == 0:
        return _at_an_end(0, gaps[0], landed, is_first=True)
    if number == words:
        return _at_an_end(len(gaps) - 1, gaps[-1], landed, is_first=False)
    codes = [code for _, code in landed]
    if not codes or not space:
        return [*codes, *([space] if space else [])]
    sources = {gap for gap, _ in landed}
    if len(sources) == 1 and gaps[min(sources)].codes == codes:
        gap = gaps[min(sources)]
        spaces = [piece for piece in gap.pieces if isinstance(piece, str)]
        if spaces:
            return [
                space if isinstance(piece, str) and len(spaces) == 1 else piece
                for piece in gap.pieces
            ]
        if gap.size and all(code.role == "alone" for code in codes):
            return list(codes)  # they were all that stood between the words
    closing = next((place for place, code in enumerate(codes) if code.role != "closes"), len(codes))
    return [*codes[:closing], space, *codes[closing:]]


def _at_an_end(
    number: int, gap: Spacing, landed: Sequence[_Landed], *, is_first: bool
) -> list[Piece]:
    """The codes at an end of the text, in order, with its white space among those that stayed.

    What has come from elsewhere stands between the text and the white space.
    """
    stayed = Counter(code for source, code in landed if source == number)
    left = [piece for piece in gap.pieces if isinstance(piece, str) or stayed[piece]]
    pieces: list[Piece] = []
    for source, code in landed:
        while left and isinstance(left[0], str) and (is_first or source == number):
            pieces.append(left.pop(0))
        if source == number:
            left.remove(code)
        pieces.append(code)
    return [*pieces, *(piece for piece in left if isinstance(piece, str))]
