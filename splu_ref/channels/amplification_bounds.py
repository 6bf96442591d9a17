"""Bounds on the change of a belief by a published value: its ratio (amplification) and its growth."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Generic, NamedTuple

from splu_ref.channels.channel import Channel, In, Out
from splu_ref.channels.parameters import Exact, ParameterError, probability


class Amplification(NamedTuple, Generic[In, Out]):
    """The largest ratio of two entries in one column, with their column and rows."""

    #: at least 1; None if it is infinite, because ``less`` never publishes ``published``
    ratio: Fraction | None
    published: Out  #: the column
    more: In  #: the true states with the larger and the smaller entry
    less: In  #: see ``more``


def amplification(
    channel: Channel[In, Out], pairs: Iterable[tuple[In, In]] | None = None
) -> Amplification[In, Out]:
    """Return the amplification of a channel: max of A[u][v] / A[u'][v] over columns v and rows u, u'.

    Columns that never occur say nothing and are left out. As a ratio it is e to the epsilon of local
    differential privacy (Evfimievski, Gehrke & Srikant 2003), and over pairs of neighboring tables that of
    differential privacy.

    Parameters
    ----------
    channel
        The channel.
    pairs
        The true states that are compared, in both directions; all with each other unless given.

    Raises
    ------
    ParameterError
        If there is no pair, or one names no true state.
    """
    found = _of_columns(channel) if pairs is None else _of_pairs(channel, pairs)
    if found is None:
        raise ParameterError("there is no pair of true states to compare: give at least one")
    return found


def _of_columns(channel: Channel[In, Out]) -> Amplification[In, Out] | None:
    found: Amplification[In, Out] | None = None
    for label in channel.outputs:
        column = {state: law.get(label, Fraction(0)) for state, law in channel.laws.items()}
        more, less = max(column, key=column.__getitem__), min(column, key=column.__getitem__)
        if not column[more]:
            continue
        if not column[less]:
            return Amplification(None, label, more, less)
        ratio = column[more] / column[less]
        if found is None or (found.ratio is not None and ratio > found.ratio):
            found = Amplification(ratio, label, more, less)
    return found


def _of_pairs(channel: Channel[In, Out], pairs: Iterable[tuple[In, In]]) -> Amplification[In, Out] | None:
    found: Amplification[In, Out] | None = None
    for pair in pairs:
        unknown = [state for state in pair if state not in channel.laws]
        if unknown:
            raise ParameterError(f"a pair names {unknown[0]!r}, which is no true state of the channel")
        for more, less in (pair, pair[::-1]):
            other = channel.laws[less]
            for label, entry in channel.laws[more].items():
                if label not in other:
                    return Amplification(None, label, more, less)
                ratio = entry / other[label]
                if found is None or (found.ratio is not None and ratio > found.ratio):
                    found = Amplification(ratio, label, more, less)
    return found


class Growth(NamedTuple):
    """The supremum of posterior - prior over all priors of a property up to a bound, without roots.

    With amplification a and prior r the largest posterior is a r / (a r + 1 - r). The difference rises with r
    up to r = 1/(1 + sqrt a), where it is (sqrt a - 1)/(sqrt a + 1), and falls from there on. So it is
    rational where the bound lies before the peak, and is compared by squares at the peak.
    """

    ratio: Fraction | None  #: the amplification a; None if it is infinite
    bound: Fraction  #: largest prior of the property

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
