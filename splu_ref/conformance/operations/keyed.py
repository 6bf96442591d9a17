"""Operations with a key: the choices of records, the streams of a plan, and a keyed release."""

from __future__ import annotations

import numpy as np

from splu_ref.conformance.fields import Fields, number
from splu_ref.conformance.operations.publishing import codes_of, domain_size, splu_gen
from splu_ref.conformance.operations.randomness import MOST_ITEMS
from splu_ref.model import Json, ParameterError
from splu_ref.randomness import Key, KeyedRecords


def keyed(fields: Fields) -> dict[str, Json]:
    """Answer the order, the shuffle, the remainder and the draws of a table's records."""
    records = _records(fields)
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
    secret, column = fields.octets("key"), fields.text("column")
    block, size = fields.integer("block", 0, MOST_ITEMS), fields.integer("size", 0, MOST_ITEMS)
    fields.finish()
    return {"bytes": KeyedRecords(Key(secret), column, []).plan_secret().block(block).read(size).hex()}


def publish_keyed(fields: Fields) -> dict[str, Json]:
    """Answer the keyed release of one sensitive column."""
    codes, mechanism = fields.integers("sensitive", 0), splu_gen(fields)
    source = _records(fields)
    fields.finish()
    column = codes_of(codes)
    done = mechanism.publish_codes(column, domain_size(column), source)
    return {
        "published": done.published.tolist(),
        "rows": done.rows.tolist(),
        "suppressed": done.suppressed.tolist(),
    }


def _records(fields: Fields) -> KeyedRecords:
    secret, column, written = fields.octets("key"), fields.text("column"), fields.take("identities")
    if not isinstance(written, list):
        raise ParameterError("identities is not a list: give one text of hexadecimal digits per record")
    identities = [Fields({"identities": text}).octets("identities") for text in written]
    return KeyedRecords(Key(secret), column, identities)
