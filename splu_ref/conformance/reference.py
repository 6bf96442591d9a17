"""The reference as a program under test: one JSON object in, one JSON object out.

The vectors are what `answer` says, and `python -m splu_ref.conformance` says it over a pipe, so that the
runner can be held to the reference as the reference holds others to the vectors.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NoReturn

from splu_ref import __version__
from splu_ref.channels import InputError, Json, TapeExhaustedError
from splu_ref.conformance.fields import Fields, RequestError
from splu_ref.conformance.operations import (
    assignments,
    channels,
    comparators,
    entropy,
    estimates,
    groups,
    keyed,
    operators,
    plans,
    publishing,
    randomness,
    retention,
    swapping,
    tables,
)
from splu_ref.conformance.operations import guarantees as promises
from splu_ref.conformance.operations import guarantees as tuples

Answer = dict[str, Json]

OPERATIONS: dict[str, Callable[[Fields], Answer]] = {
    "below": randomness.below,
    "permutation": randomness.permutation,
    "coins": randomness.coins,
    "order_within": randomness.order_within,
    "subset": randomness.subset,
    "seeded": randomness.seeded,
    "key_file": tables.key_file,
    "release_key": keyed.key_of_release,
    "keyed": keyed.keyed,
    "plan": plans.plan,
    "publish": publishing.publish,
    "draws": publishing.draws_of_tape,
    "release": publishing.release_columns,
    "plan_secret": keyed.plan_secret,
    "publish_keyed": keyed.publish_keyed,
    "publish_random": publishing.publish_random,
    "publish_two_tables": comparators.two_tables,
    "publish_distribution_based": comparators.distribution_based,
    "publish_counts": comparators.counts,
    "publish_retention": retention.publish_retention,
    "publish_retention_keyed": retention.publish_retention_keyed,
    "publish_swap": swapping.publish_swap,
    "publish_alpha_beta": tuples.publish_alpha_beta,
    "publish_operator": operators.publish_operator,
    "publish_pg": groups.publish_pg,
    "estimate": estimates.estimate,
    "conjunction": estimates.conjunction,
    "interval": estimates.interval,
    "transition": estimates.transition,
    "channel_inverse": channels.channel_inverse,
    "amplification": channels.channel_amplification,
    "breach_profile": channels.breach_profile,
    "entropy_loss": entropy.losses,
    "permanent_posterior": assignments.permanent_posterior,
    "error_probability": promises.error,
    "privacy_minimum": promises.minimum,
    "utility_threshold": promises.threshold,
    "concept_error": promises.concept,
    "certificate": promises.certificate,
    "read_table": tables.read_table,
    "column_codes": tables.column_codes,
    "identities": tables.identities,
    "table_digest": tables.table_digest,
    "manifest": tables.manifest,
}
"""Every operation but ``describe``, by name."""


def describe(fields: Fields) -> Answer:
    """Answer what the reference says of itself."""
    fields.finish()
    return {"ops": list(OPERATIONS), "name": "splu-ref", "version": __version__}


def answer(request: object) -> Answer:
    """Return the answer to one request, or ``{"error": {"kind": ..., "message": ...}}``."""
    try:
        if not isinstance(request, dict) or not isinstance(request.get("op"), str):
            raise RequestError("malformed", 'a request is an object with an operation: {"op": ...}')
        if request["op"] == "describe":
            return describe(Fields(request))
        if request["op"] not in OPERATIONS:
            raise RequestError("unsupported", f"the operation {request['op']!r} is not known")
        return OPERATIONS[request["op"]](Fields(request))
    except RequestError as error:
        return _refused(error.kind, error)
    except TapeExhaustedError as error:
        return _refused("tape_exhausted", error)
    except InputError as error:
        return _refused("parameter", error)


def answer_line(line: bytes) -> bytes:
    """Return the line that answers a line; the answer repeats the request's ``id``."""
    try:
        request = json.loads(line.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        request = None
    given = answer(request)
    if isinstance(request, dict) and "id" in request:
        given["id"] = request["id"]
    return json.dumps(given).encode() + b"\n"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _refused(kind: str, error: Exception) -> Answer:
    return {"error": {"kind": kind, "message": str(error)}}
