"""What an audit of a release states: the claim, each check, and the verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from splu_ref.audit.e_values import EValue
from splu_ref.audit.releases.claims import Claim
from splu_ref.audit.releases.detection_power import DetectionPower
from splu_ref.audit.releases.messages import NOT_SHOWN, NOT_SHOWN_BY_REPLAY


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


Finding: TypeAlias = Check | Evidence | NotChecked
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
class TableFindings:
    """What came of the checks of a table, before they are judged.

    Attributes
    ----------
    findings
        One for each check.
    compare
        How another release is compared with this one: a function of the other and of ``level``, the chance
        that two releases with independent draws are said to share them.
    linked
        Published rows that belong to one record of the original for certain; None without an original.
    power
        What would have been detected, by sensitive column, given the level of each statistical check; None
        if there was no original to test the table against.
    """

    findings: list[Finding]
    compare: Callable[..., Reuse]
    linked: int | None = None
    power: Callable[[Fraction], tuple[DetectionPower, ...]] | None = None


@dataclass(frozen=True, slots=True)
class ReleaseAudit:
    """The outcome of an audit.

    Attributes
    ----------
    claimed
        What is claimed of the release.
    level
        Chance that an honest release is called inconsistent, over all checks together.
    rows
        Rows of the published table.
    linked
        Published rows that belong to one record of the original for certain; None without an original.
    checks, not_checked
        Everything that was checked, and what was not.
    detectable
        What would have been detected, by sensitive column; empty without an original.
    reuse
        What a second release has in common with the first; None without one.
    recomputed
        What the release was made again from, in words; None if it was not.
    """

    claimed: Claim
    level: Fraction
    rows: int
    linked: int | None
    checks: tuple[Check, ...]
    not_checked: tuple[NotChecked, ...]
    detectable: tuple[DetectionPower, ...]
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
        would have distinguished the release from an unprotected one, or it was made again from what was
        drawn. ``inconclusive``: none did, but they would not.
        """
        if not all(check.passed for check in self.checks):
            return "inconsistent"
        decided = self.detectable and not any(each.open for each in self.detectable)
        return "consistent" if decided or self.recomputed is not None else "inconclusive"
