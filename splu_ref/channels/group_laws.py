"""Laws of groups: joint laws of the draws of a decoy group, channels of SPLU-Gen, perturbed generalization.

Fu et al. 2014, section 3.1, leave the joint law of a group's draws open. Under each joint law here a single
draw has the same marginal law, that of retention 1 / gamma, but published counts have different laws.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Self, TypeAlias

from splu_ref.channels.channel import Channel, In
from splu_ref.channels.parameters import Exact, ParameterError, integer, probability, shown
from splu_ref.channels.published_count import PublishedCount

DrawsName: TypeAlias = Literal["independent", "capped", "all-or-none"]

_WANTED = (
    "write independent, capped:M or all-or-none:A with a whole number from 1 to 10^15 - 1, as capped:100"
)
_BOUNDED = re.compile("(capped|all-or-none):([1-9][0-9]{0,14})")


@dataclass(frozen=True, slots=True)
class GroupDraws:
    """The joint law of the draws of a decoy group."""

    #: ``"independent"``: the draws are independent, as in the paper. ``"capped"``: each value is drawn
    #: independently in its first ``bound`` groups, in a random order of the groups, and the other slots of a
    #: group share its remaining places evenly. ``"all-or-none"``: one slot of a group is drawn; if its value
    #: occurs at most ``bound`` times, it gets all places of the group, and otherwise the more frequent values
    #: share the places evenly.
    name: DrawsName = "independent"
    bound: int | None = None  #: M or A, at least 1; None with ``"independent"``

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a law written as ``independent``, ``capped:M`` or ``all-or-none:A``.

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


INDEPENDENT = GroupDraws()
"""The law of the paper."""


def decoy_groups(together: Mapping[In, Mapping[In, int]], law: PublishedCount) -> Channel[In, In]:
    """Return the channel from a record's true value to its published value, given the plan.

    Parameters
    ----------
    together
        c(u, v), the number of groups with both u and v, by u and v: f_u for v = u, and the row of u sums to
        gamma f_u. Zeros may be omitted, but every value has a row, which is empty for a value without
        records. See `splu_ref.mechanisms.CoOccurrence.counts`.
    law
        The parameters gamma and p.

    Returns
    -------
    Channel
        The mixture over the groups of the record's value: p on the diagonal, c(u, v) (1-p)/((gamma-1) f_u)
        elsewhere (claim splu.M1c). A value without records has an identity row, so that an inverse may exist.

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
        each = law.decoy / frequency
        laws[own] = {value: law.retention if value == own else count * each for value, count in row.items()}
    return Channel(laws, tuple(together))


def two_state(kept: Exact, frequency: Exact, rows: Exact) -> Channel[bool, bool]:
    """Return the two-state channel of a value (True) and all others (False) that preserves the mean count.

    Parameters
    ----------
    kept
        Probability that a record with the value, or with one of a set of values, is published with it.
    frequency
        Number f of records with the value, below ``rows``.
    rows
        Number N of all records.

    Returns
    -------
    Channel
        Rows and columns False, True. A record without the value publishes it with a = f (1-kept)/(N-f), so
        that the expected published count is f. For one value ``kept`` is p, and for every plan this is the
        coarsened channel of its column, weighted with the frequencies of the other values.

    Raises
    ------
    ParameterError
        If a parameter is outside its range, or a would be above 1.
    """
    keep, count, total = (
        probability(kept, "kept"),
        integer(frequency, "frequency", 0),
        integer(rows, "rows", 1),
    )
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
    """The law of a group's published value under perturbed generalization."""

    retention: Fraction  #: retention probability p of uniform perturbation, 0 < p < 1
    values: int  #: number m of values of the declared domain, at least 2

    @classmethod
    def of(cls, retention: Exact, values: int) -> PerturbedGroup:
        """Return the law with validated parameters."""
        keep = probability(retention, "retention")
        if keep in (0, 1):
            raise ParameterError("retention must be greater than 0 and less than 1")
        return cls(keep, integer(values, "the number of values", 2))

    @classmethod
    def at_level(cls, amplification: Exact, values: int, size: int) -> PerturbedGroup:
        """Return the law with this `amplification`, above 1, in groups of ``size``."""
        odds = (Fraction(amplification) - 1) * size
        return cls.of(odds / (values + odds), values)

    @property
    def absent_probability(self) -> Fraction:
        """(1-p)/m, the probability of a value that no record of the group has."""
        return (1 - self.retention) / self.values

    def published(self, counts: Mapping[In, int], value: In) -> Fraction:
        """Return the probability that a group with these counts is published with a value."""
        return self.retention * counts.get(value, 0) / sum(counts.values()) + self.absent_probability

    def member(self, others: Mapping[In, int], domain: Sequence[In]) -> Channel[In, In]:
        """Return the channel from a member's value to the group's published value, all others being known.

        Parameters
        ----------
        others
            Counts of the other members' values.
        domain
            All values of the declared domain.
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
        """Return the amplification for a member of a group of k = ``size`` whose other members are known.

        It is 1 + p m / (k (1-p)), for a value that no other member has; for k = 1 it is that of uniform
        perturbation.
        """
        return 1 + self.retention / (integer(size, "the group's size", 1) * self.absent_probability)
