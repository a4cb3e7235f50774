"""Glossary files that a server keeps from its start."""

from __future__ import annotations

import pytest

from gridbeam.server.kept import keep_glossaries
from gridbeam.store import Store


@pytest.fixture
def store(tmp_path):
    found = Store.open(tmp_path / "work.db")
    yield found
    found.close()


def test_a_file_is_kept_under_its_name_and_replaced_by_the_next_start(store, tmp_path):
    file = tmp_path / "hardware.tsv"
    file.write_text("disk\tPlatte\n")
    keep_glossaries(store, [tmp_path / "hardware.tsv@en-de"])
    file.write_text("disk\tLaufwerk\n")
    keep_glossaries(store, [tmp_path / "hardware.tsv@en-de"])
    (row,) = store.glossaries.all()
    assert row.name == "hardware"
    (entry,) = store.entries.of(row.id, "en", "de")
    assert entry.entry.targets == ("Laufwerk",)
    assert not store.entries.of(row.id, "en", "fr")


def test_a_file_without_languages_holds_for_any(store, tmp_path):
    (tmp_path / "names.csv").write_text("disk,Disk\n")
    keep_glossaries(store, [tmp_path / "names.csv"])
    (row,) = store.glossaries.all()
    assert len(store.entries.of(row.id, "en", "fr")) == 1
