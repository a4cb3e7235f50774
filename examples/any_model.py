"""Any model: a numpy GRU that nobody here wrote, wrapped in three verbs, and constrained.

e2k (`pip install e2k`) spells English words in katakana with an attentional encoder-decoder in
plain numpy, one word at a time. gridbeam asks no more of it than the next token's scores.
"""

from __future__ import annotations

import numpy as np
import torch
from e2k import C2K

import gridbeam
from gridbeam import AnyOf, Avoid


class Katakana:
    """e2k's character model.

    A source is an English word, a state one (memory, hidden, hidden) for each row.
    """

    def __init__(self) -> None:
        self.e2k = C2K()
        self.net = self.e2k.s2s
        self.vocab_size, self.bos, self.eos = (
            len(self.net.out_table),
            self.net.sos_idx,
            self.net.eos_idx,
        )

    def start(self, sources):
        return [(self._memory(word), None, None) for word in sources]

    def step(self, state, tokens):
        rows, after = [], []
        for (memory, h1, h2), token in zip(state, tokens.tolist(), strict=True):
            out, h1 = self.net.pre_decoder.forward(self.net.k_emb.forward(np.array([token])), h1)
            out = np.concatenate([out, self.net.attn.forward(out, memory)], axis=-1)
            out, h2 = self.net.post_decoder.forward(out, h2)
            rows.append(torch.from_numpy(self.net.fc.forward(out)[0]))
            after.append((memory, h1, h2))
        return torch.stack(rows).log_softmax(1), after

    def select(self, state, rows):
        return [state[row] for row in rows.tolist()]

    def encode(self, text):
        return [self.net.out_table.index(kana) for kana in text]

    def decode(self, tokens):
        return "".join(self.net.out_table[token] for token in tokens if token != self.eos)

    def _memory(self, word):
        ids = [self.e2k.in_table[c] for c in word.lower() if c in self.e2k.in_table]
        source = self.net.e_emb.forward(np.array([self.bos, *ids, self.eos]))
        both = [self.net.encoder.forward(source)[0], self.net.encoder_reverse.forward(source)[0]]
        return self.net.attn.memory(
            np.tanh(self.net.encoder_fc.forward(np.concatenate(both, axis=-1)))
        )


if __name__ == "__main__":
    model = Katakana()
    words = ["gridbeam", "gridbeam", "vector", "vector", "violin"]
    wishes = [[], ["ビーム"], [], ["ヴェ"], [AnyOf("ヴァ", "バ"), Avoid("ー")]]
    for word, wish, [best] in zip(
        words,
        wishes,
        gridbeam.search(model, words, wishes, encode=model.encode, max_length=20),
        strict=True,
    ):
        print(
            f"{word:10} {model.decode(best.tokens):12} {best.score:6.2f}  "
            + ", ".join(map(repr, wish))
        )
