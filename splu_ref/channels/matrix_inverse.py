"""Exact inverses of channels, and elimination in integers: which rows are linearly dependent."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from operator import itemgetter
from typing import Generic

from splu_ref.channels.channel import Channel, In, Out
from splu_ref.channels.parameters import Exact, ParameterError, exact


@dataclass
class RowSpace:
    """The space of the rows added so far, reduced by Gauss and Jordan."""

    # Columns that are eliminated. What a row holds behind them is carried along: the unit vector of the row
    # shows which combination of the added rows a reduced one is.
    width: int
    # pivot column and row, 0 at the pivots of all others; one for each independent row
    reduced: list[tuple[int, list[int]]] = field(default_factory=list)

    def add(self, row: Sequence[int]) -> list[int] | None:
        """Add a row; return None, or what is carried along if it depends on the rows before it."""
        left = list(row)
        for column, pivot in self.reduced:
            left = _reduced_rows(left, pivot, column)
        first = next((column for column in range(self.width) if left[column]), None)
        if first is None:
            return left[self.width :]
        self.reduced = [(column, _reduced_rows(pivot, left, first)) for column, pivot in self.reduced]
        self.reduced.append((first, left))
        return None


def _reduced_rows(row: list[int], pivot: list[int], column: int) -> list[int]:
    """Return a multiple of ``row`` less one of ``pivot``, 0 in the column, without common factor."""
    if not row[column]:
        return row
    left = [pivot[column] * entry - row[column] * other for entry, other in zip(row, pivot, strict=True)]
    common = gcd(*left)
    return left if common <= 1 else [entry // common for entry in left]


class DependentRowsError(ParameterError):
    """The channel has no inverse, because its rows are linearly dependent.

    Attributes
    ----------
    combination
        Coprime nonzero integers by the labels of dependent rows: the rows weighted with them sum to 0. Counts
        that differ by a multiple of them are not distinguishable in expectation.
    """

    def __init__(self, combination: Mapping[Hashable, int]) -> None:
        self.combination = combination
        names = ", ".join(repr(label) for label in combination)
        super().__init__(f"the rows {names} of the channel are linearly dependent: invert another channel")


@dataclass(frozen=True)
class Inverse(Generic[In, Out]):
    """The inverse matrix: rows by published state, columns by true state."""

    #: What one record published in a state adds to the estimated count of each true state. Each row adds up
    #: to 1, entries may be negative; zeros are left out.
    weights: Mapping[Out, Mapping[In, Fraction]]

    def estimate(self, published: Mapping[Out, Exact]) -> dict[In, Fraction]:
        """Return unbiased counts of the true states for counts of the published ones; missing ones are 0."""
        counts: dict[In, Fraction] = {}
        for label, row in self.weights.items():
            count = exact(published.get(label, 0), f"the count of {label!r}")
            for state, weight in row.items():
                counts[state] = counts.get(state, Fraction(0)) + count * weight
        return counts


def inverse(channel: Channel[In, Out]) -> Inverse[In, Out]:
    """Return the inverse of a square channel.

    Raises
    ------
    DependentRowsError
        If there is none, naming rows that depend on one another.
    ParameterError
        If there are not as many published states as true ones.

    Notes
    -----
    Gauss and Jordan's elimination on integers, each row a multiple of the one it stands for and beside it the
    combination of the channel's rows that it is. Work grows with the cube of the number of states.
    """
    inputs, outputs = channel.inputs, channel.outputs
    if len(inputs) != len(outputs):
        raise ParameterError(
            f"{len(inputs)} true states are published as {len(outputs)}: only a square channel has an inverse"
        )
    rows = RowSpace(len(outputs))
    for place, law in enumerate(channel.laws.values()):
        scale = lcm(*(entry.denominator for entry in law.values()))
        row = [int(law.get(label, Fraction(0)) * scale) for label in outputs]
        row += [scale * (place == other) for other in range(len(inputs))]
        combination = rows.add(row)
        if combination is not None:
            pairs = zip(inputs, combination, strict=True)
            raise DependentRowsError({state: entry for state, entry in pairs if entry})
    return Inverse(
        {
            outputs[column]: {
                state: Fraction(entry, row[column])
                for state, entry in zip(inputs, row[len(outputs) :], strict=True)
                if entry
            }
            for column, row in sorted(rows.reduced, key=itemgetter(0))
        }
    )


def rank(channel: Channel[In, Out]) -> int:
    """Return the rank of the matrix."""
    return len(_eliminated(channel, {state: [] for state in channel.inputs})[0].reduced)


def query_weights(channel: Channel[In, Out], wanted: Mapping[In, Exact]) -> dict[Out, Fraction] | None:
    """Return the weight of each published state in an unbiased estimate of a weighted sum of true counts.

    Parameters
    ----------
    channel
        What was published.
    wanted
        The weight w of each true state; missing ones are 0.

    Returns
    -------
    dict or None
        W with A W = w without zeros: the estimate is the sum of W over the published records. None if w is
        not in the column space, so that no unbiased estimate exists. If W is not unique, dependent columns
        have weight 0.

    Notes
    -----
    With an inverse this is A^-1 w. A channel without inverse may still identify some sums, at least the
    number of records, w = 1.
    """
    right = {state: [exact(wanted.get(state, 0), f"the weight of {state!r}")] for state in channel.inputs}
    return _weights(channel, right)[0]


def count_weights(channel: Channel[In, Out]) -> dict[In, dict[Out, Fraction] | None]:
    """Return `query_weights` for the count of each true state, by state; None where it is not identified."""
    states = channel.inputs
    right = {state: [Fraction(state == other) for other in states] for state in states}
    return dict(zip(states, _weights(channel, right), strict=True))


def _weights(
    channel: Channel[In, Out], right: Mapping[In, Sequence[Fraction]]
) -> list[dict[Out, Fraction] | None]:
    """Return W for each column w of the right-hand side."""
    space, hidden = _eliminated(channel, right)
    size = len(channel.outputs)
    found: list[dict[Out, Fraction] | None] = []
    for column in range(len(next(iter(right.values())))):
        if any(rest[column] for rest in hidden):
            found.append(None)
            continue
        weights = {
            channel.outputs[place]: Fraction(row[size + column], row[place])
            for place, row in space.reduced
            if row[size + column]
        }
        found.append(weights)
    return found


def _eliminated(
    channel: Channel[In, Out], right: Mapping[In, Sequence[Fraction]]
) -> tuple[RowSpace, list[list[int]]]:
    """Return the eliminated rows with their additional columns, and those columns of dependent rows."""
    space = RowSpace(len(channel.outputs))
    hidden = []
    for state, law in channel.laws.items():
        entries = [*(law.get(label, Fraction(0)) for label in channel.outputs), *right[state]]
        scale = lcm(*(entry.denominator for entry in entries))
        rest = space.add([int(entry * scale) for entry in entries])
        if rest is not None:
            hidden.append(rest)
    return space, hidden
