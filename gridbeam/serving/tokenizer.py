"""A tokenizer that many threads may use.

Those of transformers change while they are asked: one of Marian turns to its target language and
back, a fast one refuses to be asked twice at a time.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

from gridbeam.translation.translator import Translator

_TURN = threading.RLock()
"""One for all: several translators may share a tokenizer, and each answer takes no time."""


class SharedTokenizer:
    """A tokenizer that is asked by one thread at a time."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def __call__(self, *texts: Any, **how: Any) -> Any:
        """What the tokenizer makes of texts."""
        return _in_turn(self._tokenizer, *texts, **how)

    def __getattr__(self, name: str) -> Any:
        with _TURN:
            found = getattr(self._tokenizer, name)
        return partial(_in_turn, found) if callable(found) else found


def _in_turn(method: Any, *given: Any, **how: Any) -> Any:
    with _TURN:
        return method(*given, **how)


def with_shared_tokenizer(translator: Translator) -> Translator:
    """The same translator for many threads."""
    return Translator(
        translator.model,
        SharedTokenizer(translator.tokenizer),
        tag=translator.tag,
        source=translator.source,
        target=translator.target,
        positions=translator.positions,
        telling=translator.telling,
        case=translator.subwords.case,
        whole_word=translator.subwords.whole_word,
    )
