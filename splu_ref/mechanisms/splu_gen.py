"""SPLU-Gen (Fu et al. 2014, section 3.1): the whole mechanism on one screen.

Parameters, preconditions, plan, draw, published table: the steps of the paper in the paper's order. All
randomness comes from the draws that are passed in, in this order: the remainder that is deleted; then for
each sensitive column its plan, the order of the records within each value, and one integer per record (or
what `dependent_draws` draws); then the shuffle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import ClassVar, Literal, Self, TypeAlias

import numpy as np

from splu_ref.channels import (
    Channel,
    DataError,
    Exact,
    Gamma,
    GroupDraws,
    ParameterError,
    PublishedCount,
    decoy_groups,
    retention_probability,
)
from splu_ref.mechanisms.group_draws import SlotKinds, dependent_draws, marked_slots, slot_kinds
from splu_ref.mechanisms.group_draws import draws as independent_draws
from splu_ref.mechanisms.manifest import Facts, Manifest
from splu_ref.mechanisms.plans.co_occurrence import co_occurrence
from splu_ref.mechanisms.plans.eligibility import require_feasible
from splu_ref.mechanisms.plans.methods import PlanMethod, named_plan
from splu_ref.mechanisms.plans.parts import PlanParts, plan_parts
from splu_ref.mechanisms.release import (
    ColumnRelease,
    ColumnsRelease,
    Frequencies,
    RecordMechanism,
    feasible_gamma,
)
from splu_ref.randomness import Draws, IntArray, UniformSource

PlaceOrder: TypeAlias = Literal["random", "smallest-id"]
"""Which record takes which place of its value: a random one, or the first in the table first."""


@dataclass(frozen=True, init=False)
class SpluGen(RecordMechanism):
    """The mechanism as a value: all that is public about how a table is published by it.

    Parameters
    ----------
    gamma
        Size of a decoy group, at least 2; no sensitive value may occur more than N / gamma times.
    retention
        Probability p that a record is published with its own value, an exact number with 0 < p <= 1;
        1 / gamma unless given. Each other value of its group has probability (1 - p) / (gamma - 1).
    plan
        How decoy groups are formed: ``"mixed"``, ``"anatomy"``, ``"cyclic"``, or a method of the caller's
        own.
    draws
        How the draws of a group hang together: ``"independent"``, as in the paper, ``"capped:M"`` or
        ``"all-or-none:A"`` (see `GroupDraws`). The law of a single record's draw is the same; the less noise
        large counts have, the more they tell who knows the values of all other records.

    Attributes
    ----------
    gamma, retention, draws
        As given, validated.
    plan
        Name of the plan method.
    decoys
        The plan method.

    Raises
    ------
    ParameterError
        If gamma is below 2, retention is out of range, the plan or the draws are unknown, or draws that are
        not independent are asked for with another retention than 1 / gamma.
    """

    name: ClassVar[str] = "SPLU-Gen"

    gamma: Gamma
    retention: Fraction
    plan: str
    draws: GroupDraws
    decoys: PlanMethod = field(repr=False)

    def __init__(
        self,
        gamma: Exact,
        retention: Exact | None = None,
        plan: str | PlanMethod = "mixed",
        draws: str | GroupDraws = "independent",
    ) -> None:
        size = Gamma(gamma)
        object.__setattr__(self, "gamma", size)
        object.__setattr__(self, "retention", retention_probability(retention, size))
        method, name = named_plan(plan)
        object.__setattr__(self, "plan", name)
        object.__setattr__(self, "decoys", method)
        law = GroupDraws.parse(draws) if isinstance(draws, str) else draws
        if law.bound is not None and self.retention != Fraction(1, size):
            raise ParameterError(
                f"draws {law} go with retention 1/gamma alone, not {self.retention}: leave one of them out"
            )
        object.__setattr__(self, "draws", law)

    def facts(self) -> dict[str, int | str]:
        """Return gamma, retention, plan and draws as a manifest tells them, independent draws by silence."""
        facts: dict[str, int | str] = {
            "gamma": int(self.gamma),
            "retention": str(self.retention),
            "plan": self.plan,
        }
        return facts if self.draws.bound is None else facts | {"draws": str(self.draws)}

    @classmethod
    def from_facts(cls, facts: Facts) -> Self:
        """Return the mechanism of which a manifest tells these parameters."""
        mechanism = cls.told(facts)
        if any(rows % mechanism.gamma for rows in (facts.whole("rows"), *facts.batches())):
            raise DataError("rows is no multiple of gamma: ask the publisher")
        return mechanism

    @classmethod
    def told(cls, facts: Facts) -> Self:
        """Return the mechanism with the parameters that a file tells."""
        law = facts.optional_text("draws", "independent")
        return cls(facts.whole("gamma"), facts.text("retention"), facts.text("plan"), law)

    @classmethod
    def of(cls, manifest: Manifest) -> Self:
        """Return the mechanism of a release.

        Raises
        ------
        DataError
            If it is another one.
        """
        if not isinstance(manifest.mechanism, cls):
            told = manifest.mechanism.name
            raise DataError(f"this is a release by {told}: give a manifest of one by {cls.name}")
        return manifest.mechanism

    def for_column(self, name: str) -> SpluGen:
        """Return the mechanism of a sensitive column: it is the same for all."""
        del name
        return self

    @property
    def count_law(self) -> PublishedCount:
        """The law of a published count f' under independent draws.

        Raises
        ------
        ParameterError
            If the draws are not independent: the law is another one then, see `slot_kinds`.
        """
        if self.draws.bound is not None:
            raise ParameterError(
                f"this is for independent draws: under draws {self.draws} counts have another law"
            )
        return self.record_law

    @property
    def record_law(self) -> PublishedCount:
        """The law of what a single record is published with: the same however draws hang together."""
        return PublishedCount(self.gamma, self.retention)

    def channel(self, histogram: IntArray, secret: UniformSource) -> Channel[int, int]:
        """Return the law of a record's published code, by its true code, given the plan.

        Parameters
        ----------
        histogram
            Frequencies of the values after the deletion, shape (values,); the sum is a multiple of gamma.
        secret
            Where the plan's secret comes from; plans without one draw nothing.
        """
        plan = self.decoys(histogram, self.gamma, secret)
        return decoy_groups(co_occurrence(plan).counts(), self.record_law)

    def parts(self, histogram: IntArray) -> PlanParts:
        """Return the plan of a histogram in parts, each of which publishes its entries without the others.

        Whoever cannot hold a table publishes it so. Entry p is the record that is p-th when records are
        sorted by value and, within a value, in a random or keyed order; `PlanParts.part_of` tells its part.
        Each record has a draw (`splu_ref.mechanisms.draws`), and `PlanParts.published` takes those of
        one part in the order of its entries.

        Parameters
        ----------
        histogram
            Frequencies of the values after the deletion, shape (values,); the sum is a multiple of gamma.

        Raises
        ------
        ParameterError
            If the draws of a group hang together, the plan is the caller's own, or a value is too frequent.
        """
        self.require_parts()
        return plan_parts(self.plan, histogram, self.gamma)

    def require_parts(self) -> None:
        """Raise ``ParameterError`` if what is published is not made in parts, whatever the histogram is."""
        if self.draws.bound is not None:
            raise ParameterError(f"draws {self.draws} belong to groups, not to records: publish in memory")

    def slot_kinds(self, histogram: IntArray, source: Draws) -> SlotKinds:
        """Return of what kinds the slots of each value are in a plan, where draws are not independent.

        The law of a value's published count follows from them: it is the sum over the value's slots of
        independent contributions, whose law depends on the kind of the slot alone.

        Parameters
        ----------
        histogram
            Frequencies of the values after the deletion, shape (values,).
        source
            Gives the plan and the order of its groups: under a key those of the release, once ``kept`` has
            been told which records are left; otherwise fresh ones.
        """
        blocks = self.decoys(histogram, self.gamma, source.plan_secret()).blocks()
        return slot_kinds(blocks, marked_slots(blocks, self.draws, source.group_draws().block(0)))

    def largest_gamma(self, table: Frequencies, columns: Sequence[str]) -> int:
        """Return the largest group size that every column allows; raise ``DataError`` if gamma is above."""
        return min(feasible_gamma(table, column, self.gamma) for column in columns)

    def publish_columns(
        self,
        codes: Mapping[str, IntArray],
        domain_sizes: Mapping[str, int],
        draws_for: Callable[[str], Draws],
        *,
        order: PlaceOrder = "random",
    ) -> ColumnsRelease:
        """Run steps 1-4 on one or more sensitive columns, each with a plan of its own.

        Parameters
        ----------
        codes
            True codes by sensitive column, each of shape (N,), in 0 .. domain size - 1.
        domain_sizes
            Number of values of each sensitive column.
        draws_for
            Where random integers come from, for each sensitive column, which is asked for once; the first
            column's draws also choose the remainder and the shuffle. A stream of random integers is the same
            for all columns.
        order
            ``"smallest-id"`` is the rule of the paper and for test vectors only: it lets the order of the
            file decide who stands in which group.

        Raises
        ------
        ParameterError
            If a value occurs more than N / gamma times; the message names the largest feasible gamma.

        Notes
        -----
        Guarantees speak of the table after the deletion.
        """
        mechanisms = dict.fromkeys(codes, self)
        return published_in_groups(mechanisms, codes, domain_sizes, draws_for, order)

    def publish_codes(
        self, codes: IntArray, domain_size: int, source: Draws, *, order: PlaceOrder = "random"
    ) -> ColumnRelease:
        """Publish the codes of one sensitive column; see `publish_columns` for parameters and errors."""
        done = self.publish_columns(
            {"sensitive": codes}, {"sensitive": domain_size}, lambda _: source, order=order
        )
        return ColumnRelease(done.rows, done.published["sensitive"], done.suppressed)


def published_in_groups(
    mechanisms: Mapping[str, SpluGen],
    codes: Mapping[str, IntArray],
    domain_sizes: Mapping[str, int],
    draws_for: Callable[[str], Draws],
    order: PlaceOrder = "random",
) -> ColumnsRelease:
    """Run steps 1-4 on several columns, each by a mechanism of its own.

    A record is deleted with all its values, so the records that are left fill whole groups of every column:
    their number is a multiple of the least common multiple of all gamma. Parameters and errors otherwise as
    for `SpluGen.publish_columns`.
    """
    histograms = {
        column: np.bincount(values, minlength=domain_sizes[column]) for column, values in codes.items()
    }
    first = next(iter(codes))
    population = len(codes[first])
    remainder = population % lcm(*(mechanisms[column].gamma for column in codes))
    for column, histogram in histograms.items():
        require_feasible(histogram, mechanisms[column].gamma, population - remainder)
    draws_of = {column: draws_for(column) for column in codes}
    suppressed = draws_of[first].subset(population, remainder)
    kept = np.arange(population)
    if len(suppressed):
        kept = np.delete(kept, suppressed)
    published = {}
    for column, true_codes in codes.items():
        mechanism = mechanisms[column]
        own = true_codes[kept] if len(suppressed) else true_codes  # step 1
        np.subtract.at(histograms[column], true_codes[suppressed], 1)
        source = draws_of[column].kept(kept)
        plan = mechanism.decoys(histograms[column], mechanism.gamma, source.plan_secret())  # step 2
        places = source.order_within(own) if order == "random" else np.argsort(own, kind="stable")
        if mechanism.draws.bound is None:  # step 3
            drawn = independent_draws(source, mechanism.gamma, mechanism.retention, len(own))
            published[column] = plan.published(places, drawn)
        else:
            slots = dependent_draws(plan, mechanism.draws, source.group_draws()).shown
            published[column] = plan.shown(places, slots)
    shuffle = draws_of[first].kept(kept).permutation(len(kept))  # step 4
    rows = kept[shuffle] if len(suppressed) else shuffle
    shuffled = {column: values[shuffle].astype(np.int64) for column, values in published.items()}
    return ColumnsRelease(rows, shuffled, suppressed)
