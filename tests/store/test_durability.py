"""What was acknowledged is kept, whoever is killed, and whoever else writes at the same time."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from small_projects import project, said, segment, text, write

from gridbeam.store import NewAct, NewProject, NewSegment, Outdated, Snapshot, Store

HERE = Path(__file__).parent


def start(script, *arguments):
    return subprocess.Popen(
        [sys.executable, HERE / script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_every_acknowledged_act_outlives_a_process_that_is_killed(database_url):
    times = 32 if database_url.startswith("sqlite") else 6
    writer = start("killed.py", database_url, times, 7)
    said_last, _ = writer.communicate(timeout=120)
    assert writer.returncode == 0
    assert int(said_last) > times


def test_of_two_processes_that_race_exactly_one_wins_each_version(store, database_url):
    row = segment(store)
    racers = [start("racing.py", database_url, row.id, 40, name) for name in ("one", "two")]
    for racer in racers:
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        racer.stdin.write("go\n")
        racer.stdin.flush()
    (ours, lost), (theirs, lost_too) = (json.loads(racer.communicate()[0]) for racer in racers)
    assert sorted(ours + theirs) == list(range(1, 41))
    assert lost + lost_too > 0 and ours and theirs
    log = store.history(row.id)
    assert [each.version for each in log] == list(range(1, 41))
    assert [each.version for each in log if each.client == "one"] == ours
    assert said(store.segments.get(row.id)) == log[-1].client


def test_many_threads_share_a_store(store):
    rows = store.segments.of(project(store, *map(str, range(8))).id).rows

    def work(number):
        row = rows[number % 8]
        won = 0
        while won < 5:
            try:
                row = write(store, row, f"{number}", status="confirmed")
                won += 1
            except Outdated as outdated:
                row = outdated.row
            store.projects.all()
            store.memory.matches("en", "de", str(number))
        return won

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(work, range(16))) == 80
    assert [store.segments.get(row.id).version for row in rows] == [10] * 8
    assert len(store.log(rows[0].project)) == 80


def test_servers_that_start_at_once_make_one_database(database_url):
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda _: Store.open(database_url), range(6)))
    row = segment(stores[0])
    for number, store in enumerate(stores):
        row = write(store, row, str(number))
    assert said(stores[0].segments.get(row.id)) == "5"
    for store in stores:
        store.close()


def test_a_project_is_deleted_while_others_work_in_it(store):
    rows = store.segments.of(project(store, *map(str, range(20))).id).rows

    def work(row):
        for number in range(5):
            row = write(store, row, str(number), status="confirmed")

    with ThreadPoolExecutor(8) as pool:
        working = [pool.submit(work, row) for row in rows]
        pool.submit(store.projects.delete, rows[0].project).result()
        errors = [each.exception() for each in working]
    assert {type(error).__name__ for error in errors} <= {"NoneType", "Absent"}
    assert store.projects.all() == ()
    assert store.memory.matches("en", "de", "1") == ()


@pytest.mark.parametrize("broken", [{"words": "no text"}, {"text": "a", "codes": {1, 2}}])
def test_a_value_that_cannot_be_kept_leaves_nothing_behind(store, broken):
    row = segment(store)
    with pytest.raises((KeyError, sa.exc.StatementError)):
        store.act(row.id, 0, NewAct("write"), Snapshot(broken))
    part = NewSegment("k", broken)
    with pytest.raises((KeyError, sa.exc.StatementError)):
        store.projects.add(NewProject("p", "en", "de"), [NewSegment("k", text("a")), part])
    assert store.segments.get(row.id) == row
    assert len(store.projects.all()) == 1
