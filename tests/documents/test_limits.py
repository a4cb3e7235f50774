"""How long a translation may be, as each format says it."""

from __future__ import annotations

import pytest

from gridbeam.documents import open_document
from gridbeam.documents.limit import SizeLimit
from gridbeam.errors import UserError
from gridbeam.markup.inline import Code, Marked

UNIT = '<trans-unit id="1" {}><source>The disk</source></trans-unit>'
CUT = (
    '<trans-unit id="1" maxwidth="20" size-unit="char"><source>One. Twoo.</source><seg-source>'
    '<mrk mtype="seg" mid="1">One.</mrk> <mrk mtype="seg" mid="2">Twoo.</mrk></seg-source>'
    "</trans-unit>"
)


def limits(path):
    return [segment.limits for segment in open_document(path).segments()]


@pytest.mark.parametrize(
    ("attributes", "due"),
    [
        ('maxwidth="20" size-unit="char"', (SizeLimit(20),)),
        ('maxwidth="20"', (SizeLimit(20, "pixel"),)),
        ('maxbytes="30"', (SizeLimit(30, "bytes"),)),
        ('maxwidth="20" size-unit="char" maxbytes="30"', (SizeLimit(20), SizeLimit(30, "bytes"))),
        ('maxwidth="wide" size-unit="char"', ()),
        ("", ()),
    ],
)
def test_xliff_1_says_it_of_a_unit(file, attributes, due):
    body = f'<xliff version="1.2"><file><body>{UNIT.format(attributes)}</body></file></xliff>'
    assert limits(file("a.xliff", body)) == [due]


def test_each_part_of_a_unit_has_the_share_that_its_source_has(file):
    body = f'<xliff version="1.2"><file><body>{CUT}</body></file></xliff>'
    assert limits(file("a.xliff", body)) == [(SizeLimit(8),), (SizeLimit(10),)]


def xliff2(profiles, restriction, segments='<segment id="s"><source>The disk</source></segment>'):
    return (
        '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en"'
        ' trgLang="de" xmlns:slr="urn:oasis:names:tc:xliff:sizerestriction:2.0"><file id="f">'
        f'{profiles}<unit id="u" {restriction}>{segments}</unit></file></xliff>'
    )


POINTS = '<slr:profiles generalProfile="xliff:codepoints" storageProfile="xliff:utf16"/>'


@pytest.mark.parametrize(
    ("profiles", "restriction", "due"),
    [
        (POINTS, 'slr:sizeRestriction="20"', (SizeLimit(20),)),
        (POINTS, 'slr:sizeRestriction="5,20"', (SizeLimit(20),)),
        (POINTS, 'slr:sizeRestriction="5,*"', ()),
        (POINTS, 'slr:storageRestriction="40"', (SizeLimit(40, "bytes", "utf-16-le"),)),
        ("", 'slr:sizeRestriction="20"', (SizeLimit(20, "an unnamed profile"),)),
        (POINTS, "", ()),
    ],
)
def test_xliff_2_says_it_with_its_module_of_sizes(file, profiles, restriction, due):
    assert limits(file("a.xliff", xliff2(profiles, restriction))) == [due]


def test_the_segments_of_a_unit_share_its_limit(file):
    two = "<segment><source>abc</source></segment><segment><source>a</source></segment>"
    found = limits(file("a.xliff", xliff2(POINTS, 'slr:sizeRestriction="20"', two)))
    assert found == [(SizeLimit(15),), (SizeLimit(5),)]


def test_a_catalogue_says_it_among_the_flags(file):
    text = '#, c-format, max-length:20\nmsgid "a"\nmsgstr ""\n\nmsgid "b"\nmsgstr ""\n'
    assert limits(file("a.po", text)) == [(SizeLimit(20),), ()]


def test_json_says_it_with_a_key(file):
    assert limits(file("a.jsonl", '{"text": "a", "max_chars": 20}\n{"text": "b"}\n')) == [
        (SizeLimit(20),),
        (),
    ]
    for wrong in ('"20"', "0", "true", "1.5"):
        with pytest.raises(UserError, match='"max_chars" is no whole number from 1 on'):
            limits(file("b.jsonl", f'{{"text": "a", "max_chars": {wrong}}}\n'))


def test_codes_take_no_room_and_what_cannot_be_measured_has_it():
    assert SizeLimit(4).holds(Marked.of(["Gr", Code("<b>"), "üß"])) and not SizeLimit(4).holds(
        "Grüße"
    )
    assert not SizeLimit(4, "bytes").holds("Grüß") and SizeLimit(4, "pixel").holds("Grüße")
    assert SizeLimit(8, "bytes", "utf-16-le").holds("Grüß")
