"""Without constraints the search is plain beam search, and equals the one of transformers."""

from __future__ import annotations

import pytest
import torch
import transformers

import gridbeam

VOCAB, EOS = 40, 2


class Rescored:
    """A Hugging Face model as a `Model`, the plain way: no cache, every prefix scored anew."""

    vocab_size, eos = VOCAB, EOS

    def __init__(self, model, bos):
        self.model, self.bos = model, bos

    def start(self, sources):
        return [(list(source), []) for source in sources]

    def step(self, state, tokens):
        after = [
            (source, [*prefix, token])
            for (source, prefix), token in zip(state, tokens.tolist(), strict=True)
        ]
        return torch.stack([self._last(*row) for row in after]).log_softmax(1), after

    def select(self, state, rows):
        return [state[row] for row in rows.tolist()]

    def _last(self, source, prefix):
        if self.model.config.is_encoder_decoder:
            inputs = {
                "input_ids": torch.tensor([source]),
                "decoder_input_ids": torch.tensor([prefix]),
            }
        else:
            inputs = {"input_ids": torch.tensor([source[:-1] + prefix])}
        return self.model(**inputs).logits[0, -1]


def marian():
    config = transformers.MarianConfig(
        vocab_size=VOCAB,
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=64,
        pad_token_id=0,
        eos_token_id=EOS,
        decoder_start_token_id=0,
        forced_eos_token_id=None,
        init_std=1.0,
    )
    return transformers.MarianMTModel(config).eval(), 0


def gpt2():
    config = transformers.GPT2Config(
        vocab_size=VOCAB,
        n_embd=16,
        n_layer=1,
        n_head=2,
        n_positions=64,
        bos_token_id=1,
        eos_token_id=EOS,
        initializer_range=0.6,
    )
    return transformers.GPT2LMHeadModel(config).eval(), 7


@pytest.mark.parametrize("family", [marian, gpt2])
@pytest.mark.parametrize("length_penalty", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("beams", [2, 5])
@pytest.mark.parametrize("seed", range(4))
def test_plain_beam_search_equals_that_of_transformers(family, length_penalty, beams, seed):
    torch.manual_seed(seed)
    model, bos = family()
    source = [5, 6, bos]
    theirs = model.generate(
        torch.tensor([source]),
        attention_mask=torch.ones(1, 3, dtype=torch.int64),
        num_beams=beams,
        num_return_sequences=2,
        do_sample=False,
        early_stopping="never",
        length_penalty=length_penalty,
        max_new_tokens=12,
        pad_token_id=0,
        eos_token_id=EOS,
        return_dict_in_generate=True,
        output_scores=True,
    )
    start = 1 if model.config.is_encoder_decoder else 3
    ours = gridbeam.search(
        Rescored(model, bos),
        [source],
        [[]],
        beam=beams,
        n_best=2,
        max_length=12,
        length_penalty=length_penalty,
        ended="set_aside",
        force_end=False,
    )[0]
    for hypothesis, row, score in zip(
        ours, theirs.sequences.tolist(), theirs.sequences_scores.tolist(), strict=True
    ):
        assert list(hypothesis.tokens) == row[start : start + len(hypothesis.tokens)]
        assert set(row[start + len(hypothesis.tokens) :]) <= {0, EOS}  # padding
        assert hypothesis.score == pytest.approx(score, abs=1e-4)
