"""Documents: segments out, translations in, and nothing else of the file changes."""

from __future__ import annotations

import json
import os
import stat
import tracemalloc

import pytest

from gridbeam import AnyOf, Avoid, Phrase, Prefix, UserError
from gridbeam.documents import open_document
from gridbeam.documents.lines import LONGEST
from gridbeam.documents.registry import listed
from gridbeam.markup.inline import Code, Marked


def sources(document) -> list[str]:
    return [str(segment.source) for segment in document.segments()]


def shouted(document, out) -> bytes:
    """The document written with every due text in capitals, codes as they are."""
    given = {
        segment.number: Marked.of(
            piece if isinstance(piece, Code) else piece.upper() for piece in segment.source.pieces
        )
        for segment in document.segments()
        if segment.is_due
    }
    document.write(out, given)
    return out.read_bytes()


def test_text_is_translated_line_for_line_with_mark_and_line_ends_kept(file, tmp_path):
    document = open_document(file("a.txt", b"\xef\xbb\xbfone\r\n\n  two\xc3\xa4 \nlast"))
    assert sources(document) == ["one", "", "  twoä ", "last"]
    assert [segment.where.rpartition("/")[2] for segment in document.segments()][
        2
    ] == "a.txt line 3"
    assert shouted(document, tmp_path / "b.txt") == "\ufeffONE\r\n\n  TWOÄ \nLAST".encode()


def test_a_translation_of_several_lines_is_written_on_one(file, tmp_path):
    open_document(file("a.txt", "one\ntwo\n")).write(tmp_path / "b.txt", ["eins\nund", None])
    assert (tmp_path / "b.txt").read_text() == "eins und\ntwo\n"


def test_tsv_holds_a_source_and_its_constraints(file, tmp_path):
    document = open_document(file("a.tsv", "The disk\tFestplatte\tvoll ist\nno constraints\n\t\n"))
    assert [segment.constraints for segment in document.segments()] == [
        (Phrase("Festplatte"), Phrase("voll ist")),
        (),
        (),
    ]
    document.write(tmp_path / "b.tsv", ["Die\tFestplatte", "keine", None])
    assert (tmp_path / "b.tsv").read_text() == "Die Festplatte\tFestplatte\tvoll ist\nkeine\n\t\n"


def test_jsonl_reads_sockeyes_keys_and_keeps_all_others(file, tmp_path):
    first = (
        '{"id": 7, "text": "The \\u0064isk", "constraints": ["a", {"any_of": ["b", "c"]}], "avoid":'
        ' ["d"], "prefix": "Die"'
    )
    first += ', "x": 1.50}'
    second = ' { "translation" : "", "z":[1 , {"}":"translation"}],"text":"ä" } '
    document = open_document(file("a.jsonl", f"{first}\n\n{second}\n"))
    one, two = document.segments()
    assert one.constraints == (Phrase("a"), AnyOf("b", "c"), Avoid("d"), Prefix("Die"))
    assert (one.name, str(one.source), two.line) == ("7", "The disk", 3)
    document.write(tmp_path / "b.jsonl", ['Die "Platte"', "Ä"])
    expected = (
        first[:-1]
        + ', "translation": "Die \\"Platte\\""}\n\n'
        + second.replace(': ""', ': "Ä"')
        + "\n"
    )
    assert (tmp_path / "b.jsonl").read_text() == expected
    assert [segment.status for segment in open_document(tmp_path / "b.jsonl").segments()] == [
        "translated",
        "translated",
    ]


def test_moses_xml_becomes_constraints(file, tmp_path):
    text = 'das ist <np translation="the house||a house" prob="0.8||0.2">das Haus</np> &amp; AT&T'
    text += ' <wall/><n translation="&quot;x&quot;">y</n>\n'
    document = open_document(file("a.moses", text))
    (segment,) = document.segments()
    assert str(segment.source) == "das ist das Haus & AT&T y"
    assert segment.constraints == (AnyOf("the house", "a house"), Phrase('"x"'))
    document.write(tmp_path / "b.moses", ["this is <the house> & co"])
    assert (tmp_path / "b.moses").read_text() == "this is &lt;the house&gt; &amp; co\n"
    assert sources(open_document(tmp_path / "b.moses")) == ["this is <the house> & co"]


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        (
            "a",
            '<?xml version="1.0"?>\n<tmx version="1.4"><header srclang="en"/><body/></tmx>',
            "tmx",
        ),
        ("a.xml", '<!-- x --><xliff version="1.2"/>', "xliff 1.2"),
        ("a.xml", '<xliff version="2.1" srcLang="en"/>', "xliff 2"),
        (
            "a.xml",
            '<?xml version="1.0" encoding="UTF-16"?><xliff version="2.0"/>'.encode("utf-16"),
            "xliff 2",
        ),
        ("messages", '# Copyright\n#, fuzzy\nmsgid ""\nmsgstr ""\n', "po"),
        ("requests.json", '{"text": "x"}\n', "jsonl"),
        ("A.TXT", "x", "text"),
    ],
)
def test_the_format_is_told_by_suffix_or_contents(file, name, content, format):
    assert open_document(file(name, content), target_language="de").format == format


@pytest.mark.parametrize("name", ["a.txt", "a.tsv", "a.jsonl", "a.moses", "a.po"])
def test_an_empty_file_is_a_document_without_segments(file, tmp_path, name):
    document = open_document(file(name, ""))
    assert not list(document.segments())
    document.write(tmp_path / "out", [])
    assert (tmp_path / "out").read_bytes() == b""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.txt", "a.tsv", "a.jsonl"])
def test_a_large_document_takes_no_memory(file, tmp_path, name):
    line = (
        '{"text": "The disk is full.", "n": [1, 2]}\n'
        if name == "a.jsonl"
        else "The disk is full.\tvoll\n"
    )
    document = open_document(file(name, line * 8_000))
    tracemalloc.start()
    document.write(tmp_path / "out", ("Die Platte ist voll." for _ in document.segments()))
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (tmp_path / "out").read_bytes().count(b"Die Platte ist voll.") == 8_000
    assert used < 3_000_000


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", '{"text": "x"}\n[1]\n', r"a.jsonl line 2: not an object. Write \{"),
        ("a.jsonl", '{"txt": "x"}\n', 'a.jsonl line 1: no "text". Write'),
        ("a.jsonl", '{"text": 5}\n', 'line 1: not a string as "text"'),
        ("a.jsonl", '{"text": "x", "constraints": [5]}\n',
         r"line 1: constraints\[0\]: expected a string"),
        ("a.jsonl", '{"text": "x", "avoid": [""]}\n', r"line 1: avoid\[0\]: a phrase is empty"),
        ("a.jsonl", '{"text": "\\ud800 x"}\n', "line 1: .text. holds half a character"),
        ("a.jsonl", '{"text": "x", "n": ' + "1" * 5000 + "}",
         "line 1: a number of thousands of digits"),
        ("a.jsonl", '{"text": "x",}\n', r"line 1 column 1[34]: not JSON"),  # 3.13: the comma
        ("a.jsonl", '{"text": ' + "[" * 100_000, "line 1: nested too deep"),
        ("a.txt", b"good\nb\xe4d\n",
         r"a.txt line 2: byte 2 \(0xE4\) is not UTF-8. Convert the file to UTF-8."),
        ("a.txt", "text".encode("utf-16"), "line 1: byte 1 .* It looks like UTF-16."),
        ("a.txt", b"x\n" + b"a" * (LONGEST + 1), r"a.txt line 2: longer than 1,048,576 bytes"),
        ("a.moses", 'a <np translation="x">b\n', "line 1: <np> is not closed. Write </np>"),
        ("a.moses", "a </np>\n", "line 1 column 3: </np> closes nothing"),
        ("a.moses", "1 < 2\n", "line 1 column 3: a < that begins no tag. Write &lt;"),
        ("a.po", 'msgid "a"\nmsgstr "b"c"\n', "a.po line 2: expected msgid, msgstr"),
        ("a.po", 'msgid "a"\n', "a.po line 1: the file ends before the msgstr"),
        ("a.po", 'msgid "a"\nmsgid "b"\n', "line 2: a second msgid in the entry of line 1"),
        ("a.po", 'msgstr "a"\n', "line 1: a msgstr without a msgid"),
        ("a.po", '"a"\n', "line 1: a text that belongs to no msgid"),
        ("a.po", b'msgid ""\nmsgstr "Content-Type: x; charset=UTF-8\\n"\n\nmsgid "\xe4"\n',
         "line 4: byte 8"),
        ("a.po", 'msgid ""\nmsgstr "Content-Type: x; charset=Klingon\\n"\n',
         'charset "Klingon" in its header is unknown'),
        ("a.po", 'msgid ""\nmsgstr "Content-Type: x; charset=undefined\\n"\n',
         'charset "undefined" in its header is unknown'),
        ("a.po", 'msgid ""\nmsgstr "Content-Type: x; charset=UTF-16LE\\n"\n',
         'charset "UTF-16LE" in its header is unknown'),
        ("a.bin", "what is this",
         r"a.bin: neither its suffix nor its contents tell its format. Say with --format"),
        ("a.xliff", "<tmx/>", "line 1: <tmx> where <xliff> is expected"),
        ("a.xliff", '<xliff version="3.0"/>', 'XLIFF version "3.0" is unknown'),
        ("a.tmx", "<tmx/>", "TMX holds many languages. Say the target language."),
    ],
)  # fmt: skip
def test_bad_input_is_told_with_file_line_and_remedy(file, name, content, message):
    path = file(name, content)
    with pytest.raises(UserError, match=message):
        list(open_document(path).segments())


def test_a_line_of_gigabytes_is_refused_without_reading_it(tmp_path):
    path = tmp_path / "a.txt"
    with path.open("wb") as out:
        out.truncate(2 << 30)  # a hole: two gigabytes of zeros that take no room
    tracemalloc.start()
    with pytest.raises(UserError, match="line 1: longer than"):
        list(open_document(path).segments())
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < 4 * LONGEST


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(
        UserError, match=r"missing.txt cannot be read: No such file or directory. Check the path."
    ):
        open_document(tmp_path / "missing.txt")


def test_an_unknown_format_is_told_with_those_there_are(file):
    with pytest.raises(UserError, match=f'unknown format "docx": write {listed()}.'):
        open_document(file("a.txt", ""), format="docx")


def test_a_target_that_cannot_be_written_is_told_and_nothing_is_left_behind(file, tmp_path):
    document = open_document(file("a.txt", "x\n"))
    with pytest.raises(UserError, match="cannot be written: No such file or directory"):
        document.write(tmp_path / "no" / "folder" / "b.txt", ["y"])
    with pytest.raises(UserError, match="cannot be written: it is a folder"):
        document.write(tmp_path, ["y"])
    if os.geteuid():
        (tmp_path / "locked").mkdir(mode=0o500)
        with pytest.raises(UserError, match="cannot be written: Permission denied"):
            document.write(tmp_path / "locked" / "b.txt", ["y"])
    assert {path.name for path in tmp_path.iterdir()} <= {"a.txt", "locked"}


def test_the_output_is_replaced_only_when_complete(file, tmp_path):
    document = open_document(file("a.txt", "one\ntwo\n"))
    out = file("b.txt", "old")
    out.chmod(0o640)

    def broken():
        yield "eins"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        document.write(out, broken())
    assert out.read_text() == "old" and len(list(tmp_path.iterdir())) == 2
    document.write(out, ["eins", "zwei"])
    assert out.read_text() == "eins\nzwei\n" and stat.S_IMODE(out.stat().st_mode) == 0o640


def test_a_document_may_be_written_over_itself_and_is_then_another(file):
    path = file("a.txt", "one\n")
    document = open_document(path)
    document.write(path, ["eins"])
    assert path.read_text() == "eins\n"
    with pytest.raises(UserError, match="has changed since it was opened"):
        next(document.segments())


def test_a_device_is_written_to_and_not_replaced(file):
    open_document(file("a.txt", "one\n")).write("/dev/null", ["eins"])
    assert not os.path.isfile("/dev/null")


def test_translations_must_be_as_many_as_segments(file, tmp_path):
    document = open_document(file("a.txt", "one\ntwo\n"))
    with pytest.raises(ValueError, match="line 2: translations have ended"):
        document.write(tmp_path / "b", ["eins"])
    with pytest.raises(ValueError, match="more translations than segments"):
        document.write(tmp_path / "b", ["eins", "zwei", "drei"])
    with pytest.raises(TypeError, match="translations is one text"):
        document.write(tmp_path / "b", "eins")


PO = r"""# German translations.
#
#, fuzzy
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

#. extracted
#: src/a.c:10   src/b.c:7
#, c-format
#| msgid "Open %s"
msgctxt "menu"
msgid   "Open \"%s\"\t"
msgstr	""

msgid "One line.\n"
msgstr ""

msgid ""
"Two lines:\n"
"second \\n line"
msgstr ""
"Zwei"
msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""   

#, fuzzy, c-format
msgid "Save"
msgstr "Sichern"

#~ msgid "gone"
#~ msgstr ""
"""  # noqa: W291
FILLED = (
    PO.replace('msgstr\t""', r'''msgstr	"ÖFFNE \"%s\"\t"''')
    .replace('msgid "One line.\\n"\nmsgstr ""', 'msgid "One line.\\n"\nmsgstr "EINE.\\n"')
    .replace('msgstr[0] ""\nmsgstr[1] ""', 'msgstr[0] "%d DATEI"\nmsgstr[1] ""\n"%d\\n"\n"DATEIEN"')
    .replace('""\n"Zwei"', '"ZWEI\\\\n"')
    .replace("#, c-format\n#|", "#, fuzzy, c-format\n#|")
    .replace('msgid "One', '#, fuzzy\nmsgid "One')
    .replace('msgid ""\n"Two', '#, fuzzy\nmsgid ""\n"Two')
    .replace('msgid "%d file"', '#, fuzzy\nmsgid "%d file"')
)
PO_GIVEN = ['ÖFFNE "%s"\t', "EINE.\n", "ZWEI\\n", "%d DATEI", "%d\nDATEIEN", None, None]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_po_keeps_every_byte_but_the_translations(file, tmp_path, newline):
    document = open_document(file("de.po", PO.replace("\n", newline)))
    document.write(tmp_path / "same.po", {})
    assert (tmp_path / "same.po").read_bytes() == document.path.read_bytes()
    document.write(tmp_path / "out.po", PO_GIVEN)
    assert (tmp_path / "out.po").read_bytes().decode() == FILLED.replace("\n", newline)


def test_po_has_a_segment_for_each_plural_form_and_knows_contexts_flags_and_obsolete_entries(file):
    segments = list(open_document(file("de.po", PO)).segments())
    assert [(segment.name, segment.status) for segment in segments] == [
        ('menu|Open "%s"\t', "untranslated"),
        ("One line.\n", "untranslated"),
        ("Two lines:\nsecond \\n line", "translated"),
        ("%d file[0]", "untranslated"),
        ("%d file[1]", "untranslated"),
        ("Save", "draft"),
        ("gone", "locked"),
    ]
    assert [str(segment.source) for segment in segments[3:5]] == ["%d file", "%d files"]


@pytest.mark.parametrize(
    ("forms", "left"),
    [
        ('msgstr[1] ""\nmsgstr[0] ""\n', 'msgstr[0] "DATEI"\n'),
        ('msgstr[1] ""\n', 'msgstr[0] "DATEI"\n'),
        ('# why\nmsgstr[1] ""\n""\nmsgstr[0] ""', '# why\nmsgstr[0] "DATEI"'),
        ('msgstr[1] ""\nmsgstr[2] ""\nmsgstr[0] ""\n', 'msgstr[0] "DATEI"\n'),
        ('msgstr[0] ""\nmsgstr[1] ""\nmsgstr[2] ""\n', 'msgstr[0] "DATEI"\n'),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_plural_form_too_many_goes_alone_wherever_it_stands(file, tmp_path, newline, forms, left):
    before = (
        'msgid ""\nmsgstr "Plural-Forms: nplurals=1; plural=0;\\n"\n\n{}'
        'msgid "a file"\nmsgid_plural "files"\n'
    )
    made = (before.format("") + forms).replace("\n", newline)
    wanted = (before.format("#, fuzzy\n") + left).replace("\n", newline)
    open_document(file("ja.po", made)).write(tmp_path / "out.po", ["DATEI"])
    assert (tmp_path / "out.po").read_bytes().decode() == wanted


def test_a_po_file_in_another_language_is_not_filled(file):
    header = PO.replace('"Plural-Forms', '"Language: {}\\n"\n"Plural-Forms')
    for language in ("de", "de_AT", "de@latin", "", "German"):
        assert list(
            open_document(file("de.po", header.format(language)), target_language="de").segments()
        )
    with pytest.raises(
        UserError,
        match=r'fr\.po line \d: Language="fr", and translations are in de\. Take a model for fr',
    ):
        list(open_document(file("fr.po", header.format("fr")), target_language="de").segments())


def test_polib_reads_what_was_written(file, tmp_path):
    polib = pytest.importorskip("polib")
    path = file("de.po", PO)
    open_document(path).write(tmp_path / "out.po", PO_GIVEN)
    before, after = polib.pofile(str(path)), polib.pofile(str(tmp_path / "out.po"))
    assert [entry.msgstr or entry.msgstr_plural for entry in after] == [
        *PO_GIVEN[:3], {0: "%d DATEI", 1: "%d\nDATEIEN"}, "Sichern", {}
    ]  # fmt: skip
    kept = (
        "msgid",
        "msgctxt",
        "msgid_plural",
        "comment",
        "tcomment",
        "occurrences",
        "obsolete",
        "previous_msgid",
    )
    for one, other in zip(before, after, strict=True):
        assert [getattr(one, name) for name in kept] == [getattr(other, name) for name in kept]
        assert {*one.flags, *["fuzzy"] * (not one.obsolete)} == {*other.flags}
    assert before.metadata == after.metadata


@pytest.mark.parametrize(
    ("rule", "forms"),
    [
        ("nplurals=1; plural=0;", ["files"]),
        ("nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 ? 1 : 2);",
         ["file", "files", "files"]),
        ("nplurals=4; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : 3);",
         ["files", "file", "files", "files"]),
        ("nplurals=2; plural=__import__('os');", ["file", "files"]),
    ],
)  # fmt: skip
def test_the_plural_form_of_one_thing_is_made_from_the_singular(file, rule, forms):
    slots = "".join(f'msgstr[{n}] ""\n' for n in range(len(forms)))
    text = (
        f'msgid ""\nmsgstr "Plural-Forms: {rule}\\n"\n\nmsgid "file"\nmsgid_plural "files"\n{slots}'
    )
    assert sources(open_document(file("a.po", text))) == forms


def test_a_translation_is_flagged_fuzzy_and_no_longer_due(file, tmp_path):
    text = (
        '#: a.c\n#| msgid "old"\nmsgctxt "c"\nmsgid "x"\nmsgstr ""\n\n#, fuzzy\nmsgid "y"\nmsgstr'
        ' ""\n\nmsgid "z"\nmsgstr ""\n'
    )
    open_document(file("a.po", text)).write(tmp_path / "b.po", ["X", "Y", None])
    filled = (
        text.replace("#|", "#, fuzzy\n#|")
        .replace('"x"\nmsgstr ""', '"x"\nmsgstr "X"')
        .replace('"y"\nmsgstr ""', '"y"\nmsgstr "Y"')
    )
    assert (tmp_path / "b.po").read_text() == filled
    assert [each.status for each in open_document(tmp_path / "b.po").segments()] == [
        "draft",
        "draft",
        "untranslated",
    ]


LATIN = (
    '# für\nmsgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\n"\n\n# ä\nmsgid'
    ' "é"\nmsgstr ""\n'
)


def test_a_po_file_in_another_charset_stays_in_it(file, tmp_path):
    document = open_document(file("a.po", LATIN.encode("latin-1")))
    assert document.write(tmp_path / "b.po", ["ü"]) is None
    filled = LATIN.replace('msgid "é"\nmsgstr ""', '#, fuzzy\nmsgid "é"\nmsgstr "ü"')
    assert (tmp_path / "b.po").read_bytes() == filled.encode("latin-1")


@pytest.mark.parametrize("given", [["語"], {0: "語"}, iter(["語"])])
def test_a_po_file_whose_charset_cannot_hold_a_translation_becomes_utf8(file, tmp_path, given):
    said = open_document(file("a.po", LATIN.encode("latin-1"))).write(tmp_path / "b.po", given)
    assert (
        said
        == f'{tmp_path / "b.po"} is in UTF-8, as its header now says: iso8859-1 has no "語", which'
        " a translation has."
    )
    filled = LATIN.replace("ISO-8859-1", "UTF-8").replace(
        'msgid "é"\nmsgstr ""', '#, fuzzy\nmsgid "é"\nmsgstr "語"'
    )
    assert (tmp_path / "b.po").read_bytes() == filled.encode()
    assert [str(each.target) for each in open_document(tmp_path / "b.po").segments()] == ["語"]


def test_a_po_file_whose_charset_cannot_hold_a_translation_goes_to_a_stream_once(file, capfdbinary):
    text = LATIN + '\nmsgid "b"\nmsgstr ""\n'
    open_document(file("a.po", text.encode("latin-1"))).write("-", {0: "größe eins", 1: "„zwei“"})
    filled = text.replace("ISO-8859-1", "UTF-8").replace(
        'msgid "é"\nmsgstr ""', '#, fuzzy\nmsgid "é"\nmsgstr "größe eins"'
    )
    filled = filled.replace('msgid "b"\nmsgstr ""', '#, fuzzy\nmsgid "b"\nmsgstr "„zwei“"')
    assert capfdbinary.readouterr().out == filled.encode()


@pytest.mark.parametrize(
    ("charset", "mark", "kept", "said"),
    [
        ("CP932", b"", b"\x87\x90", "表 能"),
        ("ISO-8859-1", b"\xef\xbb\xbf", b"\xe4", "ü"),
        ("ISO-2022-JP", b"", b'\x1b$B\x1b(B\x1b$B$"\x1b(B', "「あ」"),
        ("UTF-8", b"\xef\xbb\xbf", "ä".encode(), "ü"),
    ],
)
def test_a_po_file_in_any_charset_keeps_all_other_bytes(file, tmp_path, charset, mark, kept, said):
    lines = [
        mark + b'msgid ""',
        b'msgstr "Content-Type: text/plain; charset=%s\\n"' % charset.encode(),
        b"",
        b"# " + kept,
    ]
    entry = [b" #, c-format", b'msgid "%s"' % kept, b'msgstr "%s"' % kept, b""]
    document = open_document(file("a.po", b"\n".join([*lines, *entry])))
    assert document.write(tmp_path / "b.po", {}) is None
    assert (tmp_path / "b.po").read_bytes() == document.path.read_bytes()
    assert document.write(tmp_path / "b.po", {0: said}) is None
    entry[0], entry[2] = b" #, fuzzy, c-format", b'msgstr "%s"' % said.encode(charset)
    assert (tmp_path / "b.po").read_bytes() == b"\n".join([*lines, *entry])


@pytest.mark.parametrize(
    "before",
    [
        'msgid ""\nmsgstr "Language: de\\n"\n\n',
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=CHARSET\\n"\n\n',
        'msgctxt "x"\nmsgid ""\nmsgstr "Content-Type: x; charset=iso-8859-1"\n\n',
        '#~ msgid ""\n#~ msgstr "Content-Type: x; charset=iso-8859-1"\n\n',
        "",
    ],
)
@pytest.mark.filterwarnings("ignore:.*its header stays that of a template")
def test_a_charset_that_an_entry_speaks_of_is_not_that_of_its_file(file, tmp_path, before):
    text = before + '# café\nmsgid ""\n"Content-Type: text/html; charset=iso-8859-1"\nmsgstr "{}"\n'
    document = open_document(file("a.po", text.format("")))
    (number,) = [each.number for each in document.segments() if each.is_due]
    assert document.write(tmp_path / "b.po", {number: "語"}) is None
    assert (tmp_path / "b.po").read_text("utf8") == text.replace(
        'msgid ""\n"Con', '#, fuzzy\nmsgid ""\n"Con'
    ).format("語")


def test_every_segment_of_a_jsonl_file_is_json(file, tmp_path):
    document = open_document(file("a.jsonl", '{"text": "x"}\n'))
    document.write(tmp_path / "b.jsonl", ["line\nbreak \ud800 \u2028"])
    assert json.loads((tmp_path / "b.jsonl").read_bytes())["translation"].startswith("line\nbreak")
