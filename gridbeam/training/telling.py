"""Sources that tell the model some words of their target, so that it learns to use a glossary.

Beside the words that they translate, `the>>term<< disk>>as<< Festplatte>>end<< is full`, or at the
end of the source, where nobody knows which these are. After `>>as<<` they stand as the target has
them; after `>>like<<` without their inflection, and the model learns to inflect them. What
translates what is told by an alignment of tokens (`gridbeam.training.alignment`). All is done to
encoded text: a text never has the markers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import sentencepiece

from gridbeam.errors import UserError
from gridbeam.text.lemmas import has_lemmas, lemmatizer
from gridbeam.text.words import WordRange
from gridbeam.training.alignment import Aligner, Link
from gridbeam.training.corpus import Pairs
from gridbeam.training.sentencepieces import TELLING

_NUMBERS, _NUMBER_WEIGHTS = (1, 2, 3), (5, 3, 2)
"""How many terms a source tells."""
_SIZES, _SIZE_WEIGHTS = (1, 2, 3), (6, 3, 1)
"""How many words a term has."""
_APPENDED = 0.3
"""The share of the terms that are told at the end."""
_INFLECTED = 0.4
"""The share of the terms that are told without their inflection."""
_COMMON = 300
"""So many pieces after those of bytes, or a tenth of the vocabulary, are of common words, as pieces
come in the order of their frequency. A term has one that is not."""
_BYTES = 256
_LONGEST = 6
"""A term translates no more words than this."""


@dataclass(frozen=True)
class _Marks:
    """The ids of the markers."""

    term: int
    as_: int
    like: int
    end: int


class RandomTeller:
    """Tells sources of one target language terms that are drawn from their targets."""

    def __init__(self, vocabulary: Path, language: str) -> None:
        self._pieces = sentencepiece.SentencePieceProcessor(model_file=str(vocabulary))
        names = [self._pieces.id_to_piece(number) for number in range(len(self._pieces))]
        if missing := [marker for marker in TELLING if marker not in names]:
            raise UserError(
                f"{vocabulary} has no piece {missing[0]}, which sources with terms (told) need."
                " Learn a vocabulary anew, or set told = 0."
            )
        self._marks = _Marks(*map(names.index, TELLING))
        self._begins = [name.startswith("▁") for name in names]
        self._is_mark = [_is_mark(name) for name in names]
        common = _BYTES + min(_COMMON, len(names) // 10)
        self._is_content = [
            number > common and any(map(str.isalpha, name)) for number, name in enumerate(names)
        ]
        self._lemma = lemmatizer(language, "target") if has_lemmas(language) else None
        self._cased_lemma = lru_cache(maxsize=1 << 18)(self._lemma_with_capitals)

    def told(
        self, source: Sequence[int], target: Sequence[int], links: Sequence[Link], chance: Random
    ) -> list[int]:
        """The source with terms of the target; both begin and end as they are in `Pairs`."""
        words = self.words(target)
        terms = self._drawn(target, words, chance)
        beside: list[tuple[WordRange, list[int]]] = []
        appended: list[list[int]] = []
        for term in terms:
            said = self._said(target[slice(*term)], chance)
            place = None if chance.random() < _APPENDED else self._place(source, term, links)
            if place is None:
                appended.append(said)
            elif all(place[1] <= start or end <= place[0] for (start, end), _ in beside):
                beside.append((place, said))
        return marked(source, beside, appended, term=self._marks.term)

    def words(self, tokens: Sequence[int]) -> list[WordRange]:
        """Where each word of a text begins and ends; a mark without letters is a word of its own.

        So is what follows it.
        """
        starts = [
            place
            for place, token in enumerate(tokens)
            if not place
            or self._begins[token]
            or self._is_mark[token]
            or self._is_mark[tokens[place - 1]]
        ]
        return list(pairwise([*starts, len(tokens)]))

    def _drawn(
        self, target: Sequence[int], words: Sequence[WordRange], chance: Random
    ) -> list[WordRange]:
        """Some stretches of words of a text, apart from each other, from left to right."""
        (number,) = chance.choices(_NUMBERS, _NUMBER_WEIGHTS)
        taken: list[WordRange] = []
        for _ in range(2 * number):
            (size,) = chance.choices(_SIZES, _SIZE_WEIGHTS)
            first = chance.randrange(len(words))
            chosen = words[first : first + size]
            stretch = chosen[0][0], chosen[-1][1]
            is_apart = all(stretch[1] <= start or end <= stretch[0] for start, end in taken)
            if is_apart and self._is_term(target, chosen):
                taken.append(stretch)
            if len(taken) == number:
                break
        return sorted(taken)

    def _is_term(self, target: Sequence[int], words: Sequence[WordRange]) -> bool:
        tokens = target[words[0][0] : words[-1][1]]
        return (
            all(self._begins[target[start]] for start, _ in words)
            and not any(self._is_mark[token] for token in tokens)
            and any(self._is_content[token] for token in tokens)
        )

    def _place(
        self, source: Sequence[int], term: WordRange, links: Sequence[Link]
    ) -> WordRange | None:
        """The words of the source that a term translates, if they translate nothing else."""
        own = [there for there, here in links if term[0] <= here < term[1]]
        if not own:
            return None
        words = self.words(source)
        inside = [word for word in words if word[0] <= max(own) and word[1] > min(own)]
        start, end = inside[0][0], inside[-1][1]
        is_shared = any(
            start <= there < end and not term[0] <= here < term[1] for there, here in links
        )
        is_whole = all(self._begins[source[first]] for first, _ in inside)
        return None if is_shared or not is_whole or len(inside) > _LONGEST else (start, end)

    def _said(self, tokens: Sequence[int], chance: Random) -> list[int]:
        """A term as a source tells it, with the markers around it."""
        if self._lemma is None or chance.random() >= _INFLECTED:
            return [self._marks.as_, *tokens, self._marks.end]
        lemmas = " ".join(map(self._cased_lemma, self._pieces.decode([*tokens]).split()))
        return [self._marks.like, *self._pieces.encode(lemmas), self._marks.end]

    def _lemma_with_capitals(self, word: str) -> str:
        """The lemma of a word, with a capital where the word has one."""
        assert self._lemma is not None
        if not word[1:].islower():
            return word
        lemma = self._lemma(word)
        return lemma[:1].upper() + lemma[1:] if word[:1].isupper() else lemma


def _is_mark(piece: str) -> bool:
    """Whether a piece has no letter or digit and is no space, or is a tag or an end.

    >>> [_is_mark(piece) for piece in (",", "▁(", "▁", "▁a", "<0x41>", ">>de<<", "</s>")]
    [True, True, False, False, False, True, True]
    """
    is_special = piece.startswith((">>", "</")) or piece in ("<unk>", "<pad>")
    return is_special or (piece != "▁" and not any(map(str.isalnum, piece)))


def marked(
    source: Sequence[int],
    beside: Iterable[tuple[WordRange, Sequence[int]]],
    appended: Iterable[Sequence[int]],
    *,
    term: int,
) -> list[int]:
    """A source with terms beside the stretches that they translate, and others before its end.

    >>> marked([5, 6, 7, 0], [((1, 2), [91, 8, 93])], [[92, 9, 93]], term=90)
    [5, 90, 6, 91, 8, 93, 7, 92, 9, 93, 0]
    """
    found: list[int] = []
    done = 0
    for (start, end), said in sorted(beside):
        found += [*source[done:start], term, *source[start:end], *said]
        done = end
    found += source[done:-1]
    for said in appended:
        found += said
    return [*found, source[-1]]


def told_pairs(
    pairs: Pairs, aligner: Aligner, teller: RandomTeller, *, share: float, seed: int
) -> Pairs:
    """The pairs, a share of which are told terms."""
    is_told = np.random.default_rng(seed).random(len(pairs)) < share
    numbers = np.flatnonzero(is_told)
    chance = Random(seed)
    starts = pairs.source_ends - pairs.source_lengths
    sources = [
        pairs.source[start:end] for start, end in zip(starts, pairs.source_ends, strict=True)
    ]
    first = pairs.target_ends - pairs.target_lengths
    for number, links in zip(numbers.tolist(), aligner.links(pairs, numbers), strict=True):
        target = pairs.target[first[number] : pairs.target_ends[number] - 1].tolist()
        told = teller.told(sources[number].tolist(), target, links, chance)
        sources[number] = np.array(told, np.int32)
    ends = np.cumsum([len(source) for source in sources], dtype=np.int64)
    return Pairs(np.concatenate(sources), ends, pairs.target, pairs.target_ends)
