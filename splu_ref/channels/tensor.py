"""Tensor products of channels, one factor for each column, which are never expanded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Generic

from splu_ref.channels.amplification_bounds import amplification
from splu_ref.channels.channel import Channel, In, Out
from splu_ref.channels.matrix_inverse import Inverse, inverse
from splu_ref.channels.parameters import ParameterError


@dataclass(frozen=True)
class Tensor(Generic[In, Out]):
    """A product of independent channels, one for each entry of a tuple of states.

    Attributes
    ----------
    factors
        One channel for each place of the tuples, at least one.
    """

    factors: tuple[Channel[In, Out], ...]

    def __post_init__(self) -> None:
        if not self.factors:
            raise ParameterError("a tensor needs at least one channel")

    def probability(self, states: Sequence[In], published: Sequence[Out]) -> Fraction:
        """Return one entry of the product: the product of one entry of each factor."""
        entries = zip(self.factors, states, published, strict=True)
        return prod(
            (channel.probability(state, label) for channel, state, label in entries), start=Fraction(1)
        )

    def then(self, second: Tensor[Out, Out]) -> Tensor[In, Out]:
        """Return the composition, factor by factor: (A x B)(C x D) = AC x BD."""
        pairs = zip(self.factors, second.factors, strict=True)
        return Tensor(tuple(channel.then(other) for channel, other in pairs))

    def inverses(self) -> tuple[Inverse[In, Out], ...]:
        """Return the inverse of each factor: the inverse of the product is the product of these."""
        return tuple(inverse(channel) for channel in self.factors)

    def amplification(self) -> Fraction | None:
        """Return the amplification of the product: the product of the factors'; None if one is infinite."""
        ratios = [amplification(channel).ratio for channel in self.factors]
        finite = [ratio for ratio in ratios if ratio is not None]
        return prod(finite, start=Fraction(1)) if len(finite) == len(ratios) else None
