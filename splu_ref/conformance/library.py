"""The library as a program of the conformance protocol: one JSON object in, one JSON object out.

Requests are read by the reader of the executable specification, and answered by the library alone. So
`python -m splu_ref.conformance` is one more program that the runner tests against the vectors.
"""

from __future__ import annotations

from collections.abc import Callable

from splu_ref import __version__
from splu_ref.channels import InputError, Json, TapeExhaustedError
from splu_ref.conformance.operations import channels, estimates, keyed, publishing, randomness
from splu_ref.conformance.operations import guarantees as promises
from splu_ref.spec.protocol import read_line, refused, respond, written_answer
from splu_ref.spec.requests import Fields

Answer = dict[str, Json]

OPERATIONS: dict[str, Callable[[Fields], Answer]] = {
    "below": randomness.below,
    "permutation": randomness.permutation,
    "coins": randomness.coins,
    "order_within": randomness.order_within,
    "subset": randomness.subset,
    "seeded": randomness.seeded,
    "key_file": estimates.key_file,
    "release_key": keyed.key_of_release,
    "keyed": keyed.keyed,
    "plan": publishing.plan,
    "publish": publishing.publish,
    "draws": publishing.draws_of_tape,
    "release": publishing.release_columns,
    "plan_secret": keyed.plan_secret,
    "publish_keyed": keyed.publish_keyed,
    "publish_random": publishing.publish_random,
    "publish_two_tables": estimates.two_tables,
    "publish_distribution_based": estimates.distribution_based,
    "publish_counts": estimates.counts,
    "publish_retention": channels.publish_retention,
    "publish_retention_keyed": channels.publish_retention_keyed,
    "publish_swap": channels.publish_swap,
    "publish_alpha_beta": promises.publish_alpha_beta,
    "publish_operator": channels.publish_operator,
    "publish_pg": publishing.publish_pg,
    "estimate": estimates.estimate,
    "conjunction": estimates.conjunction,
    "interval": estimates.interval,
    "transition": estimates.transition,
    "channel_inverse": channels.channel_inverse,
    "amplification": channels.channel_amplification,
    "breach_profile": channels.breach_profile,
    "entropy_loss": channels.losses,
    "permanent_posterior": publishing.permanent_posterior,
    "error_probability": promises.error,
    "privacy_minimum": promises.minimum,
    "utility_threshold": promises.threshold,
    "concept_error": promises.concept,
    "certificate": promises.certificate,
    "read_table": estimates.read_table,
    "column_codes": estimates.column_codes,
    "identities": estimates.identities,
    "table_digest": estimates.table_digest,
    "manifest": estimates.manifest,
}
"""Every operation but ``describe``, by name."""


def answer(request: object) -> Answer:
    """Return the answer to one request, or ``{"error": {"kind": ..., "message": ...}}``."""
    try:
        return respond(request, OPERATIONS, "splu-ref", __version__)
    except TapeExhaustedError as error:
        return refused("tape_exhausted", str(error))
    except InputError as error:
        return refused("parameter", str(error))


def answer_line(line: bytes) -> bytes:
    """Return the line that answers a line; the answer repeats the request's ``id``."""
    request = read_line(line)
    return written_answer(request, answer(request))
