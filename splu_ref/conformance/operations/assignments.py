"""The operation of posteriors of assignments: which record of a group has which value."""

from __future__ import annotations

from splu_ref.audit import exact_posteriors
from splu_ref.channels import Json, ParameterError
from splu_ref.spec.requests import Fields, written

MOST_RECORDS = 8
"""Records of a group of one request."""


def permanent_posterior(fields: Fields) -> dict[str, Json]:
    """Answer the permanent of likelihoods, and the posterior of each record and value."""
    likelihoods = fields.matrix("likelihoods", MOST_RECORDS)
    fields.finish()
    if any(len(row) != len(likelihoods) for row in likelihoods):
        raise ParameterError("likelihoods are not square: give each record one for each value of the group")
    if any(entry < 0 for row in likelihoods for entry in row):
        raise ParameterError("a likelihood is negative: give numbers of at least 0")
    permanent, posterior = exact_posteriors(likelihoods)
    entries: Json = None
    if posterior is not None:
        entries = [[written(entry) for entry in row] for row in posterior]
    return {"permanent": written(permanent), "posterior": entries}
