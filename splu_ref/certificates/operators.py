"""A certificate that an operator is the best one of those that meet a requirement."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from fractions import Fraction
from math import lcm

from splu_ref.certificate_checker import Unreadable, check
from splu_ref.certificates.form import Certificate, assemble, hexadecimal
from splu_ref.model import CertificateError
from splu_ref.operators import Optimum

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
    """Return a certificate of the matrix and of the multipliers that prove it the best one.

    Parameters
    ----------
    found
        What `splu_ref.operators.best_operator` returns.

    Returns
    -------
    dict
        Claim ``optimal-operator``.

    Raises
    ------
    CertificateError
        If the checker would refuse the certificate for its size.
    """
    asked = found.requirement
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
    low, high = asked.levels
    counts = " ".join(map(str, asked.counts))
    digest = hashlib.sha256(json.dumps(evidence, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    statement = (
        f"Where the values have the counts {counts}, of all operators that lift {_WHOSE[asked.against]} from "
        f"at most {low} to more than {high}, the one of the evidence is one with the largest value of "
        f"{_WHAT[asked.keep]}, {found.objective}; the digest of the evidence is {digest}."
    )
    parameters = {"counts": counts, "rho1": str(low), "rho2": str(high)}
    parameters |= {"keep": asked.keep, "against": asked.against}
    made = assemble("optimal-operator", parameters, statement, evidence)
    try:
        verdict = check(made)
    except Unreadable as error:
        raise CertificateError(f"too large for a certificate: {error}; group the values") from None
    assert verdict.valid, verdict.reason
    return made


def _common(entries: Iterable[Fraction]) -> int:
    return lcm(*(entry.denominator for entry in entries))
