"""Small real files of every kind that gridbeam reads: what inputs are made of."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import small_workspace
from lessons import GRU, MARIAN
from odd_text import ODD, encoded

from gridbeam.experiments.log import Log
from gridbeam.files.journal import Journal
from gridbeam.files.outcome import Met, Outcome, Use
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.glossary.formats import FORMATS as GLOSSARY_FORMATS
from gridbeam.markup.inline import Code, Marked

ROOT = Path(__file__).parent.parent.parent
_DESKTOP = """# Copyright (C) a free project.
msgid ""
msgstr ""
"Project-Id-Version: app 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Language: de\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

#. A note for translators
#: src/main.c:42
#, c-format, max-length:80
msgctxt "menu"
msgid "_Open %s\\n"
"in a new window"
msgstr "%s in einem neuen Fenster _öffnen"

#, fuzzy, c-format
#| msgid "%d file"
msgid "%d file was moved"
msgid_plural "%d files were moved"
msgstr[0] "%d Datei"
msgstr[1] ""

#~ msgid "Gone"
#~ msgstr "Weg"
"""
_TMX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header creationtool="x" creationtoolversion="1" segtype="sentence"
 o-tmf="x" adminlang="en" srclang="en" datatype="plaintext"><note>a</note></header>
<body>
<tu tuid="1" changedate="20240101T000000Z"><prop type="a">b</prop>
<tuv xml:lang="en"><seg>The <bpt i="1">&lt;b></bpt>disk<ept i="1">&lt;/b></ept> is full.</seg></tuv>
<tuv xml:lang="de"><seg>Die Festplatte ist voll.</seg></tuv></tu>
<tu><tuv xml:lang="en-US"><seg>Open<ph x="1"/> the folder</seg></tuv></tu>
</body></tmx>
"""
_XLIFF2 = """<?xml version="1.0" encoding="utf-8"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="en" trgLang="de"
 xmlns:slr="urn:oasis:names:tc:xliff:sizerestriction:2.0">
<file id="f1" original="a.html"><skeleton/><group id="g"><unit id="u1" slr:sizeRestriction="20">
<originalData><data id="d1">&lt;br/&gt;</data></originalData>
<segment id="s1" state="initial"><source>The <pc id="1" dataRefStart="d1">disk</pc> is <mrk
 id="m1" type="term">full</mrk>.</source></segment><ignorable><source> </source></ignorable>
<segment id="s2" state="final"><source>Open<ph id="2" dataRef="d1"/></source>
<target>Öffnen<ph id="2" dataRef="d1"/></target></segment></unit></group>
<unit id="u2" translate="no"><segment><source><![CDATA[a < b]]></source></segment></unit></file>
</xliff>
"""
_JSONL = (
    '{"text": "The disk", "constraints": ["disk", {"any_of": ["a", "b c"]}], "max_chars": 40}\n'
    '{"text": "Open {file}", "avoid": ["HDD"], "prefix": "\\u00d6ffne", "key": {"x": [1, null]}}\n'
    '{"text": "", "translation": "leer", "id": 3}\n'
)
_TSV = "The disk is full\tdisk\tfull\n\nOpen the folder\t\n\tx\n"
_CONSTRAINTS = (
    '["gegen das Rauchen", {"any_of": ["Laufwerk", {"in_order": ["a", {"gap": [0, 3]}, "b"]}]}]',
    '[{"phrase": "x", "case": "any", "whole_word": true, "inflect": ["y", "z"]}, {"phrase": [5]}]',
    '[{"avoid": "HDD"}, {"prefix": "Die"}, {"suffix": "."}, {"at_most": "a", "count": 2}]',
    '[{"in_order": ["a", {"gap": [1]}, {"any_of": ["b", "c"]}]}]',
)
_DUE = '[{"en": "disk", "de": "Platte"}]\n[]\n[{"en": "a", "de": ["b", "c"]}]\n'
ENTRIES = (
    Entry("hard disk", ("Festplatte", "Laufwerk"), forbidden=("HDD",), forms=("Festplatten",)),
    Entry("US", ("USA",), case="exact", note='say "so"'),
    Entry("gridbeam", do_not_translate=True, case="any"),
    Entry('5" <disk> & "C|C++"', ("a|b\\c", "d, e; f")),
)


def texts(*files: str) -> tuple[bytes, ...]:
    """The contents of files, as bytes."""
    return tuple(map(encoded, files))


def documents(suffix: str) -> tuple[bytes, ...]:
    """Documents whose name ends so."""
    known = {Path(name).suffix: content for name, content in small_workspace.FILES.items()}
    more = {".po": _DESKTOP, ".tmx": _TMX, ".xliff": _XLIFF2, ".jsonl": _JSONL, ".tsv": _TSV}
    odd = "\n".join(each for each in ODD if "\r" not in each)
    lines = (odd,) if suffix in (".txt", ".moses") else ()
    own = [table[suffix] for table in (known, more) if suffix in table]
    return texts(*own, *lines, *([known[".txt"]] if suffix == ".moses" else []))


@cache
def glossaries(suffix: str) -> tuple[bytes, ...]:
    """Glossaries whose name ends so, as we write them and as others do."""
    form = next(each for each in GLOSSARY_FORMATS if each.suffix == suffix)
    dialects = ("martif", "dca", "dct", "min") if suffix == ".tbx" else ("dca",)
    made = [io.BytesIO() for _ in dialects]
    for file, dialect in zip(made, dialects, strict=True):
        form.write(Glossary(ENTRIES, "en", "de", "terms"), file, dialect)
    return tuple(file.getvalue() for file in made) + _others(suffix)


def _others(suffix: str) -> tuple[bytes, ...]:
    if suffix == ".csv":
        return texts('sep=;\nsource;target\n"a;b";"c\nd"\n', "en,de\ndisk,Platte\n")
    if suffix == ".xlsx":
        return ()
    return texts("# note\ndisk\tFestplatte|Laufwerk\n", "en\tde\tnote\ndisk\tPlatte\tx\n")[
        : 0 if suffix == ".tbx" else None
    ]


def constraints() -> tuple[bytes, ...]:
    """Constraints in JSON."""
    return texts(*_CONSTRAINTS)


def due_terms() -> tuple[bytes, ...]:
    """Terms that a test set is due, line by line."""
    return texts(_DUE)


@cache
def configurations() -> tuple[bytes, ...]:
    """Training configurations, those of the repository among them."""
    shipped = [path.read_text("utf8") for path in sorted((ROOT / "configs").glob("*.toml"))]
    return texts(MARIAN, GRU, *shipped)


HEADER = {"version of gridbeam": "0.1.0", "input": "a1b2", "--beam": "2"}
"""What the journals below were begun with."""


@cache
def journals() -> tuple[bytes, ...]:
    """A journal of a few segments."""
    text = Marked(("a ", Code("<g>", "opens", "1"), "b", Code("</g>", "closes", "1")))
    met = Met({"phrase": "x"}, ("x",), ((0, 1),))
    outcomes = (
        Outcome(0, "n", 1, text, -1.5, (met,), (Use(0, "s", True, "x"),)),
        Outcome(2, "m", 4, None, unmet="why", dropped=({"avoid": "y"},)),
        Outcome(1, "o", 2, Marked(("c",)), alternatives=(("d", -2.0),), notes=("z",)),
    )
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder, "journal"), HEADER)
        for each in outcomes:
            journal.add(each)
        journal.close()
        return (journal.path.read_bytes(),)


@cache
def experiment_logs() -> tuple[bytes, ...]:
    """Logs of experiments: one with its sentences, and summaries as they are kept."""
    kept = sorted((ROOT / "benchmarks/results/experiments").glob("*.jsonl"))
    chosen = [path.read_bytes() for path in kept if path.stat().st_size < 40_000][::3]
    with TemporaryDirectory() as folder, Log(Path(folder, "log"), {"experiment": "x"}) as log:
        for number in range(3):
            log.add({"key": f"gbs/{number}", "kind": "sentence", "text": "a"})
        return (log.path.read_bytes(), *chosen)


@cache
def training_logs() -> tuple[bytes, ...]:
    """The beginnings of training logs."""
    found = sorted((ROOT / "benchmarks/results/training").glob("*/log.jsonl"))
    return tuple(b"".join(path.read_bytes().splitlines(keepends=True)[:30]) for path in found)


def request(method: str, path: str, body: object = None, **headers: str) -> bytes:
    """A request over HTTP, as JSON."""
    value = {"method": method, "path": path, "headers": headers, "body": body}
    return encoded(json.dumps(value, ensure_ascii=False))


def joined(files: Sequence[tuple[str, bytes]]) -> bytes:
    """Several files as one input: names and contents."""
    value = {name: content.decode("latin-1") for name, content in files}
    return json.dumps(value).encode()
