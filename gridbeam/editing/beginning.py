"""What a text begins with, in the tokens that the tokenizer itself writes it with."""

from __future__ import annotations

from collections.abc import Sequence

from gridbeam.translation.translator import Translates


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
