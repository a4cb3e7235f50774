"""Phrases of text as token ids: every way in which a tokenizer's pieces can write them in a running text.

The pieces of the vocabulary are laid over the bytes of a phrase (`spelling.py`), which gives a graph of tokens. All its paths
are recognised; those that the tokenizer itself would choose, and the shortest, are the ones that the search places.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from gridbeam.constraints import CASES, AnyOf, Arc, Avoid, Case, Constraint, Pattern, Phrase, Prefix, Spellings, rebuilt
from gridbeam.errors import UserError
from gridbeam.spelling import Graph, Letters, Pieces, graph_of
from gridbeam.vocabulary import is_of_a_word, vocabulary_of

Role: TypeAlias = Literal["required", "avoided", "first"]
"""What a phrase is for: it must occur, must not, or must begin the text."""

_CONTEXTS = ("{}", " {}", "a {}", "a {} a", "a {}.", "({})")
"""Where the tokenizer is asked how it would write a phrase."""


class Subwords:
    """Spells phrases in the tokens of a Hugging Face tokenizer; `gridbeam.search` takes it as `encode=`.

    `case` and `whole_word` hold for phrases that do not say otherwise: which capitals will do, and whether the phrase must be
    whole words, so that "Rauch" is not met by "Raucher". `opens` are tokens without text that may open what is generated, such
    as a language tag.
    """

    def __init__(self, tokenizer: Any, *, case: Case = "exact", whole_word: bool = True, opens: Collection[int] = ()) -> None:
        if not hasattr(tokenizer, "get_vocab") or not hasattr(tokenizer, "decode"):
            raise UserError(f"{type(tokenizer).__name__} is not a tokenizer: pass the one that was loaded with the model")
        if case not in CASES:
            raise UserError(f'case={case!r}: must be "exact", "sentence" or "any"')
        self.tokenizer, self.case, self.whole_word = tokenizer, case, whole_word
        self.vocabulary = vocabulary_of(tokenizer)
        self._opens = frozenset(opens) | _ids(tokenizer.bos_token_id, getattr(tokenizer, "cls_token_id", None))
        self._pieces = Pieces(self.vocabulary)
        self._classes: dict[tuple[str, frozenset[int]], frozenset[int]] = {}
        self._known: dict[tuple[Phrase, Role, frozenset[int], bool], list[Spellings]] = {}

    def spelled(self, term: Constraint, ends: Collection[int] = (), *, may_open: bool = True) -> Constraint:
        """The same term with every phrase of text spelled; `ends` are the tokens that end a text.

        `may_open=False` says that what comes before the text ends within a word, which the text may not go on with.
        """
        role: Role = "avoided" if isinstance(term, Avoid) else "first" if isinstance(term, Prefix) else "required"
        all_ends = frozenset(ends) | _ids(self.tokenizer.eos_token_id)

        def pattern(phrase: Phrase) -> Pattern:
            if not isinstance(phrase.content, str):
                return phrase
            key = (phrase, role, all_ends, may_open)
            if key not in self._known:
                found = self._spellings_of(phrase, phrase.content, role, all_ends)
                self._known[key] = [replace(spelling, when=phrase.when, may_open=may_open) for spelling in found]
            known = self._known[key]
            return known[0] if len(known) == 1 else AnyOf(*known)

        return rebuilt(term, phrase=pattern)

    def _spellings_of(self, phrase: Phrase, content: str, role: Role, ends: frozenset[int]) -> list[Spellings]:
        """The phrase and its other forms, with the capitals they may have."""
        case = phrase.case or self.case
        whole_word = self.whole_word if phrase.whole_word is None else phrase.whole_word
        found = []
        if any("\ud800" <= letter <= "\udfff" for text in (content, *phrase.inflect) for letter in text):
            raise UserError(f"{content!r} holds half of a character (a lone surrogate): it is not text that can be written")
        for form in dict.fromkeys(text.strip() for text in (content, *phrase.inflect)):
            found.append(self._spellings(Letters.of(form, any_case=case == "any"), role, whole_word, ends))
            capital = form[0].upper() + form[1:]
            if case == "sentence" and capital != form:
                spelling = self._spellings(Letters.of(capital), role, whole_word, ends)
                found.append(spelling if role == "first" else self._at_sentence_start(spelling))
        return found

    def _at_sentence_start(self, spelling: Spellings) -> Spellings:
        first, *rest = spelling.arcs
        before = self._class("before a sentence", frozenset())
        return replace(spelling, leading=(), arcs=((*spelling.leading, *first), *rest), before=before)

    def _spellings(self, letters: Letters, role: Role, whole_word: bool, ends: frozenset[int]) -> Spellings:
        begins_word = whole_word and is_of_a_word(letters.shown[0])
        ends_word = whole_word and is_of_a_word(letters.shown[-1])
        graph = graph_of(letters, self._pieces, begins_word, ends_word, role)
        if role == "avoided":
            before = self._class("perhaps before a word", ends) if begins_word else None
            after = self._class("perhaps after a word", ends) if ends_word else None
            return Spellings(letters.shown, graph.leading, graph.arcs, before, after)
        if not graph.is_complete:
            raise UserError(self._why_unknown(letters, graph))
        whole = "whole " if graph.begins_with_byte else ""
        before = self._class(whole + "before a word", ends) if begins_word else self._class("whole", ends) if whole else None
        whole = "whole " if graph.ends_with_byte else ""
        after = self._class(whole + "after a word", ends) if ends_word else self._class("whole", ends) if whole else None
        spelling = Spellings(letters.shown, graph.leading, graph.arcs, None if role == "first" else before, after)
        return self._checked(self._offering(spelling, letters), letters)

    def _class(self, name: str, ends: frozenset[int]) -> frozenset[int]:
        """The tokens that may stand beside a phrase, under the name of where they stand; each set is made once."""
        if (name, ends) not in self._classes:
            self._classes[name, ends] = frozenset(self._members(name, ends))
        return self._classes[name, ends]

    def _members(self, name: str, ends: frozenset[int]) -> Collection[int]:
        known, everything = self.vocabulary, frozenset(range(len(self.vocabulary.pieces)))
        match name:
            case "after a word":
                return known.after_a_word.free | ends
            case "before a word":
                return known.before_a_word.free | self._opens
            case "perhaps after a word":
                return everything - known.after_a_word.part | ends
            case "perhaps before a word":
                return everything - known.before_a_word.part
            case "before a sentence":
                return known.before_a_sentence | self._opens
            case "whole":
                return (everything - known.bytes_of_characters) | ends
            case _:
                return (self._class(name.removeprefix("whole "), ends) - known.bytes_of_characters) | ends

    def _offering(self, spelling: Spellings, letters: Letters) -> Spellings:
        """The spelling with arcs marked that the search may place: the tokenizer's own, and a shortest way from each node."""
        chosen = {arc for text in letters.cases for context in _CONTEXTS for arc in self._own(spelling, context, text)}
        distance = _distances(spelling)

        def marked(node: int | None, arcs: tuple[Arc, ...]) -> tuple[Arc, ...]:
            offered = {arc for arc in arcs if (node, arc) in chosen}
            clean = [arc for arc in arcs if node is not None or self._begins_clean(arc)] or arcs
            shortest = min((distance[arc.to] for arc in clean), default=0)
            if arcs and all(distance[arc.to] > shortest for arc in offered):
                offered.add(max((arc for arc in clean if distance[arc.to] == shortest), key=self._size))
            return tuple(replace(arc, is_offered=arc in offered) for arc in arcs)

        arcs = tuple(marked(node, here) for node, here in enumerate(spelling.arcs))
        return replace(spelling, leading=marked(None, spelling.leading), arcs=arcs)

    def _begins_clean(self, arc: Arc) -> bool:
        """Whether a leading token brings nothing but a space."""
        return (self.vocabulary.pieces[arc.token] or b"")[:1].isspace()

    def _size(self, arc: Arc) -> tuple[int, int]:
        """Longer pieces first, of equal ones the lower id."""
        return len(self.vocabulary.pieces[arc.token] or b""), -arc.token

    def _own(self, spelling: Spellings, context: str, text: str) -> Iterator[tuple[int | None, Arc]]:
        """The arcs that the tokenizer takes when it writes the text in this context."""
        ids = self.tokenizer(text_target=context.format(text), add_special_tokens=False)["input_ids"]
        for begin in range(len(ids)):
            path = _path(spelling, ids[begin:])
            if path:
                yield from path
                return

    def _checked(self, spelling: Spellings, letters: Letters) -> Spellings:
        """The spelling, once the tokenizer itself has read the text from it."""
        distance = _distances(spelling)
        for first in filter(None, (spelling.leading, spelling.arcs[0])):
            tokens, arcs = [], first
            while arcs:
                arc = min(arcs, key=lambda arc: (distance[arc.to], arc.to))
                tokens.append(arc.token)
                arcs = spelling.arcs[arc.to] if arc.to < spelling.end else ()
            read = self.tokenizer.decode(tokens, skip_special_tokens=True)
            if not any(text in read for text in letters.cases) and letters.shown.casefold() not in read.casefold():
                raise UserError(
                    f'"{letters.shown}": {type(self.tokenizer).__name__} reads "{read}" where this is written, and so would a '
                    "reader. Require that instead, or give token ids"
                )
        return spelling

    def _why_unknown(self, letters: Letters, graph: Graph) -> str:
        stuck = letters.shown[min(graph.reached, len(letters.shown) - 1)]
        character = next((letter for letter in letters.shown if letter not in self.vocabulary.characters), stuck)
        ids = self.tokenizer(text_target=letters.shown, add_special_tokens=False)["input_ids"]
        writes = self.tokenizer.decode(ids, skip_special_tokens=True).strip()
        remedy = f'It would write "{writes}": require that' if writes else "Leave it out"
        return (
            f'"{letters.shown}": the tokenizer has no token that writes "{character}" (U+{ord(character):04X}) here. '
            f"{remedy}, or use a model whose tokenizer falls back on bytes"
        )


def _ids(*tokens: int | None) -> frozenset[int]:
    return frozenset(token for token in tokens if token is not None)


def _distances(spelling: Spellings) -> Sequence[int]:
    """The fewest tokens from each node to an end."""
    far = 1 << 30
    distance = [far] * spelling.end + [0, 0]
    is_settled = False
    while not is_settled:
        new = [min((1 + distance[arc.to] for arc in arcs), default=far) for arcs in spelling.arcs] + [0, 0]
        distance, is_settled = new, new == distance
    return distance


def _path(spelling: Spellings, ids: Sequence[int]) -> list[tuple[int | None, Arc]]:
    """The arcs that these tokens follow to an end; none where they do not."""
    paths: list[tuple[list[tuple[int | None, Arc]], int | None]] = [([], None), ([], 0)]
    for token in ids:
        grown: list[tuple[list[tuple[int | None, Arc]], int | None]] = []
        for path, node in paths:
            for arc in spelling.leading if node is None else spelling.arcs[node]:
                if arc.token == token:
                    if arc.to >= spelling.end:
                        return [*path, (node, arc)]
                    grown.append(([*path, (node, arc)], arc.to))
        paths = grown
    return []
