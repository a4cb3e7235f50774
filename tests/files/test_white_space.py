"""The white space of a segment comes back, whatever file it is in."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import echo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridbeam.documents import Segment, open_document
from gridbeam.files import Instructions, translate_file
from gridbeam.files.pipeline import Pipeline
from gridbeam.files.single import translate_text
from gridbeam.markup.inline import Code, Marked, as_marked
from gridbeam.text.layout import LAYOUT

TEXT = "\t The disk\tis full.\r\rThe  10\xa0km file:    empty.  It is.\xa0 "
words = st.sampled_from(["disk", "The", "is full.", "10", "{0}", "5%", "a:", "file"])
spaces = st.sampled_from([" ", "  ", "\t", "\r", "\n", "\xa0", " \t ", "    ", "\u2028", "\u202f"])
codes = st.sampled_from(["", "", "<b>", "<g>"])
"""Ones that are taken out: one that stands alone is shown, and stands where the model puts it."""


def translated(source: Marked | str) -> str:
    pipeline = Pipeline(echo.translator(), Instructions())
    segment = Segment(0, "1", as_marked(source), Path("a"), 1)
    ((_, outcome),) = pipeline.outcomes([segment])
    assert outcome.text is not None, outcome.unmet
    return str(outcome.text)


def layout(text: str) -> list[str]:
    return LAYOUT.findall(text.strip())


def ends(text: str) -> tuple[str, str]:
    return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]


def test_tabs_lone_returns_columns_and_spaces_that_do_not_break_stay():
    assert translated(TEXT) == TEXT.replace("The  10", "The 10")


def test_a_single_text_keeps_them_too():
    out = io.BytesIO()
    translate_text(echo.translator(), TEXT, out, Instructions())
    assert out.getvalue().decode() == TEXT.replace("The  10", "The 10") + "\n"
    assert echo.translator().translate(TEXT).text == TEXT.replace("The  10", "The 10")


@given(st.lists(st.tuples(codes, words, spaces), min_size=1, max_size=8), spaces)
def test_layout_stays_where_it_is_with_tags_or_without(drawn, first):
    pieces = [first]
    for code, word, space in drawn:
        pieces += [Code(code, "opens")] if code else []
        pieces += [word, space]
    source = Marked.of(pieces)
    found = translated(source)
    bare = re.sub("<.*?>", "", found)
    assert layout(bare) == layout(source.text)
    assert ends(bare) == ends(source.text)


FILES = {
    "a.txt": f"{TEXT}\n",
    "a.tsv": TEXT.replace("\t", " ") + "\n",
    "a.moses": f"{TEXT}\n",
    "a.jsonl": json.dumps({"text": TEXT}) + "\n",
    "a.po": 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "'
    + TEXT.replace("\t", "\\t").replace("\r", "\\r")
    + '"\nmsgstr ""\n',
    "a.xliff": '<xliff version="1.2"><file original="a"><body><trans-unit id="1"><source>'
    + TEXT.replace("\r", "&#13;")
    + "</source></trans-unit></body></file></xliff>\n",
    "a.tmx": '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>'
    + TEXT.replace("\r", "&#13;")
    + "</seg></tuv></tu></body></tmx>\n",
}


@pytest.mark.parametrize("name", FILES)
def test_they_stay_in_a_file_of_each_format(file, tmp_path, name):
    source, out = file(name, FILES[name]), tmp_path / f"out-{name}"
    (segment,) = (
        each for each in open_document(source, target_language="de").segments() if each.source.text
    )
    translate_file(echo.translator(), source, out, Instructions())
    (after,) = (
        each for each in open_document(out, target_language="de").segments() if each.source.text
    )
    found = after.source if after.target is None else after.target
    assert found.text == segment.source.text.replace("The  10", "The 10")
    assert "\r\r" in found.text and "10\xa0km" in found.text
