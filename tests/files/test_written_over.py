"""Which files may be written over by their translation: those that keep the source beside it."""

from __future__ import annotations

import echo
import pytest

pytest.importorskip("typer")
from small_files import XLIFF1

from gridbeam import UserError
from gridbeam.files.run import Instructions, translate_file
from gridbeam.translation.defaults import TRANSLATION

PO = (
    'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "The disk"\nmsgstr ""\n'
)
TMX = """<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>The disk</seg></tuv></tu></body></tmx>
"""
LOST = {
    "a.txt": "The disk\n",
    "a.tsv": "The disk\tleer\n",
    "a.moses": 'The <n translation="Ordner">folder</n>\n',
}
KEPT = {"a.jsonl": '{"text": "The disk"}\n', "a.po": PO, "a.xliff": XLIFF1, "a.tmx": TMX}


@pytest.mark.parametrize("name", LOST)
def test_a_file_that_loses_its_source_is_not_written_over(file, name):
    path = file(name, LOST[name])
    with pytest.raises(
        UserError,
        match=f"{name} is the input, and its sources would be lost. Write to another file.",
    ):
        translate_file(echo.translator(), path, path, Instructions(search=TRANSLATION.but(beam=1)))
    assert path.read_text() == LOST[name]


@pytest.mark.parametrize("name", KEPT)
def test_a_file_that_keeps_its_source_may_be_written_over(file, name):
    path = file(name, KEPT[name])
    assert translate_file(
        echo.translator(), path, path, Instructions(search=TRANSLATION.but(beam=1))
    ).translated
    assert "disk" in path.read_text() and path.read_text() != KEPT[name]


@pytest.mark.parametrize("name", [*LOST, *KEPT])
def test_no_file_is_written_over_by_lines_of_text(file, name):
    path = file(name, {**LOST, **KEPT}[name])
    with pytest.raises(UserError, match="is the input"):
        translate_file(
            echo.translator(), path, path, Instructions(search=TRANSLATION.but(beam=1)), to="text"
        )
