"""Acts carried out: what a segment is after each, before anything of it is stored.

The verbs of `gridbeam.editing` do the work; here it is decided what they work on, and which status
a segment has afterwards. An act that cannot be met raises, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from gridbeam.editing import verbs
from gridbeam.editing.change import Change
from gridbeam.editing.state import EditingState
from gridbeam.editing.stretch import as_stretch
from gridbeam.editing.wording import as_whole_words, put_in, take_out
from gridbeam.errors import UserError
from gridbeam.files.segments import SegmentTranslator
from gridbeam.store import Snapshot
from gridbeam.translation.request import Sentence
from gridbeam.translation.translator import Translates
from gridbeam.workspace.act import Act
from gridbeam.workspace.kept import is_locked
from gridbeam.workspace.machine import together
from gridbeam.workspace.opened import OpenSegment
from gridbeam.workspace.speaking import SegmentSpeaker

Translating = Callable[[], Translates]
"""Gives the translator when it is needed; it may take time, or refuse."""


@dataclass(frozen=True)
class Acted:
    """What an act leaves of a segment, and what was searched for it."""

    after: Snapshot
    searched: tuple[Sentence, ...] = field(default=(), repr=False)
    """With the recorded grid."""


def acted(opened: OpenSegment, act: Act, translating: Translating) -> Acted:
    """What an act leaves of a segment; undo and redo are the store's."""
    if is_locked(opened.row):
        raise UserError("the file says that this segment must stay as it is. Leave it.")
    match act.kind:
        case "translate":
            return _translated(opened, translating())
        case "confirm" | "unconfirm" | "review":
            return Acted(_marked(opened, act))
        case "copy":
            source = opened.row.source["text"]
            state = EditingState(source, forbidden=opened.state.forbidden)
            return Acted(opened.snapshot(state, "edited", review=False, quality=None))
        case _:
            return _edited(opened, act, translating)


def typed(state: EditingState, act: Act) -> str:
    """The text as the person leaves it, before the model has said anything."""
    match act.kind:
        case "replace":
            where = as_stretch(act.stretch, state.text)
            old, new = as_whole_words(state.text, where, act.words or "")
            return (put_in(state.text, old, new) if new else take_out(state.text, old))[0]
        case "forbid":
            return state.text.replace(act.words or "", "")
        case "complete":
            return act.left or ""
        case _:
            return state.text


def staying(state: EditingState, act: Act) -> list[str]:
    """What an act leaves that must stay, in its order: what is locked, and the words put in."""
    if act.kind == "complete":
        return [act.left or ""]
    kept = [(lock.where, lock.where.of(state.text)) for lock in state.locks]
    if act.kind == "replace":
        where = as_stretch(act.stretch, state.text)
        others = [each for each in kept if not each[0].overlaps(where)]
        kept = [*others, (where, (act.words or "").strip())]
    return [words for _, words in sorted(kept, key=lambda each: each[0].start)]


def _translated(opened: OpenSegment, translator: Translates) -> Acted:
    """A new translation, which keeps what is locked."""
    state = opened.state
    if (state.locks or state.avoided) and not opened.is_divided:
        speaker = opened.speaker(translator, state.text if state.locks else None)
        return _found(opened, verbs.again(speaker, state), speaker)
    how = together([opened])
    how = replace(how, search=how.search.but(trace=True))
    ((_, outcome),) = SegmentTranslator(translator, how).outcomes([opened.segment])
    if outcome.text is None:
        raise UserError(outcome.unmet)
    return Acted(opened.translated(outcome), outcome.sentences)


def _marked(opened: OpenSegment, act: Act) -> Snapshot:
    """The same text with another status."""
    content = opened.row.content
    if content.target is None:
        raise UserError("there is no translation yet. Translate it, or type one.")
    if act.kind == "review":
        return replace(content, review=not content.review)
    if act.kind == "confirm":
        return replace(content, status="confirmed", review=False)
    return replace(content, status="edited")


def _edited(opened: OpenSegment, act: Act, translating: Translating) -> Acted:
    """The text as one of the verbs of editing leaves it."""
    state = opened.state
    if not state.text and act.kind not in ("write", "complete", "forbid"):
        raise UserError("there is no translation yet. Translate it, or type one.")
    if act.kind in ("replace", "forbid", "complete"):
        return _searched(opened, state, act, translating)
    after = _unsearched(state, act).after
    quality = None if act.kind == "write" else (opened.row.state or {}).get("quality")
    return Acted(opened.snapshot(after, "edited", review=opened.row.review, quality=quality))


def _searched(
    opened: OpenSegment, state: EditingState, act: Act, translating: Translating
) -> Acted:
    if opened.is_divided:
        return _typed_only(opened, state, act)
    is_begun = bool(state.text)
    left = f"{typed(state, act)} {state.text if act.kind == 'complete' else ''}"
    speaker = opened.speaker(translating(), left if is_begun else None)
    words = act.words or ""
    match act.kind:
        case "replace":
            change = verbs.replaced(speaker, state, act.stretch, words)
        case "forbid":
            change = verbs.forbidding(speaker, state, words)
        case _:
            change = verbs.completed(speaker, state, act.left or "")
    return _found(opened, change, speaker)


def _typed_only(opened: OpenSegment, state: EditingState, act: Act) -> Acted:
    """A message as its person leaves it: its texts are searched apart, and cannot be anew."""
    if act.kind != "replace":
        raise UserError(
            "this is a message with a text for each case, which no search corrects as a whole."
            " Type what is wrong."
        )
    after = verbs.written(state, typed(state, act)).after
    return Acted(opened.snapshot(after, "edited", review=opened.row.review, quality=None))


def _unsearched(state: EditingState, act: Act) -> Change:
    match act.kind:
        case "lock":
            return verbs.locked(state, act.stretch)
        case "unlock":
            return verbs.unlocked(state, act.stretch)
        case "allow":
            return verbs.allowing(state, act.words or "")
        case _:
            return verbs.written(state, act.text or "")


def _found(opened: OpenSegment, change: Change, speaker: SegmentSpeaker) -> Acted:
    """What was found, as it is kept."""
    outcome = speaker.heard.get(change.after.text)
    quality = None if outcome is None else outcome.quality
    review = opened.row.review
    after = opened.snapshot(change.after, "edited", review=review, quality=quality)
    return Acted(after, () if outcome is None else outcome.sentences)
