"""What a text must begin with, in the tokens that the tokenizer itself writes it with.

A phrase of text may be written in any of its spellings, and a search follows them all. Where a
beginning is given to the letter that is much work for nothing: all spellings read the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gridbeam.constraints.terms import Constraint, Gap, InOrder, Pattern, Phrase, Prefix
from gridbeam.editing.stretch import word_at
from gridbeam.translation.translator import Translates


def quickly(translator: Translates, way: Sequence[Constraint]) -> tuple[Constraint, ...]:
    """The same constraints, with what the text must begin with in tokens as far as may be."""
    return tuple(
        replace(term, pattern=_quick(translator, term.pattern))
        if isinstance(term, Prefix)
        else term
        for term in way
    )


def tokens_of(translator: Translates, text: str) -> list[int] | None:
    """The tokens that begin a text so; None where they read otherwise."""
    encoded = translator.tokenizer(text_target=text, add_special_tokens=False, verbose=False)
    tokens = list(encoded["input_ids"])
    return tokens if read(translator, tokens) == text else None


def read(translator: Translates, tokens: Sequence[int]) -> str:
    """What tokens say."""
    return str(
        translator.tokenizer.decode(
            list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
    ).strip()


def _quick(translator: Translates, pattern: Pattern) -> Pattern:
    """The same pattern, its first phrase in tokens up to its last word, which may go on."""
    first, *others = pattern.parts if isinstance(pattern, InOrder) else (pattern,)
    if not isinstance(first, Phrase) or not isinstance(first.content, str) or first.case != "exact":
        return pattern
    text = first.content
    last = word_at(text, len(text)).start
    begun = tokens_of(translator, text[:last].rstrip()) if text[:last].strip() else None
    if not begun:
        return pattern
    ending = Phrase(text[last:], case="exact", whole_word=first.whole_word)
    return InOrder(Phrase(begun), Gap(0, 0), ending, *others)
