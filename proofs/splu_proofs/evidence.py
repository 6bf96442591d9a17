"""What stands behind a claim, and how much it is worth."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from splu_ref.channels.parameters import SpluError


class EvidenceError(SpluError):
    """A piece of evidence does not hold."""


class Grade(StrEnum):
    """Grades of evidence, the strongest first."""

    KERNEL = "kernel"
    SYMBOLIC = "symbolic"
    EXACT = "exact"
    ENUMERATED = "enumerated"
    STATISTICAL = "statistical"


def strongest(grades: list[Grade]) -> Grade | None:
    """Return the strongest of ``grades``, or None if there are none."""
    return min(grades, key=list(Grade).index, default=None)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One piece of evidence as it came out.

    Attributes
    ----------
    name
        Name of the function that holds it.
    grade
        Its grade if it holds; None for what explains but does not support the claim.
    holds
        Whether it holds as far as it could be checked here.
    summary
        What was found, or what failed.
    missing
        What could not be checked here, and how to have it checked; the grade is then not reached.
    recorded
        Whether it was taken from a record, and not checked in this run.
    """

    name: str
    grade: Grade | None
    holds: bool
    summary: str
    missing: str = ""
    recorded: bool = False
