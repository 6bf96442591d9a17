"""Certificates about conjunctions, (d, gamma)-privacy and optimal operators."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from fractions import Fraction
from math import lcm

from splu_ref.certificate_checker import MAX_OWNERS, MAX_PAIRS, Unreadable, check
from splu_ref.channels import CertificateError, Exact, Gamma, ParameterError, integer, positive, probability
from splu_ref.guarantees.certificates.form import Certificate, assemble, hexadecimal
from splu_ref.guarantees.decimals import decimal_up
from splu_ref.guarantees.operators.optimum import Optimum
from splu_ref.guarantees.tuple_privacy import TupleChances, TupleLevels


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
        If checking the certificate would exceed the time limit.

    Notes
    -----
    splu.V and splu.T4c.
    """
    group, distance, wrong = Gamma(gamma), positive(epsilon, "epsilon"), probability(error, "error")
    counts = {
        "rows": integer(rows, "rows", 1),
        "sensitive_count": integer(sensitive_count, "sensitive_count", 1),
        "predicate_count": integer(predicate_count, "predicate_count", 1),
        "concept_count": integer(concept_count, "concept_count", 1),
        "decoys_in_predicate": integer(decoys_in_predicate, "decoys_in_predicate", 0),
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


def d_gamma_certificate(chances: TupleChances, levels: TupleLevels) -> Certificate:
    """Return a certificate that the alpha-beta algorithm is (d, gamma)-private.

    Parameters
    ----------
    chances
        alpha and beta.
    levels
        d and gamma.

    Returns
    -------
    dict
        Claim ``d-gamma``. The evidence is, for a published tuple and for one that is not published, the
        whole numbers that the condition compares.

    Raises
    ------
    ParameterError
        If the algorithm is not (d, gamma)-private.
    """
    if not levels.allow(chances):
        raise ParameterError("these chances are not (d, gamma)-private: there is nothing to certify")
    alpha, beta, d, gamma = chances.alpha, chances.beta, levels.d, levels.gamma
    kept = alpha + beta
    conditions = {
        "published": (beta * gamma * (1 - d), kept * d * (1 - gamma)),
        "unpublished": ((1 - kept) * gamma, (1 - beta) * d),
    }
    scale = (alpha.denominator * beta.denominator) * d.denominator * gamma.denominator
    evidence = {
        name: {"left": _scaled(left, scale), "right": _scaled(right, scale)}
        for name, (left, right) in conditions.items()
    }
    parameters = {"alpha": str(alpha), "beta": str(beta), "d": str(d), "gamma": str(gamma)}
    statement = (
        f"With alpha = {alpha} and beta = {beta}, the alpha-beta algorithm is ({d}, {gamma})-private: for "
        f"every prior of a tuple above 0 and at most {d}, tuples independent, its posterior is at most "
        f"{gamma}, and at least {d / gamma} times the prior."
    )
    return assemble("d-gamma", parameters, statement, evidence)


def _scaled(value: Fraction, scale: int) -> str:
    return hexadecimal(int(value * scale))


_WHOSE = {
    "any": "under any prior no belief",
    "values": "under this prior no belief in a single value",
    "sets": "under this prior no belief in a set of values",
}
_WHAT = {
    "share": "the share of the records that are published with their own value",
    "mean": "the mean of the diagonal",
    "least": "the least entry of the diagonal",
}


def operator_certificate(found: Optimum) -> Certificate:
    """Return a certificate of an optimal operator, with the multipliers that prove optimality.

    Parameters
    ----------
    found
        What `splu_ref.guarantees.best_operator` returns.

    Returns
    -------
    dict
        Claim ``optimal-operator``.

    Raises
    ------
    CertificateError
        If the certificate would exceed the size limit of the checker.
    """
    requirement = found.requirement
    unit = _common(entry for row in found.matrix for entry in row)
    scale = _common([*found.weights, *found.rows, *(price.amount for price in found.prices)])
    evidence: dict[str, object] = {
        "denominator": hexadecimal(unit),
        "matrix": [[hexadecimal(int(entry * unit)) for entry in row] for row in found.matrix],
        "scale": hexadecimal(scale),
        "weights": [hexadecimal(int(weight * scale)) for weight in found.weights],
        "rows": [hexadecimal(int(multiplier * scale)) for multiplier in found.rows],
        "prices": [
            {
                "published": hexadecimal(price.published),
                "secret": [hexadecimal(place) for place in price.secret],
                "amount": hexadecimal(int(price.amount * scale)),
            }
            for price in found.prices
        ],
    }
    low, high = requirement.levels
    counts = " ".join(map(str, requirement.counts))
    digest = hashlib.sha256(json.dumps(evidence, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    statement = (
        f"Where the values have the counts {counts}, of all operators that lift "
        f"{_WHOSE[requirement.against]} from at most {low} to more than {high}, the one of the evidence is "
        f"one with the largest value of {_WHAT[requirement.keep]}, {found.objective}; the digest of the "
        f"evidence is {digest}."
    )
    parameters = {"counts": counts, "rho1": str(low), "rho2": str(high)}
    parameters |= {"keep": requirement.keep, "against": requirement.against}
    made = assemble("optimal-operator", parameters, statement, evidence)
    try:
        verdict = check(made)
    except Unreadable as error:
        raise CertificateError(f"too large for a certificate: {error}; group the values") from None
    assert verdict.valid, verdict.reason
    return made


def _common(entries: Iterable[Fraction]) -> int:
    return lcm(*(entry.denominator for entry in entries))
