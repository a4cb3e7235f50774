"""Recordings that Whisper hears window by window: what a transcript must say, it says once."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
import transformers
from families import BOS, EOS, FAMILIES, PAD

from gridbeam import AtMost, Avoid, GridBeamSearch, Phrase, Prefix, UserError
from gridbeam.generate import transcribe
from gridbeam.generate.speech import _kept

FRAMES = 20
"""Frames of a window of the tiny model."""
NO_TIMESTAMPS = 28
"""Tokens after this one are timestamps."""


@pytest.fixture(scope="module")
def whisper():
    torch.manual_seed(0)
    config = transformers.WhisperConfig(
        vocab_size=40,
        d_model=16,
        encoder_layers=1,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        num_mel_bins=8,
        max_source_positions=FRAMES // 2,
        max_target_positions=64,
        init_std=0.6,
        dropout=0.0,
        pad_token_id=PAD,
        bos_token_id=BOS,
        eos_token_id=EOS,
        decoder_start_token_id=BOS,
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )
    model = transformers.WhisperForConditionalGeneration(config).eval()
    model.generation_config.no_timestamps_token_id = NO_TIMESTAMPS
    model.generation_config.is_multilingual = False
    return model


def recordings(*lengths):
    """Noise of these lengths in frames, as a batch with its mask."""
    noise = torch.Generator().manual_seed(1)
    features = torch.zeros(len(lengths), 8, max(lengths))
    mask = torch.zeros(len(lengths), max(lengths), dtype=torch.long)
    for row, length in enumerate(lengths):
        features[row, :, :length] = torch.randn(8, length, generator=noise)
        mask[row, :length] = 1
    return {"input_features": features, "attention_mask": mask}


OPTIONS = {"num_beams": 3, "max_new_tokens": 12, "return_timestamps": True}


def said(phrase, tokens):
    """How often a transcript says a phrase."""
    width = len(phrase)
    return sum(tokens[place : place + width] == phrase for place in range(len(tokens)))


def transcripts(whisper, constraints, *lengths, **options):
    found = transcribe(
        whisper,
        **recordings(*lengths),
        search=GridBeamSearch(),
        constraints=constraints,
        **OPTIONS | options,
    )
    return found.tolist()


class InOneWindow:
    """A decoding method that asks for a phrase in the window of one number, and for no more."""

    def __init__(self, phrase, number):
        self.phrase, self.number, self.log_probs, self.calls = phrase, number, [], 0

    def __call__(self, model, input_ids, logits_processor=None, stopping_criteria=None, **inputs):
        config = inputs.pop("generation_config")
        config.return_dict_in_generate = True
        asked = [[self.phrase] if self.calls == self.number else []]
        out = GridBeamSearch().of_one_window(
            model, input_ids, logits_processor, stopping_criteria, config, asked, **inputs
        )
        self.calls += 1
        self.log_probs.append(sum(out.hypotheses[0].log_probs))
        return out.sequences


def test_recordings_of_uneven_lengths_are_heard_as_plain_generate_hears_them(whisper):
    batch = recordings(50, 30, 90)
    plain = whisper.generate(**batch, **OPTIONS)
    assert torch.equal(
        whisper.generate(**batch, **OPTIONS, custom_generate=GridBeamSearch()), plain
    )
    assert torch.equal(transcribe(whisper, **batch, search=GridBeamSearch(), **OPTIONS), plain)


@pytest.mark.parametrize("phrase", [[5, 7], [9, 9], [11], [13, 6, 13]])
def test_a_long_recording_says_each_phrase_once_in_the_whole(whisper, phrase):
    rows = transcripts(whisper, [[phrase], [Avoid(Phrase([21]))], None], 90, 30, 70)
    assert said(phrase, rows[0]) == 1
    assert 21 not in rows[1] and 21 in rows[2], "an Avoid holds throughout, for its row only"


@pytest.mark.slow
def test_several_phrases_and_several_of_one_are_said(whisper):
    (row,) = transcripts(whisper, [[[5, 7], [11], [11], [12]]], 110)
    assert said([5, 7], row) == 1 and said([11], row) == 2 and said([12], row) == 1


@pytest.mark.slow
@pytest.mark.parametrize("phrase", [[9, 9], [17], [5, 11]])
def test_a_phrase_is_said_where_it_costs_least(whisper, phrase):
    plain = InOneWindow(phrase, None)
    batch = recordings(90)
    whisper.generate(**batch, **OPTIONS, custom_generate=plain)
    assert plain.calls > 3
    costs, texts = [], []
    for number in range(plain.calls):
        forced = InOneWindow(phrase, number)
        texts.append(whisper.generate(**batch, **OPTIONS, custom_generate=forced)[0].tolist())
        costs.append(plain.log_probs[number] - forced.log_probs[number])
    (found,) = transcripts(whisper, [[phrase]], 90)
    assert found == texts[costs.index(min(costs))]


@pytest.mark.slow
def test_what_is_heard_anyhow_changes_nothing(whisper):
    (plain,) = transcripts(whisper, None, 90)
    pairs = [list(pair) for pair in pairwise(plain) if max(pair) <= NO_TIMESTAMPS]
    for pair in pairs[::7]:
        assert transcripts(whisper, [[pair]], 90) == [plain]


def test_a_phrase_in_a_part_that_is_dropped_counts_as_not_said():
    assert _kept([30, 5, 31, 31, 7], 28) == [30, 5, 31, 31]
    assert _kept([30, 5, 31, 31, 7, 33], 28) == [30, 5, 31, 31, 7, 33]
    assert _kept([30, 5, 7], 28) == [30, 5, 7]
    assert _kept([30, 31, 5, 31, 31], 28) == [30, 31, 5, 31, 31]


def test_a_phrase_that_no_window_can_hold_is_named_with_its_row(whisper):
    with pytest.raises(UserError, match=r"^constraints\[1\]: .*max_new_tokens"):
        transcripts(whisper, [[], [[5] * 20]], 30, 90)


@pytest.mark.parametrize("term", [Prefix([5]), AtMost(1, [5])])
def test_what_is_about_the_whole_text_is_refused(whisper, term):
    with pytest.raises(UserError, match=r"constraints\[0\]: .* window by window"):
        transcripts(whisper, [[term]], 30)


def test_generate_alone_would_ask_in_every_window_so_it_names_transcribe(whisper):
    batch, search = recordings(50), GridBeamSearch()
    with pytest.raises(UserError, match=r"use gridbeam\.generate\.transcribe"):
        whisper.generate(**batch, **OPTIONS, custom_generate=search, constraints=[[[5]]])
    with pytest.raises(UserError, match=r"flat list"):
        whisper.generate(**batch, **OPTIONS, custom_generate=search, constraints=[Phrase([5])])
    avoided = [[Avoid(Phrase([21]))]]
    (row,) = whisper.generate(**batch, **OPTIONS, custom_generate=search, constraints=avoided)
    assert 21 not in row.tolist()


def test_a_short_recording_is_transcribed_as_generate_does(whisper):
    batch = recordings(FRAMES)
    options = {**OPTIONS, "return_timestamps": False}
    wishes = [[[5, 7], [11]]]
    expected = whisper.generate(
        **batch, **options, custom_generate=GridBeamSearch(), constraints=wishes
    )
    assert transcripts(whisper, wishes, FRAMES, return_timestamps=False) == expected.tolist()


def test_transcribe_is_for_whisper_and_for_one_transcript():
    marian = FAMILIES["marian"].model()
    with pytest.raises(UserError, match=r"transcribe is for Whisper.*MarianMTModel"):
        transcribe(marian, torch.zeros(1, 8, 20), search=GridBeamSearch())


def test_one_transcript_of_a_recording_comes_back(whisper):
    with pytest.raises(UserError, match=r"num_return_sequences.*leave it out"):
        transcripts(whisper, None, 30, num_return_sequences=2)
    dictionary = transcribe(
        whisper,
        **recordings(50),
        search=GridBeamSearch(),
        constraints=[[[5, 7]]],
        **OPTIONS,
        return_segments=True,
    )
    assert said([5, 7], dictionary["sequences"][0].tolist()) == 1
