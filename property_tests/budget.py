"""The committed error budget: the probability that the whole suite rejects correct code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from splu_ref.channels.parameters import integer, probability

BUDGET_FILE = Path(__file__).with_name("error_budget.json")
LARGEST_TOTAL = Fraction(1, 10**6)


class BudgetError(Exception):
    """A sampled check without an entry in the budget, or with more executions than the entry allows."""


@dataclass(frozen=True)
class Allotment:
    """The significance level of one check, and its number of executions.

    Attributes
    ----------
    level
        Probability of a false alarm over all its executions in one run of the suite.
    executions
        Largest number of samples, including replays and explicit examples; each has the level
        ``level / executions``.
    """

    level: Fraction
    executions: int

    @property
    def charge(self) -> Fraction:
        """The significance level of one execution."""
        return self.level / self.executions


@cache
def budget(path: Path = BUDGET_FILE) -> Mapping[str, Allotment]:
    """Return the committed budget by check.

    Raises
    ------
    BudgetError
        If the levels add up to more than one in a million.
    """
    entries = {
        name: Allotment(probability(entry["level"], name), integer(entry["executions"], name, 1))
        for name, entry in json.loads(path.read_text(encoding="utf-8"))["checks"].items()
    }
    total = sum((entry.level for entry in entries.values()), Fraction(0))
    if total > LARGEST_TOTAL:
        raise BudgetError(f"the levels in {path.name} add up to {float(total):.3g}, more than 1e-6")
    return entries
