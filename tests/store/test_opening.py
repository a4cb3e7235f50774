"""Opening a database: made, migrated, or refused and left as it is."""

import os
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from databases import Server
from small_projects import segment, write

from gridbeam.errors import UserError
from gridbeam.store import Store, StoreFailure
from gridbeam.store.addresses import address
from gridbeam.store.database import Database, postgresql_engine, sqlite_engine
from gridbeam.store.migration import VERSION_TABLE, bring_up_to_date, newest, revisions
from gridbeam.store.tables import metadata

# pg8000 leaves the socket of a connection that its server has closed to be collected, of which
# newer Pythons tell.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"
)


def bare(url):
    """A database that is not looked into."""
    found = address(url)
    if found.file:
        return Database(sqlite_engine(found.url, 1.0), found.place)
    return Database(postgresql_engine(found.url, found.arguments), found.place)


@pytest.fixture
def old(database_url):
    """A database of the first revision, with a row in every table that there was."""
    database = bare(database_url)
    with database.writing() as connection:
        bring_up_to_date(connection, database.place, to="0001")
        fill(connection)
    yield database
    database.engine.dispose()


MOMENT = datetime(2026, 11, 1, 10, tzinfo=UTC)
TERMS = "0d9d4bd7-7a2c-4e43-9d3c-111111111111"


def fill(connection):
    """A row in every table of the first revision."""
    tables = sa.MetaData()
    tables.reflect(connection)

    def add(table, *rows):
        connection.execute(sa.insert(tables.tables[table]), list(rows))

    times = {"created": MOMENT, "touched": MOMENT}
    add("glossaries", {"id": TERMS, "name": "terms", "origin": "own", "version": 1, **times})
    add("dictionaries", {"glossary": TERMS, "source": "en", "target": "de"})
    entry = {"source": "disk", "targets": ["Platte"], "forbidden": [], "case": "sentence"}
    entry |= {"do_not_translate": False, "forms": [], "note": "", "exact": False}
    add("entries", {"dictionary": 1, "term": "disk", "entry": entry})
    project = {"name": "alt", "source": "en", "target": "de", "format": "po", "file": "a.po"}
    add("projects", {**project, "glossary": TERMS, **times})
    add("files", {"project": 1, "content": b"file"})
    start = {"target": None, "state": None, "status": "new", "review": False, "findings": []}
    statuses = enumerate(["confirmed", "edited", "confirmed"])
    add("segments", *(old_segment(number, status, start) for number, status in statuses))
    act = {"segment": 1, "version": 1, "head": 1, "parent": 0, "kind": "confirm", "payload": {}}
    add("acts", {**act, "after": start, "client": "", "moment": MOMENT})
    add("keys", {"id": "0123456789abcdef", "name": "k", "digest": "x", "created": MOMENT})


def old_segment(number, status, start):
    return {
        **{"project": 1, "number": number, "name": "k", "status": status, "review": False},
        **{"source": {"text": f"Open {number}"}, "target": {"text": f"Auf {number}"}},
        **{"findings": [], "rules": "", "source_folded": "", "target_folded": ""},
        **{"version": 1, "head": 1, "ahead": 0, "start": start, "touched": MOMENT},
    }


def test_an_old_database_is_migrated_with_everything_in_it(old, database_url):
    with Store.open(database_url) as store:
        (project,) = store.projects.all()
        assert (project.name, project.counts.confirmed, project.counts.total) == ("alt", 2, 3)
        rows = store.segments.of(project.id).rows
        assert [row.details for row in rows] == [{}, {}, {}]
        assert rows[0].target == {"text": "Auf 0"}
        matches = store.memory.matches("en", "de", "Open 2")
        assert [match.percent for match in matches] == [100, 83]
        assert store.undo(rows[0].id, 1).target is None
        assert [each.kind for each in store.history(rows[0].id)] == ["confirm", "undo"]
        assert len(store.memory.matches("en", "de", "Open 2")) == 1
        assert store.entries.of(project.glossary)[0].entry.targets == ("Platte",)
        assert store.projects.content(project.id) == b"file"
        assert store.keys.all()[0].created == MOMENT
        write(store, segment(store), "neu")


def test_an_old_database_is_migrated_once_by_those_who_open_it_at_once(old, database_url):
    with ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(lambda _: Store.open(database_url), range(4)))
    assert [len(store.memory.matches("en", "de", "Open 2")) for store in stores] == [2] * 4
    for store in stores:
        store.close()


def test_a_copy_of_an_old_file_is_kept_beside_it(tmp_path, old, database_url):
    old.engine.dispose()
    Store.open(database_url).close()
    if not old.is_sqlite:
        assert list(tmp_path.iterdir()) == []
        return
    copy = tmp_path / "workspace.revision-0001.db"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "workspace.db",
        "workspace.revision-0001.db",
    ]
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute(f"SELECT * FROM {VERSION_TABLE}").fetchall() == [("0001",)]
        assert connection.execute("SELECT count(*) FROM segments").fetchone() == (3,)
    with Store.open(copy) as restored:
        assert restored.projects.all()[0].name == "alt"


def test_a_migration_that_fails_leaves_the_database_as_it_was(old, database_url):
    with old.writing() as connection:
        connection.execute(sa.text("CREATE TABLE memory (something integer)"))
    with pytest.raises(sa.exc.DBAPIError, match=r"memory"):
        Store.open(database_url)
    with old.reading() as connection:
        columns = [each["name"] for each in sa.inspect(connection).get_columns("segments")]
        assert "details" not in columns
        assert connection.execute(sa.text(f"SELECT * FROM {VERSION_TABLE}")).scalar() == "0001"
        assert not sa.inspect(connection).has_table("pairs")


def test_a_newer_database_is_refused_and_untouched(tmp_path, database_url):
    Store.open(database_url).close()
    database = bare(database_url)
    with database.writing() as connection:
        connection.execute(sa.text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    database.engine.dispose()
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for _ in range(2):
        with pytest.raises(
            StoreFailure, match=r"newer gridbeam .revision 9999; this one knows 000"
        ):
            Store.open(database_url)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    with database.reading() as connection:
        assert connection.execute(sa.text(f"SELECT * FROM {VERSION_TABLE}")).scalar() == "9999"
    database.engine.dispose()


def test_the_tables_are_those_that_the_migrations_make(store):
    with store.database.reading() as connection:
        options = {"version_table": VERSION_TABLE, "compare_type": True}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == newest() == revisions()[0]


def test_a_database_of_another_program_is_refused_and_untouched(database_url):
    database = bare(database_url)
    with database.writing() as connection:
        connection.execute(sa.text("CREATE TABLE projects (something integer)"))
    with pytest.raises(StoreFailure, match=r"another program: it has the table projects. Name"):
        Store.open(database_url)
    with database.reading() as connection:
        assert sa.inspect(connection).get_table_names() == ["projects"]
    database.engine.dispose()


def test_a_file_that_is_no_database_is_refused_and_untouched(file):
    path = file("notes.txt", b"these are notes\n" * 100)
    with pytest.raises(StoreFailure, match=r"notes.txt is no database. Name another file"):
        Store.open(path)
    assert path.read_bytes() == b"these are notes\n" * 100


def test_a_file_is_readable_by_its_user_only(tmp_path):
    path = tmp_path / "new" / "work.db"
    with Store.open(path) as store:
        segment(store)
        kept = [path, path.parent, *path.parent.glob("work.db-*")]
        assert [each.stat().st_mode & 0o077 for each in kept] == [0] * len(kept)


def test_the_default_is_a_file_in_the_folder_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    with Store.open() as store:
        segment(store)
    assert [path.name for path in tmp_path.rglob("*.db")] == ["workspace.db"]


def test_a_damaged_file_is_said_to_be_damaged(tmp_path):
    path = tmp_path / "work.db"
    with Store.open(path) as store:
        segment(store)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreFailure, match=r"work.db is damaged. Move it away"):
        Store.open(path)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://host/x", 'unknown kind of database "mysql": write a path, sqlite:///PATH or'),
        ("://", "the database's URL cannot be read: write a path"),
        ("sqlite://", "SQLite needs a file that stays"),
        ("sqlite:///:memory:", "SQLite needs a file that stays"),
        ("postgresql://a@h/x?sslmode=odd", "URL has sslmode=odd, which is not understood"),
        ("postgresql://a:secret@127.0.0.1:1/x", r"//a:\*\*\*@127.0.0.1:1/x cannot be reached"),
        ("/proc/none/work.db", "the database /proc/none/work.db cannot be opened: No such file"),
        ("/", "the database / cannot be opened: Is a directory"),
    ],
)
def test_an_address_that_cannot_be_opened_is_said_with_what_to_do(url, message):
    with pytest.raises(UserError, match=message):
        Store.open(url)


def test_a_server_that_refuses_says_why(postgresql):
    with pytest.raises(StoreFailure, match=r"/nothing\?*.* is not there. Make it: createdb NAME"):
        Store.open(postgresql.url("nothing"))
    with pytest.raises(StoreFailure, match=r"refuses the user or the password"):
        Store.open(postgresql.url("postgres", user="nobody"))


def test_a_server_that_closes_its_connections_is_asked_again(postgresql):
    url = postgresql.new_database()
    with Store.open(url) as store:
        row = segment(store)
        for pause in (0, 0.001, 0.01):  # at once, its word of farewell is on the way or there
            postgresql.run(
                "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity"
                " WHERE datname LIKE 'test_%' AND pid <> pg_backend_pid()"
            )
            time.sleep(pause)
            row = write(store, row, "noch da")
        assert row.version == 3
    postgresql.give_back(url)


def test_a_server_that_is_gone_is_said_to_be_gone(postgresql):
    server = Server(postgresql.programs)
    with Store.open(server.new_database()) as store:
        row = segment(store)
        server.stop()
        with pytest.raises(StoreFailure, match=r"cannot be reached: .* See that its server runs"):
            write(store, row, "nicht mehr")


def test_a_locked_file_is_said_to_be_locked_and_nothing_is_written(tmp_path):
    path = tmp_path / "work.db"
    with Store.open(path, patience=0.05) as store:
        row = segment(store)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreFailure, match=r"work.db is locked by another program. Close"):
                write(store, row, "x")
            with pytest.raises(StoreFailure, match=r"is locked"):
                Store.open(path, patience=0.05)
            assert store.segments.get(row.id) == row
        assert write(store, row, "x").version == 1


def test_a_full_disk_is_said_to_be_full_and_nothing_is_half_written(tmp_path):
    path = tmp_path / "work.db"
    with Store.open(path) as store:
        row = segment(store)
    limited = """
import resource, sys
from gridbeam.store import *
with Store.open(sys.argv[1]) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    row = store.segments.get(1)
    try:
        store.act(1, 0, NewAct("write"), Snapshot({"text": "x" * 1_000_000}))
    except StoreFailure as error:
        print(error)
    assert store.segments.get(1) == row and store.history(1) == ()
    print(store.act(1, 0, NewAct("write"), Snapshot({"text": "y"})).version)
"""
    done = subprocess.run(
        [sys.executable, "-c", limited, path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "work.db cannot" in done.stdout and "nothing was half-written.\n1\n" in done.stdout
    with Store.open(path) as store:
        assert store.segments.get(row.id).target == {"text": "y"}


def test_a_file_that_can_only_be_read_is_said_to_be_so(tmp_path):
    path = tmp_path / "work.db"
    with Store.open(path) as store:
        segment(store)
    path.chmod(0o444)
    as_nobody = """
import os, sys
import gridbeam.store
if os.geteuid() == 0:
    os.chdir(sys.argv[2])
    os.setuid(65534)
try:
    gridbeam.store.Store.open(sys.argv[1])
except gridbeam.store.StoreFailure as error:
    print(error)
"""
    tmp_path.chmod(0o555)
    done = subprocess.run(
        [sys.executable, "-c", as_nobody, path.name, tmp_path],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path if os.geteuid() else None,
    )
    tmp_path.chmod(0o755)
    assert "work.db cannot be opened: Permission denied. Name a file that this" in done.stdout, done
    with Store.open(path) as store:
        assert len(store.projects.all()) == 1
