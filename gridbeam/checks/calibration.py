"""The weights of the quality estimate, written by `benchmarks/quality.py --save`."""

WEIGHTS: dict[str, float] = {
    "one": 2.6397,
    "mean": 5.2725,
    "capitals": -1.5005,
    "length": 1.5888,
    "length_squared": -2.5336,
    "tokens_a_word": -0.3477,
    "letters_a_word": 0.1703,
    "words": -0.1386,
    "left": -1.2026,
    "errors": -0.5448,
}
"""For each figure of `estimate.features`."""
SIGNATURE = "gridbeam 0.1.0 (a8bc237), torch 2.13.0+cpu, Python 3.11.7, AMD EPYC, 1 threads"
"""What they were fitted with."""
