"""Texts translated as segments of a file are: placeholders and tags kept, glossary terms said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gridbeam.constraints.notation import to_json
from gridbeam.constraints.terms import Constraint
from gridbeam.decoding.options import SearchOptions
from gridbeam.documents import Segment
from gridbeam.errors import Unsatisfiable, UserError
from gridbeam.files.instructions import Instructions
from gridbeam.files.outcome import Outcome
from gridbeam.files.segments import SegmentTranslator
from gridbeam.markup.blocks import MarkedUp, MarkupRules, marked_up
from gridbeam.markup.inline import as_marked
from gridbeam.translation.defaults import TRANSLATION
from gridbeam.translation.request import Request, Translation
from gridbeam.translation.translator import Translates

_NAME = Path("<text>")


@dataclass(frozen=True)
class DemandedText:
    """A text to translate, and what its translation must say."""

    text: str
    constraints: tuple[Constraint, ...] = ()


@dataclass(frozen=True)
class TextAnswer:
    """A translation, and what it was made without."""

    text: str
    unmet: tuple[Any, ...] = ()
    """The terms of a glossary, as JSON, that could not be said."""
    alternatives: tuple[str, ...] = ()


@dataclass(frozen=True)
class _TextInBlocks:
    """A text as it is translated, block by block."""

    wish: DemandedText
    whole: MarkedUp

    def segments(self) -> Iterator[Segment]:
        """What is to be translated: what must be said is for the longest, the rest for all."""
        blocks, wanted = self.whole.texts, self.wish.constraints
        main = max(blocks, key=lambda block: len(block.text), default=None)
        for block in blocks:
            own = [each for each in wanted if block is main or not each.role.must_occur]
            yield Segment(0, "text", block, _NAME, 1, constraints=tuple(own))

    def answer(self, outcomes: Sequence[Outcome], *, is_plain: bool) -> TextAnswer:
        """The translation; raises where it is without what the text asks for."""
        own = json.loads(to_json(self.wish.constraints))
        for outcome in outcomes:
            if outcome.text is None or any(each in own for each in outcome.dropped):
                raise Unsatisfiable(outcome.unmet)
        if not outcomes and any(each.role.must_occur for each in self.wish.constraints):
            raise Unsatisfiable("there are no words to translate, and so nothing can be required.")
        found = [outcome.text for outcome in outcomes if outcome.text is not None]
        whole = "".join(map(str, found)) if is_plain else self.whole.joined(found)
        others = outcomes[0].alternatives if is_plain and outcomes else ()
        dropped = tuple(term for outcome in outcomes for term in outcome.dropped)
        return TextAnswer(whole, dropped, tuple(other for other, _ in others))


def translations(
    translator: Translates,
    wishes: Sequence[DemandedText],
    instructions: Instructions,
    markup: MarkupRules | None = None,
) -> list[TextAnswer]:
    """The translation of each text, in their order; of all of them the sentences go together.

    A term of a glossary that cannot be said is left out, and told; what a text itself asks for is
    required, and raises where it cannot be met.
    """
    texts = [_in_blocks(wish, markup) for wish in wishes]
    segments = [list(text.segments()) for text in texts]
    flat = [segment for each in segments for segment in each]
    numbered = [replace(segment, number=number) for number, segment in enumerate(flat)]
    found = dict(SegmentTranslator(translator, instructions).outcomes(numbered))
    waiting = iter([found[number] for number in range(len(numbered))])
    outcomes = [[next(waiting) for _ in each] for each in segments]
    return [
        text.answer(each, is_plain=markup is None)
        for text, each in zip(texts, outcomes, strict=True)
    ]


def _in_blocks(wish: DemandedText, markup: MarkupRules | None) -> _TextInBlocks:
    plain = MarkedUp((as_marked(wish.text),))
    return _TextInBlocks(wish, plain if markup is None else marked_up(wish.text, markup))


class Unsplit:
    """A translator that takes each text as one sentence."""

    def __init__(self, translator: Translates) -> None:
        self._translator = translator

    def __getattr__(self, name: str) -> Any:
        return getattr(self._translator, name)

    def translate(
        self, request: Request | str, *, options: SearchOptions = TRANSLATION
    ) -> Translation:
        """The translation of a text as one sentence."""
        return self._translator.translate(request, split=False, options=options)

    def translate_each(
        self,
        requests: Sequence[Request | str],
        *,
        batch_size: int = 16,
        options: SearchOptions = TRANSLATION,
    ) -> Iterator[tuple[int, Translation | UserError]]:
        """The translations of texts as one sentence each."""
        return self._translator.translate_each(
            requests, split=False, batch_size=batch_size, options=options
        )
