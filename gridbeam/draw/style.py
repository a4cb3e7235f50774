"""How figures and the page look: colours by day and by night, and patterns that do not need colour.

Style is written with variables. A page keeps them, so that it follows the reader's choice of light
or dark; an SVG file that stands alone gets the colours of the day in their place, since not every
program that shows SVG knows variables.
"""

from __future__ import annotations

import re

from gridbeam.decoding.hypothesis import Origin

DAY = {
    "ground": "#ffffff",
    "ink": "#1c2024",
    "faint": "#667080",
    "frame": "#c4cad4",
    "band": "#f4f6f9",
    "generate": "#2c66cc",
    "start": "#177a40",
    "continue": "#c8322b",
}
NIGHT = {
    "ground": "#14171b",
    "ink": "#e8eaed",
    "faint": "#9aa4b2",
    "frame": "#434b57",
    "band": "#1c2127",
    "generate": "#6ba1ff",
    "start": "#45c07a",
    "continue": "#ff7a70",
}

STYLE = """
.picture text{font:11px system-ui,-apple-system,"Segoe UI",sans-serif;fill:var(--ink)}
.picture text.small,.picture .small text{font-size:9.5px;fill:var(--faint)}
.picture text.row{font-size:12px;font-weight:600}
.picture .token{text-anchor:middle}
.beam{fill:var(--ground);stroke:var(--frame)}
.band{fill:var(--band)}
.box{fill:none;stroke:var(--ink);stroke-width:1.2}
.ink-generate,.strip.generate .bar,.node.generate text{fill:var(--generate)}
.ink-start,.node.start text{fill:var(--start)}
.ink-continue,.node.continue text{fill:var(--continue)}
.picture text.ink-generate{fill:var(--generate)}
.picture text.ink-start{fill:var(--start);font-weight:600}
.picture text.ink-continue{fill:var(--continue);font-weight:600}
.gap{fill:var(--ground);opacity:.5}
.strip .bar{opacity:.55;stroke:transparent;stroke-width:2}
.strip.won .bar{opacity:1;stroke:var(--ink);stroke-width:2.6;paint-order:stroke}
.legend .bar{opacity:1}
.strip circle{fill:var(--ground);stroke:var(--ink);stroke-width:.8}
.strip .stop{fill:var(--ink)}
.link{fill:none;stroke:var(--ink);stroke-width:1.6}
.node .edge{fill:none;stroke-width:1.3;opacity:.75}
.node.generate .edge{stroke:var(--generate)}
.node.start .edge{stroke:var(--start);stroke-dasharray:7 3}
.node.continue .edge{stroke:var(--continue);stroke-dasharray:2 2.5}
.node .dot{fill:var(--ink);stroke:var(--ink)}
.node.closed .dot{fill:var(--ground);stroke-width:1.5}
.node.won .edge{stroke-width:3.4;opacity:1}
.node.won text{font-weight:700}
.root{fill:var(--ink)}
"""

PAGE_STYLE = """
body{margin:0 auto;padding:1.2rem 1.6rem 0;color:var(--ink);background:var(--ground);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
h1{font-size:1.3rem;margin:0 0 .6rem}
h2{font-size:1.05rem;margin:1.6rem 0 .2rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:0}
dt,.help{color:var(--faint)}
dd,.found{margin:0}
dd ul{display:flex;flex-wrap:wrap;gap:.3rem;list-style:none;margin:0;padding:0}
dd li{border:1px solid var(--frame);border-radius:4px;padding:0 .5em}
.found{font-size:1.15rem}
mark{color:inherit;background:color-mix(in srgb,var(--start) 18%,transparent);
border-bottom:2px solid var(--start);border-radius:3px 3px 0 0;padding:0 .15em}
.note{border-left:4px solid var(--continue);background:var(--band);padding:.5rem .8rem}
.help{font-size:.9rem;margin:.1rem 0 .5rem;max-width:70rem}
.key{overflow-x:auto}
.key svg{display:block}
html{scroll-padding-bottom:7rem}
.pane{display:flex;overflow-x:auto;scroll-padding-left:64px;
border:1px solid var(--frame);border-radius:6px;margin:.4rem 0}
.pane svg{flex:none;display:block}
.labels{position:sticky;left:0;z-index:1;
background:var(--ground);border-right:1px solid var(--frame)}
.panel{position:sticky;bottom:0;z-index:2;min-height:4.6rem;
margin:1.2rem -1.6rem 0;padding:.5rem 1.6rem .6rem;
background:var(--band);border-top:1px solid var(--frame)}
.panel p{margin:0}
.panel .said{font-size:1.05rem}
.panel .state{color:var(--faint);font-size:.9rem}
.panel .start,.panel .continue{font-weight:600}
.panel .generate{color:var(--generate)}
.panel .start{color:var(--start)}
.panel .continue{color:var(--continue)}
.panel.pinned{border-top:3px solid var(--ink)}
[data-at]{cursor:pointer;outline:none}
.pointing .strip:not(.legend) .bar{opacity:.3;stroke:transparent}
.pointing .node:not(.legend){opacity:.3}
.pointing .link{opacity:.25}
.pointing .strip.lit.lit .bar{opacity:1;stroke:var(--ink);stroke-width:2.6;paint-order:stroke}
.pointing .node.lit.lit{opacity:1}
.node.lit .edge{stroke-width:3.4;opacity:1}
.pointing .strip.lit.here .bar,[data-at]:focus-visible .bar{
stroke:var(--ink);stroke-width:4;paint-order:stroke}
.node.here .dot,[data-at]:focus-visible .dot{stroke-width:5}
.trail{fill:none;stroke:var(--ink);stroke-width:1.6;pointer-events:none}
"""

# A strip that starts a constraint is hatched, one that continues it is barred, so that they differ
# in grey too.
PATTERNS = (
    '<defs><pattern id="gridbeam-start" width="5" height="5" patternUnits="userSpaceOnUse"'
    ' patternTransform="rotate(45)"><rect class="ink-start" width="5" height="5"/><rect class="gap"'
    ' width="1.8" height="5"/></pattern><pattern id="gridbeam-continue" width="5" height="5"'
    ' patternUnits="userSpaceOnUse"><rect class="ink-continue" width="5" height="5"/><rect'
    ' class="gap" width="2" height="5"/></pattern></defs>'
)
FILLS = {
    Origin.GENERATED: "",
    Origin.STARTED: ' fill="url(#gridbeam-start)"',
    Origin.CONTINUED: ' fill="url(#gridbeam-continue)"',
}


def variables(colours: dict[str, str]) -> str:
    """The colours as CSS variables."""
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())


def by_day(style: str) -> str:
    """The style with the colours of the day in place of variables.

    >>> by_day("fill:var(--ground)")
    'fill:#ffffff'
    """
    return re.sub(r"var\(--(\w+)\)", lambda name: DAY[name[1]], style)
