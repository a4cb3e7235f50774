"""How the experiments search where nobody says otherwise. Loads no torch."""

from __future__ import annotations

from gridbeam.translation.defaults import TRANSLATION

EXPERIMENTS = TRANSLATION.but(beam=10, share="rows")
"""The paper's beam in every row, with the lengths that constraints need."""
DICTIONARY = TRANSLATION
"""As a translator has them: what it costs its users to have every term said."""
