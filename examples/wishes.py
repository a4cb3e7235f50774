"""What gridbeam does, in a minute: a small language model of German, and what it is made to say.

    python examples/wishes.py [--svg FILE]

The model has read the sentences below and nothing else; a "source" is a list of words it should
talk about.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import gridbeam
from gridbeam import AnyOf, Avoid, Gap, InOrder, Origin, Prefix, draw
from gridbeam.constraints import in_line
from gridbeam.models.toy import Words, bigram_of

SENTENCES = """
die Regierung plant ein neues Gesetz gegen das Rauchen in Gaststätten .
der Minister setzte sich für ein Gesetz gegen das Rauchen ein .
ebenso setzte er sich für die Gesundheit der Kinder ein .
er setzte sich für den Schutz der Kinder ein .
die Regierung plant neue Maßnahmen für den Schutz der Gesundheit .
der Minister sprach gestern im Parlament .
er sprach gestern im Parlament über die neuen Maßnahmen .
er sprach im Parlament über das neue Gesetz .
das Parlament stimmte gestern über das neue Gesetz ab .
das Parlament lehnte das Gesetz gegen den Willen der Regierung ab .
die Gesundheit der Kinder ist wichtig .
der Schutz der Kinder ist wichtig .
das Rauchen in Gaststätten ist verboten .
die Regierung lehnte die Maßnahmen ab .
der Minister sprach über den Schutz der Gesundheit .
ein neues Gesetz ist wichtig .
""".strip().splitlines()

WISHES = [
    ("nothing at all", []),
    ("a phrase", ["gegen das Rauchen"]),
    ("two of them", ["Parlament", "gegen das Rauchen"]),
    ("one of several", [AnyOf("Schutz der Kinder", "Schutz der Gesundheit")]),
    ("a separable verb", [InOrder("lehnte", Gap(1, 6), "ab")]),
    ("a beginning, and not a word", [Prefix("ebenso sprach"), Avoid("Parlament")]),
]
COLOURS = {
    Origin.GENERATED: "{}",
    Origin.STARTED: "\033[1;32m{}\033[0m",
    Origin.CONTINUED: "\033[1;31m{}\033[0m",
}


def main() -> None:
    """Prints what each wish makes of the same source, and the grid of one of them."""
    words = Words(SENTENCES)
    model = bigram_of(SENTENCES, words, attention=1.5)
    source = words.encode("Minister Gesetz")
    before = time.perf_counter()
    found = gridbeam.search(
        model,
        [source] * len(WISHES),
        [wish for _, wish in WISHES],
        encode=words.encode,
        max_length=16,
        beam=5,
        length_penalty=0.5,
        trace=True,
    )
    seconds = time.perf_counter() - before
    in_colour = sys.stdout.isatty()
    print("A model of 16 German sentences is asked about: Minister, Gesetz. It must say ...\n")
    for (name, wish), [best] in zip(WISHES, found, strict=True):
        print(
            f"{name}: "
            + ", ".join(term if isinstance(term, str) else in_line(term) for term in wish)
        )
        shown = [
            (
                COLOURS[origin].format(words.words[token])
                if in_colour or origin is Origin.GENERATED
                else words.words[token].join("[]")
            )
            for token, origin in zip(best.tokens[:-1], best.origins, strict=False)
        ]
        print(f"  {' '.join(shown)}   ({best.score:.2f})\n")
    [best] = found[1]
    print(
        "How the second was found: the winning path through the grid. + starts a phrase, &"
        " continues it, ·5 is a beam of 5.\n"
    )
    print(draw.as_text(best, lambda token: words.words[token]))
    print(
        f"\n{len(WISHES)} searches in one batch, {seconds:.2f} s. Next: README.md,"
        " docs/constraints.md, examples/any_model.py"
    )
    if sys.argv[1:2] == ["--svg"]:
        Path(sys.argv[2]).write_text(
            draw.as_svg(best, lambda token: words.words[token]), encoding="utf8"
        )


if __name__ == "__main__":
    main()
