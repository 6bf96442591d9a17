"""What is claimed of a release: by which mechanism a table is said to have been published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm
from typing import ClassVar, Generic, Protocol, Self, TypeVar

from splu_ref.audit.releases.record_linkage import Original
from splu_ref.channels import DataError, GroupDraws, ParameterError, PublishedCount
from splu_ref.data import Microdata
from splu_ref.mechanisms import (
    PLANS,
    AlphaBeta,
    Mechanism,
    PerturbedGeneralization,
    SpluGen,
    SpluGenByColumn,
    Swapping,
)

M = TypeVar("M", bound=Mechanism[object])


class Claim(Protocol):
    """How a table is said to have been published, whatever the mechanism."""

    @property
    def unseen(self) -> str:
        """What no audit of a release by this mechanism can check, in words."""
        ...

    @property
    def parameters(self) -> dict[str, object]:
        """The mechanism and its numbers, for programs."""
        ...

    def made_by(self, mechanism: Mechanism[object]) -> bool:
        """Return whether a mechanism is the one that is claimed."""
        ...


class CoinClaim(Claim, Protocol):
    """A mechanism that decides by a coin for each record whether its true value is published."""

    @property
    def kept_words(self) -> str:
        """What a row did that shows its true value, in words."""
        ...

    @property
    def period(self) -> int:
        """The largest distance between rows whose draws may be dependent."""
        ...

    @property
    def deletable(self) -> int:
        """The largest number of rows of two releases that may be other records, because some were deleted."""
        ...

    @property
    def dependent(self) -> int:
        """How many rows may be drawn together; 1 if each has a draw of its own."""
        ...

    def true_value_rate(self, column: str, value: int) -> Fraction:
        """Return the probability that a record of this value is published with it."""
        ...

    def alternatives(self, column: str, rate: Fraction) -> list[tuple[str, Fraction]]:
        """Return deviations from a mean ``rate`` of true values, each described with its rate."""
        ...

    def agreement(self, column: str) -> tuple[Fraction, Fraction]:
        """Return bounds of the chance that two releases with independent draws agree in a row."""
        ...


@dataclass(frozen=True, slots=True)
class SpluGenClaim:
    """A claim of SPLU-Gen.

    Raises
    ------
    ParameterError
        For a retention of 1, an unknown plan, or dependent draws with another retention than 1/gamma.
    """

    #: the law of published counts: size of a decoy group, and retention probability p, below 1
    law: PublishedCount
    plan: str | None = None  #: name of the plan method, or None if the claim names none
    draws: GroupDraws = field(default_factory=GroupDraws)  #: the law of the draws in a group
    divisor: int = 0  #: of the number of rows that are published; gamma unless other columns have another one

    kept_words: ClassVar[str] = "kept it"
    unseen: ClassVar[str] = (
        "who stood in a decoy group together is not published, so that part of a plan is not seen"
    )

    def __post_init__(self) -> None:
        if self.plan is not None and self.plan not in PLANS:
            raise ParameterError(f"plan {self.plan!r} is unknown: choose one of {', '.join(PLANS)}")
        if self.law.retention == 1:
            raise ParameterError("a retention of 1 publishes the original itself: give one below 1")
        if not (self.is_independent or self.law.is_plain):
            raise ParameterError(f"--draws {self.draws} needs the retention 1/gamma: leave --retention out")
        object.__setattr__(self, "divisor", self.divisor or int(self.law.gamma))

    @classmethod
    def of(cls, mechanism: SpluGen) -> Self:
        """Return the claim of a mechanism."""
        return cls(mechanism.record_law, mechanism.plan, mechanism.draws)

    def without_plan(self) -> SpluGenClaim:
        """Return the claim that names no plan."""
        return replace(self, plan=None)

    def column(self, name: str) -> SpluGenClaim:
        """Return what is claimed of a sensitive column: the same of all."""
        del name
        return self

    @property
    def is_independent(self) -> bool:
        """Whether each record draws for itself."""
        return self.draws.name == "independent"

    @property
    def parameters(self) -> dict[str, object]:
        """The mechanism and its numbers, for programs."""
        found: dict[str, object] = {
            "mechanism": SpluGen.name,
            "gamma": int(self.law.gamma),
            "retention": str(self.law.retention),
            "plan": self.plan,
        }
        return found if self.is_independent else found | {"draws": str(self.draws)}

    @property
    def period(self) -> int:
        """The largest distance between rows whose draws may be dependent: gamma."""
        return int(self.law.gamma)

    @property
    def deletable(self) -> int:
        """The largest number of rows of two releases that may be other records, because some were deleted."""
        return self.divisor - 1

    @property
    def dependent(self) -> int:
        """How many rows may be drawn together: those of a group, unless each record draws for itself."""
        return 1 if self.is_independent else int(self.law.gamma)

    def true_value_rate(self, column: str, value: int) -> Fraction:
        """Return the retention probability."""
        del column, value
        return self.law.retention

    def alternatives(self, column: str, rate: Fraction) -> list[tuple[str, Fraction]]:
        """Return the deviations for which a number of rows is stated: p a tenth off."""
        del column
        return [(f"p = {other}", other) for other in a_tenth_off(rate)]

    def agreement(self, column: str) -> tuple[Fraction, Fraction]:
        """Return bounds of the chance that two releases with independent draws agree in a row.

        If both rows are one record, it is at least that of keeping the value twice; whichever records they
        are, it is at most the largest chance of any value.
        """
        del column
        return self.law.retention**2, max(self.law.retention, self.law.decoy)

    def prepared(self, table: Microdata, sensitive: Sequence[str]) -> Original:
        """Return an original, prepared for comparison with releases."""
        return Original(table, sensitive)

    @property
    def releasing(self) -> SpluGen:
        """The mechanism that makes the release again; `ParameterError` if no plan is named."""
        if self.plan is None:
            raise ParameterError("--plan is missing: give it, or the release's --manifest")
        return SpluGen(self.law.gamma, self.law.retention, self.plan, draws=self.draws)

    def made_by(self, mechanism: Mechanism[object]) -> bool:
        """Return whether a mechanism is SPLU-Gen of this law, and of this plan if one is named."""
        if not isinstance(mechanism, SpluGen):
            return False
        same = mechanism.record_law == self.law and mechanism.draws == self.draws
        return same and self.plan in (None, mechanism.plan)


@dataclass(frozen=True, slots=True)
class SpluGenByColumnClaim:
    """A claim of SPLU-Gen with parameters of its own for each sensitive column."""

    #: what is claimed of each sensitive column; all have one divisor
    columns: tuple[tuple[str, SpluGenClaim], ...]

    unseen: ClassVar[str] = SpluGenClaim.unseen

    @classmethod
    def of(cls, mechanism: SpluGenByColumn) -> Self:
        """Return the claim of a mechanism."""
        divisor = lcm(*(each.gamma for _, each in mechanism.columns))
        claims = ((name, replace(SpluGenClaim.of(each), divisor=divisor)) for name, each in mechanism.columns)
        return cls(tuple(claims))

    def without_plan(self) -> SpluGenByColumnClaim:
        """Return the claim that names no plan."""
        return replace(self, columns=tuple((name, claim.without_plan()) for name, claim in self.columns))

    def column(self, name: str) -> SpluGenClaim:
        """Return what is claimed of a sensitive column; `ParameterError` if it has no gamma."""
        for column, claim in self.columns:
            if column == name:
                return claim
        known = ", ".join(column for column, _ in self.columns)
        raise ParameterError(f"column {name!r} has no gamma: those that have are {known}")

    @property
    def parameters(self) -> dict[str, object]:
        """The mechanism and its numbers by column, for programs."""
        of_columns = {name: claim.parameters for name, claim in self.columns}
        first = next(iter(of_columns.values()))
        shared = {"mechanism": SpluGenByColumn.name, "draws": first.get("draws")}
        return {
            name: shared[name]
            if name in shared
            else {column: each[name] for column, each in of_columns.items()}
            for name in first
        }

    @property
    def deletable(self) -> int:
        """The largest number of rows of two releases that may be other records, because some were deleted."""
        return self.columns[0][1].deletable

    @property
    def dependent(self) -> int:
        """How many rows may be drawn together: the most of any column."""
        return max(claim.dependent for _, claim in self.columns)

    def agreement(self, column: str) -> tuple[Fraction, Fraction]:
        """Return bounds of the chance that two releases with independent draws agree in a row."""
        return self.column(column).agreement(column)

    def prepared(self, table: Microdata, sensitive: Sequence[str]) -> Original:
        """Return an original, prepared for comparison with releases."""
        return Original(table, sensitive)

    @property
    def releasing(self) -> SpluGenByColumn:
        """The mechanism that makes the release again."""
        return SpluGenByColumn({name: claim.releasing for name, claim in self.columns})

    def made_by(self, mechanism: Mechanism[object]) -> bool:
        """Return whether a mechanism is SPLU-Gen with these laws and plans."""
        if not isinstance(mechanism, SpluGenByColumn):
            return False
        made: dict[str, SpluGen] = dict(mechanism.columns)
        return made.keys() == dict(self.columns).keys() and all(
            claim.made_by(made[name]) for name, claim in self.columns
        )


@dataclass(frozen=True)
class MechanismClaim(Generic[M]):
    """A claim of a mechanism whose every parameter stands in the manifest."""

    mechanism: M  # the mechanism as its manifest states it

    @property
    def parameters(self) -> dict[str, object]:
        """The mechanism and its retention, if it has one for the table, for programs."""
        retention = self._retention
        stated = None if retention is None else str(retention)
        return {"mechanism": self.mechanism.name, "gamma": None, "retention": stated, "plan": None}

    @property
    def _retention(self) -> Fraction | None:
        return None

    @property
    def releasing(self) -> M:
        """The mechanism that makes the release again."""
        return self.mechanism

    def made_by(self, mechanism: Mechanism[object]) -> bool:
        """Return whether a mechanism is the one that is claimed."""
        return mechanism == self.mechanism

    def prepared(self, table: Microdata, sensitive: Sequence[str]) -> Original:
        """Return an original, prepared for comparison with releases."""
        return Original(self._declared(table), sensitive)

    def _declared(self, table: Microdata) -> Microdata:
        return table


class GeneralizationClaim(MechanismClaim[PerturbedGeneralization]):
    """A claim of perturbed generalization."""

    unseen: ClassVar[str] = (
        "the chosen record of a group is not published: it can be tested only by its value"
    )

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive column."""
        return (self.mechanism.column,)

    @property
    def _retention(self) -> Fraction:
        return self.mechanism.retention

    def _declared(self, table: Microdata) -> Microdata:
        return table.with_domain(self.mechanism.column, self.mechanism.values)


class SwappingClaim(MechanismClaim[Swapping]):
    """A claim of swapping."""

    unseen: ClassVar[str] = (
        "which of several equal cells went where is not published, so that part of the order is not seen"
    )

    @property
    def _retention(self) -> Fraction:
        return self.mechanism.retention

    def _declared(self, table: Microdata) -> Microdata:
        if table.row_count < 2:
            raise DataError("swapping needs another record: give the original, which has at least two")
        return table


class AlphaBetaClaim(MechanismClaim[AlphaBeta]):
    """A claim of the alpha-beta algorithm."""

    unseen: ClassVar[str] = (
        "how the number of fakes was found: one that was rounded to its mean looks like one that was drawn"
    )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tuples."""
        return tuple(column for column, _ in self.mechanism.domains)

    @property
    def retention(self) -> Fraction:
        """Probability with which a tuple of the original is published: alpha + beta."""
        return self.mechanism.alpha + self.mechanism.beta

    @property
    def parameters(self) -> dict[str, object]:
        """The mechanism and its numbers, for programs."""
        stated = self.mechanism
        return super().parameters | {"alpha": str(stated.alpha), "beta": str(stated.beta)}

    @property
    def releasing(self) -> AlphaBeta:
        """The mechanism for any original, also one that repeats rows, and for any number of fakes."""
        stated = self.mechanism
        return AlphaBeta(stated.alpha, stated.beta, dict(stated.domains), distinct=True, large=True)

    def made_by(self, mechanism: Mechanism[object]) -> bool:
        """Return whether a mechanism is the one that is claimed."""
        return isinstance(mechanism, AlphaBeta) and mechanism.facts() == self.mechanism.facts()

    def _declared(self, table: Microdata) -> Microdata:
        return self.mechanism.numbered(table)[0]


def a_tenth_off(rate: Fraction) -> tuple[Fraction, Fraction]:
    """Return the probabilities that are off by a tenth of the distance to 0 or 1."""
    off = min(rate, 1 - rate) / 10
    return rate - off, rate + off
