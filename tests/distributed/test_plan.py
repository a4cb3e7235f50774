"""How a document is cut: equal costs, nothing left out, and lines found without reading on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridbeam.distributed.parts import ShardPiece
from gridbeam.distributed.plan import _bounds, cost, cut
from gridbeam.distributed.reading import PieceReader
from gridbeam.documents import Languages
from gridbeam.documents.registry import format_of
from gridbeam.files.instructions import Instructions


def shards(path, **options):
    form = format_of(path)
    document = form.open(path, Languages())
    return cut(document, form, Instructions(), **{"workers": 2} | options)


@given(st.lists(st.floats(0, 100), max_size=40), st.integers(1, 8))
def test_bounds_follow_upon_each_other_and_leave_nothing_out(costs, count):
    found = [*_bounds(costs, count)]
    assert [number for first, end in found for number in range(first, end)] == [*range(len(costs))]
    assert len(found) <= count and all(first < end for first, end in found)


@given(st.lists(st.floats(1, 10), min_size=1, max_size=60), st.integers(1, 8))
def test_no_shard_costs_more_than_its_part_and_one_segment(costs, count):
    for first, end in _bounds(costs, count):
        assert sum(costs[first:end]) <= sum(costs) / count + 10 + 1e-6


def test_a_segment_with_constraints_is_dearer(file):
    path = file("a.jsonl", '{"text": "a b"}\n{"text": "a b", "constraints": ["some phrase"]}\n')
    plain, constrained = format_of(path).open(path, Languages()).segments()
    assert cost(constrained) > cost(plain)


def test_what_is_translated_already_costs_nothing(file):
    done = '{"text": "a", "translation": "b"}\n'
    found = shards(file("a.jsonl", done * 10 + '{"text": "a"}\n' * 100), shards=2)
    assert [(each.first, each.end, each.due) for each in found] == [(0, 60, 50), (60, 110, 50)]


def test_workers_have_several_shards_each_but_none_too_small(file):
    assert len(shards(file("a.txt", "a b c\n" * 1000), workers=3)) == 20  # of 50
    assert len(shards(file("b.txt", "a b c\n" * 120), workers=3)) == 3
    assert len(shards(file("c.txt", "a b c\n" * 7000), workers=1)) == 14
    assert shards(file("d.txt", "")) == ()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_reader_finds_each_piece_in_any_order(file, end):
    path = file("a.jsonl", "\ufeff" + end.join(f'{{"text": "Täxt {n}"}}' for n in range(30)) + end)
    found = shards(path, shards=4)
    reader = PieceReader(path, None, Languages())
    whole = [*format_of(path).open(path, Languages()).segments()]
    for shard in (found[2], found[0], found[1], found[3]):
        for piece in (ShardPiece.whole(shard), *ShardPiece.whole(shard).halves()):
            assert reader.segments(piece) == whole[piece.first : piece.end]


def test_a_reader_of_a_format_without_lines_finds_each_piece(file):
    path = file("a.po", "".join(f'msgid "Text {n}"\nmsgstr ""\n\n' for n in range(30)))
    found = shards(path, shards=4)
    reader = PieceReader(path, None, Languages())
    whole = [*format_of(path).open(path, Languages()).segments()]
    for shard in (found[0], found[2], found[1], found[3]):
        assert reader.segments(ShardPiece.whole(shard)) == whole[shard.first : shard.end]
