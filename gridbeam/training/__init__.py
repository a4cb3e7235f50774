"""Training of translation models: `train(read_config(path), run, data)`."""

from gridbeam.training.config import read as read_config
from gridbeam.training.run import train

__all__ = ["read_config", "train"]
