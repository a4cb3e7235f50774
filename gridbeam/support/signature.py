"""The line that stands under every number: versions, commit and machine.

It also has the digests of the files that the number was made of.
"""

from __future__ import annotations

import os
import platform
import subprocess
from hashlib import sha256
from pathlib import Path

import gridbeam
from gridbeam.errors import UserError


def signature(*, of_model: bool = True) -> str:
    """gridbeam and torch versions, the commit, the processor and its threads.

    With `of_model=False` those that a number depends on which no model had a hand in: torch is not
    among them, and not loaded. Where there is a copy without its history, GRIDBEAM_COMMIT says
    which commit it is.
    """
    git = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    described = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    commit = os.environ.get("GRIDBEAM_COMMIT") or described or "unknown"
    ours = f"gridbeam {gridbeam.__version__} ({commit})"
    python = f"Python {platform.python_version()}"
    if not of_model:
        return f"{ours}, {python}, {_processor()}"
    import torch  # which takes seconds

    where = torch.cuda.get_device_name() if torch.cuda.is_available() else _processor()
    return (
        f"{ours}, torch {torch.__version__}, {python}, {where}, {torch.get_num_threads()} threads"
    )


def digest(path: Path) -> str:
    """The first digits of the hash of a file."""
    try:
        with path.open("rb") as file:
            found = sha256()
            while part := file.read(1 << 20):
                found.update(part)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}. Check the path.") from None
    return found.hexdigest()[:16]


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    names = (
        [
            line.split(":", 1)[1].strip()
            for line in info.read_text().splitlines()
            if line.startswith("model name")
        ]
        if info.exists()
        else []
    )
    return names[0] if names else platform.processor() or platform.machine()
