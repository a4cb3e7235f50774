"""The text that each token adds to a running text: bytes, and what may stand beside them.

Tokenizers differ in how they mark spaces and in what they do with characters they do not know. Here
they become alike: a token is a piece of UTF-8, a space included where it brings one, or has no text
of its own (`<s>`, `<pad>`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gridbeam.errors import UserError
from gridbeam.text.letters import first_character, is_of_a_word, last_character

_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_SENTENCE_ENDS = re.compile(r"[.!?…。！？\n][\"'”’»)\]\s]*$")  # fmt: skip
_CLEANED = (" .", " ?", " !", " ,", " n't", " 'm", " 's", " 've", " 're")
"""Where a WordPiece decoder that cleans up leaves out the space."""


@dataclass(frozen=True)
class Beside:
    """Tokens beside a word.

    Those in neither set have no text, or begin or end within a character.
    """

    free: frozenset[int]
    part: frozenset[int]


@dataclass(frozen=True)
class Vocabulary:
    """For each token id its bytes; None where it has none, or none that are known."""

    pieces: tuple[bytes | None, ...]
    bytes_of_characters: frozenset[int]
    """Tokens that stand for one byte of a character without a piece of its own; a run of them is
    decoded as a whole."""
    begins_texts_glued: bool
    """Whether a piece without a space may begin a text; one of WordPiece that goes on with a word
    shows its mark there."""

    def piece(self, token: int) -> bytes | None:
        """The bytes of a token, which may be one that only the model knows."""
        return self.pieces[token] if token < len(self.pieces) else None

    @cached_property
    def with_text(self) -> frozenset[int]:
        """The tokens that have text."""
        return frozenset(token for token, piece in enumerate(self.pieces) if piece)

    @cached_property
    def after_a_word(self) -> Beside:
        """What stands after a word: tokens that surely end it, and those that surely go on."""
        return self._split(first_character)

    @cached_property
    def before_a_word(self) -> Beside:
        """What stands before a word: tokens after which it begins, and those it would continue."""
        return self._split(last_character)

    @cached_property
    def before_a_sentence(self) -> frozenset[int]:
        """The tokens that end a sentence, perhaps with a quotation mark or spaces after it."""
        texts = (
            (token, piece.decode("utf8", "replace"))
            for token, piece in enumerate(self.pieces)
            if piece
        )
        return frozenset(token for token, text in texts if _SENTENCE_ENDS.search(text))

    @cached_property
    def characters(self) -> frozenset[str]:
        """Every character that some piece holds."""
        return frozenset("".join(piece.decode("utf8", "ignore") for piece in self.pieces if piece))

    def holds(self, character: str) -> bool:
        """Whether a piece has this character, or there are pieces of any bytes of it.

        Pieces that are a last resort do not count.
        """
        held, own_bytes = self._held
        return character in held or all(
            bytes([byte]) in own_bytes for byte in character.encode("utf8", "replace")
        )

    @cached_property
    def _held(self) -> tuple[frozenset[str], frozenset[bytes]]:
        """The characters, and the single bytes, of the pieces that are no last resort."""
        own = [
            piece
            for token, piece in enumerate(self.pieces)
            if piece and token not in self.bytes_of_characters
        ]
        characters = frozenset("".join(piece.decode("utf8", "ignore") for piece in own))
        return characters, frozenset(piece for piece in own if len(piece) == 1)

    def _split(self, character: Callable[[bytes], str | None]) -> Beside:
        free, part = list[int](), list[int]()
        for token, piece in enumerate(self.pieces):
            edge = character(piece) if piece else None
            if edge is not None:
                (part if is_of_a_word(edge) else free).append(token)
        # A run of byte tokens that is no text is read as marks of damage, so none of them is surely
        # part of a word.
        return Beside(frozenset(free), frozenset(part) - self.bytes_of_characters)


def vocabulary_of(tokenizer: Any) -> Vocabulary:
    """The vocabulary of a Hugging Face tokenizer.

    SentencePiece, byte-level BPE, WordPiece, or whole words.
    """
    tokens = _tokens(tokenizer)
    kind = _kind_of(tokenizer, tokens)
    pieces = [None if token is None else kind.piece(token) for token in tokens]
    is_byte = kind.has_byte_tokens
    fallback = [
        i
        for i, token in enumerate(tokens)
        if is_byte and token is not None and _BYTE.fullmatch(token)
    ]
    for number, text in _added(tokenizer, pieces):
        pieces[number] = text
    return Vocabulary(tuple(pieces), frozenset(fallback), begins_texts_glued=not kind.inner_prefix)


@dataclass(frozen=True)
class _TokenizerKind:
    """How the tokens of a tokenizer are read."""

    space: str = ""
    """What stands for a space in a token."""
    is_byte_level: bool = False
    has_byte_tokens: bool = False
    inner_prefix: str | None = None
    """What marks a token that goes on with a word; others bring a space. None: tokens say
    themselves where spaces are."""
    cleans_up: bool = False
    """Whether spaces before punctuation are left out."""
    word_suffix: str = ""
    """What marks the last token of a word, and becomes a space."""

    def piece(self, token: str) -> bytes | None:
        """The bytes that a token adds to a running text."""
        if self.is_byte_level:
            return _bytes_of_level(token)
        if self.has_byte_tokens and (code := _BYTE.fullmatch(token)):
            return bytes([int(code[1], 16)])
        if self.inner_prefix is not None:
            goes_on = bool(self.inner_prefix) and token.startswith(self.inner_prefix)
            token = token.removeprefix(self.inner_prefix) if goes_on else " " + token
        if self.cleans_up and token.startswith(_CLEANED):
            token = token[1:]
        if self.word_suffix and token.endswith(self.word_suffix):
            token = token.removesuffix(self.word_suffix) + " "
        return (token.replace(self.space, " ") if self.space else token).encode("utf8", "replace")


def _tokens(tokenizer: Any) -> list[str | None]:
    """The tokens by id; None for special and added ones, and for ids that no token has."""
    vocab: dict[str, int] = tokenizer.get_vocab()
    tokens: list[str | None] = [None] * (1 + max(vocab.values()))
    for token, number in vocab.items():
        tokens[number] = token
    for number in {*tokenizer.all_special_ids, *getattr(tokenizer, "added_tokens_decoder", {})}:
        if number is not None and number < len(tokens):
            tokens[number] = None
    return tokens


def _added(tokenizer: Any, pieces: Sequence[bytes | None]) -> Iterator[tuple[int, bytes]]:
    """The text of tokens added by hand that are not special.

    It is what the tokenizer reads after another token.
    """
    anchor = next(
        (token for token, piece in enumerate(pieces) if piece and piece.strip().isalpha()), None
    )
    for number, token in getattr(tokenizer, "added_tokens_decoder", {}).items():
        is_special = token.special or number in tokenizer.all_special_ids
        if anchor is not None and not is_special and number < len(pieces):
            before, after = tokenizer.decode([anchor]), tokenizer.decode([anchor, number])
            if after.startswith(before):
                yield number, after[len(before) :].encode("utf8", "replace")


def _kind_of(tokenizer: Any, tokens: Sequence[str | None]) -> _TokenizerKind:
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return _kind_without_backend(tokenizer, tokens)
    steps = list(_steps(json.loads(backend.to_str())["decoder"]))
    names = [step["type"] for step in steps]
    spaces = [
        s["pattern"].get("String", "▁")
        for s in steps
        if s["type"] == "Replace" and s["content"] == " "
    ]
    spaces += [s["replacement"] for s in steps if s["type"] == "Metaspace"]
    if "ByteLevel" in names:
        return _TokenizerKind(is_byte_level=True)
    if spaces:
        return _TokenizerKind(space=spaces[0], has_byte_tokens="ByteFallback" in names)
    if "WordPiece" in names:
        step = steps[names.index("WordPiece")]
        return _TokenizerKind(inner_prefix=step["prefix"], cleans_up=step["cleanup"])
    if "BPEDecoder" in names:
        return _TokenizerKind(word_suffix=steps[names.index("BPEDecoder")]["suffix"])
    if not names:
        return _TokenizerKind(inner_prefix="")
    decoder = ", ".join(names)
    raise UserError(
        f"{type(tokenizer).__name__} decodes by {decoder}, which is not known here: give phrases as"
        " token ids"
    )


def _kind_without_backend(tokenizer: Any, tokens: Sequence[str | None]) -> _TokenizerKind:
    """SentencePiece models loaded as such, as Marian's are, mark spaces with a low line."""
    if any(token is not None and token.startswith("▁") for token in tokens):
        return _TokenizerKind(space="▁", has_byte_tokens="<0x41>" in tokens and "<0xFF>" in tokens)
    raise UserError(
        f"{type(tokenizer).__name__} is no tokenizer whose texts can be constrained: give phrases"
        " as token ids"
    )


def _steps(decoder: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    if decoder is None:
        return
    if decoder["type"] == "Sequence":
        for step in decoder["decoders"]:
            yield from _steps(step)
    else:
        yield decoder


def _byte_level_alphabet() -> dict[str, int]:
    """The printable characters that byte-level tokenizers write for the 256 bytes."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {
        chr(256 + n): byte for n, byte in enumerate(hidden)
    }


_ALPHABET = _byte_level_alphabet()


def _bytes_of_level(token: str) -> bytes | None:
    try:
        return bytes(_ALPHABET[character] for character in token)
    except KeyError:
        return None
