"""Placeholders, tags and names survive translation: as often as in the source, validly nested."""

from __future__ import annotations

import importlib
import re
import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers_at_hand import byte_fallback_bpe, byte_level_bpe

from gridbeam import InOrder, Phrase, Subwords, UserError, check
from gridbeam.markup.inline import Code, Marked
from gridbeam.markup.placeholders import expressions, placeholders
from gridbeam.markup.protect import constraints_of, places_of, protect, writable
from gridbeam.markup.restore import repairs, restore
from gridbeam.text.sentences import split

VISIBLE = [
    "{0}", "{name}", "{{user}}", "%s", "%d", "%1$d", "%(count)d", "%%", "$total", "${home}",
    "&amp;", "&lt;", "&copy;", "%1", ":name", "file_name.txt", "https://example.org/a?b=c",
    "info@example.org", "/etc/hosts/x", "{n, plural, one {# file} other {# files}}",
]  # fmt: skip
HIDDEN = [
    "<br/>",
    '<x id="1"/>',
    "\\n",
    "&nbsp;",
    "<b>",
    "</b>",
    "<i>",
    "</i>",
    '<a href="?x=%s">',
    "</a>",
]
WORDS = [
    "the",
    "disk",
    "is",
    "full",
    ".",
    ",",
    "Ärger",
    "日本",
    "50",
    "%",
    "&",
    "{",
    "}",
    "<",
    ">",
    "'",
    '"',
    "$5",
    "&#39;",
]
sources = st.lists(
    st.tuples(st.sampled_from(VISIBLE + HIDDEN + WORDS), st.sampled_from(["", " ", "  ", "\n"])),
    max_size=12,
).map(lambda parts: "".join(part + space for part, space in parts))
own = [
    Code('<x id="1"/>'), Code('<ph id="2">{0}</ph>', shown="{0}"),
    *(Code(f'<g id="{n}">', "opens", str(n)) for n in (3, 4)),
    *(Code("</g>", "closes", str(n)) for n in (3, 4)),
    Code("<bpt id='5'>&lt;b></bpt>", "opens", "5"), Code("<ept id='5'/>", "closes", "5"),
]  # fmt: skip
marked = st.lists(st.one_of(sources, st.sampled_from(own)), max_size=10).map(Marked.of)


def meets(text: str, constraints) -> bool:
    """Whether a text holds all phrases as often as they are listed, disjointly.

    A judge that knows nothing of protection.
    """

    def spans(phrase: Phrase) -> list[tuple[int, int]]:
        word = r"[^\W\u3040-\u9fff]" if phrase.whole_word else r"(?!)"
        edges = (
            rf"(?<!{word})" if re.match(r"\w", phrase.content) else "",
            rf"(?!{word})" if re.search(r"\w$", phrase.content) else "",
        )
        return [
            match.span()
            for match in re.finditer(edges[0] + re.escape(phrase.content) + edges[1], text)
        ]

    for term in constraints:
        if isinstance(term, InOrder):
            done = 0
            for part in term.parts:
                later = [end for start, end in spans(part) if start >= done]
                if not later:
                    return False
                done = later[0]
    counts = Counter(term for term in constraints if isinstance(term, Phrase))
    return all(len(spans(phrase)) >= count for phrase, count in counts.items())


def phrases(constraints) -> list[str]:
    return [
        p.content
        for term in constraints
        for p in (term.parts if isinstance(term, InOrder) else [term])
    ]


@st.composite
def translations(draw, source):
    """A source, and a text that meets its constraints: ordered placeholders, some twice."""
    text = draw(source)
    protected = protect(text)
    said = phrases(constraints_of(protected))
    extra = draw(
        st.lists(
            st.sampled_from([*WORDS, "Festplatte", "voll", "{0}", "%s", "{7}", "<b>", *said]),
            max_size=8,
        )
    )
    places = sorted(
        draw(st.lists(st.integers(0, len(extra)), min_size=len(said), max_size=len(said)))
    )
    for place, phrase in reversed(list(zip(places, said, strict=True))):
        extra.insert(place, phrase)
    return protected, "".join(word + draw(st.sampled_from(["", " ", " "])) for word in extra)


def raw_counts(marked: Marked, kinds: set[str]) -> Counter:
    found = [
        each for piece in marked.pieces if isinstance(piece, str) for each in placeholders(piece)
    ]
    return Counter(each.raw for each in found if each.kind in kinds and each.raw != "&#39;")


def kinds_of(marked: Marked) -> set[str]:
    return {
        found.kind
        for piece in marked.pieces
        if isinstance(piece, str)
        for found in placeholders(piece)
    }


def is_nested(codes) -> bool:
    """Whether codes open and close as in XML, those left out that have no partner in the source."""
    waiting = []
    for code in codes:
        if code.role == "opens":
            waiting.append(code.pair)
        elif code.role == "closes" and (not waiting or waiting.pop() != code.pair):
            return False
    return not waiting


@given(marked)
def test_the_source_as_its_own_translation_gives_the_source_exactly(source):
    protected = protect(source)
    assert restore(protected.text, protected) == source
    assert restore(f" {protected.text}\n", protected) == source


@given(st.text(alphabet="ab &<>;\"'{}%s0\\n\t", max_size=40))
def test_text_with_special_characters_comes_back_exactly(text):
    protected = protect(text)
    assert str(restore(protected.text, protected)) == text


@given(translations(st.one_of(sources, marked)))
def test_every_placeholder_and_code_comes_out_as_often_as_it_went_in(case):
    protected, translated = case
    if not meets(translated, constraints_of(protected)):
        return
    try:
        restored = restore(translated, protected)
    except (
        UserError
    ) as error:  # no constraint goes across sentences, so that only `restore` can see it
        if "has changed places" not in str(error) or len(split(protected.text).texts) < 2:
            raise
        return
    kinds = kinds_of(protected.source)
    assert raw_counts(restored, kinds) == raw_counts(protected.source, kinds)
    assert Counter(restored.codes) == Counter(protected.source.codes)
    if is_nested(protected.source.codes):
        assert is_nested(restored.codes)


TREE = st.recursive(
    st.sampled_from(["word", "Disk 7", "{0} ", " & ", "a<b", " "]),
    lambda inner: st.tuples(st.sampled_from(["g", ""]), st.lists(inner, max_size=3)),
    max_leaves=8,
)


def as_pieces(tree, number):
    if isinstance(tree, str):
        return [tree]
    name, parts = tree
    inner = [piece for part in parts for piece in as_pieces(part, number)]
    if not name:
        return inner
    number[0] += 1
    n = number[0]
    return [Code(f'<g id="{n}">', "opens", str(n)), *inner, Code("</g>", "closes", str(n))]


@given(TREE, st.lists(st.sampled_from(["Wort", "Disk", "7", "word", ",", "."]), max_size=8))
def test_pairs_come_out_well_formed_whatever_the_translation(tree, words):
    source = Marked.of(as_pieces(tree, [0]))
    protected = protect(source)
    translated = " ".join([*words, *phrases(constraints_of(protected))])
    restored = restore(translated, protected)
    escaped = "".join(
        str(p) if isinstance(p, Code) else p.replace("&", "&amp;").replace("<", "&lt;")
        for p in restored.pieces
    )
    ET.fromstring(f"<s>{escaped}</s>")
    assert Counter(restored.codes) == Counter(source.codes)
    if protected.text and translated != protected.text:
        assert "".join(restored.text.split()) == "".join(translated.split())


def told(source: Marked | str, translated: str, do_not_translate=()) -> str:
    protected = protect(source, do_not_translate)
    assert meets(translated, constraints_of(protected))
    return str(restore(translated, protected))


@pytest.mark.parametrize(
    ("source", "translated", "expected"),
    [
        ("Click <b>OK</b> to close {0}.", "Klicken Sie auf OK, um {0} zu schließen.",
         "Klicken Sie auf <b>OK</b>, um {0} zu schließen."),
        ("Click <b>OK</b> to close.", "Zum Schließen OK drücken.",
         "Zum Schließen <b>OK</b> drücken."),
        ("<b>Warning:</b> disk full", "Warnung: Platte voll", "<b>Warnung:</b> Platte voll"),
        ("See <i>all of it</i>", "Siehe das alles", "Siehe <i>das alles</i>"),
        ("Hello<br/>World", "Hallo Welt", "Hallo<br/>Welt"),
        (r"One line.\nAnother longer line.", "Eine Zeile.\nNoch eine.", r"Eine Zeile.\nNoch eine."),
        ("R&amp;D on <a href='%s'>the web</a>", "F & E im Netz",
         "F &amp; E im <a href='%s'>Netz</a>"),
        ("It&#39;s full", "Geht's noch", "Geht&#39;s noch"),
        ("  Indented\n", "Eingerückt", "  Eingerückt\n"),
        ("file<b>s</b> lost", "files verloren", "file<b>s</b> verloren"),
        ("super<b>user</b> rights", "Rechte für superuser", "Rechte für <b>superuser</b>"),
        ("{n, plural, one {# file} other {# files}} of %s", "{1} von %s",
         "{n, plural, one {# file} other {# files}} von %s"),
        ("Press <wbr/> now", "请按现在", "请按<wbr/>现在"),
    ],
)  # fmt: skip
def test_codes_go_where_their_words_are(source, translated, expected):
    assert told(source, translated) == expected


def test_a_long_address_has_a_short_one_stand_for_it():
    protected = protect("Read https://example.org/a/very/long/path?with=query, then {1}.")
    assert protected.text == "Read {2}, then {1}."
    assert [term.content for term in constraints_of(protected)] == ["{2}", "{1}"]


def test_placeholders_are_required_as_often_as_they_occur():
    assert [term.content for term in constraints_of(protect("{0} and {0} or {1}"))] == [
        "{0}",
        "{0}",
        "{1}",
    ]


def test_placeholders_that_take_the_next_argument_keep_their_order():
    (term,) = constraints_of(protect("%s has %d files in %s"))
    assert [part.content for part in term.parts] == ["%s", "%d", "%s"]
    assert all(isinstance(term, Phrase) for term in constraints_of(protect("%1$s has %2$d files")))
    with pytest.raises(UserError, match='"%d" has changed places with another placeholder'):
        restore("%d in %s", protect("%s has %d"))


def test_placeholders_of_different_sentences_are_required_one_by_one():
    protected = protect("%s has %d files. Delete %i of %u?")
    assert [phrases([term]) for term in constraints_of(protected)] == [["%s", "%d"], ["%i", "%u"]]
    protected = protect("%s has %d files. Delete %s?")
    assert [phrases([term]) for term in constraints_of(protected)] == [["%s"], ["%d"], ["%s"]]


def test_placeholders_have_their_places():
    protected = protect("Open {0}. %s has <b>%d</b> files at {1}.")
    placed = zip(constraints_of(protected), places_of(protected), strict=True)
    assert [(phrases([term]), protected.text[place:][:3]) for term, place in placed] == [
        (["{0}"], "{0}"), (["{1}"], "{1}"), (["%s", "%d"], "%s "),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "times"), [("One. Two.", 0), ("One {0}. Two {0}.", 0), ("One %s. Two %d.", 1)]
)
def test_sentences_are_told_apart_once_and_only_for_placeholders_in_order(monkeypatch, text, times):
    asked = []
    monkeypatch.setattr(
        "gridbeam.markup.protect.split", lambda text: asked.append(text) or split(text)
    )
    protected = protect(text)
    assert len(constraints_of(protected)) == len(places_of(protected))
    assert len(asked) == times


def test_what_a_model_cannot_write_has_something_else_stand_for_it():
    protected = protect("Delete {file} of %s", can_write=lambda shown: not set("{[%") & set(shown))
    assert protected.text == "Delete X1 of X2"
    assert str(restore("X1 von X2 löschen", protected)) == "{file} von %s löschen"


@pytest.mark.parametrize(
    "tokenizer", [byte_level_bpe, byte_fallback_bpe], ids=lambda make: make.__name__
)
def test_the_constraints_hold_in_the_tokens_of_a_model(tokenizer):
    speller = Subwords(tokenizer())
    protected = protect("Copy %s of {0} and {0} to $x and %d.", can_write=writable(speller))

    def are_met(text: str) -> list[bool]:
        tokens = speller.tokenizer(text, add_special_tokens=False)["input_ids"]
        return [
            verdict.is_met for verdict in check(constraints_of(protected), tokens, encode=speller)
        ]

    assert all(are_met(protected.text))
    first, *_, last = (protected.text[each.start : each.end] for each in protected.placeholders)
    assert not all(are_met(f"{last} und {first}"))


def test_a_copy_too_many_is_taken_out_and_told():
    protected = protect("Delete {file} now")
    assert str(restore("{file} {file} jetzt löschen {other}", protected)) == "{file} jetzt löschen"
    assert repairs("{file} {file} jetzt löschen {other}", protected) == ["{file}", "{other}"]
    assert not repairs("{file} löschen", protected)


def test_what_only_looks_like_a_placeholder_stays_where_the_source_has_none():
    assert told("Half of it", "50 %igen {Anteil}") == "50 %igen {Anteil}"


@pytest.mark.parametrize(
    "text",
    [
        "50% sure",
        "for $5",
        "and/or",
        "a < b > c",
        "{some words}",
        "AT&T; R & D",
        "it's 5:30",
        "a.b",
        "100%, d",
        "a__b__c",
        "Note:this :D",
        "_one_ and _two words_",
        "%<%T%> is not a type",
    ],
)
def test_plain_text_holds_no_placeholders(text):
    assert not placeholders(text)


def test_names_of_programs_are_placeholders():
    text = "Hi :name, :smile: set MAX_SIZE in file_name.txt."
    assert [found.raw for found in placeholders(text)] == [
        ":name",
        ":smile:",
        "MAX_SIZE",
        "file_name.txt",
    ]
    assert protect(text).text == "Hi {1}, {2} set {3} in {4}."


def test_placeholders_may_be_in_a_syntax_of_ones_own():
    protected = protect("Run --help, --help or {x}; see #7.", own=[r"--[a-z]+", r"(?i)#(?P<n>\d)"])
    assert protected.text == "Run {1}, {1} or {x}; see {2}."
    assert str(restore("{2}: {1} {x}, {1} {1} --not", protected)) == "#7: --help {x}, --help"
    assert [found.raw for found in placeholders("a {b} c", own=[re.compile("a {b")])] == ["a {b"]


@pytest.mark.parametrize(
    ("text", "written", "found"),
    [
        ("item #", r"(?<=#)\d*", []),
        ("# or #12", r"(?<=#)\d*", ["12"]),
        ("Hi {name} x", r"(?=\{)", ["{name}"]),
    ],
)
def test_what_matches_nothing_is_no_placeholder_and_hides_none(text, written, found):
    assert [each.raw for each in placeholders(text, own=expressions([written]))] == found


def test_an_expression_is_looked_for_once_however_many_placeholders_there_are():
    class Counted:
        asked = 0

        def finditer(self, text, place):
            self.asked += 1
            return re.finditer("@@", text[place:])

    never = Counted()
    assert len(placeholders("{key} " * 100, own=[never])) == 100
    assert never.asked == 1


@pytest.mark.parametrize(
    ("written", "said"), [("(a", "missing ), unterminated subpattern"), ("a*", "matches nothing")]
)
def test_an_expression_that_makes_no_sense_is_refused(written, said):
    with pytest.raises(
        UserError, match=re.escape(f"--placeholder {written}: ") + f".*{re.escape(said)}"
    ):
        protect("a", own=[written])


FOUND = """{0} | {} | {name!r:>10} | {{ user }} | ${x} | #{x} | %{x} | %s |
%-5.2f | %1$s | %(n)s | %% | %1 | %L2 | %PATH% | %,d | %,.2f |
%user.name% | { name } | [[name]] | __name__ |
$name | $NAME$ | {n, select, a {x {y}} other {z}} | <b> | </b> | <br /> |
<a href="x"> | <0> | <!-- x --> | &amp; | &#160; |
\\n | http://a.org/b?c=d#e | a.b@c.org | /usr/bin/x | ~/a/b | C:\\a\\b.txt | www.example.org"""


@pytest.mark.parametrize("text", re.split(r" \|\s", FOUND))
def test_placeholders_are_found_whole(text):
    assert [found.raw for found in placeholders(f"Say ({text}), now.")] == [text]


def test_a_missing_placeholder_is_told_with_the_remedy():
    with pytest.raises(
        UserError,
        match=(
            r'"\{0\}" occurs 1 times in the translation, 2 in the source. Translate with the'
            r" constraints"
        ),
    ):
        restore("nur {0}", protect("{0} and {0}"))


def test_names_on_the_list_are_required_as_whole_words_and_may_occur_more_often():
    protected = protect("Use GitHub, not Git or Gitter.", ["Git", "GitHub"])
    assert constraints_of(protected) == [
        Phrase(name, case="exact", whole_word=True) for name in ("GitHub", "Git")
    ]
    assert (
        str(restore("GitHub statt Git, Git statt Gitter", protected))
        == "GitHub statt Git, Git statt Gitter"
    )


@pytest.mark.parametrize(
    ("source", "shown", "translated", "expected"),
    [
        ("%dfiles left", "%d files left", "%d Dateien übrig", "%dDateien übrig"),
        ("{n}items of %s", "{n} items of %s", "{n} Dinge von %s", "{n}Dinge von %s"),
        ("file%s lost", "file %s lost", "Datei %s verloren", "Datei%s verloren"),
        ("%dfiles left", "%d files left", "Dateien: %d.", "Dateien: %d."),
        ("see:https://a.org/b now", "see:{1} now", "siehe: {1} jetzt",
         "siehe: https://a.org/b jetzt"),
        ("<b>bold</b>text", "bold text", "fetter Text", "<b>fetter</b> Text"),
        ("<u>O</u>pen", "Open", "Öffnen", "<u>Öffnen</u>"),
    ],
)  # fmt: skip
def test_a_word_glued_to_a_code_is_translated(source, shown, translated, expected):
    assert protect(source).text == shown
    assert told(source, translated) == expected


def test_a_code_of_a_file_that_stands_alone_is_shown():
    source = Marked.of(["Press ", Code('<x id="1"/>'), "to go", Code('<ph id="2"/>')])
    assert protect(source).text == "Press {1} to go {2}"
    assert told(source, "{2} Weiter mit {1}") == '<ph id="2"/> Weiter mit <x id="1"/>'


def test_a_code_with_a_text_of_its_own_is_shown_and_comes_back():
    source = Marked.of(
        ["Ask ", Code('<mrk translate="no">Acme & Sons</mrk>', shown="Acme"), " about it"]
    )
    assert told(source, "Frag Acme danach") == 'Frag <mrk translate="no">Acme & Sons</mrk> danach'


def test_a_text_of_placeholders_alone_has_no_words():
    assert not protect("{0}: %s <b>&amp;</b> 12").has_words()
    assert protect("{0}: full").has_words()


def test_names_that_stay_are_no_words_to_translate():
    assert not protect("{0}: gridbeam").has_words([(5, 13)])
    assert protect("{0}: gridbeam runs").has_words([(5, 13)])


def test_the_remedy_for_a_lost_placeholder_names_a_function_that_is_there():
    with pytest.raises(UserError) as raised:
        restore("Öffnen", protect("Open {name}"))
    module, _, name = re.findall(r"gridbeam[\w.]*\w", str(raised.value))[-1].rpartition(".")
    assert callable(getattr(importlib.import_module(module), name))


def test_pairs_that_cross_keep_their_order():
    codes = [
        Code("<bx id='1'/>", "opens", "1"),
        Code("<bx id='2'/>", "opens", "2"),
        Code("<ex id='1'/>", "closes", "1"),
        Code("<ex id='2'/>", "closes", "2"),
    ]
    source = Marked.of([codes[0], "a ", codes[1], "b ", codes[2], "c", codes[3]])
    assert [c.raw for c in restore("x y z w", protect(source)).codes] == [c.raw for c in codes]


@pytest.mark.parametrize(
    "text",
    [
        "{a,plural," * 5000,
        "<!--" * 20000,
        "<a " * 20000,
        "{" * 50000,
        "%" * 50000,
        "a@" * 20000,
        "/x." * 20000,
        "https:" + "." * 50000,
    ],
)
def test_a_hostile_text_takes_no_more_time_than_it_should(text):
    protected = protect(text)
    assert str(restore(protected.text, protected)) == text


NOT_LANGUAGE = r"""{7*7} | {{7*7}} | {{{x}}} | <%= count %> | ${{ x.y }} | @:common.key | @{field} |
%n$s | {% include 'a' %} | {# note #} | `ls -l` | size="5 MB" | mode=fast | --help | -h |
getUserName() | os.path.join | std::sort | maxLength | macOS | GitHub | C++ | C# | [Ctrl+C] |
Ctrl+Shift+F5 |
2024-05-01T12:30:00Z | 2024-05-01 12:30 | 12:30:15 | 192.168.0.1:8080 | fe80::1 | +49 30 1234567 |
555-123-4567 | SW1A 1AA | 12345-678 | 1.2.3-rc1 | v2 | #ff00aa | 0xDEADBEEF |
[-1, 1] | report.txt | example.org/a | d41d8cd98f00b204e9800998ecf8427e |
123e4567-e89b-12d3-a456-426614174000"""  # fmt: skip


@pytest.mark.parametrize("text", re.split(r" \|\s", NOT_LANGUAGE))
def test_what_is_no_language_is_found_whole_and_comes_back_exactly(text):
    assert [found.raw for found in placeholders(f"Now ({text}), then.")] == [text]
    protected = protect(f"The value {text} is wrong.")
    shown = protected.text.removeprefix("The value ").removesuffix(" is wrong.")
    assert str(restore(f"Falsch ist {shown} hier.", protected)) == f"Falsch ist {text} hier."


@given(st.sampled_from(["<=", "=", "|", "&&", ">=", "==", "!=", "||"]))
def test_an_operator_that_stands_alone_comes_back(sign):
    assert [found.raw for found in placeholders(f"if this {sign} that then")] == [sign]


def test_escaped_tags_go_around_their_words():
    source = "&amp;lt;b&amp;gt;Warning&amp;lt;/b&amp;gt;: &lt;i&gt;full&lt;/i&gt;"
    assert protect(source).text == "Warning: full"
    assert (
        told(source, "Warnung: voll")
        == "&amp;lt;b&amp;gt;Warnung&amp;lt;/b&amp;gt;: &lt;i&gt;voll&lt;/i&gt;"
    )


def test_a_label_before_a_placeholder_is_a_word():
    assert protect("Angle=%0.2f, Name={name}, mode=fast").text == "Angle=%0.2f, Name={name}, {1}"


def test_an_escaped_quotation_mark_is_one():
    assert protect(r"Say \"yes\" now").text == 'Say "yes" now'
    assert told(r"Say \"yes\" now", 'Sag "ja"') == r"Sag \"ja\""


def test_what_stands_for_something_has_no_number_that_the_text_says():
    assert protect("if size >= 1 && width != 3").text == "if size {2} 1 {4} width {5} 3"


def test_all_can_be_hidden_from_the_model():
    protected = protect("Copy %s to {name}, maxLength", ["Copy"], shows_nothing=True)
    assert protected.text == "Copy {1} to {2}, {3}"


def test_a_name_that_is_too_long_to_be_shown_comes_back():
    protected = protect("Set theVeryLongNameOfAThing to [Ctrl+Shift+Backspace]")
    assert protected.text == "Set {1} to {2}"
    assert (
        str(restore("{2} für {1}", protected))
        == "[Ctrl+Shift+Backspace] für theVeryLongNameOfAThing"
    )


def test_a_name_that_a_glossary_knows_is_a_word():
    protected = protect("Press Ctrl+C in GitHub", is_term=lambda name: "Ctrl" in name)
    assert [term.content for term in constraints_of(protected)] == ["GitHub"]
    assert str(restore("Strg+C in GitHub", protected)) == "Strg+C in GitHub"


MORE = ["maxLength", "-h", "a.b", ":x", "f()", ".NET", "C++", "é", "→", "a::b", "--", "-x", "v2"]


@given(st.lists(st.sampled_from([*VISIBLE, *HIDDEN, *WORDS, *MORE]), max_size=6))
def test_what_cannot_be_found_soon_is_not_there(parts):
    text = " ".join(parts)
    if placeholders(text, own=[re.compile("§")]):  # which looks at all of it
        assert placeholders(text)
