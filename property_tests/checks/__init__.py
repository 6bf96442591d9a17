"""The checks; importing this package registers every one of them in `property_tests.checking.CHECKS`."""

from property_tests.checking import CHECKS
from property_tests.checks import (
    attacks,
    chosen_releases,
    conjunctions,
    enumeration,
    error_formulas,
    estimates,
    generated_releases,
    intervals,
    mechanism,
    plans,
    privacy_and_utility,
    real_releases,
    release_orders,
    retention,
    source_rules,
    source_statistics,
    tables,
)

__all__ = [
    "CHECKS",
    "attacks",
    "chosen_releases",
    "conjunctions",
    "enumeration",
    "error_formulas",
    "estimates",
    "generated_releases",
    "intervals",
    "mechanism",
    "plans",
    "privacy_and_utility",
    "real_releases",
    "release_orders",
    "retention",
    "source_rules",
    "source_statistics",
    "tables",
]
