"""Verdicts on certificates: the conditions of every claim, in order.

Certificates are an addition of this specification; the module of each claim cites where the claim comes from.
Read `certificates_grammar` (the file) before the modules of the claims. `CONDITIONS` is the whole table.
The verdict is that of the first condition which does not hold, and ``valid`` if all hold. In each claim the
conditions without which a certificate is unreadable come before those without which it is false, so it is
unreadable if it can be refused as that, whatever else is wrong with it.

A value in the evidence is either a witness, which a checker reads, or computed. A witness of another type or
form is unreadable. A computed value that is anything else than what was computed, of whatever type, is false.
Where the evidence has an object, anything but an object with exactly its keys is unreadable; but of the
entries of ``candidates`` and ``ends``, and of the ``violation`` of `utility-threshold`, something that is no
object is a computed value of another type, and false.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from splu_ref.spec.certificates_counts import CONCEPT, CONCEPT_ERROR, ERROR_PROBABILITY, SMALL_SUM_PRIVACY
from splu_ref.spec.certificates_draws import UTILITY_BOUND
from splu_ref.spec.certificates_grammar import Certificate, Condition, file_conditions
from splu_ref.spec.certificates_operators import OPTIMAL_OPERATOR
from splu_ref.spec.certificates_replacement import BREACH, SAFE
from splu_ref.spec.certificates_samples import D_GAMMA, SAMPLE_SIZE
from splu_ref.spec.certificates_thresholds import UTILITY_THRESHOLD

PARAMETERS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "small-sum-privacy": (("gamma", "epsilon", "alpha"), ("retention", "releases", "draws")),
    "error-probability": (("gamma", "epsilon", "frequency"), ("retention", "draws")),
    "utility-threshold": (("gamma", "epsilon", "t_e", "t_f"), ("retention", "draws")),
    "utility-bound": (("gamma", "epsilon", "t_e", "t_f", "draws"), ("values",)),
    "concept-error": (("gamma", "epsilon", *CONCEPT), ()),
    "breach": (("retention", "values", "rho1", "rho2", "counts"), ()),
    "safe": (("retention", "values", "rho1", "rho2"), ("counts",)),
    "sample-size": (("retention", "share", "epsilon", "delta", "rows"), ()),
    "d-gamma": (("alpha", "beta", "d", "gamma"), ()),
    "optimal-operator": (("counts", "rho1", "rho2", "keep", "against"), ()),
}
"""Of each claim: its parameters, and those that may be left out."""

FILE = "every claim"
"""In `CONDITIONS`: what holds for every certificate, whatever its claim."""

CONDITIONS: Mapping[str, Sequence[Condition]] = {
    FILE: file_conditions(PARAMETERS),
    "small-sum-privacy": SMALL_SUM_PRIVACY,
    "error-probability": ERROR_PROBABILITY,
    "utility-threshold": UTILITY_THRESHOLD,
    "utility-bound": UTILITY_BOUND,
    "concept-error": CONCEPT_ERROR,
    "breach": BREACH,
    "safe": SAFE,
    "sample-size": SAMPLE_SIZE,
    "d-gamma": D_GAMMA,
    "optimal-operator": OPTIMAL_OPERATOR,
}
"""The table: by claim, its conditions in the order in which they are decided."""


def failing(text: str, conditions: Mapping[str, Sequence[Condition]] = CONDITIONS) -> Condition | None:
    """Return the first condition that does not hold, or None if all hold.

    >>> condition = failing('{"schema": "splu-ref/certificate/1"}')
    >>> condition.otherwise if condition else None
    'unreadable'
    """
    certificate = Certificate(text)
    for condition in conditions[FILE]:
        if not condition.holds(certificate):
            return condition
    return next((each for each in conditions[certificate.claim] if not each.holds(certificate)), None)


def verdict(text: str, conditions: Mapping[str, Sequence[Condition]] = CONDITIONS) -> str:
    """Return ``valid``, ``false`` or ``unreadable``.

    >>> verdict("[]")
    'unreadable'
    """
    condition = failing(text, conditions)
    return "valid" if condition is None else condition.otherwise
