"""How long each face lets a request wait: until shortly before its client would give up.

A client that has given up asks again, or not for half an hour; one that is told in time can say
what was wrong. Loads no torch.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FacePatience:
    """Seconds that a request may wait and be searched for, by who asks."""

    deepl: float = 9.0
    """DeepL's own clients give up after 10 s, and ask again."""
    weblate: float = 4.6
    """Weblate gives up after 5 s where it takes us for DeepL."""
    documents: float = 600.0
    """A document is asked for again and again until it is done."""
    libretranslate: float = 19.0
    """Weblate and browser add-ons wait 20 s."""
    apertium: float = 19.0
    """Weblate waits 20 s, OmegaT longer."""
    chat: float = 110.0
    """Weblate waits 120 s for a language model, OpenAI's client 600 s."""
