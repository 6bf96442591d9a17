"""Operations that publish: from a tape, one column or several, and at random."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from splu_ref.channels import Exact, Gamma, Json, ParameterError, retention_probability
from splu_ref.conformance.operations.randomness import MOST_ITEMS
from splu_ref.mechanisms import PLANS, RecordMechanism, SpluGen, dependent_draws, draw_rule, independent_draws
from splu_ref.randomness import IntArray, SystemSource, TapeSource
from splu_ref.spec.requests import Fields, number

MOST_TIMES = 10_000
"""Releases that one request for random ones may ask for."""


def gamma_of(fields: Fields) -> Gamma:
    """Return the group size of a request."""
    return Gamma(fields.integer("gamma"))


def retention_of(fields: Fields) -> Exact | None:
    """Return the retention probability of a request, or None for 1 / gamma."""
    return fields.optional_exact("retention")


def splu_gen(fields: Fields) -> SpluGen:
    """Return the mechanism of a request."""
    gamma, plan = gamma_of(fields), fields.choice("method", PLANS)
    law = fields.text("draws") if fields.has("draws") else "independent"
    return SpluGen(gamma, retention_of(fields), plan, law)


def from_tape(mechanism_of: Callable[[Fields], RecordMechanism]) -> Callable[[Fields], dict[str, Json]]:
    """Return the operation that publishes one sensitive column by a mechanism, drawing from a tape."""

    def operation(fields: Fields) -> dict[str, Json]:
        codes, mechanism = codes_of(fields.integers("sensitive", 0)), mechanism_of(fields)
        tape = TapeSource(fields.octets("tape"))
        fields.finish()
        done = mechanism.publish_codes(codes, domain_size(codes), tape)
        return {
            "published": done.published.tolist(),
            "consumed": tape.consumed,
            "rows": done.rows.tolist(),
            "suppressed": done.suppressed.tolist(),
        }

    return operation


def publish(fields: Fields) -> dict[str, Json]:
    """Answer the release of one sensitive column from a tape, and what was drawn on the way."""
    codes, mechanism = codes_of(fields.integers("sensitive", 0)), splu_gen(fields)
    content = fields.octets("tape")
    tape, again = TapeSource(content), TapeSource(content)
    fields.finish()
    done = mechanism.publish_codes(codes, domain_size(codes), tape)
    suppressed = again.subset(len(codes), len(codes) % mechanism.gamma)
    own = np.delete(codes, suppressed)
    plan = PLANS[mechanism.plan](np.bincount(own), mechanism.gamma, again)
    order = again.order_within(own)
    drawn: dict[str, Json] = {}
    if mechanism.draws.bound is None:
        integers = again.below(draw_rule(mechanism.gamma, mechanism.retention).bound, len(own))
        drawn["integers"] = [number(integer) for integer in integers.tolist()]
    else:
        slots = dependent_draws(plan, mechanism.draws, again)
        drawn["marked"] = np.flatnonzero(np.concatenate(slots.marked)).tolist()
        drawn["shown"] = slots.sources.tolist()
    return {
        "published": done.published.tolist(),
        "consumed": tape.consumed,
        "groups": plan.groups().tolist(),
        "order": order.tolist(),
        **drawn,
        "rows": done.rows.tolist(),
        "suppressed": done.suppressed.tolist(),
    }


def draws_of_tape(fields: Fields) -> dict[str, Json]:
    """Answer draws from 0 to gamma - 1, made of a tape."""
    gamma, given, size = gamma_of(fields), retention_of(fields), fields.integer("size", 0, MOST_ITEMS)
    tape = TapeSource(fields.octets("tape"))
    fields.finish()
    drawn = independent_draws(tape, gamma, retention_probability(given, gamma), size)
    return {"result": drawn.tolist(), "consumed": tape.consumed}


def publish_random(fields: Fields) -> dict[str, Json]:
    """Answer several releases of one sensitive column, made of the system's entropy."""
    codes, mechanism = codes_of(fields.integers("sensitive", 0)), splu_gen(fields)
    times = fields.integer("times", 1)
    fields.finish()
    if times > MOST_TIMES:
        raise ParameterError(f"times is {times}: ask for at most {MOST_TIMES} releases at once")
    source, size = SystemSource(), domain_size(codes)
    done = [mechanism.publish_codes(codes, size, source) for _ in range(times)]
    return {
        "published": [each.published.tolist() for each in done],
        "rows": [each.rows.tolist() for each in done],
    }


def release_columns(fields: Fields) -> dict[str, Json]:
    """Answer the release of several sensitive columns, made of one tape."""
    columns, mechanism = fields.columns("sensitive"), splu_gen(fields)
    tape = TapeSource(fields.octets("tape"))
    fields.finish()
    codes = {str(number): codes_of(column) for number, column in enumerate(columns)}
    done = mechanism.publish_columns(
        codes, {name: domain_size(column) for name, column in codes.items()}, lambda _: tape
    )
    return {
        "published": [done.published[name].tolist() for name in codes],
        "rows": done.rows.tolist(),
        "suppressed": done.suppressed.tolist(),
        "consumed": tape.consumed,
    }


def codes_of(values: list[int]) -> IntArray:
    """Return the codes of a request as an array."""
    if not values:
        raise ParameterError("sensitive has no record: give at least gamma codes")
    return np.array(values, dtype=np.int64)


def domain_size(codes: IntArray) -> int:
    """Return one more than the largest code."""
    largest = int(codes.max())
    if largest > 1_000_000:
        raise ParameterError(f"the code {largest} is too large: number the values 0, 1, 2, ...")
    return largest + 1
