"""gridbeam: say what a text must contain, and any model writes the rest around it.

The map, from the bottom up. A folder is a subject and imports only what stands above it here;
tests/test_architecture.py has the whole law.

    errors.py       UserError, Unsatisfiable, UserNotice, ModelError
    support/        what every folder may use: files written whole, signatures, progress, figures
    text/           text as text: letters, words, sentences, lemmas, languages, aligned files
    constraints/    what must be said: terms, their JSON, their automata; no torch
    tokens/         text in the tokens of a tokenizer: every spelling of a phrase
    models/         what is likely: the protocol, Hugging Face models, the paper's GRU, the one here
    decoding/       how it is found: Algorithm 1 on one page, and the batched grid that equals it
    draw/           a recorded grid as text, SVG or a page
    generate/       the search as a decoding method of transformers' `generate`
    markup/         what in a text is not language: tags and placeholders, out and back in
    translation/    text in, text out: Request, Translation, Translator
    editing/        one text and its person: replace, lock, forbid, complete, undo
    serving/        requests of many clients, decoded together on one model
    glossary/       what a term must become; files of terms, matched on a text
    documents/      files of segments, one format a file: all but translations stays as it was
    checks/         what is wrong with a translation as anyone can see; how good it may be
    files/          a document translated with a glossary: journal, report, output
    store/          what is kept in a database: projects, segments, every act, glossaries, keys
    workspace/      projects of segments and the people who correct them
    web/            the page: HTML, CSS and ES modules, served as they are
    server/         the HTTP doors: our own, and those that other clients know
    terminology/    bilingual terms from parallel text, by the paper's NPMI
    distributed/    work in pieces for many workers: processes, Ray, arrays of jobs; each once
    evaluation/     BLEU, chrF, TER, how well terms are used, whether a difference is luck
    training/       a configuration in, a model out
    experiments/    the paper's experiments, and what it left open
    cli/            the commands: each parses, calls one function and prints

`notation`, `scoring`, `postedit` and `terms` are short names for what users import most.
Every name of `gridbeam` is loaded when it is first asked for: torch takes seconds.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gridbeam import draw, notation, scoring
    from gridbeam.constraints.occurrences import Verdict, check
    from gridbeam.constraints.terms import (
        AnyOf,
        AtMost,
        Avoid,
        Gap,
        InOrder,
        Phrase,
        Prefix,
        Suffix,
    )
    from gridbeam.decoding.hypothesis import Hypothesis, Origin
    from gridbeam.decoding.options import SearchOptions
    from gridbeam.decoding.scoring import never_rises
    from gridbeam.decoding.search import search
    from gridbeam.editing.postedit import PostEditing
    from gridbeam.errors import ModelError, Unsatisfiable, UserError
    from gridbeam.generate.method import GridBeamSearch
    from gridbeam.tokens.subwords import Subwords
    from gridbeam.translation.request import Request, Translation
    from gridbeam.translation.translator import Translator

__all__ = [
    "AnyOf",
    "AtMost",
    "Avoid",
    "Gap",
    "GridBeamSearch",
    "Hypothesis",
    "InOrder",
    "ModelError",
    "Origin",
    "Phrase",
    "PostEditing",
    "Prefix",
    "Request",
    "SearchOptions",
    "Subwords",
    "Suffix",
    "Translation",
    "Translator",
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

_NAMES_OF = {
    "constraints.occurrences": ("Verdict", "check"),
    "constraints.terms": (
        "AnyOf",
        "AtMost",
        "Avoid",
        "Gap",
        "InOrder",
        "Phrase",
        "Prefix",
        "Suffix",
    ),
    "decoding.hypothesis": ("Hypothesis", "Origin"),
    "decoding.options": ("SearchOptions",),
    "decoding.scoring": ("never_rises",),
    "decoding.search": ("search",),
    "editing.postedit": ("PostEditing",),
    "errors": ("ModelError", "Unsatisfiable", "UserError"),
    "generate.method": ("GridBeamSearch",),
    "tokens.subwords": ("Subwords",),
    "translation.request": ("Request", "Translation"),
    "translation.translator": ("Translator",),
}
_HOME = {name: home for home, names in _NAMES_OF.items() for name in names}
_MODULES = frozenset({"draw", "notation", "postedit", "scoring", "terms"})


def __getattr__(name: str) -> Any:
    """A public name, loaded when it is first asked for."""
    if name in _MODULES:
        return import_module(f"gridbeam.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'gridbeam' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"gridbeam.{_HOME[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
