"""Whatever bytes a reader is given, it reads them or refuses them in one line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hostile.damage import damaged
from tests.hostile.readers import READERS, Reader, read_hostile
from tests.hostile.values import IN_PLACE, SCALAR
from tests.pace import within

IN_PROCESS = [reader for name, reader in READERS.items() if name != "parquet"]
BY_NAME = pytest.mark.parametrize("reader", IN_PROCESS, ids=lambda reader: reader.name)

WHOLE_FILES = (
    b"",
    b"\0" * 100_000,
    b"\xff" * 100_000,
    b"\xef\xbb\xbf",
    b"\n" * 100_000,
    b'"' * 100_001,
    b"[" * 100_000,
    b"[" * 100_000 + b"]" * 100_000,
    b'{"a":' * 100_000,
    b"a." * 100_000,
    b"a = " + b"{b=" * 50_000,
    b"9" * 1_000_000,
    b"1e999999999",
    b"NaN",
    b'{"where": {"a": "b", "a": "c"}}',
    "x\u2028y\u0085z".encode(),
    "schema".encode("utf-16"),
    b"a" * 3_000_000,
    b"," * 200_000,
    b'schema = "splu-ref/claims/1"\r\r\n',
)


@pytest.mark.parametrize("reader", READERS.values(), ids=lambda reader: reader.name)
def test_the_samples_are_read(reader: Reader) -> None:
    for sample in reader.samples:
        assert read_hostile(reader, sample) is None


@BY_NAME
def test_files_that_are_hostile_as_a_whole(reader: Reader) -> None:
    with within(10):
        for data in WHOLE_FILES:
            read_hostile(reader, data)


@BY_NAME
@settings(max_examples=30)
@given(data=st.binary(max_size=200))
def test_any_bytes(reader: Reader, data: bytes) -> None:
    read_hostile(reader, data)


@BY_NAME
def test_any_damage(reader: Reader) -> None:
    @settings(max_examples=40)
    @given(damaged(reader.samples, reader.tokens))
    def read(data: bytes) -> None:
        read_hostile(reader, data)

    read()


@settings(max_examples=4)
@given(damaged(READERS["parquet"].samples, READERS["parquet"].tokens))
def test_any_damage_to_a_parquet_file(data: bytes) -> None:
    read_hostile(READERS["parquet"], data)


@pytest.mark.parametrize(
    "name", ["queries", "manifest", "claims", "certificate", "answer", "release_log", "transcript"]
)
def test_another_value_in_the_place_of_each(name: str) -> None:
    reader = READERS[name]
    sample = min(reader.samples, key=len)
    refused = 0
    for scalar in SCALAR.finditer(sample):
        for value in IN_PLACE:
            refused += (
                read_hostile(reader, sample[: scalar.start()] + value + sample[scalar.end() :]) is not None
            )
    assert refused


@pytest.mark.parametrize(
    "request_line",
    [
        b'{"op": "estimate", "method": "mle", "gamma": 2, "published_count": 1000000007}',
        b'{"op": "estimate", "method": "mle", "gamma": "' + b"9" * 400 + b'", "published_count": 0}',
        b'{"op": "interval", "gamma": 2, "published_count": "' + b"9" * 400 + b'", "confidence": "0.95"}',
        b'{"op": "publish_keyed", "method": "mixed", "gamma": 2, "key": "' + b"00" * 32 + b'", "column": "a",'
        b' "sensitive": [1000000007, 1], "identities": ["61", "62"]}',
    ],
)
def test_the_reference_refuses_absurd_requests(request_line: bytes) -> None:
    with within(1):
        assert read_hostile(READERS["request"], request_line) == "refused: parameter"
