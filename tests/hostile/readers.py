"""Every reader of bytes that come from elsewhere, as one function of the bytes, with samples.

Such a function either returns or raises an `InputError`; anything else is a defect. Where a reader takes a
file, the function writes the bytes to a file first.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import polars as pl

from splu_ref import certificate_checker
from splu_ref.audit.claims.reading import read_claims
from splu_ref.audit.claims.world_file import read_world
from splu_ref.audit.release_log.entries import read_log
from splu_ref.certificate_checker import Unreadable, check_text
from splu_ref.channels.parameters import InputError
from splu_ref.cli.queries import read_queries
from splu_ref.conformance import VectorFile, answer_line, read_expected_failures, read_vectors
from splu_ref.conformance.comparison import UnreadableAnswerError, fault, read_answer
from splu_ref.data import Microdata, table_bytes
from splu_ref.data.parquet import parse_parquet
from splu_ref.data.reading import decompress, parse_csv
from splu_ref.guarantees import (
    certificate_text,
    error_certificate,
    privacy_certificate,
    threshold_certificate,
)
from splu_ref.mechanisms import read_manifest, read_transcript
from splu_ref.randomness import Key


@dataclass(frozen=True)
class Reader:
    """A reader of foreign bytes.

    Attributes
    ----------
    name
        A word.
    read
        Takes any bytes; returns, or raises an `InputError` of one line.
    samples
        Bytes that it reads without an error.
    tokens
        Pieces of its format, to be put into samples.
    """

    name: str
    read: Callable[[bytes], None]
    samples: tuple[bytes, ...]
    tokens: tuple[bytes, ...]


def read_hostile(reader: Reader, data: bytes) -> str | None:
    """Return the message with which the reader refuses ``data``, or None; raise for any misbehavior."""
    try:
        reader.read(data)
    except InputError as error:
        message = str(error)
        assert "\n" not in message, f"the message has several lines: {message!r}"
        assert message, "the message is empty"
        return message
    return None


@contextmanager
def _file(data: bytes, name: str) -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        yield path


def _table(frame: pl.DataFrame) -> None:
    """Use a table as commands do; what is written must be read as the same cells."""
    table = Microdata.from_frame(frame, missing="?")
    for column in table.columns:
        assert int(table.histogram(column).sum()) == table.row_count
    table.identities()
    cells = table.to_frame().select(pl.all().cast(pl.String).fill_null(""))
    assert parse_csv(table_bytes(table, "t.csv"), "t.csv").equals(cells)


def _csv(data: bytes) -> None:
    _table(parse_csv(data, "t.csv"))


def _csv_gz(data: bytes) -> None:
    _table(parse_csv(decompress(data, "t.csv.gz"), "t.csv.gz"))


def _parquet(data: bytes) -> None:
    table = Microdata.from_frame(parse_parquet(data, "t.parquet"), missing="?")
    for column in table.columns:
        table.domain(column)


def _queries(data: bytes) -> None:
    with _file(data, "q.jsonl") as path:
        for _, query in read_queries(path):
            assert str(query)


def _manifest(data: bytes) -> None:
    with _file(data, "m.json") as path:
        read_manifest(path).to_json()


def _key(data: bytes) -> None:
    with _file(data, "key") as path:
        path.chmod(0o600)
        Key.read(path)


def _claims(data: bytes) -> None:
    with _file(data, "c.toml") as path:
        read_claims(path)


def _world(data: bytes) -> None:
    with _file(data, "w.toml") as path:
        read_world(path)


def _certificate(data: bytes) -> None:
    """Check a certificate; at a thousandth of the work that the checker admits, so that each takes little."""
    admitted = {name: getattr(certificate_checker, name) // 1000 for name in _ADMITTED}
    with mock.patch.multiple(certificate_checker, **admitted):
        try:
            check_text(data[: certificate_checker.MAX_BYTES + 1].decode())
        except (Unreadable, UnicodeDecodeError) as error:
            raise InputError(str(error)) from None


SECRET = "3c1f0e98a7d24b6655f1c09be2374d8a90e6b7c5d3f21a48867e09ab4cd5f213"
"""A key that is no pattern: such are refused."""
_ADMITTED = ("MAX_TRIALS", "MAX_BITS", "MAX_EXACT", "MAX_TERMS", "MAX_SUMMED")


def _vectors(data: bytes) -> None:
    with _file(data, "v.json") as path:
        for file in read_vectors(path.parent):
            file.to_bytes()


def _answer(data: bytes) -> None:
    """Compare an answer of a program under test with one vector of each operation."""
    try:
        answer = read_answer(data, "identifier")
    except UnreadableAnswerError as error:
        raise InputError(str(error)) from None
    for vector in _VECTORS:
        wrong = fault(vector, answer)
        assert wrong is None or (wrong.isprintable() and len(wrong) < 1_000)


def _request(data: bytes) -> None:
    """Query the reference program, which answers every request with one line of JSON."""
    answered = answer_line(data)
    assert answered.endswith(b"\n")
    assert answered.count(b"\n") == 1
    answer: Any = json.loads(answered)
    assert isinstance(answer, dict)
    if "error" in answer:
        raise InputError(f"refused: {answer['error']['kind']}")


def _expected_failures(data: bytes) -> None:
    with _file(data, "xfail.txt") as path:
        read_expected_failures(path, _IDS)


def _release_log(data: bytes) -> None:
    """Read a log and write it again, as happens when a release is added."""
    with _file(data, "log.jsonl") as path:
        path.chmod(0o600)
        read_log(path).to_bytes()


def _transcript(data: bytes) -> None:
    """Read a transcript and write it again."""
    with _file(data, "t") as path:
        path.chmod(0o600)
        read_transcript(path).to_bytes()


# Not validated against their schema here: every process that measures a reader begins with this.
_FILES = [
    VectorFile.from_json(json.loads(path.read_bytes()))
    for path in sorted((Path(__file__).parents[2] / "vectors").rglob("*.json"))
    if path.name != "schema.json"
]
_VECTORS = [file.vectors[0] for file in _FILES]
_IDS = [vector.id for file in _FILES for vector in file.vectors]

_CSV_SAMPLE = 'sex,age,job\nF,39,Sales\nM,4,"a,""b"""\nF,,=1+1\nM,039,"x\r\ny"\n\ufeff, é ,NA\n'.encode()
_WORLD_SAMPLES = (
    b"""schema = "splu-ref/world/1"
title = "A world"

[[record]]
times = 2
law = {yes = "1/2", no = "1/2"}

[release]
publish = "count"
of = ["yes"]
""",
    b"""schema = "splu-ref/world/1"
[[table]]
values = ["1", "2"]
probability = "1/3"
[[table]]
values = [2, 1]
probability = "2/3"
[release]
publish = "mechanism"
mechanism = "retention"
retention = "1/5"
""",
)
_CLAIMS_SAMPLE = b"""schema = "splu-ref/claims/1"
title = "A release"

[release]
mechanism = "SPLU-Gen"
gamma = 10
epsilon = "3/10"

[[claim]]
id = "privacy"
kind = "small-sum-privacy"
alpha = 3
t_p = "0.6"

[[claim]]
id = 'utility'
kind = "large-sum-utility"
t_e = "1/20" # at most
t_f = 2_401
"""
_MANIFEST_SAMPLE = json.dumps(
    {
        "schema": "splu-ref/manifest/1",
        "method": "SPLU-Gen",
        "gamma": 2,
        "retention": "1/2",
        "plan": "mixed",
        "rows": 4,
        "sensitive": [{"column": "job", "domain": ["Sales", "Tech", "é"]}],
        "produced_by": {"version": "0.1.0", "spec": "1"},
    }
).encode()
_ORIGIN_SAMPLE = {
    "schema": "splu-ref/manifest/2",
    "table": "1" * 64,
    "release": "2" * 32,
    "date": "2024-02-29",
    "produced_by": {"version": "0.1.0", "spec": "1", "code": "3" * 64},
}
_SECOND_MANIFEST_SAMPLE = json.dumps(json.loads(_MANIFEST_SAMPLE) | _ORIGIN_SAMPLE).encode()
_QUERIES_SAMPLE = b"""{"where": {"age": "39", "job": ["Sales", "Tech"], "hours": {"min": 20, "max": "4e1"}}}

{"where": {"job": 7.5}}
"""
_LOG_SAMPLE = b"".join(
    json.dumps(line).encode() + b"\n"
    for line in (
        {"schema": "splu-ref/release-log/3", "fingerprint_key": SECRET},
        {
            "release": 1,
            "time": "2024-02-29T12:00:00Z",
            "manifest": json.loads(_MANIFEST_SAMPLE),
            "table": "1" * 64,
            "published": "2" * 64,
            "counts": {"job": "3" * 64},
            "randomness": "system",
            "key": None,
            "secrets": {"job": {"title": "4" * 64}},
        },
    )
)


_TRANSCRIPT_SAMPLE = json.dumps(
    {
        "schema": "splu-ref/transcript/1",
        "method": "SPLU-Gen",
        "gamma": 2,
        "retention": "1/2",
        "plan": "mixed",
        "sensitive": ["job"],
        "id": None,
        "missing": "?",
        "original": "1" * 64,
        "published": "2" * 64,
        "randomness": "system",
        "key": None,
        "produced_by": {"version": "0.1.0", "spec": "2", "code": "3" * 64},
    }
).encode()


def _in_parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


_JSON = (
    b"{",
    b"[",
    b"null",
    b"true",
    b"NaN",
    b"-Infinity",
    b"1e400",
    b"-0",
    b'"\\ud800"',
    b'"\\u0000"',
    b"9" * 30,
)
_MORE_CERTIFICATES = (
    error_certificate(2, "1/2", 3),
    threshold_certificate(3, "9/10", "1/10"),
)
_SMALL_FILES = [file for file in _FILES if len(file.to_bytes()) < 4_000]

READERS = {
    reader.name: reader
    for reader in (
        Reader(
            "csv", _csv, (_CSV_SAMPLE, b"\xef\xbb\xbfa,b\r\n1,\r\n"), (b'""', b"\r\n", b"\xef\xbb\xbf", b"\0")
        ),
        Reader("csv_gz", _csv_gz, (gzip.compress(_CSV_SAMPLE, mtime=0),), (b"\x1f\x8b\x08", b"\0\0\xff\xff")),
        Reader(
            "parquet",
            _parquet,
            (_in_parquet(pl.DataFrame({"job": ["a", "b", None] * 50, "age": list(range(150))})),),
            (b"PAR1", b"\xff\xff\xff\x7f"),
        ),
        Reader("queries", _queries, (_QUERIES_SAMPLE,), (*_JSON, b'"where"', b'"min"', b'"max"')),
        Reader(
            "manifest",
            _manifest,
            (_MANIFEST_SAMPLE, _SECOND_MANIFEST_SAMPLE),
            (*_JSON, b'"1/3"', b"10" * 250),
        ),
        Reader("key", _key, (f"splu-ref-key-1 {SECRET}\n".encode(),), (b"\r\n", b"\0")),
        Reader(
            "claims",
            _claims,
            (_CLAIMS_SAMPLE,),
            (b"[[claim]]", b"'''", b'"""', b"nan", b"0x", b"1979-05-27", b"a.b.c", b'"\\U0010FFFF"'),
        ),
        Reader(
            "world",
            _world,
            _WORLD_SAMPLES,
            (
                b"[[record]]",
                b"[[table]]",
                b'"""',
                b"nan",
                b"0x",
                b'"mechanism"',
                b"times = 999999999",
                b"a.b.c",
            ),
        ),
        Reader(
            "certificate",
            _certificate,
            tuple(
                certificate_text(each).encode()
                for each in (privacy_certificate(3, "3/10", 3), *_MORE_CERTIFICATES)
            ),
            (*_JSON, b'"retention": "1/3"', b'"0"'),
        ),
        Reader("vectors", _vectors, tuple(file.to_bytes() for file in _SMALL_FILES[:4]), _JSON),
        Reader(
            "answer",
            _answer,
            (b'{"id": "identifier", "groups": [[0, 1]], "consumed": 3}', b'{"error": {"kind": "parameter"}}'),
            (*_JSON, b'"id"'),
        ),
        Reader(
            "request",
            _request,
            tuple(
                json.dumps(file.request(vector)).encode()
                for file in _SMALL_FILES
                for vector in file.vectors[:1]
                if vector.input is not None and vector.valid
            ),
            (*_JSON, b'"gamma": 7', b'"1/3"'),
        ),
        Reader(
            "expected_failures",
            _expected_failures,
            (f"# known\n\n{_IDS[0]}  it is so\r\n{_IDS[1]} too\n".encode(),),
            (_IDS[2].encode(), b"\xe2\x80\xa8", b"#"),
        ),
        Reader("release_log", _release_log, (_LOG_SAMPLE,), (*_JSON, b'"counts"', b'"retention": "2/3"')),
        Reader(
            "transcript",
            _transcript,
            (_TRANSCRIPT_SAMPLE + b"\n" + b"0123456789abcdef" * 4 + b"\n",),
            (*_JSON, b'"keyed"', b"\n", b"ff"),
        ),
    )
}
"""By name."""
