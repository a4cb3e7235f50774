"""A text that meets the constraints when every beam has dropped all that could.

It takes constraints that exclude or overlap each other near `max_length`, or a model that forbids
tokens. Then the search is done again with wider beams, and if that does not help, a text known to
meet the constraints is scored by the model.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import torch

from gridbeam.constraints.automaton import Automaton, compile_constraints
from gridbeam.constraints.feasibility import Undecided, Witness, holds, witness
from gridbeam.constraints.terms import Prefix
from gridbeam.decoding.history import Path
from gridbeam.decoding.loop import decoding, refuse_huge
from gridbeam.decoding.options import SearchOptions
from gridbeam.decoding.reached import Dropped, Reached
from gridbeam.errors import UserError
from gridbeam.models import Model, ends_of

_WIDER = (4, 16)
"""How many times wider the search is done again; with users' filters, which are slow, only the
first."""


Fallback: TypeAlias = Generator[Reached, Dropped | None, list[Path]]
"""The columns of the searches that it takes, and the paths that they lead to."""


def falling_back(
    model: Model[Any], source: Any, automaton: Automaton, options: SearchOptions
) -> Fallback:
    """The paths of some hypotheses that meet the constraints; none where none was found."""
    has_filters = any(machine.filters for machine in automaton.machines)
    for times in _WIDER[: 1 if has_filters else None]:
        budget = None if options.budget is None else options.budget * times
        wider = replace(options, beam=options.beam * times, budget=budget, trace=False)
        try:
            refuse_huge([automaton], wider, model.vocab_size)
        except UserError:
            break
        [paths] = (yield from decoding(model, [source], [automaton], wider)).paths()
        if paths:
            return paths
    try:
        known = witness(
            automaton,
            fillers=_likely_tokens(model, source),
            ends=ends_of(model),
            room=options.room.tokens,
        )
    except Undecided:
        return []
    if known is None or not holds(automaton, known, ends_of(model)):
        return []
    return (yield from _scored(model, source, known, options))


def _scored(model: Model[Any], source: Any, known: Witness, options: SearchOptions) -> Fallback:
    """The witness as a path, with the end token where it fits."""
    length = len(known.tokens)
    has_end = length < options.longest
    only = compile_constraints([Prefix(known.tokens)] if known.tokens else [], "placed")
    forced = replace(
        options,
        beam=1,
        budget=None,
        share="rows",
        n_best=1,
        max_length=length + has_end,
        force_end=has_end,
        coverage="placed",
        trace=False,
    )
    [paths] = (yield from decoding(model, [source], [only], forced)).paths()
    return [
        replace(path, placed_for=(*known.placed_for, *path.placed_for[length:])) for path in paths
    ]


@torch.inference_mode()
def _likely_tokens(model: Model[Any], source: Any) -> Sequence[int]:
    """All tokens, those first that the model would begin with."""
    device = torch.device(getattr(model, "device", "cpu"))
    log_probs, _ = model.step(model.start([source]), torch.tensor([model.bos], device=device))
    tokens: list[int] = log_probs[0].argsort(descending=True, stable=True).tolist()
    return tokens
