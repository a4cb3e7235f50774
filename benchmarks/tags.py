"""How often a pair of tags comes back around the right word: guessed, and told by a guide.

    python benchmarks/tags.py --data DATA --cache FOLDER [--model MODEL] [--count 150] [--save]

Development sentences of programs. In the plain translation of each a word is looked for that goes
with one of the source by a lexical table (`benchmarks/damage_terms.py`) and with no other; tags
stand around the word of the source, and are right if they come back around that of the translation
and nothing else. `guessed` is `gridbeam.markup.restore` by itself, `guided` has the anchors of
`gridbeam.markup.guide` besides.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from damage_terms import LANGUAGES, translated

from gridbeam import Translator
from gridbeam.markup.guide import guide_of
from gridbeam.markup.protect import Protected, protect
from gridbeam.markup.restore import restore
from gridbeam.support.signature import signature

RESULTS = Path(__file__).parent / "results" / "tags.json"
SETS = ("software", "catalogues")
Row = dict[str, Any]


def rows_of(
    translator: Translator, name: str, language: str, data: Path, cache: Path, count: int
) -> list[Row]:
    """Sources with one word between tags, and what is to come back between them."""

    def plain(_: str, sources: Sequence[str]) -> Iterator[str]:
        return (found.text for found in translator.translate_all(sources, batch_size=8))

    rows = map(_tagged, translated(name, language, data, cache, plain))
    return list(islice((row for row in rows if not protect(row["tagged"]).placeholders), count))


def _tagged(row: Row) -> Row:
    (start, end), source = row["terms"][0]["place"], row["source"]
    tagged = f"{source[:start]}<b>{source[start:end]}</b>{source[end:]}"
    return row | {"tagged": tagged, "right": row["terms"][0]["form"]}


def enclosed(text: str) -> str:
    """What stands between the tags."""
    return text.partition("<b>")[2].partition("</b>")[0]


def measured(translator: Translator, rows: Sequence[Row]) -> Iterator[Row]:
    """What each way has put between the tags."""
    protected = [protect(row["tagged"]) for row in rows]
    guides = [guide_of(each) for each in protected]
    asked = [guide.text if guide else "" for guide in guides]
    told = [found.text for found in translator.translate_all(asked)]
    for row, hidden, guide, guidance in zip(rows, protected, guides, told, strict=True):
        anchors = list(guide.anchors(guidance, row["text"])) if guide else []
        yield row | {
            "guessed": enclosed(_restored(row["text"], hidden)),
            "guided": enclosed(_restored(row["text"], hidden, anchors)),
            "is_told": bool(anchors),
        }


def _restored(text: str, protected: Protected, anchors: Sequence[Any] = ()) -> str:
    return str(restore(text, protected, anchors))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True, help="a folder for lexical tables")
    parser.add_argument("--model", nargs="+", default=["builtin", "general"])
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--out", type=Path, help="a file for every sentence")
    given = parser.parse_args()
    torch.set_num_threads(1)
    figures, sentences = list[Row](), list[Row]()
    for model in given.model:
        for language in LANGUAGES:
            translator = Translator.load(f"{model}:en-{language}")
            for name in SETS:
                drawn = rows_of(translator, name, language, given.data, given.cache, given.count)
                found = list(measured(translator, drawn))
                sentences += ({"model": model, "language": language, **row} for row in found)
                figures.append({"model": model, "set": name, "language": language, **share(found)})
                print(json.dumps(figures[-1]), flush=True)
    if given.out:
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in sentences)
        given.out.write_text("".join(lines), encoding="utf8")
    if given.save:
        text = json.dumps({"signature": signature(), "rows": figures}, indent=2)
        RESULTS.write_text(f"{text}\n", encoding="utf8")


def share(rows: Sequence[Row]) -> Row:
    """Percentages of the pairs."""
    right = {way: sum(row[way] == row["right"] for row in rows) for way in ("guessed", "guided")}
    told = sum(row["is_told"] for row in rows)
    return {
        "pairs": len(rows),
        "told %": round(100 * told / len(rows), 1),
        **{f"{way} right %": round(100 * count / len(rows), 1) for way, count in right.items()},
    }


if __name__ == "__main__":
    main()
