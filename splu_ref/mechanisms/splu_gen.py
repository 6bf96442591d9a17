"""The mechanism SPLU-Gen (Fu et al. 2014, section 3.1), step by step in the order of the paper.

All random integers come from the draws that are passed in, in this order: the remainder that is deleted; for
each sensitive column its plan, the order of the records within each value, and one integer per record (or the
integers of `dependent_draws`); then the shuffle.
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
from splu_ref.mechanisms.group_draws import (
    SlotKinds,
    dependent_draws,
    independent_draws,
    marked_slots,
    slot_kinds,
)
from splu_ref.mechanisms.manifest import Facts, Manifest
from splu_ref.mechanisms.plans.co_occurrence import co_occurrence
from splu_ref.mechanisms.plans.eligibility import require_feasible
from splu_ref.mechanisms.plans.methods import PlanMethod, resolve_plan
from splu_ref.mechanisms.plans.parts import PlanParts, plan_parts
from splu_ref.mechanisms.record_mechanism import (
    ColumnRelease,
    ColumnsRelease,
    Frequencies,
    RecordMechanism,
    feasible_gamma,
)
from splu_ref.randomness import Draws, IntArray, UniformSource

PlaceOrder: TypeAlias = Literal["random", "smallest-id"]
"""Order in which the records of a value take their places in the plan: random, or that of the table."""


@dataclass(frozen=True, init=False)
class SpluGen(RecordMechanism):
    """The mechanism SPLU-Gen with its public parameters.

    Parameters
    ----------
    gamma
        Size of a decoy group, at least 2. No sensitive value may occur more than N / gamma times.
    retention
        Probability p that a record is published with its true value: an exact number, 0 < p <= 1, by default
        1 / gamma. Each other value of its group has probability (1 - p) / (gamma - 1).
    plan
        Method that forms the decoy groups: ``"mixed"``, ``"anatomy"``, ``"cyclic"`` or a callable.
    draws
        Joint law of the draws of a group: ``"independent"`` as in the paper, or dependent draws,
        ``"capped:M"`` or ``"all-or-none:A"`` (see `GroupDraws`). The marginal law of a record's draw is the
        same for all. Dependent draws make large counts less noisy, which discloses more to an attacker who
        knows the values of all other records.

    Attributes
    ----------
    gamma, retention, draws
        The validated parameters.
    plan
        Name of the plan method.
    decoys
        The plan method.

    Raises
    ------
    ParameterError
        If gamma is below 2, retention is out of range, the plan or the draws are unknown, or dependent draws
        are combined with another retention than 1 / gamma.
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
        method, name = resolve_plan(plan)
        object.__setattr__(self, "plan", name)
        object.__setattr__(self, "decoys", method)
        law = GroupDraws.parse(draws) if isinstance(draws, str) else draws
        if law.bound is not None and self.retention != Fraction(1, size):
            raise ParameterError(
                f"draws {law} go with retention 1/gamma alone, not {self.retention}: leave one of them out"
            )
        object.__setattr__(self, "draws", law)

    def facts(self) -> dict[str, int | str]:
        """Return gamma, retention, plan and, if they are dependent, draws as recorded in a manifest."""
        facts: dict[str, int | str] = {
            "gamma": int(self.gamma),
            "retention": str(self.retention),
            "plan": self.plan,
        }
        return facts if self.draws.bound is None else facts | {"draws": str(self.draws)}

    @classmethod
    def from_facts(cls, facts: Facts) -> Self:
        """Return the mechanism with the parameters recorded in a manifest."""
        mechanism = cls.from_parameters(facts)
        if any(rows % mechanism.gamma for rows in (facts.integer("rows"), *facts.batches())):
            raise DataError("rows is no multiple of gamma: ask the publisher")
        return mechanism

    @classmethod
    def from_parameters(cls, facts: Facts) -> Self:
        """Return the mechanism with the parameters recorded in a manifest or transcript."""
        law = facts.optional_text("draws", "independent")
        return cls(facts.integer("gamma"), facts.text("retention"), facts.text("plan"), law)

    @classmethod
    def of(cls, manifest: Manifest) -> Self:
        """Return the mechanism of a release.

        Raises
        ------
        DataError
            If it is not SPLU-Gen.
        """
        if not isinstance(manifest.mechanism, cls):
            name = manifest.mechanism.name
            raise DataError(f"this is a release by {name}: give a manifest of one by {cls.name}")
        return manifest.mechanism

    def for_column(self, name: str) -> SpluGen:
        """Return the mechanism of a sensitive column: the same for all columns."""
        del name
        return self

    @property
    def count_law(self) -> PublishedCount:
        """The law of a published count f' under independent draws.

        Raises
        ------
        ParameterError
            If the draws are dependent; see `slot_kinds` for the law of counts then.
        """
        if self.draws.bound is not None:
            raise ParameterError(
                f"this is for independent draws: under draws {self.draws} counts have another law"
            )
        return self.record_law

    @property
    def record_law(self) -> PublishedCount:
        """The marginal law of a record's published value: the same for independent and dependent draws."""
        return PublishedCount(self.gamma, self.retention)

    def channel(self, histogram: IntArray, secret: UniformSource) -> Channel[int, int]:
        """Return the channel from a record's true code to its published code, given the plan.

        Parameters
        ----------
        histogram
            Frequencies of the values after the deletion, shape (values,); the sum is a multiple of gamma.
        secret
            Source of the plan's secret; plans without one draw nothing.
        """
        plan = self.decoys(histogram, self.gamma, secret)
        return decoy_groups(co_occurrence(plan).counts(), self.record_law)

    def parts(self, histogram: IntArray) -> PlanParts:
        """Return the plan of a histogram in parts that can be published independently of each other.

        This serves tables larger than memory. Entry p is the p-th record when records are sorted by value
        and, within a value, by a random or keyed order; `PlanParts.part_of` returns its part. Each record has
        a draw (`splu_ref.mechanisms.independent_draws`), and `PlanParts.published` takes the draws of one
        part in the order of its entries.

        Parameters
        ----------
        histogram
            Frequencies of the values after the deletion, shape (values,); the sum is a multiple of gamma.

        Raises
        ------
        ParameterError
            If the draws are dependent, the plan is a callable, or a value is too frequent.
        """
        self.require_parts()
        return plan_parts(self.plan, histogram, self.gamma)

    def require_parts(self) -> None:
        """Raise ``ParameterError`` if the mechanism cannot publish in parts, whatever the histogram is."""
        if self.draws.bound is not None:
            raise ParameterError(f"draws {self.draws} belong to groups, not to records: publish in memory")

    def slot_kinds(self, histogram: IntArray, source: Draws) -> SlotKinds:
        """Return the number of slots of each value and kind in a plan with dependent draws.

        They determine the law of a value's published count: the count is a sum of independent contributions
        of the value's slots, and the law of a contribution depends on the kind of the slot alone.

        Parameters
        ----------
        histogram
            Frequencies of the values after the deletion, shape (values,).
        source
            Source of the plan and of the order of its groups. Under a key they are those of the release if
            the source is restricted to the remaining records (`Draws.select_records`).
        """
        blocks = self.decoys(histogram, self.gamma, source.plan_secret()).blocks()
        return slot_kinds(blocks, marked_slots(blocks, self.draws, source.group_draws().block(0)))

    def largest_gamma(self, table: Frequencies, columns: Sequence[str]) -> int:
        """Return the largest feasible group size of all columns; raise ``DataError`` if gamma is above it."""
        return min(feasible_gamma(table, column, self.gamma) for column in columns)

    def publish_columns(
        self,
        codes: Mapping[str, IntArray],
        domain_sizes: Mapping[str, int],
        draws_for: Callable[[str], Draws],
        *,
        order: PlaceOrder = "random",
    ) -> ColumnsRelease:
        """Run steps 1-4 on one or more sensitive columns, each with a separate plan.

        Parameters
        ----------
        codes
            True codes by sensitive column, each of shape (N,), in 0 .. domain size - 1.
        domain_sizes
            Number of values of each sensitive column.
        draws_for
            Returns the random draws of a sensitive column; called once for each column. The first column's
            draws also choose the remainder and the shuffle. A stream of random integers is the same for all
            columns.
        order
            ``"smallest-id"`` is the rule of the paper, for test vectors only: the order of the table then
            decides which records share a group.

        Raises
        ------
        ParameterError
            If a value occurs more than N / gamma times; the message names the largest feasible gamma.

        Notes
        -----
        Guarantees are about the table after the deletion.
        """
        mechanisms = dict.fromkeys(codes, self)
        return publish_in_groups(mechanisms, codes, domain_sizes, draws_for, order)

    def publish_codes(
        self, codes: IntArray, domain_size: int, source: Draws, *, order: PlaceOrder = "random"
    ) -> ColumnRelease:
        """Publish the codes of one sensitive column; see `publish_columns` for parameters and errors."""
        done = self.publish_columns(
            {"sensitive": codes}, {"sensitive": domain_size}, lambda _: source, order=order
        )
        return ColumnRelease(done.rows, done.published["sensitive"], done.suppressed)


def publish_in_groups(
    mechanisms: Mapping[str, SpluGen],
    codes: Mapping[str, IntArray],
    domain_sizes: Mapping[str, int],
    draws_for: Callable[[str], Draws],
    order: PlaceOrder = "random",
) -> ColumnsRelease:
    """Run steps 1-4 on several columns with one mechanism for each column.

    A record is deleted with all its values, so the number of remaining records is a multiple of every gamma,
    that is, of their least common multiple. Other parameters and errors are those of
    `SpluGen.publish_columns`.
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
        source = draws_of[column].select_records(kept)
        plan = mechanism.decoys(histograms[column], mechanism.gamma, source.plan_secret())  # step 2
        places = source.order_within(own) if order == "random" else np.argsort(own, kind="stable")
        if mechanism.draws.bound is None:  # step 3
            drawn = independent_draws(source, mechanism.gamma, mechanism.retention, len(own))
            published[column] = plan.published(places, drawn)
        else:
            slots = dependent_draws(plan, mechanism.draws, source.group_draws()).sources
            published[column] = plan.published_from_slots(places, slots)
    shuffle = draws_of[first].select_records(kept).permutation(len(kept))  # step 4
    rows = kept[shuffle] if len(suppressed) else shuffle
    shuffled = {column: values[shuffle].astype(np.int64) for column, values in published.items()}
    return ColumnsRelease(rows, shuffled, suppressed)
