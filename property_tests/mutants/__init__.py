"""Deliberately broken variants, and the matrix of which check notices which.

``python -m property_tests.mutants`` runs the matrix. Importing this package registers every mutant in
`property_tests.mutants.mutant.MUTANTS`.
"""

from property_tests.mutants import (
    alpha_beta,
    breaches,
    cross_tables,
    dependent_draws,
    drawn_promises,
    draws,
    entropy,
    formulas,
    operators,
    orders,
    parts_and_groups,
    plans,
    retention,
    sources,
    swapping,
    tables,
)
from property_tests.mutants.mutant import MUTANTS, Mutant

__all__ = [
    "MUTANTS",
    "Mutant",
    "alpha_beta",
    "breaches",
    "cross_tables",
    "dependent_draws",
    "drawn_promises",
    "draws",
    "entropy",
    "formulas",
    "operators",
    "orders",
    "parts_and_groups",
    "plans",
    "retention",
    "sources",
    "swapping",
    "tables",
]
