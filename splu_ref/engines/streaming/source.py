"""The file that a table is read from, some rows at a time and more than once."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl

from splu_ref.files import opened
from splu_ref.microdata import Microdata, require_suffix
from splu_ref.microdata.limits import ALWAYS_READ, largest_content, unpacks_to_too_much
from splu_ref.microdata.reading import STANDARD_INPUT, divider, parse_csv
from splu_ref.model import DataError

BATCH_BYTES = 8 << 20
"""About how much of a table is looked at at once."""
_LF, _QUOTE = b'\n"'
_CATEGORIES = (pl.Categorical, pl.Enum)


class Source:
    """A table in a file, which must not change while it is read.

    Parameters
    ----------
    path
        A name that ends in ``.csv``, ``.csv.gz`` or ``.parquet``.
    missing
        See `Microdata.from_frame`.

    Raises
    ------
    DataError
        If it is none of these, or cannot be read.
    """

    def __init__(self, path: Path, missing: str | None) -> None:
        if os.fspath(path) == STANDARD_INPUT:
            raise DataError(
                "a table larger than memory is read more than once: save standard input in a file"
            )
        self.path = path
        self.missing = missing
        self._kind = require_suffix(path)
        self._seen = self._status()
        self.size = self._seen[0]

    def batches(self) -> Iterator[Microdata]:
        """Yield all rows, in the order of the file.

        Raises
        ------
        DataError
            As `splu_ref.microdata.read_table`, or if the file changes.
        """
        rows = 0
        for frame in self._parquet() if self._kind == ".parquet" else self._csv():
            rows += frame.height
            yield Microdata.from_frame(frame, self.missing)
            if self._status() != self._seen:  # one that grows might have no end
                raise DataError(
                    f"{self.path} changed while it was read: publish a copy that nobody writes to"
                )
        if not rows:
            raise DataError(f"{self.path} holds no rows: there is nothing to read")

    def _status(self) -> tuple[int, int, int]:
        try:
            with opened(self.path) as file:
                status = os.fstat(file.fileno())
        except OSError as error:
            raise DataError(
                f"{self.path} cannot be read: {error.strerror}: check its name and permissions"
            ) from None
        return status.st_size, status.st_mtime_ns, status.st_ino

    def _parquet(self) -> Iterator[pl.DataFrame]:
        try:
            table = pl.scan_parquet(self.path, glob=False)
            schema = table.collect_schema()
            for name, kind in schema.items():
                if isinstance(kind, _CATEGORIES):
                    raise DataError(
                        f"{self.path}: column {name!r} holds categories, which parts of a table do not "
                        "share: convert it to text"
                    )
            rows = int(table.select(pl.len()).collect().item())
            step = 4096
            first = 0
            while first < rows:
                frame = table.slice(first, step).collect()
                yield frame
                first += frame.height
                width = max(1, int(frame.estimated_size()) // frame.height)
                step = max(1024, min(BATCH_BYTES // width, 1 << 17))
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            reason = str(error).partition("\n")[0]
            raise DataError(f"{self.path} is not an intact Parquet file ({reason}): write it again") from None

    def _csv(self) -> Iterator[pl.DataFrame]:
        with opened(self.path) as file, self._unpacked(file) as content:
            records = _records(content, str(self.path))
            header = next(records, b"")
            separator = divider(header)
            line = 1 + header.count(b"\n")
            head = header if header.endswith(b"\n") or not header else header + b"\n"
            empty = True
            for part in records:
                try:
                    yield parse_csv(head + part, str(self.path), separator)
                except DataError as error:
                    if empty:
                        raise
                    raise DataError(
                        f"{error} (lines and rows counted from line {line} as the second one)"
                    ) from None
                empty = False
                line += part.count(b"\n")
            if empty:
                parse_csv(header, str(self.path), separator)  # says what is wrong

    @contextmanager
    def _unpacked(self, file: BinaryIO) -> Iterator[BinaryIO]:
        if self._kind == ".csv":
            yield file
            return
        if not self._seen[0]:
            raise DataError(f"{self.path} is empty: it needs a header line and rows")
        try:
            with gzip.GzipFile(fileobj=file) as content:
                yield _Bounded(content, self.path, self._seen[0])  # type: ignore[misc]  # it is read alone
        except EOFError:
            raise DataError(f"{self.path} is a gzip file that breaks off: fetch or write it again") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise DataError(
                f"{self.path} is not an intact gzip file ({error}): fetch or write it again"
            ) from None


class _Bounded:
    """What a gzip file unpacks to, until it is too much."""

    def __init__(self, content: gzip.GzipFile, path: Path, packed: int) -> None:
        self._content = content
        self._path = path
        self._packed = packed
        self._left = largest_content(packed)

    def read(self, size: int) -> bytes:
        data = self._content.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise unpacks_to_too_much(str(self._path), self._packed)
        return data


def _records(content: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield the first record of a CSV file, then all others, whole ones, some at a time."""
    kept, first = b"", True
    while True:
        data = content.read(BATCH_BYTES)
        kept += data
        if first:
            end = _end(kept, last=False)
            if end:
                yield kept[:end]
                kept, first = kept[end:], False
        if not data:
            if kept:
                yield kept
            return
        end = 0 if first else _end(kept, last=True)
        if end:
            yield kept[:end]
            kept = kept[end:]
        if len(kept) > ALWAYS_READ:
            raise DataError(
                f"{name}: a row has more than {ALWAYS_READ} bytes: close its quotes, or publish it without"
            )


def _end(data: bytes, *, last: bool) -> int:
    """Return where the first or the last record ends that is whole, 0 if there is none."""
    if _QUOTE not in data:
        return (data.rfind(b"\n") if last else data.find(b"\n")) + 1
    array = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(array == _LF)
    ends = ends[np.searchsorted(np.flatnonzero(array == _QUOTE), ends) % 2 == 0]
    return int(ends[-1 if last else 0]) + 1 if len(ends) else 0
