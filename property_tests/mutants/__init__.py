"""Mutants, and the matrix of the checks that kill them.

``python -m property_tests.mutants`` runs the matrix. Importing this package registers every mutant in
`property_tests.mutants.mutant.MUTANTS`.
"""

from property_tests.mutants import (
    alpha_beta,
    breaches,
    cross_tables,
    dependent_draws,
    dependent_guarantees,
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
    "dependent_guarantees",
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
