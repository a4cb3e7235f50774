"""Which sentence each constraint goes to: the one it stems from, or where it costs least.

Written as plans: generators that yield the searches they need and are sent what these found. So one
request reads from top to bottom, and yet the searches of many requests are run side by side, as one
batch (`together`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from gridbeam.constraints.roles import Role
from gridbeam.constraints.terms import Constraint
from gridbeam.decoding.hypothesis import Hypothesis
from gridbeam.errors import UserError
from gridbeam.translation.batching import Job, SearchAnswer
from gridbeam.translation.scheduler import Plan

Asked: TypeAlias = Callable[[str, Sequence[Constraint]], Job]
"""The search for a translation of a sentence that meets constraints."""


def assigned(
    terms: Sequence[Constraint],
    places: Sequence[int | None],
    texts: Sequence[str],
    job: Asked,
    is_met: Callable[[Job, Hypothesis], bool],
) -> Plan[list[list[int]]]:
    """For each sentence the numbers of its constraints.

    What must come first goes to the first sentence, what must come last to the last, what is
    avoided to all, and what has a place to the sentence with that number. Any other goes where the
    log-probability of the best translation falls least, the earlier sentence where two are alike;
    where it cannot be met it does not go. A constraint listed n times is dealt out copy by copy.
    """
    sentences = len(texts)
    if sentences == 1:
        return [list(range(len(terms)))]
    bound_to = [_bound(term, place, sentences) for term, place in zip(terms, places, strict=True)]
    own = [
        [n for n, bound in enumerate(bound_to) if sentence in bound]
        for sentence in range(sentences)
    ]
    bound = [[terms[n] for n in numbers] for numbers in own]
    rounds = _rounds({n: term for n, term in enumerate(terms) if not bound_to[n]})
    if not rounds:
        return own
    plain = [job(text, own) for text, own in zip(texts, bound, strict=True)]
    answers: dict[Job, SearchAnswer] = dict((yield plain))
    copies: Counter[tuple[Constraint, int]] = Counter()

    def says_it_anyhow(n: int) -> int | None:
        """The first sentence whose translation has one more copy unasked: there it is free."""
        asked = (
            bound[sentence].count(terms[n]) + copies[terms[n], sentence]
            for sentence in range(sentences)
        )
        wanted = ([terms[n]] * (number + 1) for number in asked)
        asked_for = (job(text, each) for text, each in zip(texts, wanted, strict=True))
        met = (
            is_met(each, _best(answers[plain[sentence]])) for sentence, each in enumerate(asked_for)
        )
        return next((sentence for sentence, is_there in enumerate(met) if is_there), None)

    def searches(n: int) -> list[tuple[Job, Job]]:
        """For each sentence the search without one more copy of a constraint, and with it."""
        before = [
            [*bound[sentence], *[terms[n]] * copies[terms[n], sentence]]
            for sentence in range(sentences)
        ]
        return [
            (job(text, each), job(text, [*each, terms[n]]))
            for text, each in zip(texts, before, strict=True)
        ]

    for numbers in rounds:
        chosen = {n: says_it_anyhow(n) for n in numbers}
        tried = {n: searches(n) for n, place in chosen.items() if place is None}
        if tried:
            answers |= yield [each for pairs in tried.values() for pair in pairs for each in pair]
        chosen |= {
            n: cheapest([(answers[a], answers[b]) for a, b in pairs]) for n, pairs in tried.items()
        }
        for n, place in chosen.items():
            assert place is not None
            own[place].append(n)
            copies[terms[n], place] += 1
    return [sorted(numbers) for numbers in own]


def cheapest(pairs: Sequence[tuple[SearchAnswer, SearchAnswer]]) -> int:
    """The sentence that loses least, given what was found in each without and with a constraint."""
    losses = [_total(without) - _total(with_it) for without, with_it in pairs]
    place = min(range(len(losses)), key=losses.__getitem__)
    reason = pairs[place][1]
    if isinstance(reason, UserError):
        raise reason
    return place


def _bound(term: Constraint, place: int | None, sentences: int) -> Sequence[int]:
    """The sentences that a constraint belongs to, whatever it costs."""
    match term.role:
        case Role.FORBIDDEN:
            return range(sentences)
        case Role.FIRST:
            return [0]
        case Role.LAST:
            return [sentences - 1]
        case Role.REQUIRED:
            return [] if place is None else [place]


def _rounds(terms: Mapping[int, Constraint]) -> list[list[int]]:
    """The numbers of the constraints to deal out: first each constraint once, then copies."""
    seen: Counter[Constraint] = Counter()
    rounds: list[list[int]] = []
    for number, term in terms.items():
        rounds += [[]] if seen[term] == len(rounds) else []
        rounds[seen[term]].append(number)
        seen[term] += 1
    return rounds


def _total(found: SearchAnswer) -> float:
    """The log-probability of the best translation."""
    return -math.inf if isinstance(found, UserError) else math.fsum(found[0].log_probs)


def _best(found: SearchAnswer) -> Hypothesis:
    if isinstance(found, UserError):
        raise found
    return found[0]
