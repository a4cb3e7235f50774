"""The shape of the package: imports go downwards, the map is complete, the language needs no torch."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import gridbeam

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "gridbeam"


def layers() -> list[set[str]]:
    """The files of each layer of the map, from the top down."""
    found: list[set[str]] = []
    for line in gridbeam.__doc__.splitlines():
        if re.match(r"^\w+(: |\.py)", line) and not line.startswith("gridbeam"):
            found.append(set())
        if name := re.match(r"^ *([\w/]+)\.py ", line):
            found[-1].add(name[1])
    return found


def test_the_map_names_every_file_and_no_other():
    files = {str(path.relative_to(PACKAGE).with_suffix("")) for path in PACKAGE.rglob("*.py")} - {"__init__"}
    assert set().union(*layers()) == files


def test_imports_go_downwards():
    level = {name: depth for depth, names in enumerate(layers()) for name in names}
    for name, depth in level.items():
        tree = ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gridbeam."):
                target = node.module.removeprefix("gridbeam.").replace(".", "/")
                target = target if target in level else f"{target}/__init__"
                assert level[target] >= depth, f"{name}.py imports {node.module}, which is above it"


def test_models_know_nothing_of_constraints_or_search():
    for path in (PACKAGE / "models").glob("*.py"):
        imported = re.findall(r"^from gridbeam\.(\w+)", path.read_text(encoding="utf8"), re.M)
        assert set(imported) <= {"errors", "models"}


def test_the_language_and_algorithm1_need_no_torch():
    names = [
        "subwords",
        "spelling",
        "vocabulary",
        "feasibility",
        "automaton",
        "machine",
        "nfa",
        "occurrences",
        "notation",
        "constraints",
        "algorithm1",
    ]
    stub = "import sys, types; p = types.ModuleType('gridbeam'); p.__path__ = [sys.argv[1]]; sys.modules['gridbeam'] = p; "
    code = stub + "".join(f"import gridbeam.{name}; " for name in names) + "sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code, str(PACKAGE)], check=False).returncode == 0


def test_every_install_is_locked_to_exact_versions():
    lines = (ROOT / "requirements.lock").read_text().split()
    assert "torch==2.13.0" in lines
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)
