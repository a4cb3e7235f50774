"""The shape of the package: which folder may import which, whatever the form of the import."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gridbeam

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "gridbeam"

LAW: dict[str, str] = {
    "errors": "",
    "support": "errors",
    "text": "errors",
    "constraints": "errors",
    "tokens": "errors text constraints",
    "models": "errors support text",
    "decoding": "errors support constraints models",
    "draw": "errors constraints decoding",
    "generate": "errors constraints tokens models decoding",
    "markup": "errors text constraints",
    "translation": "errors support text constraints tokens models decoding draw markup",
    "editing": "errors text constraints tokens models decoding translation",
    "serving": "errors models decoding draw translation",
    "glossary": "errors support text constraints tokens markup",
    "documents": "errors support text constraints markup",
    "checks": "errors support text constraints markup glossary documents draw",
    "files": (
        "errors support text constraints models decoding markup translation glossary documents "
        "checks"
    ),
    "store": "errors glossary",
    "workspace": (
        "errors text constraints decoding markup translation editing serving glossary documents "
        "checks files store"
    ),
    "web": "",
    "server": (
        "errors text constraints models decoding draw generate markup translation editing glossary "
        "documents checks files serving store workspace web"
    ),
    "terminology": "errors support text glossary",
    "distributed": (
        "errors support text constraints models decoding translation glossary documents files "
        "terminology"
    ),
    "evaluation": "errors support text constraints models decoding translation glossary",
    "training": "errors support text models markup translation evaluation",
    "experiments": (
        "errors support text tokens constraints models decoding markup translation editing "
        "glossary terminology distributed evaluation"
    ),
    "cli": (
        "errors support text constraints tokens models decoding translation glossary documents "
        "checks files store server terminology distributed evaluation training experiments"
    ),
}
"""For each folder those that it may import, from the bottom up: none below its own line."""
SHORT_NAMES = {
    "notation": "constraints",
    "scoring": "decoding",
    "postedit": "editing",
    "terms": "terminology",
}
"""Modules at the root that only pass names on, and the folder they take them from."""


def folder_of(path: Path) -> str:
    """The folder of the package that a file lies in; its own name for one at the root."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_by(tree: ast.AST, package: str) -> Iterator[str]:
    """The dotted name of everything a file of `package` imports, in whichever form.

    A name that is imported from a module counts as part of it: it may be a module, too.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and "import" in ast.unparse(node.func):
            yield from (each.value for each in node.args if is_text(each))
        elif isinstance(node, ast.Attribute) and ast.unparse(node).startswith("gridbeam."):
            yield ast.unparse(node)


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def folders_imported(source: str, package: str) -> set[str]:
    """The folders of gridbeam that a file of `package` imports from."""
    found = set()
    for name in imported_by(ast.parse(source), package):
        top, _, rest = name.partition(".")
        if top == "gridbeam" and rest not in ("", "__version__"):
            found.add(home_of(rest.partition(".")[0]))
    return found


def home_of(name: str) -> str:
    """The folder behind a name of the root: its own, or the one that it is passed on from."""
    known = {each: home.split(".")[0] for each, home in gridbeam._HOME.items()}
    return SHORT_NAMES.get(name) or known.get(name) or name


def files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def test_a_folder_imports_only_what_the_law_lets_it():
    for path in files():
        folder = folder_of(path)
        if folder in ("__init__", "__main__"):
            continue
        may = {folder, *LAW.get(folder, SHORT_NAMES.get(folder, "")).split()}
        package = ".".join(("gridbeam", *path.relative_to(PACKAGE).parent.parts))
        wrong = folders_imported(path.read_text(encoding="utf8"), package) - may
        assert not wrong, f"{path.relative_to(ROOT)} imports from {', '.join(sorted(wrong))}"


def test_the_law_has_no_edge_that_nothing_uses():
    used: dict[str, set[str]] = {folder: set() for folder in LAW}
    for path in files():
        package = ".".join(("gridbeam", *path.relative_to(PACKAGE).parent.parts))
        if folder_of(path) in LAW:
            imported = folders_imported(path.read_text(encoding="utf8"), package)
            used[folder_of(path)] |= imported - {folder_of(path)}
    assert {folder: set(may.split()) for folder, may in LAW.items()} == used


@pytest.mark.parametrize(
    "form",
    [
        "from gridbeam import cli",
        "from gridbeam.cli import main",
        "import gridbeam.cli.commands",
        "import gridbeam.cli as there",
        "from . import cli",
        "from .cli import main",
        "def late():\n    from gridbeam import cli",
        "from importlib import import_module\nimport_module('gridbeam.cli')",
        "import gridbeam\ngridbeam.cli.main()",
    ],
)
def test_every_form_of_import_is_seen(form):
    assert "cli" in folders_imported(form, "gridbeam")


def test_an_import_of_a_public_name_is_one_of_its_folder():
    assert folders_imported("from gridbeam import Translator", "gridbeam") == {"translation"}
    assert folders_imported("import gridbeam\ngridbeam.search()", "gridbeam") == {"decoding"}
    assert folders_imported("from ..notation import to_json", "gridbeam.draw") == {"constraints"}


def test_folders_import_upwards_in_the_map():
    order = list(LAW)
    for number, (folder, may) in enumerate(LAW.items()):
        assert set(may.split()) <= set(order[:number]), folder


def test_the_map_has_a_line_for_each_folder_in_the_order_of_the_law():
    named = re.findall(r"^    (\w+)(?:/|\.py) ", gridbeam.__doc__, re.M)
    assert named == list(LAW)
    there = {path.stem for path in PACKAGE.iterdir() if not path.name.startswith("__")}
    assert there == {*LAW, *SHORT_NAMES, "py"}


def test_every_public_name_can_be_had():
    for name in (*gridbeam.__all__, *SHORT_NAMES):
        assert getattr(gridbeam, name) is not None
        assert name in dir(gridbeam)
    assert set(gridbeam._HOME) | gridbeam._MODULES == {*gridbeam.__all__, *SHORT_NAMES}
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = gridbeam.nothing


def loaded_after(code: str) -> set[str]:
    """The modules that a new process has loaded after some code, on the real package."""
    program = f"{code}\nimport sys; print('\\n' + ' '.join(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(run.stdout.rpartition("\n\n")[2].split() or run.stdout.split())


def test_the_language_and_algorithm1_need_no_torch():
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for folder in ("text", "constraints", "tokens", "markup", "glossary", "documents", "checks")
        for path in sorted((PACKAGE / folder).rglob("*.py"))
    ]
    modules += ["gridbeam.decoding.algorithm1", "gridbeam.terminology.extract", "gridbeam.draw"]
    modules += ["gridbeam.decoding.options", "gridbeam.translation.defaults", "gridbeam.cli"]
    code = "".join(f"import {name.removesuffix('.__init__')}\n" for name in modules)
    assert not {"torch", "transformers"} & loaded_after(code)


def test_the_store_needs_no_torch():
    loaded = loaded_after("import gridbeam.store")
    assert not {"torch", "transformers"} & loaded
    assert "sqlalchemy" in loaded


LOCKS = ("requirements.lock", "requirements-cuda.lock")


def test_every_install_is_locked_to_exact_versions():
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    assert "torch==2.13.0 \\" in lines
    for name in LOCKS:
        for package in packages_of(name):
            assert re.match(r"[\w.-]+==[\w.]+ (; .* )?\\\n", package), package


def test_every_file_that_may_be_installed_is_known_by_its_hash():
    for name in LOCKS:
        for package in packages_of(name):
            _, *hashes = package.replace(" \\", "").splitlines()
            assert hashes
            assert all(re.fullmatch(r" {4}--hash=sha256:[0-9a-f]{64}", each) for each in hashes)


def packages_of(lock: str) -> list[str]:
    """The lines of each package of a lock file."""
    return re.split(r"\n(?=\S)", (ROOT / lock).read_text().rstrip("\n"))
