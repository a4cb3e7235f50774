"""Models: train one, look at how it learned, measure it, hand it on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from gridbeam.cli.commands import (
    DEFAULT_MODEL,
    MESSAGES,
    SEARCH_PANEL,
    Device,
    MemoryLimit,
    ModelName,
    Source,
    Target,
    command,
)
from gridbeam.cli.option_flags import with_search_flags
from gridbeam.decoding.options import SearchOptions
from gridbeam.support.memory_limit import bounded_memory
from gridbeam.translation.defaults import TRANSLATION


@command
def train(
    config: Annotated[
        Path, typer.Argument(help="A training configuration, such as configs/general.toml.")
    ],
    data: Annotated[
        Path, typer.Option(help="The folder that its paths of text are relative to.")
    ] = Path("."),
    out: Annotated[
        Path | None, typer.Option(help="The folder of the run; runs/NAME by default.")
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="A key to change, as training.updates=100.")
    ] = None,
) -> None:
    """Trains a model; run again, it goes on where it ended.

    On several GPUs: torchrun -m gridbeam train ...
    """
    from gridbeam.training import read_config, train
    from gridbeam.training.show import show

    wanted = read_config(config, changes or ())
    folder = out or Path("runs") / wanted.name
    show(train(wanted, folder, data), wanted.training.updates, MESSAGES)
    if os.environ.get("RANK", "0") == "0":  # of several processes, the first speaks for all
        MESSAGES.print(
            f"The best model is {folder / 'best'}; the log is {folder / 'log.jsonl'}.",
            soft_wrap=True,
            highlight=False,
        )


@command
def curve(
    runs: Annotated[list[Path], typer.Argument(help="The folders of training runs.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="An image: .svg, .png or .pdf.")] = Path(
        "curve.svg"
    ),
    joined: Annotated[
        bool,
        typer.Option(
            "--joined", help="Each run began with the model of the one before: draw it after that."
        ),
    ] = False,
) -> None:
    """Draws the learning curves of training runs: loss, and BLEU on the development sets."""
    from gridbeam.training.curve import draw_curves

    draw_curves(runs, out, joined=joined)


@command
@with_search_flags(TRANSLATION, without=["n_best"])
def evaluate(
    source: Annotated[Path, typer.Argument(help="Sentences to translate, one a line.")],
    reference: Annotated[Path, typer.Argument(help="Their translations, one a line.")],
    *,
    search: SearchOptions,
    batch_size: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="How many sentences are searched at a time.",
            rich_help_panel=SEARCH_PANEL,
        ),
    ] = 32,
    model: ModelName = DEFAULT_MODEL,
    source_language: Source = None,
    target: Target = None,
    device: Device = None,
    memory_limit: MemoryLimit = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the translations go, one a line.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One line of JSON instead of text.")
    ] = False,
) -> None:
    """Translates a test set and prints BLEU and chrF with their signatures, and that of the run."""
    from gridbeam.evaluation.evaluate import evaluate

    with bounded_memory(memory_limit, device):
        found = evaluate(
            source,
            reference,
            model=model,
            source_language=source_language,
            target=target,
            options=search,
            batch_size=batch_size,
            device=device,
            out=out,
            console=MESSAGES,
        )
    print(found.as_json() if as_json else found)


@command
def export(
    model: Annotated[
        str, typer.Argument(help="builtin:PAIR, general:PAIR, or the folder of a model.")
    ],
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
) -> None:
    """Writes a model in Hugging Face format, with float weights, which any other tool can load."""
    from gridbeam.models.load import export

    export(model, folder)
