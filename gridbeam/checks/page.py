"""Reports as pages of HTML that need nothing else: what they have in common, and that of checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import islice

from gridbeam.checks.report import CheckedSegment, CheckReport
from gridbeam.checks.rule import Finding
from gridbeam.checks.rules import RULES
from gridbeam.constraints.occurrences import Spans
from gridbeam.draw.style import DAY, NIGHT, variables

_MOST_SHOWN = 2000
"""How many segments the page shows; the JSON has all."""
_MOST_DOUBTFUL = 50
"""How many translations it shows for their estimates."""
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
mark{background:none;color:var(--continue);text-decoration:underline}
"""


def page(title: str, head: str, sections: Iterable[str]) -> str:
    """A whole page with this title, what stands below it, and its sections."""
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>:root{{color-scheme:light dark;{variables(DAY)}}}",
            (
                f"@media (prefers-color-scheme:dark){{:root{{{variables(NIGHT)}}}}}"
                f"{_STYLE}</style></head><body>"
            ),
            f"<header><h1>{escape(title)}</h1>{head}</header><main>",
            *sections,
            "</main></body></html>\n",
        ]
    )


def section(name: str, columns: Sequence[str], rows: Iterable[str]) -> str:
    """A section with a table of these rows, or the word that there are none."""
    body = "".join(rows)
    if not body:
        return f"<section><h2>{name}</h2><p>None.</p></section>"
    head = "".join(f'<th scope="col">{column}</th>' for column in columns)
    return (
        f'<section><h2>{name}</h2><div class="pane"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div></section>"
    )


def as_html(report: CheckReport) -> str:
    """A page of the findings in a file: by rule, and by segment."""
    head = f'<p class="sum">{escape(str(report))}</p>'
    return page(f"Checks of {report.file}", head, findings(report))


def findings(report: CheckReport) -> Iterator[str]:
    """The two sections on findings: how many of each rule, and the segments."""
    counts = report.rules
    yield section(
        "Rules",
        ("rule", "severity", "findings", "what it finds"),
        (
            f"<tr><td><b>{rule.name}</b></td><td>{rule.severity}</td>"
            f"<td>{counts[rule.name]:,}</td><td>{escape(rule.about)}</td></tr>"
            for rule in RULES
            if counts[rule.name]
        ),
    )
    shown = [each for each in report.found if each.findings]
    rows = [_row(each) for each in islice(shown, _MOST_SHOWN)]
    more = len(shown) - _MOST_SHOWN
    if more > 0:
        rows.append(f"<tr><td>and {more:,} more, which the .json has</td></tr>")
    yield section("Findings", ("segment", "source", "translation", "findings"), rows)
    if doubtful := _doubtful(report):
        columns = ("segment", "source", "translation", "chance to be usable")
        yield section("Translations that are most in doubt", columns, map(_estimated, doubtful))


def _doubtful(report: CheckReport) -> list[CheckedSegment]:
    """The translations with the lowest estimates, the worst first."""
    estimated = [each for each in report.found if each.quality is not None]
    return sorted(estimated, key=lambda each: each.quality or 0.0)[:_MOST_DOUBTFUL]


def _estimated(segment: CheckedSegment) -> str:
    return (
        f"<tr>{_where(segment)}<td>{escape(segment.source)}</td><td>{escape(segment.target)}</td>"
        f"<td>{segment.quality:.2f}</td></tr>"
    )


def _row(segment: CheckedSegment) -> str:
    is_bad = any(each.severity == "error" for each in segment.findings)
    source = _marked(segment.source, (s for each in segment.findings for s in each.source_spans))
    target = _marked(segment.target, (s for each in segment.findings for s in each.spans))
    kind = ' class="bad"' if is_bad else ""
    return (
        f"<tr{kind}>{_where(segment)}<td>{source}</td><td>{target}</td>"
        f"<td><ul>{''.join(map(_item, segment.findings))}</ul></td></tr>"
    )


def _where(segment: CheckedSegment) -> str:
    place = f"number {segment.number}, line {segment.line}"
    return f"<td>{escape(segment.name)}<br><small>{place}</small></td>"


def _item(finding: Finding) -> str:
    state = "missing" if finding.severity == "error" else finding.severity
    return f'<li><b class="{state}">{finding.rule}</b> {escape(finding.message)}</li>'


def _marked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with these stretches of it marked, those that overlap as one."""
    shown, done = "", 0
    for start, end in _apart(tuple(sorted(spans))):
        shown += f"{escape(text[done:start])}<mark>{escape(text[start:end])}</mark>"
        done = end
    return shown + escape(text[done:])


def _apart(spans: Spans) -> Iterator[tuple[int, int]]:
    done = 0
    for start, end in spans:
        if max(start, done) < end:
            yield max(start, done), end
            done = end
