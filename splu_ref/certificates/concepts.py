"""A witness about one predicate together with a value: its error probability under the corrected estimate."""

from __future__ import annotations

from splu_ref.certificate_checker import MAX_OWNERS, MAX_PAIRS
from splu_ref.certificates.form import Certificate, assemble, hexadecimal
from splu_ref.guarantees import decimal_up
from splu_ref.model import CertificateError, Exact, Gamma, ParameterError, positive, probability, whole


def concept_certificate(
    gamma: Exact,
    epsilon: Exact,
    *,
    rows: Exact,
    sensitive_count: Exact,
    predicate_count: Exact,
    concept_count: Exact,
    decoys_in_predicate: Exact,
    error: Exact,
) -> Certificate:
    """Return a certificate of Pr(abs(estimate - x3) >= epsilon x3) for one concept, at retention 1/gamma.

    Parameters
    ----------
    gamma
        Size of a decoy group, a whole number of at least 2.
    epsilon
        Relative error, greater than 0.
    rows, sensitive_count, predicate_count, concept_count, decoys_in_predicate
        N, f, n, x3 and K of `splu_ref.audit.ConceptCase`.
    error
        The probability, for the clipped closed form, as `splu_ref.audit.concept_minimum` finds it.

    Returns
    -------
    dict
        Claim ``concept-error``.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or an error that is no multiple of gamma^-(gamma f).
    CertificateError
        If the checker would refuse the certificate for the time that checking takes.

    Notes
    -----
    splu.V and splu.T4c.
    """
    group, distance, wrong = Gamma(gamma), positive(epsilon, "epsilon"), probability(error, "error")
    counts = {
        "rows": whole(rows, "rows", 1),
        "sensitive_count": whole(sensitive_count, "sensitive_count", 1),
        "predicate_count": whole(predicate_count, "predicate_count", 1),
        "concept_count": whole(concept_count, "concept_count", 1),
        "decoys_in_predicate": whole(decoys_in_predicate, "decoys_in_predicate", 0),
    }
    owners = group * counts["sensitive_count"]
    inside = counts["concept_count"] + counts["decoys_in_predicate"]
    if owners > MAX_OWNERS or (inside + 1) * (owners - inside + 1) > MAX_PAIRS:
        raise CertificateError(
            f"a certificate of a concept with gamma f = {owners} takes too long to check: there are such "
            f"certificates up to gamma f = {MAX_OWNERS}, for at most {MAX_PAIRS} pairs of published counts"
        )
    numerator = wrong * group**owners
    if numerator.denominator != 1:
        raise ParameterError(
            f"error = {wrong} is no multiple of {group}^-{owners}: give what concept_minimum finds"
        )
    parameters = {"gamma": str(group), "epsilon": str(distance)}
    parameters |= {name: str(value) for name, value in counts.items()}
    statement = (
        f"With gamma = {group}: where x3 = {counts['concept_count']} of the {counts['predicate_count']} "
        f"records of a predicate carry a value, which f = {counts['sensitive_count']} of {counts['rows']} "
        f"records carry and which {counts['decoys_in_predicate']} others of the predicate have among their "
        f"decoys, the corrected estimate of x3 is off by at least ({distance}) x3 with a probability of at "
        f"most {decimal_up(wrong)}, which is exact or rounded up."
    )
    return assemble("concept-error", parameters, statement, {"numerator": hexadecimal(numerator.numerator)})
