"""The operation that forms decoy groups from a histogram."""

from __future__ import annotations

import numpy as np

from splu_ref.conformance.fields import Fields
from splu_ref.conformance.operations.publishing import gamma_of
from splu_ref.conformance.operations.randomness import MOST_ITEMS
from splu_ref.decoys import PLANS
from splu_ref.model import Json, ParameterError
from splu_ref.randomness import TapeSource

SECRET = ("mixed",)
"""Methods that draw: their requests have a tape, and their answers say how much of it was read."""


def plan(fields: Fields) -> dict[str, Json]:
    """Answer the groups of a histogram, in the plan's order."""
    histogram, gamma = fields.integers("histogram"), gamma_of(fields)
    method = fields.choice("method", PLANS)
    tape = TapeSource(fields.octets("tape") if method in SECRET else b"")
    fields.finish()
    if not histogram:
        raise ParameterError("histogram has no value: give at least one frequency above 0")
    if sum(map(abs, histogram)) > MOST_ITEMS:
        raise ParameterError(f"histogram counts more than {MOST_ITEMS} records: ask for fewer")
    groups = PLANS[method](np.array(histogram, dtype=np.int64), gamma, tape).groups().tolist()
    return {"groups": groups, "consumed": tape.consumed} if method in SECRET else {"groups": groups}
