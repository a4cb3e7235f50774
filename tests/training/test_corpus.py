"""Parallel text is read, cleaned and encoded; what is wrong with it is told by file and line."""

from __future__ import annotations

import lzma
import re
import zipfile
from pathlib import Path

import lessons
import numpy as np
import pytest
import sentencepiece

from gridbeam import UserError
from gridbeam.text.parallel import aligned, lines
from gridbeam.training import corpus
from gridbeam.training.corpus import Cleaning, Pairs, encode
from gridbeam.training.sentencepieces import EOS, VocabularyOptions, adopt, learn

TAGS = (">>de<<", ">>fr<<")
LONG = "a b c d e f g h i j k l"


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("vocabulary") / "vocabulary.model"
    texts = [text for sentence in lessons.SENTENCES for text in sentence]
    learn(iter(texts), path, VocabularyOptions(size=340), tags=TAGS, seed=1)
    return path


@pytest.fixture(scope="module")
def pieces(vocabulary):
    return sentencepiece.SentencePieceProcessor(model_file=str(vocabulary))


def reasons(texts, vocabulary, **cleaning):
    """What is left out of these pairs, and the line of the first of each kind."""
    found = encode(texts, vocabulary, cleaning=Cleaning(**cleaning))
    assert found.read == len(texts) == len(found.pairs) + sum(found.dropped.values())
    return {reason: (count, found.first[reason]) for reason, count in found.dropped.items()}


def of(pairs, number):
    """The tokens of a pair."""
    sides = (pairs.source, pairs.source_ends), (pairs.target, pairs.target_ends)
    return [flat[(0, *ends)[number] : ends[number]].tolist() for flat, ends in sides]


def equal(one, other):
    names = ("source", "source_ends", "target", "target_ends")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


# Reading


def test_plain_and_xz_files_read_alike(tmp_path):
    text = "one\n\nthree ü ✓\nlast without an end"
    (tmp_path / "a.txt").write_text(text, encoding="utf8")
    (tmp_path / "a.xz").write_bytes(lzma.compress(text.encode()))
    assert list(lines(tmp_path / "a.txt")) == list(lines(tmp_path / "a.xz")) == text.split("\n")


def test_line_ends_of_any_system_are_no_text(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\n\r\nfour\r\n")
    assert list(lines(tmp_path / "a.txt")) == ["one", "two", "", "four"]


def test_only_line_feeds_end_a_line(tmp_path):
    text = "one\u2028still one\x0cand\x85on"
    (tmp_path / "a.txt").write_text(f"{text}\ntwo\n", encoding="utf8")
    assert list(lines(tmp_path / "a.txt")) == [text, "two"]


def test_a_byte_order_mark_is_no_text(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfone\ntwo\n")
    assert list(lines(tmp_path / "a.txt")) == ["one", "two"]


@pytest.mark.parametrize("counts", [(3, 5), (5, 3), (0, 1)])
@pytest.mark.parametrize("end", [".txt", ".xz"])
def test_misaligned_files_are_named_with_the_line_where_one_ends(tmp_path, counts, end):
    for name, count in zip(("source", "target"), counts, strict=True):
        text = b"line\n" * count
        (tmp_path / f"{name}{end}").write_bytes(lzma.compress(text) if end == ".xz" else text)
    short, long = ("source", "target") if counts[0] < counts[1] else ("target", "source")
    expected = (
        f"{tmp_path / short}{end} ends before line {min(counts) + 1}, and {tmp_path / long}{end}"
        " goes on"
    )
    with pytest.raises(UserError, match=re.escape(expected)):
        list(aligned(tmp_path / f"source{end}", tmp_path / f"target{end}"))


@pytest.mark.parametrize("end", [".txt", ".xz"])
def test_invalid_utf8_is_named_with_file_line_and_byte(tmp_path, end):
    path = tmp_path / f"bad{end}"
    text = b"fine\n" * 6 + b"caf\xe9 noir\n" + b"fine\n"
    path.write_bytes(lzma.compress(text) if end == ".xz" else text)
    with pytest.raises(UserError, match=rf"^{re.escape(str(path))} line 7: byte 4 is not UTF-8"):
        list(lines(path))


def test_a_truncated_xz_file_is_named_with_the_last_good_line(tmp_path):
    path = tmp_path / "cut.xz"
    whole = lzma.compress("".join(f"{n} {n**5}\n" for n in range(50_000)).encode(), preset=0)
    path.write_bytes(whole[: len(whole) // 2])
    read = []
    with pytest.raises(
        UserError, match=rf"{re.escape(str(path))} after line \d+: .*damaged"
    ) as error:
        read.extend(lines(path))
    assert 0 < int(re.search(r"after line (\d+)", str(error.value))[1]) < 50_000


def test_an_xz_file_may_have_several_streams(tmp_path):
    path = tmp_path / "two.xz"
    path.write_bytes(lzma.compress(b"one\ntw") + lzma.compress(b"o\nthree\n"))
    assert list(lines(path)) == ["one", "two", "three"]


def test_of_two_things_that_are_wrong_the_first_is_told(tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(b"fine\n" * 6 + b"\xff\n")
    target.write_bytes(b"fine\n" * 4)
    with pytest.raises(UserError, match="target ends before line 5"):
        list(aligned(source, target))


def test_a_plain_file_named_xz_is_told(tmp_path):
    (tmp_path / "plain.xz").write_text("no compression here\n")
    with pytest.raises(UserError, match=r"plain\.xz after line 0: .*no \.xz file"):
        list(lines(tmp_path / "plain.xz"))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"nothing\.en cannot be read: No such file or directory"):
        list(lines(tmp_path / "nothing.en"))
    with pytest.raises(UserError, match="Is a directory"):
        list(lines(tmp_path))


# Cleaning


def test_empty_lines_are_counted_with_the_first_one(vocabulary):
    texts = [("a", "b"), ("", "b"), ("a c", "  "), ("\t", "\u00a0"), ("d", "e")]
    assert reasons(texts, vocabulary) == {"empty": (3, 2)}


def test_pairs_that_are_too_long_are_left_out(vocabulary, pieces):
    length = len(pieces.encode(LONG))
    texts = [("one", "two"), (LONG, LONG + " m")]
    assert reasons(texts, vocabulary, max_tokens=length) == {"too long": (1, 2)}
    assert reasons(texts, vocabulary, max_tokens=length + 5) == {}
    assert reasons([(LONG + " m", LONG)], vocabulary, max_tokens=length) == {"too long": (1, 1)}


def test_pairs_of_unlike_lengths_are_left_out_unless_both_are_short(vocabulary, pieces):
    assert len(pieces.encode("a b c d")) <= 10 < len(pieces.encode(LONG))
    texts = [("a", "a b c d"), ("a", LONG), (LONG, "a"), (LONG, LONG + " m")]
    assert reasons(texts, vocabulary) == {"unlike lengths": (2, 2)}
    assert reasons(texts, vocabulary, max_ratio=100.0) == {}


def test_a_pair_counts_once_and_another_translation_is_another_pair(vocabulary):
    texts = [("a", "b"), ("a", "c"), ("d", "b"), ("a", "b"), ("a", "b")]
    assert reasons(texts, vocabulary) == {"repeated": (2, 4)}
    assert reasons(texts, vocabulary, unique=False) == {}


def test_what_was_not_translated_is_left_out_unless_it_is_short(vocabulary):
    texts = [
        ("Berlin", "Berlin"),
        ("two words more", "two words more"),
        ("not a word was translated", "not a word was translated"),
    ]
    assert reasons(texts, vocabulary) == {"copy": (1, 3)}
    assert reasons(texts, vocabulary, drop_copies=False) == {}


# Encoding


def test_each_text_has_its_end_and_each_source_its_tag(vocabulary, pieces):
    found = encode([("The disk", "die Scheibe"), ("x", "y")], vocabulary, tag=">>fr<<").pairs
    tag = pieces.piece_to_id(">>fr<<")
    assert of(found, 0) == [
        [tag, *pieces.encode("The disk"), EOS],
        [*pieces.encode("die Scheibe"), EOS],
    ]
    assert of(found, 1) == [[tag, *pieces.encode("x"), EOS], [*pieces.encode("y"), EOS]]


def test_every_character_is_known_and_comes_back(vocabulary, pieces):
    for text in ("日本語", "№ ﬁ Å", "a\u3000b", "🙂", "x\x00y"):
        source, _ = of(encode([(text, text)], vocabulary).pairs, 0)
        assert pieces.unk_id() not in source
        assert pieces.decode(source[:-1]) == text


def test_several_threads_give_the_same_as_one(vocabulary, monkeypatch):
    monkeypatch.setattr(corpus, "_CHUNK", 7)
    texts = [(english, german) for english, german, _ in lessons.SENTENCES]
    texts[20:20] = [("", "empty"), texts[3], texts[19]]
    one, two = (
        encode(iter(texts), vocabulary, tag=">>de<<", threads=threads) for threads in (1, 2)
    )
    assert equal(one.pairs, two.pairs)
    assert (one.read, one.dropped, one.first) == (two.read, two.dropped, two.first)
    assert one.first == {"empty": 21, "repeated": 22}


def test_what_is_wrong_with_a_file_is_told_with_several_threads_too(tmp_path, vocabulary):
    (tmp_path / "a").write_bytes(b"fine\n\xff\n")
    with pytest.raises(UserError, match="line 2: byte 1 is not UTF-8"):
        encode(aligned(tmp_path / "a", tmp_path / "a"), vocabulary, threads=2)


def test_no_text_gives_no_pairs(vocabulary):
    found = encode([], vocabulary)
    assert (len(found.pairs), found.read, found.dropped) == (0, 0, {})


# Pairs


SOME = Pairs.of([([5, 0], [7, 8, 0]), ([6, 6, 6, 0], [9, 0])])
MORE = Pairs.of([([1, 0], [2, 0])])


def test_joined_pairs_are_those_of_the_parts():
    found = Pairs.joined([SOME, Pairs.of([]), MORE, SOME])
    assert len(found) == 5
    expected = [of(part, n) for part in (SOME, MORE, SOME) for n in range(len(part))]
    assert [of(found, n) for n in range(5)] == expected
    assert found.source_lengths.tolist() == [2, 4, 2, 2, 4]


def test_saved_pairs_load_the_same_and_nothing_is_pickled(tmp_path):
    SOME.save(tmp_path / "pairs.npz")
    assert equal(Pairs.load(tmp_path / "pairs.npz"), SOME)
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.npz"]
    with zipfile.ZipFile(tmp_path / "pairs.npz") as archive:
        assert all(archive.read(name).startswith(b"\x93NUMPY") for name in archive.namelist())
    with np.load(tmp_path / "pairs.npz", allow_pickle=False) as found:
        assert all(found[name].dtype.kind == "i" for name in found)


def test_pairs_that_cannot_be_written_leave_the_last_ones_whole(tmp_path, monkeypatch):
    SOME.save(tmp_path / "pairs.npz")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(
        UserError, match=r"pairs\.npz cannot be written: No space left on device\. Make room"
    ):
        MORE.save(tmp_path / "pairs.npz")
    assert equal(Pairs.load(tmp_path / "pairs.npz"), SOME)
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.npz"]


# Vocabularies


def test_a_vocabulary_tells_what_is_wrong_with_its_text(tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"some words\n" * 20 + b"caf\xe9\n")
    with pytest.raises(
        UserError, match=r"^\S+bad\.txt line 21: byte 4 is not UTF-8\. Convert the file to UTF-8\.$"
    ):
        learn(
            lines(tmp_path / "bad.txt"),
            tmp_path / "v.model",
            VocabularyOptions(size=300),
            tags=(),
            seed=1,
        )
    with pytest.raises(
        UserError, match=r"no vocabulary of 9000 pieces .* too few different words\. Set vocabulary"
    ):
        learn(
            iter(["a few words"]),
            tmp_path / "v.model",
            VocabularyOptions(size=9000),
            tags=(),
            seed=1,
        )
    with pytest.raises(UserError, match="there is no text"):
        learn(iter([]), tmp_path / "v.model", VocabularyOptions(size=300), tags=(), seed=1)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.txt"]


def test_a_vocabulary_that_is_there_is_taken_as_it_is(tmp_path, vocabulary):
    adopt(vocabulary, tmp_path / "v.model", tags=TAGS)
    assert (tmp_path / "v.model").read_bytes() == vocabulary.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["v.model"]


def test_a_vocabulary_that_does_not_fit_is_refused(tmp_path, vocabulary):
    with pytest.raises(UserError, match="has no piece >>pt<<, the tag of a target language"):
        adopt(vocabulary, tmp_path / "v.model", tags=[">>pt<<"])
    with pytest.raises(UserError, match=r"vocabulary\.file .*nothing\.model cannot be read"):
        adopt(tmp_path / "nothing.model", tmp_path / "v.model", tags=())
    (tmp_path / "text.model").write_text("no model")
    with pytest.raises(UserError, match="cannot be read as a SentencePiece model"):
        adopt(tmp_path / "text.model", tmp_path / "v.model", tags=())
    made = {
        "sentence_iterator": iter(["a few words"]),
        "vocab_size": 20,
        "minloglevel": 2,
        "hard_vocab_limit": False,
    }
    sentencepiece.SentencePieceTrainer.train(**made, model_prefix=str(tmp_path / "other"))
    with pytest.raises(
        UserError,
        match=r"the ids of </s> and <unk> are \(2, 0\), and must be \(0, 1\)",
    ):
        adopt(tmp_path / "other.model", tmp_path / "v.model", tags=())
    made["sentence_iterator"], ids = (
        iter(["a few words"]),
        {"eos_id": 0, "unk_id": 1, "pad_id": 2, "bos_id": -1},
    )
    sentencepiece.SentencePieceTrainer.train(**made, **ids, model_prefix=str(tmp_path / "other"))
    with pytest.raises(UserError, match="has no pieces for single bytes"):
        adopt(tmp_path / "other.model", tmp_path / "v.model", tags=())
    assert not (tmp_path / "v.model").exists()
