"""The operation that publishes by a matrix, from a tape."""

from __future__ import annotations

import numpy as np

from splu_ref.channels import Json
from splu_ref.conformance.operations.channels import MOST_STATES
from splu_ref.conformance.operations.publishing import codes_of
from splu_ref.conformance.operations.retention import ORDERS
from splu_ref.mechanisms import Operator
from splu_ref.randomness import TapeSource
from splu_ref.spec.requests import Fields, number


def publish_operator(fields: Fields) -> dict[str, Json]:
    """Answer the release of a column by a matrix from a tape, and which integers were drawn."""
    codes, matrix = codes_of(fields.integers("sensitive", 0)), fields.matrix("matrix", MOST_STATES)
    shuffled = fields.choice("order", ORDERS) == "shuffled"
    content = fields.octets("tape")
    tape, again = TapeSource(content), TapeSource(content)
    fields.finish()
    values = [f"{code:02}" for code in range(len(matrix))]
    mechanism = Operator("sensitive", values, matrix, shuffled=shuffled)
    sizes = {"sensitive": max(len(values), int(codes.max(initial=0)) + 1)}
    done = mechanism.publish_columns({"sensitive": codes}, sizes, lambda _: tape)
    integers = np.zeros(len(codes), dtype=object)
    for code, bound in enumerate(mechanism.bounds):
        records = np.flatnonzero(codes == code)
        integers[records] = again.below(bound, len(records)).tolist()
    return {
        "published": done.published["sensitive"].tolist(),
        "consumed": tape.consumed,
        "rows": done.rows.tolist(),
        "integers": [number(integer) for integer in integers.tolist()],
    }
