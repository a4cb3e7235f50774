"""Real tokenizers of every kind, trained on the spot on a page of text."""

from __future__ import annotations

import json
import warnings
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from gridbeam.text.letters import is_of_a_word

TEXT = [
    (
        "He was also an anti-smoking activist and took part in several campaigns. Ebenso setzte er"
        " sich gegen das Rauchen ein"
    ),
    (
        "an mehreren Kampagnen teil. The hard disk is full; please delete some files. Die"
        " Festplatte ist voll, der Raucher"
    ),
    (
        'raucht. Der Rauch steigt auf. Das Laufwerk, die Laufwerke (und "Rauch")! L\'été est fini,'
        " où est-il ? São Paulo é"
    ),
    (
        "longe. Привет, мир. Добрый день. 日本語のテキスト。今日は良い天気です。 1,234.56 km;"
        " e-mail: a_b@example.com"
    ),
]
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]
MARKS = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}


def wrapped(tokenizer):
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **MARKS)


@cache
def byte_level_bpe():
    """As GPT-2, Llama 3, BART and SmolLM have it: no text is unknown."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        TEXT * 3,
        trainers.BpeTrainer(vocab_size=420, special_tokens=SPECIAL, initial_alphabet=alphabet),
    )
    return wrapped(tokenizer)


@cache
def unigram():
    """As T5 has it: SentencePiece's unigram model, with characters it does not know."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.train_from_iterator(
        TEXT, trainers.UnigramTrainer(vocab_size=260, special_tokens=SPECIAL, unk_token="<unk>")
    )
    return wrapped(tokenizer)


@cache
def byte_fallback_bpe():
    """As Llama 2, Gemma and Mistral have it: SentencePiece's BPE, with bytes as the last resort."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    single = [f"<0x{byte:02X}>" for byte in range(256)]
    text = [line.replace("日本語の", "") for line in TEXT]
    tokenizer.train_from_iterator(
        text, trainers.BpeTrainer(vocab_size=560, special_tokens=SPECIAL + single)
    )
    state = json.loads(tokenizer.to_str())
    state["added_tokens"] = state["added_tokens"][: len(SPECIAL)]
    return wrapped(Tokenizer.from_str(json.dumps(state)))


@cache
def word_piece():
    """As BERT has it: words in pieces, with ## where one goes on."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(
        TEXT, trainers.WordPieceTrainer(vocab_size=320, special_tokens=SPECIAL)
    )
    return wrapped(tokenizer)


@cache
def uncased():
    """As BERT's other half has it: no capitals, no accents."""
    tokenizer = Tokenizer.from_str(word_piece().backend_tokenizer.to_str())
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.train_from_iterator(
        TEXT, trainers.WordPieceTrainer(vocab_size=320, special_tokens=SPECIAL)
    )
    return wrapped(tokenizer)


@cache
def marian():
    """As the OPUS-MT models have it: a slow tokenizer around a SentencePiece model."""
    sentencepiece = pytest.importorskip("sentencepiece")
    folder = Path(mkdtemp())
    (folder / "text").write_text("\n".join(TEXT * 5), encoding="utf8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "text"),
        model_prefix=str(folder / "m"),
        vocab_size=150,
        hard_vocab_limit=False,
        character_coverage=1.0,
        minloglevel=2,
    )
    model = sentencepiece.SentencePieceProcessor(model_file=str(folder / "m.model"))
    pieces = [model.id_to_piece(i) for i in range(3, model.get_piece_size())]
    (folder / "vocab.json").write_text(
        json.dumps({p: i for i, p in enumerate(["</s>", "<unk>", *pieces, "<pad>"])})
    )
    files = {"source_spm": "m.model", "target_spm": "m.model", "vocab": "vocab.json"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it recommends a package
        return transformers.MarianTokenizer(
            **{name: str(folder / file) for name, file in files.items()}
        )


KINDS = [byte_level_bpe, unigram, byte_fallback_bpe, word_piece, marian]


def occurs(text, phrase, *, whole_word):
    """Whether a text contains a phrase, by brute force."""
    found = text.find(phrase)
    while found >= 0:
        before, after = text[:found][-1:], text[found + len(phrase) :][:1]
        glued = [(before, phrase[0]), (phrase[-1], after)]
        if not whole_word or not any(
            a and b and is_of_a_word(a) and is_of_a_word(b) for a, b in glued
        ):
            return True
        found = text.find(phrase, found + 1)
    return False
