"""The key of a release: it depends on all that a release depends on, and on nothing else."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_ref.randomness import Key, ReleaseContext, TableSum, record_digest, release_key, table_digest

KEY = Key(hashlib.sha256(b"a key").digest())
RECORDS = [b"a", b"b", b"b"]
FIRST = ReleaseContext(
    method="SPLU-Gen",
    facts={"gamma": 5, "plan": "mixed"},
    sensitive=["v", "w"],
    id_column=None,
    missing=None,
    columns=["u", "v", "w"],
    records=lambda: RECORDS,
)


def digest(record: bytes) -> int:
    return int(hmac.new(KEY.secret, b"splu-ref/record/2" + record, hashlib.sha256).hexdigest(), 16)


def test_the_digest_of_a_table_is_the_sum_of_those_of_its_records() -> None:
    assert int.from_bytes(table_digest(KEY, RECORDS), "big") == (digest(b"a") + 2 * digest(b"b")) % 2**256
    assert table_digest(KEY, []) == bytes(32)


@given(st.lists(st.binary(max_size=2), max_size=9), st.lists(st.binary(max_size=2), max_size=9))
def test_parts_of_a_table_add_up(one: list[bytes], other: list[bytes]) -> None:
    parts = sum(int.from_bytes(table_digest(KEY, part), "big") for part in (one, other))
    assert int.from_bytes(table_digest(KEY, one + other), "big") == parts % 2**256
    if sorted(one) != sorted(other):
        assert table_digest(KEY, one) != table_digest(KEY, other)


def test_a_release_key_is_made_of_the_sums_of_parts() -> None:
    parts = TableSum.of(KEY, RECORDS[:1]) + TableSum.of_digests(record_digest(KEY, r) for r in RECORDS[1:])
    assert parts == TableSum.of(KEY, RECORDS)
    assert release_key(KEY, replace(FIRST, records=parts)) == release_key(KEY, FIRST)
    assert release_key(KEY, replace(FIRST, records=parts + TableSum(1, 0))) != release_key(KEY, FIRST)


def test_the_order_of_the_records_does_not_matter() -> None:
    turned = replace(FIRST, records=lambda: RECORDS[::-1])
    assert release_key(KEY, turned) == release_key(KEY, FIRST)


OTHERS: list[dict[str, Any]] = [
    {"method": "Anatomy"},
    {"facts": {"gamma": 4, "plan": "mixed"}},
    {"facts": {"gamma": 5, "plan": "cyclic"}},
    {"facts": {"gamma": 5}},
    {"sensitive": ["v"]},
    {"sensitive": ["w", "v"]},
    {"sensitive": ["v", "w", "3"]},
    {"id_column": "u"},
    {"id_column": ""},
    {"missing": "u"},
    {"missing": ""},
    {"columns": ["v", "u", "w"]},
    {"columns": ["u", "v", "x"]},
    {"records": lambda: [b"a", b"b"]},
    {"records": lambda: [b"a", b"b", b"c"]},
    {"records": lambda: [b"a", b"c", b"c"]},  # two equal records do not cancel
]


def test_every_part_of_a_release_changes_its_key() -> None:
    keys = {release_key(KEY, replace(FIRST, **other)).secret for other in ({}, *OTHERS)}
    keys.add(release_key(Key(hashlib.sha256(b"another").digest()), FIRST).secret)
    assert len(keys) == len(OTHERS) + 2


def test_the_specification_is_part_of_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    before = release_key(KEY, FIRST)
    monkeypatch.setattr("splu_ref.randomness.release_context.SPECIFICATION", "3")
    assert release_key(KEY, FIRST) != before
