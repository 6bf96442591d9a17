"""Where estimator and guarantee meet: evidence about releases, held against what was promised."""

from splu_ref.audit.e_values import (
    EValue,
    average,
    counts_point,
    multinomial_point,
    rate_at_least,
    rate_at_most,
)
from splu_ref.audit.enumeration import EnumerationRow, enumerate_histogram, enumeration_rows
from splu_ref.audit.power import MultinomialPower, RatePower, multinomial_power, rate_power

__all__ = [
    "EValue",
    "EnumerationRow",
    "MultinomialPower",
    "RatePower",
    "average",
    "counts_point",
    "enumerate_histogram",
    "enumeration_rows",
    "multinomial_point",
    "multinomial_power",
    "rate_at_least",
    "rate_at_most",
    "rate_power",
]
