"""What the name of a column says: what is in it, and of which language.

As tools write them: `source` or `Term` in glossaries, `de` or `German` in tables of many languages,
`Term [de]` or `Term:German` from Crowdin, `German_Germany` from memoQ.
"""

from __future__ import annotations

import re

from gridbeam.text.languages import has_name, language, named

COLUMNS = ("source", "target", "forbidden", "case", "dnt", "forms", "note", "exact")
"""The columns of a glossary, as it is written."""
OTHER_NAMES = {
    "source": (
        "term",
        "source term",
        "source text",
        "source word",
        "source phrase",
        "source language",
        "src",
    ),
    "target": (
        "translation",
        "target term",
        "target text",
        "target word",
        "target phrase",
        "target language",
        "tgt",
        "trg",
    ),
    "forbidden": ("forbidden term", "forbidden terms", "do not use"),
    "dnt": ("do not translate",),
    "forms": ("form", "inflections"),
    "exact": ("exact form", "exact forms", "exact only"),
    "note": (
        "notes",
        "comment",
        "comments",
        "remark",
        "remarks",
        "description",
        "entry note",
    ),
    "status": (
        "status",
        "term status",
        "target status",
        "usage status",
        "usage",
        "approval",
        "approval status",
        "administrative status",
    ),
    "row source": ("source language", "source lang", "source language code", "source locale"),
    "row target": ("target language", "target lang", "target language code", "target locale"),
    "is case sensitive": ("case sensitive", "casesensitive"),
    "is translatable": ("translatable",),
}
"""For what is in a column, the names that it may have; earlier ones are tried first."""
TERM_INFO = "term info"
"""memoQ's marks of the term in the column before."""
_CODE = re.compile(r"[a-z]{2,3}(?:[- ][a-z0-9]{2,4})*")
_LABELLED = re.compile(r"(?P<what>[a-z ]+?) ?(?:\[(?P<in>.+)\]|: ?(?P<after>.+))")
"""A name that says both what is in the column and its language, as Crowdin's do."""
_TERMS = ("term", "translation", "text")
_ABOUT_TERMS = (
    *("def", "definition", "description", "note", "notes", "comment", "info", "example"),
    *("context", "status", "type", "pos", "gender", "url", "synonym", "synonyms"),
)
"""Last words of the names of columns that say something about a term, and do not hold it."""


def plain(cell: str) -> str:
    """The name of a column without what tools write in different ways.

    >>> plain("Source_Term "), plain("Part of  Speech")
    ('source term', 'part of speech')
    """
    return " ".join(cell.lower().replace("_", " ").split())


def is_code(name: str) -> bool:
    """Whether a name may be the code of a language, and so a word of some language as well."""
    return _CODE.fullmatch(name) is not None


def language_of_terms(cell: str) -> str | None:
    """The language whose terms a column has, by its name.

    >>> [language_of_terms(name) for name in ("English (US)", "deu", "French term", "disk")]
    ['en', 'de', 'fr', None]
    >>> [language_of_terms(name) for name in ("Term [de-AT]", "Term:German", "German_Germany")]
    ['de', 'de', 'de']
    >>> [language_of_terms(name) for name in ("Note [de]", "German_Germany_Def", "de_note")]
    [None, None, None]
    """
    name = plain(cell)
    if labelled := _LABELLED.fullmatch(name):
        if labelled["what"] in _TERMS:
            return _language(labelled["in"] or labelled["after"])
        if named(labelled["what"]) is None:
            return None
    if name.split(" ")[-1] in _ABOUT_TERMS:
        return None
    is_with_region = re.fullmatch(r"[^\W\d_]+(?:_[^\W\d_]+)+(?:_?\([^)]*\))?", cell.strip())
    return _language(name) or (named(name.split(" ")[0]) if is_with_region else None)


def language_of_status(cell: str) -> str | None:
    """The language whose terms a column has the status of, by its name.

    >>> language_of_status("Status [de]"), language_of_status("Status:German")
    ('de', 'de')
    """
    labelled = _LABELLED.fullmatch(plain(cell))
    if labelled is None or labelled["what"] not in ("status", *OTHER_NAMES["status"]):
        return None
    return _language(labelled["in"] or labelled["after"])


def _language(name: str) -> str | None:
    code = name.replace(" ", "-")
    if is_code(name) and has_name(code):
        return language(code)
    return named(re.sub(r"\s*[(\[,:/–-].*| (?:term|text|translation)$", "", name))
