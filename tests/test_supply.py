"""What the package is built of, and what it never does: no pickles, no code of files, no sources
that cannot test themselves.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import bill_of_materials
import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "gridbeam"
CODE_IN_DATA = {
    "pickle",
    "cPickle",
    "_pickle",
    "cloudpickle",
    "dill",
    "joblib",
    "marshal",
    "shelve",
}
"""Modules that run what a file says when they read it."""
HARMLESS = {"from pickle import PickleError"}
"""The error that torch raises where weights are none."""
RUNS_TEXT = {"eval", "exec", "compile", "__import__"}


def trees() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(ROOT), ast.parse(path.read_text(encoding="utf8"))


def calls() -> Iterator[tuple[Path, str, ast.Call]]:
    """Each call in the package: its file, and the name that is called."""
    for path, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield path, ast.unparse(node.func), node


def keywords(call: ast.Call) -> dict[str | None, str]:
    return {each.arg: ast.unparse(each.value) for each in call.keywords}


def test_nothing_imports_what_runs_the_data_that_it_reads():
    for path, tree in trees():
        for node in ast.walk(tree):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and ast.unparse(node) not in HARMLESS:
                names.append(node.module or "")
            assert not {name.partition(".")[0] for name in names} & CODE_IN_DATA, path


def test_text_is_never_run_and_weights_are_read_as_weights_only():
    for path, name, call in calls():
        assert name not in RUNS_TEXT, path
        assert name not in ("yaml.load", "yaml.unsafe_load", "os.system"), path
        assert keywords(call).get("allow_pickle", "False") == "False", path
        assert keywords(call).get("shell") != "True", path
        if name == "torch.load":
            assert keywords(call).get("weights_only") == "True", path


def test_code_of_model_folders_is_run_only_where_the_caller_says_so():
    for path, name, call in calls():
        said = keywords(call).get("trust_remote_code")
        assert said in (None, "trust_remote_code", "wish.trust_remote_code"), f"{path}: {name}"


def test_the_bill_of_materials_has_every_package_of_the_lock_with_its_hashes():
    bill = bill_of_materials.bill(ROOT / "requirements.lock")
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    found = {each["purl"]: each for each in bill["components"]}
    locked = re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "requirements.lock").read_text(), re.M)
    assert set(found) == {f"pkg:pypi/{name.lower()}@{version}" for name, version in locked}
    for each in bill["components"]:
        assert each["type"] == "library"
        assert all(len(digest["content"]) == 64 for digest in each["hashes"]) and each["hashes"]
    torch = found["pkg:pypi/torch@2.13.0"]
    assert len(torch["hashes"]) > 10
    json.dumps(bill)


@pytest.mark.slow
def test_the_sdist_builds_and_tests_itself(tmp_path):
    """Built as a release is, unpacked elsewhere, and tested with what lies in it."""
    tree = tmp_path / "tree"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".*", "general", "*.egg-info"))
    (tree / "gridbeam/models/general").mkdir()
    (tree / "gridbeam/models/general/model.safetensors").touch()
    build = f"from setuptools import build_meta; build_meta.build_sdist({str(tmp_path)!r})"
    run("-c", build, folder=tree)
    [path] = tmp_path.glob("gridbeam-*.tar.gz")
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path, filter="data")
    [unpacked] = [each for each in tmp_path.glob("gridbeam-*") if each.is_dir()]
    for name in ("tests/oracle.py", "docs/search.md", "Makefile", "requirements.lock"):
        assert (unpacked / name).is_file(), name
    assert (unpacked / "gridbeam/models/builtin/model.safetensors").is_file()
    assert not (unpacked / "gridbeam/models/general").exists()
    quick = ["tests/constraints/test_occurrences.py", "tests/text", "gridbeam/constraints"]
    run("-m", "pytest", "-p", "no:xdist", *quick, folder=unpacked)
    where = run("-c", "import gridbeam; print(gridbeam.__file__)", folder=unpacked)
    assert where.startswith(str(unpacked))


def run(*words: str, folder: Path) -> str:
    """What Python prints in a folder, with the package that lies there."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
