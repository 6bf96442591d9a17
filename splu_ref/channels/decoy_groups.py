"""SPLU-Gen's channels (Fu et al. 2014, section 3.1, steps 2 and 3): of a column, and of a value in it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from splu_ref.channels.channel import Channel, In
from splu_ref.channels.published_count import PublishedCount
from splu_ref.model import Exact, ParameterError, probability, shown, whole


def decoy_groups(together: Mapping[In, Mapping[In, int]], law: PublishedCount) -> Channel[In, In]:
    """Return the law of a record's published value, given the plan and the record's own value.

    Parameters
    ----------
    together
        c(u, v), the number of groups that hold both u and v, by u and v: f_u at v = u, and the row of u adds
        up to gamma f_u. Zeros may be left out, but every value has a row; that of a value without records is
        empty. See `splu_ref.decoys.CoOccurrence.counts`.
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
