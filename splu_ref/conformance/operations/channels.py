"""Operations on a channel: its inverse, its amplification, and the beliefs that it lifts."""

from __future__ import annotations

from splu_ref.channels import (
    Channel,
    DependentRowsError,
    Json,
    Levels,
    ParameterError,
    amplification,
    from_matrix,
    inverse,
    one_budget,
    worst_prior,
    worst_property,
)
from splu_ref.spec.requests import Fields, number, written

MOST_STATES = 32
"""Rows and columns of a matrix that one request may have."""

MOST_RECORDS = 1_000
"""Records that the counts of a prior may add up to."""


def channel_inverse(fields: Fields) -> dict[str, Json]:
    """Answer the inverse of a square channel, or which of its rows depend on one another."""
    channel = channel_of(fields)
    fields.finish()
    try:
        found = inverse(channel)
    except DependentRowsError as error:
        combination = [error.combination.get(row, 0) for row in channel.inputs]
        sign = next(entry for entry in reversed(combination) if entry)
        return {
            "inverse": None,
            "dependent": [number(entry if sign > 0 else -entry) for entry in combination],
        }
    return {
        "inverse": [
            [written(found.weights[label].get(state, 0)) for state in channel.inputs]
            for label in channel.outputs
        ],
        "dependent": None,
    }


def channel_amplification(fields: Fields) -> dict[str, Json]:
    """Answer the largest ratio of two entries of one column, null if it is infinite."""
    channel = channel_of(fields)
    fields.finish()
    found = amplification(channel)
    return {
        "amplification": None if found.ratio is None else written(found.ratio),
        "published": found.published,
        "more": found.more,
        "less": found.less,
    }


def breach_profile(fields: Fields) -> dict[str, Json]:
    """Answer the largest posterior of a property of a prior of at most rho1, and whether it is rho2."""
    channel, levels = channel_of(fields), Levels.of(fields.exact("rho1"), fields.exact("rho2"))
    counts = fields.integers("counts", 0) if fields.has("counts") else None
    fields.finish()
    if counts is None:
        posterior = worst_prior(channel, levels.rho1).posterior
        return {"posterior": written(posterior), "breach": posterior >= levels.rho2}
    if len(counts) != len(channel.inputs) or not 1 <= sum(counts) <= MOST_RECORDS:
        raise ParameterError(
            f"counts is no histogram of the rows, of 1 to {MOST_RECORDS} records: give a count for each row"
        )
    with one_budget():
        worst = worst_property(channel, dict(enumerate(counts)), levels.rho1)
    if worst is None:
        return {"posterior": None, "breach": False}
    return {
        "posterior": written(worst.posterior),
        "breach": worst.posterior >= levels.rho2,
        "prior": written(worst.prior),
        "published": worst.published,
    }


def channel_of(fields: Fields) -> Channel[int, int]:
    """Return the channel of a request: states are numbered from 0."""
    entries = fields.matrix("matrix", MOST_STATES)
    return from_matrix(range(len(entries)), entries, range(len(entries[0])))
