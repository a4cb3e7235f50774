"""A recorded grid as terminal text, SVG and a page of HTML, after the paper's Figures 1 and 3.

Draws what `search(..., trace=True)` has recorded. `word` gives the text of a token, which is shown
as given: a word, or a piece such as ▁Haus. Rows are labelled as in the paper, by how many
constraint tokens are covered, none in the bottom row.
"""

from __future__ import annotations

from gridbeam.draw.graph import graph_as_svg
from gridbeam.draw.grid import as_svg
from gridbeam.draw.page import as_html
from gridbeam.draw.recorded import up_to_its_end, winning_path
from gridbeam.draw.structures import structures_as_svg
from gridbeam.draw.text import as_text

__all__ = [
    "as_html",
    "as_svg",
    "as_text",
    "graph_as_svg",
    "structures_as_svg",
    "up_to_its_end",
    "winning_path",
]
