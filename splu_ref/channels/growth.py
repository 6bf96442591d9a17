"""Growth: by how much, as a difference, what is published can lift a belief."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from splu_ref.channels.amplification import amplification
from splu_ref.channels.channel import Channel, In, Out
from splu_ref.model import Exact, probability


class Growth(NamedTuple):
    """The supremum of posterior - prior over all priors of a property up to a bound, without roots.

    With amplification a and prior r the largest posterior is a r / (a r + 1 - r). The difference rises with r
    up to r = 1/(1 + sqrt a), where it is (sqrt a - 1)/(sqrt a + 1), and falls from there on. So it is
    rational where the bound lies before the peak, and is compared by squares at the peak.

    Attributes
    ----------
    ratio
        The amplification a; None if it is infinite.
    bound
        Largest prior of the property.
    """

    ratio: Fraction | None
    bound: Fraction

    @property
    def at_the_bound(self) -> bool:
        """Whether the growth is largest at the bound itself: a <= ((1 - bound)/bound)^2."""
        return self.ratio is not None and self.ratio * self.bound**2 <= (1 - self.bound) ** 2

    @property
    def value(self) -> Fraction | None:
        """The growth where it is known to be rational, at the bound; else None: see `at_most`."""
        if self.ratio is None or not self.at_the_bound:
            return None
        return self.ratio * self.bound / (self.ratio * self.bound + 1 - self.bound) - self.bound

    def at_most(self, delta: Exact) -> bool:
        """Return whether no belief within the bound grows by more than ``delta``.

        At the peak that is a (1 - delta)^2 <= (1 + delta)^2. With infinite amplification a belief however
        small becomes certain: the growth comes as near to 1 as one likes.
        """
        limit = probability(delta, "delta")
        if self.ratio is None:
            return self.bound == 0 or limit == 1
        if self.value is not None:
            return self.value <= limit
        return self.ratio * (1 - limit) ** 2 <= (1 + limit) ** 2


def growth(channel: Channel[In, Out], bound: Exact = 1) -> Growth:
    """Return the growth of a channel, over properties with a prior of at most ``bound``."""
    return Growth(amplification(channel).ratio, probability(bound, "bound"))
