"""The glossary of a project, ready to be looked up in, for as long as nobody changes it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from gridbeam.glossary.entries import Glossary
from gridbeam.glossary.matching import Match, Matcher, once_a_sentence
from gridbeam.store import ProjectRow, Store
from gridbeam.text.lemmas import has_lemmas

_KEPT = 8
"""How many glossaries are kept ready."""


@dataclass(frozen=True)
class Terms:
    """What a translation owes to a glossary."""

    glossary: Glossary
    has_forms: bool = False
    """Whether terms are found in any of their forms, and may be said in any."""
    _matcher: Matcher | None = None

    @classmethod
    def of(cls, glossary: Glossary) -> Terms:
        """The terms of a glossary; by their lemmas where both languages are known so well."""
        if not glossary.entries:
            return cls(glossary)
        has_forms = has_lemmas(glossary.source_language) and has_lemmas(glossary.target_language)
        return cls(glossary, has_forms, Matcher(glossary, lemmas=has_forms))

    def matches(self, text: str) -> Sequence[Match]:
        """The terms that a text has, each once in a sentence."""
        return [] if self._matcher is None else once_a_sentence(self._matcher.match(text))


@dataclass
class Glossaries:
    """The terms of projects, made when they are first asked for."""

    store: Store
    _ready: OrderedDict[tuple[str, int, str, str], Terms] = field(default_factory=OrderedDict)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def of(self, project: ProjectRow) -> Terms:
        """The terms of a project's glossary as it is now; none where it has no glossary."""
        if project.glossary is None:
            return Terms(Glossary((), project.source, project.target))
        version = self.store.glossaries.get(project.glossary).version
        key = (project.glossary, version, project.source, project.target)
        with self._turn:
            if key not in self._ready:
                self._ready[key] = self._made(project, project.glossary)
                while len(self._ready) > _KEPT:
                    self._ready.popitem(last=False)
            self._ready.move_to_end(key)
            return self._ready[key]

    def _made(self, project: ProjectRow, glossary: str) -> Terms:
        rows = self.store.entries.of(glossary, project.source, project.target)
        entries = tuple(row.entry for row in rows)
        return Terms.of(Glossary(entries, project.source, project.target))
