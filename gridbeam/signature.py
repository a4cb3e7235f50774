"""The line that stands under every number: versions, commit and machine."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import torch

import gridbeam


def signature() -> str:
    """gridbeam and torch versions, the commit, the processor and its threads.

    Where there is a copy without its history, GRIDBEAM_COMMIT says which commit it is.
    """
    git = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    described = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    commit = os.environ.get("GRIDBEAM_COMMIT") or described or "unknown"
    return (
        f"gridbeam {gridbeam.__version__} ({commit}), torch {torch.__version__}, Python {platform.python_version()}, "
        f"{_processor()}, {torch.get_num_threads()} threads"
    )


def _processor() -> str:
    if torch.cuda.is_available():
        return torch.cuda.get_device_name()
    info = Path("/proc/cpuinfo")
    names = (
        [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        if info.exists()
        else []
    )
    return names[0] if names else platform.processor() or platform.machine()
