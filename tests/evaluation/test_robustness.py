"""The sets of benchmarks/robustness.py: what counts as kept, and what stays out of training."""

from __future__ import annotations

import pytest
import robustness
from robustness import is_kept


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"set": "CAPITALS", "source": "SAVE", "text": "SICHERN"}, True),
        ({"set": "CAPITALS", "source": "SAVE", "text": "Sichern"}, False),
        ({"set": "codes", "source": "Use -v.", "code": "-v", "text": "Mit -v."}, True),
        ({"set": "codes", "source": "Use 42.", "code": "42", "text": "Mit 421."}, False),
        ({"set": "codes", "source": "", "code": "1,234.50", "text": "1.234,50 €"}, True),
        ({"set": "placeholders", "source": "{1} of {1}", "text": "{1} von {1}"}, True),
        ({"set": "placeholders", "source": "{1} of {1}", "text": "{1}"}, False),
        ({"set": "colon", "source": "Name:", "text": "Name:"}, True),
        ({"set": "no mark", "source": "Name", "text": "Name."}, False),
        ({"set": "lists", "source": "a, b, and c", "text": "a, b und c"}, True),
        ({"set": "lists", "source": "a, b and c", "text": "a und c"}, False),
        ({"set": "everyday labels", "source": "Save", "accepted": ["Sichern"], "text": "sichern"},
         True),
    ],
)  # fmt: skip
def test_what_a_set_is_about_is_kept_or_not(item, expected):
    assert is_kept(item, "de") == expected


def test_each_of_fifty_everyday_labels_has_a_translation_in_every_language():
    for language in robustness.LANGUAGES:
        items = list(robustness.everyday(language))
        assert len(items) == 50
        assert all(1 <= len(item["accepted"]) <= 4 and all(item["accepted"]) for item in items)
