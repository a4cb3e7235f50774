"""Whether words that a person puts in stand where they were put, and what else changes.

    python benchmarks/editing.py NEWS.en NEWS.de SOFTWARE.en SOFTWARE.de [--save]

Each pair of files is a set. Of its sentences some are translated, and one stretch of each, a word
or two that the reference has other words for, is replaced by these, in four ways: `anywhere`
requires them as `PostEditing.revise` does, `typed` puts them into the text and changes nothing
else, `replace` is the verb, and `again` replaces another stretch after it. Judged are whether they
landed in their place, how many of the words outside stayed, and chrF against the reference.
`alternatives` counts how often the words of the reference are among the seven offered there.
Seconds are those of the processor, on one thread.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import sacrebleu
import torch

from gridbeam import PostEditing, Translator, UserError
from gridbeam.editing.landing import Landing, landing
from gridbeam.editing.stretch import occurrences
from gridbeam.editing.wording import put_in
from gridbeam.postedit import EditingState, Stretch, TextSpeaker
from gridbeam.support.signature import signature
from gridbeam.text.words import is_word, spans, words
from gridbeam.translation.defaults import TRANSLATION

RESULTS = Path(__file__).parent / "results" / "editing.json"
SHORTEST, LONGEST = 8, 25


@dataclass(frozen=True)
class Correction:
    """What a person would replace in a translation, and by what."""

    source: str
    reference: str
    text: str
    where: Stretch
    new: str


def drawn(src: Path, ref: Path, count: int) -> list[tuple[str, str]]:
    """So many pairs of sentences of middle length."""
    texts = (path.read_text(encoding="utf8").splitlines() for path in (src, ref))
    pairs = [pair for pair in zip(*texts, strict=True) if is_middling(pair[0])]
    return random.Random(3).sample(pairs, min(count, len(pairs)))


def is_middling(source: str) -> bool:
    return SHORTEST <= len(source.split()) <= LONGEST


def differing(text: str, reference: str) -> list[tuple[Stretch, str]]:
    """The stretches of one or two words for which the reference has others."""
    said, wanted = words(text), words(reference)
    there, here = spans(text, said), spans(reference, wanted)
    steps = SequenceMatcher(None, said, wanted, autojunk=False).get_opcodes()
    return [
        (Stretch(there[a][0], there[b - 1][1]), reference[here[c][0] : here[d - 1][1]])
        for tag, a, b, c, d in steps
        if tag == "replace" and is_worth_it(said[a:b]) and is_worth_it(wanted[c:d])
    ]


def is_worth_it(found: Sequence[str]) -> bool:
    return len(found) <= 2 and all(map(is_word, found)) and max(map(len, found)) > 3


def corrections(
    translator: Translator, pairs: Sequence[tuple[str, str]], count: int
) -> Iterator[Correction]:
    """One for each sentence that has a place for it."""
    sources = [source for source, _ in pairs]
    found = translator.translate_all(sources, split=False, options=TRANSLATION)
    left = count
    for (source, reference), translation in zip(pairs, found, strict=True):
        places = differing(translation.text, reference)
        if places and left:
            left -= 1
            where, new = random.Random(source).choice(places)
            yield Correction(source, reference, translation.text, where, new)


Way = Callable[[PostEditing, Correction], tuple[str, Landing]]


def anywhere(editing: PostEditing, given: Correction) -> tuple[str, Landing]:
    editing.revise(given.new)
    places = [landing(given.text, given.where, editing.text, new) for new in found(editing, given)]
    return editing.text, max(places, key=lambda each: (each.is_in_place, each.kept))


def found(editing: PostEditing, given: Correction) -> list[Stretch]:
    places = [*occurrences(editing.text, given.new)]
    return places or [Stretch(0, 0)]


def typed(editing: PostEditing, given: Correction) -> tuple[str, Landing]:
    text, new = put_in(given.text, given.where, given.new)
    return text, landing(given.text, given.where, text, new)


def replace(editing: PostEditing, given: Correction) -> tuple[str, Landing]:
    after = editing.replace(given.where, given.new).after
    held = [lock.where for lock in after.locks if lock.where.of(after.text) == given.new]
    places = [landing(given.text, given.where, after.text, where) for where in held]
    return after.text, max(places, key=lambda each: (each.is_in_place, each.kept))


def after_the_first(
    translator: Translator, given: Sequence[Correction]
) -> Iterator[tuple[Correction, EditingState]]:
    """Another correction of each sentence that has a place for it, and the text after the first."""
    for each in given:
        state = opened(translator, each).replace(each.where, each.new).after
        places = [
            (where, new)
            for where, new in differing(state.text, each.reference)
            if not state.locked_at(where)
        ]
        if places:
            where, new = random.Random(each.source).choice(places)
            yield dataclasses.replace(each, text=state.text, where=where, new=new), state


WAYS: tuple[Way, ...] = (anywhere, typed, replace)


def tried(
    translator: Translator,
    name: str,
    way: Way,
    given: Sequence[tuple[Correction, EditingState]],
) -> dict[str, Any]:
    """What becomes of all of them in a way."""
    seconds, kept, outside, landed, chrf = 0.0, 0, 0, 0, 0.0
    for each, state in given:
        editing = opened(translator, each, state)
        begin = time.process_time()
        text, place = way(editing, each)
        seconds += time.process_time() - begin
        landed += place.is_in_place
        kept, outside = kept + place.kept, outside + place.kept + place.changed
        chrf += sacrebleu.sentence_chrf(text, [each.reference]).score
    return {
        "way": name,
        "replaced": len(given),
        "in place %": round(100 * landed / len(given), 1),
        "kept %": round(100 * kept / max(outside, 1), 1),
        "chrF": round(chrf / len(given), 2),
        "seconds": round(seconds / len(given), 2),
    }


def opened(
    translator: Translator, given: Correction, state: EditingState | None = None
) -> PostEditing:
    speaker = TextSpeaker(translator, given.source, TRANSLATION)
    return PostEditing.of(speaker, state or EditingState(given.text))


def offered(translator: Translator, given: Sequence[Correction]) -> dict[str, Any]:
    """How often the alternatives have the words of the reference, and how many there are."""
    seconds, hits, count = 0.0, 0, 0
    for each in given:
        editing = opened(translator, each)
        begin = time.process_time()
        others = [other.text for other in editing.alternatives(each.where, 7)]
        seconds += time.process_time() - begin
        hits, count = hits + (each.new in others), count + len(others)
    return {
        "places": len(given),
        "offered": round(count / len(given), 1),
        "wanted %": round(100 * hits / len(given), 1),
        "seconds": round(seconds / len(given), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    missing = [str(path) for path in given.files if not path.exists()]
    if missing or len(given.files) % 2:
        raise UserError(f"give pairs of files that are there; missing: {', '.join(missing)}")
    torch.set_num_threads(1)
    translator = Translator.load("builtin:en-de")
    rows, others = [], []
    for src, ref in zip(given.files[::2], given.files[1::2], strict=True):
        pairs = drawn(src, ref, 4 * given.count)
        cases = [*corrections(translator, pairs, given.count)]
        name = src.parent.parent.name if src.stem == "dev" else src.stem
        first = [(case, EditingState(case.text)) for case in cases]
        again = [*after_the_first(translator, cases)]
        for row in (
            *(tried(translator, way.__name__, way, first) for way in WAYS),
            tried(translator, "again", replace, again),
        ):
            rows.append({"set": name, **row})
            print(json.dumps(rows[-1]), flush=True)
        others.append({"set": name, **offered(translator, cases)})
        print(json.dumps(others[-1]), flush=True)
    if given.save:
        text = json.dumps({"signature": signature(), "rows": rows, "offered": others}, indent=2)
        RESULTS.write_text(f"{text}\n", encoding="utf8")


if __name__ == "__main__":
    main()
