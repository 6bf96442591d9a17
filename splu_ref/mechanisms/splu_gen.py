"""SPLU-Gen (Fu et al. 2014, section 3.1): the whole mechanism on one screen.

Parameters, preconditions, plan, draw, published table: the steps of the paper in the paper's order. All
randomness comes from the source that is passed in, in this order: the remainder that is deleted; then for
each sensitive column its plan, the order of the records within each value, and one integer per record; then
the shuffle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from splu_ref.decoys import PlanMethod, mixed, require_feasible
from splu_ref.mechanisms.draws import draws
from splu_ref.model import Exact, Gamma, retention_probability
from splu_ref.randomness import IntArray, UniformSource

PlaceOrder: TypeAlias = Literal["random", "smallest-id"]
"""Which record takes which place of its value: a random one, or the first in the table first."""


@dataclass(frozen=True)
class Release:
    """What SPLU-Gen did to the sensitive codes of a table of N records.

    Attributes
    ----------
    rows
        The original record that stands at each published row, shape (N - N mod gamma,).
    published
        Published code at each published row, by sensitive column, each of the shape of ``rows``.
    suppressed
        Records that were deleted to make N a multiple of gamma, ascending, fewer than gamma.
    """

    rows: IntArray
    published: Mapping[str, IntArray]
    suppressed: IntArray


def release(
    codes: Mapping[str, IntArray],
    domain_sizes: Mapping[str, int],
    gamma: Gamma,
    source_for: Callable[[str], UniformSource],
    *,
    plan: PlanMethod = mixed,
    retention: Exact | None = None,
    order: PlaceOrder = "random",
) -> Release:
    """Run steps 1-4 of SPLU-Gen on one or more sensitive columns, each with a plan of its own.

    Parameters
    ----------
    codes
        True codes by sensitive column, each of shape (N,), in 0 .. domain size - 1.
    domain_sizes
        Number of values of each sensitive column.
    gamma
        Size of a decoy group; no code occurs more than N / gamma times in its column.
    source_for
        Where random integers come from, for each sensitive column; the first column's source also
        chooses the remainder and the shuffle. A stream of random integers is the same for all columns.
    plan
        How decoy groups are formed: from the histogram, and from random integers if the plan is secret.
    retention
        Probability p that a record is published with its own value, 0 < p <= 1; 1 / gamma unless given.
    order
        ``"smallest-id"`` is the rule of the paper and for test vectors only: it lets the order of the
        file decide who stands in which group.

    Raises
    ------
    ParameterError
        If a value occurs more than N / gamma times (the message names the largest feasible gamma), or for a
        retention outside its range.

    Notes
    -----
    Each record is published with its own value with probability p, and with each other value of its group
    with probability (1 - p) / (gamma - 1). Guarantees speak of the table after the deletion.
    """
    keeping = retention_probability(retention, gamma)
    histograms = {
        column: np.bincount(values, minlength=domain_sizes[column]) for column, values in codes.items()
    }
    for histogram in histograms.values():
        require_feasible(histogram, gamma)
    first = next(iter(codes))
    records = source_for(first)
    population = len(codes[first])
    suppressed = records.subset(population, population % gamma)
    kept = np.arange(population)
    if len(suppressed):
        kept = np.delete(kept, suppressed)
    published = {}
    for column, true_codes in codes.items():
        own = true_codes[kept] if len(suppressed) else true_codes  # step 1
        np.subtract.at(histograms[column], true_codes[suppressed], 1)
        source = source_for(column).kept(kept)
        decoys = plan(histograms[column], gamma, source.plan_secret())  # step 2
        places = source.order_within(own) if order == "random" else np.argsort(own, kind="stable")
        published[column] = decoys.published(places, draws(source, gamma, keeping, len(own)))  # step 3
    shuffle = records.kept(kept).permutation(len(kept))  # step 4
    rows = kept[shuffle] if len(suppressed) else shuffle
    shuffled = {column: values[shuffle].astype(np.int64) for column, values in published.items()}
    return Release(rows, shuffled, suppressed)


class ColumnRelease(NamedTuple):
    """A release of one sensitive column: see :class:`Release` for the meaning of the parts."""

    rows: IntArray
    published: IntArray
    suppressed: IntArray


def publish_codes(
    codes: IntArray,
    domain_size: int,
    gamma: Gamma,
    source: UniformSource,
    *,
    plan: PlanMethod = mixed,
    retention: Exact | None = None,
    order: PlaceOrder = "random",
) -> ColumnRelease:
    """Run SPLU-Gen on the codes of one sensitive column; see :func:`release` for parameters and errors."""
    done = release(
        {"sensitive": codes},
        {"sensitive": domain_size},
        gamma,
        lambda _: source,
        plan=plan,
        retention=retention,
        order=order,
    )
    return ColumnRelease(done.rows, done.published["sensitive"], done.suppressed)
