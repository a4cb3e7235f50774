"""A workspace whose translator repeats its source, and says what it must besides."""

from __future__ import annotations

import time
from contextlib import closing, contextmanager

import echo

from gridbeam.documents import Languages
from gridbeam.glossary.entries import Entry
from gridbeam.store import Store
from gridbeam.workspace.act import Act
from gridbeam.workspace.importing import WantedProject
from gridbeam.workspace.upload import Upload
from gridbeam.workspace.workspace import Workspace

ENGLISH_GERMAN = Languages("en", "de")
XLIFF1 = """<?xml version="1.0"?>
<xliff version="1.2"><file original="app" source-language="en" target-language="de"><body>
<trans-unit id="1"><source>The <g id="1">disk</g> is full.</source></trans-unit>
<trans-unit id="2" translate="no"><source>The disk</source></trans-unit>
<trans-unit id="3" maxwidth="9" size-unit="char"><source>The folder {file}</source><note>keep &amp; me</note></trans-unit>
<trans-unit id="4"><source>Old &lt;b></source><target state="translated">Alt &lt;b></target></trans-unit>
<trans-unit id="5"><source>Draft</source><target state="needs-translation">Entwurf</target></trans-unit>
</body></file></xliff>
"""  # noqa: E501
XLIFF2 = """<?xml version="1.0"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de">
<file id="f"><unit id="1"><segment><source>The <pc id="1">disk</pc> is full.</source></segment></unit>
<unit id="2"><notes><note>keep</note></notes><segment><source>The folder</source></segment></unit>
</file></xliff>
"""  # noqa: E501
PO = """msgid ""
msgstr ""
"Language: de\\n"
"Plural-Forms: nplurals=2; plural=n != 1;\\n"

#. keep me
msgid "The disk is full."
msgstr ""

msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
"""
JSONL = '{"text": "The disk", "constraints": ["disk"], "max_chars": 40, "key": 7}\n{"text": "b"}\n'
FILES = {
    "a.xlf": XLIFF1,
    "b.xliff": XLIFF2,
    "c.po": PO,
    "d.jsonl": JSONL,
    "e.tsv": "The disk\tdisk\nThe folder\n",
    "f.txt": "The disk is full.\n\nThe folder\n",
}


def workspace(store: Store) -> Workspace:
    """A workspace with a translator that repeats."""
    return Workspace(store, lambda source, target, stop: echo.translator())


@contextmanager
def opened(folder):
    """A workspace in a database of its own."""
    store = Store.open(folder / "gridbeam.sqlite")
    with closing(store), closing(workspace(store)) as found:
        yield found


def project(here: Workspace, name: str = "a.txt", content: str = "The disk", **wanted):
    """A new project of a file."""
    upload = Upload(name, content.encode())
    return here.create(upload, WantedProject(**wanted), ENGLISH_GERMAN)


def entry(source: str, target: str) -> Entry:
    """An entry of a glossary."""
    return Entry(source, (target,))


def segments(here: Workspace, project) -> list:
    """All segments of a project."""
    return here.page(project["id"])["segments"]


def act(here: Workspace, segment, kind: str, **values):
    """The change that an act on a segment makes."""
    given = Act(kind, values.pop("version", segment["version"]), **values)
    return here.act(segment["id"], given, lambda project: echo.translator())


def translate(here: Workspace, project) -> None:
    """Waits until the machine has translated what is new."""
    here.background.ask(project["id"])
    wait(lambda: not here.background.is_waiting(project["id"]))


def wait(until, seconds: float = 60.0) -> None:
    """Returns as soon as something is so."""
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.01)
