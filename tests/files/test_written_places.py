"""What an outcome tells of its translation is told in characters of it as it is written."""

from __future__ import annotations

from pathlib import Path

import echo

from gridbeam import Phrase
from gridbeam.documents import Segment
from gridbeam.files.instructions import Instructions
from gridbeam.files.outcome import Outcome
from gridbeam.files.segments import SegmentTranslator
from gridbeam.markup.inline import Code, Marked
from gridbeam.translation.defaults import TRANSLATION

URL = "https://example.org/a/long/address"


def outcome(source, *constraints, **options):
    pieces = Marked.of(source) if isinstance(source, list) else Marked.of([source])
    segment = Segment(0, "1", pieces, Path("a.txt"), 1, constraints=constraints)
    search = TRANSLATION.but(**options)
    pipeline = SegmentTranslator(echo.translator(), Instructions(search=search))
    ((_, found),) = pipeline.outcomes([segment])
    return found


def test_a_constraint_may_speak_of_codes_as_the_file_writes_them():
    opens, closes = Code("<g>", "opens", "1"), Code("</g>", "closes", "1")
    found = outcome(["The ", opens, "disk", closes, f" at {URL}."], Phrase(f"<g>disk</g> at {URL}"))
    (met,) = found.met
    ((start, end),) = met.spans
    assert str(found.text)[start:end] == f"disk</g> at {URL}" and met.account == "segment"


def test_a_constraint_on_a_label_may_have_its_mark():
    found = outcome("The _disk", Phrase("_disk"))
    ((start, end),) = found.met[0].spans
    assert str(found.text) == "The _disk" and not found.unmet
    assert str(found.text)[start:end] == "disk"


def test_tokens_are_where_the_written_text_has_them():
    found = outcome(f"The disk at {URL} is full.", n_best=2)
    written = str(found.text)
    assert URL in written
    covered = {place for each in found.tokens for place in range(each.start, each.end)}
    assert all(written[place] == " " for place in set(range(len(written))) - covered)
    first = found.others[0]
    assert (str(first.text), first.score) == found.alternatives[0] and first.tokens
    assert Outcome.from_line(found.as_line()) == found


def test_a_grid_that_was_asked_for_comes_with_the_outcome():
    assert outcome("The disk is full.").sentences == ()
    (sentence,) = outcome("The disk is full.", trace=True).sentences
    assert sentence.hypothesis.trace is not None


def test_constraints_can_be_had_in_the_words_of_the_model():
    segment = Segment(0, "1", Marked.of([f"_Open {URL}"]), Path("a.txt"), 1)
    pipeline = SegmentTranslator(echo.translator(), Instructions())
    asked = [Phrase(f"_Auf {URL}"), Phrase([3, 4])]
    assert pipeline.in_words_of_model(segment, asked) == (Phrase("Auf {1}"), Phrase([3, 4]))
    assert pipeline.protected(segment).text == "Open {1}"
