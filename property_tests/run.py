"""One run of the suite: its seed, its size, and the streams and levels that it hands to the checks."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeVar

from property_tests.budget import Allotment, BudgetError, budget
from property_tests.subject import Subject
from splu_ref.randomness import ByteSource

SEED_VARIABLE = "SPLU_REF_RUN_SEED"
FIXED_SEED = "2014"

T = TypeVar("T")


def configured_seed() -> str:
    """Return the run seed: the environment's, or the fixed one."""
    return os.environ.get(SEED_VARIABLE) or FIXED_SEED


def fresh_seed() -> str:
    """Return a seed that no earlier run has used."""
    return secrets.token_hex(8)


@dataclass(frozen=True)
class Run:
    """Seed and size of a run.

    Attributes
    ----------
    seed
        Every sampled stream and every choice of parameters is derived from it.
    size
        ``"full"``, or ``"matrix"`` for the kill matrix, whose samples are beginnings of the full ones: a
        check extends its sample batch by batch under one e-value, so the shorter run adds no false alarm.
    allotments
        The error budget by check.
    """

    seed: str
    size: Literal["full", "matrix"] = "full"
    allotments: Mapping[str, Allotment] = field(default_factory=budget)

    def pick(self, full: T, matrix: T) -> T:
        """Return the setting that belongs to the size of this run."""
        return full if self.size == "full" else matrix

    def level(self, check: str, example: int = 0) -> Fraction:
        """Return the significance level of one execution of a sampled check.

        Raises
        ------
        BudgetError
            If the check has no entry in the budget, or ``example`` (from 0) exceeds it.
        """
        if check not in self.allotments:
            raise BudgetError(f"check {check!r} has no entry in the error budget: allot a level to it")
        if not 0 <= example < self.allotments[check].executions:
            raise BudgetError(f"check {check!r} may run {self.allotments[check].executions} times, not more")
        return self.allotments[check].charge

    def seed_for(self, check: str, example: int = 0) -> bytes:
        """Return the seed of one execution: a digest of (run seed, check, example number)."""
        return hashlib.sha256(f"{self.seed}\0{check}\0{example}".encode()).digest()

    def stream(self, subject: Subject, check: str, example: int = 0) -> ByteSource:
        """Return the sampling stream of one execution."""
        return subject.seeded(self.seed_for(check, example))

    def choices_seed(self, check: str) -> int:
        """Return the seed from which Hypothesis chooses parameters; it never chooses the samples."""
        return int.from_bytes(self.seed_for(check + "/parameters")[:8], "big")
