"""The rule on terms: what a glossary requires or forbids of a translation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gridbeam.checks.pair import COVER, CheckedPair
from gridbeam.checks.rule import CheckRule, Flaw
from gridbeam.glossary.index import TextWords
from gridbeam.glossary.matching import Match
from gridbeam.glossary.wording import Wording


def _flaws(pair: CheckedPair) -> Iterator[Flaw]:
    line = TextWords(pair.target.plain.replace(COVER, ""))
    done: dict[Wording, int] = {}
    for match in pair.terms:
        wording = match.required
        if wording is not None:
            done[wording] = done.get(wording, 0) + 1
            if len(_apart(wording.places(line))) < done[wording]:
                wanted = " or ".join(f'"{each}"' for each in wording.texts)
                yield Flaw(f'"{match.text}" is not {wanted}', (), ((match.start, match.end),))
    yield from _forbidden(pair.terms, line)


def _forbidden(terms: Sequence[Match], line: TextWords) -> Iterator[Flaw]:
    for bad in dict.fromkeys(bad for match in terms for bad in match.forbidden):
        if bad.places(line):
            yield Flaw(f'"{bad.texts[0]}" is forbidden')


def _apart(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of stretches that overlap the first."""
    found = list[tuple[int, int]]()
    for start, end in sorted(places):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found


RULES = (
    CheckRule(
        "check_glossary",
        "error",
        "terms",
        "A term of the glossary is not said as it asks, or a forbidden one is.",
        _flaws,
        also=("musttranslatewords", "notranslatewords", "terms"),
    ),
)
