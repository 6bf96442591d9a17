"""How much more likely one true state can make what is published than another one does."""

from __future__ import annotations

from fractions import Fraction
from typing import Generic, NamedTuple

from splu_ref.channels.channel import Channel, In, Out


class Amplification(NamedTuple, Generic[In, Out]):
    """The largest ratio of two entries in one column, and where it stands.

    Attributes
    ----------
    ratio
        At least 1; None if it is infinite, because ``less`` never publishes ``published``.
    published
        The column.
    more, less
        The true states with the larger and the smaller entry.
    """

    ratio: Fraction | None
    published: Out
    more: In
    less: In


def amplification(channel: Channel[In, Out]) -> Amplification[In, Out]:
    """Return the amplification of a channel: max of A[u][v] / A[u'][v] over columns v and rows u, u'.

    Columns that never occur say nothing and are left out. As a ratio it is e to the epsilon of local
    differential privacy (Evfimievski, Gehrke & Srikant 2003).
    """
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
    assert found is not None  # rows add up to 1, so some column occurs
    return found
