"""Privacy and accuracy of an operator at a prior, and the Pareto front of several operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Generic, NamedTuple

from splu_ref.channels import Channel, In, amplification, count_weights, query_weights, rank
from splu_ref.channels import retention as retention_channel
from splu_ref.guarantees.operators.requirement import Requirement


@dataclass(frozen=True)
class Appraisal(Generic[In]):
    """Exact privacy and accuracy measures of a square channel at a prior."""

    channel: Channel[In, In]  #: the operator
    counts: Mapping[In, int]  #: the prior, records by value

    @cached_property
    def rank(self) -> int:
        """Rank of the matrix; below the number of values some counts are not identified."""
        return rank(self.channel)

    @property
    def amplification(self) -> Fraction | None:
        """The largest ratio of two entries of a column, None if it is infinite."""
        return amplification(self.channel).ratio

    @property
    def never_published(self) -> tuple[In, ...]:
        """Values that no record is published with."""
        seen = {label for law in self.channel.laws.values() for label in law}
        return tuple(label for label in self.channel.outputs if label not in seen)

    @cached_property
    def condition_number(self) -> Fraction | None:
        """The largest sum of absolute entries of a row of the inverse, times that of the matrix, 1.

        None without an inverse.
        """
        sums: dict[In, Fraction] = {}
        for weights in self._weights.values():
            if weights is None:
                return None
            for published, weight in weights.items():
                sums[published] = sums.get(published, Fraction(0)) + abs(weight)
        return max(sums.values())

    @cached_property
    def variances(self) -> dict[In, Fraction | None]:
        """By value, the variance of the unbiased estimate of its count; None where there is none."""
        return {value: self._spread(weights) for value, weights in self._weights.items()}

    def variance(self, wanted: Mapping[In, Fraction]) -> Fraction | None:
        """Return the variance of an unbiased estimate of a weighted sum of counts; None without one."""
        return self._spread(query_weights(self.channel, wanted))

    @cached_property
    def _weights(self) -> dict[In, dict[In, Fraction] | None]:
        return count_weights(self.channel)

    def _spread(self, weights: Mapping[In, Fraction] | None) -> Fraction | None:
        """Return the variance of the sum of the weights of what is published."""
        if weights is None:
            return None
        total = Fraction(0)
        for value, count in self.counts.items():
            law = self.channel.laws[value]
            first = sum((p * weights.get(seen, Fraction(0)) for seen, p in law.items()), Fraction(0))
            second = sum((p * weights.get(seen, Fraction(0)) ** 2 for seen, p in law.items()), Fraction(0))
            total += count * (second - first**2)
        return total

    @property
    def mean_variance(self) -> Fraction | None:
        """The mean of the variances; None if a count has no unbiased estimate."""
        found = [each for each in self.variances.values() if each is not None]
        return sum(found, Fraction(0)) / len(found) if len(found) == len(self.variances) else None

    @property
    def hidden(self) -> Fraction:
        """The Bayes error of guessing a record's value: 1 less the Bayes vulnerability."""
        right = sum((max(row.values()) for row in self._joint().values()), Fraction(0))
        return 1 - right / sum(self.counts.values())

    @property
    def largest_posterior(self) -> Fraction:
        """The largest posterior of a value over all published values."""
        return max(max(row.values()) / sum(row.values()) for row in self._joint().values())

    def _joint(self) -> dict[In, dict[In, Fraction]]:
        """Return by published value the expected records of each true one."""
        joint: dict[In, dict[In, Fraction]] = {}
        for value, count in self.counts.items():
            for label, entry in self.channel.laws[value].items():
                if count:
                    joint.setdefault(label, {})[value] = count * entry
        return joint


def uniform_retention(wanted: Requirement) -> Fraction:
    """Return the largest retention of uniform perturbation that meets a requirement; 1 if every one does.

    Under one prior a set without the published value v has a posterior of at most its prior, and one with it
    has the posterior (n_v p + (1-p) w/m) / (n_v p + (1-p) N/m), w its records, which grows with w and p: see
    `splu_ref.channels.retention_limit_for`. At the limit the posterior is rho2, which is admitted.
    """
    counts, size = wanted.counts, len(wanted.counts)
    if wanted.against == "any":
        return wanted.levels.retention_limit(size)
    total, rho2 = sum(counts), wanted.levels.rho2
    limits = []
    for own in wanted.small:
        weight = counts[own]
        if wanted.against == "sets":
            weight += _most_beside(own, wanted)
        odds = (rho2 * total - weight) / (size * counts[own] * (1 - rho2))
        limits.append(odds / (1 + odds))
    return min(limits, default=Fraction(1))


def uniform(values: Sequence[In], keep: Fraction) -> Channel[In, In]:
    """Return uniform perturbation: a value is kept with ``keep``, or drawn from all, its own included."""
    return retention_channel(keep, dict.fromkeys(values, Fraction(1, len(values))))


def uniform_variances(counts: Mapping[In, int], keep: Fraction) -> dict[In, Fraction | None]:
    """Return `Appraisal.variances` of uniform perturbation; None for each if nothing is kept.

    A value's published count is a sum of two binomial ones: its own records with a = p + (1-p)/m, all others
    with b = (1-p)/m. The estimate is that less N b, over p.
    """
    if not keep:
        return dict.fromkeys(counts)
    other = (1 - keep) / len(counts)
    own, total = keep + other, sum(counts.values())
    return {
        value: (count * own * (1 - own) + (total - count) * other * (1 - other)) / keep**2
        for value, count in counts.items()
    }


def _most_beside(own: int, wanted: Requirement) -> int:
    """Return the most records that others can add to a value in a set of prior at most rho1."""
    room, sums = wanted.room - wanted.counts[own], 1
    for place in wanted.small:
        if place != own:
            sums |= (sums << wanted.counts[place]) & ((2 << room) - 1)
    return sums.bit_length() - 1


class Point(NamedTuple):
    """Privacy and accuracy of one operator at a prior."""

    name: str  # the operator's
    # the chance that the best guess of a record's value from what is published is wrong, 0 to 1
    hidden: Fraction
    largest_posterior: Fraction  # the largest belief in a value
    # the mean, over the values, of the variance of the unbiased estimate of the value's count; None if a
    # count has no such estimate, which is worse than any variance
    variance: Fraction | None

    def dominated_by(self, other: Point) -> bool:
        """Return whether another point is at least as good in both criteria and better in one."""
        if self.variance == other.variance:
            return other.hidden > self.hidden
        if other.variance is None or (self.variance is not None and other.variance > self.variance):
            return False
        return other.hidden >= self.hidden


def front(
    operators: Mapping[str, Channel[In, In]],
    counts: Mapping[In, int],
    most: Fraction = Fraction(1),
) -> list[tuple[Point, bool]]:
    """Return the point of each operator, and whether it is on the Pareto front."""
    points = [_point(name, Appraisal(channel, counts)) for name, channel in operators.items()]
    admitted = [point for point in points if point.largest_posterior <= most]
    return [(point, not _dominated(point, admitted)) for point in admitted]


def _point(name: str, found: Appraisal[In]) -> Point:
    return Point(name, found.hidden, found.largest_posterior, found.mean_variance)


def _dominated(point: Point, others: Sequence[Point]) -> bool:
    return any(point.dominated_by(other) for other in others)
