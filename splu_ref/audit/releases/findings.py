"""Findings of an audit of a release: the claim, each check, and the verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from splu_ref.audit.e_values import EValue
from splu_ref.audit.releases.claims import Claim
from splu_ref.audit.releases.detection_power import DetectionPower
from splu_ref.audit.releases.messages import NOT_SHOWN, NOT_SHOWN_BY_REPLAY

MOST_PLACES = 1000
"""Largest number of rows, and of records, that a check lists."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of a statistical check, before it is compared with a level."""

    # name, column: as in `Check`
    name: str
    column: str | None
    e_value: EValue  # the evidence against the claim
    rows: int  # number of published rows that it is computed from
    detail: str  # description of the observation
    # the smallest deviation detected with probability at least 0.999, given the level
    power: Callable[[Fraction], str]
    worst: str = ""  # what contributes most to the evidence, for the description of a failure

    def judged(self, level: Fraction, *, power: bool) -> Check:
        """Return the check at a level, with its detection power if ``power``."""
        passed = not self.e_value.rejects(level)
        return Check(
            name=self.name,
            column=self.column,
            passed=passed,
            detail=self.detail if passed or not self.worst else f"{self.detail}; {self.worst}",
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
        The tested sensitive column, or None for the whole table.
    passed
        Whether the claim was not rejected.
    detail
        Description of the observation.
    e_value
        Evidence against the claim; None for an exact check, which cannot fail on an honest release.
    level
        Probability that an honest release fails this check; None for an exact check.
    rows
        Number of published rows that the check uses.
    power
        The smallest deviation detected with probability at least 0.999; empty for an exact check or if not
        computed.
    hint
        What to look at first if the check fails, for the verdict; mostly empty.
    places
        Numbers of the rows of the published table, and of the records of the original, that fail an exact
        check of records, from 1 and ascending, at most `MOST_PLACES` of each; empty for other checks.
    """

    name: str
    column: str | None
    passed: bool
    detail: str
    rows: int
    e_value: EValue | None = None
    level: Fraction | None = None
    power: str = ""
    hint: str = ""
    places: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())


@dataclass(frozen=True, slots=True)
class NotChecked:
    """A check that was not made, with the reason."""

    name: str
    column: str | None
    reason: str
    remedy: str = ""  # what to give for a verdict, if there is none without this check


Finding: TypeAlias = Check | Evidence | NotChecked
"""The outcome of a planned check."""


@dataclass(frozen=True, slots=True)
class Reuse:
    """The dependence between the draws of two releases."""

    # ``same``: they have the same rows, in any order. ``fresh``: independent draws are not rejected.
    # ``shared``: they differ, but too many rows agree for independent draws. ``opposed``: too few rows agree.
    # ``unlinked``: they differ, and no row of one has the public cells of a row of the other.
    draws: Literal["same", "fresh", "shared", "opposed", "unlinked"]
    linked: int  # number of rows whose non-sensitive cells are unique in both releases
    agreeing: int  # number of these with equal sensitive values in both
    against_independence: EValue | None  # evidence against independent draws; None without linked rows


@dataclass(frozen=True, slots=True)
class TableFindings:
    """The findings of the checks of a table, before they are compared with a level."""

    findings: list[Finding]  # one for each check
    # compares another release with this one: a function of the other and of ``level``, the probability that
    # independent draws are called shared
    compare: Callable[..., Reuse]
    # number of published rows that certainly belong to one record of the original; None without an original
    linked: int | None = None
    # detection power by sensitive column, given the level of each statistical check; None without an original
    power: Callable[[Fraction], tuple[DetectionPower, ...]] | None = None


@dataclass(frozen=True, slots=True)
class ReleaseAudit:
    """The outcome of an audit.

    Attributes
    ----------
    claimed
        The claimed mechanism.
    level
        Probability of a false alarm for an honest release, over all checks.
    rows
        Number of published rows.
    linked
        Number of published rows that certainly belong to one record of the original; None without an
        original.
    checks, not_checked
        The checks that were made, and those that were not.
    detectable
        Detection power by sensitive column; empty without an original.
    decisive
        Least power of ten above ``level`` at which the audit would be conclusive; None if none up to
        1/100 is, or none is needed.
    reuse
        Dependence of a second release on the first; None without one.
    recomputed
        Description of the source of a replay; None without one.
    """

    claimed: Claim
    level: Fraction
    rows: int
    linked: int | None
    checks: tuple[Check, ...]
    not_checked: tuple[NotChecked, ...]
    detectable: tuple[DetectionPower, ...]
    decisive: Fraction | None = None
    reuse: Reuse | None = None
    recomputed: str | None = None

    @property
    def not_shown(self) -> tuple[str, ...]:
        """Limits of the audit."""
        return (*NOT_SHOWN, self.claimed.unseen) if self.recomputed is None else NOT_SHOWN_BY_REPLAY

    @property
    def verdict(self) -> Literal["consistent", "inconsistent", "inconclusive"]:
        """The verdict.

        ``inconsistent``: a check failed. ``consistent``: none failed, and in every sensitive column the
        checks would have detected an unprotected release, or the release was replayed. ``inconclusive``: none
        failed, but an unprotected release would not have been detected, or a check lacks what it needs.
        """
        if not all(check.passed for check in self.checks):
            return "inconsistent"
        if any(each.remedy for each in self.not_checked):
            return "inconclusive"
        decided = self.detectable and not any(each.open for each in self.detectable)
        return "consistent" if decided or self.recomputed is not None else "inconclusive"
