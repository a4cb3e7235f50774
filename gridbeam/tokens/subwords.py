"""Phrases of text as token ids: every way a tokenizer's pieces can write them in a text.

The pieces of the vocabulary are laid over the bytes of a phrase (`spelling.py`), which gives a
graph of tokens. All its paths are recognised; those that the tokenizer itself would choose, and the
shortest, are the ones that the search places.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from gridbeam.constraints.roles import Role
from gridbeam.constraints.spelled import Arc, Spellings
from gridbeam.constraints.terms import (
    CASES,
    AnyOf,
    Case,
    Constraint,
    Gap,
    InOrder,
    Pattern,
    Phrase,
)
from gridbeam.errors import UserError
from gridbeam.text.letters import is_of_a_word
from gridbeam.tokens.lattice import Graph, Letters, Pieces, graph_of
from gridbeam.tokens.vocabulary import vocabulary_of

_MOST_KNOWN = 4096
"""How many phrases are remembered with their spellings, so that many texts with many phrases do not
fill the memory."""
_CONTEXTS = ("{}", " {}", "a {}", "a {} a", "a {}.", "({})")
"""Where the tokenizer is asked how it would write a phrase."""


@dataclass(frozen=True)
class Setting:
    """What stands around the text that is generated."""

    ends: frozenset[int]
    """The tokens that end it."""
    size: int
    """How many tokens the model knows, which may be more than the tokenizer does."""
    last: int | None = None
    """The last token of the prompt."""
    opening: int | None = None
    """A token without text that the text begins with, such as a language tag."""
    skips: bool = True
    """Whether what is avoided is sought beyond tokens without text; not so in an order, whose gaps
    count every token."""


class Subwords:
    """Spells phrases in the tokens of a Hugging Face tokenizer, as `encode=` of `gridbeam.search`.

    `case` and `whole_word` hold for phrases that do not say otherwise: which capitals will do, and
    whether the phrase must be whole words, so that "Rauch" is not met by "Raucher".
    """

    def __init__(self, tokenizer: Any, *, case: Case = "exact", whole_word: bool = True) -> None:
        if not hasattr(tokenizer, "get_vocab") or not hasattr(tokenizer, "decode"):
            raise UserError(
                f"{type(tokenizer).__name__} is not a tokenizer: pass the one that was loaded with"
                " the model"
            )
        if case not in CASES:
            raise UserError(f'case={case!r}: must be "exact", "sentence" or "any"')
        self.tokenizer, self.case, self.whole_word = tokenizer, case, whole_word
        self.vocabulary = vocabulary_of(tokenizer)
        self._pieces = Pieces(self.vocabulary)
        self._classes: dict[tuple[str, bool, frozenset[int], int], frozenset[int]] = {}
        self._forms = lru_cache(maxsize=_MOST_KNOWN)(self._all_forms)

    def __getstate__(self) -> dict[str, Any]:
        """All but the forms that are remembered, so that it can be sent to another process."""
        return {name: value for name, value in vars(self).items() if name != "_forms"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _forms=lru_cache(maxsize=_MOST_KNOWN)(self._all_forms))

    def spelled(
        self,
        term: Constraint,
        ends: Collection[int] = (),
        vocab_size: int | None = None,
        *,
        last: int | None = None,
        opening: int | None = None,
    ) -> Constraint:
        """The same term with every phrase of text spelled.

        For a model with these end tokens and this many tokens in all. `last` is the last token of a
        prompt: if it ends within a word, the text may not go on with it. `opening` is a token
        without text, such as a language tag, that the text begins with.
        """
        known = len(self.vocabulary.pieces)
        setting = Setting(frozenset(ends) or self.ends, max(known, vocab_size or 0), last, opening)
        if term.role is Role.REQUIRED:
            return self._spelled(term, term.role, setting)
        return replace(term, pattern=self._spelled(term.pattern, term.role, setting))

    @property
    def ends(self) -> frozenset[int]:
        """The token that ends a text, where a model has none of its own."""
        return _ids(self.tokenizer.eos_token_id)

    def _spelled(self, pattern: Pattern, role: Role, setting: Setting) -> Pattern:
        match pattern:
            case Phrase(content) if isinstance(content, str):
                forms = self._forms(pattern, content, role, setting)
                return forms[0] if len(forms) == 1 else AnyOf(*forms)
            case AnyOf(alternatives):
                return AnyOf(*(self._spelled(each, role, setting) for each in alternatives))
            case InOrder(parts):
                counted = replace(setting, skips=False)
                roles = _roles_in_order(role, len(parts))
                return InOrder(
                    *(
                        part if isinstance(part, Gap) else self._spelled(part, own, counted)
                        for part, own in zip(parts, roles, strict=True)
                    )
                )
            case _:
                return pattern

    def _all_forms(
        self, phrase: Phrase, content: str, role: Role, setting: Setting
    ) -> list[Spellings]:
        """All spellings of a phrase and its other forms, with the capitals they may have."""
        forms = list(dict.fromkeys((content, *phrase.inflect)))
        self._refuse_unwritable(forms, role)
        if not role.must_occur:
            written = (
                way
                for form in forms
                for way in (form, normalize("NFC", form), self._own_words(form))
            )
            forms = list(dict.fromkeys(written))
        found = [
            spelling for form in forms for spelling in self._cases(form, phrase, role, setting)
        ]
        return [replace(spelling, when=phrase.when) for spelling in found]

    def _refuse_unwritable(self, forms: Sequence[str], role: Role) -> None:
        for form in forms:
            if form.strip() == self.tokenizer.eos_token:
                raise UserError(
                    f'"{form}" is the token that ends every text, not text itself: leave it out'
                )
            if form.strip() in self.tokenizer.all_special_tokens:
                raise UserError(
                    f'"{form}" is a special token, not text: give its id,'
                    f" [{self._id(form.strip())}]"
                )
            if role.must_occur and form != form.strip():
                raise UserError(
                    f"{form!r} begins or ends with white space, which tokenizers add and drop:"
                    " leave it out"
                )

    def _own_words(self, form: str) -> str:
        """A text as the tokenizer has it, perhaps in lower case or without accents."""
        ids = self.tokenizer(text_target=form, add_special_tokens=False)["input_ids"]
        read = self.tokenizer.decode(ids, skip_special_tokens=True).strip()
        is_other = (
            self.tokenizer.unk_token_id not in ids
            and read.split()
            and "".join(read.split()) != "".join(form.split())
        )
        return read if is_other else form

    def _id(self, token: str) -> int:
        return int(self.tokenizer.convert_tokens_to_ids(token))

    def _cases(
        self, form: str, phrase: Phrase, role: Role, setting: Setting
    ) -> Iterator[Spellings]:
        case = phrase.case or self.case
        whole_word = self.whole_word if phrase.whole_word is None else phrase.whole_word
        yield self._spellings(Letters.of(form, any_case=case == "any"), role, whole_word, setting)
        capital = form[0].upper() + form[1:]
        if case == "sentence" and capital != form:
            try:
                spelling = self._spellings(Letters.of(capital), role, whole_word, setting)
            except UserError:
                return  # without that capital, the phrase itself will do
            yield self._at_sentence_start(spelling, setting) if role.must_occur else spelling

    def _at_sentence_start(self, spelling: Spellings, setting: Setting) -> Spellings:
        """The spelling where a sentence begins, and nowhere else."""
        first, *rest = spelling.arcs
        last, ends_sentence = setting.last, self.vocabulary.before_a_sentence
        begins_with_byte = any(arc.token in self.vocabulary.bytes_of_characters for arc in first)
        return replace(
            spelling,
            leading=(),
            arcs=((*spelling.leading, *first), *rest),
            before=self._class("before a sentence", setting, is_byte=begins_with_byte),
            may_open=last is None or last in ends_sentence or self.vocabulary.piece(last) is None,
        )

    def _spellings(
        self, letters: Letters, role: Role, whole_word: bool, setting: Setting
    ) -> Spellings:
        begins_word = whole_word and is_of_a_word(letters.shown[0])
        ends_word = whole_word and is_of_a_word(letters.shown[-1])
        graph = graph_of(letters, self._pieces, begins_word, ends_word, role)
        if not role.must_occur:
            before = self._class("perhaps before a word", setting) if begins_word else None
            after = self._class("perhaps after a word", setting) if ends_word else None
            silent = self._class("silent", setting) if setting.skips else None
            return Spellings(
                letters.shown,
                graph.leading,
                graph.arcs,
                before,
                after,
                skipped=silent or frozenset(),
            )
        if not graph.is_complete:
            raise UserError(self._why_unknown(letters, graph))
        before = self._class(
            "before a word" if begins_word else "anything", setting, is_byte=graph.begins_with_byte
        )
        after = self._class(
            "after a word" if ends_word else "anything", setting, is_byte=graph.ends_with_byte
        )
        if (
            role is Role.FIRST
            and before is not None
            and setting.opening is not None
            and self.vocabulary.begins_texts_glued
        ):
            before |= {setting.opening}
        spelling = Spellings(
            letters.shown,
            graph.leading,
            graph.arcs,
            before,
            after,
            may_open=setting.last not in self.vocabulary.before_a_word.part
            and self.vocabulary.begins_texts_glued,
            opening=(
                setting.opening
                if role is not Role.FIRST and self.vocabulary.begins_texts_glued
                else None
            ),
        )
        return self._checked(self._offering(spelling, letters, role), letters)

    def _class(
        self, name: str, setting: Setting, *, is_byte: bool = False
    ) -> frozenset[int] | None:
        """The tokens that may stand beside a phrase, by the name of where they stand.

        Each set is made once.

        Beside a token that is one byte of a character no other may stand, since a run of them is
        read as a whole, nor a token without text, which may hide one.
        """
        if name == "anything" and not is_byte:
            return None
        key = (name, is_byte, setting.ends, setting.size)
        if key not in self._classes:
            members = self._members(name, setting)
            whole = (self.vocabulary.with_text - self.vocabulary.bytes_of_characters) | setting.ends
            self._classes[key] = members & whole if is_byte else members
        return self._classes[key]

    def _members(self, name: str, setting: Setting) -> frozenset[int]:
        known, everything = self.vocabulary, frozenset(range(setting.size))
        return {
            "anything": lambda: everything,
            "silent": lambda: everything - known.with_text - setting.ends,
            "after a word": lambda: known.after_a_word.free | setting.ends,
            "before a word": lambda: known.before_a_word.free,
            "perhaps after a word": lambda: (
                (known.with_text - known.after_a_word.part) | setting.ends
            ),
            "perhaps before a word": lambda: known.with_text - known.before_a_word.part,
            "before a sentence": lambda: known.before_a_sentence,
        }[name]()

    def _offering(self, spelling: Spellings, letters: Letters, role: Role) -> Spellings:
        """The spelling with the arcs marked that the search may place.

        They are the tokenizer's own, and a shortest way from each node; the model may write others.
        """
        if role is Role.FIRST:
            return self._beginning(spelling, letters)
        chosen = {
            arc
            for text in letters.cases
            for context in _CONTEXTS
            for arc in self._own(spelling, context, text)
        }
        distance = _distances(spelling)

        def marked(node: int | None, arcs: tuple[Arc, ...]) -> tuple[Arc, ...]:
            offered = {arc for arc in arcs if (node, arc) in chosen}
            clean = [arc for arc in arcs if node is not None or self._begins_clean(arc)] or arcs
            shortest = min((distance[arc.to] for arc in clean), default=0)
            if arcs and all(distance[arc.to] > shortest for arc in offered):
                offered.add(
                    max((arc for arc in clean if distance[arc.to] == shortest), key=self._size)
                )
            return tuple(replace(arc, is_offered=arc in offered) for arc in arcs)

        arcs = tuple(marked(node, here) for node, here in enumerate(spelling.arcs))
        return replace(spelling, leading=marked(None, spelling.leading), arcs=arcs)

    def _beginning(self, spelling: Spellings, letters: Letters) -> Spellings:
        """The spelling of what a text begins with, where nothing but its arcs may be written.

        Up to its last word it is written as the tokenizer writes it, so that a search has no choice
        there; the last word may go on, and is written in every way.
        """
        settled = self._settled(spelling, letters)

        def marked(node: int | None, arcs: tuple[Arc, ...]) -> tuple[Arc, ...]:
            if node not in settled and node:
                return arcs
            return tuple(replace(arc, is_offered=arc == settled.get(node)) for arc in arcs)

        if not settled:
            return spelling
        arcs = tuple(marked(node, here) for node, here in enumerate(spelling.arcs))
        return replace(spelling, leading=marked(None, spelling.leading), arcs=arcs)

    def _settled(self, spelling: Spellings, letters: Letters) -> dict[int | None, Arc]:
        """The arcs that the tokenizer takes from the beginning on, up to the last word."""
        begun = letters.shown.rpartition(" ")[0].encode()
        if len(letters.cases) > 1 or not begun:
            return {}
        ids = self.tokenizer(text_target=letters.shown, add_special_tokens=False)["input_ids"]
        settled: dict[int | None, Arc] = {}
        written = b""
        for node, arc in _path(spelling, ids):
            written = (written + (self.vocabulary.pieces[arc.token] or b"")).lstrip()
            if len(written) > len(begun):
                break
            settled[node] = arc
        return settled

    def _begins_clean(self, arc: Arc) -> bool:
        """Whether a leading token brings nothing but a space."""
        return (self.vocabulary.pieces[arc.token] or b"")[:1].isspace()

    def _size(self, arc: Arc) -> tuple[int, int]:
        """Longer pieces first, of equal ones the lower id."""
        return len(self.vocabulary.pieces[arc.token] or b""), -arc.token

    def _own(
        self, spelling: Spellings, context: str, text: str
    ) -> Iterator[tuple[int | None, Arc]]:
        """The arcs that the tokenizer takes when it writes the text in this context."""
        ids = self.tokenizer(text_target=context.format(text), add_special_tokens=False)[
            "input_ids"
        ]
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
            if (
                not any(text in read for text in letters.cases)
                and letters.shown.casefold() not in read.casefold()
            ):
                raise UserError(
                    f'"{letters.shown}": {type(self.tokenizer).__name__} reads "{read}" where this'
                    " is written, and so would a reader. Require that instead, or give token ids"
                )
        return spelling

    def _why_unknown(self, letters: Letters, graph: Graph) -> str:
        stuck = letters.shown[min(graph.reached, len(letters.shown) - 1)]
        character = next(
            (letter for letter in letters.shown if letter not in self.vocabulary.characters), stuck
        )
        ids = self.tokenizer(text_target=letters.shown, add_special_tokens=False)["input_ids"]
        writes = self.tokenizer.decode(ids, skip_special_tokens=True).strip()
        remedy = f'It would write "{writes}": require that' if writes else "Leave it out"
        return (
            f'"{letters.shown}": the tokenizer has no token that writes "{character}"'
            f" (U+{ord(character):04X}) here. {remedy}, or use a model whose tokenizer falls back"
            " on bytes"
        )


def _roles_in_order(role: Role, count: int) -> list[Role]:
    """What is asked of each of so many parts in order."""
    if count == 1:
        return [role]
    return [role.of_first_part, *[role.of_middle_part] * (count - 2), role.of_last_part]


def _ids(*tokens: int | None) -> frozenset[int]:
    return frozenset(token for token in tokens if token is not None)


def _distances(spelling: Spellings) -> Sequence[int]:
    """The fewest tokens from each node to an end."""
    far = 1 << 30
    distance = [far] * spelling.end + [0, 0]
    is_settled = False
    while not is_settled:
        new = [
            min((1 + distance[arc.to] for arc in arcs), default=far) for arcs in spelling.arcs
        ] + [0, 0]
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
