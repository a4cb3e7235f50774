"""Tiny models told languages by tokens, in real folders: M2M100, NLLB, mBART and mBART-50."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import sentencepiece
import tiny
import torch
import transformers
from transformers.models.mbart.tokenization_mbart import FAIRSEQ_LANGUAGE_CODES as MBART
from transformers.models.mbart50.tokenization_mbart50 import FAIRSEQ_LANGUAGE_CODES as MBART50

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
GERMAN = {"m2m100": "de", "nllb": "deu_Latn", "mbart": "de_DE", "mbart50": "de_DE"}
FRENCH = {"m2m100": "fr", "nllb": "fra_Latn", "mbart": "fr_XX", "mbart50": "fr_XX"}


@cache
def folder(kind, *, seed=0):
    """The folder of a tiny model with random weights; do not write to it."""
    made = Path(mkdtemp(prefix=f"{kind}-"))
    tokenizer = _TOKENIZERS[kind](made)
    tokenizer.save_pretrained(made)
    is_bart = kind.startswith("mbart")
    config = transformers.MBartConfig if is_bart else transformers.M2M100Config
    model = (
        transformers.MBartForConditionalGeneration
        if is_bart
        else transformers.M2M100ForConditionalGeneration
    )
    torch.manual_seed(seed)
    start = tokenizer.convert_tokens_to_ids("ro_RO") if kind == "mbart" else tokenizer.eos_token_id
    model(
        _sized(
            config, 1 + max([*tokenizer.get_vocab().values(), *ids_of_languages(tokenizer)]), start
        )
    ).eval().save_pretrained(made)
    return made


def ids_of_languages(tokenizer):
    """The tokens of all languages, which only some tokenizers list."""
    codes = [token for token in tokenizer.all_special_tokens if "_" in token]
    return list(
        getattr(tokenizer, "lang_code_to_id", {}).values()
    ) or tokenizer.convert_tokens_to_ids(codes)


def _sized(config, vocab_size, start):
    sizes = {
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_attention_heads": 2,
        "decoder_attention_heads": 2,
    }
    sizes |= {
        "d_model": 16,
        "encoder_ffn_dim": 32,
        "decoder_ffn_dim": 32,
        "max_position_embeddings": 64,
        "init_std": 0.6,
    }
    special = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "forced_eos_token_id": None}
    return config(
        vocab_size=vocab_size, dropout=0.0, decoder_start_token_id=start, **sizes, **special
    )


def _pieces(made):
    """The pieces of a SentencePiece model that is left in the folder, with their scores."""
    tiny.tokenizer_files(made, ("de",))
    for name in ("target.spm", "vocab.json", "tokenizer_config.json"):
        (made / name).unlink()
    trained = (made / "source.spm").rename(made / "sentencepiece.bpe.model")
    spm = sentencepiece.SentencePieceProcessor(model_file=str(trained))
    return [
        (spm.id_to_piece(n), spm.get_score(n))
        for n in range(3, spm.get_piece_size())
        if not spm.is_byte(n)
    ]


def _m2m100(made):
    vocabulary = {
        piece: number
        for number, piece in enumerate([*SPECIAL, *(piece for piece, _ in _pieces(made))])
    }
    (made / "vocab.json").write_text(json.dumps(vocabulary))
    return transformers.M2M100Tokenizer(
        str(made / "vocab.json"), str(made / "sentencepiece.bpe.model")
    )


def _nllb(_):
    letters = sorted({letter for line in tiny.LINES for letter in line} - {" "})
    vocabulary = {piece: number for number, piece in enumerate([*SPECIAL, "▁", *letters])}
    return transformers.NllbTokenizer(vocab=vocabulary, merges=[])


def _unigram(made, kind, codes):
    scores = (
        [(piece, 0.0) for piece in SPECIAL]
        + _pieces(made)
        + [(code, 0.0) for code in [*codes, "<mask>"]]
    )
    (made / "sentencepiece.bpe.model").unlink()
    return kind(vocab=scores)


_TOKENIZERS = {
    "m2m100": _m2m100,
    "nllb": _nllb,
    "mbart": lambda made: _unigram(made, transformers.MBartTokenizer, MBART),
    "mbart50": lambda made: _unigram(made, transformers.MBart50Tokenizer, MBART50),
}
