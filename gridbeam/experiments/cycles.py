"""The outcome of a cycle: scores, effort, search work, and whether everything given was said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from gridbeam.editing.effort import Effort
from gridbeam.evaluation.metrics import bleu, scores, tokenised_bleu
from gridbeam.experiments.draft import PlayedDraft
from gridbeam.experiments.log import SUMMARY
from gridbeam.experiments.outside import covered, in_place_of, without
from gridbeam.experiments.reference import ReferenceText, numbers
from gridbeam.experiments.users import Method


def summary(
    cycle: int,
    first: Sequence[PlayedDraft],
    now: Sequence[PlayedDraft],
    references: Sequence[ReferenceText],
    method: Method,
) -> dict[str, Any]:
    """The record that sums a cycle up, given all sentences in the first cycle and in this one."""
    texts, wanted = [draft.text for draft in now], [reference.text for reference in references]
    found, as_published = scores(texts, wanted), tokenised_bleu(texts, wanted)
    return {
        "key": f"{SUMMARY}/{cycle}",
        "kind": SUMMARY,
        "cycle": cycle,
        "sentences": len(now),
        "equal": sum(text == reference for text, reference in zip(texts, wanted, strict=True)),
        "scores": {score.name: score.value for score in found},
        "tokenised_bleu": as_published.value,
        "signatures": {score.name: score.signature for score in (*found, as_published)},
        "met": _met(now, references, method),
        "outside": _outside(first, now, references),
        **_effort(now, references),
        **_work(now),
    }


def _met(
    drafts: Sequence[PlayedDraft], references: Sequence[ReferenceText], method: Method
) -> list[int]:
    """How many of the texts that were given are said, and how many were given."""
    met = due = 0
    for draft, reference in zip(drafts, references, strict=True):
        texts = [reference[stretch] for stretch in draft.given]
        met += method.met(texts, draft.text)
        due += len(texts) + bool(draft.unmet)
    return [met, due]


def _effort(drafts: Sequence[PlayedDraft], references: Sequence[ReferenceText]) -> dict[str, Any]:
    total = sum((draft.effort for draft in drafts), Effort())
    ksmr = total.ksmr(sum(len(reference.text) for reference in references))
    words = 100 * total.words / max(sum(map(len, references)), 1)
    return {"effort": asdict(total), "words_typed": round(words, 4), "ksmr": round(ksmr, 4)}


def _work(drafts: Sequence[PlayedDraft]) -> dict[str, Any]:
    """The means over the sentences that were searched."""
    searched = [draft.search for draft in drafts if draft.search is not None]
    count = max(len(searched), 1)
    return {
        "searched": len(searched),
        "seconds": round(sum(search.seconds for search in searched) / count, 4),
        "expanded": round(sum(search.expanded for search in searched) / count, 1),
        "stopped_early": round(100 * sum(search.stopped_early for search in searched) / count, 2),
        "fell_back": sum(search.fell_back for search in searched),
    }


def _outside(
    first: Sequence[PlayedDraft], now: Sequence[PlayedDraft], references: Sequence[ReferenceText]
) -> dict[str, Any] | None:
    """BLEU outside the given words, without constraints and with them.

    Over the sentences where some words are given but not all. None where what is given are tokens,
    which may be parts of words.
    """
    if any(reference.tokens for reference in references):
        return None
    before, after, wanted = [], [], []
    for old, new, reference in zip(first, now, references, strict=True):
        given = numbers(new.given)
        if given and len(given) < len(reference):
            plain, said = ReferenceText.of(old.text), ReferenceText.of(new.text)
            before.append(without(plain, in_place_of(given, reference, plain)))
            after.append(without(said, covered(said, new.spans)))
            wanted.append(without(reference, given))
    if not wanted:
        return None
    return {
        "sentences": len(wanted),
        "before": round(bleu(before, wanted), 4),
        "after": round(bleu(after, wanted), 4),
    }
