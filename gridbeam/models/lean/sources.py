"""What was made of sources lately: one that is searched again is not encoded again.

Whoever corrects a sentence has it searched again and again, and so has a batch that searches it in
several ways.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TypeAlias

from gridbeam.models.lean.tree import KeysAndValues

SourceIds: TypeAlias = tuple[int, ...]
SourceKeys: TypeAlias = tuple[KeysAndValues, ...]
"""The keys and values of a source for each layer of the decoder."""
_ROOM = 4096
"""How many tokens of sources are kept: 32 MB for a decoder of two layers."""


class RecentSources:
    """The sources that were encoded last."""

    def __init__(self, encode: Callable[[Sequence[SourceIds]], list[SourceKeys]]) -> None:
        self._encode = encode
        self._kept: OrderedDict[SourceIds, SourceKeys] = OrderedDict()
        self._lock = Lock()

    def of(self, sources: Sequence[SourceIds]) -> list[SourceKeys]:
        """What is made of each; those that are not known are encoded together, each once."""
        known = self._known(sources)
        missing = [source for source in dict.fromkeys(sources) if source not in known]
        if missing:
            known |= zip(missing, self._encode(missing), strict=True)
            self._keep({source: known[source] for source in missing})
        return [known[source] for source in sources]

    def forget(self) -> None:
        """All are encoded anew from now on."""
        with self._lock:
            self._kept.clear()

    def _known(self, sources: Sequence[SourceIds]) -> dict[SourceIds, SourceKeys]:
        with self._lock:
            here = {each: self._kept[each] for each in sources if each in self._kept}
            for source in here:
                self._kept.move_to_end(source)
        return here

    def _keep(self, encoded: dict[SourceIds, SourceKeys]) -> None:
        with self._lock:
            self._kept.update(encoded)
            while sum(map(len, self._kept)) > _ROOM:
                self._kept.popitem(last=False)
