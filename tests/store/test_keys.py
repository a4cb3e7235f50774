"""API keys."""

import hmac
from datetime import timedelta

import pytest
import sqlalchemy as sa

from gridbeam.store import Absent, keys


def test_a_key_lets_its_owner_in_until_it_is_revoked(store):
    row, key = store.keys.add("Weblate")
    assert store.keys.check(key) == row
    assert (row.name, row.used, row.revoked) == ("Weblate", None, None)
    revoked = store.keys.revoke(row.id)
    assert revoked.revoked >= row.created
    assert store.keys.check(key) is None
    assert store.keys.revoke(row.id) == revoked


def test_no_other_text_lets_anyone_in(store):
    row, key = store.keys.add()
    _, other = store.keys.add()
    name, secret = key.rsplit("_", 1)[0], other.split("_", 2)[2]
    wrong = [
        "",
        "gb",
        key[:-1],
        key + "x",
        key.upper(),
        f"{name}_{secret}",
        f"{name}_",
        "gb__",
        row.id,
    ]
    wrong += [f"gb_{row.id}", "gb_é_x", "gb_a\0b_x", "gb_\ud800_x", key + "\ud800", "x" * 100_000]
    assert [text for text in wrong if store.keys.check(text)] == []


def test_nobody_can_read_a_key_from_the_database(store):
    _, key = store.keys.add("one")
    with store.database.reading() as connection:
        everything = repr(connection.execute(sa.text("SELECT * FROM keys")).all())
    assert key.split("_", 2)[2] not in everything


def test_keys_are_compared_in_constant_time_also_one_of_an_unknown_name(store, monkeypatch):
    _, key = store.keys.add()
    compared, really = [], hmac.compare_digest

    def compare(one, other):
        compared.append(len(one) == len(other) == 64)
        return really(one, other)

    monkeypatch.setattr(keys.hmac, "compare_digest", compare)
    assert store.keys.check(key)
    assert not store.keys.check("gb_0123456789abcdef_x")
    assert compared == [True, True]


def test_it_is_known_to_the_minute_when_a_key_was_last_used(store, monkeypatch):
    row, key = store.keys.add()
    store.keys.check(key)
    (used,) = (each.used for each in store.keys.all())
    store.keys.check(key)
    assert store.keys.all()[0].used == used >= row.created
    monkeypatch.setattr(keys, "now", lambda: used + timedelta(minutes=2))
    store.keys.check(key)
    assert store.keys.all()[0].used == used + timedelta(minutes=2)


def test_keys_are_listed_and_one_that_is_not_there_cannot_be_revoked(store):
    made = [store.keys.add(name)[0] for name in ("one", "two")]
    assert list(store.keys.all()) == made
    with pytest.raises(Absent, match='no key "nothing"'):
        store.keys.revoke("nothing")
