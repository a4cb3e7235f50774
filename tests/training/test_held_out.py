"""Which pairs are left out of training follows from their sources alone."""

from __future__ import annotations

from gridbeam.training.held_out import is_held_out, without_held_out


def test_one_source_in_so_many_is_held_out_whatever_its_white_space():
    texts = [f"Open file {number}" for number in range(20_000)]
    held = [text for text in texts if is_held_out(text, 200)]
    assert 70 <= len(held) <= 130
    assert all(is_held_out(f" {text}\n", 200) for text in held)


def test_what_is_left_and_what_is_held_out_are_all():
    pairs = [(str(number), "x") for number in range(100)]
    left = list(without_held_out(pairs, 5))
    assert 5 < len(pairs) - len(left) < 40
    assert not any(is_held_out(source, 5) for source, _ in left)
