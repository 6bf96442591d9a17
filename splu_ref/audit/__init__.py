"""Where estimator and guarantee meet: evidence about releases, held against what was promised."""

from splu_ref.audit.concepts import ConceptMinimum, concept_minimum
from splu_ref.audit.e_values import (
    EValue,
    average,
    counts_point,
    multinomial_point,
    rate_at_least,
    rate_at_most,
)
from splu_ref.audit.enumeration import EnumerationRow, enumerate_histogram, enumeration_rows
from splu_ref.audit.mixed_concepts import concept_error
from splu_ref.audit.power import MultinomialPower, RatePower, multinomial_power, rate_power
from splu_ref.audit.pure_concepts import ConceptCase

__all__ = [
    "ConceptCase",
    "ConceptMinimum",
    "EValue",
    "EnumerationRow",
    "MultinomialPower",
    "RatePower",
    "average",
    "concept_error",
    "concept_minimum",
    "counts_point",
    "enumerate_histogram",
    "enumeration_rows",
    "multinomial_point",
    "multinomial_power",
    "rate_at_least",
    "rate_at_most",
    "rate_power",
]
