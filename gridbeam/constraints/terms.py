"""What a text must say: the terms of the constraint language.

A *pattern* (`Phrase`, `AnyOf`, `InOrder`) describes a stretch of text, a *constraint* is a pattern
that must occur, or one that must not (`Avoid`) or not too often (`AtMost`), or one that must come
first (`Prefix`) or last (`Suffix`). Terms are plain values over text or over token ids: they nest,
compare, hash and print as a tree, and know nothing of models or search.

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
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from gridbeam.constraints.drawing import tree
from gridbeam.constraints.roles import Role
from gridbeam.constraints.spelled import Filter, Spellings, quoted
from gridbeam.errors import UserError

Case: TypeAlias = Literal["exact", "sentence", "any"]
"""Which capitals a phrase of text may have: its own, also a capital first letter where a sentence
begins, or any."""
CASES: tuple[Case, ...] = ("exact", "sentence", "any")
_LONGEST = 20_000
"""Characters or tokens of a phrase: the spellings of a longer one take very long to find."""
MOST_LEVELS = 100
"""How deep terms may be nested, so that whatever walks over them may call itself."""
TOO_DEEP = (
    f"AnyOf and InOrder are nested more than {MOST_LEVELS} levels deep: write what is inside one of"
    " them side by side, without another around it"
)
_MOST_TIMES = 1000


@dataclass(frozen=True, init=False, repr=False)
class Phrase:
    """Words or token ids, in this order with nothing between.

    `when` is asked with the tokens before the phrase (a tuple of ids) and must answer the same each
    time; where it says False the phrase does not count. `case`, `whole_word` and `inflect` (other
    forms that will do as well) are for text, and say how `gridbeam.Subwords` spells it; None leaves
    it to the `Subwords`.
    """

    role: ClassVar[Literal[Role.REQUIRED]] = Role.REQUIRED
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
            if len(form) > _LONGEST:
                raise UserError(
                    f"a phrase has {len(form):,} characters or tokens, and no translation says more"
                    f" than {_LONGEST:,} of them at once: shorten it, or cut it into several"
                )
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

    @property
    def title(self) -> str:
        """What it is, without its parts."""
        return quoted(self.content, self.when)

    @property
    def branches(self) -> tuple[Pattern, ...]:
        """None: a phrase is drawn on one line."""
        return ()

    def __repr__(self) -> str:
        content = self.content if isinstance(self.content, str) else list(self.content)
        when = {} if self.when is None else {"when": self.when}
        named = [f"{name}={value!r}" for name, value in {**when, **self.options}.items()]
        return f"Phrase({', '.join([repr(content), *named])})"

    def __str__(self) -> str:
        return tree(self)


@dataclass(frozen=True, init=False, repr=False)
class AnyOf:
    """One of several patterns; they may share beginnings or contain each other."""

    role: ClassVar[Literal[Role.REQUIRED]] = Role.REQUIRED
    alternatives: tuple[Pattern, ...]
    levels: int = field(init=False, repr=False, compare=False)

    def __init__(self, *alternatives: PatternLike) -> None:
        if not alternatives:
            raise UserError("AnyOf() has no alternatives: give at least one")
        object.__setattr__(
            self, "alternatives", tuple(as_pattern(a, inside="AnyOf") for a in alternatives)
        )
        object.__setattr__(self, "levels", _levels(self.alternatives))

    @property
    def title(self) -> str:
        """What it is, without its parts."""
        return "any of"

    @property
    def branches(self) -> tuple[Pattern, ...]:
        """The alternatives."""
        return self.alternatives

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

    @property
    def title(self) -> str:
        """What it is."""
        least = f"gap of at least {self.min} tokens"
        return least if self.max is None else f"gap of {self.min} to {self.max} tokens"

    @property
    def branches(self) -> tuple[Pattern, ...]:
        """None: a gap has no parts."""
        return ()


ANY_GAP = Gap()


@dataclass(frozen=True, init=False, repr=False)
class InOrder:
    """Patterns one after another; between two of them anything, or what a `Gap` allows."""

    role: ClassVar[Literal[Role.REQUIRED]] = Role.REQUIRED
    parts: tuple[Pattern | Gap, ...]
    levels: int = field(init=False, repr=False, compare=False)

    def __init__(self, *parts: PatternLike | Gap) -> None:
        object.__setattr__(
            self,
            "parts",
            tuple(p if isinstance(p, Gap) else as_pattern(p, inside="InOrder") for p in parts),
        )
        object.__setattr__(self, "levels", _levels(self.parts))
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

    @property
    def title(self) -> str:
        """What it is, without its parts."""
        return "in order"

    @property
    def branches(self) -> tuple[Pattern | Gap, ...]:
        """The parts, gaps among them."""
        return self.parts

    def __repr__(self) -> str:
        return f"InOrder({', '.join(map(repr, self.parts))})"

    def __str__(self) -> str:
        return tree(self)


@dataclass(frozen=True, init=False, repr=False)
class Avoid:
    """A pattern that must not occur anywhere."""

    role: ClassVar[Literal[Role.FORBIDDEN]] = Role.FORBIDDEN
    name: ClassVar[str] = "avoid"
    pattern: Pattern

    def __init__(self, pattern: PatternLike) -> None:
        object.__setattr__(self, "pattern", as_pattern(pattern, inside="Avoid"))

    @property
    def sought(self) -> Pattern:
        """The pattern that is looked for in the text."""
        return self.pattern

    @property
    def title(self) -> str:
        """What it is, without its pattern."""
        return self.name

    @property
    def branches(self) -> tuple[Pattern, ...]:
        """The pattern."""
        return (self.pattern,)

    def __repr__(self) -> str:
        return f"Avoid({self.pattern!r})"

    def __str__(self) -> str:
        return tree(self)


@dataclass(frozen=True, init=False, repr=False)
class Prefix:
    """A pattern that the text must begin with."""

    role: ClassVar[Literal[Role.FIRST]] = Role.FIRST
    name: ClassVar[str] = "prefix"
    pattern: Pattern

    def __init__(self, pattern: PatternLike) -> None:
        object.__setattr__(self, "pattern", as_pattern(pattern, inside="Prefix"))

    @property
    def sought(self) -> Pattern:
        """The pattern that is looked for in the text."""
        return self.pattern

    @property
    def title(self) -> str:
        """What it is, without its pattern."""
        return self.name

    @property
    def branches(self) -> tuple[Pattern, ...]:
        """The pattern."""
        return (self.pattern,)

    def __repr__(self) -> str:
        return f"Prefix({self.pattern!r})"

    def __str__(self) -> str:
        return tree(self)


@dataclass(frozen=True, init=False, repr=False)
class Suffix:
    """A pattern that the text must end with, right before the end token."""

    role: ClassVar[Literal[Role.LAST]] = Role.LAST
    name: ClassVar[str] = "suffix"
    pattern: Pattern

    def __init__(self, pattern: PatternLike) -> None:
        object.__setattr__(self, "pattern", as_pattern(pattern, inside="Suffix"))

    @property
    def sought(self) -> Pattern:
        """The pattern that is looked for in the text."""
        return self.pattern

    @property
    def title(self) -> str:
        """What it is, without its pattern."""
        return self.name

    @property
    def branches(self) -> tuple[Pattern, ...]:
        """The pattern."""
        return (self.pattern,)

    def __repr__(self) -> str:
        return f"Suffix({self.pattern!r})"

    def __str__(self) -> str:
        return tree(self)


@dataclass(frozen=True, init=False, repr=False)
class AtMost:
    """A pattern that may occur at most `n` times.

    Counted are occurrences one after another, each wholly after the one before, as many as the text
    holds: `n` + 1 of them must not occur. So `AtMost(0, "a")` means `Avoid("a")`, and 5 5 5 holds
    5 5 once.
    """

    role: ClassVar[Literal[Role.FORBIDDEN]] = Role.FORBIDDEN
    name: ClassVar[str] = "at_most"
    n: int
    pattern: Pattern

    def __init__(self, n: int, pattern: PatternLike) -> None:
        try:
            object.__setattr__(self, "n", index(n))
        except TypeError:
            raise UserError(
                f"AtMost({n!r}, ...): write how often it may occur, 0 or more"
            ) from None
        object.__setattr__(self, "pattern", as_pattern(pattern, inside="AtMost"))
        if not 0 <= self.n <= _MOST_TIMES:
            raise UserError(
                f"{self!r}: a phrase may occur at most 0 to {_MOST_TIMES} times; leave out what is"
                " not limited"
            )

    @property
    def sought(self) -> Pattern:
        """One occurrence more than may be, one after another."""
        return self.pattern if self.n == 0 else InOrder(*[self.pattern] * (self.n + 1))

    @property
    def title(self) -> str:
        """What it is, without its pattern."""
        return "at most once" if self.n == 1 else f"at most {self.n} times"

    @property
    def branches(self) -> tuple[Pattern, ...]:
        """The pattern."""
        return (self.pattern,)

    def __repr__(self) -> str:
        return f"AtMost({self.n}, {self.pattern!r})"

    def __str__(self) -> str:
        return tree(self)


Pattern: TypeAlias = Phrase | Spellings | AnyOf | InOrder
Demand: TypeAlias = Avoid | AtMost | Prefix | Suffix
"""What holds a pattern and stands at the top of a list. Each kind has a role, a `pattern`, the
pattern that is `sought` for its sake, and the name that it has in JSON; other fields are options
beside the pattern there."""
Constraint: TypeAlias = Pattern | Demand
PatternLike: TypeAlias = Pattern | str | Sequence[int]
ConstraintLike: TypeAlias = Constraint | str | Sequence[int]
Constraints: TypeAlias = ConstraintLike | Sequence[ConstraintLike]
"""What may stand for the constraints of one text: a term, a string, or a list of them."""


_WRITTEN = [kind.__name__ for kind in get_args(Constraint) if kind is not Spellings]


def as_constraints(given: Constraints) -> tuple[Constraint, ...]:
    """The constraints of one text: a string is a phrase, a list of strings several.

    >>> as_constraints(["gegen", Avoid("HDD")])
    (Phrase('gegen'), Avoid(Phrase('HDD')))
    """
    if isinstance(given, str | Constraint):
        return (_as_constraint(given),)
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise UserError(
            f"{_shown(given)} is not a constraint: write {', '.join(_WRITTEN)}, a string or a list"
            " of them"
        )
    return tuple(_as_constraint(item) for item in given)


def as_pattern(given: Any, *, inside: str) -> Pattern:
    """A pattern, or a string or ids that stand for a phrase.

    `inside` names the term that holds it, for the message of an error.
    """
    if isinstance(given, Pattern):
        return given
    if isinstance(given, Demand | Gap):
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


def _as_constraint(given: Any) -> Constraint:
    if isinstance(given, Constraint):
        return given
    return as_pattern(given, inside="a list of constraints")


def _levels(parts: Sequence[Pattern | Gap]) -> int:
    """How many levels a term with these parts has."""
    inside = [part.levels for part in parts if isinstance(part, AnyOf | InOrder)]
    if max(inside, default=0) >= MOST_LEVELS:
        raise UserError(TOO_DEEP)
    return 1 + max(inside, default=0)


def _shown(value: object) -> str:
    """A value for a message, however deep it is nested."""
    try:
        return repr(value)
    except RecursionError:
        return f"a {type(value).__name__} that is nested very deep"


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
            f"{_shown(content)} is neither text nor a list of token ids, such as [5, 7] without a"
            " batch axis"
        ) from None
    if any(token < 0 for token in ids):
        raise UserError(f"{list(ids)} holds a negative number: token ids start at 0")
    return ids
