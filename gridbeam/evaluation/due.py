"""The terms that are due in each segment: from a glossary, by the source, or from a list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gridbeam.errors import UserError
from gridbeam.glossary.entries import Glossary
from gridbeam.glossary.matching import Match, Matcher, once_a_sentence
from gridbeam.glossary.wording import Wording
from gridbeam.text.languages import varieties
from gridbeam.text.parallel import lines


@dataclass(frozen=True)
class Due:
    """What the translation of a segment should say, as often as it is here, and what not."""

    required: tuple[Wording, ...] = ()
    forbidden: tuple[Wording, ...] = ()

    @property
    def as_written(self) -> Due:
        """The same, with no other forms than those that are written."""
        return Due(tuple(each.as_written for each in self.required), self.forbidden)


@dataclass(frozen=True)
class DueTerms:
    """What is due in each segment, and the target language, where it is known."""

    segments: tuple[Due, ...]
    language: str | None = None


def by_glossary(
    glossary: Glossary, sources: Sequence[str], *, lemmas: bool = False, every_time: bool = False
) -> DueTerms:
    """The terms of a glossary that are due in the sentences of the sources, in any form by lemmas.

    A term is due once in a sentence, or with `every_time` each time that it is there.
    """
    matcher = Matcher(glossary, lemmas=lemmas)
    matches = map(matcher.match, sources)
    owed = matches if every_time else map(once_a_sentence, matches)
    segments = tuple(map(_due, owed))
    if not any(due.required or due.forbidden for due in segments):
        raise UserError(
            "no term of the glossary occurs in the source, so there is nothing to count. "
            "Check that it is the right file and the right direction, or match by --lemmas."
        )
    return DueTerms(segments, glossary.target_language)


def _due(matches: Sequence[Match]) -> Due:
    forbidden = dict.fromkeys(bad for match in matches for bad in match.forbidden)
    return Due(
        tuple(required for match in matches if (required := match.required)), tuple(forbidden)
    )


def listed(path: Path, language: str | None = None) -> DueTerms:
    """The terms of a file with a JSON list of objects on each line.

    For example `[{"en": "disk", "de": "Platte"}]`.

    Each object has two keys, the same throughout: the languages, source first if `language` does
    not say which is the target, or "source" and "target". The target may be a list of texts, of
    which any will do.
    """
    keys: tuple[str, ...] = ()
    segments = []
    for number, line in enumerate(lines(path), 1):
        where = f"{path} line {number}"
        terms = _objects(line, where)
        keys = keys or next((_ordered(tuple(term), language, where) for term in terms), ())
        segments.append(Due(tuple(_listed_wording(term, keys, where) for term in terms)))
    if not keys:
        raise UserError(
            f"{path} lists no terms, so there is nothing to count. Give another --terms, or none."
        )
    return DueTerms(tuple(segments), language or (None if "target" in keys else keys[1]))


def _ordered(keys: tuple[str, ...], language: str | None, where: str) -> tuple[str, ...]:
    """The key of the source, then that of the target."""
    target = "target" if "target" in keys else keys[1]
    if target != "target" and language is not None:
        target = next(iter(varieties(keys, language)), "")
    if not target:
        raise UserError(
            f'{where}: the keys are "{" and ".join(keys)}", and the target language is'
            f' "{language}". Correct one.'
        )
    return tuple(sorted(keys, key=target.__eq__))


def _objects(line: str, where: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        raise UserError(
            f"{where}: {error.msg} at character {error.pos + 1}. Write a JSON list, such as"
            ' [{"en": "disk", "de": "Platte"}].'
        ) from None
    except (ValueError, RecursionError):
        raise UserError(
            f"{where}: a number of thousands of digits, or nested too deep. Write a JSON list, such"
            ' as [{"en": "disk", "de": "Platte"}].'
        ) from None
    if not isinstance(found, list) or not all(
        isinstance(term, dict) and len(term) == 2 for term in found
    ):
        raise UserError(
            f'{where}: expected a list of objects with two keys, such as [{{"en": "disk", "de":'
            ' "Platte"}]; [] for no terms.'
        )
    return found


def _listed_wording(term: dict[str, Any], keys: tuple[str, ...], where: str) -> Wording:
    if set(term) != set(keys):
        raise UserError(
            f'{where}: a term has the keys "{" and ".join(term)}", those before had'
            f' "{" and ".join(keys)}". Use the same ones.'
        )
    target = term[keys[1]]
    texts = target if isinstance(target, list) else [target]
    if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        raise UserError(
            f'{where}: "{keys[1]}" must be a text, or a list of texts, of which any will do; found'
            f" {target!r}."
        )
    return Wording(tuple(" ".join(text.split()) for text in texts))
