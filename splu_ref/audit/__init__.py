"""Where estimator and guarantee meet: evidence about releases, held against what was promised."""

from splu_ref.audit.advice import (
    Advice,
    Goals,
    HomogeneousGroup,
    Option,
    Recommendation,
    advise,
    homogeneous_groups,
    picture,
    recommend,
)
from splu_ref.audit.concepts import ConceptMinimum, concept_minimum
from splu_ref.audit.declared_law import DeclaredRow, declared_rows, enumerate_declared
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
    "Advice",
    "ConceptCase",
    "ConceptMinimum",
    "DeclaredRow",
    "EValue",
    "EnumerationRow",
    "Goals",
    "HomogeneousGroup",
    "MultinomialPower",
    "Option",
    "RatePower",
    "Recommendation",
    "advise",
    "average",
    "concept_error",
    "concept_minimum",
    "counts_point",
    "declared_rows",
    "enumerate_declared",
    "enumerate_histogram",
    "enumeration_rows",
    "homogeneous_groups",
    "multinomial_point",
    "multinomial_power",
    "picture",
    "rate_at_least",
    "rate_at_most",
    "rate_power",
    "recommend",
]
