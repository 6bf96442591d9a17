"""Channels from true to published values as exact row-stochastic matrices.

Rows are true states, columns published states. The word is that of quantitative information flow; the matrix
is also called transition, perturbation or distortion matrix. A row is kept as the law of what is published,
without its zeros, so that a large domain in which few values can follow one another costs little.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Generic, TypeAlias, TypeVar

from splu_ref.channels.parameters import ParameterError

In = TypeVar("In", bound=Hashable)
Out = TypeVar("Out", bound=Hashable)
Last = TypeVar("Last", bound=Hashable)

Law: TypeAlias = Mapping[Out, Fraction]
"""Probabilities by label; a label that is missing has probability 0."""


def total(law: Law[Out]) -> Fraction:
    """Return the sum of the probabilities of a law."""
    return sum(law.values(), Fraction(0))


@dataclass(frozen=True)
class Channel(Generic[In, Out]):
    """A channel: for each true state the law of the published state.

    Raises
    ------
    ParameterError
        If there is no row, if a label is unknown or stands twice, or for a row that is not a law.
    """

    #: By true state, in the order of the rows, the law of the published state. Its probabilities are positive
    #: and add up to 1; zeros in the argument are removed.
    laws: Mapping[In, Law[Out]]
    #: the published states in the order of the columns, those that never occur included
    outputs: tuple[Out, ...]

    def __post_init__(self) -> None:
        known = set(self.outputs)
        if not self.laws:
            raise ParameterError("a channel needs at least one row: name the true states")
        if len(known) < len(self.outputs):
            raise ParameterError("a published state stands twice among the columns: name each one once")
        for state, law in self.laws.items():
            for label, probability in law.items():
                if label not in known:
                    raise ParameterError(f"row {state!r} publishes {label!r}, which is not among the columns")
                if not isinstance(probability, Fraction):
                    raise ParameterError(f"row {state!r} holds {probability!r}: give exact fractions")
            if total(law) != 1 or min(law.values()) < 0:
                raise ParameterError(
                    f"row {state!r} is not a law: its entries must be at least 0 and add up to 1"
                )
        positive = {
            state: {label: probability for label, probability in law.items() if probability}
            for state, law in self.laws.items()
        }
        object.__setattr__(self, "laws", positive)

    @property
    def inputs(self) -> tuple[In, ...]:
        """The true states, in the order of the rows."""
        return tuple(self.laws)

    def probability(self, state: In, published: Out) -> Fraction:
        """Return the probability that ``state`` is published as ``published``: one entry of the matrix."""
        return self.laws[state].get(published, Fraction(0))

    def then(self, second: Channel[Out, Last]) -> Channel[In, Last]:
        """Return the composition of this channel with ``second``.

        Raises
        ------
        ParameterError
            If ``second`` has no row for one of the published states.
        """
        missing = [label for label in self.outputs if label not in second.laws]
        if missing:
            raise ParameterError(f"the second channel has no row for {missing[0]!r}: it needs one for each")
        return Channel(
            {
                state: mixed((weight, second.laws[label]) for label, weight in law.items())
                for state, law in self.laws.items()
            },
            second.outputs,
        )

    def both(self, other: Channel[In, Last]) -> Channel[In, tuple[Out, Last]]:
        """Return the channel of two independent releases of one state.

        Raises
        ------
        ParameterError
            If the channels do not have the same true states.
        """
        require_same_states(self, other)
        return Channel(
            {
                state: {
                    (first, second): chance * further
                    for first, chance in law.items()
                    for second, further in other.laws[state].items()
                }
                for state, law in self.laws.items()
            },
            tuple(product(self.outputs, other.outputs)),
        )

    def as_floats(self) -> list[list[float]]:
        """Return the matrix in rounded entries, shape (true states, published states), in their order."""
        return [[float(law.get(label, 0)) for label in self.outputs] for law in self.laws.values()]


def mixed(weighted: Iterable[tuple[Fraction, Law[Out]]]) -> dict[Out, Fraction]:
    """Return the mixture of laws with the given weights."""
    law: dict[Out, Fraction] = defaultdict(Fraction)
    for weight, part in weighted:
        for label, probability in part.items():
            law[label] += weight * probability
    return dict(law)


def require_same_states(first: Channel[In, Out], second: Channel[In, Last]) -> None:
    """Raise ParameterError unless two channels have the same true states."""
    if set(first.laws) != set(second.laws):
        odd = next(iter(set(first.laws) ^ set(second.laws)))
        raise ParameterError(f"only one of the channels has a row {odd!r}: give both the same states")
