"""The terms of a glossary in a text, and the constraints they make.

Text and terms are sequences of words (`gridbeam.words`). From left to right, the longest term that begins at a word is taken,
and the search goes on behind it: matches never overlap. With lemmas, a term also matches where all its words have the same
lemmas; of two matches of the same length the literal one is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gridbeam.constraints import AnyOf, Avoid, Constraint, Pattern, Phrase
from gridbeam.errors import UserError
from gridbeam.glossary import Entry, Glossary
from gridbeam.lemmas import has_inner_capitals, lemmatizer
from gridbeam.termindex import Hit, Index, Line
from gridbeam.words import begins_sentence, capitalised


@dataclass(frozen=True, slots=True)
class Match:
    """A stretch of a text, in characters, and the entry whose term it is."""

    entry: Entry
    start: int
    end: int
    text: str


class Matcher:
    """Finds the terms of a glossary in texts; made once for all of them."""

    def __init__(self, glossary: Glossary, *, lemmas: bool = False) -> None:
        lines = [(Line(entry.source), entry) for entry in glossary.entries]
        self._indexes: list[Index[_Term]] = [Index([(line, _Written(line, entry)) for line, entry in lines], str.casefold)]
        if lemmas:
            lemma = lemmatizer(glossary.source_language, "source")
            translated = [(line, _Inflected(line, entry)) for line, entry in lines if not entry.do_not_translate]
            self._indexes.append(Index(translated, lemma))

    def match(self, text: str) -> list[Match]:
        """The terms of the text, from left to right.

        Two entries of the same term are one match, that of the first whose capitals agree; those that only forbid come along.

        >>> disks = Glossary((Entry("disk", ("Platte",)), Entry("hard disk", ("Festplatte",))), "en", "de")
        >>> [match.text for match in Matcher(disks).match("Hard disk, disk, disks, diskette")]
        ['Hard disk', 'disk']
        >>> [match.text for match in Matcher(disks, lemmas=True).match("Hard disks, diskette")]
        ['Hard disks']
        """
        line = Line(text)
        found = [hit for index in self._indexes for hit in index.found(line)]
        if len(self._indexes) > 1:
            found.sort(key=_leftmost_longest)  # keeps what is alike in order, literal ones first
        matches: list[Match] = []
        done = 0
        for start, size, terms in found:
            if start < done or not (fitting := [term for term in terms if term.fits(line, start)]):
                continue
            done = start + size
            first, end = line.spans[start][0], line.spans[done - 1][1]
            said = text[first:end]
            matches += [Match(entry, first, end, said) for entry in _due(fitting, said)]
        return matches


def _leftmost_longest(hit: Hit[_Term]) -> tuple[int, int]:
    return hit[0], -hit[1]


def constraints_for(matches: Sequence[Match]) -> list[Constraint]:
    """What a translation owes to the terms of its source: one constraint for each match, and one for each forbidden text.

    >>> entry = Entry("disk", ("Laufwerk", "Platte"), forbidden=("Diskette",), case="any")
    >>> constraints_for([Match(entry, 0, 4, "disk")])
    [AnyOf(Phrase('Laufwerk', case='any'), Phrase('Platte', case='any')), Avoid(Phrase('Diskette', case='any'))]
    """
    _refuse_contradictions(matches)
    required = [pattern for match in matches for pattern in _required(match)]
    avoided = [Avoid(Phrase(bad, case=match.entry.case)) for match in matches for bad in match.entry.forbidden]
    return [*required, *dict.fromkeys(avoided)]


def _required(match: Match) -> list[Pattern]:
    entry = match.entry
    if entry.do_not_translate:
        # In any capitals means those of the source, not any.
        is_copied = entry.case == "any"
        said = match.text if is_copied else entry.source
        return [Phrase(" ".join(said.split()), case="exact" if is_copied else entry.case)]
    if not entry.targets:
        return []
    first, *others = entry.targets
    phrases = [Phrase(first, case=entry.case, inflect=entry.forms), *(Phrase(other, case=entry.case) for other in others)]
    return [phrases[0] if len(phrases) == 1 else AnyOf(*phrases)]


def _refuse_contradictions(matches: Sequence[Match]) -> None:
    """Raises where one term of a text requires what another forbids."""
    entries = dict.fromkeys(match.entry for match in matches)
    forbidding = [entry for entry in entries if entry.forbidden]
    for entry in entries if forbidding else ():
        for other in forbidding:
            if entry.required and all(map(other.forbids, entry.required)):
                raise UserError(
                    f'{entry.where}: "{entry.source}" requires "{entry.required[0]}", and "{other.source}" in the same text '
                    f'({other.where}) forbids "{other.forbids(entry.required[0])}". Allow another target, or forbid less.'
                )


@dataclass(frozen=True, slots=True)
class _Written:
    """A term as it is written."""

    line: Line
    entry: Entry

    def fits(self, line: Line, start: int) -> bool:
        """Whether the words at `start`, which are those of the term in some capitals, have the right ones."""
        if line.text.startswith(self.entry.source, line.spans[start][0]):
            return True
        own = self.line.words
        said = line.words[start : start + len(own)]
        if self.entry.case != "any" and said != own:
            is_capital = said == [capitalised(own[0]), *own[1:]]
            if not (self.entry.case == "sentence" and is_capital and begins_sentence(line.text, line.spans[start][0])):
                return False
        return len(own) == 1 or line.gaps(start, len(own)) == self.line.gaps(0, len(own))


@dataclass(frozen=True, slots=True)
class _Inflected:
    """A term in any form of its words."""

    line: Line
    entry: Entry

    def fits(self, line: Line, start: int) -> bool:
        """Whether the words at `start`, which have the lemmas of the term, have the right capitals.

        Words with capitals inside, such as PC, are no others than they are written.
        """
        own = self.line.words
        end = start + len(own)
        if len(own) > 1 and line.gaps(start, len(own)) != self.line.gaps(0, len(own)):
            return False
        if self.entry.case == "any":
            return True
        said = line.words[start:end]
        if not all(map(_alike, own[1:], said[1:])):
            return False
        if _alike(own[0], said[0]):
            return True
        may_rise = self.entry.case == "sentence" and begins_sentence(line.text, line.spans[start][0])
        return may_rise and _alike(capitalised(own[0]), said[0])


def _alike(own: str, said: str) -> bool:
    if has_inner_capitals(own) or has_inner_capitals(said):
        return own == said
    return own[:1].isupper() == said[:1].isupper()


_Term: TypeAlias = _Written | _Inflected


def _due(found: list[_Term], said: str) -> list[Entry]:
    """Of several entries of one term the first that requires something, best in these capitals; and all that only forbid."""
    if len(found) == 1:
        return [found[0].entry]
    requiring = [term.entry for term in found if term.entry.required]
    best = sorted(requiring, key=lambda entry: entry.source.split() != said.split())[:1]
    return [*best, *(term.entry for term in found if not term.entry.required)]
