"""Wrong changes to the package, each with the tests that must notice it; a command tries them.

    python tests/mutants.py                  # every mutant
    python tests/mutants.py "NAME" ...       # some

A mutant that survives is a test that is missing: the command names it and exits with 1. The package
itself stays as it is: every change is made to a copy.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
_FAILED = re.compile(r"^FAILED (\S+?)(?:\[| |$)", re.M)


@dataclass(frozen=True)
class Mutant:
    """A wrong change of one line."""

    name: str
    path: str
    old: str
    """What stands in the file, once."""
    new: str
    tests: tuple[str, ...]
    """The node ids of tests that must all fail; of one with parameters, some case."""


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "words that end together are confirmed one by one",
        "gridbeam/decoding/tables.py",
        "torch.maximum(covered.amax(1), together)",
        "covered.amax(1)",
        (
            "tests/decoding/test_debts.py::test_words_that_end_with_one_token_are_confirmed_together",
        ),
    ),
    Mutant(
        "all matches under way count as covered",
        "gridbeam/decoding/tables.py",
        "torch.maximum(covered.amax(1), together)",
        "covered.sum(1)",
        (
            "tests/decoding/test_debts.py::test_what_one_match_has_covered_is_not_lent_to_another",
            "tests/decoding/test_debts.py::test_debts_in_tensors_are_those_of_each_hypothesis_alone",
        ),
    ),
    Mutant(
        "a text is expected to end at once",
        "gridbeam/decoding/options.py",
        "(kept / next_**self.length_penalty).maximum(kept / divisor)",
        "kept / next_**self.length_penalty",
        (
            "tests/decoding/test_early_stop.py::test_a_text_that_pays_only_when_it_is_long_is_waited_for",
        ),
    ),
    Mutant(
        "a text is expected to end at the limit",
        "gridbeam/decoding/options.py",
        "(kept / next_**self.length_penalty).maximum(kept / divisor)",
        "kept / divisor",
        (
            "tests/decoding/test_early_stop.py::test_a_text_that_pays_only_when_it_ends_soon_is_waited_for",
        ),
    ),
    Mutant(
        "rewards for length are expected for one token more",
        "gridbeam/decoding/options.py",
        "reward.clamp(min=self.length_reward * next_)",
        "self.length_reward * next_",
        (
            "tests/decoding/test_early_stop.py::test_a_text_that_pays_only_when_it_is_long_is_waited_for",
        ),
    ),
    Mutant(
        "copies of a phrase share tokens",
        "gridbeam/decoding/searching.py",
        "found[-1][1] if terms[copy].role.counts_copies",
        "found[0][0] + 1 if terms[copy].role.counts_copies",
        ("tests/decoding/test_spans.py::test_copies_of_a_phrase_share_no_token",),
    ),
    Mutant(
        "a row that has enough gets more of a budget",
        "gridbeam/decoding/share.py",
        "wants_more = counts > shares",
        "wants_more = counts >= shares",
        (
            "tests/decoding/test_budget.py::test_no_place_of_a_budget_is_left_empty_that_a_row_has_use_for",
        ),
    ),
    Mutant(
        "a budget drops hypotheses one by one",
        "gridbeam/decoding/loop.py",
        "return undecided[kept.sentence]",
        "return can_win",
        ("tests/decoding/test_early_stop.py::test_under_a_budget_what_cannot_win_keeps_its_place",),
    ),
    Mutant(
        "a text is cut off in the midst of what is avoided",
        "gridbeam/decoding/candidates.py",
        "if limits.is_last:",
        "if False:",
        (
            "tests/decoding/test_words_at_the_end.py::test_the_limit_cuts_no_text_off_after_a_word_to_avoid",
            "tests/decoding/test_words_at_the_end.py::test_what_is_avoided_is_not_in_a_text_that_is_cut_off",
        ),
    ),
    Mutant(
        "words need no room between them",
        "gridbeam/constraints/feasibility.py",
        "return len(wanted) if fits_everywhere else None",
        "return 0 if fits_everywhere else None",
        (
            "tests/decoding/test_words_at_the_end.py::test_words_with_a_space_between_them_need_room_for_it",
        ),
    ),
    Mutant(
        "half a character after a required word ends it",
        "gridbeam/tokens/lattice.py",
        "return not self.is_certain if is_part is None",
        "return True if is_part is None",
        (
            "tests/tokens/test_broken_bytes.py::test_half_a_character_by_a_word_is_taken_for_the_worse",
            "tests/tokens/test_broken_bytes.py::test_a_word_with_half_a_letter_after_it_is_not_the_word",
        ),
    ),
    Mutant(
        "half a character after an avoided word hides it",
        "gridbeam/tokens/lattice.py",
        "return not self.is_certain if is_part is None",
        "return False if is_part is None",
        (
            "tests/tokens/test_broken_bytes.py::test_half_a_character_by_a_word_is_taken_for_the_worse",
            "tests/tokens/test_broken_bytes.py::test_a_word_with_half_a_letter_after_it_is_not_the_word",
        ),
    ),
    Mutant(
        "an overlap of one character is none",
        "gridbeam/markup/protect.py",
        "sizes = range(1, min(len(one), len(other)))",
        "sizes = range(2, min(len(one), len(other)))",
        (
            "tests/markup/test_running_together.py::test_texts_overlap_where_one_can_be_laid_over_another",
            "tests/markup/test_running_together.py::test_placeholders_that_share_a_mark_are_shown_apart",
        ),
    ),
    Mutant(
        "a surplus placeholder leaves its space",
        "gridbeam/markup/restore.py",
        "        return before, end",
        "        return start, end",
        (
            "tests/markup/test_running_together.py::test_a_placeholder_too_many_leaves_no_space_behind",
            "tests/markup/test_running_together.py::test_a_placeholder_too_many_goes_with_its_space",
        ),
    ),
    Mutant(
        "TSV is written over its own input",
        "gridbeam/documents/tsv.py",
        'name="tsv",',
        'name="tsv", keeps_source=True,',
        (
            "tests/files/test_written_over.py::test_a_file_that_loses_its_source_is_not_written_over",
        ),
    ),
    Mutant(
        "Moses markup is written over its own input",
        "gridbeam/documents/moses.py",
        'name="moses",',
        'name="moses", keeps_source=True,',
        (
            "tests/files/test_written_over.py::test_a_file_that_loses_its_source_is_not_written_over",
        ),
    ),
    Mutant(
        "half a line stays in the journal",
        "gridbeam/files/journal.py",
        "self._file.cut()",
        "pass",
        (
            "tests/files/test_torn_journal.py::test_a_line_written_over_half_a_line_is_read_as_it_is",
        ),
    ),
    Mutant(
        "half a character before a required word begins it",
        "gridbeam/tokens/lattice.py",
        '_is_boundary(last_character(head), "_")',
        '_is_boundary(last_character(head), " ")',
        (
            "tests/tokens/test_broken_bytes.py::test_half_a_character_by_a_word_is_taken_for_the_worse",
        ),
    ),
    Mutant(
        "half a character before an avoided word hides it",
        "gridbeam/tokens/lattice.py",
        '_is_boundary(last_character(head), " ")',
        '_is_boundary(last_character(head), "_")',
        (
            "tests/tokens/test_broken_bytes.py::test_half_a_character_by_a_word_is_taken_for_the_worse",
        ),
    ),
    Mutant(
        "a user cuts a text off after what is avoided",
        "gridbeam/decoding/loop.py",
        "may_end = (candidates.owed == 0) & ~tables",
        "may_end = (candidates.owed == 0) | ~tables",
        (
            "tests/decoding/test_words_at_the_end.py::test_a_user_cuts_no_text_off_after_a_word_to_avoid",
        ),
    ),
    Mutant(
        "half a line stays before the one that is added",
        "gridbeam/support/line_files.py",
        "            self.cut()\n",
        "",
        (
            "tests/support/test_writing.py::test_half_a_line_is_not_read_and_is_cut_when_a_line_is_added",
        ),
    ),
    Mutant(
        "half a line counts as one that is written",
        "gridbeam/support/line_files.py",
        "return begin + found + 1",
        "return end",
        ("tests/files/test_torn_journal.py::test_half_a_line_leaves_nothing_behind",),
    ),
    Mutant(
        "a state does not inherit the arcs of its base",
        "gridbeam/decoding/tables.py",
        "torch.where(is_inherited, inherited, default)",
        "default",
        ("tests/decoding/test_debts.py::test_debts_in_tensors_are_those_of_each_hypothesis_alone",),
    ),
    Mutant(
        "the least that a constraint needs is that of the easiest",
        "gridbeam/decoding/tables.py",
        "self.needs[progress].amax(1)",
        "self.needs[progress].amin(1)",
        ("tests/decoding/test_debts.py::test_debts_in_tensors_are_those_of_each_hypothesis_alone",),
    ),
    Mutant(
        "what does not divide of a budget goes nowhere",
        "gridbeam/decoding/share.py",
        "wants_more.cumsum(1) <= most",
        "wants_more.cumsum(1) < most",
        (
            "tests/decoding/test_budget.py::test_no_place_of_a_budget_is_left_empty_that_a_row_has_use_for",
        ),
    ),
    Mutant(
        "ended hypotheses take the places of others",
        "gridbeam/decoding/prune.py",
        '| (ended == "in_beam")',
        "| True",
        ("tests/decoding/test_budget.py::test_a_budget_is_dealt_out_to_rows_that_have_use_for_it",),
    ),
    Mutant(
        "one ended text is a whole beam",
        "gridbeam/decoding/finished.py",
        "worst = self.score[:, width - 1]",
        "worst = self.score[:, 0]",
        ("tests/decoding/test_early_stop.py::test_who_stops_at_the_first_waits_for_a_whole_beam",),
    ),
    Mutant(
        "a prefix listed twice needs twice its tokens",
        "gridbeam/constraints/feasibility.py",
        "copies = count if term.role.counts_copies else 1",
        "copies = count",
        ("tests/decoding/test_spans.py::test_a_prefix_listed_twice_is_one_beginning",),
    ),
    Mutant(
        "copies are counted though they interleave",
        "gridbeam/constraints/occurrences.py",
        "found_until[term] = spans[-1][1]",
        "found_until[term] = spans[0][1]",
        (
            "tests/decoding/test_spans.py::test_check_counts_a_copy_only_where_the_one_before_has_ended",
        ),
    ),
)


@contextmanager
def copied() -> Iterator[Path]:
    """A folder with a copy of the package and its tests."""
    with TemporaryDirectory(prefix="mutant-") as name:
        folder = Path(name)
        without = shutil.ignore_patterns("__pycache__")
        shutil.copytree(
            ROOT / "gridbeam", folder / "gridbeam", copy_function=os.symlink, ignore=without
        )
        shutil.copytree(ROOT / "tests", folder / "tests", ignore=without)
        shutil.copy(ROOT / "pyproject.toml", folder)
        yield folder


def mutate(folder: Path, mutant: Mutant) -> None:
    """Makes the change in a copy; its files are links, so the one that changes is replaced."""
    path = folder / mutant.path
    text = path.read_text(encoding="utf8")
    if text.count(mutant.old) != 1:
        raise SystemExit(f"{mutant.name}: {mutant.old!r} does not stand once in {mutant.path}.")
    path.unlink()
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf8")


def failing(folder: Path, tests: Iterable[str]) -> set[str]:
    """Those of the tests that fail with the copy of the package in a folder."""
    names = sorted(set(tests))
    command = [sys.executable, "-m", "pytest", "-rf", "--tb=no", *names]
    quick = {"GRIDBEAM_TESTS": "mutants", "PYTHONDONTWRITEBYTECODE": "1"}
    environment = {**os.environ, **quick, "PYTHONPATH": str(folder)}
    run = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if run.returncode not in (0, 1):
        raise SystemExit(f"the tests did not run:\n{run.stdout[-3000:]}{run.stderr[-3000:]}")
    return set(_FAILED.findall(run.stdout))


def survivors(mutants: Sequence[Mutant]) -> Iterator[str]:
    """The names of the mutants that a test which must fail lets pass; prints what came of each."""
    with copied() as folder:
        if broken := failing(folder, (test for mutant in mutants for test in mutant.tests)):
            raise SystemExit(f"these fail without any mutant: {', '.join(sorted(broken))}")
    for mutant in mutants:
        with copied() as folder:
            mutate(folder, mutant)
            passing = set(mutant.tests) - failing(folder, mutant.tests)
        print(
            f"survived  {mutant.name}: {', '.join(sorted(passing))}"
            if passing
            else f"killed    {mutant.name}",
            flush=True,
        )
        if passing:
            yield mutant.name


def main(names: Sequence[str]) -> int:
    """Tries the mutants of these names, or all; 1 where one survives."""
    unknown = set(names) - {mutant.name for mutant in MUTANTS}
    if unknown:
        raise SystemExit(f"no mutant is called {', '.join(sorted(unknown))}: see tests/mutants.py.")
    chosen = [mutant for mutant in MUTANTS if not names or mutant.name in names]
    survived = list(survivors(chosen))
    print(f"{len(chosen) - len(survived)} of {len(chosen)} mutants killed")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
