"""Post-editing with a translator that listens: each correction is a constraint.

With it the sentence is translated anew. Section 4.1 of the paper calls it Pick-Revise.
`gridbeam.experiments` plays it with simulated users on whole test sets; this is one sentence and
its user.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

from gridbeam.constraints.terms import Constraint, ConstraintLike, as_constraints
from gridbeam.decoding.options import SearchKeywords, SearchOptions
from gridbeam.errors import UserError
from gridbeam.translation.defaults import POST_EDITING
from gridbeam.translation.request import Request, Translation
from gridbeam.translation.translator import Translator


@dataclass(frozen=True)
class Turn:
    """What was required so far, and the translation that says it."""

    constraints: tuple[Constraint, ...]
    translation: Translation


class PostEditing:
    """A sentence that is translated together with its user.

    All earlier constraints stay; what cannot be met together raises a `UserError`, and the
    translation stays as it was. Options are those of `gridbeam.search`, as keywords or one value.
    """

    def __init__(
        self,
        translator: Translator,
        source: str,
        *,
        options: SearchOptions = POST_EDITING,
        **changes: Unpack[SearchKeywords],
    ) -> None:
        self._translator, self.source = translator, source
        self._options = options.but(**changes)
        self._turns = [self._turn(())]

    @property
    def translation(self) -> Translation:
        """The translation as it stands."""
        return self._turns[-1].translation

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """What was required so far."""
        return self._turns[-1].constraints

    def revise(self, phrase: ConstraintLike) -> Translation:
        """The translation with this phrase as well, or what else a constraint may be."""
        self._turns.append(self._turn((*self.constraints, *as_constraints([phrase]))))
        return self.translation

    def undo(self) -> Translation:
        """The translation as it was before the last correction."""
        if len(self._turns) == 1:
            raise UserError("there is no correction to take back.")
        self._turns.pop()
        return self.translation

    def _turn(self, constraints: tuple[Constraint, ...]) -> Turn:
        request = Request(self.source, constraints)
        found = self._translator.translate(request, options=self._options, split=False)
        return Turn(constraints, found)
