"""Recorded bytes: replay a release, or drive a test into a chosen branch."""

from __future__ import annotations

from typing import Self

from splu_ref.model import InputError, TapeExhaustedError
from splu_ref.randomness.byte_rules import ByteSource


class TapeSource(ByteSource):
    """A source that replays recorded bytes and stops when they run out.

    Parameters
    ----------
    tape
        The bytes, in the order in which they are handed out.
    """

    name = "tape"

    def __init__(self, tape: bytes) -> None:
        self._tape = bytes(tape)
        self._consumed = 0

    @classmethod
    def from_hex(cls, text: str) -> Self:
        """Return the tape written as hexadecimal digits, two per byte; spaces between bytes are ignored.

        Raises
        ------
        InputError
            For anything else.
        """
        try:
            return cls(bytes.fromhex(text))
        except ValueError:
            raise InputError(
                f"the tape is not hexadecimal ({len(text)} characters): write two digits 0-9, a-f per byte"
            ) from None

    @property
    def consumed(self) -> int:
        """The number of bytes handed out so far."""
        return self._consumed

    def read(self, count: int) -> bytes:
        """Return the next ``count`` bytes.

        Raises
        ------
        TapeExhaustedError
            If fewer are left; none is consumed then.
        """
        left = len(self._tape) - self._consumed
        if count > left:
            raise TapeExhaustedError(
                f"the tape ran out: {count} bytes wanted, {left} left of {len(self._tape)}: lengthen the tape"
            )
        start = self._consumed
        self._consumed += count
        return self._tape[start : self._consumed]


class RecordingSource(ByteSource):
    """A source that hands on another's bytes and keeps them, so that a tape can replay the release.

    Whoever holds the recording can undo the release: it is as secret as the original table.

    Parameters
    ----------
    source
        Where the bytes come from.
    """

    def __init__(self, source: ByteSource) -> None:
        self.name = source.name
        self._source = source
        self._recorded = bytearray()

    @property
    def recorded(self) -> bytes:
        """Every byte handed out so far."""
        return bytes(self._recorded)

    def read(self, count: int) -> bytes:
        """Return the next ``count`` bytes of the recorded source."""
        data = self._source.read(count)
        self._recorded += data
        return data
