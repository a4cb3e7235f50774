"""Messages of ICU: syntax around texts, one for each number, gender or whatever is chosen by.

>>> message = read("{n, plural, one {# file} other {# files}}", 0)
>>> [(branch.selector, branch.text) for branch in message.branches]
[('one', '# file'), ('other', '# files')]
>>> print(message.in_language("ja").written(["#ファイル"]))
{n, plural, other {#ファイル}}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gridbeam.text.plural_categories import ORDER, one_is_wide, plural_forms

_HEAD = re.compile(
    r"\{\s*(?P<name>[\w.-]+)\s*,\s*(?P<kind>plural|selectordinal|select|choice)\s*,"
    r"(?:\s*offset:\s*\d+)?"
)
_BRANCH = re.compile(r"\s*(?P<selector>=\d+|[\w-]+)\s*\{")
_LIMIT = re.compile(r"\s*(?P<selector>-?[\d.∞]+\s*[#<≤])")
_BRACES = re.compile(r"''|(?P<quoted>'[{}](?:[^']|'')*(?:'|\Z))|[{}]")
_QUOTED = re.compile(r"''|'[{}#|](?:[^']|'')*'")
Ends: TypeAlias = Mapping[int, int | None]
_COUNTED = ("plural", "selectordinal")


@dataclass(frozen=True)
class Branch:
    """One of the texts of a message, and what it is chosen by."""

    selector: str
    opened: str
    """The syntax before it."""
    start: int
    end: int
    text: str

    def named(self, selector: str) -> Branch:
        """The same text under another selector."""
        return replace(
            self, selector=selector, opened=self.opened.replace(self.selector, selector, 1)
        )


@dataclass(frozen=True)
class IcuMessage:
    """A message: what stands before its branches and after the last, and the branches."""

    name: str
    kind: str
    head: str
    branches: tuple[Branch, ...]
    tail: str

    @property
    def is_counted(self) -> bool:
        """Whether `#` is a number in its branches."""
        return self.kind in _COUNTED

    @property
    def shape(self) -> tuple[str, ...]:
        """What no translation changes."""
        return self.kind, self.name, *(branch.selector for branch in self.branches)

    def written(self, texts: Sequence[object]) -> str:
        """The message with other texts in its branches."""
        pairs = zip(self.branches, texts, strict=True)
        return (
            self.head
            + "".join(f"{each.opened}{text}{self.closed}" for each, text in pairs)
            + self.tail
        )

    @property
    def closed(self) -> str:
        """The syntax after each branch."""
        return "" if self.kind == "choice" else "}"

    def in_language(self, code: str | None) -> IcuMessage:
        """The message with a branch for each plural form of a language, and none for others.

        A form that is missing has the text of `other`. Where `one` names no number, and stands for
        other numbers than 1 in that language, its text is that of 1 alone.
        """
        forms = plural_forms(code, is_ordinal=self.kind == "selectordinal") if code else None
        if not self.is_counted or forms is None or code is None:
            return self
        known = {branch.selector: branch for branch in self.branches}
        exact = [branch for branch in self.branches if branch.selector.startswith("=")]
        one = known.get("one")
        if one and "=1" not in known and one_is_wide(code) and not self._counts(one):
            exact, known = [*exact, one.named("=1")], {**known, "one": known["other"].named("one")}
        named = [known.get(form, known["other"].named(form)) for form in ORDER if form in forms]
        return replace(self, branches=(*exact, *named))

    def _counts(self, branch: Branch) -> bool:
        """Whether the text of a branch says how many there are."""
        return "#" in branch.text or re.search(rf"\{{\s*{self.name}\b", branch.text) is not None


def starts(text: str) -> Iterator[int]:
    """Where something begins that looks like a message with branches."""
    return (match.start() for match in _HEAD.finditer(text))


def read(text: str, start: int, ends: Ends | None = None) -> IcuMessage | None:
    """The message that begins at a place; None where it is not understood.

    `ends` is `closed_braces` of the text, where it is known.
    """
    ends = closed_braces(text) if ends is None else ends
    head, end = _HEAD.match(text, start), (ends.get(start) or 0) - 1
    if head is None or end < 0:
        return None
    is_choice = head["kind"] == "choice"
    branches = _choices(text, head.end(), end) if is_choice else _branches(text, head.end(), ends)
    done = branches[-1].end + (not is_choice) if branches else head.end()
    tail = text[done : end + 1]
    message = IcuMessage(head["name"], head["kind"], head[0], tuple(branches), tail)
    is_whole = re.fullmatch(r"\s*\}", tail) is not None
    has_other = is_choice or any(branch.selector == "other" for branch in branches)
    is_named_once = len({branch.selector for branch in branches}) == len(branches)
    return message if branches and is_whole and has_other and is_named_once else None


def _branches(text: str, place: int, ends: Ends) -> list[Branch]:
    found: list[Branch] = []
    while (match := _BRANCH.match(text, place)) and (after := ends.get(match.end() - 1)):
        end = after - 1
        found.append(Branch(match["selector"], match[0], match.end(), end, text[match.end() : end]))
        place = end + 1
    return found


def _choices(text: str, place: int, end: int) -> list[Branch]:
    found: list[Branch] = []
    done = place
    while match := _LIMIT.match(text, place, end):
        stop = _bar(text, match.end(), end)
        opened = text[done : match.end()]
        found.append(Branch(match["selector"], opened, match.end(), stop, text[match.end() : stop]))
        done, place = stop, stop + 1
    return found if not found or done == end else []


def _bar(text: str, place: int, end: int) -> int:
    """The next bar that is within no braces and not quoted, or the end."""
    depth = 0
    for match in re.compile(r"''|'[{}#|](?:[^']|'')*'|[{}|]").finditer(text, place, end):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if match[0] == "|" and not depth:
            return match.start()
    return end


def closed_braces(text: str, *, is_within: bool = False) -> dict[int, int | None]:
    """For each opening brace, where it is closed, or None; what is quoted within braces is text.

    `is_within` says that the text is itself within braces.

    >>> closed_braces("{a '{' b} {")
    {0: 9, 10: None}
    """
    ends, waiting, place = dict[int, int | None](), list[int](), 0
    while match := _BRACES.search(text, place):
        place = match.end()
        if match["quoted"] and not waiting and not is_within:
            place = match.start() + 1
        elif match[0] == "{":
            waiting.append(match.start())
            ends[match.start()] = None
        elif match[0] == "}" and waiting:
            ends[waiting.pop()] = match.end()
    return ends


def unquoted(text: str, *, is_counted: bool) -> Iterator[tuple[str, bool]]:
    """The text of a branch as it will be read, in parts, and whether each is to be left as it is.

    >>> list(unquoted("it''s # of '{x}'", is_counted=True))
    [("it's ", False), ('#', True), (' of ', False), ("'{x}'", True)]
    """
    done, plain = 0, ""
    pattern = re.compile(_QUOTED.pattern + ("|#" if is_counted else ""))
    for match in pattern.finditer(text):
        plain += text[done : match.start()]
        done = match.end()
        if match[0] == "''":
            plain += "'"
            continue
        if plain:
            yield plain, False
        yield match[0], True
        plain = ""
    if plain + text[done:]:
        yield plain + text[done:], False


def quoted(text: str, *, doubles: bool) -> str:
    """A text for a branch: apostrophes are doubled where one would quote what follows.

    `doubles` has all of them doubled, as the source has.

    >>> quoted("l'ami d'", doubles=False)
    "l'ami d''"
    """
    return re.sub("'" if doubles else r"'(?=[{}#|']|\Z)", "''", text)
