"""Matrix products, in float32 or in 8 bits.

In 8 bits a row of the matrix is whole numbers with a scale of its own, and a row of the input is
whole numbers of one or two digits, each of 8 bits, with a scale. The products are then sums of
whole numbers, which come out the same in whatever order they are added, so that a row gives the
same whether it stands alone or in a batch. With one digit texts differ from those of float32 in one
sentence of ten, with two they are as good as never others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import torch
from jaxtyping import Float, Int8, UInt8
from torch import Tensor
from torch.nn.functional import linear

from gridbeam.models.lean.weights import StoredMatrix

Matrix: TypeAlias = Callable[[Tensor], Tensor]
"""From rows to what a linear layer makes of them."""
_MIDDLE = 128
"""What stands for 0 where values have both signs: the processor multiplies unsigned numbers."""
_DIGIT = 254
"""How many of the second digit are one of the first."""
_STEPS = ((32, 2), (128, 8), (512, 32))
"""Up to so many rows, numbers of rows are rounded up to a multiple of this."""
_COARSEST = 128


@dataclass(frozen=True)
class InFloat:
    """The matrix as it is."""

    weight: Float[Tensor, "out in"]
    bias: Float[Tensor, "out"] | None

    def __call__(self, rows: Float[Tensor, "row in"]) -> Float[Tensor, "row out"]:
        """The product."""
        return linear(rows, self.weight, self.bias)


@dataclass(frozen=True)
class InEightBits:
    """The matrix as whole numbers from -127 to 127, laid out as the processor likes it."""

    packed: Tensor
    scale: Float[Tensor, "out"]
    zeros: Tensor
    bias: Float[Tensor, "out"] | None
    digits: int
    """Of how many the numbers of an input are: 1 or 2."""

    @classmethod
    def of(cls, stored: StoredMatrix, digits: int = 2) -> InEightBits:
        """The matrix of these weights."""
        zeros = torch.zeros(len(stored.scale), dtype=torch.int64)
        return cls(_packed(stored.numbers), stored.scale, zeros, stored.bias, digits)

    def __call__(self, rows: Float[Tensor, "row in"]) -> Float[Tensor, "row out"]:
        """The product, to the precision of the input's digits."""
        count = rows.shape[0]
        scale = rows.abs().amax(1, keepdim=True).mul_(1 / 127)
        in_digits = _first_digits if self.digits == 1 else _both_digits
        sums = _product(in_digits(rows, scale), self.packed, self.scale, self.zeros)
        products = sums[:count]
        if self.digits == 2:
            products.add_(sums[count : 2 * count], alpha=1 / _DIGIT)
        if self.bias is None:
            return products.mul_(scale)
        return torch.addcmul(self.bias, products, scale)


def matrix_of(stored: StoredMatrix, digits: int) -> Matrix:
    """The matrix of these weights, to multiply by: in 8 bits, or in float32 if without digits."""
    return InEightBits.of(stored, digits) if digits else InFloat(stored.weight(), stored.bias)


@cache
def has_eight_bits() -> bool:
    """Whether this machine and this torch multiply 8-bit numbers, and get sums of them right.

    Some processors add up pairs of products in 16 bits, which the largest overflow.
    """
    numbers = torch.full((2, 512), 255, dtype=torch.uint8)
    weights = torch.full((64, 512), 127, dtype=torch.int8)
    weights[1::2] = -127
    scale, zeros = torch.ones(64), torch.zeros(64, dtype=torch.int64)
    try:
        found = _product(numbers, _packed(weights), scale, zeros)
    except (RuntimeError, AttributeError, NotImplementedError):
        return False
    expected = (numbers.double() - _MIDDLE) @ weights.double().mT
    return bool((found == expected.float()).all())


def _first_digits(
    rows: Float[Tensor, "row in"], scale: Float[Tensor, "row 1"]
) -> UInt8[Tensor, "padded in"]:
    return _as_numbers(rows.div(scale).round_())


def _both_digits(
    rows: Float[Tensor, "row in"], scale: Float[Tensor, "row 1"]
) -> UInt8[Tensor, "padded in"]:
    """The first digits of all rows, then the second."""
    both = torch.empty((2, *rows.shape))
    first, second = both.unbind()
    torch.div(rows, scale, out=second)
    torch.round(second, out=first)
    second.sub_(first).mul_(_DIGIT).round_()
    return _as_numbers(both.flatten(0, 1))


def _as_numbers(digits: Float[Tensor, "digit in"]) -> UInt8[Tensor, "padded in"]:
    """Digits as the processor multiplies them, then some rows that mean nothing.

    What multiplies another number of rows is made anew, which takes longer than these do. A row of
    zeros is no number at all, divided by its scale, and whatever becomes of it, times 0.
    """
    count, width = digits.shape
    numbers = torch.empty((_padded(count), width), dtype=torch.int8)
    numbers[:count] = digits
    return numbers.view(torch.uint8).bitwise_xor_(_MIDDLE)


def _padded(rows: int) -> int:
    step = next((step for most, step in _STEPS if rows <= most), _COARSEST)
    return -(-rows // step) * step


def _packed(numbers: Int8[Tensor, "out in"]) -> Tensor:
    packed: Tensor = torch.ops.onednn.qlinear_prepack(numbers, None)
    return packed


def _product(
    numbers: UInt8[Tensor, "row in"], packed: Tensor, scale: Tensor, zeros: Tensor
) -> Float[Tensor, "row out"]:
    """The sums of products, times the scale of each row of the matrix."""
    sums: Tensor = torch.ops.onednn.qlinear_pointwise.default(
        numbers, 1.0, _MIDDLE, packed, scale, zeros, None, 1.0, 0, torch.float32, "none", [], ""
    )
    return sums
