"""Figures by matplotlib: lines told apart without colour, the same picture every time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gridbeam.errors import UserError
from gridbeam.support.output_files import replacing

_STYLES = ("-", "--", ":", "-.")
_MARKERS = "osv^Dx"


def style(number: int) -> str:
    """How the line with this number is drawn."""
    return _STYLES[number % len(_STYLES)]


def marker(number: int) -> str:
    """How the points of the line with this number are drawn."""
    return _MARKERS[number % len(_MARKERS)]


def blank(columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    """A figure with so many axes side by side, and the axes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot.subplots(1, columns, figsize=size, layout="constrained")


def save(figure: Any, out: Path) -> None:
    """Writes a figure in the format of its suffix, and is done with it."""
    from matplotlib import pyplot, rc_context

    remedy = "Give a path that ends in .svg, .png or .pdf."
    form = out.suffix.removeprefix(".").lower()
    try:
        with replacing(out, remedy) as file, rc_context({"svg.hashsalt": "gridbeam"}):
            about = {"Date": None} if form == "svg" else None
            figure.savefig(file, format=form, metadata=about)
    except ValueError as error:
        raise UserError(f"{out} cannot be written: {error}. {remedy}") from None
    finally:
        pyplot.close(figure)
