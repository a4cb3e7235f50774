"""Terms are the pairs of n-grams whose npmi reaches the threshold, whatever was pruned."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridbeam import UserError
from gridbeam.terminology import extract as terms
from gridbeam.terminology.extract import STAGES, Term, extract, write
from gridbeam.text.marks import ends_sentence, is_mark, split

SHARED = Path(__file__).parents[3] / "shared"


def extracted(folder: Path, pairs, **options) -> list[Term]:
    for name, side in zip(("a.en", "a.de"), zip(*pairs, strict=True), strict=True):
        (folder / name).write_text("".join(f"{text}\n" for text in side), encoding="utf8")
    return extract(folder / "a.en", folder / "a.de", **options)


def texts(found) -> list[tuple[str, str]]:
    return [(term.source, term.target) for term in found]


# The judge: dictionaries, and whole numbers in place of logarithms


def judged(
    pairs,
    *,
    min_words=2,
    max_words=5,
    threshold=Fraction(9, 10),
    min_count=5,
    punctuation="inside",
    fold_case=False,
    fold=True,
    whole=False,
):
    """What `extract` should find: source, target, the three counts and the example."""
    pairs = [tuple(text.casefold() if fold_case else text for text in pair) for pair in pairs]
    sides = [
        [_ngrams(split(text), max_words + 1, punctuation) for text in side]
        for side in zip(*pairs, strict=True)
    ]
    counts = [Counter(ngram for segment in side for ngram in segment) for side in sides]
    found, first = Counter(), {}
    for number, segment in enumerate(zip(*sides, strict=True), 1):
        for pair in product(
            *({x for x in side if counts[n][x] >= min_count} for n, side in enumerate(segment))
        ):
            found[pair] += 1
            first.setdefault(pair, number)
    found = {(x, y): (counts[0][x], counts[1][y], joint) for (x, y), joint in found.items()}
    found = {pair: seen for pair, seen in found.items() if _reaches(threshold, *seen, len(pairs))}
    if whole:
        long = [[x for x in side if len(x) > max_words] for side in counts]
        found = {
            pair: seen for pair, seen in found.items() if not _is_part(pair, seen, counts, long)
        }
    found = {
        pair: seen
        for pair, seen in found.items()
        if all(min_words <= len(x) <= max_words for x in pair)
    }
    if fold:
        found = {pair: seen for pair, seen in found.items() if not _is_within(pair, seen, found)}
    return {(" ".join(x), " ".join(y), *seen, first[x, y]) for (x, y), seen in found.items()}


def _ngrams(tokens, max_words, punctuation):
    found = {
        tuple(tokens[a:b])
        for a in range(len(tokens))
        for b in range(a + 1, min(a + max_words, len(tokens)) + 1)
    }
    if punctuation == "anywhere":
        return found
    if punctuation == "nowhere":
        return {ngram for ngram in found if not any(map(is_mark, ngram))}
    return {
        ngram
        for ngram in found
        if not is_mark(ngram[0]) and not is_mark(ngram[-1]) and not any(map(ends_sentence, ngram))
    }


def _reaches(threshold, a, b, joint, segments):
    """ab/N^2 <= (j/N)^(1+t), both to the power of the denominator of t."""
    up, down = threshold.numerator, threshold.denominator
    return (a * b) ** down <= joint ** (down + up) * segments ** (down - up)


def _is_part(pair, seen, counts, long):
    return any(counts[n][x] == seen[n] and _holds(x, pair[n]) for n in (0, 1) for x in long[n])


def _is_within(pair, seen, found):
    return any(
        seen == found[longer] and longer != pair and all(map(_holds, longer, pair))
        for longer in found
    )


def _holds(whole, part):
    return any(
        whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1)
    )


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "A", ",", "."]), max_size=7).map(" ".join)
CORPORA = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=12)
OPTIONS = st.fixed_dictionaries(
    {
        "min_words": st.integers(1, 2),
        "max_words": st.integers(2, 5),
        "threshold": st.sampled_from([Fraction(n, 10) for n in (-9, -5, -1, 0, 1, 3, 5, 7, 9, 10)]),
        "min_count": st.integers(1, 4),
        "punctuation": st.sampled_from(["inside", "anywhere", "nowhere"]),
        "fold_case": st.booleans(),
        "fold": st.booleans(),
        "whole": st.booleans(),
    }
)


@given(CORPORA, OPTIONS)
def test_pruning_changes_nothing(tmp_path_factory, pairs, options):
    found = extracted(
        tmp_path_factory.mktemp("drawn"),
        pairs,
        **{**options, "threshold": float(options["threshold"])},
    )
    shown = str.casefold if options["fold_case"] else str
    seen = [
        (shown(t.source), shown(t.target), t.source_count, t.target_count, t.joint_count, t.segment)
        for t in found
    ]
    assert len(set(seen)) == len(seen)
    assert set(seen) == judged(pairs, **options)


@given(st.integers(1, 60), st.data())
def test_counts_that_are_not_compatible_never_reach_the_threshold(segments, data):
    threshold = data.draw(st.fractions(-1, 1, max_denominator=10).filter(lambda t: t > -1))
    counts = np.arange(1, segments + 1)
    low, high = terms.compatible(counts, counts, segments, float(threshold))
    for a in counts.tolist():
        reached = [
            b
            for b in counts.tolist()
            if any(_reaches(threshold, a, b, j, segments) for j in range(1, min(a, b) + 1))
        ]
        # The bound is tight as well: of the largest joint count that two may have, it is the
        # condition itself.
        assert list(range(low[a - 1] + 1, high[a - 1] + 1)) == reached


@given(CORPORA)
def test_batches_of_any_size_give_the_same(tmp_path_factory, pairs):
    options = {"min_words": 1, "threshold": 0.1, "min_count": 1}
    expected = extracted(tmp_path_factory.mktemp("drawn"), pairs, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terms, "_AT_ONCE", 8)
        assert extracted(tmp_path_factory.mktemp("drawn"), pairs, **options) == expected


# Worked by hand, as in docs/terms.md

BY_HAND = [
    ("The file name is empty.", "Le nom de fichier est vide."),
    (
        "Change the file name, or keep the file name.",
        "Changez le nom de fichier, ou gardez le nom de fichier.",
    ),
    ("Save the file.", "Enregistrez le fichier."),
    ("The window is empty.", "La fenêtre est vide."),
    ("Close the window.", "Fermez la fenêtre."),
    ("A new window", "Une nouvelle fenêtre"),
    ("Open", "Ouvrir"),
    ("", ""),
]


def test_the_worked_example_comes_out_as_by_hand(tmp_path):
    assert extracted(tmp_path, BY_HAND, min_count=2) == [
        Term("file name", "nom de fichier", 1.0, 2, 2, 2, 1),
        Term("is empty", "est vide", 1.0, 2, 2, 2, 1),
    ]
    found = {
        (term.source, term.target): term
        for term in extracted(tmp_path, BY_HAND, min_count=2, threshold=0.3)
    }
    assert found["the file", "nom de fichier"].npmi == pytest.approx(1 / 3)
    assert ("file name", "nom de") not in found


def test_an_ngram_counts_once_a_segment(tmp_path):
    found = extracted(
        tmp_path, [("x y z x y", "u v"), ("x y", "u v w u v"), ("", "")], min_count=1, threshold=0.5
    )
    assert Term("x y", "u v", 1.0, 2, 2, 2, 1) in found


def test_a_pair_in_every_segment_has_npmi_1(tmp_path):
    assert extracted(tmp_path, [("a b", "c d")] * 5) == [Term("a b", "c d", 1.0, 5, 5, 5, 1)]


def test_one_with_npmi_exactly_at_the_threshold_is_a_term(tmp_path):
    pairs = [("a b", "c d"), ("", "c d"), ("", ""), ("", "")]  # log(4/2) / log 4
    assert texts(extracted(tmp_path, pairs, min_count=1, threshold=0.5)) == [("a b", "c d")]
    assert not extracted(tmp_path, pairs, min_count=1, threshold=0.5001)


# What is found


def test_terms_are_sorted_by_npmi_then_joint_count_then_text(tmp_path):
    pairs = [
        ("b b", "x x"),
        ("b b", "x x"),
        ("a a", "z z"),
        ("a a", "z z"),
        ("c c", "y y"),
        ("d d", "w w"),
        ("d d", ""),
    ]
    found = extracted(
        tmp_path, [*pairs, ("c c", "y y"), ("c c", "y y")], min_count=1, threshold=0.1
    )
    assert texts(found) == [("c c", "y y"), ("a a", "z z"), ("b b", "x x"), ("d d", "w w")]


def test_single_words_are_found_on_request(tmp_path):
    pairs = [("picker", "Wähler")] * 5 + [("other", "anders")]
    assert not extracted(tmp_path, pairs)
    assert texts(extracted(tmp_path, pairs, min_words=1)) == [("picker", "Wähler")]


def test_case_matters_unless_it_is_folded_and_the_most_frequent_form_is_shown(tmp_path):
    pairs = (
        [("Hard disk", "le disque dur")]
        + [("hard Disk", "le disque Dur")] * 3
        + [("hard disk", "le disque Dur"), ("", "")]
    )
    assert not extracted(tmp_path, pairs)
    assert texts(extracted(tmp_path, pairs, fold_case=True)) == [("hard Disk", "le disque Dur")]


def test_words_are_written_with_the_spaces_that_most_segments_have(tmp_path):
    pairs = (
        [("on/off (x, y)", "an / aus")] * 3
        + [("on/off ( x,\u00a0y )", "an\t/  aus")] * 2
        + [("", "")]
    )
    assert texts(extracted(tmp_path, pairs)) == [("on/off (x, y", "an / aus")]


@pytest.mark.parametrize(
    ("punctuation", "expected"),
    [("inside", {"a, b", "c d"}), ("anywhere", {"(a, b). c d"}), ("nowhere", {"c d"})],
)
def test_marks_stand_where_they_may(tmp_path, punctuation, expected):
    found = extracted(
        tmp_path, [("(a, b). c d", "x y")] * 5 + [("", "")], punctuation=punctuation, max_words=8
    )
    assert {term.source for term in found} == expected


def test_whole_leaves_out_the_windows_of_a_longer_phrase(tmp_path):
    pairs = [("a b c d e f g", "x y"), ("a b", "v w")] * 5
    assert texts(extracted(tmp_path, pairs, threshold=1)) == [
        ("a b c d e", "x y"),
        ("b c d e f", "x y"),
        ("c d e f g", "x y"),
    ]
    assert not extracted(tmp_path, pairs, threshold=1, whole=True)
    assert texts(extracted(tmp_path, pairs, threshold=1, max_words=7, whole=True)) == [
        ("a b c d e f g", "x y")
    ]


@pytest.mark.parametrize("pairs", [BY_HAND, [("", "")]], ids=["some", "none"])
def test_stages_are_told_in_order_with_how_much_is_done(tmp_path, pairs):
    told = []
    extracted(tmp_path, pairs, min_count=2, progress=lambda stage, done: told.append((stage, done)))
    assert list(dict.fromkeys(stage for stage, _ in told)) == list(STAGES)
    assert told == sorted(told, key=lambda entry: (STAGES.index(entry[0]), entry[1]))
    assert all(0 <= done <= 1 for _, done in told)


# Words


@pytest.mark.parametrize(
    "text",
    [
        "%s %1$d %(name)s %.2f %1 %L1 %n {0} {name} ${HOME} {{x}} {} &amp; &#160;",
        (
            "install.rc /usr/lib ../x .png --help 10,000 10:30 -5 3.5 http://a.b/c me@home.org"
            " std::vector"
        ),
        "don't user's read-only R&D l'image Ctrl+Z E-Mail-Adresse naïve हिन्दी",
    ],
)
def test_placeholders_numbers_and_names_are_words(text):
    expected = [
        part
        for word in text.split()
        for part in (("l'", "image") if word == "l'image" else (word,))
    ]
    assert split(text) == expected
    assert not any(map(is_mark, expected))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Open... (now)!", ["Open", "...", "(", "now", ")", "!"]),
        ('a <x  id="1"/>b</x> 1 < 2', ["a", '<x id="1"/>', "b", "</x>", "1", "<", "2"]),
        ("%ux%u: 10% 100%ige", ["%u", "x", "%u", ":", "10", "%", "100", "%", "ige"]),
        ("aujourd'hui qu'il", ["aujourd'hui", "qu'", "il"]),
        ("日本。", ["日", "本", "。"]),
        ("e\u0301te\u0301", ["e\u0301te\u0301"]),
        ("<" * 3 + "{" * 3 + "%", ["<<<", "{{{", "%"]),
    ],
)
def test_text_is_split_into_words_and_marks(text, tokens):
    assert split(text) == tokens


@given(st.text())
def test_splitting_loses_white_space_only(text):
    assert "".join("".join(split(text)).split()) == "".join(text.split())


# Files


def test_terms_are_written_with_a_header_whole_or_not_at_all(tmp_path):
    write([Term("file name", "nom de fichier", 2 / 3, 4, 3, 2, 17)], tmp_path / "terms.tsv")
    assert (tmp_path / "terms.tsv").read_text(encoding="utf8") == (
        "source\ttarget\tnpmi\tsource count\ttarget count\tjoint count\texample segment\n"
        "file name\tnom de fichier\t0.666667\t4\t3\t2\t17\n"
    )
    (tmp_path / "taken").mkdir()
    for name in ("taken", "absent/terms.tsv", "terms.tsv/terms.tsv"):
        with pytest.raises(UserError, match=rf"{name} cannot be written: .*choose another file"):
            write([], tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["taken", "terms.tsv"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": -1}, "threshold=-1: npmi is above -1"),
        ({"threshold": 1.01}, "at most 1"),
        ({"threshold": float("nan")}, "threshold=nan"),
        ({"min_words": 4, "max_words": 3}, "min_words=4 is more than max_words=3: lower"),
        ({"min_words": 0}, "min_words=0: must be at least 1"),
        ({"min_count": 0}, "min_count=0: must be at least 1"),
        ({"punctuation": "some"}, "punctuation='some': must be inside or"),
    ],
)
def test_options_out_of_range_are_refused_before_anything_is_read(options, message):
    with pytest.raises(UserError, match=message):
        extract(Path("absent.en"), Path("absent.de"), **options)


def test_files_that_are_empty_or_not_aligned_are_refused_by_name(tmp_path):
    (tmp_path / "none").touch()
    (tmp_path / "one").write_text("a\n")
    (tmp_path / "two").write_text("a\nb\n")
    with pytest.raises(UserError, match=r"none are empty: .*Give files"):
        extract(tmp_path / "none", tmp_path / "none")
    with pytest.raises(UserError, match=r"one ends before line 2"):
        extract(tmp_path / "two", tmp_path / "one")
    with pytest.raises(UserError, match=r"absent cannot be read"):
        extract(tmp_path / "absent", tmp_path / "one")


@pytest.mark.skipif(not SHARED.exists(), reason="the parallel text is not here")
def test_terms_of_real_software_are_what_the_judge_finds(tmp_path):
    from gridbeam.text.parallel import aligned

    folder = SHARED / "data" / "software" / "en-de"
    pairs = list(aligned(folder / "test.en", folder / "test.de"))
    found = extracted(tmp_path, pairs, min_count=3)
    counts = Counter(
        (term.source_count, term.target_count, term.joint_count, term.segment) for term in found
    )
    assert counts == Counter(row[2:] for row in judged(pairs, min_count=3))
    assert len(found) > 20
