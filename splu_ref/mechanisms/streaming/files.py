"""Temporary files of a release in parts, and the published file."""

from __future__ import annotations

import gzip
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.channels import DataError, InputError
from splu_ref.data import Microdata, csv_rows, require_suffix, temporary_folder
from splu_ref.randomness import IntArray

PART_BYTES = 12 << 20
"""Approximate size of the part of a table that is sorted at once. While it is published, several copies of it
are in memory, and its records as bytes, which are larger."""
PART_ENTRIES = 1 << 19
"""Approximate number of records that are sorted at once without their cells."""


@contextmanager
def private_folder(beside: Path) -> Iterator[Path]:
    """Create a folder for its owner alone, and remove it with its content at the end of the block.

    Parameters
    ----------
    beside
        A file to be read or written; the folder is created next to it, on the same file system.

    Raises
    ------
    InputError
        If the folder cannot be created, or the disk is full.
    """
    remedy = "choose another place"
    try:
        with temporary_folder(beside) as folder:
            remedy = f"free some space, or {remedy}"
            yield folder
    except OSError as error:
        raise InputError(
            f"{beside.parent} cannot hold what is sorted there: {error.strerror}: {remedy}"
        ) from error


class FrameSpool:
    """Rows of data frames on disk by part, within a part in the order of addition.

    Parameters
    ----------
    folder
        The folder of the files, which is created.
    parts
        Number of parts.
    """

    def __init__(self, folder: Path, parts: int) -> None:
        folder.mkdir(mode=0o700)
        self._folder = folder
        self.sizes = np.zeros(parts, dtype=np.int64)
        self.written = 0

    def add(self, frame: pl.DataFrame, parts: IntArray) -> IntArray:
        """Add rows to their parts; return the number of each row within its part."""
        order, begins, counts = _distributed(parts, len(self.sizes))
        ordered = frame.rechunk()[order]  # rows of a column in pieces are gathered four times slower
        for part in np.flatnonzero(counts).tolist():
            buffer = io.BytesIO()
            ordered.slice(int(begins[part]), int(counts[part])).write_ipc_stream(buffer, compression="lz4")
            data = buffer.getvalue()
            with (self._folder / str(part)).open("ab") as file:
                self.written += file.write(len(data).to_bytes(8, "big") + data)
        rows = np.empty(len(parts), dtype=np.int64)
        rows[order] = np.arange(len(parts)) + (self.sizes - begins)[parts[order]]
        self.sizes += counts
        return rows

    def pieces(self, part: int, *, keep: bool = False) -> Iterator[pl.DataFrame]:
        """Yield the rows of a part in pieces, and delete them afterwards unless ``keep`` is true."""
        path = self._folder / str(part)
        if not self.sizes[part]:
            return
        with path.open("rb") as file:
            while length := file.read(8):
                yield pl.read_ipc_stream(io.BytesIO(file.read(int.from_bytes(length, "big"))))
        if not keep:
            path.unlink()

    def part(self, part: int, *, keep: bool = False) -> pl.DataFrame:
        """Return the rows of a nonempty part, and delete them unless ``keep`` is true."""
        return pl.concat(self.pieces(part, keep=keep)).rechunk()


class RecordSpool:
    """Records of one structured type on disk by part, within a part in the order of addition.

    Parameters
    ----------
    folder, parts
        As for `FrameSpool`.
    kind
        The NumPy type of a record.
    """

    def __init__(self, folder: Path, parts: int, kind: np.dtype[Any]) -> None:
        folder.mkdir(mode=0o700)
        self._folder = folder
        self.kind = kind
        self.sizes = np.zeros(parts, dtype=np.int64)
        self.written = 0

    def add(self, records: NDArray[Any], parts: IntArray) -> None:
        """Add records to their parts."""
        order, begins, counts = _distributed(parts, len(self.sizes))
        ordered = records[order]
        for part in np.flatnonzero(counts).tolist():
            data = ordered[begins[part] : begins[part] + counts[part]].tobytes()
            with (self._folder / str(part)).open("ab") as file:
                self.written += file.write(data)
        self.sizes += counts

    def pieces(self, part: int, most: int) -> Iterator[NDArray[Any]]:
        """Yield the records of a part in pieces of at most ``most``, and delete them."""
        path = self._folder / str(part)
        if not self.sizes[part]:
            return
        with path.open("rb") as file:
            while data := file.read(most * self.kind.itemsize):
                yield np.frombuffer(data, dtype=self.kind)
        path.unlink()

    def part(self, part: int, *, keep: bool = False) -> NDArray[Any]:
        """Return the records of a part, and delete them unless ``keep`` is true."""
        path = self._folder / str(part)
        if not self.sizes[part]:
            return np.empty(0, dtype=self.kind)
        records = np.frombuffer(path.read_bytes(), dtype=self.kind)
        if not keep:
            path.unlink()
        return records


def _distributed(parts: IntArray, count: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return the items sorted by part, and by part the start and number of its items."""
    counts = np.bincount(parts, minlength=count)
    return np.argsort(parts, kind="stable"), np.cumsum(counts) - counts, counts


class Sink:
    """Writer of a published file in a private folder; the file is complete at the end of `open`.

    The format is given by the suffix of ``output``, the final name of the file.
    """

    def __init__(self, output: Path, folder: Path) -> None:
        self._output = output
        self._folder = folder
        self._kind = require_suffix(output)
        self._parts: list[Path] = []
        self.path = folder / f"published{self._kind}"
        self._begun = False
        self._file: BinaryIO | gzip.GzipFile

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Open the file for `add`; it is complete at the end of the block.

        Raises ``DataError`` if a column does not fit into the format, ``OSError`` if the disk is full.
        """
        if self._kind == ".parquet":
            yield
            try:
                pl.scan_parquet(self._parts, glob=False).sink_parquet(self.path, maintain_order=True)
            except pl.exceptions.PolarsError as error:
                raise self._unfit(error) from error
            for part in self._parts:
                part.unlink()
            return
        with self.path.open("wb") as file:
            if self._kind == ".csv":
                self._file = file
                yield
                return
            with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as packed:
                self._file = packed
                yield

    def add(self, table: Microdata) -> None:
        """Append rows."""
        if self._kind == ".parquet":
            part = self._folder / f"part-{len(self._parts)}.parquet"
            try:
                table.bare().to_frame().write_parquet(part, compression="lz4")
            except pl.exceptions.PolarsError as error:
                raise self._unfit(error) from error
            self._parts.append(part)
            return
        try:
            self._file.write(csv_rows(table, header=not self._begun))
        except DataError as error:
            raise DataError(f"{self._output} cannot be written: {error}") from error
        self._begun = True

    def _unfit(self, error: Exception) -> Exception:
        """Return the system's error, which Polars names in its message alone, or a ``DataError``."""
        system = re.search(r"\(os error (\d+)\)", str(error))
        if system is not None:
            return OSError(int(system[1]), os.strerror(int(system[1])))
        reason = str(error).partition("\n")[0]
        return DataError(
            f"{self._output} cannot be written: a column does not fit into Parquet ({reason}): convert it to "
            "text"
        )
