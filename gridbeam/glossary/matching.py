"""The terms of a glossary in a text, and the constraints they make.

Text and terms are sequences of words (`gridbeam.text.words`). From left to right, the longest term
that begins at a word is taken, and the search goes on behind it: matches never overlap. With
lemmas, a term also matches where all its words have the same lemmas; of two matches of the same
length the literal one is taken. Where a term has small letters a text may have capitals, as in a
title, unless its case rule is exact. Where it is itself written as a title, Hard Disk, it is found
in small letters too, unless it is a name; other capitals, as in US, a text must have as well,
unless the rule is any. Within a word with a hyphen no part is found, and with lemmas as
`gridbeam.glossary.parts` says. A single word in nothing but capitals is an abbreviation, IT or US,
unless all of the text is in capitals.

A term is owed once in each sentence that has it, however often it stands there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

from gridbeam.constraints.terms import AnyOf, AtMost, Avoid, Case, Constraint, Pattern, Phrase
from gridbeam.errors import UserError
from gridbeam.glossary.agreement import term_forms
from gridbeam.glossary.entries import Entry, Glossary, times_within
from gridbeam.glossary.index import TermIndex, TextWords
from gridbeam.glossary.parts import Compounds, counts_beside_hyphen
from gridbeam.glossary.wording import Wording
from gridbeam.text.languages import is_same
from gridbeam.text.lemmas import has_inner_capitals, lemmatizer
from gridbeam.text.sentences import Sentences, split
from gridbeam.text.wordforms import writes_compounds
from gridbeam.text.words import capitalised, folded, spans, words

_IndexedTerm: TypeAlias = tuple[
    TextWords, Case, Entry, Callable[[TextWords, Case, TextWords, int], bool]
]
"""A term, its case rule, its entry, and whether words with its keys, from a place of a line on, are
this term by that rule."""


@dataclass(frozen=True)
class MatchedText:
    """A text with terms, whose sentences are found when somebody asks for them."""

    text: str
    language: str | None

    @cached_property
    def sentences(self) -> Sentences:
        """Its sentences, as a translation cuts them."""
        return split(self.text, self.language)


@dataclass(frozen=True, slots=True)
class Match:
    """A stretch of a text, in characters, and the entry whose term it is."""

    entry: Entry
    start: int
    end: int
    text: str
    is_in_capitals: bool = False
    """Whether the text has the term in nothing but capitals, here or elsewhere, as in a heading."""
    inflected_in: str | None = None
    """The language of the targets, where any of their inflected forms will do."""
    within: MatchedText | None = field(default=None, compare=False, repr=False)
    """The text it is a stretch of; None where that is one sentence."""

    @property
    def sentence(self) -> int:
        """The number of the sentence that has it."""
        return 0 if self.within is None else self.within.sentences.at(self.start)

    def forms(self, target: str) -> tuple[str, ...]:
        """The inflected forms of a target that will do as well, none that the entry forbids."""
        if self.inflected_in is None or self.entry.exact or self.entry.do_not_translate:
            return ()
        known = self.entry.required
        found = term_forms(target, self.inflected_in)
        return tuple(form for form in found if form not in known and not self.entry.forbids(form))

    @property
    def said(self) -> str:
        """The term as the text has it, with single spaces."""
        return " ".join(self.text.split())

    @property
    def case(self) -> Case:
        """The capitals that the translation may have.

        Any, where all of the term is in capitals, as in a heading.
        """
        return "any" if self.is_in_capitals and self.entry.case == "sentence" else self.entry.case

    @property
    def required(self) -> Wording | None:
        """What the translation must say; None where the entry only forbids.

        What is not to be translated is said in the capitals of the text, but for one where a
        sentence begins.
        """
        entry = self.entry
        if not entry.required:
            return None
        if not entry.do_not_translate:
            inflected = (form for target in entry.targets for form in self.forms(target))
            may_join = not entry.exact and writes_compounds(self.inflected_in)
            return Wording(
                tuple(dict.fromkeys(entry.required)),
                self.case,
                tuple(dict.fromkeys(inflected)),
                self.inflected_in if may_join else None,
            )
        is_plain = entry.case != "any" and self.said in (entry.source, capitalised(entry.source))
        return Wording((entry.source,), entry.case) if is_plain else Wording((self.said,), "exact")

    @property
    def forbidden(self) -> tuple[Wording, ...]:
        """What it must not say."""
        return tuple(Wording((bad,), self.case) for bad in self.entry.forbidden)


class Matcher:
    """Finds the terms of a glossary in texts; made once for all of them.

    With lemmas, terms are found in any form, and any inflected form of their targets will do.
    """

    def __init__(self, glossary: Glossary, *, lemmas: bool = False) -> None:
        lines = [
            (TextWords(_sought(entry, glossary.source_language)), entry)
            for entry in glossary.entries
        ]
        self._inflected = lemmas
        self._indexes: list[TermIndex[_IndexedTerm]] = [
            TermIndex(
                [(line, (line, entry.case, entry, _is_meant)) for line, entry in lines], folded
            )
        ]
        self._language = glossary.source_language
        self._inflected_in = glossary.target_language if lemmas else None
        self._compounds: Compounds | None = None
        if lemmas:
            lemma = lemmatizer(glossary.source_language, "source")
            translated = [
                (line, (line, entry.case, entry, _is_meant_in_other_forms))
                for line, entry in lines
                if not entry.do_not_translate
            ]
            self._indexes.append(TermIndex(translated, lemma))
            if writes_compounds(glossary.source_language):
                self._compounds = Compounds(
                    (entry for _, (_, _, entry, _) in translated), glossary.source_language, lemma
                )

    def match(self, text: str) -> list[Match]:
        """The terms of the text, from left to right.

        Two entries of the same term are one match, that of the first whose capitals agree; those
        that only forbid come along.

        >>> entries = Entry("disk", ("Platte",)), Entry("hard disk", ("Festplatte",))
        >>> disks = Glossary(entries, "en", "de")
        >>> [match.text for match in Matcher(disks).match("Hard disk, disk, disks, diskette")]
        ['Hard disk', 'disk']
        >>> [match.text for match in Matcher(disks, lemmas=True).match("Hard disks, diskette")]
        ['Hard disks']
        """
        line = TextWords(text)
        # The leftmost first, then the longest, then the literal ones. Most are passed over, so
        # terms are looked up later.
        hits = [
            (place, -end, which, number)
            for which, index in enumerate(self._indexes)
            for number, place, end in index.places(line)
        ]
        hits.sort()
        matches: list[Match] = []
        whole = MatchedText(text, self._language)
        done = 0
        for place, end, which, number in hits:
            if place < done:
                continue
            terms = self._indexes[which].terms[number]
            is_joined = line.is_joined(place, -end) and not self._counts_joined(line, place, -end)
            if fitting := [
                entry
                for term, case, entry, fits in terms
                if (entry.do_not_translate or not is_joined) and fits(term, case, line, place)
            ]:
                done = -end
                first, last = line.spans[place][0], line.spans[done - 1][1]
                said = text[first:last]
                matches += [
                    Match(each, first, last, said, False, self._inflected_in, whole)
                    for each in _due(fitting, said)
                ]
        if self._compounds is not None:
            matches += self._in_compounds(self._compounds, line, whole, matches)
            matches.sort(key=lambda match: match.start)
        return _of_like_case(matches)

    def _in_compounds(
        self, compounds: Compounds, line: TextWords, whole: MatchedText, found: Sequence[Match]
    ) -> list[Match]:
        """The terms that compounds have as a part, where no other was found."""
        stretches = [(match.start, match.end) for match in found]
        taken = {
            place
            for place, (start, end) in enumerate(line.spans)
            if any(first < end and start < last for first, last in stretches)
        }
        return [
            Match(each, start, end, line.text[start:end], False, self._inflected_in, whole)
            for place, entries in compounds.found(line, taken)
            for start, end in [line.spans[place]]
            for each in _due(entries, line.text[start:end])
        ]

    def _counts_joined(self, line: TextWords, start: int, end: int) -> bool:
        return self._inflected and counts_beside_hyphen(line, start, end, self._language)


def once_a_sentence(matches: Sequence[Match]) -> list[Match]:
    """The first match of each entry in each sentence, which is all that a translation owes.

    What is not to be translated is owed once in each way that the sentence says it.

    >>> disks = Matcher(Glossary((Entry("disk", ("Platte",)),), "en", "de"))
    >>> matches = disks.match("A disk is a disk. A disk!")
    >>> [match.start for match in matches], [match.start for match in once_a_sentence(matches)]
    ([2, 12, 20], [2, 20])
    """
    counts = Counter(id(match.entry) for match in matches)
    found: dict[tuple[int, int, str], Match] = {}
    for match in matches:
        entry = match.entry
        sentence = match.sentence if counts[id(entry)] > 1 else 0
        said = match.said if entry.do_not_translate else ""
        found.setdefault((id(entry), sentence, said), match)
    return list(found.values())


def constraints_for(matches: Sequence[Match], *, every_time: bool = False) -> list[Constraint]:
    """What a translation owes to its terms: a constraint for each term of a sentence.

    With `every_time` there is one for each time that the sentence has it. What is forbidden is so
    once.

    >>> entry = Entry("disk", ("Laufwerk", "Platte"), forbidden=("Diskette",), case="any")
    >>> required, avoided = constraints_for([Match(entry, 0, 4, "disk")])
    >>> required
    AnyOf(Phrase('Laufwerk', case='any'), Phrase('Platte', case='any'))
    >>> avoided
    Avoid(Phrase('Diskette', case='any'))
    """
    refuse_contradictions(matches)
    matches = matches if every_time else once_a_sentence(matches)
    return [constraint for _, constraint in owed_by_match(matches)]


def owed_by_match(matches: Sequence[Match]) -> list[tuple[int, Constraint]]:
    """What a translation owes, each with the number of the match it is for.

    What is required comes first, then each forbidden text once. One that is part of what is
    required may be said as often as that is, and no more: where E-Mail is due once, Mail is said
    once.
    """
    required = [(n, pattern) for n, match in enumerate(matches) for pattern in _required(match)]
    avoided: dict[Constraint, int] = {}
    for number, match in enumerate(matches):
        for bad in match.forbidden:
            [text] = bad.texts
            inside = sum(_most_within(each.required, text, bad.case) for each in matches)
            phrase = Phrase(text, case=bad.case)
            avoided.setdefault(AtMost(inside, phrase) if inside else Avoid(phrase), number)
    return [*required, *((number, constraint) for constraint, number in avoided.items())]


def _most_within(required: Wording | None, text: str, case: Case) -> int:
    """How often what is required may say a text by itself."""
    if required is None:
        return 0
    return max(times_within(each, text, case) for each in required.forms)


def _required(match: Match) -> list[Pattern]:
    entry, wording = match.entry, match.required
    if wording is None:
        return []
    first, *others = entry.targets or wording.texts
    phrases = [
        Phrase(first, case=wording.case, inflect=(*entry.forms, *match.forms(first))),
        *(Phrase(other, case=wording.case, inflect=match.forms(other)) for other in others),
    ]
    return [phrases[0] if len(phrases) == 1 else AnyOf(*phrases)]


def refuse_contradictions(matches: Sequence[Match]) -> None:
    """Raises where one term of a text requires what another forbids."""
    entries = dict.fromkeys(match.entry for match in matches)
    forbidding = [entry for entry in entries if entry.forbidden]
    for entry in entries if forbidding else ():
        for other in forbidding:
            if entry.required and all(map(other.forbids, entry.required)):
                raise UserError(
                    f'{entry.where}: "{entry.source}" requires "{entry.required[0]}", and'
                    f' "{other.source}" in the same text ({other.where}) forbids'
                    f' "{other.forbids(entry.required[0])}". Allow another target, or forbid less.'
                )


def _sought(entry: Entry, language: str | None) -> str:
    """The term of an entry as it is sought: one that is written as a title in small letters.

    Not where capitals say more than that: in German, where all nouns have them, and in names, which
    stay what they are.

    >>> _sought(Entry("Hard Disk of a PC", ("Festplatte eines PCs",)), "en")
    'hard disk of a PC'
    >>> _sought(Entry("Windows", ("Windows",)), "en")
    'Windows'
    """
    is_name = entry.do_not_translate or entry.source in entry.targets
    if entry.case != "sentence" or is_name or (language and is_same(language, "de")):
        return entry.source
    found, said = "", words(entry.source)
    for word, (start, end) in zip(said, spans(entry.source, said), strict=True):
        found += entry.source[len(found) : start]
        is_title = word[:1].isupper() and word[1:].islower()
        lower = word.lower()
        found += lower if is_title and len(lower) == end - start else word
    return found + entry.source[len(found) :]


def _due(found: list[Entry], said: str) -> list[Entry]:
    """Of several entries of one term the first that requires something, best in these capitals.

    Those that only forbid all count besides.
    """
    if len(found) == 1:
        return found
    requiring = [entry for entry in found if entry.required]
    best = sorted(requiring, key=lambda entry: entry.source.split() != said.split())[:1]
    return [*best, *(entry for entry in found if not entry.required)]


def _of_like_case(matches: list[Match]) -> list[Match]:
    """The matches, all of one entry under one case rule.

    What one of them asks for would else be met by another's.
    """
    risen = {
        id(match.entry)
        for match in matches
        if match.text.isupper() and not match.entry.source.isupper()
    }
    return [
        replace(match, is_in_capitals=True) if id(match.entry) in risen else match
        for match in matches
    ]


def _is_meant(term: TextWords, case: Case, line: TextWords, start: int) -> bool:
    """Whether the words at `start`, those of the term in some capitals, mean the term."""
    if line.has_literally(term, start):
        return True
    own = term.words
    said = line.words[start : start + len(own)]
    if case != "any" and said != own:
        may_rise = case == "sentence" and not _is_abbreviated(own, said, line)
        if not (may_rise and all(map(_rises_to, own, said))):
            return False
    return line.is_spaced_like(term, start)


def _rises_to(own: str, said: str) -> bool:
    """Whether a word is the other one, but for capitals in place of small letters.

    >>> _rises_to("disk", "Disk"), _rises_to("straße", "STRASSE"), _rises_to("US", "us")
    (True, True, False)
    """
    place = 0
    for letter in own:
        written = letter if said.startswith(letter, place) else letter.upper()
        if not said.startswith(written, place):
            return False
        place += len(written)
    return place == len(said)


def _is_meant_in_other_forms(term: TextWords, case: Case, line: TextWords, start: int) -> bool:
    """Whether the words at `start`, which have the term's lemmas, mean it by their capitals."""
    if not line.is_spaced_like(term, start):
        return False
    own = term.words
    said = line.words[start : start + len(own)]
    if case == "any":
        return True
    return not _is_abbreviated(own, said, line) and all(
        _is_form(one, other, case) for one, other in zip(own, said, strict=True)
    )


def _is_abbreviated(own: list[str], said: list[str], line: TextWords) -> bool:
    """Whether a one-word term in capitals stands amid small letters: a word of its own, as IT."""
    return (
        len(own) == 1
        and said[0].isupper()
        and said[0] != capitalised(own[0])
        and not line.is_in_capitals
    )


def _is_form(own: str, said: str, case: Case) -> bool:
    """Whether a word may be a form of another by its capitals.

    One with capitals inside, such as PC, has no other.
    """
    if has_inner_capitals(own):
        return own == said
    if case == "sentence":
        return said[:1].isupper() or not own[:1].isupper()
    return not has_inner_capitals(said) and own[:1].isupper() == said[:1].isupper()
