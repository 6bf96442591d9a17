"""What a reader takes for a kilobyte: ``python -m tests.hostile.measured READER`` prints it as JSON.

The reader reads its samples first, so that what is imported late is not counted, and then every input of
`kilobytes`. Peaks of memory are those of the whole process, so one process measures one reader.
"""

from __future__ import annotations

import gzip
import io
import json
import resource
import sys
import time
from collections.abc import Iterator

import polars as pl

from tests.hostile.parquet_files import nulls
from tests.hostile.readers import READERS, Reader, read_hostile
from tests.hostile.values import IN_PLACE, SCALAR

KILOBYTE = 1_024
LIMIT = 8 << 30  # bytes of addresses; who needs more fails instead of taking the machine along
_PIECES = (
    b"\0",
    b"\n",
    b"\r\n",
    b",",
    b'"',
    b"[",
    b'{"a":',
    b"9",
    b"a.",
    b"a\n",
    b"{b=",
    b"\xff",
    b" ",
    b"#",
)


def kilobytes(reader: Reader) -> Iterator[bytes]:
    """Yield inputs of at most a kilobyte for a reader: pieces of formats, its samples with absurd values."""
    for piece in (*_PIECES, *reader.tokens):
        yield (piece * KILOBYTE)[:KILOBYTE]
    for sample in reader.samples:
        for scalar in SCALAR.finditer(sample):
            for value in (*IN_PLACE, b'"1e-900"', b"1e9999", b'"1/' + b"9" * 300 + b'"', b"9" * 300):
                data = sample[: scalar.start()] + value + sample[scalar.end() :]
                if len(data) <= KILOBYTE:
                    yield data
    yield from _packed() if reader.name == "csv_gz" else _parquet() if reader.name == "parquet" else ()


def _packed() -> Iterator[bytes]:
    for piece in (b"\n", b"a\n", b"a,", b'"', b"a" * 999 + b"\n"):
        size = 1_000_000
        while len(data := gzip.compress(piece * (size // len(piece)), mtime=0)) > KILOBYTE:
            size = size * 9 // 10
        yield data


def _parquet() -> Iterator[bytes]:
    for rows in (1 << 22, 1 << 23, 200_000_000, 1 << 30):
        yield nulls(rows)
        yield nulls(rows, stated=1 << 22)
    for columns in (2, 10, 18):
        yield nulls((1 << 22) // columns, columns)
    buffer = io.BytesIO()
    pl.DataFrame({"a": ["x" * 5_000_000]}).write_parquet(buffer, compression_level=19, statistics=False)
    yield buffer.getvalue()


def measure(reader: Reader) -> dict[str, float]:
    """Return megabytes beyond those before, those of the greatest child, and seconds of the slowest input."""
    for sample in reader.samples:
        read_hostile(reader, sample)
    before, slowest = _peak(resource.RUSAGE_SELF), 0.0
    for data in kilobytes(reader):
        start = _seconds()
        read_hostile(reader, data)
        slowest = max(slowest, _seconds() - start)
    return {
        "megabytes": _peak(resource.RUSAGE_SELF) - before,
        "child": _peak(resource.RUSAGE_CHILDREN),
        "seconds": slowest,
    }


def _peak(who: int) -> float:
    return resource.getrusage(who).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _seconds() -> float:
    """Return the processor time of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, resource.getrlimit(resource.RLIMIT_AS)[1]))
    sys.stdout.write(json.dumps(measure(READERS[sys.argv[1]])) + "\n")
