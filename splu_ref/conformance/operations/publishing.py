"""Operations of SPLU-Gen: decoy groups, publication from a tape, groups of records, posteriors in them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from splu_ref.audit import exact_posteriors
from splu_ref.channels import Exact, Gamma, Json, ParameterError, retention_probability
from splu_ref.conformance.operations.randomness import MOST_ITEMS
from splu_ref.mechanisms import (
    PLANS,
    Blocks,
    Groups,
    PerturbedGeneralization,
    RecordMechanism,
    Secret,
    SpluGen,
    apply_passes,
    default_passes,
    dependent_draws,
    draw_block_secret,
    draw_rule,
    independent_draws,
    median_groups,
)
from splu_ref.randomness import IntArray, SystemSource, TapeSource
from splu_ref.spec.requests import Fields, number, numbers, written

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
    return {"result": numbers(drawn.tolist()), "consumed": tape.consumed}


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
    for block in range(len(secret.orders)):
        this = slice(block, block + 1)
        slots = apply_passes(slots, Secret(secret.orders[this], secret.rotations[this], secret.coins[this]))
        after.append(slots.T.tolist())
    return after


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
