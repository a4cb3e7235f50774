"""What people and the machine do to segments: who wins, what is kept, what it costs."""

from __future__ import annotations

import threading
from functools import cache

import echo
import pytest
import small_workspace
from small_workspace import act, opened, project, segments, translate, wait

from gridbeam.errors import UserError
from gridbeam.serving.client import StopSearch
from gridbeam.serving.engine import Engine
from gridbeam.serving.refusals import Busy, Stopped
from gridbeam.store import ActRow, NewAct, NewDictionary, Outdated, Snapshot, Store
from gridbeam.text.words import words
from gridbeam.translation.translator import Translator
from gridbeam.workspace.act import Act
from gridbeam.workspace.background import Background
from gridbeam.workspace.study import effort_of
from gridbeam.workspace.workspace import Workspace


@pytest.fixture
def here(tmp_path):
    with opened(tmp_path) as found:
        yield found


class Waiting:
    """A translator that lets somebody else act before it answers."""

    def __init__(self, meanwhile):
        self._own, self._meanwhile = echo.translator(), meanwhile

    def __getattr__(self, name):
        return getattr(self._own, name)

    def translate_each(self, requests, **options):
        self._meanwhile()
        yield from self._own.translate_each(requests, **options)


def test_a_project_that_is_deleted_while_the_machine_translates_it_ends_quietly(tmp_path, caplog):
    store = Store.open(tmp_path / "a.sqlite")
    waiting = Waiting(lambda: store.projects.delete(made["id"]))
    workspace = Workspace(store, lambda source, target, stop: waiting)
    made = project(workspace, "a.txt", "The disk is full.")
    with caplog.at_level("INFO", "gridbeam"):
        workspace.background.ask(made["id"])
        wait(lambda: not workspace.background.is_waiting(made["id"]))
    workspace.close()
    store.close()
    assert [each.levelname for each in caplog.records] == ["INFO"]
    assert "was deleted" in caplog.text


def test_a_person_is_faster_than_the_machine_and_wins(tmp_path):
    store = Store.open(tmp_path / "a.sqlite")

    def person():
        (row, _) = store.segments.of(made["id"]).rows
        if row.version == 0:
            after = Snapshot({"text": "Mine", "codes": []}, {"text": "Mine"}, "edited")
            store.act(row.id, 0, NewAct("write"), after)

    there = Workspace(store, lambda *_: Waiting(person))
    made = project(there, "a.txt", "The disk\nThe folder")
    translate(there, made)
    found = [(row["status"], row["target"]["text"]) for row in segments(there, made)]
    assert found == [("edited", "Mine"), ("machine", "The folder")]
    there.close()
    store.close()


def test_an_act_on_what_the_machine_has_changed_meanwhile_is_told_so(here):
    made = project(here)
    (row,) = segments(here, made)
    translate(here, made)
    with pytest.raises(Outdated) as raised:
        act(here, row, "write", text="Mine")
    assert raised.value.row.target["text"] == "The disk"


def test_what_the_machine_has_not_come_to_is_new_at_the_next_start(tmp_path):
    begun = threading.Event()

    def never(source, target, stop):
        begun.set()
        stop.wait()
        raise Stopped("closed")

    store = Store.open(tmp_path / "a.sqlite")
    there = Workspace(store, never)
    made = project(there)
    there.background.ask(made["id"])
    assert begun.wait(20)
    there.close()
    store.close()
    store = Store.open(tmp_path / "a.sqlite")
    there = small_workspace.workspace(store)
    translate(there, made)
    assert segments(there, made)[0]["status"] == "machine"
    there.close()
    store.close()


def test_the_machine_waits_where_the_queue_is_full(tmp_path, monkeypatch):
    from gridbeam.workspace import machine

    monkeypatch.setattr(machine, "_PAUSE", 0.01)
    refused = iter([True, True, False])

    def busy(*_):
        if next(refused, False):
            raise Busy("full")
        return echo.translator()

    store = Store.open(tmp_path / "a.sqlite")
    there = Workspace(store, busy)
    made = project(there)
    translate(there, made)
    assert segments(there, made)[0]["status"] == "machine"
    there.close()
    store.close()


def test_work_that_fails_does_not_end_the_work():
    done = []

    def work(number, closing):
        if number == 1:
            raise UserError("no")
        done.append(number)

    background = Background(work)
    background.ask(1)
    background.ask(2)
    wait(lambda: done == [2])
    background.close()
    background.ask(3)
    assert done == [2]


def test_a_search_whose_client_has_gone_changes_nothing(here):
    (row,) = segments(here, project(here))
    stop = StopSearch()
    stop.set()
    with Engine(echo.translator()) as engine, pytest.raises(Stopped):
        here.act(row["id"], Act("translate", 0), lambda _: engine.asking(stop=stop))
    assert segments(here, {"id": row["project"]}) == [row]


def test_a_locked_segment_cannot_be_acted_on(here):
    made = project(here, "a.xlf", small_workspace.XLIFF1)
    with pytest.raises(UserError, match="must stay as it is"):
        act(here, segments(here, made)[1], "write", text="x")


@pytest.mark.parametrize(
    ("kind", "payload", "counted", "cost"),
    [
        ("replace", {"words": "das Haus", "where": [0, 3]}, None, (8, 1)),
        ("replace", {"words": "das Haus", "where": [0, 3]}, 3, (3, 0)),
        ("replace", {"words": "x", "where": [0, 3], "clicks": 2}, 3, (3, 2)),
        ("lock", {"where": [0, 3]}, None, (0, 2)),
        ("forbid", {"words": "x"}, None, (0, 1)),
        ("confirm", {}, None, (0, 0)),
    ],
)
def test_an_act_costs_what_the_page_has_counted_or_what_it_takes_at_least(
    kind, payload, counted, cost
):
    known = {"segment": 1, "version": 1, "head": 1, "parent": 0, "seconds": None, "when": None}
    known |= {"act_id": None}
    row = ActRow(
        kind=kind, payload=payload, keystrokes=counted, after=Snapshot(), client="", **known
    )
    effort = effort_of(row)
    assert (effort.keystrokes, effort.clicks) == cost
    assert not any(vars(effort_of(ActRow(**{**vars(row), "client": "machine"}))).values())


def test_terms_that_changed_are_looked_up_anew(here):
    store = here.store
    glossary = store.glossaries.add("g", [NewDictionary("en", "de", ())]).id
    made = project(here, glossary=glossary)
    assert segments(here, made)[0]["terms"] == []
    here.termbases.replace(glossary, [small_workspace.entry("disk", "Platte")])
    (term,) = segments(here, made)[0]["terms"]
    assert (term["source"], term["target"], term["state"]) == ("disk", "Platte", "missing")


def test_what_the_checks_find_follows_the_glossary_and_is_no_act(here):
    glossary = here.store.glossaries.add("g", [NewDictionary("en", "de", ())]).id
    made = project(here, glossary=glossary)
    translate(here, made)
    (before,) = segments(here, made)
    here.termbases.replace(glossary, [small_workspace.entry("disk", "Platte")])
    here.judging.ask(made["id"])
    wait(lambda: not here.judging.is_waiting(made["id"]))
    (after,) = segments(here, made)
    rules = [{each["rule"] for each in row["findings"]} for row in (before, after)]
    assert rules[1] - rules[0] == {"check_glossary"} and after["version"] == before["version"]
    assert here.page(made["id"], finding="check_glossary")["total"] == 1


def test_only_what_nobody_has_edited_or_confirmed_is_translated_again(here):
    made = project(here, "a.txt", "The disk\nThe folder\nThe file")
    translate(here, made)
    first, second, _ = segments(here, made)
    act(here, first, "confirm")
    act(here, second, "write", text="Mine")
    here.again.ask(made["id"])
    wait(lambda: not here.again.is_waiting(made["id"]))
    assert [row["version"] for row in segments(here, made)] == [2, 2, 2]
    assert segments(here, made)[1]["target"]["text"] == "Mine"


@cache
def real():
    return Translator.load("builtin:en-de")


FILE = """<?xml version="1.0"?>
<xliff version="1.2"><file original="a" source-language="en" target-language="de"><body>
<trans-unit id="1"><source>Delete the <g id="1">selected drive</g> {name} now?</source></trans-unit>
</body></file></xliff>
"""


@pytest.mark.slow
def test_the_model_that_ships_keeps_codes_terms_and_corrections(here):
    store = here.store
    entries = (small_workspace.entry("drive", "Laufwerk"),)
    glossary = store.glossaries.add("g", [NewDictionary("en", "de", entries)]).id
    (row,) = segments(here, project(here, "a.xlf", FILE, glossary=glossary))

    def done(kind, **values):
        given = Act(kind, row["version"], **values)
        return here.act(row["id"], given, lambda _: real())["segment"]

    row = done("translate")
    text = row["target"]["text"]
    assert all(part in text for part in ("Laufwerk", '<g id="1">', "</g>", "{name}"))
    first = words(text)[0]
    row = done("replace", where=(0, len(first)), words="Bitte")
    text = row["target"]["text"]
    assert text.startswith("Bitte") and "Laufwerk" in text
    assert [code["raw"] for code in row["target"]["codes"]].count("{name}") == 1
    assert row["terms"][0]["state"] == "met" and row["locks"][0] == {
        "start": 0,
        "end": 5,
        "typed": True,
    }
    at = text.index("{name}")
    with pytest.raises(UserError, match="placeholder or tag"):
        done("replace", where=(at, at + 3), words="x")
