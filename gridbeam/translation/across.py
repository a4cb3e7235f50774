"""What reaches across the end of a sentence: the sentences that it stands in are searched as one.

A prefix of two sentences, or a phrase with a full stop within it, is known before the search. What
is avoided is sought in what was found: the end of one sentence and the beginning of the next may
say it together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from gridbeam.constraints.occurrences import Spans
from gridbeam.constraints.roles import Role
from gridbeam.constraints.terms import Constraint, Phrase
from gridbeam.constraints.walk import phrases
from gridbeam.errors import UserError
from gridbeam.text.layout import set_apart
from gridbeam.text.sentences import Sentences, split
from gridbeam.translation.assignment import Asked, cheapest
from gridbeam.translation.request import Translation
from gridbeam.translation.scheduler import Plan


def brought_together(
    terms: Sequence[Constraint],
    places: Sequence[int | None],
    sentences: Sentences,
    job: Asked,
    language: str | None,
) -> Plan[tuple[Sentences, list[int | None]]]:
    """The sentences, merged where a constraint's text has several, and the constraints' places.

    The merged ones are those that the constraint takes.

    A prefix takes the first ones, a suffix the last, what has a place those from there on. Any
    other takes those where it costs the model least, and has its place there.
    """
    avoided = [term for term in terms if not term.role.must_occur]
    found = list(places)
    for number, term in enumerate(terms):
        count = min(_sentences_in(term, language), len(sentences.texts))
        first = (
            (yield from _first(term, found[number], avoided, sentences, count, job))
            if count > 1
            else None
        )
        if first is not None:
            found[number] = sentences.starts[first]
            sentences = sentences.as_one(first, first + count)
    return sentences, found


def crossed(
    translation: Translation, occurrences: Callable[[str], Iterable[Spans]]
) -> tuple[int, int] | None:
    """The first sentence of an occurrence within a part and the one after its last, if several."""
    for each in (translation, *translation.alternatives):
        for begin, part in _parts(each.text):
            starts = [sentence.start - begin for sentence in each.sentences]
            for spans in occurrences(part):
                first, after = (
                    sum(start <= place for start in starts)
                    for place in (spans[0][0], spans[-1][1] - 1)
                )
                if first < after:
                    return first - 1, after
    return None


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """The parts of a text that layout sets apart, and where each begins."""
    begin = 0
    for part in set_apart(text):
        bare = part.strip()
        if bare:
            yield begin + part.index(bare), bare
        begin += len(part)


def _sentences_in(term: Constraint, language: str | None) -> int:
    """How many sentences the longest text of a term has."""
    texts = (
        phrase.content
        for phrase in phrases(term)
        if isinstance(phrase, Phrase) and isinstance(phrase.content, str)
    )
    return max((len(split(text, language).texts) for text in texts), default=1)


def _first(
    term: Constraint,
    place: int | None,
    avoided: Sequence[Constraint],
    sentences: Sentences,
    count: int,
    job: Asked,
) -> Plan[int | None]:
    """The first of so many sentences that a constraint takes; None: it takes no more than one."""
    match term.role:
        case Role.FIRST:
            return 0
        case Role.LAST:
            return len(sentences.texts) - count
        case Role.FORBIDDEN:
            return None
        case Role.REQUIRED:
            pass
    texts = _in_a_line(sentences, count)
    if place is not None or not texts:
        return first if place is not None and (first := sentences.at(place)) in texts else None
    pairs = {
        first: (job(text, avoided), job(text, [*avoided, term])) for first, text in texts.items()
    }
    answers = yield [each for pair in pairs.values() for each in pair]
    met = {
        first: pair for first, pair in pairs.items() if not isinstance(answers[pair[1]], UserError)
    }
    return (
        [*met][
            cheapest([(answers[without], answers[with_it]) for without, with_it in met.values()])
        ]
        if met
        else None
    )


def _in_a_line(sentences: Sentences, count: int) -> dict[int, str]:
    """Every run of `count` sentences with no layout in it: its first sentence, and its text."""
    firsts = range(len(sentences.texts) - count + 1)
    texts = {first: sentences.as_one(first, first + count).texts[first] for first in firsts}
    return {first: text for first, text in texts.items() if len(set_apart(text)) == 1}
