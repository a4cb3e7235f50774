"""The report on a run as one page of HTML that needs nothing else, with problems first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

from gridbeam.draw.style import DAY, NIGHT, variables
from gridbeam.files.report import Noted, Report, TermUse, Unmet, Where

_MOST_SHOWN = 200
"""How many segments of a term the page names; the JSON names all."""

_STYLE = """
body{margin:0 auto;max-width:72rem;padding:1.2rem 1.6rem 3rem;
color:var(--ink);background:var(--ground);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
h1{font-size:1.3rem;margin:0 0 .4rem;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:1.8rem 0 .4rem}
.sum{color:var(--faint);margin:0}
.sum b{color:var(--ink)}
.pane{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th{text-align:left;color:var(--faint);font-weight:600}
th,td{padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--frame);vertical-align:top}
td ul{list-style:none;margin:0;padding:0}
.bad td:first-child{box-shadow:inset 3px 0 var(--continue);padding-left:.7rem}
.bad .state,.missing{color:var(--continue);font-weight:600}
.state{color:var(--start);font-weight:600;white-space:nowrap}
small{color:var(--faint)}
summary{cursor:pointer}
li,td{overflow-wrap:anywhere}
"""


def as_html(report: Report) -> str:
    """A page of what could not be met, and of each term with its forms and segments."""
    title = escape(f"Terms in {report.file}")
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>",
            f"<style>:root{{color-scheme:light dark;{variables(DAY)}}}",
            (
                f"@media (prefers-color-scheme:dark){{:root{{{variables(NIGHT)}}}}}"
                f"{_STYLE}</style></head><body>"
            ),
            f"<header><h1>{title}</h1>{_sum(report)}</header><main>",
            _section(
                "Segments that are not as asked",
                ("segment", "state", "why"),
                map(_unmet, report.unmet),
            ),
            *(
                [_section("Notes", ("segment", "what"), map(_noted, report.notes))]
                if report.notes
                else []
            ),
            _section("Terms", ("term", "state", "forms", "segments"), map(_term, report.terms)),
            "</main></body></html>\n",
        ]
    )


def _sum(report: Report) -> str:
    due, met = (
        sum(len(term.segments) for term in report.terms),
        sum(term.met for term in report.terms),
    )
    return (
        f'<p class="sum"><b>{report.segments:,}</b> segments, <b>{len(report.unmet):,}</b> of them'
        f" not as asked; <b>{met:,}</b> of <b>{due:,}</b> terms met</p>"
    )


def _section(name: str, columns: Sequence[str], rows: Iterable[str]) -> str:
    body = "".join(rows)
    if not body:
        return f"<section><h2>{name}</h2><p>None.</p></section>"
    head = "".join(f'<th scope="col">{column}</th>' for column in columns)
    return (
        f'<section><h2>{name}</h2><div class="pane"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div></section>"
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
