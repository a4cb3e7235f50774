"""Every example in README and docs/ runs, and what they point to is there."""

from __future__ import annotations

import doctest
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest
import translation

ROOT = Path(__file__).parent.parent

TOY = functools.cache(translation.toy)
"""Several pages train the same toy."""
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """The fenced blocks of a language, each with the line it begins at."""
    text = page.read_text(encoding="utf8")
    found = re.finditer(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)
    return [(text[: match.start()].count("\n") + 1, match[1]) for match in found]


def marked(page: Path):
    """A page whose examples train a model, or load a real one, is slow."""
    is_slow = any(
        re.search(r"translation\.toy|Translator\.load|builtin:|transformers\.|open_document", code)
        for _, code in blocks(page, "python")
    )
    return pytest.param(page, id=page.name, marks=[pytest.mark.slow] * is_slow)


@pytest.mark.parametrize("page", map(marked, PAGES))
def test_every_python_example_runs_and_prints_what_it_says(page, monkeypatch):
    monkeypatch.setattr(translation, "toy", TOY)
    names: dict[str, object] = {"__name__": "example"}
    for line, code in blocks(page, "python"):
        if ">>>" not in code:
            exec(compile(code, f"{page.name}:{line}", "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), line)
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
        said: list[str] = []
        runner.run(test, out=said.append, clear_globs=False)
        names.update(test.globs)
        assert not runner.failures, "".join(said)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[\w-]+)?\)", page.read_text(encoding="utf8")):
        assert (page.parent / target).exists(), f"{page.name} points to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_shown_exists(page):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M))
    for _, code in blocks(page, "sh"):
        for line in code.splitlines():
            if made := re.match(r"make (\w+)", line):
                assert made[1] in targets, line
            if script := re.search(r"python (\S+\.py)", line):
                assert (ROOT / script[1]).exists(), line


@pytest.mark.slow
@pytest.mark.parametrize(
    "script", sorted((ROOT / "examples").glob("*.py")), ids=lambda script: script.name
)
def test_every_example_script_runs(script):
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, encoding="utf8", check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 5


@pytest.mark.parametrize(
    "name", ["engine", "defaults", "spending", "memory", "generate", "terms", "glossary"]
)
def test_the_tables_in_the_docs_are_the_measured_ones(name):
    """The page shows the numbers of the results files, row by row, with their signatures."""
    import tables

    assert tables.markdown(name) in (ROOT / "docs" / tables.TABLES[name][0]).read_text(
        encoding="utf8"
    )


def test_the_defaults_in_the_docs_are_those_of_each_way_in():
    import tables

    page = (ROOT / "docs" / "search.md").read_text(encoding="utf8")
    assert f"<!-- doors -->\n{tables.doors()}\n<!-- end -->" in page


def test_every_option_of_the_search_is_explained_with_its_default():
    from gridbeam.decoding.options import NAMES, SEARCH

    page = (ROOT / "docs" / "search.md").read_text(encoding="utf8")
    for name in NAMES:
        value = getattr(SEARCH, name)
        shown = (
            value.__name__ if callable(value) else f'"{value}"' if isinstance(value, str) else value
        )
        assert f"| `{name}={shown}` | " in page, name


def test_a_reason_is_given_for_each_default_that_differs_and_no_other():
    import tables

    reasons = [line for line in tables.doors().splitlines() if line.startswith("- ")]
    assert len(reasons) == len(tables.WHY)


@pytest.mark.slow
def test_the_picture_of_the_grid_is_the_one_the_demo_draws(tmp_path):
    """Its columns, rows, and the words and verbs of its winner.

    Another processor may rank losers otherwise.
    """
    subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py", "--svg", tmp_path / "grid.svg"],
        check=True,
        capture_output=True,
    )
    drawn, shown = (
        (folder / "grid.svg").read_text(encoding="utf8") for folder in (tmp_path, ROOT / "docs")
    )
    for written in (
        r'class="token ink-(\w+)"[^>]*>([^<]*)<',
        r'class="small token[^"]*"[^>]*>([^<]*)<',
        r'class="row"[^>]*>(\d+)<',
    ):
        assert re.findall(written, drawn) == re.findall(written, shown) != []
