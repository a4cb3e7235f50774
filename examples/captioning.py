"""Captions that mention what you ask for; for the rest, the model looks at the picture.

    python examples/captioning.py FOLDER IMAGE -c "word" -c "word" --avoid "word"

takes a model that was downloaded to FOLDER, such as nlpconnect/vit-gpt2-image-captioning, and needs
`pip install pillow`. Without arguments a tiny ViT and GPT-2 first learn to describe coloured
shapes, in seconds. For a model of your own, read `captions`; the rest makes the toy.
"""

from __future__ import annotations

import argparse
import random

import numpy as np
import torch
import transformers
from tokenizers import ByteLevelBPETokenizer
from transformers import AutoTokenizer, GPT2Config, PreTrainedTokenizerFast, ViTConfig
from transformers import VisionEncoderDecoderConfig as ModelConfig
from transformers import VisionEncoderDecoderModel as Model

from gridbeam import AnyOf, Avoid, GridBeamSearch
from gridbeam.constraints import as_constraints, in_line


def captions(model, tokenizer, pixel_values, constraints):
    """A caption for each image; `constraints` has a list for each of them."""
    options = {
        "num_beams": 8,
        "max_new_tokens": 40,
        "length_penalty": 0.0,
    }  # no bonus for long captions
    found = model.generate(
        pixel_values, **options, custom_generate=GridBeamSearch(tokenizer), constraints=constraints
    )
    return [text.strip() for text in tokenizer.batch_decode(found, skip_special_tokens=True)]


def show(model, tokenizer, pixel_values, wishes):
    """Prints what the model makes of each wish about one image."""
    images = pixel_values.expand(len(wishes), -1, -1, -1)
    for wish, text in zip(wishes, captions(model, tokenizer, images, wishes), strict=True):
        print(
            f"  {', '.join(map(in_line, as_constraints(wish))) or 'nothing asked for':28}  {text}"
        )


def pixels_of(folder, path):
    """The image in a file as the model wants it."""
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise SystemExit("images are read with Pillow: pip install pillow") from None
    processor = transformers.AutoImageProcessor.from_pretrained(folder)
    return processor(Image.open(path).convert("RGB"), return_tensors="pt").pixel_values


SIZES = {"small": 4.5, "large": 8}
COLOURS = {
    "red": (230, 40, 40),
    "green": (40, 180, 60),
    "blue": (50, 80, 230),
    "yellow": (240, 210, 40),
}
SHAPES = {
    "circle": lambda x, y: x**2 + y**2 < 0.8,
    "square": lambda x, y: np.maximum(abs(x), abs(y)) < 1,
    "triangle": lambda x, y: (abs(y) < 0.9) & (2 * abs(x) < y + 0.9),
}
BACKGROUNDS = {"dark": 80, "bright": 150}
CENTRES = {"above": ((16, 8), (16, 24)), "left of": ((8, 16), (24, 16))}
DETAILS = ("sizes", "background", "other names")
OTHER_NAMES = {"circle": "disc", "square": "box", "triangle": "wedge"}
FIRST = ("above", (("large", "red", "circle"), ("small", "blue", "square")), "dark")
SECOND = ("left of", (("small", "green", "triangle"), ("large", "yellow", "circle")), "bright")
WISHES = {
    FIRST: [[], ["background"], ["small"], ["disc"], ["disc", "dark"]],
    SECOND: [
        [],
        ["background"],
        [AnyOf("large", "big")],
        [Avoid("triangle")],
        ["yellow disc", "background"],
    ],
}


def scene(chance):
    """What there is to see: a relation, two things (size, colour, shape) and the background."""
    things = tuple(
        tuple(chance.choice(list(words)) for words in (SIZES, COLOURS, SHAPES)) for _ in range(2)
    )
    return chance.choice(list(CENTRES)), things, chance.choice(list(BACKGROUNDS))


def painted(chance, relation, things, background):
    """The scene in 32 by 32 pixels as a processor prepares them: colours first, from -1 to 1."""
    image = np.full((3, 32, 32), BACKGROUNDS[background])
    y, x = np.mgrid[:32, :32] + 0.5
    for (size, colour, shape), (across, down) in zip(things, CENTRES[relation], strict=True):
        left, top = x - across + chance.uniform(-1, 1), y - down + chance.uniform(-1, 1)
        image[:, SHAPES[shape](left / SIZES[size], top / SIZES[size])] = np.array(COLOURS[colour])[
            :, None
        ]
    return torch.from_numpy(image).float() / 127.5 - 1


def described(relation, things, background, *details):
    """The scene in words; most captions go into no details."""
    first, second = (" ".join(thing if "sizes" in details else thing[1:]) for thing in things)
    text = f"a {first} {relation} a {second}" + (
        f" on a {background} background" if "background" in details else ""
    )
    return (
        " ".join(OTHER_NAMES.get(word, word) for word in text.split())
        if "other names" in details
        else text
    )


def toy(held_out=WISHES, steps=550):
    """A tiny model and its tokenizer, trained on scenes that are not held out."""
    torch.manual_seed(0)
    chance = random.Random(0)
    scenes = [seen for seen in (scene(chance) for _ in range(4000)) if seen not in held_out]
    details = [[detail for detail in DETAILS if chance.random() < 0.2] for _ in scenes]
    texts = [described(*seen, *more) for seen, more in zip(scenes, details, strict=True)]
    images = torch.stack([painted(chance, *seen) for seen in scenes])
    pieces, end = ByteLevelBPETokenizer(), "<|endoftext|>"
    pieces.train_from_iterator(texts, vocab_size=400, special_tokens=[end], show_progress=False)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=pieces._tokenizer, bos_token=end, eos_token=end, pad_token=end
    )
    sizes = {
        "hidden_size": 64,
        "num_hidden_layers": 1,
        "num_attention_heads": 4,
        "intermediate_size": 128,
    }
    eye = ViTConfig(**sizes, image_size=32, patch_size=16, initializer_range=0.1)
    ids = {"decoder_start_token_id": 0, "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}
    no_dropout = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    sizes = {
        "vocab_size": len(tokenizer),
        "n_positions": 64,
        "n_embd": 64,
        "n_layer": 1,
        "n_head": 4,
    }
    voice = GPT2Config(**ids, **sizes, **no_dropout, initializer_range=0.1)
    model = Model(ModelConfig.from_encoder_decoder_configs(eye, voice, **ids))
    labels = [torch.tensor([*tokenizer(text).input_ids, 0]) for text in texts]
    labels = torch.nn.utils.rnn.pad_sequence(labels, batch_first=True, padding_value=-100)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-3, total_steps=steps + 1)
    for rows in torch.randint(len(scenes), [steps, 32]):
        model(pixel_values=images[rows], labels=labels[rows]).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
    return model.eval(), tokenizer


def main(arguments=None):
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    parser = argparse.ArgumentParser(
        description="Describes an image in the words asked for; without arguments, a toy."
    )
    parser.add_argument("folder", nargs="?", help="a downloaded VisionEncoderDecoder model")
    parser.add_argument("image", nargs="?", help="an image file")
    parser.add_argument(
        "-c",
        "--constraint",
        action="append",
        default=[],
        help="a phrase that the caption must contain",
    )
    parser.add_argument(
        "--avoid", action="append", default=[], help="a phrase that it must not contain"
    )
    given = parser.parse_args(arguments)
    if given.folder is None:
        torch.set_num_threads(1)  # a model so small is slower with more
        model, tokenizer = toy()
        for seen, wishes in WISHES.items():
            print(described(*seen, "sizes", "background"))
            show(model, tokenizer, painted(random.Random(1), *seen), wishes)
    elif given.image is None:
        parser.error("what is to be described? Give an image after the folder")
    else:
        pixels = pixels_of(given.folder, given.image)
        model, tokenizer = (
            Model.from_pretrained(given.folder),
            AutoTokenizer.from_pretrained(given.folder),
        )
        show(model, tokenizer, pixels, [[], [*given.constraint, *map(Avoid, given.avoid)]])


if __name__ == "__main__":
    main()
