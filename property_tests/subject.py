"""The implementations under test, as fields of one object so that a mutant can replace each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from splu_ref import estimators, guarantees, randomness
from splu_ref import estimators as tables
from splu_ref import mechanisms as decoys
from splu_ref.audit.enumeration import CodesRelease
from splu_ref.channels import (
    Bounds,
    Breach,
    Channel,
    EntropyLoss,
    GroupDraws,
    Inverse,
    Levels,
    LogForm,
    PublishedCount,
    World,
    entropy_loss,
    inverse,
    worst_property,
)
from splu_ref.channels.amplification_bounds import Amplification
from splu_ref.channels.parameters import Exact, Gamma
from splu_ref.data import Microdata
from splu_ref.estimators import (
    AnswerQueries,
    ChannelEstimator,
    Condition,
    CountEstimate,
    Measure,
    Method,
    Query,
    QueryEstimate,
    Table,
)
from splu_ref.estimators.linear.em import Maximum
from splu_ref.guarantees import (
    DependentDrawsPrivacy,
    DependentDrawsThreshold,
    Noise,
    Optimum,
    Requirement,
    UtilityThreshold,
    best_operator,
)
from splu_ref.guarantees.dependent_counts import SlotLaw
from splu_ref.mechanisms import (
    AlphaBeta,
    ColumnRelease,
    ColumnsRelease,
    DecoyPlan,
    FloatArray,
    Operator,
    PerturbedGeneralization,
    PlaceOrder,
    PlanMethod,
    PublishedTable,
    Release,
    RetentionReplacement,
    SmallDomainRandomization,
    SpluGen,
    Swapping,
)
from splu_ref.mechanisms.alpha_beta import Numbers
from splu_ref.mechanisms.group_draws import Marks, draw_source_slots, marked_slots
from splu_ref.mechanisms.plans.plan import Groups
from splu_ref.randomness import (
    ByteSource,
    Draws,
    IntArray,
    Key,
    PlanSecret,
    Randomness,
    TapeSource,
    UniformSource,
)
from splu_ref.randomness.orders import DrawIntegers, random_order


class PublishCodes(Protocol):
    """Of the form of `SpluGen.publish_codes`."""

    def __call__(
        self,
        mechanism: SpluGen,
        codes: IntArray,
        domain_size: int,
        draws: Draws,
        /,
        *,
        order: PlaceOrder = ...,
    ) -> CodesRelease:
        """Publish the codes of one sensitive column."""
        ...


class PublishTable(Protocol):
    """Of the form of `SpluGen.publish`."""

    def __call__(
        self,
        mechanism: SpluGen,
        table: Microdata,
        sensitive: str | Sequence[str],
        randomness: Randomness | None = ...,
        /,
        *,
        id_column: str | None = ...,
    ) -> Release:
        """Publish a table."""
        ...


class PublishRetained(Protocol):
    """Of the form of `RetentionReplacement.publish_columns`."""

    def __call__(
        self,
        mechanism: RetentionReplacement,
        codes: Mapping[str, IntArray],
        domain_sizes: Mapping[str, int],
        draws_for: Callable[[str], Draws],
        /,
    ) -> ColumnsRelease:
        """Keep or replace the codes of the sensitive columns."""
        ...


class PublishSwapped(Protocol):
    """Of the form of `Swapping.publish_columns`."""

    def __call__(
        self,
        mechanism: Swapping,
        codes: Mapping[str, IntArray],
        domain_sizes: Mapping[str, int],
        draws_for: Callable[[str], Draws],
        /,
    ) -> ColumnsRelease:
        """Permute released cells of the sensitive columns."""
        ...


class PublishOperator(Protocol):
    """Of the form of `Operator.publish_columns`."""

    def __call__(
        self,
        mechanism: Operator,
        codes: Mapping[str, IntArray],
        domain_sizes: Mapping[str, int],
        draws_for: Callable[[str], Draws],
        /,
    ) -> ColumnsRelease:
        """Draw each record's value from the row of its own."""
        ...


class PublishParts(Protocol):
    """Of the form of `SmallDomainRandomization.publish_parts`."""

    def __call__(
        self,
        mechanism: SmallDomainRandomization,
        codes: IntArray,
        parts: IntArray,
        domains: Sequence[IntArray],
        draws: Draws,
        /,
    ) -> ColumnRelease:
        """Perturb each record within the sub-domain of its part."""
        ...


class PublishGroups(Protocol):
    """Of the form of `PerturbedGeneralization.publish_groups`."""

    def __call__(
        self, mechanism: PerturbedGeneralization, codes: IntArray, groups: IntArray, draws: Draws, /
    ) -> ColumnRelease:
        """Choose and perturb a record of each group."""
        ...


class PredicateChannels(Protocol):
    """Of the form of `RetentionReplacement.predicate_channels`."""

    def __call__(
        self,
        mechanism: RetentionReplacement,
        sets: Mapping[str, Collection[str]],
        published: Mapping[str, Mapping[str, int]],
        /,
    ) -> Mapping[tuple[str, ...], Channel[bool, bool]]:
        """Return the laws of whether published values are in sets."""
        ...


class Answers(Protocol):
    """Of the form of `ChannelEstimator.__call__`."""

    def __call__(
        self, estimator: ChannelEstimator, queries: Sequence[Query], method: str | None = ..., /
    ) -> list[QueryEstimate]:
        """Return an answer to each query."""
        ...


class PublishTuples(Protocol):
    """Of the form of `AlphaBeta.publish_tuples`."""

    def __call__(
        self,
        mechanism: AlphaBeta,
        members: Numbers,
        size: int,
        source: UniformSource,
        /,
        *,
        eager: bool | None = ...,
    ) -> Numbers:
        """Publish a set of tuples, by their numbers in the domain."""
        ...


class DeclaredChannel(Protocol):
    """Of the form of `SpluGen.channel`."""

    def __call__(
        self, mechanism: SpluGen, histogram: IntArray, secret: UniformSource, /
    ) -> Channel[int, int]:
        """Return the law of a record's published code, by its true code."""
        ...


class Mixed(Protocol):
    """Of the form of `splu_ref.mechanisms.plans.mixed`."""

    def __call__(
        self,
        histogram: IntArray,
        gamma: Gamma,
        source: PlanSecret,
        passes: int | None = ...,
        most: int = ...,
    ) -> DecoyPlan:
        """Return a plan after passes of trades."""
        ...


class RandomOrder(Protocol):
    """Of the form of `splu_ref.randomness.orders.random_order`."""

    def __call__(
        self, draw: DrawIntegers, size: int, codes: IntArray | None = ..., key_bits: int = ...
    ) -> IntArray:
        """Return a uniform order."""
        ...


class ErrorProbability(Protocol):
    """Of the form of `splu_ref.guarantees.error_probability`."""

    def __call__(self, gamma: Exact, epsilon: Exact, frequency: Exact, *, strict: bool = ...) -> Fraction:
        """Return Pr(abs(f' - f) >= epsilon f), or with > if ``strict``."""
        ...


class ExactMinimum(NamedTuple):
    """The exact part of `splu_ref.guarantees.PrivacyMinimum`."""

    t_p: Fraction
    argmin: int
    t_p_definition: Fraction
    argmin_definition: int


class Plateaus(Protocol):
    """Of the form of `splu_ref.guarantees.plateau_starts` and ``plateau_ends``."""

    def __call__(self, epsilon: Exact, last: Exact, /, *, strict: bool = ...) -> Iterator[int]:
        """Yield counts."""
        ...


class Intervals(Protocol):
    """Of the form of `splu_ref.estimators.two_state_intervals`."""

    def __call__(
        self,
        y3: ArrayLike,
        predicate_count: ArrayLike,
        f_published: ArrayLike,
        rows: int,
        law: PublishedCount,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the lower and upper ends of 95 % intervals."""
        ...


class CountTable(Protocol):
    """`splu_ref.estimators.count_table`."""

    def __call__(
        self,
        release: PublishedTable,
        answer_queries: AnswerQueries,
        by: Sequence[str],
        where: Sequence[tuple[str, Condition]] = ...,
        method: str | None = ...,
    ) -> Table:
        """See the class."""
        ...


class MeasureTable(Protocol):
    """`splu_ref.estimators.measure_table`."""

    def __call__(
        self,
        release: PublishedTable,
        measure: Measure,
        column: str,
        by: Sequence[str],
        where: Sequence[tuple[str, Condition]] = ...,
    ) -> Table:
        """See the class."""
        ...


@dataclass(frozen=True)
class Subject:
    """The implementations under test; a mutant is `SHIPPED` with a field replaced.

    Attributes
    ----------
    publish_codes, publish
        The mechanism on codes, and on tables.
    marked_slots, draw_source_slots, publish_dependent
        Dependent draws: the marked slots of a plan, the published slot of each slot of a block, and the
        mechanism on codes.
    channel
        The law of a record's published code that the mechanism declares.
    publish_retained, predicate_channels
        Retention replacement on codes, and its declared laws of predicates.
    publish_swapped
        Swapping on codes.
    publish_operator
        Publishing by a matrix, on codes.
    publish_parts, publish_groups, groups
        Domains for each part, and one perturbed record of each group, on codes; and these groups.
    best_operator
        The optimal operator, with its proof.
    most_likely
        EM on the states of a query, with a fixed matrix.
    answers
        The estimates that a declared channel allows.
    inverse
        The inverse of a channel.
    allows
        Whether an amplification is too small for a breach at two levels.
    worst_property
        The largest posterior under one prior.
    publish_tuples
        The alpha-beta algorithm on numbers of tuples.
    plans
        Plan methods by name: ``anatomy``, ``cyclic`` and ``mixed``.
    mixed
        The mixed plan, with a choice of the number of passes and of the size of a block.
    greedy_reference
        The greedy plan of the specification.
    seeded, tape, system, keyed
        Constructors of the sources of randomness.
    random_order
        The rule from keys to a uniform order.
    error_probability, privacy_minimum, utility_threshold, chebyshev_bound, chernoff_bound
        Guarantees of the count f'.
    slot_law, privacy_of_draws, dependent_draws_threshold
        Guarantees under dependent draws.
    plateau_starts, plateau_ends
        The counts at which the error probability can be extreme.
    estimate_count
        The estimator of a count.
    two_state_intervals
        The intervals of conjunctions by the method ``exact``.
    conjunctions
        The default method for conjunctions.
    count_table, measure_table
        Tables of counts, and of sums and means.
    enclosed
        The enclosure, in bits, of an entropy in exact form.
    entropy_loss
        The entropy loss of each record by a release.
    """

    publish_codes: PublishCodes
    marked_slots: Callable[[Sequence[Groups], GroupDraws, UniformSource], tuple[Marks, ...]]
    draw_source_slots: Callable[[Marks, GroupDraws, UniformSource], IntArray]
    publish_dependent: PublishCodes
    channel: DeclaredChannel
    publish: PublishTable
    publish_retained: PublishRetained
    predicate_channels: PredicateChannels
    publish_swapped: PublishSwapped
    publish_operator: PublishOperator
    publish_parts: PublishParts
    publish_groups: PublishGroups
    groups: Callable[[PerturbedGeneralization, Microdata], IntArray]
    best_operator: Callable[[Requirement], Optimum]
    most_likely: Callable[[FloatArray, Sequence[FloatArray]], Maximum]
    answers: Answers
    inverse: Callable[[Channel[Any, Any]], Inverse[Any, Any]]
    allows: Callable[[Levels, Amplification[Any, Any]], bool]
    worst_property: Callable[[Channel[Any, Any], Mapping[Any, int], Exact], Breach[Any, Any] | None]
    publish_tuples: PublishTuples
    plans: Mapping[str, PlanMethod]
    mixed: Mixed
    greedy_reference: Callable[[IntArray, Gamma], DecoyPlan]
    seeded: Callable[[bytes], ByteSource]
    tape: Callable[[bytes], TapeSource]
    system: Callable[[], UniformSource]
    keyed: Callable[[Key], Randomness]
    random_order: RandomOrder
    error_probability: ErrorProbability
    privacy_minimum: Callable[[Exact, Exact, Exact], ExactMinimum]
    utility_threshold: Callable[[Exact, Exact, Exact], UtilityThreshold]
    slot_law: Callable[[GroupDraws, int, int], SlotLaw]
    privacy_of_draws: Callable[[Exact, Exact, Exact, GroupDraws], DependentDrawsPrivacy]
    dependent_draws_threshold: Callable[
        [Exact, Exact, Exact, GroupDraws, Noise | None], DependentDrawsThreshold
    ]
    chebyshev_bound: Callable[[Exact, Exact, Exact], Fraction]
    chernoff_bound: Callable[[Exact, Exact, Exact], Fraction]
    plateau_starts: Plateaus
    plateau_ends: Plateaus
    estimate_count: Callable[[int, Exact], CountEstimate]
    two_state_intervals: Intervals
    conjunctions: Method
    count_table: CountTable
    measure_table: MeasureTable
    enclosed: Callable[[LogForm], Bounds]
    entropy_loss: Callable[[World[Any], Callable[[Any], Mapping[Any, Fraction | int]]], EntropyLoss[Any]]


def _exact_error(gamma: Exact, epsilon: Exact, frequency: Exact, *, strict: bool = False) -> Fraction:
    return guarantees.error_probability(gamma, epsilon, frequency, strict=strict).exact()


def _exact_minimum(gamma: Exact, epsilon: Exact, alpha: Exact) -> ExactMinimum:
    found = guarantees.privacy_minimum(gamma, epsilon, alpha)
    return ExactMinimum(
        found.t_p.exact(), found.argmin, found.t_p_definition.exact(), found.argmin_definition
    )


SHIPPED = Subject(
    publish_codes=SpluGen.publish_codes,
    marked_slots=marked_slots,
    draw_source_slots=draw_source_slots,
    publish_dependent=SpluGen.publish_codes,
    channel=SpluGen.channel,
    publish=SpluGen.publish,
    publish_retained=RetentionReplacement.publish_columns,
    predicate_channels=RetentionReplacement.predicate_channels,
    publish_swapped=Swapping.publish_columns,
    publish_operator=Operator.publish_columns,
    publish_parts=SmallDomainRandomization.publish_parts,
    publish_groups=PerturbedGeneralization.publish_groups,
    groups=PerturbedGeneralization.groups,
    best_operator=best_operator,
    most_likely=estimators.most_likely,
    answers=ChannelEstimator.__call__,
    inverse=inverse,
    allows=Levels.allow,
    worst_property=worst_property,
    publish_tuples=AlphaBeta.publish_tuples,
    plans=decoys.PLANS,
    mixed=decoys.mixed,
    greedy_reference=decoys.anatomy_reference,
    seeded=randomness.SeededSource,
    tape=randomness.TapeSource,
    system=randomness.SystemSource,
    keyed=randomness.KeyedSource,
    random_order=random_order,
    error_probability=_exact_error,
    privacy_minimum=_exact_minimum,
    utility_threshold=guarantees.utility_threshold,
    slot_law=guarantees.slot_law,
    privacy_of_draws=guarantees.privacy_of_draws,
    dependent_draws_threshold=guarantees.dependent_draws_threshold,
    chebyshev_bound=guarantees.chebyshev_bound,
    chernoff_bound=guarantees.chernoff_bound,
    plateau_starts=guarantees.plateau_starts,
    plateau_ends=guarantees.plateau_ends,
    estimate_count=estimators.estimate_count,
    two_state_intervals=estimators.two_state_intervals,
    conjunctions=estimators.METHODS["shrunk"],
    count_table=tables.count_table,
    measure_table=tables.measure_table,
    enclosed=LogForm.narrowed,
    entropy_loss=entropy_loss,
)
"""The package as it is shipped."""
