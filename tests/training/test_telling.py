"""Sources tell terms of their targets: which, where, and in which form."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import lessons
import numpy as np
import pytest
import sentencepiece
from small_runs import trained

from gridbeam import Phrase, Request, Translator, UserError
from gridbeam.training import telling
from gridbeam.training.alignment import Aligner
from gridbeam.training.corpus import encode
from gridbeam.training.sentencepieces import TELLING, VocabularyOptions, learn
from gridbeam.training.telling import RandomTeller, told_pairs

TAG = ">>de<<"
PAIRS = [(english, german) for english, german, _ in lessons.SENTENCES]


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("vocabulary") / "vocabulary.model"
    texts = [text for sentence in lessons.SENTENCES for text in sentence]
    learn(
        iter(texts),
        path,
        VocabularyOptions(size=344),
        tags=[TAG, ">>fr<<"],
        markers=TELLING,
        seed=1,
    )
    return path


@pytest.fixture(scope="module")
def pieces(vocabulary):
    return sentencepiece.SentencePieceProcessor(model_file=str(vocabulary))


@pytest.fixture(scope="module")
def encoded(vocabulary):
    return encode(PAIRS, vocabulary, tag=TAG).pairs


@pytest.fixture(scope="module")
def told(vocabulary, encoded, pieces):
    aligner = Aligner.learned(encoded, len(pieces))
    return told_pairs(encoded, aligner, RandomTeller(vocabulary, "de"), share=0.7, seed=1)


def sources(pairs, pieces):
    """The sources as text with markers."""
    starts = pairs.source_ends - pairs.source_lengths
    for start, end in zip(starts, pairs.source_ends, strict=True):
        names = map(pieces.id_to_piece, pairs.source[start:end].tolist())
        yield "".join(names).replace("▁", " ")


def without_terms(text):
    """A source without its markers and what they tell."""
    kept, is_kept = "", True
    for part in text.replace("<<", "<<\0").replace(">>", "\0>>").split("\0"):
        if part in (">>as<<", ">>like<<"):
            is_kept = False
        elif part == ">>end<<":
            is_kept = True
        elif is_kept and part != ">>term<<":
            kept += part
    return kept


def test_markers_are_made_of_no_text(pieces):
    ids = {pieces.piece_to_id(marker) for marker in TELLING}
    assert len(ids) == 4
    assert not ids & set(pieces.encode("the >>term<< disk >>as<< x >>end<< >>like<<"))


def test_padding_is_the_last_piece(pieces):
    assert pieces.pad_id() == len(pieces) - 1


def test_without_what_is_told_a_source_is_what_it_was(told, encoded, pieces):
    for one, other in zip(sources(told, pieces), sources(encoded, pieces), strict=True):
        assert without_terms(one) == other
    assert np.array_equal(told.target, encoded.target)


def test_about_the_share_that_was_asked_for_is_told(told, pieces):
    share = np.mean([">>end<<" in text for text in sources(told, pieces)])
    assert 0.35 < share <= 0.75  # some have no words that are fit


def test_terms_stand_beside_what_they_translate(told, pieces):
    right = {english: german.split()[1] for english, german, _ in lessons.NOUNS}
    seen = 0
    for text in sources(told, pieces):
        for noun, term in re.findall(r">>term<< (\w+)>>as<<([^<>]*)>>end<<", text):
            if noun in right:
                seen += 1
                assert right[noun] in term.split()  # an article may come along
    assert seen


def test_what_is_told_as_it_is_is_said(told, pieces):
    starts = told.target_ends - told.target_lengths
    for text, start, end in zip(sources(told, pieces), starts, told.target_ends - 1, strict=True):
        target = pieces.decode(told.target[start:end].tolist())
        for part in text.split(">>as<<")[1:]:
            assert part.split(">>end<<")[0].strip() in target


def test_told_words_are_whole_and_without_marks(told, pieces):
    for text in sources(told, pieces):
        for marker in (">>as<<", ">>like<<"):
            for part in text.split(marker)[1:]:
                term = part.split(">>end<<")[0]
                assert term.startswith(" ")
                assert term.strip(" .,?")
                assert not any(mark in term for mark in ".,?")


def test_terms_are_told_without_their_inflection_where_that_is_asked(
    vocabulary, pieces, monkeypatch
):
    monkeypatch.setattr(telling, "_INFLECTED", 1.0)
    teller = RandomTeller(vocabulary, "de")
    said = teller._said(pieces.encode("Häuser"), Random(1))
    assert pieces.id_to_piece(said[0]) == ">>like<<"
    assert pieces.decode(said[1:-1]) == "Haus"


def test_a_language_without_lemmas_is_told_words_as_they_are(vocabulary, pieces, monkeypatch):
    monkeypatch.setattr(telling, "_INFLECTED", 1.0)
    said = RandomTeller(vocabulary, "tlh")._said(pieces.encode("Häuser"), Random(1))
    assert pieces.id_to_piece(said[0]) == ">>as<<"


def test_a_vocabulary_without_markers_is_named(tmp_path):
    texts = [text for sentence in lessons.SENTENCES for text in sentence]
    path = tmp_path / "plain.model"
    learn(iter(texts), path, VocabularyOptions(size=340), tags=[TAG], seed=1)
    with pytest.raises(UserError, match=r"plain\.model has no piece >>term<<.*told = 0"):
        RandomTeller(path, "de")


SYNONYMS = {"Scheibe": "Platte", "Buch": "Werk", "Schirm": "Monitor", "Haus": "Heim"}
NOUNS = {
    **{"Scheibe": "disk", "Buch": "book", "Schirm": "screen", "Haus": "house"},
    **{"Platte": "disk", "Werk": "book", "Monitor": "screen", "Heim": "house"},
}


@pytest.mark.slow
def test_a_model_that_is_told_which_of_two_words_to_say_finds_it_far_likelier(tmp_path):
    chance = Random(1)
    pairs = [
        (english, chance.choice((german, _with_synonyms(german)))) for english, german in PAIRS * 6
    ]
    for side, texts in zip(("en", "de"), zip(*pairs, strict=True), strict=True):
        (tmp_path / f"toy.{side}").write_text("".join(f"{text}\n" for text in texts), "utf8")
    (tmp_path / "marian.toml").write_text(TOY, "utf8")
    trained(tmp_path, "marian", tmp_path / "run")
    best = str(tmp_path / "run" / "best")
    told, untold = Translator.load(best, told=True), Translator.load(best)
    gains = []
    for german, noun in NOUNS.items():
        source = f"The {noun} is full."
        place = source.index(noun), source.index(noun) + len(noun)
        request = Request(source, [Phrase(german)], places=[place])
        found = told.translate(request)
        assert german in found.text
        if found.sentences[0].told:
            gains.append(found.score - untold.translate(request).score)
        else:
            assert german in untold.translate(source).text  # said unasked, so not told
    assert len(gains) >= 3  # of each two words a model says one unasked
    assert np.mean(gains) > 0.3  # either word is right half of the time: 0.69 nats


def _with_synonyms(text):
    for word, other in SYNONYMS.items():
        text = text.replace(word, other)
    return text


TOY = """
name = "toy"
source = "en"
corpus = [{source = "toy.en", target = "toy.de", language = "de", told = 0.6}]
development = [{source = "toy.en", target = "toy.de", language = "de"}]

[vocabulary]
size = 310

[cleaning]
max_tokens = 60
unique = false

[network]
kind = "marian"
encoder_layers = 1
decoder_layers = 1
width = 32
heads = 4
feed_forward = 64
dropout = 0.05
positions = 64

[training]
updates = 600
batch_tokens = 600
learning_rate = 0.01
warmup = 20
validate_every = 300
best_by = "loss"
bleu_sentences = 0
"""
