"""What a text must say: the terms of the constraint language, and what becomes of them."""

from gridbeam.constraints.drawing import in_line, tree
from gridbeam.constraints.encode import Encode, Speller, spell
from gridbeam.constraints.spelled import Spellings
from gridbeam.constraints.terms import (
    ANY_GAP,
    CASES,
    AnyOf,
    AtMost,
    Avoid,
    Case,
    Constraint,
    ConstraintLike,
    Constraints,
    Gap,
    InOrder,
    Pattern,
    PatternLike,
    Phrase,
    Prefix,
    Suffix,
    as_constraints,
    as_pattern,
)
from gridbeam.constraints.walk import phrases, rebuilt

__all__ = [
    "ANY_GAP",
    "CASES",
    "AnyOf",
    "AtMost",
    "Avoid",
    "Case",
    "Constraint",
    "ConstraintLike",
    "Constraints",
    "Encode",
    "Gap",
    "InOrder",
    "Pattern",
    "PatternLike",
    "Phrase",
    "Prefix",
    "Speller",
    "Spellings",
    "Suffix",
    "as_constraints",
    "as_pattern",
    "in_line",
    "phrases",
    "rebuilt",
    "spell",
    "tree",
]
