"""A recording of any length, whose transcript says each phrase once in the whole.

Whisper's `generate` hears a recording window by window (30 seconds of it) and calls the decoding
method for each: it never sees the whole. So the recording is heard twice. The first time tells what
each phrase costs in each window: how much less likely the window's text is with it than without.
Where it is said anyhow, it stays. The second time each phrase is asked for in the window where it
costs least, so that the whole transcript is as likely as it can be with one more phrase in one
window; a phrase is taken by itself there, as others might be elsewhere.

Where the next window begins is told by the timestamps of the one before, which a phrase may change.
A phrase is asked for in the first window of the second time that begins no earlier than the one it
was best in, and again if Whisper drops the end of that window's text, as it does where the text
ends between two timestamps. What is still not said is asked for in the last window.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from torch import Tensor
from transformers import PreTrainedModel

from gridbeam.constraints.drawing import in_line
from gridbeam.constraints.occurrences import check
from gridbeam.constraints.roles import Role
from gridbeam.constraints.terms import Avoid, Constraint, Constraints, as_constraints
from gridbeam.decoding.hypothesis import Hypothesis
from gridbeam.errors import Unsatisfiable, UserError
from gridbeam.generate.asked import asked_of_rows
from gridbeam.generate.method import GridBeamSearch, is_whisper


def transcribe(
    model: Any,
    input_features: Tensor,
    constraints: Sequence[Constraints | None] | None = None,
    *,
    search: GridBeamSearch,
    **options: Any,
) -> Any:
    """What Whisper's `generate(input_features, **options)` gives, each constraint met in the whole.

    A required phrase is said once in the transcript of its row, an `Avoid` holds throughout it.
    Raises where Whisper has dropped what was said every time.
    """
    if not is_whisper(model):
        raise UserError(
            f"transcribe is for Whisper, which hears by windows: {type(model).__name__} takes"
            " custom_generate=GridBeamSearch(...) in its own generate."
        )
    if options.get("num_return_sequences", 1) != 1:
        raise UserError(
            "num_return_sequences: there is one transcript of a recording; leave it out"
        )
    rows = [
        _Transcript(number, given)
        for number, given in enumerate(_asked(constraints, input_features))
    ]

    def heard(windows: _Windows) -> Any:
        return model.generate(
            input_features,
            **options,
            custom_generate=windows,
            monitor_progress=windows.follow,
        )

    if any(row.owed for row in rows):
        heard(_Windows(search, rows, _try))
    transcript = heard(_Windows(search, rows, _say))
    sequences = transcript if isinstance(transcript, Tensor) else transcript["sequences"]
    for row, tokens in zip(rows, sequences.tolist(), strict=True):
        row.refuse_unsaid(search, tokens)
    return transcript


def _asked(given: Any, input_features: Tensor) -> Iterator[tuple[Constraint, ...]]:
    for number, row in enumerate(asked_of_rows(given, len(input_features))):
        terms = as_constraints(row)
        for term in terms:
            if term.role is not Role.REQUIRED and not isinstance(term, Avoid):
                raise UserError(
                    f"constraints[{number}]: {in_line(term)} is about the whole of a text, which is"
                    " heard window by window: require phrases, or Avoid them."
                )
        yield terms


_SAID_ANYHOW = -math.inf
"""The cost of a phrase where it is said without being asked for: nowhere else is better."""


class _Transcript:
    """What is asked of a recording, and what its transcript still owes."""

    def __init__(self, number: int, terms: Sequence[Constraint]) -> None:
        self.number = number
        self.throughout: list[Constraint] = [term for term in terms if term.role is Role.FORBIDDEN]
        self.required = [term for term in terms if term.role is Role.REQUIRED]
        self.costs: list[dict[int, float]] = [{} for _ in self.required]
        """For each required term, what it costs in the window that begins at a frame."""
        self.owed = list(range(len(self.required)))
        self.is_plain = True
        """Whether nothing has been asked for so far that was not heard anyhow."""

    def due(self, begin: int, *, is_last: bool) -> list[Constraint]:
        """What a window must say."""
        due = [n for n in self.owed if is_last or begin >= self._best(n)]
        is_heard = all(self.costs[n].get(begin) == _SAID_ANYHOW for n in due)
        self.is_plain = self.is_plain and is_heard
        if self.is_plain:  # all is as it was the first time: to ask would only change the text
            return self.throughout
        return [*self.throughout, *(self.required[number] for number in due)]

    def take(self, search: GridBeamSearch, tokens: Sequence[int]) -> None:
        """Takes down what a window has said."""
        unsaid = self.unsaid(search, tokens, self.owed)
        self.owed = [number for number in self.owed if number in unsaid]

    def unsaid(
        self, search: GridBeamSearch, tokens: Sequence[int], numbers: Sequence[int]
    ) -> list[int]:
        """Which of these terms a text does not say."""
        terms = [self.required[number] for number in numbers]
        verdicts = check(terms, tokens, encode=search.subwords)
        return [number for number, each in zip(numbers, verdicts, strict=True) if not each.is_met]

    def refuse_unsaid(self, search: GridBeamSearch, tokens: Sequence[int]) -> None:
        """Raises where a transcript lacks what it must say."""
        if unsaid := self.unsaid(search, tokens, range(len(self.required))):
            raise Unsatisfiable(
                f"constraints[{self.number}]: {in_line(self.required[unsaid[0]])} was said only"
                " where Whisper drops what it has heard. Raise num_beams, or cut the recording"
                " where this is said."
            )

    def _best(self, number: int) -> int:
        costs = self.costs[number]
        return min(costs, key=lambda begin: (costs[begin], begin))


@dataclass(frozen=True)
class _Heard:
    """The part of a recording that a window holds."""

    row: _Transcript
    begin: int
    end: int
    """Where the recording ends."""


Ask: TypeAlias = Callable[[Sequence[Sequence[Constraint]]], Any]
"""From the constraints of each row of a window to the output with its texts."""
Kept: TypeAlias = Callable[[Hypothesis], list[int]]
"""What Whisper will keep of the text of a window."""


class _Windows:
    """A decoding method that Whisper calls for each window, and tells how far it has come."""

    def __init__(
        self,
        search: GridBeamSearch,
        rows: Sequence[_Transcript],
        hear: Callable[[GridBeamSearch, Ask, Kept, Sequence[_Heard], int], Any],
    ) -> None:
        self._search, self._rows, self._hear = search, rows, hear
        self._now: list[_Heard] = []

    def follow(self, progress: Tensor) -> None:
        """Told by Whisper before each window: the frame that each recording is at, and its end."""
        self._now = [
            _Heard(row, begin, end)
            for row, (begin, end) in zip(self._rows, progress.tolist(), strict=True)
            if begin < end  # those that have ended are in the batch no more
        ]

    def __call__(
        self,
        model: PreTrainedModel,
        input_ids: Tensor,
        logits_processor: Any = None,
        stopping_criteria: Any = None,
        generation_config: Any = None,
        **inputs: Any,
    ) -> Any:
        """What `generate` asks for: the texts of a window."""
        config, wants_all = generation_config, generation_config.return_dict_in_generate
        config.return_dict_in_generate = True

        def ask(asked: Sequence[Sequence[Constraint]]) -> Any:
            try:
                return self._search.of_one_window(
                    model, input_ids, logits_processor, stopping_criteria, config, asked, **inputs
                )
            except UserError as error:
                raise self._placed(error) from None

        def kept(best: Hypothesis) -> list[int]:
            tokens = list(best.tokens[:-1] if best.finished else best.tokens)
            last_text = getattr(config, "no_timestamps_token_id", math.inf)
            return _kept(tokens, last_text)

        frames = 2 * model.config.max_source_positions
        output = self._hear(self._search, ask, kept, self._now, frames)
        return output if wants_all else output.sequences

    def _placed(self, error: UserError) -> UserError:
        """An error with the number that its row was given with."""
        places = {
            f"constraints[{place}]": f"constraints[{heard.row.number}]"
            for place, heard in enumerate(self._now)
        }
        place = error.where[0] if error.where else ""
        return error.without_place().within(places[place]) if place in places else error


def _try(search: GridBeamSearch, ask: Ask, kept: Kept, now: Sequence[_Heard], frames: int) -> Any:
    """The plain texts of a window; takes down what each phrase would cost in it."""
    plain = ask([heard.row.throughout for heard in now])
    for number in range(max(len(heard.row.required) for heard in now)):
        missing = [
            place
            for place, (heard, best) in enumerate(zip(now, plain.hypotheses, strict=True))
            if number < len(heard.row.required) and heard.row.unsaid(search, kept(best), [number])
        ]
        costs = _costs(ask, plain, now, number, missing)
        for place, heard in enumerate(now):
            if number < len(heard.row.required):
                heard.row.costs[number][heard.begin] = costs.get(place, _SAID_ANYHOW)
    return plain


def _costs(
    ask: Ask, plain: Any, now: Sequence[_Heard], number: int, places: Sequence[int]
) -> dict[int, float]:
    """How much less likely these rows' texts are if they say a phrase; infinite: they cannot."""
    if not places:
        return {}
    asked = [
        [*heard.row.throughout, *([heard.row.required[number]] if place in places else ())]
        for place, heard in enumerate(now)
    ]
    try:
        found = ask(asked)
    except Unsatisfiable:
        if len(places) == 1:
            return {places[0]: math.inf}
        return {
            place: cost
            for each in places
            for place, cost in _costs(ask, plain, now, number, [each]).items()
        }
    return {
        place: sum(plain.hypotheses[place].log_probs) - sum(found.hypotheses[place].log_probs)
        for place in places
    }


def _say(search: GridBeamSearch, ask: Ask, kept: Kept, now: Sequence[_Heard], frames: int) -> Any:
    """The texts of a window, which say what is due in it."""
    found = ask(
        [heard.row.due(heard.begin, is_last=heard.begin + frames >= heard.end) for heard in now]
    )
    for heard, best in zip(now, found.hypotheses, strict=True):
        heard.row.take(search, kept(best))
    return found


def _kept(tokens: list[int], last_text: float) -> list[int]:
    """What Whisper keeps of a window's text: all of it, or all up to the last pair of timestamps.

    What follows such a pair is dropped, and heard again as the beginning of the next window, unless
    it ends with a timestamp of its own.
    """
    is_time = [token > last_text for token in tokens]
    pairs = [place for place, each in enumerate(pairwise(is_time), 1) if all(each)]
    if not pairs or is_time[-2:] == [False, True]:
        return tokens
    return tokens[: pairs[-1] + 1]
