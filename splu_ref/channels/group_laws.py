"""Laws of a decoy group: dependence of its draws, the channels of SPLU-Gen, and perturbed generalization.

The law of draws names how the draws of a decoy group depend on each other (left open by Fu et al. 2014, 3.1).

The marginal law of a record's draw is the same under each of them, that of retention 1 / gamma; the law of
a published count is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Self, TypeAlias

from splu_ref.channels.channel import Channel, In
from splu_ref.channels.parameters import Exact, ParameterError, probability, shown, whole
from splu_ref.channels.published_count import PublishedCount

DrawsName: TypeAlias = Literal["independent", "capped", "all-or-none"]

_WANTED = (
    "write independent, capped:M or all-or-none:A with a whole number from 1 to 10^15 - 1, as capped:100"
)
_BOUNDED = re.compile("(capped|all-or-none):([1-9][0-9]{0,14})")


@dataclass(frozen=True, slots=True)
class GroupDraws:
    """The law of the draws of a decoy group.

    Attributes
    ----------
    name
        ``"independent"``: each member draws for itself, as in the paper. ``"capped"``: the first ``bound``
        groups of each value, in a random order, draw it as ever, and the other slots share what is left
        evenly. ``"all-or-none"``: a slot is chosen, and takes every place of the group if its value occurs
        at most ``bound`` times; otherwise the common values of the group share the places evenly.
    bound
        M or A, at least 1; None with ``"independent"``.
    """

    name: DrawsName = "independent"
    bound: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the law written as ``independent``, ``capped:M`` or ``all-or-none:A``.

        Raises
        ------
        ParameterError
            For another text: the number has 1 to 15 digits 0-9, and does not begin with 0.
        """
        if text == "independent":
            return cls()
        found = _BOUNDED.fullmatch(text)
        if found is None:
            raise ParameterError(f"--draws {text[:40]!r} is not known: {_WANTED}")
        return cls("capped" if found[1] == "capped" else "all-or-none", int(found[2]))

    def __str__(self) -> str:
        return self.name if self.bound is None else f"{self.name}:{self.bound}"


def decoy_groups(together: Mapping[In, Mapping[In, int]], law: PublishedCount) -> Channel[In, In]:
    """Return the law of a record's published value, given the plan and the record's own value.

    Parameters
    ----------
    together
        c(u, v), the number of groups that hold both u and v, by u and v: f_u at v = u, and the row of u adds
        up to gamma f_u. Zeros may be left out, but every value has a row; that of a value without records is
        empty. See `splu_ref.mechanisms.CoOccurrence.counts`.
    law
        The parameters gamma and p.

    Returns
    -------
    Channel
        The mixture, over the places of the record's value, of the channel that keeps a group's value with p
        and else takes one of the others: p on the diagonal, c(u, v) (1-p)/((gamma-1) f_u) beside it (claim
        splu.M1c). A value without records keeps itself, so that it does not stand in the way of an inverse.

    Raises
    ------
    ParameterError
        If no plan has these counts.
    """
    laws: dict[In, dict[In, Fraction]] = {}
    for own, row in together.items():
        frequency = row.get(own, 0)
        if frequency == 0 and not any(row.values()):
            laws[own] = {own: Fraction(1)}
            continue
        if sum(row.values()) != law.gamma * frequency or max(row.values()) > frequency:
            raise ParameterError(
                f"value {own!r} stands in {frequency} groups, and {sum(row.values())} slots: "
                f"groups of {law.gamma} have {law.gamma * frequency}, so count the groups of one plan"
            )
        taken = law.decoy / frequency
        laws[own] = {value: law.retention if value == own else count * taken for value, count in row.items()}
    return Channel(laws, tuple(together))


def two_state(kept: Exact, frequency: Exact, rows: Exact) -> Channel[bool, bool]:
    """Return the channel between "another value" (False) and "the value" (True) that keeps the mean.

    Parameters
    ----------
    kept
        Probability that a record with the value, or with one of a set of values, is published with it.
    frequency
        Records with it, f, below ``rows``.
    rows
        Records in all, N.

    Returns
    -------
    Channel
        Rows and columns False, True. A record without the value publishes it with a = f (1-kept)/(N-f),
        so that f records are expected to be published with it. For one value ``kept`` is p, and this is
        its column's channel coarsened, with the records of the other values in their proportions, whatever
        the plan is.

    Raises
    ------
    ParameterError
        If a parameter is outside its range, or a would be above 1.
    """
    keep, count, total = probability(kept, "kept"), whole(frequency, "frequency", 0), whole(rows, "rows", 1)
    if count >= total:
        raise ParameterError(
            f"frequency is {shown(count)}, not below rows = {shown(total)}: no others are left"
        )
    gained = count * (1 - keep) / (total - count)
    if gained > 1:
        raise ParameterError(
            f"{shown(total - count)} other records cannot make up for what {shown(count)} records lose: "
            "count the records of one table"
        )
    return Channel(
        {False: {False: 1 - gained, True: gained}, True: {False: 1 - keep, True: keep}}, (False, True)
    )


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
