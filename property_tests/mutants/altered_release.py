"""The shipped mechanism with its source, its plan or its result altered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from property_tests.subject import PublishCodes
from splu_ref.channels.parameters import Gamma
from splu_ref.mechanisms import ColumnRelease, DecoyPlan, PlaceOrder, SpluGen
from splu_ref.randomness import Draws, IntArray, PlanSecret


class AlteredSource:
    """Hands every choice on to another source; subclasses change one kind of choice."""

    def __init__(self, source: Draws, gamma: Gamma) -> None:
        self.source = source
        self.gamma = gamma

    @property
    def name(self) -> str:
        """The name of the source behind."""
        return self.source.name

    def below(self, bound: int, size: int) -> IntArray:
        """Hand on."""
        return self.source.below(bound, size)

    def permutation(self, size: int) -> IntArray:
        """Hand on."""
        return self.source.permutation(size)

    def order_within(self, codes: IntArray) -> IntArray:
        """Hand on."""
        return self.source.order_within(codes)

    def subset(self, population: int, count: int) -> IntArray:
        """Hand on."""
        return self.source.subset(population, count)

    def select_records(self, rows: IntArray) -> Draws:
        """Alter what the source behind keeps."""
        return type(self)(self.source.select_records(rows), self.gamma)

    def plan_secret(self) -> PlanSecret:
        """Leave the plan to the source behind: the fault is in another choice."""
        return self.source.plan_secret()

    def group_draws(self) -> PlanSecret:
        """Return those of the source."""
        return self.source.group_draws()


@dataclass(frozen=True)
class AlteredMechanism:
    """`SpluGen.publish_codes` with one part replaced.

    Attributes
    ----------
    source
        What wraps the source.
    plan
        What wraps the plan.
    result
        What is done to the release at the end; it may draw from the source.
    """

    source: Callable[[Draws, Gamma], Draws] | None = None
    plan: Callable[[DecoyPlan], DecoyPlan] | None = None
    result: Callable[[ColumnRelease, Draws], ColumnRelease] | None = None

    def __call__(
        self,
        mechanism: SpluGen,
        codes: IntArray,
        domain_size: int,
        source: Draws,
        *,
        order: PlaceOrder = "random",
    ) -> ColumnRelease:
        """Publish, with the alteration."""
        alter_plan = self.plan

        def method(histogram: IntArray, size: Gamma, secret: PlanSecret) -> DecoyPlan:
            decoys = mechanism.decoys(histogram, size, secret)
            return decoys if alter_plan is None else alter_plan(decoys)

        drawn = source if self.source is None else self.source(source, mechanism.gamma)
        altered = SpluGen(mechanism.gamma, mechanism.retention, method)
        done = altered.publish_codes(codes, domain_size, drawn, order=order)
        return done if self.result is None else self.result(done, drawn)


def with_source(source: Callable[[Draws, Gamma], Draws]) -> PublishCodes:
    """Return the mechanism that draws from a wrapped source."""
    return AlteredMechanism(source=source)
