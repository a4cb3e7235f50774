"""A glossary as a TBX document of any dialect.

Its data categories are those of TBX-Basic, so that other tools can read it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from lxml import etree  # type: ignore[import-untyped]

from gridbeam.errors import UserError
from gridbeam.glossary.entries import Entry, Glossary
from gridbeam.glossary.formats.format import Dialect

_TBX3 = "urn:iso:std:iso:30042:ed-2"
_MODULES = {"min": "http://www.tbxinfo.net/ns/min", "basic": "http://www.tbxinfo.net/ns/basic"}
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_LEVELS = {
    "martif": ("termEntry", "langSet", "tig"),
    "dca": ("conceptEntry", "langSec", "termSec"),
    "dct": ("conceptEntry", "langSec", "termSec"),
    "min": ("termEntry", "langSet", "tig"),
}
"""The names of a concept, a language and a term."""
_MIN_STATUS = {
    "preferredTerm": "preferred",
    "admittedTerm": "admitted",
    "deprecatedTerm": "notRecommended",
}


def document(glossary: Glossary, dialect: Dialect) -> bytes:
    """The glossary as XML."""
    if dialect not in _LEVELS:
        raise UserError(f'dialect "{dialect}" is unknown. Choose martif, dca, dct or min.')
    if glossary.source_language is None or glossary.target_language is None:
        raise UserError(
            f'TBX names its languages, and the glossary "{glossary.name}" has none. '
            "Give --source and --target (source=, target=)."
        )
    try:
        root, body = _frame(glossary, dialect)
    except ValueError:
        raise UserError(
            f"The name of the glossary, {glossary.name!r}, or the code of a language holds a"
            " character that XML cannot write. Rename its file, or give another code."
        ) from None
    for number, entry in enumerate(glossary.entries, 1):
        try:
            _write_concept(body, f"c{number}", entry, glossary, dialect)
        except ValueError as error:
            if isinstance(error, UserError):
                raise
            raise UserError(
                f"{entry.where} holds a character that XML cannot write. Remove it."
            ) from None
    doctype = '<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">' if dialect == "martif" else None
    xml = etree.tostring(
        root, encoding="UTF-8", xml_declaration=True, pretty_print=True, doctype=doctype
    )
    return cast(bytes, xml)


def _frame(glossary: Glossary, dialect: Dialect) -> tuple[Any, Any]:
    """The root with its header, and the body."""
    if dialect == "min":
        root = etree.Element("TBX", dialect="TBX-Min")
        header = etree.SubElement(root, "header")
        _add(header, "id", glossary.name)
        _add(
            header,
            "languages",
            None,
            source=glossary.source_language,
            target=glossary.target_language,
        )
        return root, etree.SubElement(root, "body")
    if dialect == "martif":
        root = etree.Element("martif", type="TBX-Basic")
    else:
        namespaces: dict[str | None, str] = {None: _TBX3}
        namespaces.update(_MODULES if dialect == "dct" else {})
        root = etree.Element(f"{{{_TBX3}}}tbx", nsmap=namespaces, type="TBX-Basic", style=dialect)
    root.set(_XML_LANG, glossary.source_language)
    header = _add(root, "martifHeader" if dialect == "martif" else "tbxHeader")
    description = _add(header, "fileDesc")
    _add(_add(description, "titleStmt"), "title", glossary.name)
    _add(_add(description, "sourceDesc"), "p", "Written by gridbeam")
    if dialect == "martif":
        _add(_add(header, "encodingDesc"), "p", "TBXBasicXCSV02.xcs", type="XCSURI")
    return root, _add(_add(root, "text"), "body")


def _add(parent: Any, name: str, text: str | None = None, **attributes: str | None) -> Any:
    """A new last child, in the namespace of its parent."""
    child = etree.SubElement(parent, etree.QName(etree.QName(parent).namespace, name), attributes)
    child.text = text
    return child


def _write_concept(
    body: Any, number: str, entry: Entry, glossary: Glossary, dialect: Dialect
) -> None:
    concept_name, language_name, _ = _LEVELS[dialect]
    concept = _add(body, concept_name, id=number)
    if dialect != "min":
        for note in _notes(entry):
            _add(concept, "note", note)
    source, target = (_add(concept, language_name) for _ in range(2))
    source.set(_XML_LANG, glossary.source_language)
    target.set(_XML_LANG, glossary.target_language)
    first = _add_term(source, entry.source, "preferredTerm", dialect)
    if dialect == "min":
        for note in _notes(entry):
            _add_min_note(first, None, note)
    for number_, text in enumerate(
        entry.targets or ((entry.source,) if entry.do_not_translate else ())
    ):
        _add_term(target, text, "admittedTerm" if number_ else "preferredTerm", dialect)
    for text in entry.forms:
        _add_term(target, text, "admittedTerm", dialect, is_variant=True)
    for text in entry.forbidden:
        _add_term(target, text, "deprecatedTerm", dialect)


def _notes(entry: Entry) -> Iterator[str]:
    yield from filter(str.strip, entry.note.splitlines())
    if entry.do_not_translate:
        yield "do not translate"
    if entry.case != "sentence":
        yield f"case: {entry.case}"
    if entry.exact:
        yield "exact form"


def _add_term(
    language: Any, text: str, status: str, dialect: Dialect, *, is_variant: bool = False
) -> Any:
    group = _add(language, _LEVELS[dialect][2])
    _add(group, "term", text)
    if dialect == "min":
        _add(group, "termStatus", _MIN_STATUS[status])
    else:
        _add_category(group, "min", "administrativeStatus", f"{status}-admn-sts", dialect)
    if is_variant and dialect == "min":
        _add_min_note(group, "termType", "variant")
    elif is_variant:
        _add_category(group, "basic", "termType", "variant", dialect)
    return group


def _add_category(group: Any, module: str, name: str, value: str, dialect: Dialect) -> None:
    if dialect == "dct":
        etree.SubElement(group, f"{{{_MODULES[module]}}}{name}").text = value
    else:
        _add(group, "termNote", value, type=name)


def _add_min_note(group: Any, key: str | None, value: str) -> None:
    note = _add(_add(group, "noteGrp"), "note")
    if key is not None:
        _add(note, "noteKey", key)
    _add(note, "noteValue", value)
