"""Rules on what is no language: placeholders, tags, addresses, which stay as they are."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator

from gridbeam.checks.pair import OF_MARKUP, CheckedPair, CodeInText
from gridbeam.checks.rule import CheckRule, Flaw
from gridbeam.constraints.occurrences import Span
from gridbeam.markup.placeholders import element

_OF_PROGRAMS = frozenset(("printf", "brace", "message", "dollar", "own", "template", "block"))
_WITH_RULES_OF_THEIR_OWN = _OF_PROGRAMS | OF_MARKUP | {"escape", "address", "quote"}
"""Kinds that are not compared as identifiers are; quotation marks have a rule among the marks."""
_HEAD_OF_A_MESSAGE = re.compile(r"\{\s*([\w.-]+)\s*,\s*(\w+)")
"""The argument and the type of a message of ICU."""
_A_NUMBER = re.compile(r"%(?:\d+\$)?[-+#0,]*\d*(?:hh|h|ll|l|j|z|t)?[diun]|%\(\w+\)[di]|\{\w*\}")
"""A placeholder that a number may stand for."""
_UNMISTAKABLE = OF_MARKUP | {"brace", "message"}
"""Kinds that a translation has none of by chance, as `50 %igen` has one of printf."""


def _same(kinds: Callable[[str], bool]) -> Callable[[CheckedPair], Iterator[Flaw]]:
    """Compares the codes of some kinds, as often as each occurs."""
    return lambda pair: _compared(pair, kinds, _said)


def _compared(
    pair: CheckedPair, kinds: Callable[[str], bool], said: Callable[[CodeInText], str]
) -> Iterator[Flaw]:
    there = {each.kind for each in pair.source.codes}
    source, target = defaultdict[str, list[Span]](list), defaultdict[str, list[Span]](list)
    for each in pair.source.codes:
        if kinds(each.kind):
            source[said(each)].append((each.start, each.end))
    for each in pair.target.codes:
        if kinds(each.kind) and each.kind in there | _UNMISTAKABLE:
            target[said(each)].append((each.start, each.end))
    ours, theirs = (
        Counter({raw: len(spans) for raw, spans in side.items()}) for side in (source, target)
    )
    for raw, count in (ours - theirs).items():
        if not (pair.is_for_one and _A_NUMBER.fullmatch(raw)):
            yield Flaw(f"{raw} is missing{_times(count)}", (), tuple(source[raw]))
    for raw, count in (theirs - ours).items():
        yield Flaw(f"{raw} is not in the source{_times(count)}", tuple(target[raw]))


def _said(code: CodeInText) -> str:
    """What a code says, for comparison: words within it, as in a message, may be translated."""
    match code.kind:
        case "tag":
            return _tag(code.raw)
        case "message":
            head = _HEAD_OF_A_MESSAGE.match(code.raw)
            return f"{{{head[1]}, {head[2]}}}" if head else code.raw
        case _:
            return re.sub(r"\s+", " ", code.raw)


def _tag(raw: str) -> str:
    name, closes, is_alone = element(raw)
    return f"</{name}>" if closes else f"<{name}/>" if is_alone else f"<{name}>"


def _is_a_word(code: CodeInText, ended: Collection[str]) -> bool:
    """Whether it looks like a tag and says what to put there, as in `copy <file>`."""
    if code.kind != "tag" or "=" in code.raw:
        return False
    name, closes, is_alone = element(code.raw)
    return not closes and not is_alone and name not in ended


def _times(count: int) -> str:
    return f" {count} times" if count > 1 else ""


def _order(pair: CheckedPair) -> Iterator[Flaw]:
    """Tags that are all there, but do not enclose each other as they should."""
    open_tags: list[CodeInText] = []
    for each in pair.target.codes:
        if each.kind != "tag":
            continue
        name, closes, is_alone = element(each.raw)
        if is_alone:
            continue
        if not closes:
            open_tags.append(each)
        elif open_tags and element(open_tags[-1].raw)[0] == name:
            open_tags.pop()
        elif name in (element(other.raw)[0] for other in open_tags):
            yield Flaw(f"{each.raw} closes a tag within another", ((each.start, each.end),))
            return


def _is_well_nested(pair: CheckedPair) -> bool:
    return not any(_order(CheckedPair(pair.target, pair.source)))


def _markup(pair: CheckedPair) -> Iterator[Flaw]:
    tags = [each for each in (*pair.source.codes, *pair.target.codes) if each.kind == "tag"]
    ended = {element(each.raw)[0] for each in tags if element(each.raw)[1]}

    def said(code: CodeInText) -> str:
        return "<...>" if _is_a_word(code, ended) else _said(code)

    yield from _compared(pair, OF_MARKUP.__contains__, said)
    if _is_well_nested(pair):
        yield from _order(pair)


def _accelerators(pair: CheckedPair) -> Iterator[Flaw]:
    """Compares the letters marked for the keyboard, where the source has one before a word."""
    for mark in "&_":
        anywhere = re.compile(rf"{mark}(?=[^\W_])")
        source, target = (
            [each.span() for each in anywhere.finditer(text.text)]
            for text in (pair.source, pair.target)
        )
        begins = re.findall(rf"(?<![\w{mark}]){mark}(?=[^\W_])", pair.source.plain)
        if len(begins) == 1 and len(source) != len(target):
            found, wanted = len(target), len(source)
            message = f"{found} of {mark} before a letter where the source has {wanted}"
            yield Flaw(message, tuple(target), tuple(source))


RULES = (
    CheckRule(
        "placeholders",
        "error",
        "placeholders",
        "A placeholder of a program is missing, too many, or altered.",
        _same(_OF_PROGRAMS.__contains__),
        also=("printf", "variables", "pythonbraceformat", "c_format", "python_format"),
    ),
    CheckRule(
        "xmltags",
        "error",
        "tags",
        "A tag or a code of the file is missing, too many, or crosses another.",
        _markup,
        also=("xml-tags",),
    ),
    CheckRule(
        "escapes",
        "error",
        "escapes",
        "A line break or tab written with a backslash is missing or too many.",
        _same(lambda kind: kind == "escape"),
        also=("escaped_newline",),
    ),
    CheckRule(
        "urls",
        "warning",
        "addresses",
        "An address of a page, a mailbox or a file is another than in the source.",
        _same(lambda kind: kind == "address"),
        also=("url", "emails", "filepaths"),
    ),
    CheckRule(
        "accelerators",
        "warning",
        "accelerators",
        "The letter marked for the keyboard (&Save, _Save) is not marked, or several are.",
        _accelerators,
    ),
    CheckRule(
        "notranslate",
        "warning",
        "what is copied",
        "An identifier, an entity or what else is copied is another than in the source.",
        _same(lambda kind: kind not in _WITH_RULES_OF_THEIR_OWN),
        also=("functions", "options"),
    ),
)
