"""What a model is told in its source, and that the rest stays as it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import tiny
import torch
from typer.testing import CliRunner

from gridbeam import Avoid, Gap, InOrder, Phrase, Prefix, Suffix, UserError
from gridbeam.cli import app
from gridbeam.constraints.terms import AnyOf
from gridbeam.documents import Segment
from gridbeam.files.instructions import Instructions
from gridbeam.files.pipeline import Pipeline
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.markup.inline import as_marked
from gridbeam.models.load import load
from gridbeam.models.telling import PIECES, Telling, telling_of
from gridbeam.translation.explain import explain
from gridbeam.translation.translator import Request, Translator

QUICK = {"beam": 2, "max_length": 16}


class Listener:
    """A model to which every text is alike, and which keeps the sources that it was given."""

    def __init__(self, vocab_size, *, ends=True):
        self.vocab_size, self.bos, self.eos = vocab_size, 2, 0
        self.heard = []
        logits = torch.full((vocab_size,), -6.0)
        logits[self.eos] = 0.0 if ends else -12.0
        self.next = logits.log_softmax(-1)

    def start(self, sources):
        self.heard += [tuple(source) for source in sources]
        return torch.zeros(len(sources))

    def step(self, state, tokens):
        return self.next.expand(len(tokens), -1), state

    def select(self, state, rows):
        return state[rows]


def listening(*, can_be_told=True, ends=True, positions=None, targets=("de", "fr")):
    tokenizer = load(str(tiny.marian(targets, told=True)), target="de").tokenizer
    return Translator(
        Listener(len(tokenizer.get_vocab()), ends=ends),
        tokenizer,
        tag=">>de<< " if len(targets) > 1 else "",
        source="en",
        target="de",
        positions=positions,
        telling=telling_of(tokenizer) if can_be_told else None,
    )


def heard(translator):
    """The sources that a listener was given, as text."""
    tokens = map(translator.tokenizer.convert_ids_to_tokens, translator.model.heard)
    return ["".join(each).replace("▁", " ") for each in tokens]


def last_heard(request, **setting):
    translator = listening(**setting)
    translator.translate(request, beam=2)
    return heard(translator)[-1]


def placed(source, *terms):
    """A request with constraints, each beside the words that it stands for, or None."""
    places = [
        None if words is None else (source.index(words), source.index(words) + len(words))
        for _, words in terms
    ]
    return Request(source, [each for each, _ in terms], places=places)


def test_a_term_is_told_beside_its_source_words():
    found = last_heard(placed("The disk is full.", ("Laufwerk", "disk")))
    assert found == ">>de<< The>>term<< disk>>as<< Laufwerk>>end<< is full.</s>"


def test_a_model_that_cannot_be_told_is_given_the_plain_source():
    request = placed("The disk is full.", ("Laufwerk", "disk"), ("voll", None))
    assert last_heard(request, can_be_told=False) == ">>de<< The disk is full.</s>"


@pytest.mark.parametrize("places", [(), [None, None], [4, 4]])
def test_terms_whose_words_are_not_known_are_told_at_the_end(places):
    found = last_heard(Request("The disk is full.", ["Laufwerk", "voll"], places=places))
    end = ">>as<< Laufwerk>>end<<>>as<< voll>>end<<</s>"
    assert found == ">>de<< The disk is full." + end


@pytest.mark.parametrize(
    ("constraint", "told"),
    [
        (Phrase("Ordner", inflect=["Ordnern"]), ">>like<< Ordner>>end<<"),
        (AnyOf("Laufwerk", "Festplatte"), ">>like<< Laufwerk>>end<<"),
        (AnyOf("Laufwerk"), ">>as<< Laufwerk>>end<<"),
        (AnyOf(Phrase("Ordner", inflect=["Ordnern"])), ">>like<< Ordner>>end<<"),
        (Phrase("Laufwerk", case="any"), ">>as<< Laufwerk>>end<<"),
    ],
)
def test_what_may_be_said_in_several_ways_is_told_in_its_first(constraint, told):
    assert (
        last_heard(Request("The file is full.", [constraint]))
        == f">>de<< The file is full.{told}</s>"
    )


@pytest.mark.parametrize(
    "constraint",
    [
        Avoid("Ordner"),
        Prefix("Ordner"),
        Suffix("Ordner"),
        InOrder("Ordner", Gap(0, 2), "voll"),
        Phrase([20, 21]),
        AnyOf(InOrder("Ordner", "voll"), "Laufwerk"),
        "{1}",
        "1,5",
        "добрый",
    ],
)
def test_other_constraints_are_not_told(constraint):
    request = placed("The disk is full.", (constraint, "disk"))
    assert last_heard(request) == ">>de<< The disk is full.</s>"


def test_what_the_source_says_in_its_place_itself_is_not_told():
    source = "The disk {name} is full."
    assert ">>" not in last_heard(Request(source, ["{name}"], places=[source.index("{")]))[6:]


def test_of_terms_for_the_same_words_the_first_is_told():
    request = placed(
        "The disk is full.", ("Laufwerk", "disk"), ("Ordner", "disk is"), ("voll", "full")
    )
    translator = listening()
    sentence = translator.translate(request).sentences[0]
    assert heard(translator)[-1] == (
        ">>de<< The>>term<< disk>>as<< Laufwerk>>end<< is>>term<< full>>as<< voll>>end<<.</s>"
    )
    assert sentence.told == (0, 2)


@pytest.mark.parametrize(
    ("source", "words", "told"),
    [
        ("It is the disk, is it?", "disk", ">>term<< disk>>as<< Ordner>>end<<,"),
        ("It is the disk drive.", "disk drive", ">>term<< disk drive>>as<< Ordner>>end<<."),
        ("It is the disk drive.", "disk ", ">>term<< disk>>as<< Ordner>>end<< drive"),
        ("It is the harddisk now.", "disk", ">>term<< harddisk>>as<< Ordner>>end<< now"),
        ("It is (the disk).", "the disk", ">>term<< (the disk>>as<< Ordner>>end<<)."),
        ("Disk", "Disk", ">>de<<>>term<< Disk>>as<< Ordner>>end<<</s>"),
        ("It is  the\u00a0disk drive.", "disk", ">>term<< disk>>as<< Ordner>>end<< drive"),
        ("It is добрый the disk now.", "disk", ">>term<< disk>>as<< Ordner>>end<< now"),
        ("It is Łódź the disk now.", "Łódź", ">>as<< Ordner>>end<< the"),
    ],
)
def test_a_term_is_told_beside_whole_words(source, words, told):
    assert told in last_heard(placed(source, ("Ordner", words)))


def test_a_term_for_what_the_model_is_not_shown_is_told_at_the_end():
    found = last_heard(placed("It is добрый now.", ("Ordner", "is добрый")))
    assert found.endswith(" now.>>as<< Ordner>>end<<</s>")


def test_a_term_is_told_in_the_sentence_that_it_stems_from():
    source = "The disk is full. The file is empty."
    translator = listening()
    translation = translator.translate(placed(source, ("Ordner", "file"), ("voll", "full. The")))
    assert [each.told for each in translation.sentences] == [(1,), (0,)]
    assert sorted(heard(translator)[-2:]) == [
        ">>de<< The disk is full.>>as<< voll>>end<<</s>",
        ">>de<< The>>term<< file>>as<< Ordner>>end<< is empty.</s>",
    ]


def test_which_sentence_a_term_goes_to_is_found_with_plain_sources():
    request = Request("The disk is full. The file is empty.", ["Ordner"])
    told, plain = listening(), listening(can_be_told=False)
    spans = [each.translate(request).spans for each in (told, plain)]
    assert spans[0] == spans[1]
    assert not any(">>as<<" in each for each in heard(told)[:4])
    told_ones = {each for each in heard(told) if ">>as<<" in each}
    assert told_ones == {">>de<< The disk is full.>>as<< Ordner>>end<<</s>"}


def test_a_translation_has_the_same_room_whether_its_source_is_told_or_not():
    request = placed("The disk is full.", ("Laufwerk", "disk"), ("voll", None))
    found = [
        listening(can_be_told=can, ends=False).translate(request, beam=2) for can in (True, False)
    ]
    assert len(found[0].tokens) == len(found[1].tokens) > 20


def test_a_source_that_would_be_too_long_for_the_model_tells_of_nothing():
    others = [(text, None) for text in ("voll", "leer", "ist", "gut", "auf")]
    request = placed("The disk is full.", ("Laufwerk", "disk"), *others)
    free = listening()
    free.translate(request)
    longest = len(free.model.heard[-1])
    assert ">>term<<" in last_heard(request, positions=longest)
    assert last_heard(request, positions=longest - 1) == ">>de<< The disk is full.</s>"


def test_a_text_with_the_names_of_the_tokens_tells_of_nothing():
    translator = listening()
    translator.translate(Request("The >>term<< disk is full.", [">>end<< Ordner"]), **QUICK)
    marks = {translator.tokenizer.get_vocab()[piece] for piece in PIECES.values()}
    assert all(marks.isdisjoint(source) for source in translator.model.heard)


REQUESTS = [
    placed("The disk is full.", ("Laufwerk", "disk")),
    placed("The file was deleted. The disk is empty.", ("Ordner", "file"), ("leer", None)),
    placed(
        "Why is it that the drive is full?", (AnyOf("voll", "leer"), "full"), (Avoid("the"), None)
    ),
    Request("The smoke is empty."),
]


@pytest.fixture(scope="module")
def translator():
    return Translator.load(tiny.marian(told=True), target="de", device="cpu", told=True)


def test_a_told_batch_equals_its_sentences_one_by_one(translator):
    alone = [translator.translate(each, **QUICK) for each in REQUESTS]
    together = list(translator.translate_all(REQUESTS, **QUICK))
    assert [each.text for each in together] == [each.text for each in alone]
    assert [each.spans for each in together] == [each.spans for each in alone]
    assert alone[0].sentences[0].told == (0,)


def test_told_terms_are_said_and_nothing_that_tells_of_them_is(translator):
    for request in REQUESTS:
        found = translator.translate(request, **QUICK)
        for constraint, spans in zip(request.constraints, found.spans, strict=True):
            said = [found.text[start:end] for start, end in spans]
            allowed = ["Laufwerk", "Ordner", "leer", "voll"]
            assert bool(said) == constraint.role.must_occur
            assert all(each in allowed for each in said)
        assert ">>" not in found.text


def test_a_folder_says_whether_its_model_can_be_told(translator):
    assert translator.telling == telling_of(translator.tokenizer)
    assert Translator.load(tiny.marian(told=True), target="de", told=False).telling is None
    assert load(tiny.marian(), target="de").telling is None


def test_a_folder_that_can_be_told_and_lacks_the_tokens_is_refused(tmp_path):
    shutil.copytree(tiny.marian(), tmp_path / "model")
    path = tmp_path / "model" / "config.json"
    config = json.loads(path.read_text())
    for told, complaint in (
        (True, r'has "told": true, but the vocabulary lacks >>term<<, >>as<<, >>like<<, >>end<<'),
        ("yes", r'in config.json "told" is "yes": write true if the model has learned'),
    ):
        config["gridbeam"]["told"] = told
        path.write_text(json.dumps(config))
        with pytest.raises(UserError, match=complaint):
            load(tmp_path / "model", target="de")


def test_any_model_may_be_told_by_tokens_of_its_own():
    known = listening()
    ids = [known.tokenizer.get_vocab()[piece] for piece in PIECES.values()]
    own = Translator(known.model, known.tokenizer, telling=Telling(*reversed(ids)))
    own.translate(placed("The disk is full.", ("Laufwerk", "disk")))
    assert heard(own)[-1] == " The>>end<< disk>>like<< Laufwerk>>term<< is full.</s>"


def test_terms_of_a_glossary_are_told_beside_their_words_and_placeholders_are_not():
    translator = listening()
    glossary = Glossary((Entry("disk drive", ("Laufwerk",), forms=("Laufwerke",)),), "en", "de")
    pipeline = Pipeline(translator, Instructions(glossary=glossary))
    segment = Segment(0, "1", as_marked("The disk drive %s is full."), Path("a.txt"), 1)
    [(_, outcome)] = pipeline.outcomes([segment])
    assert str(outcome.text).count("Laufwerk") == 1
    assert ">>term<< disk drive>>like<< Laufwerk>>end<< " in heard(translator)[-1]
    assert heard(translator)[-1].count(">>end<<") == 1


def test_explain_says_what_the_model_was_told(capsys):
    setting = {"html": None, "svg": None, "graph": None, "source": None, "device": "cpu"}
    model = str(tiny.marian(told=True))
    explain("The file is full.", ["voll"], **setting, model=model, target="de")
    assert '\ntold "voll"' in capsys.readouterr().out
    explain("The file is full.", ["voll"], **setting, model=model, target="de", told=False)
    assert "told" not in capsys.readouterr().out


@pytest.mark.parametrize(("flags", "is_told"), [(["--told"], True), ([], False)])
def test_a_flag_of_the_command_turns_it_off(flags, is_told, monkeypatch):
    made = []
    usual = Translator.load.__func__

    def spied(kind, *arguments, **options):
        made.append(usual(kind, *arguments, **options))
        return made[-1]

    monkeypatch.setattr(Translator, "load", classmethod(spied))
    model = ["-m", str(tiny.marian(told=True)), "--target", "de", "--max-length", "16"]
    found = CliRunner().invoke(
        app, ["translate", "The disk is full.", "-c", "voll", *model, *flags]
    )
    assert found.exit_code == 0
    assert "voll" in found.stdout
    assert [each.telling is not None for each in made] == [is_told]


@pytest.mark.parametrize("place", [(0, 0), (2, 1), (-1, 1), (0, 6), [5, 6]])
def test_a_stretch_that_the_source_does_not_have_is_refused(place):
    with pytest.raises(UserError, match=r"and the source has 5 characters: give the first one"):
        Request("a b c", ["d"], places=[place])


@pytest.mark.parametrize("place", ["01", (1,), (0, 1, 2), (0, "1"), (0, None)])
def test_a_place_is_a_number_or_a_pair_of_them(place):
    with pytest.raises(UserError, match=r"must be a list of whole numbers or None, or of pairs"):
        Request("a b c", ["d"], places=[place])


def test_a_stretch_may_be_given_as_a_list():
    assert Request("a b c", ["d"], places=[[0, 1]]).places == ((0, 1),)
