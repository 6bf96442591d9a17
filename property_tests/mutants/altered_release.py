"""The shipped mechanism with its source, its plan or its result altered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from property_tests.subject import PublishCodes
from splu_ref.decoys import DecoyPlan, PlanMethod, anatomy
from splu_ref.mechanisms import ColumnRelease, PlaceOrder, publish_codes
from splu_ref.model import Exact, Gamma
from splu_ref.randomness import IntArray, UniformSource


class AlteredSource:
    """Hands every choice on to another source; subclasses change one kind of choice."""

    def __init__(self, source: UniformSource, gamma: Gamma) -> None:
        self.source = source
        self.gamma = gamma

    @property
    def name(self) -> str:
        """The name of the source behind."""
        return self.source.name

    def integer_below(self, bound: int) -> int:
        """Hand on."""
        return self.source.integer_below(bound)

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

    def kept(self, rows: IntArray) -> UniformSource:
        """Alter what the source behind keeps."""
        return type(self)(self.source.kept(rows), self.gamma)

    def for_records(self, column: str, identities: Callable[[], Sequence[bytes]]) -> UniformSource:
        """Alter what the source behind is bound to."""
        return type(self)(self.source.for_records(column, identities), self.gamma)

    def plan_secret(self) -> UniformSource:
        """Leave the plan to the source behind: the fault is in another choice."""
        return self.source.plan_secret()


@dataclass(frozen=True)
class AlteredMechanism:
    """`splu_ref.mechanisms.publish_codes` with one part replaced.

    Attributes
    ----------
    source
        What wraps the source.
    plan
        What wraps the plan.
    result
        What is done to the release at the end; it may draw from the source.
    """

    source: Callable[[UniformSource, Gamma], UniformSource] | None = None
    plan: Callable[[DecoyPlan], DecoyPlan] | None = None
    result: Callable[[ColumnRelease, UniformSource], ColumnRelease] | None = None

    def __call__(
        self,
        codes: IntArray,
        domain_size: int,
        gamma: Gamma,
        source: UniformSource,
        *,
        plan: PlanMethod = anatomy,
        retention: Exact | None = None,
        order: PlaceOrder = "random",
    ) -> ColumnRelease:
        """Publish, with the alteration."""
        alter_plan = self.plan

        def method(histogram: IntArray, size: Gamma, secret: UniformSource) -> DecoyPlan:
            decoys = plan(histogram, size, secret)
            return decoys if alter_plan is None else alter_plan(decoys)

        drawn = source if self.source is None else self.source(source, gamma)
        done = publish_codes(codes, domain_size, gamma, drawn, plan=method, retention=retention, order=order)
        return done if self.result is None else self.result(done, drawn)


def with_source(source: Callable[[UniformSource, Gamma], UniformSource]) -> PublishCodes:
    """Return the mechanism that draws from a wrapped source."""
    return AlteredMechanism(source=source)
