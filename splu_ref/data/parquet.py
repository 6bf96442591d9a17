"""Reading of Parquet files: first the footer, then a trial in a separate process.

The footer is one structure in the compact protocol of Thrift, with field numbers defined in
``parquet.thrift`` of apache/parquet-format. It is parsed for the number of rows and columns, and the number
of values and unpacked size of each column chunk; a column of lists has more values than the table has rows.
Other fields are skipped, so parsing takes no additional memory. The reader of the pages verifies these
numbers.
"""

from __future__ import annotations

import io
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from splu_ref.channels import DataError
from splu_ref.data.limits import cell_count_error, expansion_error, largest_content, most_cells

_Wanted = Mapping[int, "str | _Wanted"]

_EACH = 0  # no field has this number
_FILE: _Wanted = {
    2: {_EACH: "elements", 5: "parents"},
    3: "rows",
    4: {1: {3: {5: "values", 6: "unpacked"}}},
}
"""What is added up, by the fields that lead there; of the parents, it is how many have a number above 0."""

_MAGIC = b"PAR1"
_DEEPEST = 20  # structures within structures; the definition needs 8
_TRUTH, _INTEGERS = (1, 2), (4, 5, 6)
_BINARY, _LIST, _SET, _MAP, _STRUCTURE = 8, 9, 10, 11, 12
_BYTES = {3: 1, 7: 8, 13: 16}  # of a byte, a double, a UUID


class Footer(NamedTuple):
    """The size of a table, as the footer states it."""

    rows: int  # records
    columns: int  # columns, of a structure each part
    cells: int  # rows times columns, or the values if these are more
    unpacked: int  # bytes of all pages when unpacked; a text may stand there once for many rows


class FooterError(ValueError):
    """The file has no valid footer."""


def read_footer(data: bytes) -> Footer:
    """Parse the footer of the Parquet file ``data`` in time proportional to its length."""
    if len(data) < 12 or data[:4] != _MAGIC or data[-4:] != _MAGIC:
        raise FooterError("it does not begin and end with PAR1")
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    if start < len(_MAGIC):
        raise FooterError("its footer is longer than the file")
    compact = _Compact(data, start)
    try:
        compact.structure(_FILE, 0)
    except IndexError:
        raise FooterError("its footer breaks off") from None
    found = compact.found
    rows, columns = found["rows"], found["elements"] - found["parents"]
    return Footer(rows, columns, max(rows * columns, found["values"]), found["unpacked"])


class _Compact:
    """A parser of the compact protocol that adds up the wanted fields.

    Every method raises IndexError at the end of the bytes, and consumes at least one byte for each step.
    """

    def __init__(self, data: bytes, place: int) -> None:
        self.data = data
        self.place = place
        self.found: Counter[str] = Counter()

    def structure(self, wanted: _Wanted, depth: int) -> None:
        """Pass over a structure, and add up what is wanted."""
        if depth > _DEEPEST:
            raise FooterError("its footer is nested too deeply")
        if _EACH in wanted:
            self.found["elements"] += 1
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            if head & 15 not in _TRUTH:  # which has no bytes of its own in a field
                self._value(head & 15, wanted.get(number, {}), depth)

    def _value(self, kind: int, wanted: str | _Wanted, depth: int) -> None:
        inner = {} if isinstance(wanted, str) else wanted
        if kind in _INTEGERS:
            number = self._integer()
            if isinstance(wanted, str):
                self._add(wanted, number)
        elif kind in _BYTES:
            self._pass_over(_BYTES[kind])
        elif kind == _BINARY:
            self._pass_over(self._varint())
        elif kind == _STRUCTURE:
            self.structure(inner, depth + 1)
        elif kind in (_LIST, _SET):
            head = self._byte()
            for _ in range(self._varint() if head >> 4 == 15 else head >> 4):
                self._element(head & 15, inner, depth)
        elif kind == _MAP:
            size = self._varint()
            kinds = self._byte() if size else 0
            for _ in range(size):
                self._element(kinds >> 4, {}, depth)
                self._element(kinds & 15, {}, depth)
        else:
            raise FooterError("its footer holds what no footer does")

    def _element(self, kind: int, wanted: _Wanted, depth: int) -> None:
        if kind in _TRUTH:
            self._byte()
        else:
            self._value(kind, wanted, depth + 1)

    def _add(self, name: str, number: int) -> None:
        if number < 0:
            raise FooterError("its footer counts below 0")
        self.found[name] += number > 0 if name == "parents" else number

    def _pass_over(self, size: int) -> None:
        self.place += size
        if self.place > len(self.data):
            raise IndexError

    def _byte(self) -> int:
        byte = self.data[self.place]
        self.place += 1
        return byte

    def _varint(self) -> int:
        number = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise FooterError("its footer holds a number of more than 64 bits")

    def _integer(self) -> int:
        number = self._varint()
        return number >> 1 ^ -(number & 1)


STARTED = "started"
_TOO_MUCH = "too much"
_MEMORY = 1 << 32  # bytes of the trial beyond what the table may take four times
_SECONDS = 30  # of the trial, and one more for each megabyte
_TRIAL = f"""
import sys
most, cells, memory = map(int, sys.argv[1:4])
sys.path[:] = sys.argv[4:]
import io
try:
    import resource
    resource.setrlimit(resource.RLIMIT_DATA, (memory, resource.getrlimit(resource.RLIMIT_DATA)[1]))
except (ImportError, ValueError, OSError):
    pass  # no such limit here, or a lower one
import polars
data = sys.stdin.buffer.read()
print({STARTED!r}, flush=True)
try:
    frame = polars.read_parquet(io.BytesIO(data))
    texts = frame.select(polars.selectors.by_dtype(polars.String, polars.Categorical, polars.Enum))
    lengths = texts.select(polars.all().cast(polars.String).str.len_bytes().cast(polars.Int64).sum())
    size = max(frame.estimated_size(), sum(lengths.row(0) if texts.columns else ()))
except polars.exceptions.PolarsError as error:
    print(str(error).partition("\\n")[0])
    sys.exit(1)
if size > most or frame.height * frame.width > cells:
    print({_TOO_MUCH!r})
    sys.exit(1)
"""
"""A program that reads Parquet from its standard input.

Its arguments are the bytes that the table may take, the cells that it may have, the bytes that the program
may take, and where to find modules.
"""


def parse_parquet(data: bytes, name: str) -> pl.DataFrame:
    """Return the table in the Parquet file ``data``.

    Where no other process can be started, the file is read without a trial. Polars may then still write to
    the standard error stream, or abort, if the file is damaged.
    """
    if not data:
        raise DataError(f"{name} is empty: it needs columns and rows")
    try:
        footer = read_footer(data)
    except FooterError as error:
        raise damaged_file_error(name, str(error)) from None
    if footer.cells > most_cells(len(data)):
        raise cell_count_error(name, len(data), footer.cells)
    if footer.unpacked > largest_content(len(data)):
        raise expansion_error(name, len(data))
    fault = _parquet_fault(data)
    if fault == _TOO_MUCH:
        raise expansion_error(name, len(data))
    if fault:
        raise damaged_file_error(name, fault)
    try:
        return pl.read_parquet(io.BytesIO(data)).rechunk()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise damaged_file_error(name, str(error).partition("\n")[0]) from None


def _parquet_fault(data: bytes) -> str:
    """Return why a separate process cannot read the file; empty if it can, or if none can be started."""
    most = largest_content(len(data))
    return fault_on_trial(_TRIAL, (most, most_cells(len(data)), _MEMORY + 4 * most), data, len(data))


def fault_on_trial(program: str, arguments: Sequence[object], data: bytes, size: int) -> str:
    """Return why a program cannot read a file; empty if it can, or if no process can be started."""
    try:
        trial = subprocess.run(  # noqa: S603  # this Python and a program of this package
            [sys.executable, "-I", "-X", "utf8", "-c", program, *map(str, (*arguments, *sys.path))],
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=_SECONDS + size // 1_000_000,
        )
    except subprocess.TimeoutExpired:
        return "its reader comes to no end"
    except (OSError, ValueError):
        return ""
    started, _, reason = trial.stdout.decode(errors="replace").partition("\n")
    if started.rstrip() != STARTED or trial.returncode == 0:
        return ""
    return reason.strip() or "its reader breaks down on it"


def damaged_file_error(name: str, fault: str) -> DataError:
    """Return the error for a file that cannot be decoded."""
    return DataError(f"{name} is not an intact Parquet file ({fault}): write it again")
