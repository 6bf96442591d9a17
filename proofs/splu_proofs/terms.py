"""The terms in which a claim and its evidence are written; a claim file imports them from here."""

from __future__ import annotations

from .check import Comparisons
from .claim import Claim, Status
from .derivation import Derivation, Gives
from .evidence import EvidenceError, Grade
from .kernel import Kernel
from .relation import Case, Quantity, Relation
from .step import Identity, Inequality
from .witness import Witness, decimal

__all__ = [
    "Case",
    "Claim",
    "Comparisons",
    "Derivation",
    "EvidenceError",
    "Gives",
    "Grade",
    "Identity",
    "Inequality",
    "Kernel",
    "Quantity",
    "Relation",
    "Status",
    "Witness",
    "decimal",
]
