"""All rules, and what they find in a pair."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gridbeam.checks import codes, marks, numbers, spaces, terms, wording
from gridbeam.checks.pair import CheckedPair
from gridbeam.checks.rule import SEVERITIES, CheckRule, Finding
from gridbeam.errors import UserError

RULES: tuple[CheckRule, ...] = tuple(
    sorted(
        (
            *codes.RULES,
            *numbers.RULES,
            *marks.RULES,
            *spaces.RULES,
            *wording.RULES,
            *terms.RULES,
        ),
        key=lambda rule: SEVERITIES.index(rule.severity),
    )
)
"""The worst first."""
_WHERE_NOTHING_IS = frozenset(("untranslated", "blank"))
"""Rules on translations in which the others would find everything missing."""


def check(pair: CheckedPair, rules: Sequence[CheckRule] = RULES) -> list[Finding]:
    """What these rules find in a pair, in their order."""
    is_blank = pair.says_nothing
    return [
        Finding(rule.name, rule.severity, flaw.message, flaw.spans, flaw.source_spans)
        for rule in rules
        if not is_blank or rule.name in _WHERE_NOTHING_IS
        for flaw in rule.flaws(pair)
    ]


def chosen(only: Collection[str] = (), skip: Collection[str] = ()) -> tuple[CheckRule, ...]:
    """The rules of some names, or all but some; any of a rule's names will do."""
    for name in (*only, *skip):
        if not any(name in (rule.name, *rule.also) for rule in RULES):
            names = ", ".join(rule.name for rule in RULES)
            raise UserError(f'there is no rule "{name}": choose among {names}.')
    return tuple(rule for rule in RULES if (not only or _has(rule, only)) and not _has(rule, skip))


def _has(rule: CheckRule, names: Collection[str]) -> bool:
    return not {rule.name, *rule.also}.isdisjoint(names)
