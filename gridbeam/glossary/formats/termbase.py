"""A TBX file as concepts, languages and terms: all dialects have these, under other names.

What is noted of a concept or a term is a list of facts, pairs of a name and a text, whether the
name is a tag or a type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

from lxml import etree  # type: ignore[import-untyped]

from gridbeam.errors import UserError
from gridbeam.glossary.entries import Place
from gridbeam.glossary.formats.status import is_forbidding

Facts: TypeAlias = tuple[tuple[str, str], ...]

_CONCEPT_TAGS = ("termEntry", "conceptEntry", "entry")
_LANGUAGE_TAGS = ("langSet", "langSec", "langGroup")
_TERM_TAGS = ("tig", "ntig", "termSec", "termGroup")
_GROUP_TAGS = ("termGrp", "termNoteGrp", "descripGrp", "adminGrp", "noteGrp", "noteGroup")
_STATUS = ("administrativeStatus", "termStatus", "normativeAuthorization", "status")
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


@dataclass(frozen=True)
class TbxTerm:
    """A term, and what is noted of it."""

    text: str
    facts: Facts

    def says(self, *names: str) -> list[str]:
        """What is noted of the term under these names."""
        return [value for name, value in self.facts if name in names]

    @property
    def is_forbidden(self) -> bool:
        """Whether it must not be used."""
        return any(is_forbidding(status) for status in self.says(*_STATUS)) or "true" in self.says(
            "forbidden"
        )

    @property
    def is_preferred(self) -> bool:
        """Whether it is the best of its concept."""
        return any(status.lower().startswith("preferred") for status in self.says(*_STATUS))

    @property
    def is_variant(self) -> bool:
        """Whether it is but a form of another."""
        return "variant" in self.says("termType")


@dataclass(frozen=True)
class Concept:
    """What all terms for one thing have in common."""

    place: Place
    facts: Facts
    languages: dict[str, list[TbxTerm]]
    """The terms by language."""

    def terms(self, codes: Sequence[str]) -> list[TbxTerm]:
        """The terms of these languages."""
        return [term for code in codes for term in self.languages.get(code, ())]


@dataclass(frozen=True)
class TermBase:
    """All concepts of a file, and the languages it says it is of."""

    concepts: list[Concept]
    source: str | None
    target: str | None

    @staticmethod
    def read(path: Path) -> TermBase:
        """Parses a file, concept by concept; no entity is resolved and nothing fetched."""
        tags = [f"{{*}}{name}" for name in _CONCEPT_TAGS]
        options = {
            "resolve_entities": False,
            "no_network": True,
            "load_dtd": False,
            "huge_tree": False,
        }
        concepts: list[Concept] = []
        with path.open("rb") as file:
            parsed = etree.iterparse(file, events=("end",), tag=tags, **options)
            try:
                for _, element in parsed:
                    _refuse_undeclared(parsed.error_log, path)
                    if not concepts:
                        _refuse_entities(element, path)
                    concepts.append(_concept(element, path))
                    element.clear(keep_tail=True)
            except etree.XMLSyntaxError as error:
                _refuse_bomb(error, path)
                what = re.sub(r",? line \d+, column \d+.*", "", error.msg or "no XML")
                raise UserError(
                    f"{path} line {error.lineno or 1}: {what}. The XML is broken here; mend it."
                ) from None
        root = parsed.root
        _refuse_undeclared(parsed.error_log, path)
        _refuse_entities(root, path)
        if _name(root) not in ("martif", "tbx", "TBX"):
            raise UserError(
                f"{path} line {root.sourceline}: <{_name(root)}> is no TBX. Give a file of martif,"
                " tbx or TBX-Min."
            )
        header = next(root.iter("{*}languages"), None)
        if header is not None:
            return TermBase(concepts, header.get("source"), header.get("target"))
        return TermBase(concepts, root.get(_XML_LANG), None)


def _refuse_entities(element: Any, path: Path) -> None:
    declared = element.getroottree().docinfo.internalDTD
    if declared is not None and (names := [entity.name for entity in declared.iterentities()]):
        raise UserError(
            f'{path} declares the entity "{names[0]}", which may hide anything. Write its text'
            " instead."
        )


def _refuse_undeclared(log: Any, path: Path) -> None:
    """Raises where a name has a prefix that nothing declares, and so means nothing."""
    for entry in log:
        if entry.type == etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE:
            raise UserError(
                f"{path} line {entry.line}: {entry.message}. Declare the prefix in the first tag,"
                ' such as xmlns:min="http://www.tbxinfo.net/ns/min", or remove it.'
            )


def _refuse_bomb(error: Any, path: Path) -> None:
    if "amplification" in (error.msg or "").lower():
        raise UserError(
            f"{path} line {error.lineno}: entities that grow without end. Write their text instead."
        ) from None


def _concept(element: Any, path: Path) -> Concept:
    for entity in element.iter(etree.Entity):
        raise UserError(
            f"{path} line {element.sourceline}: {entity.text} is no known character. Write the"
            " character itself."
        )
    languages: dict[str, list[TbxTerm]] = {}
    for section in element.iter(*(f"{{*}}{name}" for name in _LANGUAGE_TAGS)):
        code = section.get(_XML_LANG) or section.get("lang")
        if not code:
            raise UserError(
                f"{path} line {section.sourceline}: <{_name(section)}> has no xml:lang. Say its"
                " language."
            )
        facts = tuple(_facts(section))
        for group in section.iter(*(f"{{*}}{name}" for name in _TERM_TAGS)):
            term = next(group.iter("{*}term"), None)
            text = "" if term is None else _text(term)
            if not text:
                raise UserError(
                    f"{path} line {group.sourceline}: <{_name(group)}> has no term. Write one, or"
                    " remove it."
                )
            languages.setdefault(code, []).append(TbxTerm(text, (*facts, *_facts(group))))
    return Concept(Place(str(path), element.sourceline), tuple(_facts(element)), languages)


def _facts(element: Any) -> Iterator[tuple[str, str]]:
    """What is noted of an element itself, by name, whether that is a tag or a type."""
    for child in element.iterchildren(tag=etree.Element):
        name = _name(child)
        if name in _GROUP_TAGS:
            yield from _facts(child)
        elif (value := child.find("{*}noteValue")) is not None:
            yield (child.findtext("{*}noteKey") or "note").strip(), _text(value)
        elif name not in (*_LANGUAGE_TAGS, *_TERM_TAGS, "term"):
            yield child.get("type") or name, _text(child)


def _text(element: Any) -> str:
    return " ".join(str(element.xpath("string()")).split())


def _name(element: Any) -> str:
    return cast(str, etree.QName(element).localname)
