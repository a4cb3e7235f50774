"""A causal model that answers a chat with what it must say, and shows where it says it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

import torch

from gridbeam.constraints.occurrences import Spans
from gridbeam.constraints.terms import Constraint, Constraints, as_constraints
from gridbeam.decoding.hypothesis import Hypothesis
from gridbeam.decoding.options import SearchOptions
from gridbeam.decoding.reached import Reached
from gridbeam.decoding.search import search
from gridbeam.errors import UserError
from gridbeam.models import ends_of
from gridbeam.models.eightbit import quiet
from gridbeam.models.folders import reading
from gridbeam.models.huggingface.adapter import HuggingFace
from gridbeam.tokens.offsets import in_characters, read, stretches
from gridbeam.tokens.subwords import Subwords

CHAT = SearchOptions(beam=4, max_length=128, force_end=False, stop="likely")
"""How replies are searched for where nobody says otherwise."""


@dataclass(frozen=True)
class Reply:
    """What a model says, and where it says what it must."""

    text: str
    spans: tuple[Spans, ...]
    """For each constraint, in the order given, the characters that meet it; none for `Avoid`."""
    score: float
    size: int
    """How many tokens it has."""
    has_ended: bool
    """Whether the model has ended it; else it had no more room."""


@contextmanager
def without_bars() -> Iterator[None]:
    """Silences all progress bars of reading a model.

    For GGUF transformers asks tqdm itself for one, which no setting of transformers reaches.
    """
    from transformers import modeling_gguf_pytorch_utils

    gguf: Any = modeling_gguf_pytorch_utils
    shown = gguf.tqdm
    gguf.tqdm = partial(shown, disable=True)
    try:
        with quiet():
            yield
    finally:
        gguf.tqdm = shown


class ChatModel:
    """A causal model with its tokenizer, for one thread at a time."""

    def __init__(self, network: Any, tokenizer: Any) -> None:
        self._network = HuggingFace(network)
        self._tokenizer, self._subwords = tokenizer, Subwords(tokenizer)

    @classmethod
    def load(cls, name: str) -> Self:
        """The model of a folder, `hf:FOLDER` or a name on the hub; GGUF is read, too."""
        from transformers import AutoModelForCausalLM, AutoTokenizer

        where = name.removeprefix("hf:")
        own = sorted(Path(where).glob("*.gguf")) if Path(where).is_dir() else []
        kind = {"gguf_file": own[0].name} if own else {}
        with reading(where), without_bars():
            tokenizer = AutoTokenizer.from_pretrained(where, **kind)
            network: Any = AutoModelForCausalLM.from_pretrained(where, dtype=torch.float32, **kind)
        return cls(network.eval(), tokenizer)

    def chat(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        """The prompt of a chat: messages with `role` and `content`, by the model's own template."""
        if getattr(self._tokenizer, "chat_template", None) is None:
            raise UserError("this model has no template for chats: ask it to complete a text.")
        try:
            found = self._tokenizer.apply_chat_template(
                list(messages), add_generation_prompt=True, return_dict=True
            )
        except Exception as error:  # a template is a program that raises what it likes
            raise UserError(f"the model's template cannot write this chat: {error}") from None
        ids: list[int] = found["input_ids"]
        return ids

    def prompt(self, text: str) -> list[int]:
        """The prompt of a text to go on with."""
        ids: list[int] = self._tokenizer(text)["input_ids"]
        return ids or [self._network.bos]

    def replies(
        self,
        prompt: Sequence[int],
        constraints: Constraints = (),
        *,
        options: SearchOptions = CHAT,
        watch: Callable[[Reached], None] | None = None,
    ) -> list[Reply]:
        """The best replies, as many as the options ask for; `watch` sees the search go on."""
        terms = as_constraints(constraints)
        spelled = [self._spelled(term, prompt[-1]) for term in terms]
        (found,) = search(self._network, [list(prompt)], [spelled], options=options, watch=watch)
        return [self._reply(each, terms) for each in found]

    def chosen(self, prompt: Sequence[int], choices: Sequence[str]) -> list[Reply]:
        """The choices as whole replies, the likeliest first."""
        (end, *_) = ends_of(self._network)
        texts = [
            [*self._tokenizer(each, add_special_tokens=False).input_ids, end] for each in choices
        ]
        scores = [math.fsum(each) for each in self._log_probs(prompt, texts)]
        order = sorted(range(len(choices)), key=lambda number: -scores[number])
        return [
            Reply(choices[each], (), scores[each], len(texts[each]), has_ended=True)
            for each in order
        ]

    def _log_probs(
        self, prompt: Sequence[int], texts: Sequence[Sequence[int]]
    ) -> list[list[float]]:
        """The log-probability of each token of some texts after a prompt."""
        model, found = self._network, [list[float]() for _ in texts]
        state, last = model.start([list(prompt)] * len(texts)), [model.bos] * len(texts)
        for place in range(max(map(len, texts))):
            log_probs, state = model.step(state, torch.tensor(last))
            last = [text[min(place, len(text) - 1)] for text in texts]
            for number, text in enumerate(texts):
                if place < len(text):
                    found[number].append(float(log_probs[number, last[number]]))
        return found

    def _spelled(self, term: Constraint, last: int) -> Constraint:
        model = self._network
        return self._subwords.spelled(term, ends_of(model), model.vocab_size, last=last)

    def _reply(self, found: Hypothesis, terms: Sequence[Constraint]) -> Reply:
        text = read(self._tokenizer, found.tokens)
        of_token = stretches(self._tokenizer, self._subwords.vocabulary, found.tokens, text)
        spans = tuple(
            in_characters(text, of_token, spans, term, self._subwords.case)
            for term, spans in zip(terms, found.spans, strict=True)
        )
        return Reply(text, spans, found.score, len(found.tokens), found.finished)
