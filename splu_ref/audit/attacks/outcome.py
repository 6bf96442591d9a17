"""What an attack comes to."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from splu_ref.audit.e_values import EValue

LEVEL = Fraction(1, 10**9)
"""Probability of calling a prediction contradicted that holds, at most."""


@dataclass(frozen=True, kw_only=True)
class AttackOutcome:
    """The success of an attack, predicted and measured.

    Attributes
    ----------
    attack, mechanism
        Their names.
    success
        What was measured, exactly; None if nothing was carried out.
    predicted
        The expectation of ``success`` under the law that the mechanism declares; None where it is not known.
    baseline
        What the same attacker expects who has no release.
    e_value
        Evidence against the prediction: in an honest run it reaches 1/a with probability at most a. None
        where nothing is predicted, or nothing is left to chance.
    noticed
        The least difference between ``success`` and ``predicted`` that would have been a contradiction at
        ``LEVEL``; None without an e-value, or if no outcome would have been one.
    largest
        The largest posterior of any record's value that the attack can end with; None if it is not known.
    says
        What this shows, in one sentence.
    """

    attack: str
    mechanism: str
    success: Fraction | None
    predicted: Fraction | None
    baseline: Fraction
    e_value: EValue | None
    noticed: Fraction | None
    largest: Fraction | None
    says: str

    @property
    def contradicted(self) -> bool:
        """Whether what was measured contradicts the prediction."""
        return self.e_value is not None and self.e_value.rejects(LEVEL)
