"""gridbeam: say what a text must contain, and any model writes the rest around it.

The map, from the top down; a file imports from its own layer or below.

translation: text in, text out
    generate.py      GridBeamSearch: the search as a decoding method of transformers' `generate`
    outputs.py       what `generate` gives back: its usual tensors, and where each constraint was met

search: how it is found
    search.py        constraints in, hypotheses out; checks, spans, the promises kept
    fallback.py      a text that meets the constraints when every beam has lost it
    decode.py        the loop: one model.step a column for all live hypotheses
    record.py        what stayed in each column: tracing back, and the recorded grid
    finished.py      the best finished hypotheses, and when nothing can beat them
    extend.py        every way a column may go on: generate, start, continue
    keep.py          the k best of each row
    grid.py          a column as tensors: all live hypotheses, and their candidates
    tables.py        the automata of a batch as look-up tables
    algorithm1.py    the paper's Algorithm 1 on one page of plain Python; slow, trusted, no torch
    options.py       how to search: the options, checked
    scoring.py       the score of a growing hypothesis: the paper's, or the user's own
    hypothesis.py    what comes out: Hypothesis, Origin, Trace
    draw.py          a recorded grid as text or SVG

models: what is likely
    models/__init__.py   the protocol: start, step, select
    models/toy.py        a bigram model and a vocabulary of words, for tests and teaching
    models/huggingface.py  any Hugging Face encoder-decoder or causal model
    models/batches.py    many sources as one batch of model inputs
    models/memory.py     what rows remember, shared or copied
    models/sharing.py    keys and values stored once for all rows of a sentence
    models/attention.py  attention over what is shared and what is a row's own
    models/processors.py the logits processors of transformers, for rows that come and go
    models/ensemble.py   several models that answer as one

language: what must be said (no torch)
    feasibility.py   can the constraints be met at all, and if not, which are to blame
    subwords.py      phrases of text in the tokens of a tokenizer, whole words, in any case, inflected
    spelling.py      one text in the pieces of a vocabulary: every way to write it
    vocabulary.py    the text that each token of a tokenizer adds, and what may stand beside it
    automaton.py     all constraints of a text: progress, wanted tokens, tokens owed
    machine.py       one constraint as a deterministic automaton
    nfa.py           one pattern as a nondeterministic one
    occurrences.py   where a pattern occurs in a text; check
    notation.py      constraints as JSON
    constraints.py   the terms: Phrase, AnyOf, InOrder, Gap, Avoid, Prefix

errors.py            UserError, Unsatisfiable, ModelError
"""

from typing import TYPE_CHECKING, Any

from gridbeam import draw, notation, scoring
from gridbeam.constraints import AnyOf, Avoid, Gap, InOrder, Phrase, Prefix
from gridbeam.errors import ModelError, Unsatisfiable, UserError
from gridbeam.hypothesis import Hypothesis, Origin
from gridbeam.occurrences import Verdict, check
from gridbeam.scoring import never_rises
from gridbeam.search import search
from gridbeam.subwords import Subwords

if TYPE_CHECKING:
    from gridbeam.generate import GridBeamSearch

__all__ = [
    "AnyOf",
    "Avoid",
    "Gap",
    "GridBeamSearch",
    "Hypothesis",
    "InOrder",
    "ModelError",
    "Origin",
    "Phrase",
    "Prefix",
    "Subwords",
    "Unsatisfiable",
    "UserError",
    "Verdict",
    "check",
    "draw",
    "never_rises",
    "notation",
    "scoring",
    "search",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """`GridBeamSearch`, loaded when it is first asked for: transformers takes seconds to load, and is an extra."""
    if name != "GridBeamSearch":
        raise AttributeError(f"module 'gridbeam' has no attribute {name!r}")
    try:
        from gridbeam.generate import GridBeamSearch
    except ModuleNotFoundError as error:
        if error.name != "transformers":
            raise
        raise ModuleNotFoundError("GridBeamSearch needs transformers: pip install 'gridbeam[hf]'", name=error.name) from None
    return GridBeamSearch
