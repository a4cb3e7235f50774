"""Captions that mention what you ask for: the words are given, the model looks at the picture for the rest.

    python examples/captioning.py FOLDER IMAGE -c "word" -c "word" --avoid "word"

takes a model that was downloaded to FOLDER, such as nlpconnect/vit-gpt2-image-captioning, and needs `pip install pillow`.
Without arguments a tiny ViT and GPT-2 first learn to describe coloured shapes, in seconds. For a model of your own, read
`caption`; the rest makes the toy.
"""

from __future__ import annotations

import argparse
import random

import numpy as np
import torch
import transformers
from tokenizers import ByteLevelBPETokenizer
from transformers import AutoTokenizer, GPT2Config, PreTrainedTokenizerFast, ViTConfig
from transformers import VisionEncoderDecoderConfig, VisionEncoderDecoderModel

from gridbeam import Avoid, GridBeamSearch
from gridbeam.constraints import as_constraints, in_line


def caption(model, tokenizer, pixel_values, constraints):
    """A caption for each image; `constraints` has a list for each of them."""
    options = {"num_beams": 8, "max_new_tokens": 40, "pad_token_id": tokenizer.eos_token_id}
    found = model.generate(pixel_values, **options, custom_generate=GridBeamSearch(tokenizer), constraints=constraints)
    return [text.strip() for text in tokenizer.batch_decode(found, skip_special_tokens=True)]


def pixels(folder, path):
    """The image as the model wants it."""
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise SystemExit("images are read with Pillow: pip install pillow") from None
    processor = transformers.AutoImageProcessor.from_pretrained(folder)
    return processor(Image.open(path).convert("RGB"), return_tensors="pt").pixel_values


COLOURS = {"red": (230, 40, 40), "green": (40, 180, 60), "blue": (50, 80, 230), "yellow": (240, 210, 40)}
SHAPES = {
    "circle": lambda x, y: x**2 + y**2 < 1,
    "square": lambda x, y: (abs(x) < 0.9) & (abs(y) < 0.9),
    "triangle": lambda x, y: (abs(y) < 0.9) & (2 * abs(x) < y + 0.9),
}
SIZES = {"small": 4, "large": 7}
BACKGROUNDS = {"dark": 30, "bright": 225}
CORNERS = {"above": [(0, 0, 0, 1), (1, 0, 1, 1)], "left of": [(0, 0, 1, 0), (0, 1, 1, 1)]}
OPPOSITE = {"above": "below", "left of": "right of"}


def scene(chance):
    """What there is to see: the relation of two things (size, colour, shape), and the background."""
    things = [tuple(chance.choice(list(words)) for words in (SIZES, COLOURS, SHAPES)) for _ in range(2)]
    return chance.choice(list(CORNERS)), things, chance.choice(list(BACKGROUNDS))


def picture(chance, relation, things, background):
    """The scene as an array of 32 by 32 pixels in three colours."""
    image = np.full((32, 32, 3), BACKGROUNDS[background], dtype=np.uint8)
    y, x = np.mgrid[:32, :32] + 0.5
    *first, column, row = chance.choice(CORNERS[relation])
    for (size, colour, shape), corner in zip(things, (first, (column, row)), strict=True):
        across, down = (16 * side + 8 + chance.uniform(-1, 1) for side in corner)
        image[SHAPES[shape]((x - across) / SIZES[size], (y - down) / SIZES[size])] = COLOURS[colour]
    return image


def words(relation, things, background, detail=()):
    """The scene in words; what is usual says nothing of sizes or the background, and begins above or left."""
    if "other way round" in detail:
        relation, things = OPPOSITE[relation], things[::-1]
    first, second = (" ".join(thing if "sizes" in detail else thing[1:]) for thing in things)
    return f"a {first} {relation} a {second}" + (f" on a {background} background" if "background" in detail else "")


def toy(steps=600):
    """A tiny model and its tokenizer."""
    torch.manual_seed(0)
    chance = random.Random(0)
    scenes = [scene(chance) for _ in range(4000)]
    captions = [words(*seen, [d for d in ("sizes", "background", "other way round") if chance.random() < 0.15]) for seen in scenes]
    images = tensor([picture(chance, *seen) for seen in scenes])
    pieces = ByteLevelBPETokenizer()
    pieces.train_from_iterator(captions, vocab_size=320, special_tokens=["<|endoftext|>"], show_progress=False)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=pieces._tokenizer, eos_token="<|endoftext|>", pad_token="<|endoftext|>", bos_token="<|endoftext|>")
    vit = ViTConfig(hidden_size=64, num_hidden_layers=L, num_attention_heads=4, intermediate_size=128, image_size=32, patch_size=16, hidden_dropout_prob=0., attention_probs_dropout_prob=0., initializer_range=STD)
    gpt = GPT2Config(vocab_size=len(tokenizer), n_positions=64, n_embd=64, n_layer=1, n_head=4, bos_token_id=0, eos_token_id=0, pad_token_id=0, resid_pdrop=0., embd_pdrop=0., attn_pdrop=0., initializer_range=STD)
    config = VisionEncoderDecoderConfig.from_encoder_decoder_configs(vit, gpt)
    config.decoder_start_token_id = config.eos_token_id = config.pad_token_id = 0
    model = VisionEncoderDecoderModel(config)
    labels = [torch.tensor([*tokenizer(text).input_ids, 0]) for text in captions]
    labels = torch.nn.utils.rnn.pad_sequence(labels, batch_first=True, padding_value=-100)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True, weight_decay=0.)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=LR, total_steps=steps + 1)
    for step in range(steps):
        rows = torch.randint(len(scenes), [BS])
        loss=model(pixel_values=images[rows], labels=labels[rows]).loss
        loss.backward()
        if step%50==49: print(step, loss.item())
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
    return model.eval(), tokenizer

def tensor(images):
    """As an image processor prepares them: numbers from -1 to 1, colours first."""
    return torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2) / 127.5 - 1
