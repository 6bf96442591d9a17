"""What an audit of a release states: the claim held against it, each check, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Literal, Protocol, TypeAlias

from splu_ref.audit.e_values import EValue
from splu_ref.audit.releases.original import Original
from splu_ref.audit.releases.words import NOT_SHOWN, NOT_SHOWN_BY_REPLAY
from splu_ref.channels import GroupDraws, PublishedCount
from splu_ref.decoys import PLANS
from splu_ref.interfaces import Mechanism
from splu_ref.mechanisms import SpluGen
from splu_ref.microdata import Microdata
from splu_ref.model import ParameterError


class Noticed(Protocol):
    """What the checks of a sensitive column would have noticed; in words as a text."""

    @property
    def column(self) -> str:
        """The sensitive column."""
        ...

    @property
    def open(self) -> tuple[str, ...]:
        """What an unprotected release may be that the checks would not have noticed, in words."""
        ...

    @property
    def numbers(self) -> dict[str, object]:
        """All of it for programs."""
        ...


class Stated(Protocol):
    """What is said of how a table was published, whatever the mechanism."""

    @property
    def unseen(self) -> str:
        """What of this mechanism no audit sees, in words."""
        ...

    @property
    def parameters(self) -> dict[str, object]:
        """The mechanism and its numbers, for programs."""
        ...

    def made_by(self, mechanism: Mechanism[object]) -> bool:
        """Return whether a mechanism is the one that is claimed."""
        ...


class Claim(Stated, Protocol):
    """A mechanism that publishes each record by a coin of its own, as far as several checks ask."""

    @property
    def kept_words(self) -> str:
        """What a row did that shows its own value, in words."""
        ...

    @property
    def period(self) -> int:
        """How far apart rows stand that might have to do with each other."""
        ...

    @property
    def spare(self) -> int:
        """How many rows of two releases may be other records at most, because some were deleted."""
        ...

    @property
    def together(self) -> int:
        """How many rows may hang together in what they show; 1 if each has a draw of its own."""
        ...

    def own_rate(self, column: str, value: int) -> Fraction:
        """Return the probability that a record of this value is published with it."""
        ...

    def alternatives(self, column: str, rate: Fraction) -> list[tuple[str, Fraction]]:
        """Return deviations in words, and the own rate of each, where it is ``rate`` on average."""
        ...

    def agreement(self, column: str) -> tuple[Fraction, Fraction]:
        """Return bounds of the chance that two releases with draws of their own agree in a row."""
        ...


@dataclass(frozen=True, slots=True)
class Claimed:
    """How a table is said to have been published.

    Attributes
    ----------
    law
        The law of published counts: size of a decoy group, and probability p of keeping the own value, below
        1.
    plan
        Name of the plan method, or None if the claim names none.
    draws
        How the draws of a group hang together.
    divisor
        Of the number of rows that are published; gamma unless other columns have another one.

    Raises
    ------
    ParameterError
        For a retention of 1, an unknown plan, or draws that ask for another retention than 1/gamma.
    """

    law: PublishedCount
    plan: str | None = None
    draws: GroupDraws = field(default_factory=GroupDraws)
    divisor: int = 0

    kept_words: ClassVar[str] = "kept it"
    """What a row did that shows its own value."""
    unseen: ClassVar[str] = (
        "who stood in a decoy group together is not published, so that part of a plan is not seen"
    )
    """What no audit sees of a release by SPLU-Gen."""

    def __post_init__(self) -> None:
        if self.plan is not None and self.plan not in PLANS:
            raise ParameterError(f"plan {self.plan!r} is unknown: choose one of {', '.join(PLANS)}")
        if self.law.retention == 1:
            raise ParameterError("a retention of 1 publishes the original itself: give one below 1")
        if not (self.is_independent or self.law.is_plain):
            raise ParameterError(f"--draws {self.draws} needs the retention 1/gamma: leave --retention out")
        object.__setattr__(self, "divisor", self.divisor or int(self.law.gamma))

    @classmethod
    def of(cls, mechanism: SpluGen) -> Claimed:
        """Return the claim of a mechanism."""
        return cls(mechanism.record_law, mechanism.plan, mechanism.draws)

    def column(self, name: str) -> Claimed:
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
        told: dict[str, object] = {
            "mechanism": SpluGen.name,
            "gamma": int(self.law.gamma),
            "retention": str(self.law.retention),
            "plan": self.plan,
        }
        return told if self.is_independent else told | {"draws": str(self.draws)}

    @property
    def period(self) -> int:
        """How far apart rows stand that might have to do with each other: gamma."""
        return int(self.law.gamma)

    @property
    def spare(self) -> int:
        """How many rows of two releases may be other records at most, because some were deleted."""
        return self.divisor - 1

    @property
    def together(self) -> int:
        """How many rows may hang together: those of a group, unless each record draws for itself."""
        return 1 if self.is_independent else int(self.law.gamma)

    def own_rate(self, column: str, value: int) -> Fraction:
        """Return the probability that a record is published with its own value."""
        del column, value
        return self.law.retention

    def alternatives(self, column: str, rate: Fraction) -> list[tuple[str, Fraction]]:
        """Return the deviations for which a number of rows is stated."""
        del column
        gamma = self.period
        if self.law.is_plain:
            near = [g for g in (gamma - 1, gamma + 1) if g >= 2]
            return [(f"gamma = {other} instead", Fraction(1, other)) for other in near]
        off = min(rate, 1 - rate) / 10
        return [(f"p = {rate - off}", rate - off), (f"p = {rate + off}", rate + off)]

    def agreement(self, column: str) -> tuple[Fraction, Fraction]:
        """Return bounds of the chance that two releases with draws of their own agree in a row.

        If both rows are one record, it is at least that of keeping the value twice; whichever records they
        are, it is at most the largest chance of any value.
        """
        del column
        return self.law.retention**2, max(self.law.retention, self.law.decoy)

    def prepared(self, table: Microdata, sensitive: Sequence[str]) -> Original:
        """Return an original, prepared to be held against releases."""
        return Original(table, sensitive)

    @property
    def releasing(self) -> SpluGen:
        """The mechanism that makes the release again.

        Raises
        ------
        ParameterError
            If no plan is named.
        """
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
class Evidence:
    """What a statistical check computed, before it is judged.

    Attributes
    ----------
    name, column
        As in `Check`.
    e_value
        The evidence against the claim.
    rows
        How many published rows it rests on.
    detail
        What was seen, in words.
    power
        The smallest deviation found with probability 0.999 or more, given the level, in words.
    """

    name: str
    column: str | None
    e_value: EValue
    rows: int
    detail: str
    power: Callable[[Fraction], str]

    def judged(self, level: Fraction, *, power: bool) -> Check:
        """Return the check at a level, with its power if it is asked for."""
        return Check(
            name=self.name,
            column=self.column,
            passed=not self.e_value.rejects(level),
            detail=self.detail,
            rows=self.rows,
            e_value=self.e_value,
            level=level,
            power=self.power(level) if power else "",
        )


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a release.

    Attributes
    ----------
    name
        Stable name, such as ``retention``.
    column
        The sensitive column it speaks of, or None for the whole table.
    passed
        Whether nothing spoke against the claim.
    detail
        What was seen, in words.
    e_value
        Evidence against the claim; None for an exact check, which cannot fail on an honest release.
    level
        Chance that an honest release fails this check; None for an exact check.
    rows
        Published rows that the check rests on.
    power
        The smallest deviation found with probability 0.999 or more; empty for an exact check or if it was
        not asked for.
    """

    name: str
    column: str | None
    passed: bool
    detail: str
    rows: int
    e_value: EValue | None = None
    level: Fraction | None = None
    power: str = ""


@dataclass(frozen=True, slots=True)
class NotChecked:
    """A check that was not made, and why."""

    name: str
    column: str | None
    reason: str


Found: TypeAlias = Check | Evidence | NotChecked
"""What came of a check that was planned."""


@dataclass(frozen=True, slots=True)
class Reuse:
    """What two releases have in common.

    Attributes
    ----------
    draws
        ``same``: they hold the same rows, in whatever order. ``fresh``: nothing speaks against independent
        draws. ``shared``: they differ, but too many rows agree for independent draws. ``opposed``: too few
        rows agree.
    linked
        Rows whose non-sensitive cells are unique in both releases.
    agreeing
        How many of them hold the same sensitive values in both.
    against_independence
        Evidence against independent draws; None without linked rows.
    """

    draws: Literal["same", "fresh", "shared", "opposed"]
    linked: int
    agreeing: int
    against_independence: EValue | None


@dataclass(frozen=True, slots=True)
class Held:
    """A table that was held against a claim.

    Attributes
    ----------
    found
        What came of each check.
    compare
        How another release is held against this one: a function of the other and of ``level``, the chance
        that two releases with independent draws are said to share them.
    linked
        Published rows that belong to one record of the original for certain; None without an original.
    excluded
        What would have been noticed, by sensitive column, given the level of each statistical check; None
        if nothing was held against an original.
    """

    found: list[Found]
    compare: Callable[..., Reuse]
    linked: int | None = None
    excluded: Callable[[Fraction], tuple[Noticed, ...]] | None = None


@dataclass(frozen=True, slots=True)
class ReleaseAudit:
    """The outcome of an audit.

    Attributes
    ----------
    claimed
        What was held against the release.
    level
        Chance that an honest release is called inconsistent, over all checks together.
    rows
        Rows of the published table.
    linked
        Published rows that belong to one record of the original for certain; None without an original.
    checks, not_checked
        Everything that was checked, and what was not.
    detectable
        What would have been noticed, by sensitive column; empty if nothing was held against an original.
    reuse
        What a second release has in common with the first; None without one.
    recomputed
        What the release was made again from, in words; None if it was not.
    """

    claimed: Stated
    level: Fraction
    rows: int
    linked: int | None
    checks: tuple[Check, ...]
    not_checked: tuple[NotChecked, ...]
    detectable: tuple[Noticed, ...]
    reuse: Reuse | None = None
    recomputed: str | None = None

    @property
    def not_shown(self) -> tuple[str, ...]:
        """What the audit does not show, in words."""
        return (*NOT_SHOWN, self.claimed.unseen) if self.recomputed is None else NOT_SHOWN_BY_REPLAY

    @property
    def verdict(self) -> Literal["consistent", "inconsistent", "inconclusive"]:
        """What was shown.

        ``inconsistent``: a check failed. ``consistent``: none did, and in every sensitive column the checks
        would have told the release from an unprotected one, or it was made again from what was drawn.
        ``inconclusive``: none did, but they would not.
        """
        if not all(check.passed for check in self.checks):
            return "inconsistent"
        told = self.detectable and not any(each.open for each in self.detectable)
        return "consistent" if told or self.recomputed is not None else "inconclusive"
