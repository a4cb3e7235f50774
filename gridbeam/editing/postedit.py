"""Post-editing with a translator that listens: a text and its person, and all that was before.

Each correction is a constraint, and the sentence is translated anew with all of them. Section 4.1
of the paper calls it Pick-Revise, which is `revise`; the other verbs know the place of what is
said. `gridbeam.experiments` plays with simulated users on whole test sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, Unpack

from gridbeam.constraints.terms import Constraint, ConstraintLike
from gridbeam.decoding.options import SearchKeywords, SearchOptions
from gridbeam.editing import verbs
from gridbeam.editing.change import Change
from gridbeam.editing.joining import Alternative
from gridbeam.editing.others import alternatives
from gridbeam.editing.speaker import Speaker, TextSpeaker
from gridbeam.editing.state import EditingState
from gridbeam.editing.stretch import Stretch, StretchLike, word_at
from gridbeam.errors import UserError
from gridbeam.translation.defaults import POST_EDITING
from gridbeam.translation.request import Translation
from gridbeam.translation.translator import Translates


@dataclass(frozen=True)
class Turn:
    """A text as it was left, and the last translation that was searched for."""

    state: EditingState
    translation: Translation | None


class PostEditing:
    """A sentence that is translated together with its person.

    All earlier corrections stay; what cannot be met together raises a `UserError`, and everything
    stays as it was. Options are those of `gridbeam.search`, as keywords or one value.
    """

    def __init__(
        self,
        translator: Translates,
        source: str,
        *,
        options: SearchOptions = POST_EDITING,
        **changes: Unpack[SearchKeywords],
    ) -> None:
        self.source = source
        self._begin(TextSpeaker(translator, source, options.but(**changes)), None)

    @classmethod
    def of(cls, speaker: Speaker, state: EditingState | None = None) -> Self:
        """The same for anything that speaks, and perhaps from where it was left."""
        editing = cls.__new__(cls)
        editing._begin(speaker, state)
        return editing

    def _begin(self, speaker: Speaker, state: EditingState | None) -> None:
        self._speaker = speaker
        change = verbs.begin(speaker) if state is None else Change(state, state)
        self._turns = [_turn(change, None)]
        self._at = 0

    @property
    def state(self) -> EditingState:
        """The text as it stands, with what is locked, forbidden and required."""
        return self._turns[self._at].state

    @property
    def text(self) -> str:
        """The text as it stands."""
        return self.state.text

    @property
    def translation(self) -> Translation:
        """What the last search found; `text` may have been written over since."""
        found = self._turns[self._at].translation
        if found is None:
            raise UserError("there is no translation: the text was taken up as it was left.")
        return found

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """What `revise` was given so far."""
        return self.state.required

    def revise(self, phrase: ConstraintLike) -> Translation:
        """The translation with this phrase as well, or what else a constraint may be."""
        self._done(verbs.revise(self._speaker, self.state, phrase))
        return self.translation

    def replace(self, where: StretchLike, words: str) -> Change:
        """Other words at a place, where they stay; the rest changes only as it must.

        No words take out what stands there; an empty stretch puts them in between.
        """
        return self._done(verbs.replaced(self._speaker, self.state, where, words))

    def lock(self, where: StretchLike) -> Change:
        """A stretch stays as it is, in its order with all else that is locked."""
        return self._done(verbs.locked(self.state, where))

    def unlock(self, where: StretchLike) -> Change:
        """What is locked at a place may change again."""
        return self._done(verbs.unlocked(self.state, where))

    def forbid(self, words: str) -> Change:
        """Words that may not be said anywhere in the text."""
        return self._done(verbs.forbidding(self._speaker, self.state, words))

    def allow(self, words: str) -> Change:
        """Words that were forbidden may be said again."""
        return self._done(verbs.allowing(self.state, words))

    def complete(self, left: str) -> Change:
        """The text from the cursor on, with what was locked behind it."""
        return self._done(verbs.completed(self._speaker, self.state, left))

    def write(self, text: str) -> Change:
        """The text as the person has written it, without a search."""
        return self._done(verbs.written(self.state, text))

    def alternatives(self, where: StretchLike, n: int = 5) -> list[Alternative]:
        """Other wordings of a stretch, the most probable first."""
        return alternatives(self._speaker, self.state, where, n)

    def stretch_at(self, place: int) -> Stretch:
        """The word at a place of the text, which a click there may mean."""
        return word_at(self.text, place)

    @property
    def can_undo(self) -> bool:
        """Whether there is something to take back."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether something was taken back that can be done again."""
        return self._at + 1 < len(self._turns)

    def undo(self) -> Change:
        """The text and all that is known of it as it was before the last act."""
        if not self.can_undo:
            raise UserError("there is no correction to take back.")
        return self._went(-1)

    def redo(self) -> Change:
        """What was taken back last, again."""
        if not self.can_redo:
            raise UserError("there is nothing that was taken back.")
        return self._went(1)

    def _went(self, by: int) -> Change:
        before = self.state
        self._at += by
        return Change(before, self.state)

    def _done(self, change: Change) -> Change:
        turn = _turn(change, self._turns[self._at].translation)
        self._turns = [*self._turns[: self._at + 1], turn]
        self._at += 1
        return change


def _turn(change: Change, before: Translation | None) -> Turn:
    return Turn(change.after, before if change.said is None else change.said.translation)
