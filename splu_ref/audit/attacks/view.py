"""What an attacker sees of a record in one release or several, and what he makes of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm, prod
from typing import TypeAlias

from splu_ref.channels import Channel, ParameterError, constant

Label: TypeAlias = Hashable
"""What a release shows of a record: a code, or the codes of its group."""
Shown: TypeAlias = tuple[Label, ...]
"""What each of the releases shows of a record."""
Weights: TypeAlias = Mapping[int, int]
"""By true code, how many of the records that show the same are expected to have it, times `View.unit`."""
Score: TypeAlias = Callable[[int, Weights], Fraction]
"""What an attacker gains from a record, 0 to 1, by its true code and the weights of what it shows."""
MOST_LABELS = 1_000_000
"""Combinations of what several releases can show, times values, above which no expectation is summed."""


@dataclass(frozen=True)
class View:
    """What the attacker knows: all true counts, and the law of what each release shows of a record.

    He knows more than the public: the histogram is secret, and so is a plan. What he cannot learn, nobody
    can who knows less.

    Attributes
    ----------
    counts
        How many records have each true code; codes without records are left out.
    channels
        For each release what it shows of a record, by its true code. Given the plans, a record's labels in
        several releases are independent.
    """

    counts: Mapping[int, int]
    channels: tuple[Channel[int, Label], ...]

    @property
    def rows(self) -> int:
        """Number of records."""
        return sum(self.counts.values())

    @property
    def labels(self) -> int:
        """How many combinations of labels there are, times true codes."""
        return prod((len(channel.outputs) for channel in self.channels), start=len(self.counts))

    @cached_property
    def _scaled(self) -> tuple[tuple[int, Mapping[int, Mapping[Label, int]]], ...]:
        """By channel a common denominator of its entries, and their numerators."""
        scaled = []
        for channel in self.channels:
            laws = {code: channel.laws[code] for code in self.counts}
            unit = lcm(*(entry.denominator for law in laws.values() for entry in law.values()))
            scaled.append(
                (
                    unit,
                    {
                        code: {label: int(entry * unit) for label, entry in law.items()}
                        for code, law in laws.items()
                    },
                )
            )
        return tuple(scaled)

    @property
    def unit(self) -> int:
        """What `weights` are expected numbers of records times."""
        return prod(unit for unit, _ in self._scaled)

    def weights(self, shown: Shown) -> dict[int, int]:
        """Return how many records of each true code are expected to show this, times `unit`; no zeros."""
        joint = dict(self.counts)
        for (_, laws), label in zip(self._scaled, shown, strict=True):
            joint = {code: count * laws[code].get(label, 0) for code, count in joint.items()}
            joint = {code: weight for code, weight in joint.items() if weight}
        return joint

    def all_weights(self) -> Iterator[dict[int, int]]:
        """Yield the weights of each combination of labels that can occur.

        Raises
        ------
        ParameterError
            If there are more than ``MOST_LABELS``.
        """
        if self.labels > MOST_LABELS:
            raise ParameterError(
                f"the releases have {self.labels} combinations of what they show and of true values, above "
                f"{MOST_LABELS}: give fewer releases, or a column of fewer values"
            )
        for shown in product(*(channel.outputs for channel in self.channels)):
            weights = self.weights(shown)
            if weights:
                yield weights

    def expected(self, score: Score) -> Fraction:
        """Return the expected mean of a score over all records."""
        total = sum(
            (
                weight * score(code, weights)
                for weights in self.all_weights()
                for code, weight in weights.items()
            ),
            Fraction(0),
        )
        return total / (self.rows * self.unit)

    def largest(self, score: Score) -> Fraction:
        """Return the largest score of any record, over all that can be seen of it."""
        return max(score(code, weights) for weights in self.all_weights() for code in weights)

    def blind(self) -> View:
        """Return the view of somebody who knows the histogram alone."""
        return View(self.counts, (constant(list(self.counts), {0: 1}),))


def best_guess(own: int, weights: Weights) -> Fraction:
    """Return the chance of guessing right who names the most probable value, or one of several at random."""
    most = max(weights.values())
    best = [code for code, weight in weights.items() if weight == most]
    return Fraction(own in best, len(best))


def eliminated(others: int) -> Score:
    """Return the score of an attacker who knows of some values that a record does not have them.

    The values are the worst for the record: of all others, those that it most probably would have. The score
    is the probability of the own value that is left; with ``others`` = 0 it is the posterior.
    """

    def score(own: int, weights: Weights) -> Fraction:
        left = sorted((weight for code, weight in weights.items() if code != own), reverse=True)
        return Fraction(weights[own], weights[own] + sum(left[others:]))

    return score
