"""The operation that forms decoy groups from a histogram."""

from __future__ import annotations

import numpy as np

from splu_ref.channels import Gamma, Json, ParameterError
from splu_ref.conformance.operations.publishing import gamma_of
from splu_ref.conformance.operations.randomness import MOST_ITEMS
from splu_ref.mechanisms import PLANS, Blocks, Groups, Secret, apply_passes, default_passes, draw_block_secret
from splu_ref.randomness import IntArray, TapeSource
from splu_ref.spec.requests import Fields

SECRET = ("mixed",)
"""Methods that draw: their requests have a tape, and their answers say how much of it was read."""


def plan(fields: Fields) -> dict[str, Json]:
    """Answer the groups of a histogram, in the plan's order."""
    histogram, gamma = fields.integers("histogram"), gamma_of(fields)
    method = fields.choice("method", PLANS)
    content = fields.octets("tape") if method in SECRET else b""
    tape = TapeSource(content)
    fields.finish()
    if not histogram:
        raise ParameterError("histogram has no value: give at least one frequency above 0")
    if sum(map(abs, histogram)) > MOST_ITEMS:
        raise ParameterError(f"histogram counts more than {MOST_ITEMS} records: ask for fewer")
    counts = np.array(histogram, dtype=np.int64)
    groups = PLANS[method](counts, gamma, tape).groups().tolist()
    if method not in SECRET:
        return {"groups": groups}
    if Blocks.of(len(groups)).count > 1:
        return {"groups": groups, "consumed": tape.consumed}
    return {
        "groups": groups,
        "consumed": tape.consumed,
        "passes": _passes(counts, gamma, TapeSource(content)),
    }


def _passes(histogram: IntArray, gamma: Gamma, source: TapeSource) -> list[Json]:
    """Return the groups of a block after each of its passes."""
    count = int(histogram.sum()) // gamma
    slots: Groups = np.repeat(np.arange(len(histogram)), histogram).reshape(gamma, count)
    secret = draw_block_secret(count, gamma, source, default_passes(count))
    after: list[Json] = []
    for number in range(len(secret.orders)):
        this = slice(number, number + 1)
        slots = apply_passes(slots, Secret(secret.orders[this], secret.rotations[this], secret.coins[this]))
        after.append(slots.T.tolist())
    return after
