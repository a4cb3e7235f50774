"""Published numbers to compare ours with: Hokamp and Liu (2017), others for dictionary terms."""

from __future__ import annotations

PICK_REVISE: dict[tuple[str, str], tuple[str, tuple[float, ...]]] = {
    ("strict", "en-de"): ("newstest2013", (18.44, 27.64, 36.66, 43.92)),
    ("strict", "en-fr"): ("newstest2014", (28.07, 36.71, 44.84, 45.48)),
    ("strict", "en-pt"): ("Autodesk", (15.41, 23.54, 31.14, 35.89)),
    ("relaxed", "en-de"): ("newstest2013", (18.44, 26.43, 34.48, 41.82)),
    ("relaxed", "en-fr"): ("newstest2014", (28.07, 33.80, 40.33, 47.00)),
    ("relaxed", "en-pt"): ("Autodesk", (15.41, 23.22, 33.82, 40.75)),
}
"""By mode and languages: the test set, and BLEU in cycles 0 to 3."""

TERMINOLOGY: dict[str, dict[str, float]] = {
    "de": {"baseline": 26.17, "random": 25.18, "beginning": 26.44, "GBS": 27.99},
    "fr": {"baseline": 32.45, "random": 31.48, "beginning": 34.51, "GBS": 35.05},
    "pt": {"baseline": 15.41, "random": 18.26, "beginning": 20.43, "GBS": 29.15},
}
"""By target language: BLEU on the Autodesk corpus, from their third table."""

DICTIONARY: dict[str, tuple[float, float]] = {
    "unconstrained (Dinu et al., 2019)": (25.8, 76.3),
    "dynamic beam allocation (Dinu et al., 2019)": (25.3, 82.0),
    "NeuroLogic": (26.5, 95.1),
    "A*esque": (26.7, 95.8),
}
"""BLEU, and terms found in percent: EN-DE newstest2017, 414 sentences with terms of IATE; each with
a model of its own."""
