"""What terms do to the text around them: development sets, translations, figures, examples.

    python benchmarks/damage.py draw --data DATA --out SETS --cache FOLDER
    python benchmarks/damage.py run SETS/*.jsonl --model MODEL --name NAME --out FILE
    python benchmarks/damage.py measure FILE ... [--save]
    python benchmarks/damage.py show FILE [--count 30] [--seed 1]

`draw` makes the sets, once, so that every model gets the same terms: `software` and `catalogues`
(words of the reference that the model of `draw` does not say), `iate` and `wiktionary` (dictionary
terms; test sets in the literature, not to be tuned on), and `revise` (the first cycle of
pick-revise). `run` translates sets with and without their terms, and needs neither sacreBLEU nor
the data. `measure` scores (docs/score.md#damage); `show` prints changed segments as Markdown.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import groupby, islice
from pathlib import Path
from random import Random
from typing import Any

from gridbeam.support.signature import signature

RESULTS = Path(__file__).parent / "results" / "damage.json"
SETS = ("software", "catalogues", "iate", "wiktionary", "revise")
MARK, END = "<!-- changed segments -->\n", "<!-- end -->"
"""What the examples stand between on their page."""
FORMS = ("any", "lemma", "reference")
Row = dict[str, Any]


def main() -> None:
    given = _arguments().parse_args()
    given.does(given)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    draw = commands.add_parser("draw", help="make the sets")
    draw.set_defaults(does=draw_sets)
    draw.add_argument("--data", type=Path, required=True, help="a folder with parallel text")
    draw.add_argument("--out", type=Path, required=True, help="a folder for the sets")
    draw.add_argument("--cache", type=Path, required=True, help="a folder for lexical tables")
    draw.add_argument("--set", nargs="+", choices=SETS, default=SETS, dest="sets")
    draw.add_argument("--language", nargs="+", default=["de", "fr", "pt"], dest="languages")
    draw.add_argument("--model", default="builtin:en-{language}", help="lacks the terms drawn")
    draw.add_argument("--limit", type=int, default=300, help="the most sentences of a set")
    run = commands.add_parser("run", help="translate sets with and without their terms")
    run.set_defaults(does=run_sets)
    run.add_argument("sets", nargs="+", type=Path)
    run.add_argument("--model", required=True, help="{language} in it stands for that of a set")
    run.add_argument("--name", required=True, help="what results call the model and its options")
    run.add_argument("--out", type=Path, required=True, help="a file for the translations")
    run.add_argument("--beam", type=int, default=5)
    run.add_argument("--forms", choices=FORMS, default="any", help="what is required of a term")
    run.add_argument("--no-places", action="store_true", help="do not say where terms stem from")
    run.add_argument("--told", action="store_true", help="tell the model its terms")
    run.add_argument("--option", nargs="*", default=[], metavar="NAME=VALUE", help="of the search")
    run.add_argument("--plain", type=Path, help="a run to take the plain translations from")
    run.add_argument("--limit", type=int, help="the most sentences of a set")
    run.add_argument("--batch-size", type=int, default=32)
    measure = commands.add_parser("measure", help="score what was translated")
    measure.set_defaults(does=measure_runs)
    measure.add_argument("runs", nargs="+", type=Path)
    measure.add_argument("--save", action="store_true", help=f"into {RESULTS.name}")
    show = commands.add_parser("show", help="print changed segments as Markdown")
    show.set_defaults(does=show_changes)
    show.add_argument("runs", nargs="+", type=Path)
    show.add_argument("--page", type=Path, help="put them there, between marks, instead of stdout")
    show.add_argument("--count", type=int, default=30)
    show.add_argument("--seed", type=int, default=1)
    return parser


def draw_sets(given: argparse.Namespace) -> None:
    from damage_terms import drawn, languages_of

    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.sets:
        for language in languages_of(name):
            path = given.out / f"{name}.{language}.jsonl"
            if language in given.languages and not path.exists():
                plain = _PlainModel(given.model)
                rows = drawn(name, language, given.data, given.cache, plain)
                is_whole = name in ("iate", "wiktionary")
                chosen = list(islice(rows, None if is_whole else given.limit))
                _write(path, [{"set": name, "language": language} | row for row in chosen])
                print(path, len(chosen), flush=True)


class _PlainModel:
    """A model's translations without constraints."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, language: str, sources: Sequence[str]) -> Iterator[str]:
        translator = _loaded(self._name, language)
        return (found.text for found in translator.translate_all(sources, batch_size=8))


def _loaded(name: str, language: str, **how: Any) -> Any:
    from gridbeam import Translator

    return Translator.load(name.format(language=language), source="en", target=language, **how)


def run_sets(given: argparse.Namespace) -> None:
    rows = [row for path in given.sets for row in islice(_read(path), given.limit)]
    known = _plain_texts(given)
    done: list[Row] = []
    for language, part in groupby(sorted(rows, key=_language), key=_language):
        how = {"told": True} if given.told else {}
        translator = _loaded(given.model, language, **how)
        for name, of_set in groupby(part, key=_set):
            done += _translated(translator, name, list(of_set), known, given)
            _write(given.out, done)


def _language(row: Row) -> str:
    return row["language"]


def _set(row: Row) -> str:
    return row["set"]


def _plain_texts(given: argparse.Namespace) -> dict[tuple[str, str], str]:
    """The plain translations of an earlier run of the same weights with the same beam."""
    known: dict[tuple[str, str], str] = {}
    for row in _read(given.plain) if given.plain else ():
        about = row["run"]
        is_same = about["weights"] == _weights(given.model, row["language"])
        if not is_same or about["beam"] != given.beam:
            sys.exit(f"{given.plain} is of another model or beam: leave --plain out.")
        known[row["language"], row["source"]] = row["plain"]
    return known


def _weights(model: str, language: str) -> str:
    from gridbeam.models.load import digest_of_weights

    return digest_of_weights(model.format(language=language))


def _translated(
    translator: Any,
    name: str,
    rows: list[Row],
    known: dict[tuple[str, str], str],
    given: argparse.Namespace,
) -> Iterator[Row]:
    """The rows with both translations, and how they were made."""
    before = time.perf_counter()
    missing = [row["source"] for row in rows if (row["language"], row["source"]) not in known]
    texts = dict(zip(missing, _search(translator, missing, given), strict=True))
    plain = [known.get((row["language"], row["source"]), texts.get(row["source"])) for row in rows]
    between = time.perf_counter()
    requests = [_request(row, given) for row in rows]
    constrained = _search(translator, requests, given)
    after = time.perf_counter()
    about = {
        "name": given.name,
        "model": given.model,
        "weights": _weights(given.model, rows[0]["language"]),
        "beam": given.beam,
        "forms": given.forms,
        "places": not given.no_places,
        "told": given.told,
        "options": given.option,
        "digest": sha256(json.dumps(rows).encode()).hexdigest()[:12],
        "plain_s": round(between - before, 1) if missing else None,
        "constrained_s": round(after - between, 1),
        "signature": signature(),
    }
    print(
        name, rows[0]["language"], len(rows), about["plain_s"], about["constrained_s"], flush=True
    )
    for row, old, new in zip(rows, plain, constrained, strict=True):
        if old is not None:
            yield row | {"plain": old, "text": old if new is None else new, "run": about}


def _search(
    translator: Any, requests: Sequence[Any], given: argparse.Namespace
) -> list[str | None]:
    """The translation of each request, None where there is none."""
    from gridbeam import UserError

    changes = dict(option.split("=", 1) for option in given.option)
    found: list[str | None] = [None] * len(requests)
    options = {name: _value(text) for name, text in changes.items()} | {"beam": given.beam}
    for number, result in translator.translate_each(
        requests, batch_size=given.batch_size, **options
    ):
        if isinstance(result, UserError):
            print(f"{number}: {result}", file=sys.stderr)
        else:
            found[number] = result.text
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _request(row: Row, given: argparse.Namespace) -> Any:
    from gridbeam import Phrase, Request

    phrases = []
    for term in row["terms"]:
        text = term["form"] if given.forms == "reference" else term["lemma"]
        others = [form for form in term["forms"] if form != text] if given.forms == "any" else []
        phrases.append(Phrase(text, case="sentence", inflect=others))
    places = [None if given.no_places else _place(term) for term in row["terms"]]
    return Request(row["source"], phrases, places=places)


def _place(term: Row) -> Any:
    """Where in the source a term stems from, as `Request.places` has it."""
    return term["place"] and tuple(term["place"])


def measure_runs(given: argparse.Namespace) -> None:
    found = [
        _figures(list(rows))
        for path in given.runs
        for _, rows in groupby(_read(path), key=lambda row: (row["set"], row["language"]))
    ]
    for figures in found:
        print(json.dumps(figures, ensure_ascii=False))
    if given.save:
        _save(found)


def _figures(rows: list[Row]) -> Row:
    """All that is known of a run on a set, in a line."""
    from gridbeam.evaluation import damage
    from gridbeam.evaluation.metrics import bleu

    found = _damage(rows)
    about, changed = rows[0]["run"], max(len(found.changes), 1)
    references, texts, plain = (
        [row[key] for row in rows] for key in ("reference", "text", "plain")
    )
    return {
        "set": rows[0]["set"],
        "language": rows[0]["language"],
        **{key: about[key] for key in ("name", "beam", "forms")},
        "sentences": len(rows),
        "changed": len(found.changes),
        "fell": found.fell,
        "rose": found.rose,
        "fell_%": round(100 * found.fell / changed, 1),
        "rose_%": round(100 * found.rose / changed, 1),
        "chrF_plain": round(found.plain, 1),
        "chrF": round(found.constrained, 1),
        "met_%": round(100 * found.met / max(found.due, 1), 1),
        "BLEU_plain": round(bleu(plain, references), 1),
        "BLEU": round(bleu(texts, references), 1),
        "run": about,
        "measure": damage.signature(),
    }


def _damage(rows: Sequence[Row]) -> Any:
    from gridbeam.evaluation.damage import damage

    texts, plain, references = (
        [row[key] for row in rows] for key in ("text", "plain", "reference")
    )
    required = [[term["forms"] for term in row["terms"]] for row in rows]
    return damage(texts, plain, references, required)


def _save(found: list[Row]) -> None:
    """Puts rows into the results, in the place of those of the same set, name, beam and forms."""

    def key(row: Row) -> tuple[Any, ...]:
        return tuple(row[name] for name in ("set", "language", "name", "beam", "forms"))

    older = json.loads(RESULTS.read_text(encoding="utf8"))["rows"] if RESULTS.exists() else []
    rows = {key(row): row for row in [*older, *found]}
    written = {"signature": signature(), "rows": list(rows.values())}
    RESULTS.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n", encoding="utf8")


def show_changes(given: argparse.Namespace) -> None:
    rows = [row for path in given.runs for row in _read(path)]
    changes = _damage(rows).changes
    chosen = Random(given.seed).sample(changes, min(given.count, len(changes)))
    in_order = sorted(chosen, key=lambda change: change.number)
    shown = "\n".join(_shown(rows[change.number], change) for change in in_order)
    if given.page is None:
        print(shown)
    else:
        text = given.page.read_text(encoding="utf8")
        before, _, rest = text.partition(MARK)
        given.page.write_text(f"{before}{MARK}{shown}\n{rest[rest.index(END) :]}", encoding="utf8")


def _shown(row: Row, change: Any) -> str:
    verdict = "fell" if change.fell else "rose" if change.rose else "neither"
    terms = ", ".join(f"`{term['lemma']}`" for term in row["terms"])
    lines = {
        "source": _code(row["source"]),
        "plain": _code(row["plain"]),
        f"with {terms}": _code(row["text"]),
        "reference": _code(row["reference"]),
    }
    head = f"- {row['set']}, {row['language']}: {change.plain:.0f} to {change.constrained:.0f}"
    return "\n".join(
        [f"{head}, {verdict}", *(f"  - {name}: {text}" for name, text in lines.items())]
    )


def _code(text: str) -> str:
    """A text as it is, whatever Markdown would make of it."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"


def _read(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf8") as file:
        yield from map(json.loads, file)


def _write(path: Path, rows: Sequence[Row]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf8")


if __name__ == "__main__":
    main()
