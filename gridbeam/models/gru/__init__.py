"""The paper's model: a bidirectional GRU encoder, a GRU decoder with attention."""

from gridbeam.models.gru.model import GRU, load, save

__all__ = ["GRU", "load", "save"]
