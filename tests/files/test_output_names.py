"""The name of an output says the format that is written there, or nothing, or is refused."""

from __future__ import annotations

import echo
import pytest
from small_files import XLIFF1, complaint

from gridbeam.errors import UserError
from gridbeam.files.run import Instructions, translate_file

CONTENTS = {
    "a.xliff": XLIFF1,
    "a.xlf": XLIFF1,
    "a.po": 'msgid "The disk"\nmsgstr ""\n',
    "a.pot": 'msgid "The disk"\nmsgstr ""\n',
    "a.txt": "The disk\n",
    "a.tsv": "The disk\n",
    "a.jsonl": '{"text": "The disk"}\n',
    "a": XLIFF1,
}


def translated(file, tmp_path, name, out, **options):
    source = file(name, CONTENTS[name])
    return translate_file(
        echo.translator(), source, tmp_path / "out" / out, Instructions(), **options
    )


@pytest.fixture(autouse=True)
def folder(tmp_path):
    (tmp_path / "out").mkdir()


@pytest.mark.parametrize(
    ("name", "to", "out", "said"),
    [
        (
            "a.xliff",
            None,
            "b.po",
            r"b\.po would be xliff, as .*a\.xliff is, .* says po. Call it b\.xl",
        ),
        ("a.xlf", None, "b.PO", r"says po\. Call it b\.xlf\.$"),
        ("a", None, "b.tmx", r"says tmx\. Call it b\.xlf\.$"),
        ("a.po", None, "b.xliff", r"would be po.*Call it b\.po\.$"),
        ("a.pot", None, "b.txt", r"says text\. Call it b\.po, or say --to text\.$"),
        ("a.tsv", None, "b.jsonl", r"Call it b\.tsv, or say --to jsonl\.$"),
        ("a.txt", None, "b.tsv", r"would be text.*Call it b\.txt\.$"),
        (
            "a.po",
            "text",
            "b.po",
            r"b\.po would be text, though its name says po\. Call it b\.txt\.$",
        ),
        ("a.po", "jsonl", "b.txt", r"Call it b\.jsonl, or say --to text\.$"),
        ("a.txt", "jsonl", "b.txt", r"would be jsonl, though"),
    ],
)
def test_a_name_that_contradicts_the_format_is_refused(file, tmp_path, name, to, out, said):
    with pytest.raises(UserError, match=said):
        translated(file, tmp_path, name, out, to=to)
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "to", "out"),
    [
        ("a.xliff", None, "b.xlf"),
        ("a.xlf", None, "b.xliff"),
        ("a.pot", None, "de.po"),
        ("a.po", None, "b"),
        ("a.po", None, "b.de"),
        ("a.xliff", "text", "b.txt"),
        ("a.xliff", "text", "b"),
        ("a.xliff", "jsonl", "b.ndjson"),
        ("a.tsv", None, "b.tab"),
    ],
)
def test_a_name_that_fits_or_says_nothing_will_do(file, tmp_path, name, to, out):
    translated(file, tmp_path, name, out, to=to)
    assert (tmp_path / "out" / out).stat().st_size


def test_a_format_that_is_said_goes_to_a_file_of_the_same_suffix(file, tmp_path):
    translated(file, tmp_path, "a.txt", "b.txt", format="moses")
    translated(file, tmp_path, "a.txt", "c.txt", format="tsv")
    with pytest.raises(UserError, match=r"c\.jsonl would be tsv"):
        translated(file, tmp_path, "a.txt", "c.jsonl", format="tsv")


def test_it_is_told_before_a_model_is_loaded(file, tmp_path):
    said = complaint(file("a.xliff", XLIFF1), "-o", tmp_path / "b.po", "-m", "there is no such")
    assert "b.po would be xliff" in said
