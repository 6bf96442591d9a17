"""One value of every keyed digest, computed from the words of the specification with ``hmac`` alone.

Each is written out as well, so that neither key and message nor two parts of a message can change places in
the code and in the test together.
"""

from __future__ import annotations

import hashlib
import hmac
import inspect
import re
from pathlib import Path

import polars as pl
import pytest

import splu_ref
from splu_ref.audit.release_log.entries import counts_fingerprint, secret_fingerprint, table_fingerprint
from splu_ref.channels.parameters import DataError
from splu_ref.data import MISSING_MARKERS, Microdata
from splu_ref.data.recoding import Hashed
from splu_ref.randomness import Key, ReleaseContext, release_key
from splu_ref.randomness.keyed import GROUPS_PREFIX, PLAN_PREFIX, BlockStreams, RecordTape, record_digests
from splu_ref.randomness.release_context import record_digest, release_message, table_digest
from splu_ref.spec import tables

KEY, OTHER = (Key(hashlib.sha256(name).digest()) for name in (b"pinned", b"other"))
TABLE = Microdata.from_frame(pl.DataFrame({"name": ["ann", "bob", "eve"], "value": ["x", "y", "x"]}))
NONE = b"\xff" * 8


def code(*message: bytes, key: bytes = KEY.secret) -> bytes:
    return hmac.new(key, b"".join(message), hashlib.sha256).digest()


def u64(number: int) -> bytes:
    return number.to_bytes(8, "big")


def text(word: str | None) -> bytes:
    return NONE if word is None else u64(len(word.encode())) + word.encode()


def identity(cells: bytes) -> bytes:
    """Return the identity of the first record with these cells, with its length before it."""
    return u64(len(cells) + 8) + cells + u64(0)


RECORDS = (text("ann") + text("x"), text("bob") + NONE)


def context(id_column: str | None, missing: str | None) -> ReleaseContext:
    return ReleaseContext(
        method="SPLU-Gen",
        facts={"gamma": "2", "plan": "mixed"},
        sensitive=["value"],
        id_column=id_column,
        missing=missing,
        columns=["name", "value"],
        records=lambda: RECORDS,
    )


def message(id_column: str | None, missing: str | None) -> bytes:
    digests = [code(b"splu-ref/record/2", record) for record in RECORDS]
    parts = [b"splu-ref/release/2", text("2"), text("SPLU-Gen"), u64(2)]
    parts += [text("gamma"), text("2"), text("plan"), text("mixed"), text("independent")]
    parts += [
        u64(1),
        text("value"),
        text(id_column),
        text(missing),
        u64(2),
        text("name"),
        text("value"),
        u64(2),
    ]
    total = sum(int.from_bytes(digest, "big") for digest in digests) % 2**256
    return b"".join([*parts, total.to_bytes(32, "big")])


def shake(prefix: bytes, block: int) -> bytes:
    secret = code(prefix, text("value"), u64(block))
    return hashlib.shake_256(prefix + secret + u64(0)).digest(16)


HASHED = Hashed("value", KEY.secret, None)
ROWS = (text("ann") + text("x"), text("bob") + text("y"), text("eve") + text("x"))
RECORD = code(b"splu-ref/record/2", ROWS[0])
BLOCK = (b"splu-ref/keyed/2", text("value"), u64(3), b"ann")
CODES: dict[str, tuple[bytes, bytes, str]] = {
    "record": (record_digest(KEY, ROWS[0]), RECORD, "d88ffdd665199c25"),
    "table of one record": (table_digest(KEY, ROWS[:1]), RECORD, "d88ffdd665199c25"),
    "release key": (
        release_key(KEY, context(None, None)).secret,
        code(message(None, None)),
        "257fa60a7b56650f",
    ),
    "release key with an id column and a text for missing cells": (
        release_key(KEY, context("name", "?")).secret,
        code(message("name", "?")),
        "429ad6770e2c7af3",
    ),
    "block 0 of a record": (
        record_digests(KEY, "value", [b"ann"])[0].tobytes(),
        code(*BLOCK, u64(0)),
        "e15903ab566672f0",
    ),
    "block 1 of a record": (
        RecordTape(KEY, "value", b"ann").read(48)[16:],
        code(*BLOCK, u64(1)),
        "4a86383c00e37ab7",
    ),
    "block 3 of a plan": (
        BlockStreams(KEY, "value", PLAN_PREFIX).block(3).read(16),
        shake(b"splu-ref/keyed-plan/2", 3),
        "2881525c0b91b266",
    ),
    "block 3 of the draws of groups": (
        BlockStreams(KEY, "value", GROUPS_PREFIX).block(3).read(16),
        shake(b"splu-ref/keyed-groups/2", 3),
        "4d34c16639c3c66e",
    ),
    "commitment": (bytes.fromhex(KEY.commitment()), code(b"splu-ref/key-commitment/1"), "ca8b45382d317d71"),
    "hash of a cell": (
        bytes.fromhex(HASHED.apply(TABLE).cells("value")[0]),
        code(b"splu-ref/hash/1", text("value"), b"x")[:8],
        "d61395a657e2721e",
    ),
    "key of a release in a log": (
        bytes.fromhex(secret_fingerprint(KEY, OTHER)),
        code(b"splu-ref/log/key/1", OTHER.secret),
        "a51d43e222c0c456",
    ),
    "counts of a column in a log": (
        bytes.fromhex(counts_fingerprint(KEY, TABLE, "value")),
        code(b"splu-ref/log/counts/1", text("x"), u64(2), text("y"), u64(1)),
        "1c03b15d26969ce3",
    ),
    "table in a log": (
        bytes.fromhex(table_fingerprint(KEY, TABLE)),
        code(b"splu-ref/log/table/1", u64(2), text("name"), text("value"), *map(identity, ROWS)),
        "42f9935bcd7ed780",
    ),
}
"""By name: what the code gives, what the specification says, and the beginning of both in hexadecimal."""


@pytest.mark.parametrize("name", CODES)
def test_a_keyed_digest_is_that_of_the_specification(name: str) -> None:
    found, wanted, pinned = CODES[name]
    assert found.hex() == wanted.hex()
    assert found.hex()[:16] == pinned


def test_the_message_of_a_release_is_that_of_the_specification() -> None:
    for id_column, missing in ((None, None), ("name", None), (None, "?"), (None, "")):
        assert release_message(KEY, context(id_column, missing)) == message(id_column, missing)


def test_every_use_of_a_keyed_digest_has_its_value() -> None:
    """A prefix for another purpose, or a call in another file, belongs into the table."""
    uses = 0
    prefixes: set[str] = set()
    root = Path(inspect.getfile(splu_ref)).parent
    for file in sorted(root.rglob("*.py")):
        if "spec" in file.relative_to(root).parts:
            continue
        source = file.read_text(encoding="utf-8")
        uses += len(re.findall(r"\bhmac\.(?:new|digest)\b", source))
        prefixes |= set(re.findall(r'b"(splu-ref/[a-z/-]+/\d+)', source))
    assert uses == 9
    assert prefixes == {
        *(f"splu-ref/{each}/2" for each in ("record", "release", "keyed", "keyed-plan", "keyed-groups")),
        "splu-ref/hash/2",
        *(f"splu-ref/{each}/1" for each in ("key-commitment", "hash", "hash-salt")),
        *(f"splu-ref/{each}/1" for each in ("seeded", "table", "transcript-table")),  # which have no key
        *(f"splu-ref/log/{each}/1" for each in ("key", "counts", "table")),
    }


# ---- missing cells --------------------------------------------------------------------------------

MARKERS = ("?", "NA", "N/A", "NaN", "NULL")
"""Those of the specification, its module on tables."""


def test_the_markers_of_missing_cells_are_those_of_the_specification() -> None:
    assert tables.MISSING == MARKERS
    assert MISSING_MARKERS == MARKERS


@pytest.mark.parametrize("cell", [None, "", " ", "\u2003", *MARKERS, *(f" {marker}\t" for marker in MARKERS)])
def test_each_marker_is_missing_and_a_value_where_a_text_is_given(cell: str | None) -> None:
    frame = pl.DataFrame({"s": ["a", cell]})
    with pytest.raises(DataError, match="missing in row 2"):
        Microdata.from_frame(frame).codes("s")
    read = Microdata.from_frame(frame, missing="none").read("s")[1]
    assert read == (cell or "none")


@pytest.mark.parametrize(
    "cell", ["-", "na", "n/a", "N.A.", "nan", "NAN", "null", "Null", "None", "??", "N / A"]
)
def test_no_other_word_is_missing(cell: str) -> None:
    assert Microdata.from_frame(pl.DataFrame({"s": ["a", cell]})).values("s")[1] == cell
