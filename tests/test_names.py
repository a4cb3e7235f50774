"""A name means one thing: no two classes or types of the package share one."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import gridbeam

PACKAGE = Path(gridbeam.__file__).parent


def types_of(tree: ast.Module) -> Iterator[str]:
    """The classes and type aliases at the top of a module; type variables are nobody's."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            yield ast.unparse(node.target)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp):
            (name,) = map(ast.unparse, node.targets)
            if is_of_a_type(name):
                yield name


def is_of_a_type(name: str) -> bool:
    plain = name.lstrip("_")
    return plain[:1].isupper() and not plain.isupper()


def test_types_are_seen_whatever_their_form():
    source = (
        "class One: ...\nTwo: TypeAlias = int\n_Three = int | str\nFour = list[int]\nEND = a[0]"
    )
    assert list(types_of(ast.parse(source))) == ["One", "Two", "_Three", "Four"]


def test_no_two_types_share_a_name():
    homes: dict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for name in types_of(ast.parse(path.read_text(encoding="utf8"))):
            homes[name.lstrip("_")].append(path.relative_to(PACKAGE).as_posix())
    shared = {name: files for name, files in homes.items() if len(files) > 1}
    assert shared == {}


def test_no_two_test_files_share_a_name():
    """Pytest keeps one module for each name: a second file of that name is not collected."""
    names = [path.name for path in Path(__file__).parent.rglob("*.py") if path.stem != "conftest"]
    assert sorted(names) == sorted(set(names))
