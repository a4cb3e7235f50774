"""The bill of materials of the environment that is tested, from the lock file, as CycloneDX JSON.

python benchmarks/bill_of_materials.py > bom.json      # or: make sbom
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from gridbeam import __version__

LOCK = Path(__file__).parent.parent / "requirements.lock"
_PACKAGE = re.compile(r"^([\w.-]+)==(\S+)[^\n]*\n((?: {4}--hash=\S+[ \\]*\n?)+)", re.MULTILINE)


def bill(lock: Path) -> dict[str, Any]:
    """Each package of a lock file, with the hashes of its files."""
    found = _PACKAGE.findall(lock.read_text())
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {"type": "library", "name": "gridbeam", "version": __version__},
        },
        "components": [component(*each) for each in found],
    }


def component(name: str, version: str, hashes: str) -> dict[str, Any]:
    """A package as CycloneDX has it."""
    digests = re.findall(r"sha256:([0-9a-f]{64})", hashes)
    return {
        "type": "library",
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name.lower()}@{version}",
        "hashes": [{"alg": "SHA-256", "content": digest} for digest in digests],
    }


if __name__ == "__main__":
    print(json.dumps(bill(LOCK), indent=1))
