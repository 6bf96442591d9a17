"""Worked examples of randomness, keys and streams, recomputed by the library: ``choices.json``."""

import hashlib
import hmac
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from splu_ref.channels.parameters import TapeExhaustedError
from splu_ref.data import Microdata
from splu_ref.randomness import (
    ByteSource,
    Key,
    KeyedRelease,
    ReleaseContext,
    SeededSource,
    TapeSource,
    UniformSource,
    release_key,
    table_digest,
)
from splu_ref.randomness.release_context import release_message

Example = dict[str, Any]


def examples() -> list[Example]:
    found: list[Example] = json.loads(Path(__file__).with_name("choices.json").read_text(encoding="utf-8"))
    return found


CHOICES: dict[str, Callable[[UniformSource, Example], Any]] = {
    "below": lambda source, example: source.below(example["bound"], example["size"]).tolist(),
    "permutation": lambda source, example: source.permutation(example["size"]).tolist(),
    "order_within": lambda source, example: source.order_within(np.array(example["codes"])).tolist(),
    "coins": lambda source, example: source.coins(example["size"]).astype(int).tolist(),
    "subset": lambda source, example: source.subset(example["population"], example["count"]).tolist(),
}


def test_there_is_an_example_of_every_kind() -> None:
    assert {example["op"] for example in examples()} == {
        *CHOICES,
        "seeded",
        "release_key",
        "keyed",
        "plan_secret",
        "group_draws",
    }


@pytest.mark.parametrize(
    "example",
    [example for example in examples() if "tape" in example],
    ids=lambda example: json.dumps(example)[:60],
)
def test_choices_of_a_tape(example: Example) -> None:
    source = TapeSource(bytes.fromhex(example["tape"]))
    choose = CHOICES[example["op"]]
    if example["result"] == "tape exhausted":
        with pytest.raises(TapeExhaustedError):
            choose(source, example)
    else:
        assert choose(source, example) == example["result"]
        assert source.consumed == example["consumed"]


@pytest.mark.parametrize("example", [example for example in examples() if example["op"] == "seeded"])
def test_seeded_streams(example: Example) -> None:
    stream = SeededSource(example["seed"]).read(4096 + 16)
    assert stream[:16].hex() == example["bytes 0-15"]
    assert stream[4096:].hex() == example["bytes 4096-4111"]


def only(operation: str) -> Example:
    [example] = [example for example in examples() if example["op"] == operation]
    return example


def test_the_release_key_with_every_value_on_the_way_to_it() -> None:
    example = only("release_key")
    frame = pl.DataFrame(example["records"], schema=example["columns"], orient="row")
    table, key = Microdata.from_frame(frame), Key(bytes.fromhex(example["key"]))
    context = ReleaseContext(
        method=example["mechanism"],
        facts=dict(example["facts"]),
        sensitive=example["sensitive"],
        id_column=example["id_column"],
        missing=None,
        columns=table.columns,
        records=table.records,
    )
    digests = [hmac.digest(key.secret, b"splu-ref/record/2" + record, "sha256") for record in table.records()]
    assert [digest.hex() for digest in digests] == example["record digests"]
    total = sum(int.from_bytes(digest, "big") for digest in digests) % 2**256
    assert example["table"] == f"{total:064x}" == table_digest(key, table.records()).hex()
    message = bytes.fromhex("".join(example["message"]))
    assert release_message(key, context) == message
    assert release_key(key, context).secret.hex() == example["release_key"]
    assert hmac.digest(key.secret, message, "sha256").hex() == example["release_key"]
    assert {each["release_key"] for each in examples() if "release_key" in each} == {example["release_key"]}


def test_the_block_that_is_written_out() -> None:
    example = only("keyed")
    message, block = (bytes.fromhex(example[key]) for key in ("message of block 0", "block 0"))
    assert b"occupation" in message
    assert b"anna" in message
    key = Key(bytes.fromhex(only("release_key")["release_key"]))
    assert hmac.digest(key.secret, message, "sha256") == block
    source = KeyedRelease(key).for_records("occupation", lambda: [b"anna"])
    assert source.below(2**63, 1).tolist() == [int.from_bytes(block[16:24], "big") & (2**63 - 1)]


@pytest.mark.parametrize(
    "example", [example for example in examples() if example["op"] in ("plan_secret", "group_draws")]
)
def test_streams_of_plans_and_groups(example: Example) -> None:
    key, of_plan = Key(bytes.fromhex(example["release_key"])), example["op"] == "plan_secret"
    number = example["block" if of_plan else "stream"]

    def stream_of(column: str, rows: tuple[int, ...] = ()) -> ByteSource:
        source = KeyedRelease(key).for_records(column, lambda: [b"anna"])
        source = source.select_records(np.array(rows)) if rows else source
        return (source.plan_secret() if of_plan else source.group_draws()).block(number)

    prefix = b"splu-ref/keyed-plan/2" if of_plan else b"splu-ref/keyed-groups/2"
    name = example["column"].encode()
    message = prefix + len(name).to_bytes(8, "big") + name + number.to_bytes(8, "big")
    secret = hmac.digest(key.secret, message, "sha256")
    assert secret.hex() == example["secret"]
    stream = stream_of(example["column"])
    data = b"".join(stream.read(count) for count in (3, 0, 4092, 1, 16))  # across parts of 4096
    assert data[:16].hex() == example["bytes 0-15"]
    assert data[4096:].hex() == example["bytes 4096-4111"]
    assert data[:4096] == hashlib.shake_256(prefix + secret + bytes(8)).digest(4096)
    assert stream_of(example["column"], (0,)).read(16) == data[:16]
    assert stream_of("other").read(16) != data[:16]


@pytest.mark.parametrize("example", [example for example in examples() if example["op"] == "keyed"])
def test_keyed_choices(example: Example) -> None:
    key = Key(bytes.fromhex(example["release_key"]))
    identities = [identity.encode("utf-8") for identity in example["identities"]]
    source = KeyedRelease(key).for_records(example["column"], lambda: identities)
    size = len(identities)
    for bound, draws in example["below"].items():
        fresh = KeyedRelease(key).for_records(example["column"], lambda: identities)
        assert fresh.below(int(bound), size).tolist() == draws
    assert source.order_within(np.array(example["codes"])).tolist() == example["order_within"]
    assert source.permutation(size).tolist() == example["permutation"]
    for count, subset in example["subset"].items():
        assert source.subset(size, int(count)).tolist() == subset
