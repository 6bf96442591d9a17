"""Operations on published tables: estimates, the mechanisms that SPLU-Gen is compared with, and files."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

import numpy as np

from splu_ref.channels import (
    Channel,
    Gamma,
    Json,
    ParameterError,
    PublishedCount,
    decoy_groups,
    shown,
    two_state,
)
from splu_ref.conformance.operations.publishing import codes_of, domain_size, gamma_of
from splu_ref.data import Microdata, decompress, parse_csv, require_suffix
from splu_ref.estimators import ConjunctionEstimate, conjunction_estimate, estimate_count
from splu_ref.mechanisms import (
    MECHANISMS,
    PLANS,
    Anatomy,
    Budget,
    DistributionBased,
    LaplaceCounts,
    co_occurrence,
    parse_manifest,
)
from splu_ref.randomness import Key, TapeSource
from splu_ref.spec.errors import Unsupported
from splu_ref.spec.requests import Fields, exact, number, written

In = TypeVar("In", int, bool)

WITHOUT_SECRET = ("anatomy", "cyclic")

MOST_RECORDS = 1_000_000
LARGEST_GAMMA = 1_000_000_000
"""What an interval is computed for: the exact sums of larger numbers take too long."""


def estimate(fields: Fields) -> dict[str, Json]:
    """Answer the estimated count of a value (mle), or of a predicate together with a value (exact)."""
    return {"estimate": written(_ESTIMATES[fields.choice("method", _ESTIMATES)](fields))}


def _maximum_likelihood(fields: Fields) -> int:
    published, gamma = _published_count(fields)
    bound = fields.integer("bound", 0) if fields.has("bound") else None
    fields.finish()
    return estimate_count(published, gamma, bound).estimate_within_bound


def _closed_form(fields: Fields) -> Fraction:
    both, published = fields.integer("both_count", 0), fields.integer("published_count", 0)
    inside, rows = fields.integer("predicate_count", 0), fields.integer("rows", 1)
    law = PublishedCount.of(gamma_of(fields))
    fields.finish()
    return conjunction_estimate(both, published, inside, rows, law)


def _published_count(fields: Fields) -> tuple[int, Gamma]:
    """Return a published count and the group size, within what an interval is computed for."""
    published, gamma = fields.integer("published_count", 0, MOST_RECORDS), gamma_of(fields)
    if gamma > LARGEST_GAMMA:
        raise ParameterError(f"gamma must be at most {LARGEST_GAMMA}, not {shown(gamma)}")
    return published, gamma


_ESTIMATES: dict[str, Callable[[Fields], int | Fraction]] = {
    "mle": _maximum_likelihood,
    "exact": _closed_form,
}


def interval(fields: Fields) -> dict[str, Json]:
    """Answer the true counts that a published count does not contradict."""
    published, gamma = _published_count(fields)
    confidence = fields.exact("confidence")
    fields.finish()
    return {"interval": list(estimate_count(published, gamma, confidence=confidence).interval)}


def conjunction(fields: Fields) -> dict[str, Json]:
    """Answer the variance of the closed form's estimate, and the whole numbers that its interval holds."""
    law = PublishedCount.of(gamma_of(fields), fields.optional_exact("retention"))
    counts = {
        "y3": fields.integer("both_count", 0),
        "f_published": fields.integer("published_count", 0),
        "predicate_count": fields.integer("predicate_count", 0, MOST_RECORDS),
        "rows": fields.integer("rows", 2),
    }
    fields.finish()
    estimate = conjunction_estimate(**counts, law=law)
    error = ConjunctionEstimate(**counts, law=law)
    ends = error.integer_interval()
    if ends is None:
        raise ParameterError("the interval holds no whole number: these counts contradict each other")
    return {
        "estimate": written(estimate),
        "variance": written(error.variance(estimate)),
        "interval": list(ends),
    }


def transition(fields: Fields) -> dict[str, Json]:
    """Answer a matrix of probabilities from true to published."""
    return {"matrix": _TRANSITIONS[fields.choice("model", _TRANSITIONS)](fields)}


def _two_states(fields: Fields) -> list[list[str]]:
    """Return the corrected matrix of "another value" and "the value" (splu.M1c)."""
    gamma, rows = gamma_of(fields), fields.integer("rows", 2)
    frequency, given = fields.integer("frequency", 1), fields.optional_exact("retention")
    fields.finish()
    law = PublishedCount.of(gamma, given)
    if frequency * gamma > rows:
        raise ParameterError(f"frequency is {frequency}, above rows / gamma = {Fraction(rows, gamma)}")
    channel = two_state(law.retention, frequency, rows)
    return [_row(channel, state) for state in channel.inputs]


def _per_value(fields: Fields) -> list[list[str] | None]:
    """Return Pr(published with v | true value u) of a plan; None for a value without records."""
    histogram, gamma = fields.integers("histogram"), gamma_of(fields)
    method, given = fields.choice("method", WITHOUT_SECRET), fields.optional_exact("retention")
    fields.finish()
    law = PublishedCount.of(gamma, given)
    plan = PLANS[method](np.array(histogram, dtype=np.int64), gamma, TapeSource(b""))
    channel = decoy_groups(co_occurrence(plan).counts(), law)
    return [_row(channel, value) if frequency else None for value, frequency in enumerate(histogram)]


def _row(channel: Channel[In, In], state: In) -> list[str]:
    return [written(channel.probability(state, published)) for published in channel.outputs]


_TRANSITIONS: dict[str, Callable[[Fields], Json]] = {"two-state": _two_states, "per-value": _per_value}


def two_tables(fields: Fields) -> dict[str, Json]:
    """Answer Anatomy's two tables, made of a tape."""
    codes, gamma = codes_of(fields.integers("sensitive", 0)), gamma_of(fields)
    method, tape = fields.choice("method", PLANS), TapeSource(fields.octets("tape"))
    fields.finish()
    done = Anatomy(gamma, plan=method).publish_codes(codes, domain_size(codes), tape)
    return {
        "rows": done.rows.tolist(),
        "groups": done.groups.tolist(),
        "values": done.values.tolist(),
        "suppressed": done.suppressed.tolist(),
        "consumed": tape.consumed,
    }


def distribution_based(fields: Fields) -> dict[str, Json]:
    """Answer a release whose values are drawn from the histogram of the table."""
    codes, tape = codes_of(fields.integers("sensitive", 0)), TapeSource(fields.octets("tape"))
    fields.finish()
    done = DistributionBased().publish_codes(codes, domain_size(codes), tape)
    return {"published": done.published.tolist(), "rows": done.rows.tolist(), "consumed": tape.consumed}


def counts(fields: Fields) -> dict[str, Json]:
    """Answer counts with discrete Laplace noise, made of a tape."""
    true, given = fields.integers("counts", 0), fields.text("budget")
    tape = TapeSource(fields.octets("tape"))
    fields.finish()
    if not true:
        raise ParameterError("counts is empty: give at least one")
    logarithm, x = given.startswith("ln "), exact(given.removeprefix("ln "), "budget")
    noisy = LaplaceCounts(Budget.logarithm(x) if logarithm else Budget.of(x)).publish_counts(true, tape)
    return {"counts": [number(count) for count in noisy], "consumed": tape.consumed}


def read_table(fields: Fields) -> dict[str, Json]:
    """Answer the names and the cells of a table."""
    table = _table(fields)
    fields.finish()
    cells = [table.cells(column) for column in table.columns]
    return {"columns": list(table.columns), "rows": [list(row) for row in zip(*cells, strict=True)]}


def column_codes(fields: Fields) -> dict[str, Json]:
    """Answer the domain of a sensitive column, and the code of every record."""
    missing = fields.optional_text("missing")
    column, table = fields.text("column"), _table(fields, missing)
    fields.finish()
    return {"codes": table.codes(column).tolist(), "domain": list(map(str, table.domain(column)))}


def identities(fields: Fields) -> dict[str, Json]:
    """Answer the bytes that identify each record, and those of its cells."""
    column = fields.optional_text("id_column")
    table = _table(fields)
    fields.finish()
    found = table.identities(column)
    return {
        "identities": [identity.hex() for identity in found],
        "records": [record.hex() for record in table.records()],
    }


def table_digest(fields: Fields) -> dict[str, Json]:
    """Answer the digest of a table's content, which its manifest holds."""
    table = _table(fields)
    fields.finish()
    return {"digest": table.content_digest()}


def key_file(fields: Fields) -> dict[str, Json]:
    """Answer the key that a file holds."""
    content = fields.octets("file")
    fields.finish()
    return {"key": Key.parse(content, "file").secret.hex()}


def manifest(fields: Fields) -> dict[str, Json]:
    """Answer what a manifest says of its release."""
    content = fields.octets("file")
    fields.finish()
    parsed = parse_manifest(content, "file", MECHANISMS)
    origin = parsed.origin
    return {
        "method": parsed.mechanism.name,
        "facts": [[name, str(value)] for name, value in parsed.mechanism.facts().items()],
        "rows": parsed.rows,
        "batches": list(parsed.batches),
        "sensitive": [
            {"column": column, "domain": list(domain)} for column, domain in parsed.domains.items()
        ],
        "table": None if origin is None else origin.table,
    }


def _table(fields: Fields, missing: str | None = None) -> Microdata:
    name, content = fields.text("name"), fields.octets("file")
    suffix = require_suffix(name)
    if suffix == ".parquet":
        raise Unsupported("a Parquet file is not read from a request: give CSV")
    data = content if suffix == ".csv" else decompress(content, name)
    return Microdata.from_frame(parse_csv(data, name), missing)
