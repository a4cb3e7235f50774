"""The example of the paper, with the model that ships: what constraints do, and how.

python examples/demo.py [--svg FILE]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from gridbeam import Request, Translator, draw

SENTENCE = "He was also an anti-smoking activist and took part in several campaigns."
CONSTRAINTS = ["Ebenso setzte er", "gegen das Rauchen", "nahm"]
MARKS = ("[bold green]", "[/]")


def main(model: str = "builtin:en-de") -> None:
    """Prints both translations side by side, and the grid of the second."""
    console = Console(highlight=False)
    translator = Translator.load(model)
    before = time.perf_counter()
    plain = translator.translate(SENTENCE)
    constrained = translator.translate(Request(SENTENCE, CONSTRAINTS), trace=True)
    seconds = time.perf_counter() - before
    table = Table(title=SENTENCE, title_justify="left", expand=True)
    table.add_column("the model alone", ratio=1)
    table.add_column(f"with {', '.join(CONSTRAINTS)}", ratio=1)
    marks = MARKS if console.is_terminal else (r"\[", "]")
    table.add_row(plain.text, constrained.marked(*marks))
    console.print(table)
    print(
        "\nHow it was found: the winning path through the grid. + starts a phrase, & continues it,"
        " ·5 is a beam of 5.\n"
    )
    hypothesis = draw.up_to_its_end(constrained.sentences[0].hypothesis)
    print(draw.as_text(hypothesis, translator.word, colour=console.is_terminal))
    print(
        f"\nTwo translations in {seconds:.1f} s. Next: README.md, docs/translate.md, gridbeam"
        " explain --help"
    )
    if sys.argv[1:2] == ["--svg"]:
        Path(sys.argv[2]).write_text(draw.as_svg(hypothesis, translator.word), encoding="utf8")


if __name__ == "__main__":
    main()
