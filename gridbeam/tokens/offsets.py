"""From tokens to characters: the span of text that each token writes, and of a phrase."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

from gridbeam.constraints.occurrences import Span, Spans
from gridbeam.constraints.terms import Case, Constraint, Phrase
from gridbeam.constraints.walk import phrases
from gridbeam.text.letters import UNSPACED_CLASS, is_of_a_word
from gridbeam.tokens.lattice import Letters
from gridbeam.tokens.vocabulary import Vocabulary

_PARTS_WORDS = re.compile(rf"[\s{UNSPACED_CLASS}]")
"""A character that a word need not go on beside: white space, and what is written without."""


def read(tokenizer: Any, tokens: Sequence[int]) -> str:
    """The text of these tokens."""
    text: str = tokenizer.decode(
        list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False
    )
    return text.strip()


def stretches(
    tokenizer: Any, vocabulary: Vocabulary, tokens: Sequence[int], text: str
) -> list[Span]:
    """For each token the characters of `text` that it writes, its space included.

    None where it has no text. Tokens that are bytes of one character have that character in common.
    """
    pieces = [vocabulary.piece(token) or b"" for token in tokens]
    try:
        written = b"".join(pieces).decode("utf8")
    except UnicodeDecodeError:
        return _by_decoding(tokenizer, tokens, text)
    if written.strip() != text:
        return _by_decoding(tokenizer, tokens, text)
    before = written.find(text)
    of_byte = [
        number - before for number, letter in enumerate(written) for _ in letter.encode("utf8")
    ]
    places = pairwise(accumulate(map(len, pieces), initial=0))
    found = (
        (of_byte[a], of_byte[b - 1] + 1) if b > a else (of_byte[a - 1] + 1 if a else 0,) * 2
        for a, b in places
    )
    return [(_within(text, start), _within(text, end)) for start, end in found]


def in_characters(
    text: str, of_token: Sequence[Span], spans: Spans, term: Constraint, case: Case
) -> Spans:
    """Stretches of tokens that meet a term as stretches of the text."""
    return tuple(
        _narrowed(text, (of_token[start][0], of_token[end - 1][1]), term, case)
        for start, end in spans
    )


def tokens_of_words(
    tokenizer: Any, vocabulary: Vocabulary, tokens: Sequence[int], text: str, span: Span
) -> Span | None:
    """The tokens that write the words of a stretch of `text`, each as a whole.

    A word begins behind white space. Signs at the end of the last one are left out where they have
    tokens of their own. `text` is what the tokens end with, and nothing but tokens without text may
    follow; None where the tokenizer reads something else, as one that changes letters does.
    """
    shown = read(tokenizer, tokens)
    if not shown.endswith(text):
        return None
    begin, end = (place + len(shown) - len(text) for place in span)
    of_token = stretches(tokenizer, vocabulary, tokens, shown)
    inside = [n for n, (a, b) in enumerate(of_token) if max(a, begin) < min(b, end)]
    if not inside:
        return None
    first, last, after = inside[0], inside[-1], inside[-1] + 1
    while first > 0 and _goes_on(shown, of_token[first - 1], of_token[first]):
        first -= 1
    special = set(tokenizer.all_special_ids)
    while first > 0 and _is_empty(of_token[first - 1]) and tokens[first - 1] not in special:
        first -= 1  # the space before the first word of a text, which reads as nothing
    while after < len(tokens) and _goes_on(shown, of_token[after - 1], of_token[after]):
        after += 1
    while after - 1 > last and not any(map(is_of_a_word, shown[slice(*of_token[after - 1])])):
        after -= 1
    return first, after


def _is_empty(span: Span) -> bool:
    return span[0] == span[1]


def _goes_on(text: str, before: Span, token: Span) -> bool:
    """Whether a token goes on with the word of the one before it, or brings the word to a space."""
    place = token[0]
    if place == 0 or token[0] == token[1] or before[0] == before[1]:
        return False
    if place < before[1] or text[slice(*before)].isspace():
        return True
    return not any(map(_PARTS_WORDS.match, text[place - 1 : place + 1]))


def _narrowed(text: str, stretch: Span, term: Constraint, case: Case) -> Span:
    """The span of a term's phrase within tokens that meet it.

    Tokens may hold more beside it: spaces, or the rest of a word.
    """
    start, end = stretch
    shown = text[start:end]
    found = [match.span() for form in _forms(term, case) for match in re.finditer(form, shown)]
    trimmed = len(shown) - len(shown.lstrip()), len(shown.rstrip())
    first, last = max(found, key=lambda span: (span[1] - span[0], -span[0]), default=trimmed)
    return start + first, start + last


def _forms(term: Constraint, case: Case) -> Iterator[str]:
    """The texts that meet a term, as regular expressions."""
    for phrase in phrases(term):
        if isinstance(phrase, Phrase) and isinstance(phrase.content, str):
            for form in (phrase.content, *phrase.inflect):
                match phrase.case or case:
                    case "exact":
                        yield re.escape(form)
                    case "sentence":
                        first, rest = form[0], form[1:]
                        yield f"(?:{re.escape(first)}|{re.escape(first.upper())}){re.escape(rest)}"
                    case "any":
                        letters = Letters.of(form, any_case=True).letters
                        yield "".join(
                            f"(?:{'|'.join(re.escape(each.decode()) for each in letter)})"
                            for letter in letters
                        )


def _by_decoding(tokenizer: Any, tokens: Sequence[int], text: str) -> list[Span]:
    """The same by decoding ever longer beginnings, for tokens that are not just concatenated."""
    ends = [0]
    for size in range(1, len(tokens) + 1):
        begun = read(tokenizer, tokens[:size])
        ends.append(max(ends[-1], _shared(begun, text)))
    ends[-1] = len(text)
    return list(pairwise(ends))


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def _within(text: str, place: int) -> int:
    return min(max(place, 0), len(text))
