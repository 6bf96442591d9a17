"""What the footer of a Parquet file says of the table, read without decoding any of it.

The footer is one structure in the compact protocol of Thrift; the definition of the format
(``parquet.thrift`` of apache/parquet-format) gives each field its number. Few are needed: the rows, the
columns, and of each chunk of a column the number of values and the size when unpacked. A column of lists has
more values than the table has rows. All other fields are passed over, so that a footer takes no memory
besides its own bytes. Whether it tells the truth is for those to find out who decode the pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

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
    """The size of a table, as the footer states it.

    Attributes
    ----------
    rows
        Records.
    columns
        Columns, of a structure each part.
    cells
        Rows times columns, or the values if these are more.
    unpacked
        Bytes of all pages when unpacked; a text may stand there once for many rows.
    """

    rows: int
    columns: int
    cells: int
    unpacked: int


class FooterError(ValueError):
    """There is no footer that could be read."""


def read_footer(data: bytes) -> Footer:
    """Return what the footer of the Parquet file ``data`` says, in time proportional to its length.

    Raises
    ------
    FooterError
        If there is none, or a damaged one.
    """
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
    """A place in bytes of the compact protocol, and what was found on the way there.

    Every method raises IndexError where the bytes end, and takes at least one byte for each step.
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
