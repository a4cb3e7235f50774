"""Messages of ICU are read as they are meant, and come out whole with the forms of a language."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridbeam.markup.inline import Code, Marked
from gridbeam.markup.messages import closed_braces, read
from gridbeam.markup.parts import assembled, divide
from gridbeam.text.plural_categories import ORDER, plural_forms

X = Code('<x id="1"/>')


def told(source, language="de", say=str.upper):
    """The text with each part as `say` has it, codes as they are; and what was not understood."""
    division = divide(source if isinstance(source, Marked) else Marked.of([source]), language)
    said = [
        Marked.of(say(each) if isinstance(each, str) else each for each in text.source.pieces)
        for text in division.texts
    ]
    found = assembled(division, said)
    return str(found.text), [*division.unread, *found.unread]


@pytest.mark.parametrize(
    ("source", "language", "expected"),
    [
        ("{n, plural, one {# file} other {# files}}", "de",
         "{n, plural, one {# FILE} other {# FILES}}"),
        ("{n, plural, one {# file} other {# files}}", "it",
         "{n, plural, one {# FILE} many {# FILES} other {# FILES}}"),
        ("{n, plural, one {# file} other {# files}}", "ja", "{n, plural, other {# FILES}}"),
        ("{n, plural, one {# fichier} many {# de f} other {# f}}", "en",
         "{n, plural, one {# FICHIER} other {# F}}"),
        ("{n,plural,offset:1 =0{none}other{# more}}", "nl",
         "{n,plural,offset:1 =0{NONE}one{# MORE}other{# MORE}}"),
        ("{n, plural, one {a file} other {# files}}", "ru",
         "{n, plural, =1 {A FILE} one {# FILES} few {# FILES} many {# FILES} other {# FILES}}"),
        ("{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}", "de",
         "{n, selectordinal, other {#TH}}"),
        ("{g, select, male {he} other {they}} left", "pl",
         "{g, select, male {HE} other {THEY}} LEFT"),
        ("{n, plural, one {x} other {y}}", "tlh", "{n, plural, one {X} other {Y}}"),
        ("{n,choice,0#none|1#one|1<many files}", "de", "{n,choice,0#NONE|1#ONE|1<MANY FILES}"),
        ("a {g, select, a {b {n, plural, other {# c}}} other {d}} e", "ko",
         "A {g, select, a {B {n, plural, other {# C}}} other {D}} E"),
    ],
)  # fmt: skip
def test_the_words_of_each_branch_are_translated_and_forms_are_those_of_the_language(
    source, language, expected
):
    assert told(source, language) == (expected, [])


def test_inline_elements_stay_within_their_branch():
    source = Marked.of(["{n, plural, =1 {1 task} other {", X, " tasks}} left"])
    assert told(source) == (
        f"{{n, plural, =1 {{1 TASK}} one {{{X} TASKS}} other {{{X} TASKS}}}} LEFT",
        [],
    )


@pytest.mark.parametrize(
    ("source", "language", "said", "expected"),
    [
        ("{n, plural, one {it''s} other {they''re}}", "de", "l'ami", "l''ami"),
        ("{n, plural, one {it is} other {they are}}", "de", "l'ami", "l'ami"),
        ("{n, plural, one {it is} other {they are}}", "de", "d'", "d''"),
        ("{n, plural, one {it is} other {they are}}", "de", "'#", "''#"),
    ],
)
def test_apostrophes_of_a_translation_quote_nothing(source, language, said, expected):
    text, unread = told(source, language, lambda text: said)
    assert text == f"{{n, plural, one {{{expected}}} other {{{expected}}}}}" and not unread


def test_what_is_quoted_stays_as_it_is():
    assert told("{n, plural, other {a '{b}' c}}", "ja") == ("{n, plural, other {A '{b}' C}}", [])


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("See {n, plural, one {x}} now", "{n, plural, one {x}}"),
        ("See {n, plural, one {x} other {y} now", "{n, plural, one {x} other {y} now"),
        ("See {n, plural, one {x} one {z} other {y}} now",
         "{n, plural, one {x} one {z} other {y}}"),
        ("See {n, plural, one {x} and other {y}} now", "{n, plural, one {x} and other {y}}"),
    ],
)  # fmt: skip
def test_what_is_not_understood_stays_as_it_is_and_is_told(source, left):
    text, unread = told(source)
    assert (
        text == source.replace("See", "SEE").replace("now", "NOW") if left.endswith("}") else source
    )
    assert unread == [left]


def test_a_message_with_half_a_pair_of_codes_is_left_as_it_is():
    opened, closed = Code("<g>", "opens", "1"), Code("</g>", "closes", "1")
    source = Marked.of(["{n, plural, one {a", opened, "} other {b", "}}", closed])
    text, unread = told(source)
    assert text == str(source) and len(unread) == 1


def test_a_translation_that_would_break_a_message_is_not_used():
    source = "{n, plural, one {file} other {files}}"
    text, unread = told(source, "de", lambda text: text + "}")
    assert text == f"{source}" and unread == [source]


words = st.text(st.sampled_from("ab '#é{}"), max_size=8).filter(
    lambda text: "{" not in text and "}" not in text
)


@st.composite
def messages(draw, depth=2):
    """A message whose branches hold words, and at times another message."""
    text = words if not depth else words | messages(depth - 1)
    kind = draw(st.sampled_from(["plural", "selectordinal", "select"]))
    names = ["=0", "one", "few"] if kind != "select" else ["male", "a1"]
    chosen = [name for name in names if draw(st.booleans())]
    branches = [f"{name} {{{draw(text)}}}" for name in [*chosen, "other"]]
    return f"{{n, {kind}, {' '.join(branches)}}}"


def skeleton(text):
    """What is left of a message when its words are taken out."""
    return re.sub(r"[^{},]*$", "", re.sub(r"(?<=[{}])[^{},]*(?=\})", "", text))


@given(messages(), st.sampled_from(["de", "fr", "ru", "ja", "ar", "tlh"]))
def test_a_message_of_any_depth_comes_out_as_one_with_the_forms_of_the_language(source, language):
    text, unread = told(source, language, lambda text: text.replace("a", "l'x"))
    message = read(text, 0)
    if read(source, 0) is None:
        assert unread and text == source
        return
    assert message is not None
    if closed_braces(source)[0] == len(source):  # else apostrophes quote some of its end
        assert closed_braces(text)[0] == len(text)
    named = [each.selector for each in message.branches if each.selector in ORDER]
    if message.is_counted and language != "tlh":
        forms = plural_forms(language, is_ordinal=message.kind == "selectordinal")
        assert tuple(named) == forms


@given(messages())
def test_a_message_in_its_own_words_is_the_same_text(source):
    """Unless an apostrophe that stood alone is doubled, which means the same."""
    text, _ = told(source, None, lambda text: text)
    assert text.replace("''", "'") == source.replace("''", "'")
