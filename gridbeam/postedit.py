"""A text edited together with its person: the short name of `gridbeam.editing`."""

from gridbeam.editing.change import Change
from gridbeam.editing.clash import Clash
from gridbeam.editing.difference import Passage, difference
from gridbeam.editing.joining import Alternative
from gridbeam.editing.postedit import PostEditing, Turn
from gridbeam.editing.speaker import Said, Speaker, TextSpeaker
from gridbeam.editing.state import EditingState, Lock, Word
from gridbeam.editing.stretch import Stretch

__all__ = [
    "Alternative",
    "Change",
    "Clash",
    "EditingState",
    "Lock",
    "Passage",
    "PostEditing",
    "Said",
    "Speaker",
    "Stretch",
    "TextSpeaker",
    "Turn",
    "Word",
    "difference",
]
