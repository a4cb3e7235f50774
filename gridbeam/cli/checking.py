"""Check bilingual files, whoever translated them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gridbeam.cli.commands import (
    GLOSSARY_FORMATS,
    MESSAGES,
    PLAIN,
    CaseRule,
    EveryTime,
    Lemmas,
    Sheet,
    command,
)
from gridbeam.documents.registry import listed
from gridbeam.support.output_files import refuse_overwriting


def check(
    file: Annotated[
        Path, typer.Argument(help="A file with texts and translations: PO, XLIFF, TMX, TSV, JSONL.")
    ],
    translation: Annotated[
        Path | None,
        typer.Option(
            "--target", help="The translation of a plain text, line by line; plain, or .xz."
        ),
    ] = None,
    glossary: Annotated[
        list[Path] | None,
        typer.Option(
            help=f"Terms that translations must use: {GLOSSARY_FORMATS}. Of several, later win."
        ),
    ] = None,
    case: CaseRule = "sentence",
    sheet: Sheet = None,
    lemmas: Lemmas = False,
    every_time: EveryTime = False,
    placeholder: Annotated[
        list[str] | None,
        typer.Option(help="A regular expression for placeholders, besides the usual."),
    ] = None,
    languages: Annotated[
        str | None,
        typer.Option(help="Source and target, such as en-de, where the file does not say."),
    ] = None,
    format: Annotated[str | None, typer.Option(help=f"The format of the file: {listed()}.")] = None,
    rules: Annotated[
        str | None, typer.Option(help="Only these rules, with commas between: numbers,brackets.")
    ] = None,
    skip: Annotated[
        list[str] | None, typer.Option(help="Rules to leave out, with commas between.")
    ] = None,
    hints: Annotated[
        bool, typer.Option(help="Show hints too, which good translations get as well.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="A line of JSON for each segment with findings.")
    ] = False,
    report: Annotated[
        Path | None, typer.Option(help="Where all findings go, as .json or .html.")
    ] = None,
) -> None:
    """Checks translations for what anyone can see: numbers, placeholders, brackets, terms.

    Exits with 1 if there are errors among the findings.
    """
    from gridbeam.checks.bilingual import Checking, check_file, known_languages
    from gridbeam.checks.report import check_suffix, lines_of, write_check_report
    from gridbeam.checks.rules import chosen
    from gridbeam.documents import Languages
    from gridbeam.glossary.formats import read_all
    from gridbeam.text.languages import pair_of

    if report is not None:
        check_suffix(report)
        refuse_overwriting(
            {"--report": report}, {"FILE": file, "--target": translation, "--glossary": glossary}
        )
    known = known_languages(file, Languages(*pair_of(languages)), translation, format)
    terms = read_all(
        glossary or (),
        source=known.source,
        target=known.target,
        case=case,  # type: ignore[arg-type]
        sheet=sheet,
    )
    chosen_rules = chosen(_names(rules), _names(*(skip or ())))
    how = Checking(chosen_rules, terms, lemmas, tuple(placeholder or ()), every_time)
    found = check_file(file, how, known, target=translation, format=format)
    if as_json:
        for segment in found.found:
            print(json.dumps(segment.as_json(), ensure_ascii=False))
    else:
        for line in lines_of(found, "hint" if hints else "warning"):
            print(line)
    if report is not None:
        write_check_report(found, report)
    MESSAGES.print(str(found), **PLAIN)
    if found.severities["error"]:
        raise typer.Exit(1)


command(check)


def _names(*given: str | None) -> list[str]:
    return [name.strip() for each in given for name in (each or "").split(",") if name.strip()]
