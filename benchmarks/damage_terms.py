"""Development sets of sentences with terms, for `benchmarks/damage.py draw`.

A term of software and catalogues is a word of the reference that the plain translation lacks, given
as a lemma, with the forms that will do and with its place in the source. The plain translation is
that of one model, so that other models are measured with the very same terms.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from lexical_table import Strengths, strengths
from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

from gridbeam.evaluation.due import listed
from gridbeam.experiments.picking import pick
from gridbeam.experiments.reference import ReferenceText
from gridbeam.glossary.index import TextWords
from gridbeam.glossary.wording import Wording
from gridbeam.text.lemmas import has_inner_capitals, lemmatizer
from gridbeam.text.parallel import aligned, lines
from gridbeam.text.words import begins_sentence, folded
from gridbeam.training.held_out import USUAL, is_held_out

LANGUAGES = ("de", "fr", "pt")
NEWS = {"de": "en-de/newstest2012", "fr": "en-fr/newstest2013", "pt": "en-pt/ntrex"}
DICTIONARIES = {"iate": "newstest2017-iate.414", "wiktionary": "newstest2017-wikt.727"}
COMMONEST = 200
"""So many of the commonest words of a language are no terms."""
MOST_FORMS = 12
"""A lemma of more forms is mostly a verb, and no term."""
LONGEST = 40
"""The most words of a sentence; the fewest are four."""
LINKED = 0.25
"""How strongly a source word must go with a term to be its place."""
ARTICLES = {
    "fr": frozenset(("le", "la", "les", "un", "une", "des", "du", "au", "aux", "ce", "ces", "de")),
    "pt": frozenset(("o", "a", "os", "as", "um", "uma", "do", "da", "dos", "das", "no", "na")),
}
"""Words that a noun often follows; in German nouns have capitals."""

Row = dict[str, Any]
Plain = Callable[[str, Sequence[str]], Iterator[str]]
"""From a language and sources to translations without constraints, as they are asked for."""


def drawn(name: str, language: str, data: Path, cache: Path, plain: Plain) -> Iterator[Row]:
    """The rows of a set: a source, its reference, and the terms of the sentence."""
    if name in DICTIONARIES:
        yield from _with_dictionary_terms(data, DICTIONARIES[name])
    elif name == "revise":
        yield from _with_corrections(language, data, plain)
    else:
        yield from _with_reference_words(name, language, data, cache, plain)


def languages_of(name: str) -> Sequence[str]:
    return ("de",) if name in DICTIONARIES else LANGUAGES


def _with_dictionary_terms(data: Path, stem: str) -> Iterator[Row]:
    path = data / "terminology" / "en-de" / stem
    pairs = list(aligned(*(path.with_name(f"{stem}.{side}") for side in ("en", "de"))))
    sources = list(lines(path.with_name(f"{stem}.terms.jsonl")))
    due = listed(path.with_name(f"{stem}.terms.jsonl"))
    for (source, reference), own, wordings in zip(pairs, sources, due.segments, strict=True):
        terms = []
        for term, wording in zip(json.loads(own), wordings.required, strict=True):
            (text,) = wording.texts
            others = _forms_of(text, "de") if text.isalpha() else []
            forms = list(dict.fromkeys([text, *others]))
            terms.append(_term(text, text, forms, _place(term["en"], source)))
        yield {"source": source, "reference": reference, "terms": terms}


def _place(term: str, source: str) -> tuple[int, int] | None:
    line, wording = TextWords(source), Wording((term,), "any")
    found = wording.places(line) or wording.inflected_places(line, lemmatizer("en", "source"))
    if not found:
        return None
    first, end = found[0]
    return line.spans[first][0], line.spans[end - 1][1]


def _with_corrections(language: str, data: Path, plain: Plain) -> Iterator[Row]:
    """The phrases that a simulated user gives in the first cycle of pick-revise."""
    stem = data / "test" / NEWS[language]
    pairs = list(aligned(*(stem.with_name(f"{stem.name}.{side}") for side in ("en", language))))
    texts = plain(language, [source for source, _ in pairs])
    for (source, reference), text in zip(pairs, texts, strict=True):
        words = ReferenceText.of(reference)
        if stretch := pick(words, text):
            phrase = words[stretch]
            terms = [_term(phrase, phrase, [phrase], None)]
            yield {"source": source, "reference": words.text, "terms": terms}


def _with_reference_words(
    name: str, language: str, data: Path, cache: Path, plain: Plain
) -> Iterator[Row]:
    pairs, finder = _shuffled(name, language, data), _finder(language, data, cache)
    texts = plain(language, [source for source, _ in pairs])
    for number, ((source, reference), text) in enumerate(zip(pairs, texts, strict=True)):
        if terms := finder.drawn(source, reference, text, Random(number)):
            yield {"source": source, "reference": reference, "terms": terms}


def translated(name: str, language: str, data: Path, cache: Path, plain: Plain) -> Iterator[Row]:
    """The sources of a set with their plain translations, and words that go with one another."""
    pairs, finder = _shuffled(name, language, data), _finder(language, data, cache)
    sources = [source for source, _ in pairs]
    for number, (source, text) in enumerate(zip(sources, plain(language, sources), strict=True)):
        if terms := finder.drawn(source, text, "", Random(number)):
            yield {"source": source, "text": text, "terms": terms}


def _shuffled(name: str, language: str, data: Path) -> list[tuple[str, str]]:
    pairs = [pair for pair in _candidates(name, language, data) if _is_sentence(*pair)]
    Random(0).shuffle(pairs)
    return pairs


def _finder(language: str, data: Path, cache: Path) -> _TermFinder:
    return _TermFinder(language, _strengths(language, data, cache), _commonest(language, data))


def _candidates(name: str, language: str, data: Path) -> list[tuple[str, str]]:
    if name == "software":
        stem = data / "software" / f"en-{language}"
        return list(dict.fromkeys(aligned(stem / "dev.en", stem / f"dev.{language}")))
    seen = {pair[0].strip() for pair in _trained_on(language, data, of_catalogues=False)}
    pairs = dict.fromkeys(
        pair for pair in _catalogues(language, data) if is_held_out(pair[0], USUAL)
    )
    return [pair for pair in pairs if pair[0].strip() not in seen]


def _is_sentence(source: str, reference: str) -> bool:
    return all(4 <= len(text.split()) <= LONGEST for text in (source, reference))


def _catalogues(language: str, data: Path) -> Iterator[tuple[str, str]]:
    stem = f"catalogues/catalogues-en-{language}"
    return aligned(data / f"{stem}.en.xz", data / f"{stem}.{language}.xz")


def _trained_on(
    language: str, data: Path, *, of_catalogues: bool = True
) -> Iterator[tuple[str, str]]:
    """Pairs of software, then manuals or catalogues, that models may be trained on."""
    software = data / "software" / f"en-{language}"
    yield from aligned(software / "train.en.xz", software / f"train.{language}.xz")
    if of_catalogues:
        yield from (pair for pair in _catalogues(language, data) if not is_held_out(pair[0], USUAL))
    else:
        manuals = f"catalogues/manuals-en-{language}"
        yield from aligned(data / f"{manuals}.en.xz", data / f"{manuals}.{language}.xz")


@cache
def _commonest(language: str, data: Path) -> frozenset[str]:
    counts = Counter[str]()
    for _, target in islice(_trained_on(language, data), 0, None, 4):
        counts.update(map(folded, TextWords(target).words))
    return frozenset(word for word, _ in counts.most_common(COMMONEST))


class _TermFinder:
    """Words of a reference that may be terms."""

    def __init__(self, language: str, strengths: Strengths, commonest: frozenset[str]) -> None:
        self._language, self._strengths, self._commonest = language, strengths, commonest
        self._lemma = lemmatizer(language, "target")
        self._source_lemma = lemmatizer("en", "source")

    def drawn(self, source: str, reference: str, plain: str, random: Random) -> list[Row]:
        """One term or two that the plain translation lacks; nouns, where there are any."""
        line = TextWords(reference)
        said = TextWords(plain)
        found: dict[str, tuple[bool, Row]] = {}
        for number, word in enumerate(line.words):
            term = self._as_term(word, source, line) if self._may_be_term(line, number) else None
            if term and not Wording(tuple(term["forms"]), "any").places(said):
                found.setdefault(term["lemma"], (self._is_noun(line, number), term))
        nouns = [term for is_noun, term in found.values() if is_noun]
        terms = nouns or [term for _, term in found.values()]
        return random.sample(terms, min(len(terms), random.choice((1, 2))))

    def _may_be_term(self, line: TextWords, number: int) -> bool:
        word = line.words[number]
        return (
            len(word) >= 4
            and word.isalpha()
            and not has_inner_capitals(word)
            and folded(word) not in self._commonest
            and not line.is_joined(number, number + 1)
            and not begins_sentence(line.text, line.spans[number][0])
            and line.words.count(word) == 1
        )

    def _is_noun(self, line: TextWords, number: int) -> bool:
        if self._language == "de":
            return line.words[number][0].isupper()
        return number > 0 and folded(line.words[number - 1]) in ARTICLES[self._language]

    def _as_term(self, word: str, source: str, reference: TextWords) -> Row | None:
        place = self._place(self._lemma(word), source, reference)
        forms = _forms_of(word, self._language)
        if place is None or not forms or len(forms) > MOST_FORMS:
            return None
        return _term(forms[0], word, list(dict.fromkeys([*forms, word])), place)

    def _place(self, term: str, source: str, reference: TextWords) -> tuple[int, int] | None:
        """Where the source says the term: the word that goes with it best, and its neighbours."""
        line = TextWords(source)
        lemmas = list(map(self._source_lemma, line.words))
        linked = self._strengths.get(term, {})
        best = max(lemmas, key=lambda lemma: linked.get(lemma, 0), default="")
        others = set(map(self._lemma, reference.words)) - {term}
        if linked.get(best, 0) < LINKED or lemmas.count(best) > 1:
            return None

        def is_its_own(lemma: str) -> bool:
            rivals = (self._strengths.get(other, {}).get(lemma, 0) for other in others)
            return linked.get(lemma, 0) > max(rivals, default=0)

        if not is_its_own(best):
            return None
        first = last = lemmas.index(best)
        while first > 0 and is_its_own(lemmas[first - 1]):
            first -= 1
        while last + 1 < len(lemmas) and is_its_own(lemmas[last + 1]):
            last += 1
        return line.spans[first][0], line.spans[last][1]


def _term(lemma: str, form: str, forms: list[str], place: tuple[int, int] | None) -> Row:
    return {"lemma": lemma, "form": form, "forms": forms, "place": place}


def _forms_of(word: str, language: str) -> list[str]:
    """The lemma of a word, then its other forms; none of a word that the dictionary lacks.

    A German compound has those of its last part.
    """
    known = _lemmas(language)
    for start in [0, *range(3, len(word) - 3)]:
        part = word[start:]
        tail = part if start == 0 else part[0].upper() + part[1:]
        if tail in known and (start == 0 or language == "de"):
            lemma = known[tail]
            forms = [lemma, *_all_forms(language)[lemma]]
            alike = [form for form in forms if form[0].isupper() == lemma[0].isupper()]
            joined = [form.lower() if start else form for form in alike]
            return list(dict.fromkeys(word[:start] + form for form in joined))
    return []


@cache
def _lemmas(language: str) -> dict[str, str]:
    return dict(DefaultDictionaryFactory().get_dictionary(language).items())


@cache
def _all_forms(language: str) -> dict[str, list[str]]:
    found = defaultdict[str, list[str]](list)
    for form, lemma in _lemmas(language).items():
        found[lemma].append(form)
    return found


def _strengths(language: str, data: Path, cache: Path) -> Strengths:
    """The lexical table of a language, made once and kept."""
    path = cache / f"strengths.{language}.json"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        found = strengths(_lemmatised(language, data))
        path.write_text(json.dumps(found, ensure_ascii=False), encoding="utf8")
    return json.loads(path.read_text(encoding="utf8"))


def _lemmatised(language: str, data: Path) -> Iterator[tuple[set[str], set[str]]]:
    """The lemmas of 100,000 short pairs, half of them software and half catalogues."""
    sides = [lemmatizer("en", "source"), lemmatizer(language, "target")]
    software = islice(_trained_on(language, data), 50_000)
    catalogues = (pair for pair in _catalogues(language, data) if not is_held_out(pair[0], USUAL))
    for pair in [*software, *islice(catalogues, 50_000)]:
        found = [TextWords(text).words for text in pair]
        if all(1 < len(words) <= 25 for words in found):
            of_source, of_target = (
                {lemma(word) for word in words if word.isalpha()}
                for words, lemma in zip(found, sides, strict=True)
            )
            yield of_source, of_target
