"""The claim of (d, gamma)-privacy as a certificate: two comparisons of integers."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.certificates.form import Certificate, assemble, hexadecimal
from splu_ref.guarantees import TupleChances, TupleLevels
from splu_ref.model import ParameterError


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
