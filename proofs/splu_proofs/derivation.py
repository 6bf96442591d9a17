"""Derivations: steps in order, with the sentences that join them."""

from __future__ import annotations

from dataclasses import dataclass

from .step import Step, StepResult


@dataclass(frozen=True, kw_only=True)
class Derivation:
    """Steps in order, with the sentences that join them.

    Attributes
    ----------
    setting
        What the symbols stand for and which facts are used as they are.
    steps
        The identities and inequalities.
    conclusion
        How the steps give the claim.
    """

    setting: str
    steps: tuple[Step, ...]
    conclusion: str

    def check(self) -> tuple[StepResult, ...]:
        """Check every step; an empty derivation proves nothing and is refused."""
        if not self.steps:
            raise ValueError("a derivation without steps proves nothing")
        return tuple(step.check() for step in self.steps)
