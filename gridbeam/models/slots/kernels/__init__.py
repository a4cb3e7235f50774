"""Kernels: what no operation of torch does in one pass, each beside a plain version of itself.

The plain version is what computes on a CPU, and the judge of the other.
"""

from __future__ import annotations

import os

from torch import Tensor

PLAIN = "GRIDBEAM_PLAIN_KERNELS"
"""An environment variable: where it is set, the plain versions compute on GPUs, too."""

try:
    import triton  # noqa: F401

    _has_triton = True
except ImportError:
    _has_triton = False


def are_fast(tensor: Tensor) -> bool:
    """Whether the fast version can compute what is on this tensor's device, and shall."""
    is_interpreted = os.environ.get("TRITON_INTERPRET") == "1"
    return _has_triton and (tensor.is_cuda or is_interpreted) and not os.environ.get(PLAIN)
