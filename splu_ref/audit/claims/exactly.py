"""Error probabilities at a count under the numbers of a claim."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Literal

from splu_ref.audit.claims.claim import Common
from splu_ref.binomial import Bounds
from splu_ref.channels import PublishedCount
from splu_ref.guarantees import error_probability
from splu_ref.guarantees.decimals import ExactJson
from splu_ref.guarantees.printable import printable


def exact_error(claim: Common, frequency: int, *, strict: bool = False) -> Fraction:
    """Return the error probability at a count under the claim's gamma, retention and epsilon."""
    return error_probability(claim.gamma, claim.epsilon, frequency, strict=strict, retention=claim.retention)


def number_at(
    claim: Common, frequency: int, bounds: Bounds, rounding: Literal["down", "up"], *, strict: bool = False
) -> ExactJson:
    """Return the error probability at a count for JSON; ``bounds`` serve where a fraction is too long."""
    law = PublishedCount(claim.gamma, claim.retention)
    return printable(law, frequency, partial(exact_error, claim, frequency, strict=strict), bounds, rounding)
