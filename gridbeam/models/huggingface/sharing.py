"""Keys and values that many rows read and one sentence stores.

The hypotheses of a sentence share its prompt, or its encoder's output: all that was there before
the first token was generated. So the cache of the first call is kept as it is, a row for each
sentence; each hypothesis adds only its own keys and values.

The model is given stand-ins of the size that whole keys and values would have, filled with NaN and
taking no memory, so that it makes the right masks and positions. They lead the attention function
(`attention.py`) to the two parts. A model that computes with a stand-in itself is found out by
`is_read`, or by the NaN of its answer.
"""

from __future__ import annotations

import copy
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from transformers.cache_utils import Cache, CacheLayerMixin, DynamicCache

from gridbeam.models.rowtable import Places

_LEADS_TO = "gridbeam_layer"


class SharedLayer(CacheLayerMixin):  # type: ignore[no-untyped-call]
    """The keys and values of one layer: those of each sentence, and those each row has added."""

    is_sliding = False

    def __init__(
        self,
        keys: Float[Tensor, "sentence head key dim"],
        values: Float[Tensor, "sentence head key out"],
        places: Places,
    ) -> None:
        self.is_initialized = True
        self.is_read = False
        self.shared = (keys, values)
        self.places = places
        self.own: tuple[Tensor, Tensor] | None = None
        self.pending: Int[Tensor, "row"] | None = None
        """Rows of `own` that were selected; they are copied only when a token is added, one layer
        at a time."""

    @property
    def keys(self) -> Tensor:  # type: ignore[override]
        """A stand-in for the keys of each row, for models that look them up."""
        return self._stand_in(0)

    @property
    def values(self) -> Tensor:  # type: ignore[override]
        """A stand-in for the values of each row."""
        return self._stand_in(1)

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        """Stand-ins, after these keys and values of one more token were added to each row's own."""
        if self.own is None:
            self.own = (key_states, value_states)
        else:
            self.own = (
                self._longer(self.own[0], key_states),
                self._longer(self.own[1], value_states),
            )
        self.pending = None
        return self.keys, self.values

    def select(
        self, rows: Int[Tensor, "new_row"], places: Places, kept: Int[Tensor, "kept"] | None
    ) -> SharedLayer:
        """The layer with these rows, and with the sentences that are kept if not all are."""
        layer = copy.copy(self)
        layer.places = places
        if self.own is not None:
            layer.pending = rows if self.pending is None else self.pending[rows]
        if kept is not None:
            layer.shared = (self.shared[0][kept], self.shared[1][kept])
        return layer

    def get_seq_length(self) -> int:
        """How many tokens a row has behind it, those of the prompt included."""
        return self.shared[0].shape[2] + (self.own[0].shape[2] if self.own else 0)

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """All keys, from the first: what a sliding window leaves out is masked, not dropped."""
        return self.get_seq_length() + query_length, 0

    def get_max_length(self) -> int:
        """No limit, as transformers writes it."""
        return -1

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Nothing to do: a layer is made from keys and values."""

    def _longer(self, own: Tensor, added: Tensor) -> Tensor:
        return torch.cat([own if self.pending is None else own[self.pending], added], 2)

    def _stand_in(self, part: int) -> Tensor:
        shared = self.shared[part]
        shape = (len(self.places.sentence), shared.shape[1], self.get_seq_length(), shared.shape[3])
        stand_in = shared.new_full((), torch.nan).expand(shape)
        setattr(stand_in, _LEADS_TO, (self, part))
        return stand_in


class SharedCache(Cache):
    """A cache whose layers store once what the rows of a sentence share."""

    layers: list[SharedLayer]  # type: ignore[assignment]

    @classmethod
    def of(cls, cache: Cache, places: Places) -> SharedCache:
        """The filled cache of a first call over all sentences, as what their rows share."""
        return cls(layers=[SharedLayer(*parts, places) for parts in keys_and_values(cache)])

    @property
    def is_read(self) -> bool:
        """Whether the attention function has come by every layer.

        If not, the model cannot work with stand-ins.
        """
        return all(layer.is_read for layer in self.layers)

    def distrust(self) -> None:
        """Takes back that the layers were read."""
        for layer in self.layers:
            layer.is_read = False

    def select(
        self, rows: Int[Tensor, "new_row"], places: Places, kept: Int[Tensor, "kept"] | None
    ) -> SharedCache:
        """The cache with these rows in these places, and with only the sentences kept."""
        return SharedCache(layers=[layer.select(rows, places, kept) for layer in self.layers])

    def copied(self, sentence: Int[Tensor, "row"]) -> DynamicCache:
        """The same as a transformers cache, for rows of these sentences without tokens yet."""
        return DynamicCache(
            [tuple(part[sentence] for part in layer.shared) for layer in self.layers]
        )


def keys_and_values(cache: Cache) -> list[tuple[Tensor, Tensor]]:
    """Those of each layer that has any."""
    layers: list[Any] = list(cache.layers)
    return [(layer.keys, layer.values) for layer in layers if layer.is_initialized]


def layer_behind(key: Tensor, value: Tensor) -> SharedLayer | None:
    """The layer whose keys and values these stand in for.

    None if one of them is no stand-in, or was changed by the model.
    """
    (layer, key_part), (other, value_part) = (
        getattr(part, _LEADS_TO, (None, None)) for part in (key, value)
    )
    return layer if layer is other and (key_part, value_part) == (0, 1) else None
