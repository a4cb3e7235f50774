"""XLIFF and TMX: translations are spliced in, and every other byte stays.

The samples follow the specifications.
"""

from __future__ import annotations

import re
import tracemalloc
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridbeam import UserError
from gridbeam.documents import open_document
from gridbeam.markup.inline import Marked
from gridbeam.markup.protect import constraints_of, protect
from gridbeam.markup.restore import restore

XLIFF1 = """\ufeff<?xml version='1.0'  encoding="utf-8" ?>
<!-- made by a tool --><?tool data?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:okp="okapi">
  <file original='a&amp;b.html' source-language="en" target-language="de" datatype="html">
    <header><note>&lt;source&gt; here</note></header>
    <body>
      <trans-unit id="1" okp:x = "1>2">
        <source xml:lang="en">Press <g id="1" ctype="bold">Save</g> &amp; <x id="2"/>quit</source>
        <note>keep <![CDATA[<this>]]></note>
      </trans-unit>
      <trans-unit id="2"><source>Old</source><target state='needs-translation' xml:lang="de">Alt</target>
        <alt-trans><source>Old one</source><target>Altes</target></alt-trans></trans-unit>
      <trans-unit id="3"><source>Hello <ph id="1">%s</ph>, <bpt id="2">&lt;b></bpt>you<ept id="2">&lt;/b></ept>!</source>
      <target /></trans-unit>
      <trans-unit id="4" approved="yes"><source>Done</source><target>Fertig</target></trans-unit>
      <group translate="no"><trans-unit id="5"><source>CODE</source></trans-unit></group>
      <trans-unit id="6"><source>Text</source><target state="translated">Text</target></trans-unit>
      <trans-unit id="7"><source>Text</source><target state="signed-off">Text</target></trans-unit>
      <trans-unit id="8"><source><![CDATA[a < b]]> &#x2014; <mrk mtype="protected">Acme</mrk></source></trans-unit>
      <trans-unit id="9"><source>One. Two.</source>
        <seg-source><mrk mtype="seg" mid="0">One.</mrk> <g id="1"><mrk mtype="seg" mid="1">Two.</mrk></g></seg-source>
      </trans-unit>
    </body>
  </file>
</xliff>
"""  # noqa: E501
STATE1 = 'state="needs-review-translation" state-qualifier="mt-suggestion"'
EXPECTED1 = (
    XLIFF1.replace(
        "quit</source>",
        f'quit</source>\n        <target {STATE1}>PRESS <g id="1" ctype="bold">SAVE</g> &amp; <x'
        ' id="2"/>QUIT</target>',
    )
    .replace(
        "<target state='needs-translation' xml:lang=\"de\">Alt</target>",
        '<target state="needs-review-translation" xml:lang="de"'
        ' state-qualifier="mt-suggestion">OLD</target>',
    )
    .replace(
        "<target />",
        f'<target {STATE1}>HELLO <ph id="1">%s</ph>, <bpt id="2">&lt;b></bpt>YOU<ept'
        ' id="2">&lt;/b></ept>!</target>',
    )
    .replace(
        "Acme</mrk></source>",
        f"Acme</mrk></source><target {STATE1}>A &lt; B — <mrk"
        ' mtype="protected">Acme</mrk></target>',
    )
    .replace(
        "</g></seg-source>",
        f'</g></seg-source>\n        <target {STATE1}><mrk mtype="seg" mid="0">ONE.</mrk> '
        '<g id="1"><mrk mtype="seg" mid="1">TWO.</mrk></g></target>',
    )
)

XLIFF2 = """<?xml version="1.0"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de"
       xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0">
 <file id="f1">
  <unit id="u1">
   <mtc:matches><mtc:match ref="#s1"><source>Other</source><target>Anderes</target></mtc:match></mtc:matches>
   <originalData><data id="d1">{0}</data></originalData>
   <segment id="s1"   state='initial'>
    <source>Delete <pc id="1" dataRefStart="d1">all <ph id="2" disp="{0}"/> files</pc> &lt;now&gt;</source>
   </segment>
   <ignorable><source> </source></ignorable>
   <segment>
    <source>Then <sc id="3"/>stop<ec startRef="3"/><cp hex="0001"/>.</source>
    <target xml:lang="de"/>
   </segment>
   <segment id="s3" state="final"><source>End</source><target>Ende</target></segment>
   <segment id="s4"><source>Draft</source><target>Entwurf</target></segment>
   <segment id="s5" state="translated" subState="gridbeam:needs-review"><source>Mine</source><target>Meins</target></segment>
   <segment id="s6" state="translated"><source>Done</source><target>Fertig</target></segment>
  </unit>
  <unit id="u2" translate="no"><segment><source>CODE</source></segment></unit>
  <unit id="u3"><segment><source>By <mrk id="m1" translate="no">Acme</mrk></source></segment></unit>
 </file>
</xliff>"""  # noqa: E501
STATE2 = 'state="translated" subState="gridbeam:needs-review"'
EXPECTED2 = (
    XLIFF2.replace("<segment id=\"s1\"   state='initial'>", f'<segment id="s1"   {STATE2}>')
    .replace(
        "&lt;now&gt;</source>",
        '&lt;now&gt;</source>\n    <target>DELETE <pc id="1" dataRefStart="d1">ALL <ph id="2"'
        ' disp="{0}"/> FILES</pc> &lt;NOW&gt;</target>',
    )
    .replace("<segment>\n    <source>Then", f"<segment {STATE2}>\n    <source>Then")
    .replace(
        '<target xml:lang="de"/>',
        '<target xml:lang="de">THEN <sc id="3"/>STOP<ec startRef="3"/><cp hex="0001"/>.</target>',
    )
    .replace(
        '<unit id="u3"><segment><source>By <mrk id="m1" translate="no">Acme</mrk></source>',
        f'<unit id="u3"><segment {STATE2}><source>By <mrk id="m1"'
        ' translate="no">Acme</mrk></source><target>BY <mrk id="m1"'
        ' translate="no">Acme</mrk></target>',
    )
)

TMX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
  <header creationtool="x" srclang="en-US" segtype="sentence" datatype="html" adminlang="en" o-tmf="x" creationtoolversion="1"/>
  <body>
    <tu tuid="a"><!-- kept -->
      <tuv xml:lang="EN-us" creationdate="20200101T000000Z">
        <seg>Click <bpt i="1">&lt;b></bpt>here<ept i="1">&lt;/b></ept><ph x="2"/> &amp; wait.</seg>
      </tuv>
      <tuv xml:lang="fr"><seg>Cliquez</seg></tuv>
    </tu>
    <tu><tuv xml:lang="en-US"><seg>Empty</seg></tuv><tuv xml:lang="de-DE"><seg></seg></tuv></tu>
    <tu><tuv xml:lang="en-US"><seg>Full</seg></tuv><tuv xml:lang="de"><seg>Voll</seg></tuv></tu>
    <tu><tuv xml:lang="fr"><seg>Seul</seg></tuv></tu>
  </body>
</tmx>
"""  # noqa: E501
EXPECTED_TMX = TMX.replace(
    "</tuv>\n      <tuv xml:lang=\"fr\">",
    '</tuv>\n      <tuv xml:lang="de">\n        '
    '<seg>CLICK <bpt i="1">&lt;b></bpt>HERE<ept i="1">&lt;/b></ept><ph x="2"/>'
    ' &amp; WAIT.</seg>\n      </tuv>\n      <tuv xml:lang="fr">',
).replace("<seg></seg>", "<seg>EMPTY</seg>")  # fmt: skip

SAMPLES = [
    ("a.xliff", XLIFF1, EXPECTED1),
    ("a.xlf", XLIFF2, EXPECTED2),
    ("a.tmx", TMX, EXPECTED_TMX),
]


def shout(text: Marked) -> Marked:
    return Marked.of(piece.upper() if isinstance(piece, str) else piece for piece in text.pieces)


def filled(document) -> dict[int, Marked]:
    return {
        segment.number: shout(segment.source) for segment in document.segments() if segment.is_due
    }


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(("name", "before", "after"), SAMPLES)
def test_every_byte_but_the_translations_stays(file, tmp_path, name, before, after, newline):
    document = open_document(file(name, before.replace("\n", newline)), target_language="de")
    document.write(tmp_path / "same", {})
    assert (tmp_path / "same").read_bytes() == document.path.read_bytes()
    document.write(tmp_path / "out", filled(document))
    assert (tmp_path / "out").read_bytes().decode() == after.replace("\n", newline)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "iso-8859-1", "windows-1252"])
@pytest.mark.parametrize(("name", "before", "after"), SAMPLES)
def test_a_file_stays_in_its_encoding(file, tmp_path, name, before, after, encoding):
    def encoded(text: str) -> bytes:
        text = re.sub(
            r"^<\?xml.*?\?>", f'<?xml version="1.0" encoding="{encoding}"?>', text.lstrip("\ufeff")
        )
        return ("\ufeff" + text if encoding == "utf-16-be" else text).encode(
            encoding, "xmlcharrefreplace"
        )

    document = open_document(file(name, encoded(before)), target_language="de")
    document.write(tmp_path / "out", filled(document))
    assert (tmp_path / "out").read_bytes() == encoded(after)


@pytest.mark.parametrize(("name", "before", "after"), SAMPLES)
def test_what_was_written_is_read_again_and_is_no_longer_due(file, tmp_path, name, before, after):
    document = open_document(file(name, before), target_language="de")
    given = filled(document)
    document.write(tmp_path / name.replace("a", "b"), given)
    again = list(open_document(tmp_path / name.replace("a", "b"), target_language="de").segments())
    assert {
        segment.number: str(segment.target) for segment in again if segment.number in given
    } == {number: str(text) for number, text in given.items()}
    assert not any(segment.is_due for segment in again)


def test_xliff_1_says_what_is_to_be_translated(file):
    segments = list(open_document(file("a.xliff", XLIFF1)).segments())
    assert [(segment.name.removeprefix("a&b.html:"), segment.status) for segment in segments] == [
        ("1", "untranslated"), ("2", "untranslated"), ("3", "untranslated"), ("4", "locked"),
        ("5", "locked"), ("6", "translated"), ("7", "locked"), ("8", "untranslated"),
        ("9:0", "untranslated"), ("9:1", "untranslated"),
    ]  # fmt: skip
    assert segments[0].where.endswith("a.xliff line 8")
    assert (segments[7].source.text, str(segments[1].target)) == ("a < b — ", "Alt")


def test_xliff_2_says_what_is_to_be_translated(file):
    segments = list(open_document(file("a.xliff", XLIFF2)).segments())
    assert [(segment.name, segment.status) for segment in segments] == [
        ("f1:u1:s1", "untranslated"), ("f1:u1", "untranslated"), ("f1:u1:s3", "locked"),
        ("f1:u1:s4", "draft"), ("f1:u1:s5", "draft"), ("f1:u1:s6", "translated"),
        ("f1:u2", "locked"), ("f1:u3", "untranslated"),
    ]  # fmt: skip


def test_xliff_2_without_a_target_language_is_given_one(file, tmp_path):
    path = file("a.xlf", XLIFF2.replace(' trgLang="de"', ""))
    document = open_document(path, target_language="de-AT")
    document.write(tmp_path / "out", {7: "VON ACME"})
    assert (
        b'srcLang="en"\n       xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0" trgLang="de-AT">'
        in (tmp_path / "out").read_bytes()
    )
    with pytest.raises(
        UserError, match=r"a.xlf line 2: <xliff> has no trgLang.* Say the target language"
    ):
        list(open_document(path).segments())


@pytest.mark.parametrize(
    ("name", "content", "attribute"),
    [("a.xliff", XLIFF1, "target-language"), ("a.xlf", XLIFF2, "trgLang")],
)
def test_a_file_in_another_language_is_not_filled(file, name, content, attribute):
    with pytest.raises(
        UserError,
        match=f'line .: {attribute}="de", and translations are in fr. Take a model for de',
    ):
        list(open_document(file(name, content), target_language="fr").segments())


@pytest.mark.parametrize(
    ("name", "content", "attribute"),
    [("a.xliff", XLIFF1, "source-language"), ("a.xlf", XLIFF2, "srcLang")],
)
def test_a_file_that_the_model_cannot_read_is_not_read(file, name, content, attribute):
    with pytest.raises(
        UserError,
        match=f'line .: {attribute}="en", and what the model reads is in fr. Take a model for en',
    ):
        list(
            open_document(
                file(name, content), source_language="fr", target_language="de"
            ).segments()
        )


def test_codes_that_stand_for_words_are_shown_and_names_are_kept(file):
    one, _, three, *_, eight, _, _ = open_document(file("a.xliff", XLIFF1)).segments()
    assert protect(one.source).text == "Press Save & {1} quit"
    assert protect(three.source).text == "Hello %s, you!"
    assert protect(eight.source).text == "a < b — Acme"
    protected = protect(three.source)
    assert (
        str(restore("Na %s, du!", protected))
        == 'Na <ph id="1">%s</ph>, <bpt id="2">&lt;b></bpt>du<ept id="2">&lt;/b></ept>!'
    )
    assert [term.content for term in constraints_of(protect(eight.source))] == ["Acme"]


def test_a_locked_segment_cannot_be_overwritten(file, tmp_path):
    document = open_document(file("a.xliff", XLIFF1))
    with pytest.raises(ValueError, match=r"line \d+: a&b.html:4 must not be changed"):
        document.write(tmp_path / "out", {3: "neu"})


def test_a_part_of_a_unit_may_be_translated_alone(file, tmp_path):
    document = open_document(file("a.xliff", XLIFF1))
    document.write(tmp_path / "b.xliff", {9: "ZWEI."})
    assert (
        '<mrk mtype="seg" mid="0"></mrk> <g id="1"><mrk mtype="seg"'
        ' mid="1">ZWEI.</mrk></g></target>' in (tmp_path / "b.xliff").read_text()
    )
    again = open_document(tmp_path / "b.xliff")
    assert [segment.status for segment in again.segments()][-2:] == ["untranslated", "draft"]
    again.write(tmp_path / "c.xliff", {8: "EINS."})
    assert (
        'mid="0">EINS.</mrk> <g id="1"><mrk mtype="seg" mid="1">ZWEI.</mrk>'
        in (tmp_path / "c.xliff").read_text()
    )


def test_elements_with_a_prefix_get_targets_with_the_same(file, tmp_path):
    unit = '<x:trans-unit id="1"><x:source>a</x:source></x:trans-unit>'
    text = (
        f'<x:xliff version="1.2" xmlns:x="urn"><x:file><x:body>{unit}</x:body></x:file></x:xliff>'
    )
    document = open_document(file("a.xliff", text))
    document.write(tmp_path / "out", ["b"])
    assert (tmp_path / "out").read_text() == text.replace(
        "</x:source>", f"</x:source><x:target {STATE1}>b</x:target>"
    )


def test_the_source_language_of_tmx_is_the_headers_or_the_callers(file):
    path = file("a.tmx", TMX)
    assert [segment.status for segment in open_document(path, target_language="de").segments()] == [
        "untranslated", "untranslated", "translated"
    ]  # fmt: skip
    french = list(open_document(path, source_language="fr", target_language="de").segments())
    assert [str(segment.source) for segment in french] == ["Cliquez", "Seul"]
    with pytest.raises(
        UserError, match="no tuv in the source language ja, only in EN-us, de, de-DE, en-US, fr"
    ):
        list(open_document(path, source_language="ja", target_language="de").segments())
    with pytest.raises(UserError, match="line 6: neither header nor tu says the source language"):
        list(
            open_document(
                file("b.tmx", TMX.replace('srclang="en-US"', 'srclang="*all*"')),
                target_language="de",
            ).segments()
        )


BOMB = (
    '<?xml version="1.0"?>\n<!DOCTYPE x [\n<!ENTITY a "aaaa">\n<!ENTITY b "&a;&a;">]>\n<xliff'
    ' version="1.2">&b;</xliff>'
)
OUTSIDE = (
    '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><xliff'
    ' version="1.2"><file>&f;</file></xliff>'
)
PARAMETER = (
    '<!DOCTYPE x [<!ENTITY % f SYSTEM "http://example.org/x.dtd"> %f;]><xliff version="1.2"/>'
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (XLIFF1.replace("</g>", "", 1),
         r"a.xliff line 8, column \d+: broken XML: mismatched tag. Mend it there"),
        (XLIFF1[:900], r"a.xliff line 15, column 7: broken XML: unclosed token"),
        (XLIFF1.encode().replace(b"quit", b"qu\xe4t"),
         r"line 8, column \d+: byte \d+ of the file \(0xE4\) is not UTF-8"),
        (XLIFF1.replace("&amp; <x", "&nbsp; <x"), "line 8, column .* undefined entity"),
        (BOMB, "a.xliff line 3: declares the entity a, which is refused"),
        (OUTSIDE, "line 1: declares the entity f, which is refused"),
        (PARAMETER, "line 1: declares the entity f, which is refused"),
        ("", "line 1, column 1: broken XML: no element found"),
        (XLIFF1.replace('"utf-8"', '"klingon"').lstrip("\ufeff"),
         'line 1: encoding "klingon" is unknown here'),
        ('<?xml version="1.0" encoding="shift_jis"?>\n<xliff>\xa0\xff'.encode("latin-1"),
         "line 2: byte .* is not shift_jis"),
        (XLIFF1.replace("<source>Old</source>", "", 1), "line 11: <trans-unit> without <source>"),
        ('<xliff version="1.2"><trans-unit>' + "a" * 1_100_000 + "</trans-unit></xliff>",
         "longer than 1,048,576 bytes"),
        ('<xliff version="1.2"><trans-unit id="' + "a" * 6_000_000 + '"/></xliff>',
         "a tag longer than 4,194,304 bytes"),
    ],
)  # fmt: skip
def test_bad_xml_is_told_with_file_line_and_remedy(file, content, message):
    path = file("a.xliff", content)
    with pytest.raises(UserError, match=message):
        list(open_document(path).segments())


def test_an_entity_of_a_dtd_that_is_not_read_is_kept_as_a_code(file, tmp_path):
    document = open_document(
        file("a.tmx", TMX.replace("Empty", "Em&shy;pty")), target_language="de"
    )
    document.write(tmp_path / "out", filled(document))
    assert b"<seg>EM&shy;PTY</seg>" in (tmp_path / "out").read_bytes()


@pytest.mark.slow
def test_a_large_xliff_takes_no_memory(file, tmp_path):
    unit = '<trans-unit id="{}"><source>Click <g id="1">button {}</g>.</source></trans-unit>\n'
    body = "".join(unit.format(n, n) for n in range(5_000))
    document = open_document(
        file(
            "a.xliff", f'<xliff version="1.2"><file original="a"><body>{body}</body></file></xliff>'
        )
    )
    tracemalloc.start()
    document.write(tmp_path / "out", (segment.source for segment in document.segments()))
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (tmp_path / "out").read_bytes().count(b"<target") == 5_000
    assert used < 10_000_000


UNIT = '<trans-unit id="1">\n  <source{}>{}</source></trans-unit>'
SEGMENT = '<unit id="u"><segment>\n<source{}>{}</source></segment></unit>'
TU = '<tu><tuv xml:lang="en"{}>\n<seg>{}</seg></tuv></tu>'
WRAPPED = {
    "a.xliff": f'<xliff version="1.2"{{}}><file><body>{UNIT}</body></file></xliff>',
    "b.xliff": f'<xliff version="2.0" trgLang="de"{{}}><file id="f">{SEGMENT}</file></xliff>',
    "a.tmx": f'<tmx version="1.4"{{}}><header srclang="en"/><body>{TU}</body></tmx>',
}
PRESERVE, DEFAULT = ' xml:space="preserve"', ' xml:space="default"'


@pytest.mark.parametrize("name", WRAPPED)
@pytest.mark.parametrize(
    ("outer", "inner", "text", "read"),
    [
        ("", "", "\n    The disk \n\t  is\n    full.\n  ", "\n    The disk is full.\n  "),
        (PRESERVE, DEFAULT, "The disk\r\n  is full.", "The disk is full."),
        (DEFAULT, PRESERVE, "The disk\n  is full.", "The disk\n  is full."),
        (PRESERVE, "", "The disk\n  is full.", "The disk\n  is full."),
        ("", "", "The disk&#10;is full.", "The disk\nis full."),
        ("", "", "The  disk&#xA;is\nfull.", "The  disk\nis\nfull."),
        ("", "", "Press <ph>1</ph>\n  or <ph>2</ph>\n", "Press <ph>1</ph> or <ph>2</ph>\n"),
    ],
)
def test_a_line_break_in_a_source_is_a_space_unless_the_file_says_otherwise(
    file, tmp_path, name, outer, inner, text, read
):
    content = WRAPPED[name].format(outer, inner, text)
    document = open_document(file(name, content), target_language="de")
    (segment,) = document.segments()
    assert str(segment.source) == read
    document.write(tmp_path / "out", {})
    assert (tmp_path / "out").read_bytes() == content.encode()


@given(st.text(max_size=30), st.text(alphabet="a&<>]\"'{}%s\r\n\t ;x#", max_size=30))
def test_any_text_survives_xml(tmp_path_factory, source, translated):
    folder = tmp_path_factory.getbasetemp()
    allowed = re.sub("[^\t\n\x20-\ud7ff\ue000-\ufffd]", "", source)
    escaped = allowed.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    path = folder / "any.xliff"
    path.write_text(
        WRAPPED["a.xliff"].format(PRESERVE, "", f"x{escaped}"), encoding="utf8", newline=""
    )
    document = open_document(path)
    (segment,) = document.segments()
    assert str(segment.source) == "x" + allowed
    document.write(folder / "any.out", [translated])
    assert (ET.parse(folder / "any.out").find(".//target").text or "") == translated
