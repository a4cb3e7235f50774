"""Tags around what is known to be said: glossary terms, placeholders, a file's own wishes."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import echo
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("typer")
from small_files import ask
from typer.testing import CliRunner

from gridbeam import Request
from gridbeam.cli import app
from gridbeam.constraints.terms import AnyOf, InOrder, Phrase
from gridbeam.documents import open_document
from gridbeam.documents.segment import Segment
from gridbeam.files.outcome import BareTranslation, finished
from gridbeam.files.task import Task, Wish
from gridbeam.markup.inline import Code, Marked
from gridbeam.markup.projection import Anchor, CodeStop, project
from gridbeam.markup.protect import protect
from gridbeam.markup.restore import restore
from gridbeam.models.load import FOLDERS
from gridbeam.translation.unwritable import Readable
from gridbeam.translation.written import WrittenText

NOWHERE = Path("a.txt")
WORDS = ["the", "disk", "is", "full", "die", "Platte", "ist", "voll", ",", ".", "7"]


def cut(draw, size):
    """Two to four stretches of a text of so many words that do not overlap, from left to right."""
    edges = sorted(draw(st.sets(st.integers(0, size), min_size=4, max_size=8)))
    return list(zip(edges[::2], edges[1::2], strict=False))


def cross(one, other):
    (a, b), (c, d) = sorted([one, other])
    return a < c < b < d


@st.composite
def cases(draw):
    """Two texts in words, anchors in any order, and codes: pairs that nest, and codes alone."""
    source, target = (
        draw(st.lists(st.sampled_from(WORDS), min_size=4, max_size=9)) for _ in range(2)
    )
    targets = draw(st.permutations(cut(draw, len(target))))
    anchors = [Anchor(*each) for each in zip(cut(draw, len(source)), targets, strict=False)]
    gaps = st.integers(0, len(source))
    wide = st.tuples(gaps, gaps).filter(lambda pair: pair[0] < pair[1])
    pairs: list[tuple[int, int]] = []
    for pair in draw(
        st.lists(st.sampled_from([each.source for each in anchors]) | wide, min_size=1, max_size=5)
    ):
        pairs += [] if any(cross(pair, other) for other in pairs) else [pair]
    beside = st.sampled_from([edge for each in anchors for edge in each.source])
    alone = draw(st.lists(st.tuples(beside | gaps, st.integers(0, 2)), min_size=1, max_size=3))
    return (
        source,
        target,
        anchors,
        stops_of(sorted(pairs, key=lambda pair: (pair[0], -pair[1])), alone),
    )


def stops_of(pairs, alone):
    """The codes of these pairs and those alone: before or after a closing, or after an opening."""
    stops, waiting = [], []
    for gap in range(max([0, *(end for _, end in pairs), *(gap for gap, _ in alone)]) + 1):
        stops += [CodeStop(gap, "alone") for place, slot in alone if (place, slot) == (gap, 0)]
        while waiting and waiting[-1][1] == gap:
            first, _ = waiting.pop()
            stops[first] = CodeStop(stops[first].gap, "opens", len(stops))
            stops.append(CodeStop(gap, "closes", first))
        stops += [CodeStop(gap, "alone") for place, slot in alone if (place, slot) == (gap, 1)]
        for _, end in (pair for pair in pairs if pair[0] == gap):
            waiting.append((len(stops), end))
            stops.append(CodeStop(gap, "opens"))
        stops += [CodeStop(gap, "alone") for place, slot in alone if (place, slot) == (gap, 2)]
    return stops


def pairs_of(stops):
    return [(number, stop.partner) for number, stop in enumerate(stops) if stop.role == "opens"]


@given(cases())
def test_a_pair_around_exactly_one_anchor_encloses_exactly_its_target(case):
    source, target, anchors, stops = case
    places = {number: place for place, number in project(source, target, stops, anchors=anchors)}
    target_of = {each.source: each.target for each in anchors}
    for first, last in pairs_of(stops):
        held = (stops[first].gap, stops[last].gap)
        if held in target_of:
            assert (places[first], places[last]) == target_of[held]


@given(cases())
def test_a_pair_around_several_anchors_encloses_all_of_their_targets(case):
    source, target, anchors, stops = case
    places = {number: place for place, number in project(source, target, stops, anchors=anchors)}
    for first, last in pairs_of(stops):
        held = [
            each
            for each in anchors
            if stops[first].gap <= each.source[0] and each.source[1] <= stops[last].gap
        ]
        assert all(
            places[first] <= each.target[0] and each.target[1] <= places[last] for each in held
        )
        assert places[first] < places[last] or stops[first].gap == stops[last].gap or not held


@given(cases())
def test_every_code_is_kept_once_and_pairs_stay_well_formed(case):
    source, target, anchors, stops = case
    written = project(source, target, stops, anchors=anchors)
    assert sorted(number for _, number in written) == list(range(len(stops)))
    assert all(one <= other for (one, _), (other, _) in pairwise(written))
    waiting: list[int] = []
    for _, number in written:
        if stops[number].role == "opens":
            waiting.append(number)
        elif stops[number].role == "closes":
            assert waiting.pop() == stops[number].partner


@given(cases())
def test_no_code_cuts_the_target_of_an_anchor_in_two(case):
    source, target, anchors, stops = case
    for place, _ in project(source, target, stops, anchors=anchors):
        assert not any(each.target[0] < place < each.target[1] for each in anchors)


@given(cases())
def test_a_code_alone_stays_right_beside_the_anchor_that_it_stands_beside(case):
    source, target, anchors, stops = case
    places = {number: place for place, number in project(source, target, stops, anchors=anchors)}
    after = {each.source[1]: each for each in anchors}
    before = {each.source[0]: each for each in anchors}
    for number, stop in enumerate(stops):
        around = [stops[first].gap for first, last in pairs_of(stops) if first < number < last]
        ends = [stops[last].gap for first, last in pairs_of(stops) if first < number < last]
        is_inside = any(
            each.source[0] < gap < each.source[1]
            for each in anchors
            for gap in (stop.gap, *around, *ends)
        )
        if stop.role != "alone" or is_inside:
            continue
        if stop.gap in after and max(around, default=0) < stop.gap:
            assert places[number] == after[stop.gap].target[1]
        elif stop.gap in before and stop.gap < min(ends, default=99) and (stop.gap or around):
            assert places[number] == before[stop.gap].target[0]


@given(cases())
def test_a_text_is_not_changed_by_its_tags_and_they_enclose_what_is_anchored(case):
    source, target, anchors, stops = case
    pieces: list[str | Code] = []
    for place, word in enumerate([*source, ""]):
        for number, stop in enumerate(stops):
            if stop.gap == place and stop.role != "alone":  # that one is a word to the model
                name = str(number if stop.role != "closes" else stop.partner)
                pieces.append(Code(f"<{'/' * (stop.role == 'closes')}{name}>", stop.role, name))
        pieces.append(f" {word}x ")
    protected, translated = protect(Marked.of(pieces)), " ".join(f"{word}y" for word in target)
    at = [
        [match.span() for match in re.finditer(r"\S+", text)]
        for text in (protected.text, translated)
    ]
    known = [
        Anchor(in_characters(at[0], each.source), in_characters(at[1], each.target))
        for each in anchors
    ]
    restored = restore(translated, protected, known)
    assert restored.text.split() == translated.split()
    assert sorted(map(str, restored.codes)) == sorted(map(str, protected.source.codes))
    assert is_well_formed(restored.codes)
    for each, (start, end) in zip(anchors, (each.target for each in known), strict=True):
        for first, last in pairs_of(stops):
            if (stops[first].gap, stops[last].gap) == each.source:
                inner = re.sub(
                    r"<[^>]*>", "", str(restored).split(f"<{first}>")[1].split(f"</{first}>")[0]
                )
                assert inner.split() == translated[start:end].split()


def is_well_formed(codes):
    waiting: list[str] = []
    for code in codes:
        if code.role == "opens":
            waiting.append(code.pair)
        elif code.role == "closes" and waiting.pop() != code.pair:
            return False
    return not waiting


def in_characters(words, stretch):
    return words[stretch[0]][0], words[stretch[1] - 1][1]


def told(source, translated, *known):
    """The translation with tags, where these words of the source are said by those."""
    protected = protect(source)
    anchors = [
        Anchor(span_of(one, protected.text), span_of(other, translated)) for one, other in known
    ]
    return str(restore(translated, protected, anchors))


def span_of(part, text):
    start = text.index(part)
    return start, start + len(part)


@pytest.mark.parametrize(
    ("source", "translated", "known", "expected"),
    [
        ("Change <b>the password</b> now.", "Jetzt bitte ganz schnell das Kennwort ändern.",
         [("password", "Kennwort")],
         "Jetzt bitte ganz schnell <b>das Kennwort</b> ändern."),
        ("A <b>hard <i>disk</i></b> is full", "Voll ist eine Festplatte",
         [("hard disk", "Festplatte")],
         "Voll ist eine <b><i>Festplatte</i></b>"),
        ("<b>disk and folder</b> or <i>file</i>", "Platte, Datei, Ordner",
         [("disk", "Platte"), ("folder", "Ordner"), ("file", "Datei")],
         "<b>Platte, <i>Datei</i>, Ordner</b>"),
        ("<i>folder</i> in the <b>list of files</b>", "Liste der Ordner",
         [("list of files", "Liste der Ordner"), ("folder", "Ordner")],
         "<b>Liste der <i>Ordner</i></b>"),
        (" <b>A file</b> and <i>disk, folder</i> ", "Platte, Ablage, Ordner",
         [("disk", "Platte"), ("file", "Ablage"), ("folder", "Ordner")],
         " <i>Platte, <b>Ablage</b>, Ordner</i> "),
        ("the <b>drive</b> and <i>disk</i>", "Laufwerk und so",
         [("drive", "Laufwerk"), ("disk", "Laufwerk")],
         "<b><i>Laufwerk</i></b> und so"),
        ("Press <x/>disk to go", "Um zu gehen, Platte drücken", [("disk", "Platte")],
         "Um zu gehen, <x/>Platte drücken"),
        ("Press disk<x/> to go", "Um zu gehen, Platte drücken", [("disk", "Platte")],
         "Um zu gehen, Platte<x/> drücken"),
        ("disk<x/> of the <y/>folder now", "jetzt Ordner der Platte dort",
         [("disk", "Platte"), ("folder", "Ordner")],
         "jetzt <y/>Ordner der Platte<x/> dort"),
        ("<b>disk file</b> <i>folder list</i>", "Platte Ordner Datei Liste",
         [("disk", "Platte"), ("file", "Datei"), ("folder", "Ordner"), ("list", "Liste")],
         "<b>Platte <i>Ordner Datei Liste</i></b>"),
        ("to {0} delete <i>the folder</i>", "um {0} den Ordner zu",
         [("the folder", "{0} den Ordner")],
         "um {0} <i>den Ordner</i> zu"),
        ("<b>7 of {0}</b> <i>disks</i>", "Platten 7 von {0}", [("disks", "Platten")],
         "<i>Platten</i> <b>7 von {0}</b>"),
    ],
)  # fmt: skip
def test_tags_go_where_their_words_are_said(source, translated, known, expected):
    assert told(source, translated, *known) == expected


def test_spans_of_one_constraint_are_one_anchor_only_where_nothing_stands_between():
    source = Marked.of(
        ["turn ", Code("<b>", "opens", "b"), "off", Code("</b>", "closes", "b"), " now"]
    )
    wish = Wish(InOrder("schaltet", "aus"), "segment", stretch=(5, 8))
    task = Task(Segment(0, "1", source, NOWHERE, 1), protect(source), (), (wish,), is_copied=False)
    apart = finished(
        task, [0], BareTranslation("er schaltet es jetzt aus", 0.0, (((3, 11), (21, 24)),))
    )
    assert str(apart.text) == "er <b>schaltet</b> es jetzt aus"
    joined = finished(
        task, [0], BareTranslation("er jetzt schaltet  aus", 0.0, (((9, 17), (19, 22)),))
    )
    assert str(joined.text) == "er jetzt <b>schaltet  aus</b>"


def test_the_next_best_translations_have_their_tags_around_their_own_words():
    protected = protect("The <b>disk</b> is full.")
    wish = Wish(Phrase("Platte"), "term", stretch=(4, 8))
    task = Task(
        Segment(0, "1", protected.source, NOWHERE, 1), protected, (), (wish,), is_copied=False
    )
    other = BareTranslation("Voll ist sie, die Platte.", -2.0, (((18, 24),),))
    outcome = finished(
        task,
        [0],
        BareTranslation("Die Platte ist voll.", -1.0, (((4, 10),),), alternatives=(other,)),
    )
    assert str(outcome.text) == "Die <b>Platte</b> ist voll."
    assert outcome.alternatives == (("Voll ist sie, die <b>Platte</b>.", -2.0),)


def test_tags_around_what_the_model_has_no_letters_for_go_with_it():
    source = Marked.of(
        ["the Я and the ", Code("<b>", "opens", "b"), "Я", Code("</b>", "closes", "b"), " now"]
    )
    task = Task(Segment(0, "1", source, NOWHERE, 1), protect(source), (), (), is_copied=False)
    swapped = (((4, 5), (16, 17)), ((14, 15), (4, 5)))
    assert (
        str(finished(task, [], BareTranslation("das Я jetzt und Я", 0.0, (), swapped)).text)
        == "das <b>Я</b> jetzt und Я"
    )


def test_moses_markup_says_which_stretch_each_translation_is_of(tmp_path):
    path = tmp_path / "a.moses"
    path.write_text(
        'A <n translation="x||y">&amp; <m translation="z">b</m> c</n> <e translation="w"/>d\n'
    )
    (segment,) = open_document(path).segments()
    assert str(segment.source) == "A & b c d"
    assert segment.constraints == (AnyOf("x", "y"), Phrase("z"), Phrase("w"))
    assert [str(segment.source)[slice(*each)] for each in segment.stretches] == ["& b c", "b", ""]


@given(
    st.lists(
        st.sampled_from(
            ["word", "{file}", "https://example.org/a/b", "&uuml;", "<b>", "</b>", "  ", "é"]
        ),
        max_size=8,
    )
)
def test_a_stretch_of_the_source_is_found_in_the_text_that_the_model_sees(parts):
    written = "".join(parts)
    protected = protect(written)
    for (start, end), (first, last) in protected.parts:
        assert protected.shown((start, end)) == (first, last)
        shown = protected.text[first:last]
        assert shown == written[start:end] or written[start:end].startswith(("{", "h", "&")), shown


def test_what_the_model_has_no_letters_for_is_an_anchor():
    source = "The ﬁle привет is 👍 full. And 👍 here привет."
    found = echo.translator().translate(Request(source))
    said = [(source[slice(*one)], found.text[slice(*other)]) for one, other in found.kept]
    assert said and all(one == other for one, other in said)
    assert [one for one, _ in found.kept] == [
        match.span() for match in re.finditer("привет|👍", source)
    ]


def test_copies_of_an_unknown_stretch_go_with_each_other_in_their_order():
    kept = Readable(
        "{1} a {2} b {1}", (("{1}", "Ж"), ("{2}", "Я"), ("{1}", "Ж")), ((0, 1), (4, 5), (8, 9))
    )
    found = WrittenText(kept, "c{2} {1} {1}")
    assert list(found.repeated()) == [
        ((4, 5), (2, 3)),
        ((0, 1), (4, 5)),
        ((8, 9), (6, 7)),
    ]
    assert found.text == "c Я Ж Ж"


TERMS = {
    "settings": "Einstellungen",
    "folder": "Ordner",
    "hard disk": "Festplatte",
    "printer": "Drucker",
    "network": "Netzwerk",
    "password": "Kennwort",
    "report": "Bericht",
    "window": "Fenster",
    "browser": "Browser",
    "message": "Nachricht",
}
TAGGED = [
    "Open the <b>settings</b> of the <i>folder</i>.",
    "There is not enough space on the <b>hard disk</b>.",
    "If the <b>printer</b> does not work, check the <i>network</i>.",
    "You have to change your <b>password</b> before you can open the <i>report</i>.",
    "The <b>window</b> was closed because the <i>browser</i> did not answer.",
    "We have not seen this <b>message</b>.",
]


def enclosed(text):
    """What each tag of a text encloses."""
    return dict(re.findall(r"<([bi])>(.*?)</\1>", text))


@pytest.fixture
def files(tmp_path):
    """A text with tags around terms, and the glossary."""
    (tmp_path / "a.txt").write_text("\n".join(TAGGED))
    (tmp_path / "terms.tsv").write_text(
        "".join(f"{source}\t{target}\n" for source, target in TERMS.items())
    )
    return tmp_path / "a.txt", tmp_path / "terms.tsv"


def check_tags(output):
    lines = [json.loads(line) for line in output.splitlines()]
    for source, line in zip(TAGGED, lines, strict=True):
        expected = {tag: TERMS[term] for tag, term in enclosed(source).items()}
        assert enclosed(line["translation"]) == expected, line["translation"]
        spans = [line["translation"][slice(*span)] for met in line["met"] for span in met["spans"]]
        assert sorted(spans) == sorted(expected.values())


def test_tags_around_terms_enclose_them_wherever_a_model_says_them(files):
    source, terms = files
    found = ask(source, "-o", "-", "--glossary", terms, "--json")
    assert found.exit_code == 0, found.output
    check_tags(found.stdout)


@pytest.mark.slow
@pytest.mark.skipif(
    not (FOLDERS["general"] / "config.json").exists(), reason="the weights are not here"
)
def test_ten_tags_around_terms_enclose_them_in_german(files):
    source, terms = files
    assert sum(len(enclosed(text)) for text in TAGGED) == 10
    given = ["translate", source, "-o", "-", "--glossary", terms, "--json", "-m", "general:en-de"]
    found = CliRunner().invoke(app, list(map(str, given)))
    assert found.exit_code == 0, found.output
    check_tags(found.stdout)


def test_tags_around_what_moses_markup_translates_enclose_the_translation(tmp_path):
    path = tmp_path / "a.moses"
    tagged = '&lt;{0}&gt;<n translation="{2}">{1}</n>&lt;/{0}&gt;'
    said = [("b", "folder", "Mappe"), ("i", "file", "Akte"), ("u", "disk", "Platte")]
    path.write_text(
        f"Look. The {' &amp; my '.join(tagged.format(*each) for each in said)} are not here.\n"
    )
    found = ask(path, "-o", "-")
    assert found.exit_code == 0, found.output
    for tag, _, translation in said:
        assert f"&lt;{tag}&gt;{translation}&lt;/{tag}&gt;" in found.stdout
