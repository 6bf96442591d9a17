"""Operations with a key: the key of a release, its choices and the streams of its plans, and a release."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from splu_ref.channels import Json, ParameterError
from splu_ref.conformance.fields import Fields, number, texts_of
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


def key_of_release(fields: Fields) -> dict[str, Json]:
    """Answer the digest of a table, the message that binds a release to it, and the key of the release."""
    key = Key(fields.octets("key"))
    facts = fields.take("facts")
    if not isinstance(facts, list) or not all(isinstance(fact, list) and len(fact) == 2 for fact in facts):
        raise ParameterError("facts is not a list of pairs: give a name and a text for each parameter")
    pairs = dict(texts_of(fact, "facts") for fact in facts)
    if len(pairs) < len(facts):
        raise ParameterError("facts names a parameter twice: give each once")
    records = octets_of(fields, "records")
    context = context_of(fields, fields.text("mechanism"), pairs, fields.texts("sensitive"), records)
    fields.finish()
    return {
        "table": table_digest(key, records).hex(),
        "message": release_message(key, context).hex(),
        "release_key": release_key(key, context).secret.hex(),
    }


def keyed(fields: Fields) -> dict[str, Json]:
    """Answer the order, the shuffle, the remainder and the draws of a release's records."""
    key, column = Key(fields.octets("release_key")), fields.text("column")
    records = KeyedRecords(key, column, octets_of(fields, "identities"))
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
    identities = octets_of(fields, "identities")
    records = octets_of(fields, "records")
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
        id_column=_optional_text(fields, "id_column"),
        missing=_optional_text(fields, "missing"),
        columns=fields.texts("columns"),
        records=lambda: records,
    )


def _optional_text(fields: Fields, name: str) -> str | None:
    return fields.text(name) if fields.has(name) else None


def octets_of(fields: Fields, name: str) -> list[bytes]:
    """Return a list of bytes, one for each record."""
    written = fields.take(name)
    if not isinstance(written, list):
        raise ParameterError(f"{name} is not a list: give one text of hexadecimal digits per record")
    return [Fields({name: text}).octets(name) for text in written]
