"""Pairs in other dress: what products write and running text has little of.

Labels in capitals, as titles and in small letters; sentences without their full stop, or with a
colon; numbers, versions, paths, flags, addresses and names of things in code, which have to come
out as they went in; labels in a list, a menu path or beside a sign. Each is made of a pair that is
there, on both sides alike, so nothing has to be known about the languages.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import TypeAlias

Pair: TypeAlias = tuple[str, str]

_PLACEHOLDER = re.compile(r"(?<![^\s\"'“„«(])\{[1-9]\}(?![\w{/])")
"""A placeholder that stands for something whole, and not for a tag around words."""
_LONGEST_LABEL = 5
"""A label has no more words."""
_SIGNS = (
    ", ",
    ", ",
    ", ",
    " / ",
    " | ",
    " = ",
    " > ",
    " < ",
    " - ",
    ": ",
    " [",
    "; ",
    " + ",
    " & ",
)
_WORDS = (  # noqa: SIM905
    "admin app api backup base beta bin build cache cfg client config core data db debug demo dev"
    " dist doc draft edit etc export file final font foo get home host image index info init input"
    " item key lib list local log main map max media min mode model name net new node old option"
    " output page path plugin port print proxy query read repo root run sample save script server"
    " set src start state sync sys table tag temp test theme time tmp token tool type update url"
    " user util value var view web work write"
).split()


def varied(pairs: Iterable[Pair], share: float, seed: int, *, capitalises: bool) -> Iterator[Pair]:
    """The pairs, a share of them varied where they can be.

    `capitalises` says that the target language writes nouns with capitals, so that a label may
    begin with one whatever its source begins with.
    """
    chance, labels = Random(seed), deque[Pair](maxlen=40)
    for pair in pairs:
        if _is_label(pair):
            labels.append(pair)
        if chance.random() >= share:
            yield pair
            continue
        makers = [make for fits, make in _variants(labels, capitalises) if fits(pair)]
        yield chance.choice(makers)(pair, chance) if makers else pair


def _variants(
    labels: deque[Pair], capitalises: bool
) -> list[tuple[Callable[[Pair], bool], Callable[[Pair, Random], Pair]]]:
    """What can be made of a pair: where, and how."""
    return [
        (_has_placeholder, _with_codes),
        (_has_placeholder, _with_codes),
        (_is_short, lambda pair, _: _in_capitals(pair)),
        (_is_label, lambda pair, _: _in_small_letters(pair, capitalises=capitalises)),
        (_is_label, lambda pair, _: (_titled(pair[0]), pair[1])),
        (
            lambda pair: _is_label(pair) and len(labels) > 3,
            lambda _, chance: _listed(labels, chance),
        ),
        (_is_sentence, _with_another_end),
    ]


def _is_label(pair: Pair) -> bool:
    """Whether a pair is a few words without an end mark."""
    source, target = pair
    return (
        0 < len(source.split()) <= _LONGEST_LABEL
        and source[0].isalpha()
        and source[-1].isalpha()
        and target[-1:].isalpha()
        and "\t" not in source
    )


def _is_short(pair: Pair) -> bool:
    source = pair[0]
    return len(source.split()) <= _LONGEST_LABEL and not source.isupper() and "-" not in source


def _is_sentence(pair: Pair) -> bool:
    return all(side.endswith(".") and not side.endswith("..") and " " in side for side in pair)


def _has_placeholder(pair: Pair) -> bool:
    here, there = (sorted(_PLACEHOLDER.findall(side)) for side in pair)
    return bool(here) and here == there


def _in_capitals(pair: Pair) -> Pair:
    """Both sides in capitals.

    >>> _in_capitals(("Open {1}", "{1} öffnen"))
    ('OPEN {1}', '{1} ÖFFNEN')
    """
    source, target = pair
    return source.upper(), target.upper()


def _in_small_letters(pair: Pair, *, capitalises: bool) -> Pair:
    """The source in small letters, and the target begun with one where the language would."""
    source, target = pair
    is_plain = target[1:] == target[1:].lower()
    return source.lower(), target if capitalises or not is_plain else target.lower()


def _titled(text: str) -> str:
    """Each word with a capital, but for those with capitals inside.

    >>> _titled("Save the PDF file as")
    'Save The PDF File As'
    """
    return " ".join(word[:1].upper() + word[1:] for word in text.split(" "))


def _listed(labels: deque[Pair], chance: Random) -> Pair:
    """Two to four labels with the same sign between them."""
    chosen = chance.sample([*labels], chance.randint(2, 4))
    sign = chance.choice(_SIGNS)
    end = "]" if sign == " [" else ""
    chosen = chosen[:2] if end else chosen
    sources, targets = zip(*chosen, strict=True)
    return sign.join(sources) + end, sign.join(targets) + end


def _with_another_end(pair: Pair, chance: Random) -> Pair:
    """Without the full stop, or with a colon, an ellipsis or an exclamation mark in its place."""
    end = chance.choice(("", "", "", ":", ":", "…", "..."))
    source, target = (side[:-1].rstrip() for side in pair)
    return source + end, target + end


def _with_codes(pair: Pair, chance: Random) -> Pair:
    """Made-up codes in the places of placeholders, the same for the same."""
    given: dict[str, str] = {}

    def code(match: re.Match[str]) -> str:
        return given.setdefault(match[0], _code(chance))

    source, target = (_PLACEHOLDER.sub(code, side) for side in pair)
    return source, target


def _code(chance: Random) -> str:
    """Something that a translation says as it is.

    >>> chance = Random(2)
    >>> [_code(chance) for _ in range(4)]
    ['1', '--4jhby9w=6940', 'etc.zip', '-o']
    """
    return chance.choice(_CODES)(chance)


def _word(chance: Random) -> str:
    """A word of programs, or some letters."""
    if chance.random() < 0.7:
        return chance.choice(_WORDS)
    return "".join(chance.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=chance.randint(2, 8)))


def _joined(chance: Random, sign: str, least: int = 2, most: int = 3) -> str:
    return sign.join(_word(chance) for _ in range(chance.randint(least, most)))


def _file(chance: Random) -> str:
    ending = chance.choice(("txt", "py", "json", "png", "svg", "xml", "conf", "log", "zip", "exe"))
    return f"{_joined(chance, chance.choice('-_'), 1, 2)}.{ending}"


def _number(chance: Random) -> str:
    return str(chance.randrange(10 ** chance.randint(1, 6)))


def _version(chance: Random) -> str:
    numbers = ".".join(str(chance.randrange(30)) for _ in range(chance.randint(2, 4)))
    return chance.choice(("", "", "v")) + numbers + chance.choice(("", "", "", "-beta", "-rc1"))


def _camel_case(chance: Random) -> str:
    first, *others = _joined(chance, " ", 2, 3).split()
    return first + "".join(map(str.capitalize, others))


def _path(chance: Random) -> str:
    inner = _joined(chance, "/", 1, 3)
    windows = "C:\\" + inner.replace("/", "\\") + "\\" + _file(chance)
    return chance.choice(
        (f"/{inner}/{_file(chance)}", f"~/.{inner}", f"./{inner}", windows, f"/{inner}")
    )


def _address(chance: Random) -> str:
    host = _joined(chance, ".", 1, 2) + chance.choice((".org", ".com", ".net", ".example", ".de"))
    email = f"{_joined(chance, '.', 1, 2)}@{host}"
    secure = f"https://{host}/{_joined(chance, '/', 1, 2)}"
    query = f"http://www.{host}/?{_word(chance)}={_word(chance)}"
    return chance.choice((email, email, secure, query, host))


def _flag(chance: Random) -> str:
    long = f"--{_joined(chance, '-', 1, 3)}"
    short = f"-{chance.choice('abcdefhiklnopqrstuvxyzV')}"
    return chance.choice(
        (long, long, short, f"{long}={_word(chance)}", f"{long}={_number(chance)}")
    )


def _hexadecimal(chance: Random) -> str:
    digits = "".join(chance.choices("0123456789abcdef", k=chance.randint(2, 8)))
    return chance.choice((f"0x{digits}", f"#{digits}", digits.upper()))


def _time(chance: Random) -> str:
    date = f"20{chance.randrange(30):02}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    clock = f"{chance.randrange(24)}:{chance.randrange(60):02}"
    return chance.choice((date, clock, f"{date} {clock}"))


_CODES: tuple[Callable[[Random], str], ...] = (
    _number,
    _number,
    _version,
    _version,
    _file,
    _file,
    _path,
    _path,
    _address,
    _address,
    _flag,
    _flag,
    _camel_case,
    lambda chance: _joined(chance, "_"),
    lambda chance: _joined(chance, "_").upper(),
    lambda chance: _joined(chance, "-"),
    lambda chance: f"{_joined(chance, '_', 1, 2)}()",
    lambda chance: f"<{_joined(chance, '-', 1, 2)}>",
    lambda chance: f"{_joined(chance, '_', 1, 2)}={_word(chance)}",
    _hexadecimal,
    _time,
)
