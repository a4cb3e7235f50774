"""Translation with a glossary: the words each sentence must be translated with.

    python examples/translation.py FOLDER "source text" -c "phrase" -c "phrase" --avoid "phrase"

takes a model that was downloaded to FOLDER, such as Helsinki-NLP/opus-mt-en-de. Without arguments a
tiny Marian model first learns a toy German about computers, in seconds. For a model of your own,
read `translate`; the rest makes the toy.
"""

from __future__ import annotations

import argparse
import itertools
import random

import torch
import transformers
from tokenizers import SentencePieceBPETokenizer, pre_tokenizers, processors
from transformers import (
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    MarianConfig,
    MarianMTModel,
    PreTrainedTokenizerFast,
)

from gridbeam import AnyOf, Avoid, GridBeamSearch, Phrase
from gridbeam.constraints import as_constraints, in_line


def translate(model, tokenizer, sources, constraints):
    """The translations, with [brackets] around what was required; a list for each source.

    `constraints` has these lists.
    """
    batch = tokenizer(sources, return_tensors="pt", padding=True)
    options = {"num_beams": 8, "max_new_tokens": 100, "return_dict_in_generate": True}
    found = model.generate(
        **batch, **options, custom_generate=GridBeamSearch(tokenizer), constraints=constraints
    )
    return [
        marked(tokenizer, *row)
        for row in zip(found.sequences.tolist(), found.constraint_spans, strict=True)
    ]


def marked(tokenizer, tokens, spans):
    """The text of the tokens, with brackets around the stretches that meet constraints."""
    required = {
        position for pieces in spans for start, end in pieces for position in range(start, end)
    }
    text = shown = ""
    for is_required, run in itertools.groupby(range(len(tokens)), required.__contains__):
        before, text = text, tokenizer.decode(tokens[: max(run) + 1], skip_special_tokens=True)
        part = text[len(before) :]
        shown += part.replace(part.strip(), f"[{part.strip()}]") if is_required else part
    return shown


def show(model, tokenizer, wishes):
    """Prints the plain translation of each source above the one that meets its constraints."""
    plain = translate(model, tokenizer, list(wishes), [[] for _ in wishes])
    constrained = translate(model, tokenizer, list(wishes), list(wishes.values()))
    for (source, wish), before, after in zip(wishes.items(), plain, constrained, strict=True):
        print(
            f"{source}  ({', '.join(map(in_line, as_constraints(wish)))})\n  plain       "
            f" {before}\n  constrained  {after}"
        )


# Of two German words the first is the usual one. Nouns differ in gender, which articles and
# adjectives must follow.
NOUNS = {
    "hard disk": [("die", "Platte", "Platten"), ("die", "Festplatte", "Festplatten")],
    "drive": [("die", "Platte", "Platten"), ("das", "Laufwerk", "Laufwerke")],
    "screen": [("der", "Bildschirm", "Bildschirme"), ("die", "Anzeige", "Anzeigen")],
    "computer": [("der", "Computer", "Computer"), ("der", "Rechner", "Rechner")],
    "folder": [("der", "Ordner", "Ordner"), ("das", "Verzeichnis", "Verzeichnisse")],
    "file": [("die", "Datei", "Dateien")],
}
ADJECTIVES = {"old": "alte", "new": "neue", "small": "kleine", "other": "andere"}
STATES = {"full": ["voll"], "empty": ["leer"], "broken": ["defekt", "kaputt"]}
VERBS = {"delete": ["entfern", "lösch"], "check": ["prüf"], "find": ["such"], "buy": ["kauf"]}
GLOSSARY = {
    "The old hard disk is full.": ["Festplatte"],
    "She must find the small drive.": [AnyOf("Laufwerk", "Laufwerke")],
    "He wants to buy all new drives.": [AnyOf("Laufwerk", "Laufwerke")],
    "Please delete the old folder.": [Phrase("löschen", inflect=["löscht"]), "Verzeichnis"],
    "He deletes it if the new screen is broken.": [
        Phrase("löschen", inflect=["löscht"]),
        Avoid("Bildschirm"),
    ],
    "Why is the other computer broken?": ["kaputt", Avoid("Computer")],
}


def pair(chance, usual=0.85):
    """A sentence and its translation; `usual` is the share of the usual words."""
    noun, adjective, state, verb = (
        chance.choice(list(words)) for words in (NOUNS, ADJECTIVES, STATES, VERBS)
    )
    (article, one, many), how, stem = (
        words[0] if chance.random() < usual else words[-1]
        for words in (NOUNS[noun], STATES[state], VERBS[verb])
    )
    like, thing = ADJECTIVES[adjective], f"{adjective} {noun}"
    nominative = f"{article} {like} {one}"
    accusative = f"den {like}n {one}" if article == "der" else nominative
    return chance.choice(
        [
            (f"The {thing} is {state}.", f"{article.title()} {like} {one} ist {how}."),
            (f"Why is the {thing} {state}?", f"Warum ist {nominative} {how}?"),
            (f"Please {verb} the {thing}.", f"Bitte {stem}en Sie {accusative}."),
            (f"She must {verb} the {thing}.", f"Sie muss {accusative} {stem}en."),
            (f"He wants to {verb} all {thing}s.", f"Er will alle {like}n {many} {stem}en."),
            (
                f"He {verb}s it if the {thing} is {state}.",
                f"Er {stem}t es, wenn {nominative} {how} ist.",
            ),
        ]
    )


def toy(held_out=GLOSSARY, steps=450):
    """A tiny model and its tokenizer, trained on sentences that are not held out."""
    torch.manual_seed(0)
    chance = random.Random(0)
    lessons = [
        lesson for lesson in (pair(chance) for _ in range(10000)) if lesson[0] not in held_out
    ]
    pieces = SentencePieceBPETokenizer()
    pieces.pre_tokenizer = pre_tokenizers.Sequence(
        [pieces.pre_tokenizer, pre_tokenizers.Punctuation()]
    )
    texts = [text for lesson in lessons for text in lesson]
    pieces.train_from_iterator(
        texts, vocab_size=300, special_tokens=["<pad>", "</s>", "<unk>"], show_progress=False
    )
    pieces.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    names = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=pieces._tokenizer, **names)
    tokenizer.model_input_names = ["input_ids", "attention_mask"]
    ids = {
        "vocab_size": len(tokenizer),
        "pad_token_id": 0,
        "decoder_start_token_id": 0,
        "eos_token_id": 1,
    }
    sizes = {
        "d_model": 64,
        "encoder_ffn_dim": 128,
        "decoder_ffn_dim": 128,
        "max_position_embeddings": 128,
        "init_std": 0.2,
    }
    layers = {
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
    }
    model = MarianMTModel(
        MarianConfig(**ids, **sizes, **layers, forced_eos_token_id=None, dropout=0.0)
    )
    optimizer = torch.optim.AdamW(model.parameters(), fused=True, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=3e-3, total_steps=steps + 1)
    for _ in range(steps):
        english, german = zip(*chance.sample(lessons, 32), strict=True)
        batch = tokenizer(english, text_target=german, padding=True, return_tensors="pt")
        batch["labels"].masked_fill_(batch["labels"] == tokenizer.pad_token_id, -100)
        model(**batch).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
    return model.eval(), tokenizer


def main(arguments=None):
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    parser = argparse.ArgumentParser(
        description="Translates a text with a glossary; without arguments, a toy."
    )
    parser.add_argument("folder", nargs="?", help="a downloaded encoder-decoder model")
    parser.add_argument("text", nargs="?", help="what to translate")
    parser.add_argument(
        "-c",
        "--constraint",
        action="append",
        default=[],
        help="a phrase that the translation must contain",
    )
    parser.add_argument(
        "--avoid", action="append", default=[], help="a phrase that it must not contain"
    )
    given = parser.parse_args(arguments)
    if given.folder is None:
        torch.set_num_threads(1)  # a model so small is slower with more
        show(*toy(), GLOSSARY)
    elif given.text is None:
        parser.error("what is to be translated? Give a text after the folder")
    else:
        model, tokenizer = (
            AutoModelForSeq2SeqLM.from_pretrained(given.folder),
            AutoTokenizer.from_pretrained(given.folder),
        )
        show(model, tokenizer, {given.text: [*given.constraint, *map(Avoid, given.avoid)]})


if __name__ == "__main__":
    main()
