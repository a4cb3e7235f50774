"""Other wordings of a stretch, so that the text around it stays as it is."""

from __future__ import annotations

from gridbeam.editing.aims import Aim
from gridbeam.editing.joining import Alternative
from gridbeam.editing.locking import refuse_cutting
from gridbeam.editing.speaker import Speaker
from gridbeam.editing.state import EditingState
from gridbeam.editing.stretch import StretchLike, as_stretch, occurrences, whole_words
from gridbeam.errors import UserError


def alternatives(
    speaker: Speaker, state: EditingState, where: StretchLike, n: int
) -> list[Alternative]:
    """So many other wordings of a stretch at most, the most probable first."""
    stretch = whole_words(state.text, as_stretch(where, state.text))
    if not stretch.size:
        raise UserError("there is no word: give a stretch that has one.")
    refuse_cutting(state, stretch, "")
    left, right = state.text[: stretch.start], state.text[stretch.end :]
    present = stretch.of(state.text)
    is_elsewhere = any(occurrences(left, present))
    forbidden = (*state.forbidden, *([] if is_elsewhere else [present]))
    aim = Aim(state.text, (), forbidden, taken_out=state.taken_out)
    found = speaker.between(left, right, aim.demands, n_best=n + 1)
    return [each for each in found if each.text != present][:n]
