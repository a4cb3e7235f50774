"""Terms behind placeholders, the approach that the paper argues against.

The model sees `{1}`, and the term is put in later. Each term of a source is replaced by a
placeholder of its own, numbered from the left; what comes out is searched for them, and each is
replaced by its target term wherever it stands. A placeholder that the model has not copied takes
its term with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gridbeam.constraints.terms import Phrase
from gridbeam.glossary.matching import Match

_FORMS = ("{{{}}}", "[{}]")


@dataclass(frozen=True)
class Masked:
    """A source with placeholders in it, and what each of them stands for."""

    text: str
    terms: dict[str, str]
    """The target term of each placeholder."""

    @property
    def constraints(self) -> list[Phrase]:
        """What makes a translation hold every placeholder."""
        return [Phrase(placeholder, case="exact", whole_word=False) for placeholder in self.terms]

    def restored(self, translation: str) -> str:
        """The translation with its terms in place of the placeholders that it has kept."""
        return re.sub(
            "|".join(map(re.escape, self.terms)) or "(?!)",
            lambda found: self.terms[found[0]],
            translation,
        )

    def lost(self, translation: str) -> int:
        """How many placeholders a translation lacks."""
        return sum(placeholder not in translation for placeholder in self.terms)


def masked(
    source: str, matches: Sequence[Match], can_write: Callable[[str], bool] = lambda text: True
) -> Masked:
    """The source with a placeholder for each term.

    Braces around its number, or what the model `can_write` instead.

    >>> from gridbeam.glossary.entries import Entry
    >>> match = Match(Entry("layer mask", ("Ebenenmaske",)), 6, 16, "layer mask")
    >>> masked("Add a layer mask.", [match])
    Masked(text='Add a {1}.', terms={'{1}': 'Ebenenmaske'})
    """
    numbers = range(1, len(matches) + 1)
    free = [form for form in _FORMS if not any(form.format(number) in source for number in numbers)]
    form = next((form for form in free if can_write(form.format(1))), _FORMS[0])
    text, done, terms = "", 0, dict[str, str]()
    for number, match in enumerate(matches, 1):
        placeholder = form.format(number)
        text += source[done : match.start] + placeholder
        done = match.end
        terms[placeholder] = match.entry.required[0]
    return Masked(text + source[done:], terms)
