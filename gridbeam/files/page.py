"""The report on a run as one page of HTML that needs nothing else, with problems first."""

from __future__ import annotations

from html import escape
from itertools import islice

from gridbeam.checks.page import findings, page, section
from gridbeam.files.report import Noted, Report, TermUse, Unmet, Where

_MOST_SHOWN = 200
"""How many segments of a term the page names; the JSON names all."""


def as_html(report: Report) -> str:
    """A page of what could not be met, of notes, of what the checks found, and of each term."""
    unmet = section(
        "Segments that are not as asked", ("segment", "state", "why"), map(_unmet, report.unmet)
    )
    terms = section("Terms", ("term", "state", "forms", "segments"), map(_term, report.terms))
    notes = (
        [section("Notes", ("segment", "what"), map(_noted, report.notes))] if report.notes else []
    )
    sections = [unmet, *notes, *findings(report.checks), terms]
    return page(f"Translation of {report.file}", _sum(report), sections)


def _sum(report: Report) -> str:
    due, met = (
        sum(len(term.segments) for term in report.terms),
        sum(term.met for term in report.terms),
    )
    return (
        f'<p class="sum"><b>{report.segments:,}</b> segments, <b>{len(report.unmet):,}</b> of them'
        f" not as asked; <b>{met:,}</b> of <b>{due:,}</b> terms met;"
        f" {escape(str(report.checks))}</p>"
    )


def _unmet(segment: Unmet) -> str:
    state = f"{len(segment.dropped)} left out" if segment.is_translated else "not translated"
    where = f"{escape(segment.name)}<br><small>number {segment.number}, line {segment.line}</small>"
    return (
        f'<tr class="bad"><td>{where}</td><td'
        f' class="state">{state}</td><td>{escape(segment.why)}</td></tr>'
    )


def _noted(each: Noted) -> str:
    where = f"{escape(each.name)}<br><small>number {each.number}, line {each.line}</small>"
    return f"<tr><td>{where}</td><td>{escape(each.note)}</td></tr>"


def _term(term: TermUse) -> str:
    entry, due = term.entry, len(term.segments)
    wanted = ", ".join(
        [*filter(None, [" | ".join(entry.required)]), *(f"not {bad}" for bad in entry.forbidden)]
    )
    forms = "".join(
        f"<li>{escape(form)} <small>{count:,}</small></li>"
        for form, count in term.forms.most_common()
    )
    kind = ' class="bad"' if term.met < due else ""
    return (
        f"<tr{kind}><td><b>{escape(entry.source)}</b> →"
        f" {escape(wanted)}<br><small>{escape(entry.where)}</small></td>"
        f'<td class="state">{term.met:,} of {due:,}'
        f" met</td><td><ul>{forms}</ul></td><td>{_segments(term)}</td></tr>"
    )


def _segments(term: TermUse) -> str:
    """The segments of a term, behind a click, with those first where it is missing."""
    missing_first = sorted(term.segments, key=lambda each: each.is_met)
    shown = "".join(map(_segment, islice(missing_first, _MOST_SHOWN)))
    more = len(term.segments) - _MOST_SHOWN
    rest = f"<li>and {more:,} more</li>" if more > 0 else ""
    return f"<details><summary>{len(term.segments):,}</summary><ul>{shown}{rest}</ul></details>"


def _segment(where: Where) -> str:
    said = escape(where.said) if where.is_met else '<span class="missing">missing</span>'
    return f"<li>{escape(where.name)} <small>{said}</small></li>"
