"""The fields of a request: read with their types, or refused with the kind of error that says why."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

from splu_ref.channels import Exact, InputError, ParameterError, exact, shown

KINDS = ("malformed", "unsupported", "parameter", "tape_exhausted")
"""Why a request has no answer; the specification's page on conformance says which kind is which."""

LARGEST_NUMBER = (1 << 53) - 1
"""Integers above it are written as texts: not every reader of JSON keeps their digits."""

_EXACT = re.compile(r"-?[0-9]{1,400}(?:\.[0-9]{1,400}|/[0-9]{1,400})?")
_DIGITS = "0123456789abcdef"
_Choice = TypeVar("_Choice")


class RequestError(InputError):
    """A request that cannot be answered.

    Attributes
    ----------
    kind
        One of `KINDS`.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def number(value: int) -> int | str:
    """Return an integer as JSON carries it: a number, or a text from 2**53 on."""
    return value if abs(value) <= LARGEST_NUMBER else str(value)


class Fields:
    """The fields of one request; each is taken once, and what is left at the end is refused.

    Parameters
    ----------
    request
        The JSON object, with ``op`` and, if it likes, ``id``.
    """

    def __init__(self, request: Mapping[str, object]) -> None:
        self._left = {name: value for name, value in request.items() if name not in ("op", "id")}

    def has(self, name: str) -> bool:
        """Return whether an optional field is given."""
        return name in self._left

    def take(self, name: str) -> object:
        """Return the value of a field that must be there."""
        if name not in self._left:
            raise ParameterError(f"the field {name} is missing: add it")
        return self._left.pop(name)

    def integer(self, name: str, least: int | None = None, most: int | None = None) -> int:
        """Return an integer: a JSON number without fraction below 2**53, or a text of decimal digits."""
        value = self.take(name)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 400:
            value = int(value)
        elif type(value) is not int or abs(value) > LARGEST_NUMBER:
            raise ParameterError(f"{name} is not an integer: give a number below 2**53 or a text of digits")
        if least is not None and value < least:
            raise ParameterError(f"{name} must be at least {least}, not {shown(value)}")
        if most is not None and value > most:
            raise ParameterError(f"{name} must be at most {most}, not {shown(value)}")
        return value

    def integers(self, name: str, least: int | None = None) -> list[int]:
        """Return a list of integers, as JSON numbers below 2**53 in size."""
        values = self.take(name)
        if not isinstance(values, list) or not all(type(value) is int for value in values):
            raise ParameterError(f"{name} is not a list of integers: give one, such as [0, 1, 2]")
        if any(abs(value) > LARGEST_NUMBER for value in values):
            raise ParameterError(f"{name} has an integer beyond 2**53 - 1: give smaller ones")
        if least is not None and any(value < least for value in values):
            raise ParameterError(f"{name} has an entry below {least}: give integers of at least {least}")
        return values

    def lists(self, name: str) -> list[list[int]]:
        """Return a list of lists of integers of at least 0, all of one length."""
        values = self.take(name)
        if not isinstance(values, list) or not values:
            raise ParameterError(f"{name} is not a list of lists: give at least one column")
        columns = [Fields({name: column}).integers(name, 0) for column in values]
        if len({len(column) for column in columns}) > 1:
            raise ParameterError(f"the columns of {name} differ in length: give one code per record in each")
        return columns

    def text(self, name: str) -> str:
        """Return a text."""
        value = self.take(name)
        if not isinstance(value, str):
            raise ParameterError(f"{name} is not a text: give one in quotes")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ParameterError(f"{name} has half a surrogate pair: give whole characters") from None
        return value

    def texts(self, name: str) -> list[str]:
        """Return a list of texts."""
        return texts_of(self.take(name), name)

    def octets(self, name: str) -> bytes:
        """Return the bytes written as pairs of lower-case hexadecimal digits."""
        text = self.text(name)
        if len(text) % 2 or text.strip(_DIGITS):  # stripped of its digits, nothing is left
            raise ParameterError(f"{name} is not hexadecimal: write two digits 0-9, a-f per byte")
        return bytes.fromhex(text)

    def exact(self, name: str) -> Fraction:
        """Return an exact number, given as a text such as ``3/10`` or ``0.3``."""
        return exact_of(self.text(name), name)

    def optional_exact(self, name: str) -> Exact | None:
        """Return an exact number, or None where the field is not given."""
        return self.exact(name) if self.has(name) else None

    def choice(self, name: str, choices: Mapping[str, _Choice] | Sequence[str]) -> str:
        """Return one of the given words; another word is not an error but unsupported."""
        word = self.text(name)
        if word not in choices:
            raise RequestError("unsupported", f"{name} {word!r} is not known: use {', '.join(choices)}")
        return word

    def finish(self) -> None:
        """Refuse fields that nobody asked for: they may change the meaning of the request."""
        if self._left:
            raise RequestError("unsupported", f"the field {min(self._left)} is not known: leave it out")


def texts_of(values: object, name: str) -> list[str]:
    """Return the texts of a list; ``name`` names it in errors."""
    if not isinstance(values, list):
        raise ParameterError(f"{name} is not a list of texts: give one")
    return [Fields({name: value}).text(name) for value in values]


def exact_of(text: str, name: str) -> Fraction:
    """Return the exact number that a text denotes: fewer forms than elsewhere, and no blanks around it."""
    if not _EXACT.fullmatch(text):
        raise ParameterError(f"{name} is no exact number: write it as 3, 0.3 or 3/10")
    return exact(text, name)


def written(number: Fraction | int) -> str:
    """Return an exact number as the text of an answer.

    Raises
    ------
    RequestError
        If it has more digits than Python converts: the request is answered, but with a refusal.
    """
    try:
        return str(number)
    except ValueError:
        limit = sys.get_int_max_str_digits()
        raise RequestError(
            "parameter", f"the answer has more than {limit} digits: ask with shorter numbers"
        ) from None
