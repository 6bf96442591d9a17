"""The view of an attacker on a record in one release or several, and the scores of attacks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm, prod
from typing import TypeAlias

from splu_ref.channels import Channel, Out, ParameterError, constant

Label: TypeAlias = Hashable
"""The published label of a record: a code, or the codes of its group."""
Labels: TypeAlias = tuple[Label, ...]
"""The labels of a record in several releases."""
Weights: TypeAlias = Mapping[int, int]
"""By true code the expected number of records with the same labels, times `View.unit`."""
Score: TypeAlias = Callable[[int, Weights], Fraction]
"""An attacker's gain from a record, 0 to 1, by its true code and the weights of its labels."""
MOST_LABELS = 1_000_000
"""Largest number of combinations of labels, times values, for which expectations are summed."""


@dataclass(frozen=True)
class View:
    """The attacker's knowledge: all true counts, and the law of a record's label in each release.

    Such an attacker knows more than the public, since the histogram and the plan are secret.
    """

    counts: Mapping[int, int]  # number of records by true code, without zeros
    # For each release the law of a record's label, by its true code. Given the plans, a record's labels in
    # several releases are independent.
    channels: tuple[Channel[int, Label], ...]

    @property
    def rows(self) -> int:
        """Number of records."""
        return sum(self.counts.values())

    @property
    def labels(self) -> int:
        """Number of combinations of labels, times true codes."""
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
        """The factor of `weights`."""
        return prod(unit for unit, _ in self._scaled)

    def weights(self, labels: Labels) -> dict[int, int]:
        """Return the expected number of records with these labels by true code, times `unit`; no zeros."""
        joint = dict(self.counts)
        for (_, laws), label in zip(self._scaled, labels, strict=True):
            joint = {code: count * laws[code].get(label, 0) for code, count in joint.items()}
            joint = {code: weight for code, weight in joint.items() if weight}
        return joint

    def all_weights(self) -> Iterator[dict[int, int]]:
        """Yield the weights of each combination of labels that can occur."""
        if self.labels > MOST_LABELS:
            raise ParameterError(
                f"the releases have {self.labels} combinations of published and true values, above "
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
        """Return the largest score of any record, over all possible labels."""
        return max(score(code, weights) for weights in self.all_weights() for code in weights)

    def blind(self) -> View:
        """Return the view of an attacker who knows the histogram alone."""
        return View(self.counts, (constant(list(self.counts), {0: 1}),))


def best_guess(own: int, weights: Weights) -> Fraction:
    """Return the probability of a correct guess by the most probable value, with ties broken at random."""
    most = max(weights.values())
    best = [code for code, weight in weights.items() if weight == most]
    return Fraction(own in best, len(best))


def eliminated(others: int) -> Score:
    """Return the score of an attacker who can exclude some values of a record.

    The excluded values are the most probable other ones. The score is the remaining probability of the true
    value; with ``others`` = 0 it is the posterior.
    """

    def score(own: int, weights: Weights) -> Fraction:
        left = sorted((weight for code, weight in weights.items() if code != own), reverse=True)
        return Fraction(weights[own], weights[own] + sum(left[others:]))

    return score


def labeled(channel: Channel[int, Out]) -> Channel[int, Label]:
    """Return a channel with its outputs as labels."""
    laws: dict[int, dict[Label, Fraction]] = {code: dict(law.items()) for code, law in channel.laws.items()}
    return Channel(laws, channel.outputs)
