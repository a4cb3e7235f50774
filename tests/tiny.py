"""Tiny translation models in real folders: a SentencePiece tokenizer, a random Marian."""

from __future__ import annotations

import itertools
import json
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import sentencepiece
import torch
import transformers

from gridbeam.models.telling import PIECES

NOUNS = [
    "disk",
    "drive",
    "screen",
    "folder",
    "file",
    "smoke",
    "house",
    "Festplatte",
    "Laufwerk",
    "Bildschirm",
    "Ordner",
    "maison",
]
THINGS = [
    "is full",
    "is empty",
    "ist voll",
    "ist leer",
    "steigt auf",
    "was deleted",
    "est vide",
    "está cheio",
    "wird gelöscht",
]
FRAMES = [
    "The {} {}.",
    "Die {} {}.",
    "Why is it that the {} {}?",
    "Das {} {}, und es ist gut.",
    "L'été, la {} {} !",
    "O {} {} (1,5).",
]
LINES = [frame.format(*words) for frame, *words in itertools.product(FRAMES, NOUNS, THINGS)]
TARGETS = ("de", "fr", "pt")


def tokenizer_files(folder, targets=TARGETS, lines=LINES, vocab_size=480, *, told=False):
    """Writes source.spm, target.spm, vocab.json and tokenizer_config.json.

    `told` adds the tokens by which a model is told its terms.

    Gives back how many tokens there are.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tags = [f">>{target}<<" for target in targets] if len(targets) > 1 else []
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_prefix=str(folder / "source"),
        vocab_size=vocab_size,
        hard_vocab_limit=False,
        model_type="unigram",
        byte_fallback=True,
        normalization_rule_name="identity",
        eos_id=0,
        unk_id=1,
        pad_id=2,
        bos_id=-1,
        eos_piece="</s>",
        pad_piece="<pad>",
        user_defined_symbols=tags,
        control_symbols=[*PIECES.values()] if told else [],
        split_digits=True,
        num_threads=1,
        minloglevel=2,
    )
    (folder / "source.vocab").unlink()
    (folder / "source.model").rename(folder / "source.spm")
    (folder / "target.spm").write_bytes((folder / "source.spm").read_bytes())
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "source.spm"))
    vocabulary = {pieces.id_to_piece(number): number for number in range(pieces.get_piece_size())}
    (folder / "vocab.json").write_text(
        json.dumps(vocabulary, ensure_ascii=False, indent=0), encoding="utf8"
    )
    names = {
        "tokenizer_class": "MarianTokenizer",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
    }
    (folder / "tokenizer_config.json").write_text(
        json.dumps({**names, "model_max_length": 64, "separate_vocabs": False})
    )
    return len(vocabulary)


def config(vocab_size, *, targets=TARGETS, width=32, positions=64, told=False):
    """The configuration of a tiny Marian, as our own folders have it."""
    return transformers.MarianConfig(
        vocab_size=vocab_size,
        d_model=width,
        encoder_layers=2,
        decoder_layers=1,
        encoder_ffn_dim=2 * width,
        decoder_ffn_dim=2 * width,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        max_position_embeddings=positions,
        scale_embedding=True,
        dropout=0.0,
        init_std=0.2,
        eos_token_id=0,
        forced_eos_token_id=None,
        pad_token_id=2,
        decoder_start_token_id=2,
        gridbeam={
            "format": 1,
            "source": "en",
            "targets": list(targets),
            "storage": "float",
            **({"told": True} if told else {}),
        },
    )


@cache
def marian(targets=TARGETS, *, seed=0, positions=64, told=False):
    """The folder of a tiny Marian with random weights; do not write to it."""
    folder = Path(mkdtemp(prefix="tiny-"))
    size = tokenizer_files(folder, targets, told=told)
    torch.manual_seed(seed)
    transformers.MarianMTModel(
        config(size, targets=targets, positions=positions, told=told)
    ).eval().save_pretrained(folder)
    return folder
