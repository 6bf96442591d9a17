"""Ways to damage a file, as a Hypothesis strategy: what accidents and attackers do to valid bytes."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import strategies as st

ANYWHERE = (
    b"",
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xed\xa0\x80",  # a surrogate, which UTF-8 does not admit
    b"\xf4\x90\x80\x80",  # beyond the last character
    b"\r",
    b"\r\n",
    b"\n\n",
    "\u2028\u0085".encode(),  # line ends to some
    "\u202e".encode(),  # turns the line around on a terminal
    b"\x1b[2J",  # clears a terminal
    b'"',
    b"'",
    b"\\",
    b"9" * 5_000,
    b"1e999999999",
    b"0" * 70_000,
    b"[" * 3_000,
    b'{"a":' * 3_000,
)
"""Pieces that are put into files of every kind."""


def damaged(samples: tuple[bytes, ...], tokens: tuple[bytes, ...]) -> st.SearchStrategy[bytes]:
    """Return a strategy of one to four edits of a sample.

    Parameters
    ----------
    samples
        Valid files.
    tokens
        Pieces of their format.
    """
    pieces = st.sampled_from((*tokens, *ANYWHERE)) | st.binary(max_size=8)
    edits = st.lists(_edits(pieces), min_size=1, max_size=4)
    return st.builds(_edited, st.sampled_from(samples), edits)


_Edit = Callable[[bytes], bytes]


def _edits(pieces: st.SearchStrategy[bytes]) -> st.SearchStrategy[_Edit]:
    places = st.floats(min_value=0, max_value=1, exclude_max=True)
    return st.one_of(
        st.builds(_flip, places, st.integers(0, 7)),
        st.builds(_replace, places, st.integers(0, 12), pieces),
        st.builds(_cut, places, places),
        st.builds(_double, places, places, st.integers(2, 30)),
        st.builds(
            _renumber, places, st.sampled_from((b"0", b"-1", b"1e9", b"9" * 19, b"9" * 500, b"\xd9\xa3"))
        ),
        st.builds(_end_lines, st.sampled_from((b"\r", b"\r\n", b"\n\r", b"\0"))),
    )


def _edited(data: bytes, edits: list[_Edit]) -> bytes:
    for edit in edits:
        data = edit(data)
    return data


def _flip(place: float, bit: int) -> _Edit:
    def edit(data: bytes) -> bytes:
        at = int(place * len(data))
        return data[:at] + bytes(byte ^ 1 << bit for byte in data[at : at + 1]) + data[at + 1 :]

    return edit


def _replace(place: float, length: int, piece: bytes) -> _Edit:
    def edit(data: bytes) -> bytes:
        at = int(place * len(data))
        return data[:at] + piece + data[at + length :]

    return edit


def _cut(start: float, end: float) -> _Edit:
    """Keep what lies between two places, or leave it out."""

    def edit(data: bytes) -> bytes:
        first, last = int(start * len(data)), int(end * len(data))
        return data[first:last] if first < last else data[:last] + data[first:]

    return edit


def _double(start: float, end: float, times: int) -> _Edit:
    def edit(data: bytes) -> bytes:
        first, last = sorted((int(start * len(data)), int(end * len(data))))
        return data[:first] + data[first:last] * times + data[last:]

    return edit


def _renumber(place: float, number: bytes) -> _Edit:
    """Put another number in the place of one."""

    def edit(data: bytes) -> bytes:
        found = list(re.finditer(rb"[0-9]+", data))
        if not found:
            return data
        old = found[int(place * len(found))]
        return data[: old.start()] + number + data[old.end() :]

    return edit


def _end_lines(end: bytes) -> _Edit:
    return lambda data: data.replace(b"\n", end)
