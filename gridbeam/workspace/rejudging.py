"""What the checks find follows the glossary: after a change of it, projects are checked anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from gridbeam.serving.client import StopSearch
from gridbeam.store import Store
from gridbeam.workspace.glossaries import Glossaries
from gridbeam.workspace.kept import target_of
from gridbeam.workspace.opened import OpenSegment


@dataclass(frozen=True)
class Rejudging:
    """Checks all translations of a project; only the findings change, no act is made of it."""

    store: Store
    glossaries: Glossaries
    told: Callable[[int, int], None]
    """Is told each project and segment whose findings have changed."""

    def judge(self, number: int, closing: StopSearch) -> None:
        """Finds anew what there is to say about a project, until the server closes."""
        project = self.store.projects.get(number)
        terms = self.glossaries.of(project)
        for row in self.store.segments.of(number).rows:
            target = target_of(row)
            if closing.is_set():
                return
            if target is None:
                continue
            found = OpenSegment(project, row, terms).findings(target)
            # As the store gives them back: JSON knows no tuples.
            if json.loads(json.dumps(found)) != list(row.findings):
                self.store.segments.set_findings(row.id, row.version, found)
                self.told(number, row.id)
