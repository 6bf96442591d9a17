"""Operations with a key: the key of a release, its choices and the streams of its plans, and a release."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from splu_ref.channels import Json, ParameterError
from splu_ref.conformance.operations.publishing import codes_of, domain_size, splu_gen
from splu_ref.conformance.operations.randomness import MOST_ITEMS
from splu_ref.randomness import (
    Key,
    KeyedRecords,
    KeyedSource,
    ReleaseContext,
    release_key,
    release_message,
    table_digest,
)
from splu_ref.spec.requests import Fields, number


def key_of_release(fields: Fields) -> dict[str, Json]:
    """Answer the digest of a table, the message that binds a release to it, and the key of the release."""
    key = Key(fields.octets("key"))
    mechanism, facts = fields.text("mechanism"), dict(fields.pairs("facts"))
    records = fields.octet_lists("records")
    context = context_of(fields, mechanism, facts, fields.texts("sensitive"), records)
    fields.finish()
    return {
        "table": table_digest(key, records).hex(),
        "message": release_message(key, context).hex(),
        "release_key": release_key(key, context).secret.hex(),
    }


def keyed(fields: Fields) -> dict[str, Json]:
    """Answer the order, the shuffle, the remainder and the draws of a release's records."""
    key, column = Key(fields.octets("release_key")), fields.text("column")
    records = KeyedRecords(key, column, fields.octet_lists("identities"))
    codes, bound = fields.integers("codes", 0), fields.integer("bound", 1)
    remainder = fields.integer("remainder", 0)
    fields.finish()
    size = len(codes)
    return {
        "order_within": records.order_within(np.array(codes, dtype=np.int64)).tolist(),
        "permutation": records.permutation(size).tolist(),
        "subset": records.subset(size, remainder).tolist(),
        "below": [number(value) for value in records.below(bound, size).tolist()],
    }


def plan_secret(fields: Fields) -> dict[str, Json]:
    """Answer the first bytes from which a block of a column's plan is drawn."""
    secret, column = fields.octets("release_key"), fields.text("column")
    block, size = fields.integer("block", 0, MOST_ITEMS), fields.integer("size", 0, MOST_ITEMS)
    fields.finish()
    return {"bytes": KeyedRecords(Key(secret), column, []).plan_secret().block(block).read(size).hex()}


def publish_keyed(fields: Fields) -> dict[str, Json]:
    """Answer the keyed release of one sensitive column."""
    codes, mechanism = fields.integers("sensitive", 0), splu_gen(fields)
    key, column = Key(fields.octets("key")), fields.text("column")
    identities = fields.octet_lists("identities")
    records = fields.octet_lists("records")
    context = context_of(fields, mechanism.name, mechanism.facts(), [column], records)
    fields.finish()
    if len(records) != len(codes):
        raise ParameterError("records and sensitive differ in length: give the cells of every record")
    source = KeyedSource(key).for_release(context).for_records(column, lambda: identities)
    own = codes_of(codes)
    done = mechanism.publish_codes(own, domain_size(own), source)
    return {
        "published": done.published.tolist(),
        "rows": done.rows.tolist(),
        "suppressed": done.suppressed.tolist(),
    }


def context_of(
    fields: Fields, method: str, facts: Mapping[str, int | str], sensitive: list[str], records: list[bytes]
) -> ReleaseContext:
    """Return what a release by ``method`` depends on, of the other fields of a request."""
    return ReleaseContext(
        method=method,
        facts=facts,
        sensitive=sensitive,
        id_column=fields.optional_text("id_column"),
        missing=fields.optional_text("missing"),
        columns=fields.texts("columns"),
        records=lambda: records,
    )
