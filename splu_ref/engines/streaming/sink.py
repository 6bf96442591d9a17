"""The published file, written part by part."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import polars as pl

from splu_ref.microdata import Microdata
from splu_ref.microdata.reading import require_suffix
from splu_ref.microdata.residue import bare_polars
from splu_ref.microdata.writing import csv_rows
from splu_ref.model import DataError


class Sink:
    """Where rows are written: a file in a private folder, which is complete once `opened` has ended.

    Parameters
    ----------
    output
        The name that the file will have, which tells its kind.
    folder
        The private folder.
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
    def opened(self) -> Iterator[None]:
        """Write rows inside; outside, the file is complete.

        Raises
        ------
        DataError
            If a column does not fit into the kind of file.
        OSError
            If the system refuses, for a full disk above all.
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
        """Write rows below those that were written."""
        if self._kind == ".parquet":
            part = self._folder / f"part-{len(self._parts)}.parquet"
            try:
                bare_polars(table.to_frame()).write_parquet(part, compression="lz4")
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
        """Return what an error of Polars means, which tells those of the system in words alone."""
        system = re.search(r"\(os error (\d+)\)", str(error))
        if system is not None:
            return OSError(int(system[1]), os.strerror(int(system[1])))
        reason = str(error).partition("\n")[0]
        return DataError(
            f"{self._output} cannot be written: a column does not fit into Parquet ({reason}): convert it to "
            "text"
        )
