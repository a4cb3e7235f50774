"""How a name is spelled cannot be heard: Whisper writes it as you say, and the rest as it hears it.

    python examples/speech.py FOLDER AUDIO.wav -c "name" -c "name" --avoid "name"

takes a model that was downloaded to FOLDER, such as openai/whisper-tiny, and speech of any length
(16 bits, 16 kHz), in the whole of which each name is said once. Without arguments a tiny Whisper
first learns a language of tones, in seconds. For a model of your own, read `transcripts`; the rest
makes the toy.
"""

from __future__ import annotations

import argparse
import json
import random
import wave

import numpy as np
import torch
import transformers
from tokenizers import ByteLevelBPETokenizer
from transformers import WhisperConfig, WhisperFeatureExtractor, WhisperProcessor, WhisperTokenizer
from transformers import WhisperForConditionalGeneration as Whisper

from gridbeam import AnyOf, Avoid, GridBeamSearch
from gridbeam.constraints import as_constraints, in_line
from gridbeam.generate import transcribe

RATE = 16_000


def transcripts(model, processor, audio, constraints):
    """What is said in each recording; `constraints` has a list for each of them."""
    is_long = any(len(each) > processor.feature_extractor.n_samples for each in audio)
    whole = {"truncation": False, "padding": "longest", "return_attention_mask": True}
    batch = processor(audio, sampling_rate=RATE, return_tensors="pt", **whole if is_long else {})
    search = GridBeamSearch(processor.tokenizer)
    options = {"num_beams": 5, "return_timestamps": is_long}
    found = transcribe(model, **batch, search=search, constraints=constraints, **options)
    return [text.strip() for text in processor.batch_decode(found, skip_special_tokens=True)]


def show(model, processor, audio, constraints):
    """Prints the plain transcript of each recording beside the one that meets its constraints."""
    plain = transcripts(model, processor, audio, [[] for _ in audio])
    print(f"{'plain':32} {'asked for':40} constrained")
    for wish, before, after in zip(
        constraints, plain, transcripts(model, processor, audio, constraints), strict=True
    ):
        print(f"{before:32} {', '.join(map(in_line, as_constraints(wish))):40} {after}")


def recorded(path):
    """The samples of a WAV file, from -1 to 1."""
    with wave.open(path) as file:
        if (file.getframerate(), file.getsampwidth()) != (RATE, 2):
            raise SystemExit(
                f"{path} must have 16 bits at 16 kHz: ffmpeg -i {path} -ar {RATE} -sample_fmt s16"
                " out.wav"
            )
        samples = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
        return samples.reshape(-1, file.getnchannels()).mean(1) / 32768


# The toy's sentences, place by place. What a slash divides sounds alike; the first spelling is the
# usual one.
WORDS = [
    ["call", "meet", "ask", "thank", "join"],
    ["Stephen/Steven", "Sarah/Sara", "Catherine/Kathryn", "Anna"],
    ["Meyer/Maier", "Smith/Smyth", "Clark/Clarke", "Jones"],
    ["today", "tomorrow", "tonight", "now"],
]
USUAL = {
    word: entry.split("/")[0] for place in WORDS for entry in place for word in entry.split("/")
}
WISHES = {
    "call Stephen Meyer today": ["Maier"],
    "thank Sarah Smith tonight": ["Sara", "Smyth"],
    "ask Catherine Clark now": ["Kathryn Clark"],
    "meet Stephen Jones tomorrow": [Avoid("Stephen")],
    "join Sarah Meyer tomorrow": [AnyOf("Maier", "Mayr"), Avoid("Sarah")],
}


def sentence(chance, usual=0.9):
    """Four words; `usual` is the share of the usual spellings."""
    spellings = [chance.choice(place).split("/") for place in WORDS]
    return " ".join(words[0] if chance.random() < usual else words[-1] for words in spellings)


def usually(text):
    """The sentence in the usual spelling."""
    return " ".join(USUAL.get(word, word) for word in text.split())


def spoken(chance, text):
    """The sentence as sound: three tones and a pause for each word, some speed, some noise."""
    time = np.arange(RATE * chance.uniform(0.045, 0.06)) / RATE
    sound = []
    for word in text.split():
        tones = random.Random(USUAL[word]).sample(range(10), 3)
        sound += [*(np.sin(2 * np.pi * 250 * 1.35**tone * time) for tone in tones), 0 * time]
    noise = np.random.default_rng(chance.randrange(10**6)).normal(size=len(sound) * len(time))
    return 0.3 * np.concatenate(sound) + 0.02 * noise


def toy(held_out=WISHES, steps=300):
    """A tiny model and its processor, trained on sentences that are not held out."""
    torch.manual_seed(0)
    chance = random.Random(0)
    texts = [
        text for text in (sentence(chance) for _ in range(800)) if usually(text) not in held_out
    ]
    pieces = ByteLevelBPETokenizer()
    pieces.train_from_iterator(texts, vocab_size=300, show_progress=False)
    learned = json.loads(pieces._tokenizer.to_str())["model"]
    tokenizer = WhisperTokenizer(learned["vocab"], [tuple(merge) for merge in learned["merges"]])
    tokenizer.add_tokens(["<|startoftranscript|>", "<|notimestamps|>"], special_tokens=True)
    tokenizer.set_prefix_tokens()
    start, no_timestamps, *_, end = tokenizer("").input_ids
    processor = WhisperProcessor(
        WhisperFeatureExtractor(feature_size=24, chunk_length=1), tokenizer
    )
    features = processor(
        [spoken(chance, text) for text in texts], sampling_rate=RATE, return_tensors="pt"
    ).input_features
    labels = [torch.tensor(tokenizer(text).input_ids[1:]) for text in texts]
    labels = torch.nn.utils.rnn.pad_sequence(labels, batch_first=True, padding_value=-100)
    ids = {
        "decoder_start_token_id": start,
        "pad_token_id": end,
        "bos_token_id": end,
        "eos_token_id": end,
    }
    sizes = {
        "vocab_size": len(tokenizer),
        "num_mel_bins": 24,
        "max_source_positions": 50,
        "max_target_positions": 40,
    }
    sizes |= {"d_model": 64, "encoder_ffn_dim": 128, "decoder_ffn_dim": 128, "init_std": 0.1}
    layers = {
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
    }
    model = Whisper(WhisperConfig(**ids, **sizes, **layers, begin_suppress_tokens=None))
    model.generation_config.update(
        max_length=40, is_multilingual=False, no_timestamps_token_id=no_timestamps
    )
    optimizer = torch.optim.AdamW(model.parameters(), fused=True, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-3, total_steps=steps + 1)
    for rows in torch.randint(len(texts), [steps, 32]):
        model(features[rows], labels=labels[rows]).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
    return model.eval(), processor


def main(arguments=None):
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    parser = argparse.ArgumentParser(
        description="Writes down speech with the names as given; without arguments, a toy."
    )
    parser.add_argument("folder", nargs="?", help="a downloaded Whisper model")
    parser.add_argument("audio", nargs="?", help="a WAV file")
    parser.add_argument(
        "-c",
        "--constraint",
        action="append",
        default=[],
        help="a phrase that the transcript must contain",
    )
    parser.add_argument(
        "--avoid", action="append", default=[], help="a phrase that it must not contain"
    )
    given = parser.parse_args(arguments)
    if given.folder is None:
        torch.set_num_threads(1)  # a model so small is slower with more
        model, processor = toy()
        show(
            model,
            processor,
            [spoken(random.Random(1), text) for text in WISHES],
            list(WISHES.values()),
        )
    elif given.audio is None:
        parser.error("what is to be written down? Give a WAV file after the folder")
    else:
        model, processor = (
            Whisper.from_pretrained(given.folder),
            WhisperProcessor.from_pretrained(given.folder),
        )
        show(
            model,
            processor,
            [recorded(given.audio)],
            [[*given.constraint, *map(Avoid, given.avoid)]],
        )


if __name__ == "__main__":
    main()
