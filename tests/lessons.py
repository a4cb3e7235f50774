"""Made-up parallel text in two target languages, and the runs that learn it by heart."""

from __future__ import annotations

import random
from pathlib import Path

# English, German and French; German and French articles follow the gender.
NOUNS = [
    ("disk", "die Scheibe", "le disque"),
    ("screen", "der Schirm", "l'écran"),
    ("folder", "der Ordner", "le dossier"),
    ("file", "die Datei", "le fichier"),
    ("house", "das Haus", "la maison"),
    ("book", "das Buch", "le livre"),
]
STATES = [
    ("full", "voll", "plein"),
    ("old", "alt", "vieux"),
    ("new", "neu", "neuf"),
    ("good", "gut", "beau"),
]
FRAMES = [
    ("The {} is {}.", "Hier ist {} {}.", "Ici {} est {}."),
    ("Why is the {} {}?", "Warum ist {} {}?", "Pourquoi {} est-il {} ?"),
    ("I say the {} is {}.", "Ich sage, {} sei {}.", "Je crois {} {}."),
]
SENTENCES = [
    tuple(frame[language].format(noun[language], state[language]) for language in range(3))
    for frame in FRAMES
    for noun in NOUNS
    for state in STATES
]


def write(folder: Path, count: int = 30, seed: int = 0) -> list[tuple[str, str, str]]:
    """Writes `count` of the sentences as en, de and fr; gives them back."""
    chosen = random.Random(seed).sample(SENTENCES, count)
    folder.mkdir(parents=True, exist_ok=True)
    for place, language in enumerate(("en", "de", "fr")):
        (folder / f"toy.{language}").write_text(
            "".join(f"{text[place]}\n" for text in chosen), encoding="utf8"
        )
    return chosen


SHARED = """
source = "en"

[[corpus]]
source = "toy.en"
target = "toy.de"
language = "de"

[[corpus]]
source = "toy.en"
target = "toy.fr"
language = "fr"

[[development]]
source = "toy.en"
target = "toy.de"
language = "de"

[[development]]
source = "toy.en"
target = "toy.fr"
language = "fr"

[vocabulary]
size = 340
"""
MARIAN = f"""name = "toy"
{SHARED}
[network]
kind = "marian"
encoder_layers = 1
decoder_layers = 1
width = 32
heads = 4
feed_forward = 64
dropout = 0.05
positions = 64

[cleaning]
max_tokens = 60

[training]
updates = 300
batch_tokens = 400
learning_rate = 0.01
warmup = 20
validate_every = 100
save_every = 50
log_every = 10
bleu_sentences = 8
"""
GRU = f"""name = "toy-gru"
{SHARED.replace("size = 340", "size = 400")}kind = "bpe"

[network]
kind = "gru"
embedding = 128
hidden = 128
dropout = 0.0
positions = 64

[cleaning]
max_tokens = 60

[training]
updates = 480
batch_sentences = 20
learning_rate = 0.02
warmup = 20
loss_per = "sentence"
validate_every = 240
save_every = 50
log_every = 10
bleu_sentences = 8
"""
