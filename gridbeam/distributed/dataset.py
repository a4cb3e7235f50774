"""A dataset of Ray translated: rows in, the same rows with translations out.

What becomes of a row whose worker dies is Ray's to say here: it is translated again. For files,
`gridbeam translate --engine ray` keeps books of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from gridbeam.distributed.on_ray import imported, room
from gridbeam.documents import Segment
from gridbeam.documents.jsonl import unit
from gridbeam.documents.lines import Line
from gridbeam.errors import UserError
from gridbeam.files.instructions import Instructions
from gridbeam.files.segments import SegmentTranslator
from gridbeam.translation.translator import WINDOW, Translator

_KEYS = ("text", "constraints", "avoid", "prefix", "max_chars")
"""The columns that are read, as in JSON Lines."""
_NAME = Path("<dataset>")


def translate(
    dataset: Any,
    instructions: Instructions | None = None,
    *,
    model: str = "builtin:en-de",
    source: str | None = None,
    target: str | None = None,
    device: str | None = None,
    told: bool = False,
    workers: int | None = None,
) -> Any:
    """A `ray.data.Dataset` with translations: the columns that it has, and a few more.

    Of each row `text` is translated, and says what `constraints`, `avoid`, `prefix` and `max_chars`
    ask for, where there are such columns, in the notation of JSON Lines (`gridbeam.notation`).
    New columns are `translation` (none where that cannot be met), `score`, `quality` and `unmet`,
    which says why. Like all of Ray's, the dataset is computed when it is asked for.
    """
    ray = imported()
    if not isinstance(dataset, ray.data.Dataset):
        raise UserError(
            f"this is no dataset of Ray but a {type(dataset).__name__}. Make one, as with"
            " ray.data.read_json or ray.data.from_items."
        )
    how = instructions or Instructions()
    most, gpus = room(wants_gpu=device != "cpu")
    loading = {"source": source, "target": target, "device": device, "told": told}
    return dataset.map_batches(
        RowTranslator,
        fn_constructor_args=(model, loading, how),
        batch_size=WINDOW * how.batch_size,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(size=workers or most),
        num_cpus=1,
        num_gpus=gpus,
    )


class RowTranslator:
    """Translates the rows of a table; a worker of Ray makes one of it, once."""

    def __init__(self, model: str, loading: Mapping[str, Any], instructions: Instructions) -> None:
        self._segments = SegmentTranslator(Translator.load(model, **loading), instructions)

    def __call__(self, table: Any) -> Any:
        """The table with its translations."""
        found = dict(self._segments.outcomes([*_segments(table)]))
        outcomes = [found[place] for place in range(len(found))]
        texts = [None if each.text is None else str(each.text) for each in outcomes]
        new: dict[str, tuple[list[Any], str]] = {
            "translation": (texts, "string"),
            "score": ([each.score for each in outcomes], "float64"),
            "quality": ([each.quality for each in outcomes], "float64"),
            "unmet": ([each.unmet for each in outcomes], "string"),
        }
        return _with_columns(table, new)


def _with_columns(table: Any, columns: Mapping[str, tuple[list[Any], str]]) -> Any:
    """A table with columns that take the place of those of the same name."""
    pyarrow = import_module("pyarrow")  # which Ray brings along
    for name, (values, kind) in columns.items():
        if name in table.column_names:
            table = table.drop_columns([name])
        table = table.append_column(name, pyarrow.array(values, kind))
    return table


def _segments(table: Any) -> Iterator[Segment]:
    """The rows as segments."""
    for number, row in enumerate(table.to_pylist()):
        given = {key: _without_gaps(row[key]) for key in _KEYS if row.get(key) is not None}
        text = json.dumps(given)
        made = unit(Line(number + 1, 0, len(text), text, _NAME, b""), number)
        assert made is not None
        yield from made.segments


def _without_gaps(value: Any) -> Any:
    """A value without the members that only other rows have, as a table has one type for all."""
    if isinstance(value, list):
        return [_without_gaps(each) for each in value]
    if isinstance(value, dict):
        return {key: _without_gaps(each) for key, each in value.items() if each is not None}
    return value
