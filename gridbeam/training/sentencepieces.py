"""A subword vocabulary shared by all languages of a model, learned by SentencePiece.

It is kept as the tokenizer of a model folder. Bytes are the last resort of every spelling, and the
text is left as it is (no normalisation), so no constraint is ever unknown and every character comes
back out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import sentencepiece

from gridbeam.errors import UserError
from gridbeam.support.output_files import replacing, write_text

EOS, UNK = 0, 1
"""The ids of the end of a text and of unknown text, which bytes make idle.

Padding, which also starts the decoder, is the last piece of what is learned here, where other tools
look for it; `pad_of` tells its place in any vocabulary.
"""

TELLING = (">>term<<", ">>as<<", ">>like<<", ">>end<<")
"""The markers by which a source tells the model what its translation has to say
(`gridbeam.training.telling`)."""


@dataclass(frozen=True)
class VocabularyOptions:
    """How the vocabulary is learned."""

    size: int = 24_000
    kind: str = "unigram"
    """unigram, or bpe as the paper has it."""
    sample: int = 2_000_000
    """From how many lines, drawn at random from both sides of the training text."""
    split_digits: bool = True
    """Whether each digit is a piece of its own."""
    file: str = ""
    """A SentencePiece model that is already there, taken as it is."""


def learn(
    texts: Iterator[str],
    path: Path,
    wanted: VocabularyOptions,
    *,
    tags: Sequence[str],
    markers: Sequence[str] = (),
    seed: int,
) -> None:
    """Learns a vocabulary from texts and writes it to `path`.

    `tags` are pieces that a text may be given; of `markers` no text is ever made.
    """
    sentencepiece.set_random_generator_seed(seed)
    trouble: list[UserError] = []
    try:
        with replacing(path, "Make room, or choose another --out.") as file:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=_watched(texts, trouble),
                model_writer=file,
                vocab_size=wanted.size,
                model_type=wanted.kind,
                input_sentence_size=wanted.sample,
                shuffle_input_sentence=True,
                byte_fallback=True,
                normalization_rule_name="identity",
                split_digits=wanted.split_digits,
                character_coverage=0.9999,
                user_defined_symbols=list(tags),
                control_symbols=list(markers),
                eos_id=EOS,
                unk_id=UNK,
                pad_id=wanted.size - 1,
                bos_id=-1,
                minloglevel=2,
            )
    except RuntimeError as error:
        if trouble:
            raise trouble[0] from None
        # SentencePiece names the line of its own source in brackets, and then says what is wrong.
        said = str(error)
        why = said.rpartition("]")[2].strip().rstrip(".") or (
            "there is no text" if "sentences_" in said else "the text has too few different words"
        )
        advice = (
            "Set vocabulary.size higher."
            if "smaller than" in why
            else "Set vocabulary.size lower, or give more text."
        )
        raise UserError(
            f"no vocabulary of {wanted.size} pieces can be learned: {why}. {advice}"
        ) from None


def _watched(texts: Iterator[str], trouble: list[UserError]) -> Iterator[str]:
    """The texts; their errors are also kept, as SentencePiece hides them in one of its own."""
    try:
        yield from texts
    except UserError as error:
        trouble.append(error)
        raise


def adopt(file: Path, path: Path, *, tags: Sequence[str], markers: Sequence[str] = ()) -> None:
    """Takes over a vocabulary that was learned elsewhere, if our models can use it."""
    try:
        pieces = sentencepiece.SentencePieceProcessor(model_file=str(file))
    except (OSError, RuntimeError) as error:
        raise UserError(
            f"vocabulary.file {file} cannot be read as a SentencePiece model: {error}"
        ) from None
    found = pieces.eos_id(), pieces.unk_id()
    if found != (EOS, UNK) or pieces.pad_id() < 0:
        raise UserError(
            f"{file}: the ids of </s> and <unk> are {found}, and must be {(EOS, UNK)}, and there"
            " must be a <pad>. Learn it anew."
        )
    missing = [tag for tag in tags if pieces.piece_to_id(tag) == UNK]
    if missing:
        raise UserError(
            f"{file} has no piece {missing[0]}, the tag of a target language. Learn it anew with"
            " these languages."
        )
    lacking = [marker for marker in markers if pieces.piece_to_id(marker) == UNK]
    if lacking:
        raise UserError(
            f"{file} has no piece {lacking[0]}, with which sources tell terms. Learn it anew, or"
            " set told = 0 in every corpus."
        )
    if not pieces.is_byte(pieces.piece_to_id("<0x00>")):
        raise UserError(
            f"{file} has no pieces for single bytes, so some constraints could not be spelled."
            " Learn it anew."
        )
    with replacing(path, "Make room, or choose another --out.") as out:
        out.write(file.read_bytes())


def write_tokenizer(
    vocabulary: Path, folder: Path, *, source: str, targets: Sequence[str], longest: int
) -> None:
    """Writes the files from which transformers loads the vocabulary as a MarianTokenizer."""
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(vocabulary))
    for name in ("source.spm", "target.spm"):
        with replacing(folder / name) as file:
            file.write(vocabulary.read_bytes())
    ids = {pieces.id_to_piece(number): number for number in range(len(pieces))}
    write_text(folder / "vocab.json", json.dumps(ids, ensure_ascii=False, indent=0))
    config = {
        "tokenizer_class": "MarianTokenizer",
        "source_lang": source,
        "target_lang": targets[0] if len(targets) == 1 else "multilingual",
        "eos_token": pieces.id_to_piece(EOS),
        "unk_token": pieces.id_to_piece(UNK),
        "pad_token": pieces.id_to_piece(pieces.pad_id()),
        "model_max_length": longest,
        "clean_up_tokenization_spaces": False,
        "separate_vocabs": False,
    }
    write_text(folder / "tokenizer_config.json", json.dumps(config, indent=2) + "\n")


def pad_of(vocabulary: Path) -> int:
    """The id of padding in a vocabulary."""
    return int(sentencepiece.SentencePieceProcessor(model_file=str(vocabulary)).pad_id())


def tag_of(target: str, targets: Sequence[str]) -> str:
    """The piece that tells a model of several target languages which one is wanted, or nothing.

    >>> tag_of("de", ["de", "fr"])
    '>>de<<'
    """
    return f">>{target}<<" if len(targets) > 1 else ""
