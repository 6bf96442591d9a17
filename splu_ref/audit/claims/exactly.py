"""Error probabilities at a count under the numbers of a claim."""

from __future__ import annotations

from splu_ref.audit.claims.claim import Common
from splu_ref.guarantees import ErrorProbability, error_probability


def error_at(claim: Common, frequency: int) -> ErrorProbability:
    """Return the error probability at a count under the claim's gamma, retention and epsilon."""
    return error_probability(claim.gamma, claim.epsilon, frequency, retention=claim.retention)
