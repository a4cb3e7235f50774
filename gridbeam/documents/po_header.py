"""The header of a PO file: what it says of plural forms, and how that of a template is filled in.

The header is the translation of the empty text: a line for each field. In a template, which
xgettext writes, some are empty, or stand in capitals for what is to be filled in.
"""

from __future__ import annotations

import gettext
import re
from dataclasses import dataclass
from pathlib import Path

from gridbeam.text.languages import plain
from gridbeam.text.plurals import plural_rule

_TO_FILL_IN = re.compile("charset=CHARSET|nplurals=INTEGER")
_COUNT = re.compile(r"^Plural-Forms:[^\n]*?\bnplurals\s*=\s*([1-9])\s*;", re.I | re.M)
_CHOICE = re.compile(r"Plural-Forms:.*?plural\s*=\s*([^;\n]+)", re.I | re.S)


@dataclass(frozen=True)
class PluralForms:
    """What a header says of plural forms."""

    count: int | None = None
    """How many there are, where that is said."""
    singular: int = 0
    """Which form is that of one thing; -1 where there is no telling one from many."""

    @staticmethod
    def of(header: str) -> PluralForms:
        """Those that a header names."""
        count = _COUNT.search(header)
        return PluralForms(int(count[1]) if count else None, _singular(header))


def is_template(path: Path, header: str) -> bool:
    """Whether a file with this header is to become that of a language, by its name or what it says.

    >>> is_template(Path("de.po"), "Content-Type: text/plain; charset=CHARSET")
    True
    """
    return path.suffix.lower() == ".pot" or _TO_FILL_IN.search(header) is not None


def filled_in(header: str, language: str) -> str:
    r"""The header of a template as one of this language; what it says already stays.

    >>> print(filled_in("Language: \nContent-Type: text/plain; charset=CHARSET\n", "deu"), end="")
    Language: de
    Content-Type: text/plain; charset=UTF-8
    MIME-Version: 1.0
    Content-Transfer-Encoding: 8bit
    Plural-Forms: nplurals=2; plural=(n != 1);
    """
    parts = (line.partition(":") for line in header.split("\n"))
    fields = {name.strip(): value.strip() for name, _, value in parts if name.strip()}
    fields["Language"] = fields.get("Language") or _as_in_gettext(language)
    fields.setdefault("MIME-Version", "1.0")
    fields.setdefault("Content-Type", "text/plain; charset=CHARSET")
    fields["Content-Type"] = fields["Content-Type"].replace("CHARSET", "UTF-8")
    if fields.get("Content-Transfer-Encoding") in (None, "", "ENCODING"):
        fields["Content-Transfer-Encoding"] = "8bit"
    if PluralForms.of(header).count is None:
        fields.pop("Plural-Forms", None)
        if rule := plural_rule(language):
            fields["Plural-Forms"] = str(rule)
    return "".join(f"{name}: {value}\n" for name, value in fields.items())


def _as_in_gettext(language: str) -> str:
    """The code of a language with its region in capitals, behind a low line.

    >>> _as_in_gettext("pt-br"), _as_in_gettext("deu")
    ('pt_BR', 'de')
    """
    first, *rest = plain(language).replace("-", "_").split("_")
    return "_".join([first.lower(), *(part.upper() if len(part) == 2 else part for part in rest)])


def _singular(header: str) -> int:
    found = _CHOICE.search(header)
    if not found:
        return 0
    try:
        choose = gettext.c2py(found[1].strip())
        return -1 if choose(1) == choose(2) == choose(5) else choose(1)
    except (ValueError, ZeroDivisionError, RecursionError):
        return 0
