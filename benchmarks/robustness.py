"""What a model makes of the text of products: labels, codes, placeholders, ends of lines, lists.

    python benchmarks/robustness.py run MODEL --data DATA --out FOLDER [--count 200]
    python benchmarks/robustness.py measure MODEL --out FOLDER --save NAME
    python benchmarks/robustness.py table NAME [NAME ...]

`run` translates with `Translator`, which is the model alone (files protect codes and placeholders,
this does not), beam 5; MODEL is a name without its pair, such as `general`, or a folder. It needs
no sacrebleu. `measure` scores the texts that the same MODEL made, `table` sets several models side
by side. DATA has `catalogues/*.xz`: of these, the pairs whose English `is_held_out` (1 in 200),
which are to be in no training text. `kept` is the share of translations that keep what their set is
about.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from gridbeam.support.signature import signature
from gridbeam.text.parallel import lines
from gridbeam.training.held_out import USUAL, is_held_out

HERE = Path(__file__).parent
LABELS = HERE / "labels.tsv"
LANGUAGES = ("de", "fr", "pt")
KINDS = ("catalogues", "manuals")
Item = dict[str, Any]
Pair = tuple[str, str]

CODES = (
    "1,234.50", "42", "2.11.3", "v1.0-rc2", "/etc/fstab", "C:\\Temp\\log.txt", "--dry-run", "-v",
    "anna.berg@example.org", "max_length", "getElementById()", "https://example.org/a?id=7&x=1",
    "README.md", "0x7fff", "192.168.0.1", "UTF-8", "$HOME/.config", "2026-03-14",
)  # fmt: skip
"""Numbers, versions, paths, flags, addresses, identifiers, URLs."""
LOCAL = {"1,234.50": ["1.234,50", "1 234,50", "1\xa0234,50", "1\u202f234,50"]}
"""How a code may also be written in these languages."""
SIGN = re.compile(r"\{\d+\}|[=<\[|]")
CONJUNCTION = {
    "en": r"\b(and|or)\b", "de": r"\b(und|oder|sowie)\b", "fr": r"\b(et|ou)\b", "pt": r"\b(e|ou)\b"
}  # fmt: skip
LIST = re.compile(r"\w+, [\w ]+,? (and|or) \w+")


def held_out(data: Path, language: str) -> list[Pair]:
    """The pairs, each source once, in an order of their own."""
    found: dict[str, str] = {}
    for kind in KINDS:
        stem = f"catalogues/{kind}-en-{language}.{{}}.xz"
        sides = (lines(data / stem.format(side)) for side in ("en", language))
        for english, other in zip(*sides, strict=True):
            if is_held_out(english, USUAL):
                found.setdefault(english.strip(), other.strip())
    pairs = list(found.items())
    random.Random(7).shuffle(pairs)
    return pairs


def is_label(pair: Pair) -> bool:
    return all(re.fullmatch(r"[^\W\d_]+(?: [^\W\d_]+){0,3}", text) for text in pair)


def is_sentence(pair: Pair) -> bool:
    is_plain = not any(SIGN.search(text) for text in pair)
    return is_plain and 5 <= len(pair[0].split()) <= 20


def labels(pairs: list[Pair], count: int) -> Iterator[Item]:
    """Labels in three ways of writing."""
    ways: dict[str, Callable[[str], str]] = {
        "Title Case": str.title, "lower case": str.lower, "CAPITALS": str.upper
    }  # fmt: skip
    for english, other in list(filter(is_label, pairs))[:count]:
        for way, written in ways.items():
            yield {"set": way, "source": written(english), "reference": other.lower()}


def codes(pairs: list[Pair], count: int) -> Iterator[Item]:
    """Sentences with one code in the place of `{1}`."""
    fit = [
        pair
        for pair in pairs
        if all(text.count("{1}") == 1 and len(SIGN.findall(text)) == 1 for text in pair)
        and 4 <= len(pair[0].split()) <= 20
    ]
    for number, pair in enumerate(fit[:count]):
        code = CODES[number % len(CODES)]
        source, reference = (text.replace("{1}", code) for text in pair)
        yield {"set": "codes", "source": source, "reference": reference, "code": code}


def signs(pairs: list[Pair], count: int) -> Iterator[Item]:
    """Texts with placeholders and signs, which the reference has as often."""
    alike = (
        pair
        for pair in pairs
        if Counter(SIGN.findall(pair[0])) == Counter(SIGN.findall(pair[1])) != Counter()
        and 2 <= len(pair[0].split()) <= 20
    )
    for english, other in list(alike)[:count]:
        yield {"set": "placeholders", "source": english, "reference": other}


def ends(pairs: list[Pair], count: int) -> Iterator[Item]:
    """Sentences with a full stop, with a colon and with nothing in its place."""
    fit = [
        pair
        for pair in pairs
        if is_sentence(pair) and all(re.search(r"[\w)]\.$", text) for text in pair)
    ]
    for english, other in fit[:count]:
        for name, mark in (("full stop", "."), ("colon", ":"), ("no mark", "")):
            yield {"set": name, "source": english[:-1] + mark, "reference": other[:-1]}


def lists(pairs: list[Pair], count: int) -> Iterator[Item]:
    """Sentences with a list: "a, b and c"."""
    fit = [pair for pair in pairs if is_sentence(pair) and LIST.search(pair[0])]
    for english, other in fit[:count]:
        yield {"set": "lists", "source": english, "reference": other}


def everyday(language: str) -> Iterator[Item]:
    """Fifty labels of user interfaces, each with the translations that are right."""
    head, *rows = [row.split("\t") for row in LABELS.read_text("utf8").splitlines()]
    for row in rows:
        accepted = row[head.index(language)].split("|")
        yield {"set": "everyday labels", "source": row[0], "accepted": accepted}


def items(data: Path, language: str, count: int) -> list[Item]:
    """All sets of a language, at most `count` texts of each."""
    pairs = held_out(data, language)
    made = [part for make in (labels, codes, signs, ends, lists) for part in make(pairs, count)]
    return [*everyday(language), *made]


def translate(model: str, data: Path, folder: Path, language: str, count: int) -> None:
    """Writes the items of a language with their translations."""
    from gridbeam.translation.translator import Translator

    is_own = model in ("builtin", "general")
    name, target = (f"{model}:en-{language}", None) if is_own else (model, language)
    translator = Translator.load(name, target=target)
    found = items(data, language, count)
    for number, result in translator.translate_each([item["source"] for item in found], beam=5):
        found[number]["text"] = "" if isinstance(result, Exception) else result.text
    path = texts_of(model, folder, language)
    path.parent.mkdir(parents=True, exist_ok=True)
    written = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in found)
    path.write_text(written, encoding="utf8")


def texts_of(model: str, folder: Path, language: str) -> Path:
    """The file of a model's translations: each model has a folder of its own there."""
    return folder / Path(model).name / f"{language}.jsonl"


def marks_of(text: str, language: str) -> tuple[int, bool]:
    """How many commas a list has, one before its last item not counted, and whether it is one."""
    before_last = re.sub(rf",(?= {CONJUNCTION[language]})", "", text)
    return before_last.count(","), bool(re.search(CONJUNCTION[language], text))


def is_kept(item: Item, language: str) -> bool:
    """Whether a translation keeps what its set is about."""
    source, text = item["source"], item["text"].strip()
    match item["set"]:
        case "everyday labels":
            said = text.rstrip(".").lower()
            return said in {each.lower() for each in item["accepted"]}
        case "CAPITALS":
            return bool(text.isupper())
        case "Title Case":
            return text[:1].isupper() and (not text.isupper() or len(text) == 1)
        case "lower case":
            return not text.isupper() and not re.search(r"[.!?]$", text)
        case "codes":
            ways = [item["code"], *LOCAL.get(item["code"], ())]
            written = "|".join(map(re.escape, ways))
            return len(re.findall(rf"(?<!\w)(?:{written})(?!\w)", text)) == 1
        case "placeholders":
            return Counter(SIGN.findall(source)) == Counter(SIGN.findall(text))
        case "full stop":
            return text.endswith(".") and not text.endswith("..")
        case "colon":
            return text.endswith(":")
        case "no mark":
            return not re.search(r"[.:!?;,]$", text)
        case _:
            return marks_of(source, "en") == marks_of(text, language)


def measured(model: str, folder: Path) -> dict[str, Any]:
    """For each set and language how much was kept, and chrF where there is a reference."""
    from sacrebleu.metrics import CHRF

    metric, rows = CHRF(), []
    for language in LANGUAGES:
        read = lines(texts_of(model, folder, language))
        found: dict[str, list[Item]] = {}
        for item in map(json.loads, read):
            found.setdefault(item["set"], []).append(item)
        for name, alike in found.items():
            kept = sum(is_kept(item, language) for item in alike)
            row = {"set": name, "language": language, "texts": len(alike)}
            row["kept_%"] = round(100 * kept / len(alike))
            if "reference" in alike[0]:
                texts = list(map(_compared, alike))
                row["chrF"] = round(
                    metric.corpus_score(texts, [[item["reference"] for item in alike]]).score, 1
                )
            rows.append(row)
    return {
        "model": model,
        "signature": signature(),
        "chrF": str(metric.get_signature()),
        "rows": rows,
    }


def _compared(item: Item) -> str:
    """A translation as its reference is written: without its end mark, or in lower case."""
    if item["set"] in ("full stop", "colon", "no mark"):
        return item["text"].rstrip(" .:")
    is_label = item["set"] in ("Title Case", "lower case", "CAPITALS")
    return item["text"].lower() if is_label else item["text"]


def table(names: Iterable[str]) -> str:
    """Kept % and chrF of each model, a row for each set, German / French / Portuguese."""
    results = [json.loads((_results(name)).read_text("utf8")) for name in names]
    heads = [f"{found['model']} {what}" for found in results for what in ("kept %", "chrF")]
    lines_ = [f"| set | texts | {' | '.join(heads)} |", "| --- " * (2 + len(heads)) + "|"]
    for name in dict.fromkeys(row["set"] for row in results[0]["rows"]):
        cells = [
            " / ".join(str(row.get(key, "")) for row in found["rows"] if row["set"] == name)
            for found in results
            for key in ("kept_%", "chrF")
        ]
        first = next(row for row in results[0]["rows"] if row["set"] == name)
        shown = [cell if cell.strip(" /") else "" for cell in cells]
        lines_.append(f"| {name} | {first['texts']} | {' | '.join(shown)} |")
    signed = [f"*{found['model']}: {found['signature']}; {found['chrF']}*" for found in results]
    return "\n".join([*lines_, "", *signed])


def _results(name: str) -> Path:
    return HERE / "results" / f"robustness-{name}.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["run", "measure", "table"])
    parser.add_argument("names", nargs="+")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--languages", nargs="+", default=LANGUAGES)
    parser.add_argument("--save", help="The name of the results.")
    given = parser.parse_args()
    if given.what == "table":
        print(table(given.names))
    elif given.what == "run":
        for language in given.languages:
            translate(given.names[0], given.data, given.out, language, given.count)
    else:
        found = measured(given.names[0], given.out)
        print(json.dumps(found, indent=1, ensure_ascii=False))
        if given.save:
            text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
            _results(given.save).write_text(text, encoding="utf8")


if __name__ == "__main__":
    main()
