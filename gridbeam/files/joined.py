"""The outcome of a segment from those of its parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice

from gridbeam.checks.estimate import SearchEvidence
from gridbeam.documents import Segment
from gridbeam.files.outcome import Met, Outcome, moved_tokens
from gridbeam.markup.inline import as_marked
from gridbeam.markup.parts import Assembled, Division, assembled
from gridbeam.translation.assembly import best_sums

_UNREAD = "this message is not understood, and stays as it is: "


def joined(segment: Segment, division: Division, parts: Sequence[Outcome]) -> Outcome:
    """The outcome of a segment, given that of each of its texts, in their order.

    Where one of them has no translation, the whole has none.
    """
    texts = [part.text for part in parts if part.text is not None]
    is_whole = len(texts) == len(parts)
    found = assembled(division, texts) if is_whole else None
    unread = (*division.unread, *(found.unread if found else ()))
    evidence = [part.search for part in parts if part.search is not None]
    search = SearchEvidence.joined(evidence) if found and evidence else None
    numbered = list(zip([text.number for text in division.texts], parts, strict=True))
    return Outcome(
        segment.number,
        segment.name,
        segment.line,
        found.text if found else None,
        sum(part.score for part in parts) if found else 0.0,
        search=search,
        quality=1.0 if found and search is None else None,
        met=tuple(
            _moved(met, number, found) for number, part in numbered for met in part.met if found
        ),
        uses=tuple(chain.from_iterable(part.uses for part in parts)),
        unmet=next((part.unmet for part in parts if part.unmet), ""),
        dropped=tuple(chain.from_iterable(part.dropped for part in parts)),
        alternatives=tuple(_alternatives(division, parts)) if found else (),
        notes=(
            *(_UNREAD + message for message in dict.fromkeys(unread)),
            *chain.from_iterable(part.notes for part in parts),
        ),
        tokens=tuple(
            token
            for number, part in numbered
            if found
            for token in moved_tokens(part.tokens, partial(found.place, number))
        ),
        others=parts[0].others if _is_undivided(division) else (),
        sentences=tuple(chain.from_iterable(part.sentences for part in parts)),
    )


def _is_undivided(division: Division) -> bool:
    """Whether the whole is one text, with nothing around it and nothing within."""
    return list(division.pieces) == division.texts and not division.texts[0].held


def _moved(met: Met, number: int, found: Assembled) -> Met:
    places = (found.place(number, span) for span in met.spans)
    return replace(met, spans=tuple(place for place in places if place))


def _alternatives(division: Division, parts: Sequence[Outcome]) -> Iterator[tuple[str, float]]:
    """The next best combinations, as many as a part has at most; none for messages."""
    most = max((len(part.alternatives) for part in parts), default=0)
    if not most or any(text.held or text.doubles is not None for text in division.texts):
        return
    rows = [[(str(part.text), part.score), *part.alternatives] for part in parts]
    for choice in islice(best_sums([[score for _, score in row] for row in rows]), 1, most + 1):
        chosen = [row[number] for row, number in zip(rows, choice, strict=True)]
        whole = assembled(division, [as_marked(text) for text, _ in chosen])
        yield str(whole.text), round(sum(score for _, score in chosen), 4)
