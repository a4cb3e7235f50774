"""What a text must say: the terms of the constraint language.

A *pattern* (`Phrase`, `AnyOf`, `InOrder`) describes a stretch of text, a *constraint* is a pattern
that must occur, or one that must not (`Avoid`), or one that must come first (`Prefix`). Terms are
plain values over text or over token ids: they nest, compare, hash and print as a tree, and know
nothing of models or search.

>>> print(InOrder("ask", Gap(1, 5), AnyOf("out", "for a date")))
in order
├─ "ask"
├─ gap of 1 to 5 tokens
└─ any of
   ├─ "out"
   └─ "for a date"
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import index
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from gridbeam.errors import UserError

Filter: TypeAlias = Callable[[tuple[int, ...]], bool]
"""A user's own condition on the tokens written before a phrase begins."""
Case: TypeAlias = Literal["exact", "sentence", "any"]
"""Which capitals a phrase of text may have: its own, also a capital first letter where a sentence
begins, or any."""
CASES: tuple[Case, ...] = ("exact", "sentence", "any")


@dataclass(frozen=True, init=False, repr=False)
class Phrase:
    """Words or token ids, in this order with nothing between.

    `when` is asked with the tokens before the phrase (a tuple of ids) and must answer the same each
    time; where it says False the phrase does not count. `case`, `whole_word` and `inflect` (other
    forms that will do as well) are for text, and say how `gridbeam.Subwords` spells it; None leaves
    it to the `Subwords`.
    """

    content: str | tuple[int, ...]
    when: Filter | None
    case: Case | None
    whole_word: bool | None
    inflect: tuple[str, ...]

    def __init__(
        self,
        content: str | Iterable[int],
        when: Filter | None = None,
        *,
        case: Case | None = None,
        whole_word: bool | None = None,
        inflect: Iterable[str] = (),
    ) -> None:
        object.__setattr__(
            self, "content", content if isinstance(content, str) else _token_ids(content)
        )
        object.__setattr__(self, "when", when)
        object.__setattr__(self, "case", case)
        object.__setattr__(self, "whole_word", whole_word)
        object.__setattr__(self, "inflect", _forms(inflect))
        if not self.content:
            raise UserError(
                "a phrase is empty: give it at least one word or token id, or leave it out"
            )
        for form in (self.content, *self.inflect):
            refuse_half_characters(form)
        if when is not None and not (callable(when) and isinstance(when, Hashable)):
            raise UserError(f"when={when!r} is not a function of the tokens before the phrase")
        if case is not None and case not in CASES:
            raise UserError(f'case={case!r}: must be "exact", "sentence" or "any"')
        if whole_word not in (None, True, False):
            raise UserError(f"whole_word={whole_word!r}: must be True or False")
        if self.options and not isinstance(self.content, str):
            raise UserError(
                f"{list(self.content)} is given as token ids: {', '.join(self.options)} are for"
                " phrases of text"
            )

    @property
    def options(self) -> dict[str, Any]:
        """How the text may be written, where the phrase says so."""
        given = {
            "case": self.case,
            "whole_word": self.whole_word,
            "inflect": list(self.inflect) or None,
        }
        return {name: value for name, value in given.items() if value is not None}

    @property
    def tokens(self) -> tuple[int, ...]:
        """The token ids; a phrase of text has none until it is spelled."""
        if isinstance(self.content, str):
            raise UserError(
                f"{self} is text, and the search works on token ids: pass encode=, a function from"
                " text to ids"
            )
        return self.content

    def __repr__(self) -> str:
        content = self.content if isinstance(self.content, str) else list(self.content)
        when = {} if self.when is None else {"when": self.when}
        named = [f"{name}={value!r}" for name, value in {**when, **self.options}.items()]
        return f"Phrase({', '.join([repr(content), *named])})"

    def __str__(self) -> str:
        return tree(self)


@dataclass(frozen=True)
class Spellings:
    """All ways to write one text in tokens: the paths of a graph from a first token to the end.

    `gridbeam.Subwords` makes these from phrases of text; nobody writes them by hand.
    """

    text: str
    leading: tuple[Arc, ...]
    """First tokens that may follow anything: they bring a space along, or whatever else must stand
    before the text."""
    arcs: tuple[tuple[Arc, ...], ...]
    """The tokens that lead on from each node. Node 0 is the beginning of the text.

    First tokens that hold nothing but the text begin there. The node after the last is the end of
    the text, and the one after that the end within a longer token.
    """
    before: frozenset[int] | None = None
    """What may come right before the tokens of node 0, unless they begin the text; None:
    anything."""
    after: frozenset[int] | None = None
    """What may come right after the end, the end token among it; None: anything."""
    when: Filter | None = None
    may_open: bool = True
    """Whether the tokens of node 0 may be the first of the text; not so where a prompt ends in the
    midst of a word."""
    opening: int | None = None
    """A token without text, such as a language tag, that may be the first of all: after it a text
    begins as if at the start."""
    skipped: frozenset[int] = frozenset()
    """Tokens without text: where this is sought in every disguise, they may stand anywhere within
    it."""

    @property
    def end(self) -> int:
        """The node of the end of the text."""
        return len(self.arcs)

    @property
    def tokens(self) -> frozenset[int]:
        """Every token that some spelling holds."""
        return frozenset(arc.token for arcs in (self.leading, *self.arcs) for arc in arcs)

    @property
    def offered(self) -> frozenset[int]:
        """Those of them that the search may place."""
        return frozenset(
            arc.token for arcs in (self.leading, *self.arcs) for arc in arcs if arc.is_offered
        )

    def __repr__(self) -> str:
        return f"Spellings({self.text!r})"

    def __str__(self) -> str:
        return tree(self)


@dataclass(frozen=True)
class Arc:
    """A token of a spelling, and the node it leads to."""

    token: int
    to: int
    is_offered: bool = True
    """Whether the search may place it; spellings that no tokenizer would choose are only
    recognised."""


@dataclass(frozen=True, init=False, repr=False)
class AnyOf:
    """One of several patterns; they may share beginnings or contain each other."""

    alternatives: tuple[Pattern, ...]

    def __init__(self, *alternatives: PatternLike) -> None:
        if not alternatives:
            raise UserError("AnyOf() has no alternatives: give at least one")
        object.__setattr__(
            self, "alternatives", tuple(as_pattern(a, inside="AnyOf") for a in alternatives)
        )

    def __repr__(self) -> str:
        return f"AnyOf({', '.join(map(repr, self.alternatives))})"

    def __str__(self) -> str:
        return tree(self)


@dataclass(frozen=True)
class Gap:
    """Between two parts of an `InOrder`: from `min` to `max` tokens (None: no limit)."""

    min: int = 0
    max: int | None = None

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "min", index(self.min))
            object.__setattr__(self, "max", None if self.max is None else index(self.max))
        except TypeError:
            raise UserError(
                f"Gap({self.min!r}, {self.max!r}): a gap counts tokens, in whole numbers"
            ) from None
        if self.min < 0:
            raise UserError(f"Gap({self.min}, {self.max}): a gap has at least 0 tokens")
        if self.max is not None and self.max < self.min:
            raise UserError(
                f"Gap({self.min}, {self.max}): the most is less than the least; swap them"
            )


ANY_GAP = Gap()


@dataclass(frozen=True, init=False, repr=False)
class InOrder:
    """Patterns one after another; between two of them anything, or what a `Gap` allows."""

    parts: tuple[Pattern | Gap, ...]

    def __init__(self, *parts: PatternLike | Gap) -> None:
        object.__setattr__(
            self,
            "parts",
            tuple(p if isinstance(p, Gap) else as_pattern(p, inside="InOrder") for p in parts),
        )
        kinds = [isinstance(part, Gap) for part in self.parts]
        if not kinds:
            raise UserError("InOrder() has no parts: give at least one")
        if kinds[0] or kinds[-1] or any(a and b for a, b in itertools.pairwise(kinds)):
            raise UserError(
                f"{self!r}: a Gap stands between two patterns, not first, last or beside"
                " another Gap"
            )

    def gaps_and_patterns(self) -> list[tuple[Gap, Pattern]]:
        """Each pattern with the gap before it; the first has none, so its gap means nothing."""
        pairs, gap = [], ANY_GAP
        for part in self.parts:
            if isinstance(part, Gap):
                gap = part
            else:
                pairs.append((gap, part))
                gap = ANY_GAP
        return pairs

    def __repr__(self) -> str:
        return f"InOrder({', '.join(map(repr, self.parts))})"

    def __str__(self) -> str:
        return tree(self)


@dataclass(frozen=True, init=False, repr=False)
class Avoid:
    """A pattern that must not occur anywhere."""

    pattern: Pattern

    def __init__(self, pattern: PatternLike) -> None:
        object.__setattr__(self, "pattern", as_pattern(pattern, inside="Avoid"))

    def __repr__(self) -> str:
        return f"Avoid({self.pattern!r})"

    def __str__(self) -> str:
        return tree(self)


@dataclass(frozen=True, init=False, repr=False)
class Prefix:
    """A pattern that the text must begin with."""

    pattern: Pattern

    def __init__(self, pattern: PatternLike) -> None:
        object.__setattr__(self, "pattern", as_pattern(pattern, inside="Prefix"))

    def __repr__(self) -> str:
        return f"Prefix({self.pattern!r})"

    def __str__(self) -> str:
        return tree(self)


Pattern: TypeAlias = Phrase | Spellings | AnyOf | InOrder
Constraint: TypeAlias = Pattern | Avoid | Prefix
PatternLike: TypeAlias = Pattern | str | Sequence[int]
ConstraintLike: TypeAlias = Constraint | str | Sequence[int]
Constraints: TypeAlias = ConstraintLike | Sequence[ConstraintLike]
"""What may stand for the constraints of one text: a term, a string, or a list of them."""


def as_constraints(given: Constraints) -> tuple[Constraint, ...]:
    """The constraints of one text: a string is a phrase, a list of strings several.

    >>> as_constraints(["gegen", Avoid("HDD")])
    (Phrase('gegen'), Avoid(Phrase('HDD')))
    """
    if isinstance(given, str | Constraint):
        return (_as_constraint(given),)
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise UserError(
            f"{given!r} is not a constraint: write Phrase, AnyOf, InOrder, Avoid, Prefix, a string"
            " or a list of them"
        )
    return tuple(_as_constraint(item) for item in given)


def as_pattern(given: Any, *, inside: str) -> Pattern:
    """A pattern, or a string or ids that stand for a phrase.

    `inside` names the term that holds it, for the message of an error.
    """
    if isinstance(given, Pattern):
        return given
    if isinstance(given, Avoid | Prefix | Gap):
        raise UserError(
            f"{type(given).__name__} cannot stand inside {inside}: put {given!r} beside it in the"
            " list"
        )
    if isinstance(given, int):
        raise UserError(
            f"{given} inside {inside} is a bare token id: write [{given}] for a phrase of one token"
        )
    return Phrase(given)


def refuse_half_characters(text: object) -> None:
    """Raises where a text holds what no file and no tokenizer can: half of a pair of surrogates."""
    if isinstance(text, str) and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise UserError(
            f"{text!r} holds half of a character (a lone surrogate): write both halves, or neither"
        )


@runtime_checkable
class Speller(Protocol):
    """Whatever knows all spellings of a text; `gridbeam.Subwords` does."""

    def spelled(
        self, term: Constraint, ends: Collection[int], vocab_size: int | None
    ) -> Constraint:
        """The same term with `Spellings` in place of text.

        For a model with these end tokens and this many tokens in all.
        """
        ...


Encode: TypeAlias = Callable[[str], Sequence[int]] | Speller
"""From text to token ids: a function that knows one spelling, or whatever knows all."""


def spell(
    term: Constraint, encode: Encode, ends: Collection[int] = (), vocab_size: int | None = None
) -> Constraint:
    """The same term over token ids, each text turned into ids by `encode`."""
    if isinstance(encode, Speller):
        return encode.spelled(term, ends, vocab_size)
    if hasattr(encode, "get_vocab"):
        raise UserError(
            f"encode is a {type(encode).__name__}: write encode=gridbeam.Subwords(tokenizer)"
        )

    def spelled(phrase: Phrase) -> Phrase:
        if not isinstance(phrase.content, str):
            return phrase
        if phrase.options:
            raise UserError(
                f"{phrase!r}: a plain function cannot honour {', '.join(phrase.options)}; use"
                " gridbeam.Subwords"
            )
        tokens = encode(phrase.content)
        if not len(tokens):
            raise UserError(
                f"{tree(phrase)} is encoded to no tokens at all: the model cannot be made to say it"
            )
        encoded = Phrase(tokens, phrase.when)
        if added := _special_tokens(phrase.content, encoded.tokens, encode):
            raise UserError(
                f"{tree(phrase)} is encoded as {encoded}, with tokens that encode puts around every"
                f" text ({added} for none): encode without special tokens"
                " (add_special_tokens=False), or write encode=gridbeam.Subwords(tokenizer)"
            )
        return encoded

    return rebuilt(term, phrase=spelled)


def _special_tokens(
    text: str, ids: Sequence[int], encode: Callable[[str], Sequence[int]]
) -> list[int]:
    """What a function puts around every text, around none as well: the model would have to say it.

    It is there once where a text is there twice; what a table of words has for the empty one, as
    for others that it lacks, is not. A function that takes no such texts is taken to add nothing.
    """
    with suppress(Exception):
        added, twice = list(map(index, encode(""))), list(map(index, encode(f"{text} {text}")))
        edges = {(ids[0], added[0]), (ids[-1], added[-1])} if 0 < len(added) < len(ids) else set()
        if any(own == other and twice.count(own) == ids.count(own) for own, other in edges):
            return added
    return []


def rebuilt(
    term: Constraint,
    *,
    phrase: Callable[[Phrase], Pattern] = lambda p: p,
    gap: Callable[[Gap], Gap] = lambda g: g,
) -> Constraint:
    """The same term with other phrases and gaps in it."""

    def pattern(part: Pattern) -> Pattern:
        match part:
            case Phrase():
                return phrase(part)
            case Spellings():
                return part
            case AnyOf(alternatives):
                return AnyOf(*map(pattern, alternatives))
            case InOrder(parts):
                return InOrder(*(gap(p) if isinstance(p, Gap) else pattern(p) for p in parts))

    match term:
        case Avoid(inner):
            return Avoid(pattern(inner))
        case Prefix(inner):
            return Prefix(pattern(inner))
        case _:
            return pattern(term)


def phrases(term: Constraint | Gap) -> list[Phrase | Spellings]:
    """Every phrase in a term, from left to right."""
    match term:
        case Phrase() | Spellings():
            return [term]
        case Gap():
            return []
        case AnyOf(parts) | InOrder(parts):
            return [phrase for part in parts for phrase in phrases(part)]
        case Avoid(pattern) | Prefix(pattern):
            return phrases(pattern)


def tree(term: Constraint | Gap) -> str:
    """The term as a drawing of its parts, one line each."""
    match term:
        case Phrase(content, when) | Spellings(content, when=when):
            shown = (
                f'"{content}"'
                if isinstance(content, str)
                else "[" + " ".join(map(str, content)) + "]"
            )
            return (
                shown if when is None else f"{shown} when {getattr(when, '__name__', repr(when))}"
            )
        case Gap(least, most):
            return (
                f"gap of at least {least} tokens"
                if most is None
                else f"gap of {least} to {most} tokens"
            )
        case AnyOf(alternatives):
            return _branches("any of", alternatives)
        case InOrder(parts):
            return _branches("in order", parts)
        case Avoid(pattern):
            return _branches("avoid", (pattern,))
        case Prefix(pattern):
            return _branches("prefix", (pattern,))


def in_line(term: Constraint | Gap) -> str:
    """The term on one line, for messages.

    >>> in_line(InOrder("ask", Gap(1, 5), AnyOf("out", "over")))
    'in order ("ask", gap of 1 to 5 tokens, any of ("out", "over"))'
    """
    match term:
        case Phrase() | Spellings() | Gap():
            return tree(term)
        case AnyOf(parts):
            return f"any of ({', '.join(map(in_line, parts))})"
        case InOrder(parts):
            return f"in order ({', '.join(map(in_line, parts))})"
        case Avoid(pattern):
            return f"avoid {in_line(pattern)}"
        case Prefix(pattern):
            return f"prefix {in_line(pattern)}"


def _as_constraint(given: Any) -> Constraint:
    if isinstance(given, Constraint):
        return given
    return as_pattern(given, inside="a list of constraints")


def _branches(title: str, parts: Sequence[Pattern | Gap]) -> str:
    lines = [title]
    for number, part in enumerate(parts, 1):
        is_last = number == len(parts)
        head, *rest = tree(part).splitlines()
        lines.append(("└─ " if is_last else "├─ ") + head)
        lines.extend(("   " if is_last else "│  ") + line for line in rest)
    return "\n".join(lines)


def _forms(inflect: Any) -> tuple[str, ...]:
    forms = (
        (inflect,)
        if isinstance(inflect, str)
        else tuple(inflect)
        if isinstance(inflect, Iterable)
        else (inflect,)
    )
    if not all(isinstance(form, str) and form.strip() for form in forms):
        raise UserError(f"inflect={inflect!r}: give other forms of the phrase, as a list of texts")
    return forms


def _token_ids(content: Iterable[int]) -> tuple[int, ...]:
    if isinstance(content, Mapping | bytes):
        raise UserError(
            f"{content!r} is neither text nor a list of token ids; read JSON with"
            " gridbeam.notation.from_json"
        )
    content = list(content) if isinstance(content, Iterable) else content
    if isinstance(content, list) and content and all(isinstance(item, str) for item in content):
        raise UserError(
            f"{content!r} is a list of texts where one is expected: give them one by one, as in"
            " AnyOf('a', 'b')"
        )
    try:
        ids = tuple(index(token) for token in content)
    except TypeError:
        raise UserError(
            f"{content!r} is neither text nor a list of token ids, such as [5, 7] without a batch"
            " axis"
        ) from None
    if any(token < 0 for token in ids):
        raise UserError(f"{list(ids)} holds a negative number: token ids start at 0")
    return ids
