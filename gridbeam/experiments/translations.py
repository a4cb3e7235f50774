"""Many requests translated into a log: what is there is not done again, and each batch is taken down as soon as it is found."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from statistics import mean
from typing import TypeAlias

from rich.console import Console

from gridbeam.constraints.automaton import Coverage
from gridbeam.decoding.hypothesis import Origin
from gridbeam.decoding.options import Share
from gridbeam.decoding.scoring import USUAL_LENGTHS, Lengths
from gridbeam.errors import UserError
from gridbeam.experiments.log import Log, Record
from gridbeam.support.progress import progress
from gridbeam.translation.request import Request, Translation
from gridbeam.translation.translator import Translator, in_order

Search: TypeAlias = Callable[[Sequence[Request]], Iterable[Record]]
"""From requests to what was found for each, in order: its text, and what a table may want to know
of it."""


def by_grid(
    translator: Translator,
    *,
    beam: int,
    batch_size: int,
    budget: int | None = None,
    share: Share = "rows",
    coverage: Coverage = "contains",
    lengths: Lengths = USUAL_LENGTHS,
) -> Search:
    """Grid beam search, each source taken as one sentence.

    What cannot be met is translated as if nothing were required.
    """

    def search(requests: Sequence[Request]) -> Iterator[Record]:
        for number, result in in_order(_each(requests)):
            if isinstance(result, UserError):
                [(_, plain)] = _each([requests[number].source])
                yield {**_record(plain), "unmet": str(result)}
            else:
                yield _record(result)

    def _each(requests: Sequence[Request | str]) -> Iterator[tuple[int, Translation | UserError]]:
        return translator.translate_each(
            requests,
            beam=beam,
            budget=budget,
            share=share,
            coverage=coverage,
            split=False,
            batch_size=batch_size,
            **vars(lengths),
        )

    return search


def _record(translation: Translation | UserError) -> Record:
    if isinstance(translation, UserError):
        raise translation
    hypotheses = [sentence.hypothesis for sentence in translation.sentences]
    return {
        "text": " ".join(translation.text.splitlines()),
        "expanded": sum(
            hypothesis.work.expanded for hypothesis in hypotheses if hypothesis.work is not None
        ),
        "constraint_tokens": sum(token.origin != Origin.GENERATED for token in translation.tokens),
    }


def translated(
    log: Log,
    system: str,
    requests: Mapping[int, Request],
    search: Search,
    batch_size: int,
    console: Console | None = None,
) -> dict[int, Record]:
    """What a system makes of each request, by number, with the seconds it took: those of a batch, shared out evenly."""
    todo = [number for number in requests if _key(system, number) not in log]
    todo.sort(key=lambda number: (len(requests[number].source), number))
    if todo:
        list(
            search([requests[todo[0]]])
        )  # so that what is loaded once is not in the time of the first batch
    with progress(console, len(requests), len(requests) - len(todo)) as advance:
        for first in range(0, len(todo), batch_size):
            batch = todo[first : first + batch_size]
            before = time.perf_counter()
            found = list(search([requests[number] for number in batch]))
            seconds = (time.perf_counter() - before) / len(batch)
            for number, record in zip(batch, found, strict=True):
                log.add(
                    {
                        "key": _key(system, number),
                        "kind": "translation",
                        "seconds": seconds,
                        **record,
                    }
                )
                advance()
    return {number: log[_key(system, number)] for number in requests}


def work(records: Collection[Record]) -> Record:
    """What the searches took, on average."""
    return {
        "searched": len(records),
        "seconds": round(mean(record["seconds"] for record in records), 4),
        "expanded": round(mean(record["expanded"] for record in records), 1),
        "unmet": sum("unmet" in record for record in records),
    }


def _key(system: str, number: int) -> str:
    return f"{system}/{number}"
