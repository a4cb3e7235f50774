"""Translation with a glossary: which words a sentence must be translated with, for each sentence of a batch.

    python examples/translation.py FOLDER "source text" -c "phrase" -c "phrase" --avoid "phrase"

takes a model that was downloaded to FOLDER, such as Helsinki-NLP/opus-mt-en-de. Without arguments a tiny Marian model learns
a toy language of English and German sentences about computers, in seconds. What matters for a model of one's own is
`translate`; everything below it makes the toy.
"""

from __future__ import annotations

import argparse
import random

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, MarianConfig, MarianMTModel, PreTrainedTokenizerFast

from gridbeam import AnyOf, Avoid, GridBeamSearch, Phrase
from gridbeam.constraints import in_line


def translate(model, tokenizer, sources, constraints):
    """The translations, one list of constraints for each source, with [what was required] in brackets."""
    batch = tokenizer(sources, return_tensors="pt", padding=True)
    found = model.generate(
        **batch,
        num_beams=4,
        max_new_tokens=100,
        return_dict_in_generate=True,
        custom_generate=GridBeamSearch(tokenizer),
        constraints=constraints,
    )
    return [marked(tokenizer, *row) for row in zip(found.sequences.tolist(), found.constraint_spans, strict=True)]


def marked(tokenizer, tokens, spans):
    """The text of the tokens, with brackets around the stretches that meet constraints."""

    def text(end):
        return tokenizer.decode(tokens[:end], skip_special_tokens=True)

    shown = text(len(tokens))
    for start, end in sorted((piece for pieces in spans for piece in pieces), reverse=True):
        before, inside, after = shown[: len(text(start))], text(end)[len(text(start)) :], shown[len(text(end)) :]
        shown = before + inside.replace(inside.strip(), f"[{inside.strip()}]") + after
    return shown


# The toy. Of several German words the first is the usual one; each brings its gender along.
NOUNS = {
    "hard disk": [("die", "Platte", "Platten"), ("die", "Festplatte", "Festplatten")],
    "drive": [("die", "Platte", "Platten"), ("das", "Laufwerk", "Laufwerke")],
    "screen": [("der", "Bildschirm", "Bildschirme"), ("die", "Anzeige", "Anzeigen")],
    "computer": [("der", "Computer", "Computer"), ("der", "Rechner", "Rechner")],
    "folder": [("der", "Ordner", "Ordner"), ("das", "Verzeichnis", "Verzeichnisse")],
    "file": [("die", "Datei", "Dateien")],
}
VERBS = {"delete": ["entfern", "lösch"], "check": ["prüf"], "find": ["such"], "copy": ["kopier"]}
ADJECTIVES = {"": "", "old ": "alte", "new ": "neue", "small ": "kleine", "other ": "andere"}
STATES = {"full": ["voll"], "empty": ["leer"], "broken": ["defekt", "kaputt"]}


def pair(chance, usual=0.75):
    """An English sentence and its German translation; `usual` is how often the usual word is taken."""

    def pick(words):
        return words[0] if chance.random() < usual else words[-1]

    noun, adjective, verb, state = (chance.choice(list(words)) for words in (NOUNS, ADJECTIVES, VERBS, STATES))
    article, one, many = pick(NOUNS[noun])
    stem, how, like = pick(VERBS[verb]), pick(STATES[state]), ADJECTIVES[adjective]
    nominative = " ".join(filter(None, [article, like, one]))
    plural = " ".join(filter(None, ["alle", like and like + "n", many]))
    accusative = " ".join(filter(None, ["den", like and like + "n", one])) if article == "der" else nominative
    return chance.choice(
        [
            (f"The {adjective}{noun} is {state}.", f"{nominative[0].upper()}{nominative[1:]} ist {how}."),
            (f"Please {verb} the {adjective}{noun}.", f"Bitte {stem}en Sie {accusative}."),
            (f"She must {verb} the {adjective}{noun}.", f"Sie muss {accusative} {stem}en."),
            (f"He wants to {verb} all {adjective}{noun}s.", f"Er will {plural} {stem}en."),
            (f"Why is the {adjective}{noun} {state}?", f"Warum ist {nominative} {how}?"),
            (f"He will {verb} it if the {adjective}{noun} is {state}.", f"Er {stem}t es, wenn {nominative} {how} ist."),
        ]
    )


HELD_OUT = dict(pair(random.Random(1), usual=1.0) for _ in range(60))
GLOSSARY = {
    "The old hard disk is full.": ["Festplatte"],
    "She must find the small drive.": [AnyOf("Laufwerk", "Laufwerke")],
    "He wants to copy all new drives.": [AnyOf("Laufwerk", "Laufwerke")],
    "Please delete the old folder.": [Phrase("löschen", inflect=["löscht"]), "Verzeichnis"],
    "He will delete it if the screen is broken.": [Phrase("löschen", inflect=["löscht"]), Avoid("Bildschirm")],
    "Why is the other computer broken?": [Avoid("Computer"), Avoid("defekt")],
}


def toy():
    """A model and its tokenizer, trained on sentences that are neither in `HELD_OUT` nor in `GLOSSARY`."""
    torch.manual_seed(0)
    chance = random.Random(0)
    drawn = [pair(chance) for _ in range(3000)]
    lessons = [(english, german) for english, german in drawn if english not in HELD_OUT and english not in GLOSSARY]
    tokenizer = toy_tokenizer([text for lesson in lessons for text in lesson])
    tokens = {"vocab_size": len(tokenizer), "pad_token_id": 0, "decoder_start_token_id": 0, "eos_token_id": 1}
    layers = {"encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4}
    sizes = {"d_model": 64, "encoder_ffn_dim": 128, "decoder_ffn_dim": 128, "max_position_embeddings": 128}
    model = MarianMTModel(MarianConfig(**tokens, **layers, **sizes, forced_eos_token_id=None, dropout=0.0))
    steps = 400
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, steps)
    for step in range(steps):
        english, german = zip(*chance.sample(lessons, 32), strict=True)
        batch = tokenizer(english, text_target=german, return_tensors="pt", padding=True)
        batch["labels"][batch["labels"] == 0] = -100
        loss = model(**batch).loss
        loss.backward()
        if step % 50 == 0:
            print(step, loss.item())
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
    return model.eval(), tokenizer


def toy_tokenizer(texts):
    """Subwords of both languages, as SentencePiece writes them."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation()])
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=200, special_tokens=["<pad>", "</s>", "<unk>"]))
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    marks = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    names = ["input_ids", "attention_mask"]
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **marks, model_input_names=names)
