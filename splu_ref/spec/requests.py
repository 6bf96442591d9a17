"""The fields of a request: read with their types, or refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from splu_ref.spec.errors import Unsupported, require

LARGEST = 2**53 - 1
"""Larger integers are written as texts: not every reader of JSON keeps their digits."""


def number(value: int) -> int | str:
    """Return an integer as it stands in an answer."""
    return value if abs(value) <= LARGEST else str(value)


def numbers(values: Sequence[int]) -> list[int | str]:
    """Return integers as they stand in an answer."""
    return [number(value) for value in values]


def written(value: Fraction | int) -> str:
    """Return an exact number as it stands in an answer."""
    try:
        return str(value)
    except ValueError:
        require(False, "the answer has too many digits")
        raise


def exact(text: str) -> Fraction:
    """Return the exact number of a text: digits, digits.digits or digits/digits."""
    form = re.fullmatch(r"-?[0-9]{1,400}(\.[0-9]{1,400}|/0*[1-9][0-9]*)?", text)
    require(form is not None and len(text.partition("/")[2]) <= 400, "this is no exact number")
    return Fraction(text)


def text_of(value: object) -> str:
    """Return a value that must be a text of whole characters."""
    require(isinstance(value, str), "this is no text")
    assert isinstance(value, str)
    require(
        not any("\ud800" <= character <= "\udfff" for character in value), "there is half a surrogate pair"
    )
    return value


def list_of(value: object) -> list[object]:
    """Return a value that must be a list."""
    require(isinstance(value, list), "this is no list")
    assert isinstance(value, list)
    return value


def octets_of(value: object) -> bytes:
    """Return the bytes of a text of pairs of hexadecimal digits."""
    text = text_of(value)
    require(re.fullmatch("([0-9a-f]{2})*", text) is not None, "these are no bytes")
    return bytes.fromhex(text)


def integers_of(value: object, least: int | None) -> list[int]:
    """Return a list of integers."""
    found = []
    for entry in list_of(value):
        require(type(entry) is int and abs(entry) <= LARGEST, "this is no integer")
        assert isinstance(entry, int)
        require(least is None or entry >= least, "an integer is too small")
        found.append(entry)
    return found


class Fields:
    """The fields of one request; each is taken once, and what is left at the end is refused."""

    def __init__(self, request: dict[str, object]) -> None:
        self.left = {name: value for name, value in request.items() if name not in ("op", "id")}

    def has(self, name: str) -> bool:
        """Return whether a field is given."""
        return name in self.left

    def take(self, name: str) -> object:
        """Return a field that must be there."""
        require(name in self.left, f"the field {name} is missing")
        return self.left.pop(name)

    def integer(self, name: str, least: int = 0, most: int | None = None) -> int:
        """Return an integer: a number, or a text of its digits."""
        value = self.take(name)
        if isinstance(value, str) and re.fullmatch("[0-9]{1,400}", value):
            value = int(value)
        else:
            require(type(value) is int and abs(value) <= LARGEST, f"{name} is no integer")
        assert isinstance(value, int)
        require(value >= least and (most is None or value <= most), f"{name} is out of range")
        return value

    def integers(self, name: str, least: int | None = 0) -> list[int]:
        """Return a list of integers."""
        return integers_of(self.take(name), least)

    def columns(self, name: str) -> list[list[int]]:
        """Return lists of integers of one length, at least one list."""
        columns = [integers_of(column, 0) for column in list_of(self.take(name))]
        require(len(columns) > 0 and len(set(map(len, columns))) == 1, f"{name} has no columns of one length")
        return columns

    def text(self, name: str) -> str:
        """Return a text."""
        return text_of(self.take(name))

    def optional_text(self, name: str) -> str | None:
        """Return a text, or None if it is not given."""
        return self.text(name) if self.has(name) else None

    def texts(self, name: str) -> list[str]:
        """Return a list of texts."""
        return [text_of(value) for value in list_of(self.take(name))]

    def octets(self, name: str) -> bytes:
        """Return bytes."""
        return octets_of(self.take(name))

    def octet_lists(self, name: str) -> list[bytes]:
        """Return a list of bytes."""
        return [octets_of(value) for value in list_of(self.take(name))]

    def exact(self, name: str) -> Fraction:
        """Return an exact number."""
        return exact(self.text(name))

    def optional_exact(self, name: str) -> Fraction | None:
        """Return an exact number, or None if it is not given."""
        return self.exact(name) if self.has(name) else None

    def choice(self, name: str, *words: str) -> str:
        """Return one of some words; another one is not known."""
        word = self.text(name)
        if word not in words:
            raise Unsupported(f"{name} {word} is not known")
        return word

    def matrix(self, name: str, most: int) -> list[list[Fraction]]:
        """Return rows of exact numbers."""
        rows = [[exact(text_of(entry)) for entry in list_of(row)] for row in list_of(self.take(name))]
        require(0 < len(rows) <= most and 0 < len(rows[0]) <= most, f"{name} has no rows, or is too large")
        return rows

    def finish(self) -> None:
        """Refuse fields that the operation does not have."""
        if self.left:
            raise Unsupported(f"the field {min(self.left)} is not known")
