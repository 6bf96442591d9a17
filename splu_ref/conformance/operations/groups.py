"""The operation that publishes one perturbed record of each group, from a tape."""

from __future__ import annotations

import numpy as np

from splu_ref.channels import Json, ParameterError
from splu_ref.conformance.operations.publishing import codes_of
from splu_ref.mechanisms import PerturbedGeneralization, median_groups
from splu_ref.randomness import TapeSource
from splu_ref.spec.requests import Fields, number

MOST_VALUES = 1000


def publish_pg(fields: Fields) -> dict[str, Json]:
    """Answer the release by perturbed generalization from a tape, its groups, and what was drawn."""
    codes, quasi = codes_of(fields.integers("sensitive", 0)), np.array(fields.columns("quasi"))
    least, values = fields.integer("least", 1), fields.integer("values", 2, MOST_VALUES)
    retention = fields.exact("retention")
    content = fields.octets("tape")
    tape, again = TapeSource(content), TapeSource(content)
    fields.finish()
    if quasi.shape[1] != len(codes) or codes.max() >= values:
        raise ParameterError(f"give each record a place in every column, and a code below {values}")
    domain = [f"{code:03}" for code in range(values)]
    names = [f"column {place}" for place in range(len(quasi))]
    mechanism = PerturbedGeneralization("sensitive", domain, names, least, retention)
    ranks = np.array([np.unique(column, return_inverse=True)[1] for column in quasi])
    groups = median_groups(ranks, least)
    done = mechanism.publish_groups(codes, groups, tape)
    again.order_within(groups)
    members = [np.flatnonzero(groups == group) for group in range(int(groups.max()) + 1)]
    integers = again.below(mechanism.retention.denominator * values, len(members))
    return {
        "published": done.published.tolist(),
        "ranges": [
            [[int(column[rows].min()), int(column[rows].max())] for column in quasi] for rows in members
        ],
        "sizes": [len(rows) for rows in members],
        "consumed": tape.consumed,
        "groups": groups.tolist(),
        "rows": done.rows.tolist(),
        "integers": [number(integer) for integer in integers.tolist()],
    }
