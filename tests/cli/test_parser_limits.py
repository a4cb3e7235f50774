"""Input that goes beyond what Python's own parsers bear: a clear error, and never a traceback."""

from __future__ import annotations

import tempfile
from pathlib import Path

import echo
import pytest
from typer.testing import CliRunner

from gridbeam.cli import app
from gridbeam.constraints.notation import from_json
from gridbeam.documents import open_document
from gridbeam.errors import UserError
from gridbeam.evaluation.due import _objects
from gridbeam.files.run import Instructions, translate_file
from gridbeam.glossary import formats
from gridbeam.models.gru.model import _config
from gridbeam.training import config

DEEP, DIGITS = 2_000, "9" * 5_000
XLIFF1 = (
    '<xliff version="1.2"><file original="a" source-language="en" target-language="de"'
    ' datatype="plaintext"><body>%s</body></file></xliff>'
)
XLIFF2 = '<xliff version="2.0" srcLang="en" trgLang="de"><file id="f">%s</file></xliff>'
TMX = (
    '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en">%s</tuv></tu></body>'
    "</tmx>"
)
TBX = (
    '<martif type="TBX" xml:lang="en"><text><body><termEntry>%s</termEntry></body></text></martif>'
)


def nested(name, inside="The disk", levels=DEEP):
    return f"<{name}>" * levels + inside + f"</{name.split()[0]}>" * levels


G, PC = 'g id="1"', 'pc id="1"'
DOCUMENTS = {
    "g.xlf": XLIFF1 % f"<trans-unit><source>{nested(G)}</source></trans-unit>",
    "group.xlf": XLIFF1 % nested("group", "<trans-unit><source>The disk</source></trans-unit>"),
    "pc.xliff": XLIFF2 % f"<unit><segment><source>{nested(PC)}</source></segment></unit>",
    "hi.tmx": TMX % f"<seg>{nested('hi')}</seg>",
}


@pytest.mark.parametrize("name", ["g.xlf", "pc.xliff", "hi.tmx"])
def test_a_text_with_thousands_of_elements_within_each_other_is_refused(tmp_path, name):
    (tmp_path / name).write_text(DOCUMENTS[name])
    with pytest.raises(UserError, match=rf"{name} line 1: <.*> is within 100 other elements"):
        list(open_document(tmp_path / name, target_language="de").segments())


@pytest.mark.parametrize("levels", [1, 95])
def test_elements_within_each_other_come_back_as_they_were(tmp_path, levels):
    path, out = tmp_path / "a.xlf", tmp_path / "b.xlf"
    path.write_text(
        XLIFF1 % f"<trans-unit><source>{nested(G, levels=levels)}</source></trans-unit>"
    )
    assert translate_file(echo.translator(), path, out, Instructions()).translated == 1
    target = out.read_text().split("<target")[1]
    assert target.count("<g id") == target.count("</g>") == levels


def test_groups_may_be_within_each_other_as_deep_as_they_like(tmp_path):
    (tmp_path / "a.xlf").write_text(DOCUMENTS["group.xlf"])
    (segment,) = open_document(tmp_path / "a.xlf").segments()
    assert str(segment.source) == "The disk"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (TBX % nested("descripGrp"), "The XML is broken here; mend it"),
        (TBX % '<langSet xml:lang="en"><tig><a:term>x</a:term></tig></langSet>', "Declare the pre"),
        (
            TBX % '<langSet xml:lang="en"><tig><term>x</term><a:note>y</a:note></tig></langSet>',
            "Namespace prefix a on note is not defined. Declare the prefix in the first tag",
        ),
    ],
)
def test_a_term_base_is_refused_by_line(tmp_path, content, said):
    (tmp_path / "a.tbx").write_text(content)
    with pytest.raises(UserError, match=rf"a\.tbx line 1: .*{said}"):
        formats.read(tmp_path / "a.tbx")


def test_a_plural_form_is_a_number_that_a_language_may_have(tmp_path):
    path = tmp_path / "a.po"
    path.write_text(f'msgid "a"\nmsgid_plural "b"\nmsgstr[{DIGITS}] ""\n')
    with pytest.raises(UserError, match=r"a\.po line 3: expected msgid, msgstr"):
        list(open_document(path).segments())


@pytest.mark.parametrize(
    "value", [DIGITS, f"[{DIGITS}]", "[" * 50_000, "[" * 50_000 + "]" * 50_000]
)
def test_numbers_and_lists_without_end_are_refused_in_json(tmp_path, value):
    (tmp_path / "config.json").write_text(f'{{"x": {value}}}')
    (tmp_path / "a.jsonl").write_text(f'{{"text": "a", "x": {value}}}\n')
    for read in (
        lambda: from_json(f'[{{"phrase": {value}}}]'),
        lambda: _objects(value, "terms.jsonl line 1"),
        lambda: _config(tmp_path),
        lambda: list(open_document(tmp_path / "a.jsonl").segments()),
    ):
        with pytest.raises(UserError, match=r"digits|deep|JSON"):
            read()


@pytest.mark.parametrize("value", [DIGITS, "[" * 5_000 + "]" * 5_000])
def test_numbers_and_lists_without_end_are_refused_in_a_configuration(tmp_path, value):
    (tmp_path / "a.toml").write_text(f"x = {value}\n")
    with pytest.raises(UserError, match=r"a\.toml: .*(digit|deep)"):
        config.read(tmp_path / "a.toml")
    (tmp_path / "b.toml").write_text("\n")
    with pytest.raises(UserError):
        config.read(tmp_path / "b.toml", [f"training.updates={value}"])


def test_without_a_folder_for_temporary_files_only_a_stream_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    source = tmp_path / "a.txt"
    source.write_text("The disk\n")
    assert (
        translate_file(echo.translator(), source, tmp_path / "b.txt", Instructions()).translated
        == 1
    )
    with pytest.raises(UserError, match=r"no folder for temporary files.*Set TMPDIR to one"):
        translate_file(echo.translator(), source, Path("-"), Instructions())


def test_the_command_line_tells_it_in_a_line_and_exits_with_2(tmp_path):
    path = tmp_path / "a.tbx"
    path.write_text(TBX % nested("descripGrp"))
    found = CliRunner().invoke(app, ["glossary", "check", str(path)])
    assert found.exit_code == 2 and "Traceback" not in found.output
    assert isinstance(found.exception, SystemExit)
