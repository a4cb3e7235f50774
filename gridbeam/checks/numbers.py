"""The numbers of a text recur in its translation, whatever separators each language writes.

A number is compared by its digits: 1,000.5 and 1.000,5 and 1 000,5 are the same. One that is
written out as a word (2 and two, 3rd and third), in Roman numerals or on another clock (5 PM and
17 Uhr) is there as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial

from gridbeam.checks.pair import CheckedPair, CheckedText
from gridbeam.checks.rule import CheckRule, Flaw

_NUMBER = re.compile(
    r"\d{1,3}(?:[\u00a0\u202f\u2009 ]\d{3})+(?![\d\w])(?:[.,]\d+)?|\d+(?:[.,'’]\d+)*"
)
_HALF_A_DAY = re.compile(r"\d\s?(?:[ap]\.?\s?m\b)", re.IGNORECASE)
_WORDS = {
    "en": """
        zero|none|no one|first|once|single|only|mono|unit
        two|second|twice|both|double|pair|half three|third|triple|thrice
        four|fourth|quarter|quad five|fifth six|sixth seven|seventh eight|eighth|oct
        nine|ninth ten|tenth|dec eleven|eleventh twelve|twelfth|dozen
    """,
    "de": """
        null|kein eins|erst|einzel|einmal zwei|zwo|zweit|beid|doppel|halb|paar drei|dritt
        vier|viert fünf|fünft sechs|sechst sieben|siebt acht|acht|okt neun|neunt
        zehn|zehnt|dez elf|elft zwölf|zwölft
    """,
    "fr": """
        zéro|aucun premi|seul|unique deux|second|double|demi|paire trois|troisi|tri|tiers
        quatre|quatri|quart|quad cinq|cinqui six|sixi sept|septi huit|huiti|oct neuf|neuvi
        dix|dixi|déc onze|onzi douze|douzi
    """,
    "pt": """
        zero|nenhum primeir|únic dois|duas|segund|dupl|ambos|mei|par três|terceir|tri|terç
        quatro|quart|quádr cinco|quint seis|sext sete|sétim oito|oitav|oct nove|non
        dez|décim onze doze
    """,
    "es": """
        cero|ningún uno|primer|únic dos|segund|dobl|medi tres|tercer|tri cuatro|cuart
        cinco|quint seis|sext siete|séptim ocho|octav nueve|noven diez|décim once doce
    """,
    "it": """
        zero|nessun uno|prim|singol due|second|doppi tre|terz quattro|quart cinque|quint
        sei|sest sette|settim otto|ottav nove|non dieci|decim undici dodici
    """,
    "nl": """
        nul|geen één|eerst twee|dubbel drie|derd vier vijf zes zeven acht negen tien elf
        twaalf
    """,
}
"""For each language how words for the numbers from 0 to 12 begin."""
_WITH_COMMA = frozenset(
    "bg ca cs da de el es fi fr hr hu id it nl no pl pt ro ru sk sl sv tr uk".split()  # noqa: SIM905
)
"""Languages with a comma before decimals."""
_ENGLISH = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+)(?![\w.,]*\w)")
"""With commas between thousands, or one dot; two dots make a version."""
_ROMAN = (("X", 10), ("IX", 9), ("V", 5), ("IV", 4), ("I", 1))


@dataclass(frozen=True)
class NumberInText:
    """A number by its digits, and where it stands."""

    digits: str
    start: int
    end: int


def _numbers(text: CheckedText) -> list[NumberInText]:
    """The numbers of a text from left to right; none of its placeholders."""
    return [
        NumberInText(_digits(found[0]), *found.span()) for found in _NUMBER.finditer(text.plain)
    ]


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number).lstrip("0") or "0"


def _flaws(pair: CheckedPair) -> Iterator[Flaw]:
    source, target = _numbers(pair.source), _numbers(pair.target)
    if _groups(pair.source) == _groups(pair.target):
        return
    ours, theirs = (Counter(each.digits for each in side) for side in (source, target))
    missing, added = ours - theirs, theirs - ours
    source_language, target_language = pair.source_language, pair.target_language
    is_told = cache(partial(_is_written_out, pair.target, target_language, pair.source))
    was_told = cache(partial(_is_written_out, pair.source, source_language, pair.source))
    for each in _last_of(source, missing):
        if not is_told(each.digits):
            written = pair.source.text[each.start : each.end]
            yield Flaw(f"{written} is missing", (), ((each.start, each.end),))
    for each in _last_of(target, added):
        if not was_told(each.digits):
            written = pair.target.text[each.start : each.end]
            yield Flaw(f"{written} is not in the source", ((each.start, each.end),))


def _groups(text: CheckedText) -> Counter[str]:
    """The digits in a row, however they are joined: 1,000 and 1 000 have the same."""
    return Counter(re.findall(r"\d+", text.plain))


def _last_of(numbers: list[NumberInText], wanted: Counter[str]) -> list[NumberInText]:
    """So many of each number as are wanted."""
    left, found = Counter(wanted), list[NumberInText]()
    for each in reversed(numbers):
        if left[each.digits]:
            left[each.digits] -= 1
            found.append(each)
    return found[::-1]


def _is_written_out(other: CheckedText, language: str, source: CheckedText, digits: str) -> bool:
    """Whether the other text has a number in another form than its digits."""
    value = int(digits) if len(digits) < 3 else 99
    if value <= 12:
        words = [found[0].lower() for found in other.words]
        beginnings = _beginnings(language, value)
        if any(_begins(word, beginning) for word in words for beginning in beginnings):
            return True
    if value < 24 and _HALF_A_DAY.search(source.plain):
        others = {each.digits for each in _numbers(other)}
        if {str(value + 12), str(value - 12), str(value % 12), "12"} & others:
            return True
    return 0 < value < 40 and bool(re.search(rf"\b{_roman(value)}(?![A-Z])", other.plain))


def _beginnings(language: str, value: int) -> tuple[str, ...]:
    """How words for a number may begin: any word, in a language whose words are not known."""
    lists = _WORDS.values() if not language else [_WORDS[language]] if language in _WORDS else []
    found = tuple(each for words in lists for each in words.split()[value].split("|"))
    return found or ("",)


def _begins(word: str, beginning: str) -> bool:
    """Whether a word begins so; a short beginning is a word of its own."""
    return word == beginning or (word.startswith(beginning) and len(beginning) not in (1, 2))


def _roman(value: int) -> str:
    written = ""
    for letters, worth in _ROMAN:
        while value >= worth:
            written, value = written + letters, value - worth
    return written


def _foreign(pair: CheckedPair) -> Iterator[Flaw]:
    """Finds numbers that are written as in English, where the target language writes others."""
    if pair.source_language != "en" or pair.target_language not in _WITH_COMMA:
        return
    for each in _ENGLISH.finditer(pair.target.plain):
        if each[0] in pair.source.plain:
            yield Flaw(f"{each[0]} has the separators of English", (each.span(),))


RULES = (
    CheckRule(
        "numbers",
        "error",
        "numbers",
        "A number is missing, too many or another one; separators may differ.",
        _flaws,
    ),
    CheckRule(
        "separators",
        "hint",
        "numbers",
        "A number has the separators of English, in a language with a comma before decimals.",
        _foreign,
    ),
)
