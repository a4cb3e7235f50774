"""Small models with nothing to download: for tests, teaching and the documentation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import torch
from jaxtyping import Float, Int
from torch import Tensor

from gridbeam.errors import UserError


class Bigram:
    """A table of log-probabilities of each token after each other.

    A source is a list of token ids that it makes likelier.
    """

    def __init__(
        self,
        logits: Float[Tensor, "vocab vocab"],
        *,
        bos: int = 0,
        eos: int = 1,
        attention: float = 1.0,
    ) -> None:
        self.vocab_size = len(logits)
        self.bos, self.eos = bos, eos
        self._logits, self._attention = logits, attention

    def start(self, sources: Sequence[Sequence[int]]) -> Float[Tensor, "row vocab"]:
        """What each source adds to the logits."""
        return torch.stack([self._bonus(source) for source in sources])

    def step(
        self, state: Float[Tensor, "row vocab"], tokens: Int[Tensor, "row"]
    ) -> tuple[Float[Tensor, "row vocab"], Float[Tensor, "row vocab"]]:
        """The row of the table that belongs to each last token, with the source's bonus."""
        return torch.log_softmax(self._logits[tokens] + state, -1), state

    def select(
        self, state: Float[Tensor, "row vocab"], rows: Int[Tensor, "new_row"]
    ) -> Float[Tensor, "new_row vocab"]:
        """The bonuses of these rows."""
        return state[rows]

    def _bonus(self, source: Sequence[int]) -> Float[Tensor, "vocab"]:
        bonus = torch.zeros(self.vocab_size)
        bonus[list(source)] = self._attention
        return bonus


class Words:
    """A vocabulary of words, as text splits at spaces.

    A word it does not know is an error that names it.

    >>> words = Words(["das Haus", "das Boot"])
    >>> words.encode("das Boot"), words.decode([2, 4, 1])
    ([2, 4], 'das Boot')
    """

    bos, eos = 0, 1

    def __init__(self, sentences: Sequence[str]) -> None:
        self.words = list(
            dict.fromkeys(
                ["<s>", "</s>", *(word for sentence in sentences for word in sentence.split())]
            )
        )
        self._ids = {word: number for number, word in enumerate(self.words)}

    def encode(self, text: str) -> list[int]:
        """The id of each word."""
        unknown = [word for word in text.split() if word not in self._ids]
        if unknown:
            raise UserError(
                f'"{unknown[0]}" in "{text}" is not one of the {len(self.words)} words of this'
                " vocabulary"
            )
        return [self._ids[word] for word in text.split()]

    def decode(self, tokens: Sequence[int]) -> str:
        """The words of these ids, without the marks of beginning and end."""
        return " ".join(self.words[token] for token in tokens if token not in (self.bos, self.eos))


def bigram_of(
    sentences: Sequence[str], words: Words, *, smoothing: float = 0.3, attention: float = 1.0
) -> Bigram:
    """A bigram model counted from sentences.

    Each word also follows each other `smoothing` times, shared out by how often it occurs at all.
    """
    size = len(words.words)
    pairs: Counter[tuple[int, int]] = Counter()
    for sentence in sentences:
        tokens = [words.bos, *words.encode(sentence), words.eos]
        pairs.update(pairwise(tokens))
    counts = torch.zeros(size, size)
    for (before, after), count in pairs.items():
        counts[before, after] = count
    often = counts.sum(0) + 1e-3
    often[words.bos] = 0.0
    counts += smoothing * often / often.sum()
    return Bigram(
        torch.log(counts / counts.sum(1, keepdim=True)),
        bos=words.bos,
        eos=words.eos,
        attention=attention,
    )
