"""Derivations: steps in order, the sentences that join them, and what of the claim's statement they give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from .evidence import EvidenceError
from .relation import Relation
from .step import Identity, Step, StepResult


@dataclass(frozen=True, kw_only=True)
class Gives:
    """A step that is a part of the statement: at the numbers of a case, it says what the relation says.

    Attributes
    ----------
    relation
        The part of the statement.
    step
        Name of the step.
    of
        What of the relation the left side of the step, or for an inequality what it claims to be at least 0,
        comes to: its left side, its right side, or what the larger side has more than the other.
    at
        Returns, from a case of the relation, the values of the step's variables, computed from their meaning.
    """

    relation: Relation
    step: str
    of: Literal["left", "right", "difference"]
    at: Callable[..., tuple[Any, ...]]

    def check(self, steps: tuple[Step, ...]) -> int:
        """Compare the step with the relation at every case; return how many there are.

        Raises
        ------
        EvidenceError
            If there is no such step, its hypotheses do not hold at a case, or it comes to something else.
        """
        step = next((each for each in steps if each.name == self.step), None)
        if step is None:
            raise EvidenceError(f"there is no step {self.step!r}")
        count = 0
        for case in self.relation.cases():
            values = tuple(map(Fraction, self.at(*case)))
            if isinstance(step, Identity):
                found = step.left(*values)
            else:
                found = step.then(*values)
                if min(step.given(*values)) < 0:
                    raise EvidenceError(f"step {self.step!r} does not apply at {case}")
            left, right = self.relation.sides(*case)
            more = left - right if self.relation.sign in (">", ">=") else right - left
            if found != {"left": left, "right": right, "difference": more}[self.of]:
                raise EvidenceError(f"step {self.step!r} is not what the statement says at {case}")
            count += 1
        return count


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
    gives
        Which steps are which parts of the statement.
    """

    setting: str
    steps: tuple[Step, ...]
    conclusion: str
    gives: tuple[Gives, ...] = ()

    def check(self) -> tuple[StepResult, ...]:
        """Check every step and what it gives; an empty derivation proves nothing and is refused.

        Raises
        ------
        ValueError
            If there is no step, or two have one name.
        EvidenceError
            If a step is not what it is said to give.
        """
        if not self.steps:
            raise ValueError("a derivation without steps proves nothing")
        if len({step.name for step in self.steps}) != len(self.steps):
            raise ValueError("two steps have one name")
        for each in self.gives:
            each.check(self.steps)
        return tuple(step.check() for step in self.steps)
