"""Every example in README and docs/ runs, and what the pages name and point to is there."""

from __future__ import annotations

import doctest
import functools
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import translation
import yaml

import gridbeam

ROOT = Path(__file__).parent.parent

TOY = functools.cache(translation.toy)
"""Several pages train the same toy."""
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
COLUMNS = 100
FOREIGN = {"evaluate_term_wmt.py"}
"""Files that pages name and that are not ours."""


def shown(page: Path) -> str:
    """The page as a person names it."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """The fenced blocks of a language, each with the line it begins at."""
    text = page.read_text(encoding="utf8")
    found = re.finditer(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)
    return [(text[: match.start()].count("\n") + 1, match[1]) for match in found]


def marked(page: Path):
    """A page whose examples train a model, or load a real one, is slow."""
    is_slow = any(
        re.search(
            r"toy\(|experiments\.|Translator\.load|builtin:|transformers\.|open_document", code
        )
        for _, code in blocks(page, "python")
    )
    return pytest.param(page, id=shown(page), marks=[pytest.mark.slow] * is_slow)


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


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[\w-]+)?\)", page.read_text(encoding="utf8")):
        assert (page.parent / target).exists(), f"{page.name} points to {target}"


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_every_command_shown_exists(page):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M))
    for _, code in blocks(page, "sh"):
        for line in code.splitlines():
            if made := re.match(r"make (\w+)", line):
                assert made[1] in targets, line
            if script := re.search(r"python (\S+\.py)", line):
                assert (ROOT / script[1]).exists(), line


def written_lines(page: Path) -> Iterator[tuple[int, str]]:
    """The lines that a person writes, with their numbers: prose, and code of examples.

    Left out are what programs wrote (what examples print, and all between `<!-- NAME -->` and
    `<!-- end -->`) and the rows of tables, which Markdown cannot wrap.
    """
    language: str | None = None
    is_generated = False
    sessions = {line for line, code in blocks(page, "python") if ">>>" in code}
    starts: tuple[str, ...] = ("",)
    for number, line in enumerate(page.read_text(encoding="utf8").splitlines(), 1):
        if line.startswith("<!-- "):
            is_generated = line != "<!-- end -->"
        elif fence := re.match(r"\s*```(\w*)$", line):
            language = fence[1] if language is None else None
            starts = (">>> ", "... ") if number in sessions else ("",)
        elif is_generated or (language is None and line.startswith("|")):
            continue
        elif language in (None, "sh", "toml", "python") and line.startswith(starts):
            yield number, line


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_prose_and_examples_have_at_most_100_columns(page):
    wide = [f"{shown(page)}:{n}: {line}" for n, line in written_lines(page) if len(line) > COLUMNS]
    assert not wide, "\n".join(wide)


def test_the_lines_that_a_program_prints_may_be_wider(tmp_path):
    page = tmp_path / "page.md"
    text = """Prose.

| a table |

```python
>>> print(long)
printed
```

```python
no_prompt = 1
```

```sh
make demo
```

```
a picture
```

<!-- engine -->
generated
<!-- end -->
- an item
"""
    page.write_text(text, encoding="utf8")
    lines = [line for _, line in written_lines(page) if line]
    assert lines == ["Prose.", ">>> print(long)", "no_prompt = 1", "make demo", "- an item"]


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_every_file_that_a_page_names_is_there(page):
    """A file of ours is named by its path from the root, so that it can be found."""
    text = page.read_text(encoding="utf8")
    named = {
        *re.findall(r"`([\w./-]+\.py)`", text),
        *re.findall(r"\b(?:gridbeam|tests|examples|benchmarks)/[\w./-]+\.py\b", text),
    } - FOREIGN
    assert not [path for path in named if not (ROOT / path).is_file()], shown(page)


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_every_name_of_the_package_that_a_page_uses_is_there(page):
    for name in set(re.findall(r"\bgridbeam(?:\.[A-Za-z]\w*)+", page.read_text(encoding="utf8"))):
        try:
            pkgutil.resolve_name(name)
        except (ImportError, AttributeError) as error:
            pytest.fail(f"{shown(page)} speaks of {name}: {error}")


def test_the_readme_can_be_read_in_five_minutes():
    text = (ROOT / "README.md").read_text(encoding="utf8")
    assert len(text.splitlines()) <= 100
    for needed in ("make demo", "make test", "docs/grid.svg", "docs/README.md", "CITATION.cff"):
        assert needed in text


def test_every_page_is_listed_on_the_first_page_of_the_docs():
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf8")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert not [page for page in pages if f"]({page}" not in index]


def test_the_citation_names_this_version_and_the_paper():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf8"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()  # what the format wants
    assert (str(cited["version"]), cited["license"]) == (gridbeam.__version__, "MIT")
    assert cited["authors"] == [{"name": "The gridbeam authors"}]
    [paper] = cited["references"]
    assert [author["family-names"] for author in paper["authors"]] == ["Hokamp", "Liu"]
    assert (paper["doi"], paper["start"], paper["end"]) == ("10.18653/v1/P17-1141", 1535, 1546)


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
    "name",
    [
        *("engine", "defaults", "spending", "memory", "generate", "terms", "glossary", "kinds"),
        *("alarms", "faults", "estimate", "calibration", "limits", "shares", "damage"),
        *("editing", "offered", "store", "tags", "cpu", "threads"),
        *("workers", "required", "sent", "planning"),
    ],
)
def test_the_tables_in_the_docs_are_the_measured_ones(name):
    """The page shows the numbers of the results files, row by row, with their signatures."""
    import tables

    assert tables.markdown(name) in (ROOT / "docs" / tables.TABLES[name][0]).read_text(
        encoding="utf8"
    )


def test_the_rules_in_the_docs_are_those_of_the_checks():
    import tables

    page = (ROOT / "docs" / "checks.md").read_text(encoding="utf8")
    assert f"<!-- rules -->\n{tables.rules()}\n<!-- end -->" in page


def test_the_table_of_robustness_in_the_docs_is_the_measured_one():
    import robustness
    import tables

    page = (ROOT / "docs" / "models.md").read_text(encoding="utf8")
    assert f"<!-- robustness -->\n{robustness.table(tables.ROBUSTNESS)}\n<!-- end -->" in page


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
