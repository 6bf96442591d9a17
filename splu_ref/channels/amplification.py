"""How much more likely one true state can make what is published than another one does."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Generic, NamedTuple

from splu_ref.channels.channel import Channel, In, Out
from splu_ref.model import ParameterError


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
        What is published.
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
