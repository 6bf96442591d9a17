"""The view of an attacker on a release of tuples among fakes, who knows all but one value of a person.

The person has one tuple in the table, and nobody else has the same other values. So of the s tuples that
differ in the attacked value alone, one is genuine, and is published with probability alpha + beta; each of
the others is a fake, published with probability beta (claim chaytor.FIG7c).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb, prod

from splu_ref.audit.attacks.view import Label, Score, View
from splu_ref.channels import Bounds, Channel, ParameterError

MOST_SETS = 20_000
"""Largest number of enumerated sets of a person's tuples."""
_LEFT_OUT = Fraction(1, 1 << 40)
_MORE = "more fakes"


@dataclass(frozen=True)
class TupleView:
    """The attacker's knowledge: the counts of all such people's values, alpha and beta."""

    counts: Mapping[int, int]  # number of people by value, without zeros
    # own, other: alpha + beta and beta, 0 < beta < alpha + beta < 1
    own: Fraction
    other: Fraction

    @property
    def rows(self) -> int:
        """Number of people."""
        return sum(self.counts.values())

    def guessed(self, releases: int = 1) -> Fraction:
        """Return the expected share of people whose value is guessed from so many releases.

        If all s tuples were fakes, the k_v releases that show the tuple with value v would be independent,
        Bin(R, beta). The chance of seeing them and of guessing right is the mean, under that law, of
        max_v pi_v (own/other)^k_v ((1 - own)/(1 - other))^(R - k_v).
        """
        seen, hidden = self.own / self.other, (1 - self.own) / (1 - self.other)
        by_value = []
        for count in self.counts.values():
            share = Fraction(count, self.rows)
            by_value.append(
                [
                    (
                        share * seen**k * hidden ** (releases - k),
                        comb(releases, k) * self.other**k * (1 - self.other) ** (releases - k),
                    )
                    for k in range(releases + 1)
                ]
            )
        mean = below = Fraction(0)
        for weight in sorted({weight for law in by_value for weight, _ in law}):
            reached = prod(
                (sum((chance for each, chance in law if each <= weight), Fraction(0)) for law in by_value),
                start=Fraction(1),
            )
            mean += weight * (reached - below)
            below = reached
        return mean

    @cached_property
    def _most(self) -> int:
        """Largest size of the enumerated sets of tuples."""
        values, most, left = len(self.counts), 0, Fraction(1)
        number = 0
        while True:
            number += comb(values, most)
            if number > MOST_SETS:
                raise ParameterError(
                    f"fakes are so frequent that {values} values have too many sets of tuples: group values"
                )
            left -= self._chance(most)
            if left <= _LEFT_OUT or most == values:
                return most
            most += 1

    def _chance(self, size: int) -> Fraction:
        """Return the probability that exactly so many of the person's tuples are published."""
        others = len(self.counts) - 1
        with_own = comb(others, size - 1) * self._of(size, shown=True) if size else Fraction(0)
        return with_own + comb(others, size) * self._of(size, shown=False)

    def _of(self, size: int, *, shown: bool) -> Fraction:
        """Return the probability of one set of so many tuples, with or without the genuine one."""
        fakes = size - shown
        hidden = len(self.counts) - 1 - fakes
        if fakes < 0 or hidden < 0:
            return Fraction(0)
        own = self.own if shown else 1 - self.own
        return own * self.other**fakes * (1 - self.other) ** hidden

    @cached_property
    def channel(self) -> Channel[int, Label]:
        """The law of the set of published tuples, by true value; large sets are one output."""
        codes = list(self.counts)
        sets = [frozenset(each) for size in range(self._most + 1) for each in combinations(codes, size)]
        laws: dict[int, dict[Label, Fraction]] = {
            code: {each: self._of(len(each), shown=code in each) for each in sets} for code in codes
        }
        outputs: tuple[Label, ...] = tuple(sets)
        if self.left_out:
            for law in laws.values():
                law[_MORE] = self.left_out
            outputs = (*outputs, _MORE)
        return Channel(laws, outputs)

    @cached_property
    def left_out(self) -> Fraction:
        """The probability of sets that are not enumerated, at most 2^-40, for every true value."""
        return 1 - sum((self._chance(size) for size in range(self._most + 1)), Fraction(0))

    def expected(self, score: Score) -> Bounds:
        """Enclose the expected mean of a score; the width is the probability that is left out."""
        view, total = View(self.counts, (self.channel,)), Fraction(0)
        for label in self.channel.outputs:
            if label != _MORE:
                weights = view.weights((label,))
                total += sum((weight * score(code, weights) for code, weight in weights.items()), Fraction(0))
        mean = total / (self.rows * view.unit)
        return Bounds(mean, mean + self.left_out)

    @property
    def amplification(self) -> Fraction:
        """The largest ratio of the probabilities of an observation under two true values."""
        return self.own * (1 - self.other) / (self.other * (1 - self.own))

    def largest(self, prior: Fraction) -> Fraction:
        """Return the largest posterior of a set of values with this prior."""
        seen, hidden = prior * self.own / self.other, (1 - prior) * (1 - self.own) / (1 - self.other)
        return seen / (seen + hidden)

    def pair(self, code: int) -> Fraction:
        """Return the probability of a value for two people with equal values and both tuples published."""
        pairs = {own: count * (count - 1) for own, count in self.counts.items()}
        weights = {
            own: number * (self.own if own == code else self.other) ** 2 for own, number in pairs.items()
        }
        return weights[code] / sum(weights.values(), Fraction(0))
