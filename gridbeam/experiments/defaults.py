"""How the experiments search where nobody says otherwise. Loads no torch."""

from __future__ import annotations

from gridbeam.translation.defaults import TRANSLATION

EXPERIMENTS = TRANSLATION.but(beam=10)
"""The paper's beam, with the lengths that constraints need."""
DICTIONARY = TRANSLATION
"""A beam of 5, as in what its numbers stand beside (Dinu et al., 2019)."""
