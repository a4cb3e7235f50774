"""A text with words put in, or taken out, and nothing else changed: spaces and capitals fit."""

from __future__ import annotations

from gridbeam.editing.stretch import Stretch, is_within_word, whole_words
from gridbeam.text.letters import is_of_a_word
from gridbeam.text.words import begins_sentence, capitalised

_OPENING = frozenset("([{„“‚«‹¿¡\"'")


def put_in(text: str, where: Stretch, said: str) -> tuple[str, Stretch]:
    """The text with words in place of a stretch, and where they stand now.

    What is put between two words has spaces around it; before a mark there is none.

    >>> put_in("Das Haus.", Stretch(8, 8), "hier")
    ('Das Haus hier.', Stretch(start=9, end=13))
    """
    left, right = text[: where.start], text[where.end :]
    is_new = where.size == 0
    before = " " if is_new and left and _wants_space(left[-1], said[0]) else ""
    after = " " if is_new and right and _wants_space(said[-1], right[0]) else ""
    start = len(left) + len(before)
    return left + before + said + after + right, Stretch(start, start + len(said))


def take_out(text: str, where: Stretch) -> tuple[str, Stretch]:
    """The text without a stretch, and the place where it stood.

    >>> take_out("Das alte Haus.", Stretch(4, 8))
    ('Das Haus.', Stretch(start=3, end=4))
    >>> take_out("Und dann kam er.", Stretch(0, 3))
    ('Dann kam er.', Stretch(start=0, end=0))
    """
    left, right = text[: where.start].rstrip(), text[where.end :]
    if left and right and not right[0].isspace() and text[where.start - 1].isspace():
        right = " " * _wants_space(left[-1], right[0]) + right
    if not left:
        right = right.lstrip()
        right = capitalised(right) if begins_sentence(text, where.start) else right
    space = len(right) - len(right.lstrip()) if left else 0
    return left + right, Stretch(len(left), len(left) + space)


def as_whole_words(text: str, where: Stretch, said: str) -> tuple[Stretch, str]:
    """The stretch grown to whole words, and what is to stand there then.

    >>> as_whole_words("Das Haus.", Stretch(5, 6), "ä")
    (Stretch(start=4, end=8), 'Häus')
    """
    said = said.strip()
    if where.start == where.end and not is_within_word(text, where.start):
        return where, said
    grown = whole_words(text, where)
    inner = Stretch(max(where.start, grown.start), min(where.end, grown.end))
    return grown, text[grown.start : inner.start] + said + text[inner.end : grown.end]


def _wants_space(before: str, after: str) -> bool:
    """Whether a space belongs between two characters that have none."""
    if before.isspace() or after.isspace() or before in _OPENING:
        return False
    return is_of_a_word(after) or after in _OPENING
