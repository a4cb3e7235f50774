"""What a phrase of text means in tokens: judged by the text that the tokenizers themselves read."""

from __future__ import annotations

import copy
import unicodedata

import pytest
import tokenizers_at_hand as at_hand
from hypothesis import assume, given
from hypothesis import strategies as st

import gridbeam
from gridbeam import AnyOf, AtMost, Avoid, Phrase, Prefix, Subwords, Suffix, UserError

LETTERS = sorted(set("".join(at_hand.TEXT)))
known_text = st.one_of(
    st.text(st.sampled_from(LETTERS), min_size=1, max_size=8),
    st.sampled_from(" ".join(at_hand.TEXT).replace(",", " ").split()),
)
any_text = st.one_of(
    known_text, st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
)


@pytest.fixture(params=at_hand.KINDS, ids=lambda kind: kind.__name__, scope="module")
def subwords(request):
    return Subwords(request.param())


def read(subwords, ids):
    return subwords.tokenizer.decode(ids, skip_special_tokens=True)


def spelled(subwords, term):
    """The term in tokens, without phrases that this tokenizer cannot write and special tokens."""
    assume(not any(repr(token) in repr(term) for token in subwords.tokenizer.all_special_tokens))
    try:
        return subwords.spelled(term, ends=[subwords.tokenizer.eos_token_id])
    except UserError:
        knows_all = (
            subwords.tokenizer.backend_tokenizer
            if hasattr(subwords.tokenizer, "backend_tokenizer")
            else None
        )
        assert knows_all is None or type(knows_all.decoder).__name__ not in (
            "ByteLevel",
            "Sequence",
        ), "no phrase is unknown"
        assume(False)


def others(subwords):
    """Any tokens but those that end a text."""
    ends = {subwords.tokenizer.eos_token_id}
    return st.lists(
        st.sampled_from(sorted({*range(len(subwords.vocabulary.pieces))} - ends)), max_size=3
    )


def is_clear(subwords, token):
    """Whether a token begins and ends with whole characters."""
    piece = subwords.vocabulary.pieces[token]
    return (
        token not in subwords.vocabulary.bytes_of_characters
        and piece is not None
        and "�" not in piece.decode(errors="replace")
    )


def walked(draw, spelling):
    """The tokens of some path through a spelling, likely or not."""
    tokens, arcs = [], spelling.leading or spelling.arcs[0]
    while arcs:
        arc = draw(st.sampled_from(arcs))
        tokens.append(arc.token)
        arcs = spelling.arcs[arc.to] if arc.to < spelling.end else ()
    return tokens


@given(st.data(), any_text, st.booleans())
def test_the_decoded_text_contains_the_phrase_always(subwords, data, phrase, whole_word):
    phrase = phrase.strip()
    assume(phrase)
    term = spelled(subwords, Phrase(phrase, whole_word=whole_word))
    tokens = data.draw(others(subwords)) + walked(data.draw, term) + data.draw(others(subwords))
    if gridbeam.check([term], tokens)[0].is_met:
        assert at_hand.occurs(read(subwords, tokens), phrase, whole_word=whole_word)


@given(st.data(), known_text)
def test_on_its_own_every_path_is_the_phrase(subwords, data, phrase):
    phrase = phrase.strip()
    assume(phrase)
    term = spelled(subwords, Phrase(phrase))
    tokens = walked(data.draw, term)
    assert gridbeam.check([term], [*tokens, subwords.tokenizer.eos_token_id])[0].is_met
    assert at_hand.occurs(read(subwords, tokens), phrase, whole_word=True)


@given(
    known_text,
    known_text,
    known_text,
    st.sampled_from(["", " ", ". ", " (", "-"]),
    st.sampled_from(["", " ", ".", ")"]),
)
def test_whatever_the_tokenizer_makes_of_a_text_is_recognised(
    subwords, left, phrase, right, before, after
):
    phrase = phrase.strip()
    assume(phrase)
    term = spelled(subwords, Phrase(phrase))
    ids = subwords.tokenizer(
        text_target=left + before + phrase + after + right, add_special_tokens=False
    )["input_ids"]
    text = read(subwords, ids)
    assume(
        all(is_clear(subwords, token) for token in ids)
    )  # half a character hides what it is beside
    assert gridbeam.check([term], ids)[0].is_met == at_hand.occurs(text, phrase, whole_word=True)


@given(st.data(), known_text, st.booleans())
def test_what_is_avoided_is_not_in_the_text_in_any_disguise(subwords, data, phrase, whole_word):
    phrase = phrase.strip()
    assume(phrase)
    term = spelled(subwords, Avoid(Phrase(phrase, whole_word=whole_word)))
    middle = subwords.tokenizer(text_target=phrase, add_special_tokens=False)["input_ids"]
    tokens = (
        data.draw(others(subwords))
        + data.draw(st.sampled_from([middle, []]))
        + data.draw(others(subwords))
    )
    if gridbeam.check([term], tokens)[0].is_met:
        assert not at_hand.occurs(read(subwords, tokens), phrase, whole_word=whole_word)


def ids(subwords, text):
    return subwords.tokenizer(text_target=text, add_special_tokens=False)["input_ids"]


def meets(subwords, constraint, text):
    return gridbeam.check([constraint], ids(subwords, text), encode=subwords)[0].is_met


def test_a_word_is_not_met_by_a_longer_one(subwords):
    assert meets(subwords, "Rauch", "Der Rauch steigt auf.")
    assert meets(subwords, "Rauch", "(und Rauch)")
    assert not meets(subwords, "Rauch", "Der Raucher raucht.")
    assert meets(subwords, Phrase("Rauch", whole_word=False), "Der Raucher raucht.")


def test_capitals_matter_as_one_says(subwords):
    assert not meets(subwords, "der", "Der Rauch steigt auf.")
    assert meets(subwords, Phrase("der", case="sentence"), "Der Rauch steigt auf.")
    assert not meets(subwords, Phrase("rauch", case="sentence"), "Der Rauch steigt auf.")
    assert meets(subwords, Phrase("rauch", case="any"), "Der Rauch steigt auf.")


def test_given_forms_will_do_as_well(subwords):
    assert meets(subwords, Phrase("Laufwerk", inflect=["Laufwerke"]), "die Laufwerke")
    assert not meets(subwords, Phrase("Laufwerk"), "die Laufwerke")


def test_a_prefix_begins_the_text_with_or_without_a_space(subwords):
    assert meets(subwords, Prefix("Die Festplatte"), "Die Festplatte ist voll")
    assert not meets(subwords, Prefix("Festplatte"), "Die Festplatte ist voll")
    assert not meets(subwords, Prefix("Die Fest"), "Die Festplatte ist voll")
    assert meets(subwords, Prefix(gridbeam.InOrder("Die", "voll")), "Die Festplatte ist voll")
    assert not meets(subwords, Prefix(gridbeam.InOrder("Die", "platte")), "Die Festplatte ist voll")


def test_a_suffix_ends_the_text_and_no_token_says_more(subwords):
    assert meets(subwords, Suffix("ist voll"), "Die Festplatte ist voll")
    assert not meets(subwords, Suffix("Festplatte"), "Die Festplatte ist voll")
    assert not meets(subwords, Suffix("platte"), "die Festplatte")
    assert not meets(subwords, Suffix("steigt auf"), "Der Rauch steigt auf.")
    assert meets(subwords, Suffix("auf."), "Der Rauch steigt auf.")
    assert meets(subwords, Suffix(gridbeam.InOrder("Die", "voll")), "Die Festplatte ist voll")
    assert not meets(subwords, Suffix(gridbeam.InOrder("Die", "ist")), "Die Festplatte ist voll")


def test_what_is_limited_is_found_however_it_is_written(subwords):
    text = "Die Festplatte ist voll, die Festplatte"
    assert meets(subwords, AtMost(2, "Festplatte"), text)
    assert not meets(subwords, AtMost(1, "Festplatte"), text)
    assert not meets(subwords, AtMost(1, Phrase("die", case="any")), text)


def test_scripts_without_spaces_have_no_boundaries_to_keep():
    subwords = Subwords(at_hand.byte_level_bpe())
    assert meets(subwords, "日本", "日本語のテキスト。")
    assert not meets(subwords, "мир", "мира")


@pytest.mark.parametrize(
    "kind", [at_hand.unigram, at_hand.word_piece, at_hand.marian], ids=lambda kind: kind.__name__
)
def test_an_unknown_character_is_named(kind):
    with pytest.raises(UserError, match=r'no token that writes "☃" \(U\+2603\)'):
        Subwords(kind()).spelled(Phrase("Rauch ☃"))


def test_what_a_tokenizer_cannot_read_back_is_refused():
    with pytest.raises(
        UserError, match=r'has no token that writes|reads ".*" where this is written'
    ):
        Subwords(at_hand.word_piece()).spelled(Phrase("Rauch ."))


def test_half_a_character_is_refused():
    with pytest.raises(UserError, match="lone surrogate"):
        Subwords(at_hand.byte_level_bpe()).spelled(Phrase("a\ud800"))


def test_white_space_at_the_ends_is_refused_where_a_tokenizer_might_drop_it():
    subwords = Subwords(at_hand.byte_level_bpe())
    with pytest.raises(
        UserError,
        match="' er' begins or ends with white space, which tokenizers add and drop: leave it out",
    ):
        subwords.spelled(Phrase(" er"))
    assert not meets(subwords, Avoid("\n"), "Der Rauch\nsteigt auf.")
    assert meets(subwords, Avoid("\n"), "Der Rauch steigt auf.")


@pytest.mark.parametrize("kind", at_hand.KINDS, ids=lambda kind: kind.__name__)
def test_what_is_avoided_may_be_given_in_decomposed_unicode(kind):
    subwords, decomposed = Subwords(kind()), unicodedata.normalize("NFD", "été")
    assert decomposed != "été"
    for phrase in (
        decomposed,
        Phrase(decomposed, case="any"),
        Phrase("hiver", inflect=[decomposed]),
    ):
        assert not meets(subwords, Avoid(phrase), "L'été est fini")
        assert meets(subwords, Avoid(phrase), "Der Rauch steigt auf.")


def test_what_is_avoided_is_meant_in_the_letters_that_the_tokenizer_has():
    subwords = Subwords(at_hand.uncased())
    for phrase in ("Rauch", "Été", "SÃO Paulo", Phrase("Rauch", case="sentence")):
        assert meets(subwords, Avoid(phrase), "the hard disk is full.")
        assert not meets(subwords, Avoid(phrase), "der rauch steigt auf. l'été est fini, sao paulo")
    assert meets(subwords, Avoid("Rauch"), "der raucher raucht")
    with pytest.raises(UserError, match='It would write "rauch": require that'):
        subwords.spelled(Phrase("Rauch"))


def test_a_special_token_is_no_text():
    with pytest.raises(UserError, match=r'"<s>" is a special token, not text: give its id, \[1\]'):
        Subwords(at_hand.byte_level_bpe()).spelled(Avoid("<s>"))
    with pytest.raises(
        UserError, match='"</s>" is the token that ends every text, not text itself: leave it out'
    ):
        Subwords(at_hand.byte_level_bpe()).spelled(Phrase("</s>"))


def test_tokens_without_text_do_not_hide_what_is_avoided():
    subwords = Subwords(at_hand.byte_level_bpe())
    term = subwords.spelled(Avoid("er"), [2], vocab_size=430)
    space, e, r, er, pad, beyond = (
        *ids(subwords, " "),
        *ids(subwords, "e"),
        *ids(subwords, "r"),
        *ids(subwords, "er"),
        0,
        425,
    )
    for tokens in (
        [space, er, beyond],
        [space, beyond, er, space],
        [space, e, pad, r, space],
        [space, e, beyond, r, 2],
    ):
        assert not gridbeam.check([term], tokens)[0].is_met


def test_a_word_is_not_glued_to_another_by_a_token_without_text():
    subwords = Subwords(at_hand.byte_level_bpe())
    term = subwords.spelled(Phrase("rauch"), [2])
    glued = [*ids(subwords, " Rauch"), subwords.tokenizer.bos_token_id, *ids(subwords, "rauch")]
    assert not gridbeam.check([term], glued)[0].is_met


def test_added_words_are_text():
    tokenizer = copy.deepcopy(at_hand.byte_level_bpe())
    tokenizer.add_tokens(["Blumentopf"])
    subwords = Subwords(tokenizer)
    assert meets(subwords, "Blumentopf", "ein Blumentopf hier")
    assert not meets(subwords, Avoid("Blumentopf"), "ein Blumentopf hier")


def test_letters_with_several_small_forms_are_one():
    subwords = Subwords(at_hand.byte_level_bpe())
    assert not meets(subwords, Avoid(Phrase("ΟΔΟΣ", case="any")), "οδος")


def test_a_capital_that_cannot_be_written_is_done_without():
    subwords = Subwords(at_hand.marian())
    assert meets(subwords, Phrase("gegen", case="sentence"), "er sich gegen das")


def test_part_of_a_word_is_found_within_a_token(subwords):
    assert meets(subwords, Phrase("auch", whole_word=False), "Der Rauch steigt auf.")


def test_what_is_no_tokenizer_is_refused():
    with pytest.raises(UserError, match="dict is not a tokenizer"):
        Subwords({"a": 1})


def test_a_plain_function_cannot_honour_options():
    with pytest.raises(UserError, match="cannot honour case; use"):
        gridbeam.check([Phrase("a", case="any")], [1], encode=lambda text: [1])


def test_terms_nest_as_ever(subwords):
    assert meets(subwords, AnyOf("Festplatte", "Laufwerk"), "Das Laufwerk, die Laufwerke")
    assert meets(
        subwords,
        gridbeam.InOrder("setzte", gridbeam.Gap(1), "ein"),
        "Ebenso setzte er sich gegen das Rauchen ein",
    )


def test_spellings_are_remembered_but_not_without_end(monkeypatch):
    monkeypatch.setattr("gridbeam.tokens.subwords._MOST_KNOWN", 3)
    subwords = Subwords(at_hand.KINDS[0]())
    words = at_hand.TEXT[0].replace(",", " ").split()[:5]
    first = [subwords.spelled(Phrase(word)) for word in words]
    assert subwords.spelled(Phrase(words[-1])) is first[-1]
    assert (
        subwords.spelled(Phrase(words[0])) == first[0]
        and subwords.spelled(Phrase(words[0])) is not first[0]
    )
    assert subwords._forms.cache_info().currsize == 3 < len(words)
