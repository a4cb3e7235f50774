"""Programs of the system that tests use for real: where they are, and what to do without them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import pytest

NEEDED = os.environ.get("GRIDBEAM_TESTS_NEED", "")
"""Packages without which tests fail instead of being skipped: "chromium postgresql"."""


def program(*names: str, folders: Iterable[Path] = ()) -> Path | None:
    """The first of some programs that is there: on the path, or else in one of the folders."""
    for name in names:
        if found := shutil.which(name):
            return Path(found)
    for folder in folders:
        for name in names:
            if (folder / name).is_file():
                return folder / name
    return None


def do_without(package: str) -> NoReturn:
    """Skips the test for want of a package of the system, or fails if it is needed."""
    said = f"needs {package}: as root, apt-get install {package}"
    if package in NEEDED.split():
        pytest.fail(said, pytrace=False)
    pytest.skip(said)


def skipped_for_want(reports: Iterable[pytest.TestReport]) -> list[str]:
    """One line for each package that tests were skipped for want of."""
    counts: dict[str, int] = {}
    for report in reports:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        said = reason.removeprefix("Skipped: ")
        if said.startswith("needs "):
            counts[said] = counts.get(said, 0) + 1
    return [f"{count} tests skipped: {said}" for said, count in counts.items()]
