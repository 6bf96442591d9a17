"""One record of a group, chosen uniformly and perturbed uniformly: what is seen of the group.

The law of perturbed generalization (Chaytor, chapter 2, on PG) for each of its groups, which are independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from splu_ref.channels.channel import Channel, In
from splu_ref.model import Exact, ParameterError, probability, whole


@dataclass(frozen=True)
class PerturbedGroup:
    """The law as a value.

    Attributes
    ----------
    retention
        p, greater than 0 and less than 1: of uniform perturbation.
    values
        m, number of values of the declared domain, at least 2.
    """

    retention: Fraction
    values: int

    @classmethod
    def of(cls, retention: Exact, values: int) -> PerturbedGroup:
        """Return the law, with its parameters checked."""
        keep = probability(retention, "retention")
        if keep in (0, 1):
            raise ParameterError("retention must be greater than 0 and less than 1")
        return cls(keep, whole(values, "the number of values", 2))

    @classmethod
    def at_level(cls, amplification: Exact, values: int, size: int) -> PerturbedGroup:
        """Return the law of this `amplification`, above 1, in groups of ``size``."""
        odds = (Fraction(amplification) - 1) * size
        return cls.of(odds / (values + odds), values)

    @property
    def stray(self) -> Fraction:
        """(1-p)/m, the chance of a value that no record of the group has."""
        return (1 - self.retention) / self.values

    def published(self, counts: Mapping[In, int], value: In) -> Fraction:
        """Return the chance that a group with these counts is published with a value."""
        return self.retention * counts.get(value, 0) / sum(counts.values()) + self.stray

    def member(self, others: Mapping[In, int], domain: Sequence[In]) -> Channel[In, In]:
        """Return the law of what a group shows, by one member's value, for who knows all others.

        Parameters
        ----------
        others
            How many of the other members have each value.
        domain
            All values, as many as declared.
        """
        if len(domain) != self.values:
            raise ParameterError(f"the domain has {len(domain)} values, and {self.values} were declared")
        return Channel(
            {
                own: {
                    shown: self.published({**others, own: others.get(own, 0) + 1}, shown) for shown in domain
                }
                for own in domain
            },
            tuple(domain),
        )

    def amplification(self, size: int) -> Fraction:
        """Return the largest ratio of chances for a member of a group of ``size`` whose others are all known.

        It is 1 + p m / (k (1-p)), for a value that none of the others has; with k = 1 that of uniform
        perturbation.
        """
        return 1 + self.retention / (whole(size, "the group's size", 1) * self.stray)

    def amplification_among(self, size: int, least: Exact) -> Fraction:
        """Return the largest ratio for who does not know the others, and thinks them independent of him.

        It is 1 + p / (k q) with q = p a (k-1)/k + (1-p)/m, a the least chance that he gives another member to
        have a value; if he gives no value less than a, the ratio is that of a = 0 at most, `amplification`.

        Parameters
        ----------
        size
            k, records of the group.
        least
            a, at most 1/m.
        """
        number = whole(size, "the group's size", 1)
        share = probability(least, "least")
        if share * self.values > 1:
            raise ParameterError(f"{self.values} values cannot all have a chance of {least}: give less")
        others = self.retention * share * (number - 1)
        return 1 + self.retention / (others + number * self.stray)
