"""The fields of a request: read with their types, or refused.

In a request, numbers and texts have these forms; another form is refused (``parameter``):

- an *integer* that is a field by itself: a JSON number without fraction and exponent, of at most 2^53 - 1 in
  size, or a text of 1 to 400 digits 0-9. An integer in a list: such a number alone. ``true`` and ``1.0`` are
  no integers. In an answer an integer of 2^53 or more in size is a text of its digits, because not every
  reader of JSON keeps them;
- an *exact number*: a text of digits, ``digits.digits`` or ``digits/digits``, with an optional ``-`` before
  it. There are 1 to 400 digits 0-9 on either side, the denominator is not 0, and the text
  has nothing else;
- *bytes*: a text of pairs of digits 0-9, a-f;
- a *text*: any JSON text without half a surrogate pair. Texts are not normalized.

Each operation takes its fields, each once, and then refuses what is left with the kind ``unsupported``: an
unknown field may change what is requested. A word that is not one of those that the operation knows is
``unsupported``, too. The library's program reads requests with `Fields`, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from splu_ref.spec.errors import Unsupported, require

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
"""A value of an answer."""

KINDS = ("malformed", "unsupported", "parameter", "tape_exhausted")
"""Why a request has no answer, in the order of `splu_ref.spec.errors`."""

LARGEST = 2**53 - 1
"""Integers above it are texts in an answer."""

_EXACT = re.compile(r"-?[0-9]{1,400}(?:\.[0-9]{1,400}|/(?=[0-9]{1,400}\Z)0*[1-9][0-9]*)?")


def number(value: int) -> int | str:
    """Return an integer as it is written in an answer.

    >>> number(-5), number(2**53)
    (-5, '9007199254740992')
    """
    return value if abs(value) <= LARGEST else str(value)


def numbers(values: Sequence[int]) -> list[int | str]:
    """Return integers as they are written in an answer."""
    return [number(value) for value in values]


def written(value: Fraction | int) -> str:
    """Return an exact number as it is written in an answer: ``p/q`` in lowest terms with q > 1, or ``p``.

    A number with more than 4300 digits on one side is refused (``parameter``).

    >>> written(Fraction(6, 4)), written(Fraction(6, 3))
    ('3/2', '2')
    """
    try:
        return str(value)
    except ValueError:
        require(False, "the answer has too many digits")
        raise


def exact(text: str, name: str = "the number") -> Fraction:
    """Return the exact number of a text.

    >>> exact("-0.30"), exact("06/4")
    (Fraction(-3, 10), Fraction(3, 2))
    """
    require(_EXACT.fullmatch(text) is not None, f"{name} is no exact number: write it as 3, 0.3 or 3/10")
    return Fraction(text)


def text_of(value: object, name: str) -> str:
    """Return a value that must be a text."""
    require(isinstance(value, str), f"{name} is not a text")
    assert isinstance(value, str)
    require(re.search("[\ud800-\udfff]", value) is None, f"{name} has half a surrogate pair")
    return value


def list_of(value: object, name: str) -> list[object]:
    """Return a value that must be a list."""
    require(isinstance(value, list), f"{name} is not a list")
    assert isinstance(value, list)
    return value


def octets_of(value: object, name: str) -> bytes:
    """Return the bytes of a text of pairs of digits."""
    text = text_of(value, name)
    pairs = len(text) % 2 == 0 and re.fullmatch("[0-9a-f]*", text) is not None
    require(pairs, f"{name} is not hexadecimal: write two digits 0-9, a-f per byte")
    return bytes.fromhex(text)


def integers_of(value: object, name: str, least: int | None = None) -> list[int]:
    """Return a list of integers, all at least ``least`` if it is given."""
    result = []
    for entry in list_of(value, name):
        require(type(entry) is int and abs(entry) <= LARGEST, f"{name} has an entry that is not an integer")
        assert isinstance(entry, int)
        require(least is None or entry >= least, f"{name} has an entry below {least}")
        result.append(entry)
    return result


class Fields:
    """The fields of one request.

    >>> fields = Fields({"op": "below", "bound": "5", "size": 3})
    >>> fields.integer("bound"), fields.integer("size", least=0, most=10)
    (5, 3)
    >>> fields.finish()
    >>> fields.text("tape")
    Traceback (most recent call last):
    splu_ref.spec.errors.Refused: the field tape is missing
    """

    def __init__(self, request: Mapping[str, object]) -> None:
        self.left = {name: value for name, value in request.items() if name not in ("op", "id")}

    def has(self, name: str) -> bool:
        """Return whether a field is given and not yet taken."""
        return name in self.left

    def take(self, name: str) -> object:
        """Return the value of a field that must be there."""
        require(name in self.left, f"the field {name} is missing")
        return self.left.pop(name)

    def integer(self, name: str, least: int | None = None, most: int | None = None) -> int:
        """Return an integer, between ``least`` and ``most`` if they are given."""
        value = self.take(name)
        if isinstance(value, str) and re.fullmatch("[0-9]{1,400}", value):
            value = int(value)
        else:
            require(type(value) is int and abs(value) <= LARGEST, f"{name} is not an integer")
        assert isinstance(value, int)
        require(least is None or value >= least, f"{name} is below {least}")
        require(most is None or value <= most, f"{name} is above {most}")
        return value

    def integers(self, name: str, least: int | None = None) -> list[int]:
        """Return a list of integers."""
        return integers_of(self.take(name), name, least)

    def columns(self, name: str) -> list[list[int]]:
        """Return at least one list of integers of at least 0, all of one length."""
        columns = [integers_of(column, name, 0) for column in list_of(self.take(name), name)]
        require(len(columns) > 0 and len(set(map(len, columns))) == 1, f"{name} has no columns of one length")
        return columns

    def text(self, name: str) -> str:
        """Return a text."""
        return text_of(self.take(name), name)

    def optional_text(self, name: str) -> str | None:
        """Return a text, or None if the field is not given."""
        return self.text(name) if self.has(name) else None

    def texts(self, name: str) -> list[str]:
        """Return a list of texts."""
        return [text_of(value, name) for value in list_of(self.take(name), name)]

    def octets(self, name: str) -> bytes:
        """Return bytes."""
        return octets_of(self.take(name), name)

    def octet_lists(self, name: str) -> list[bytes]:
        """Return a list of bytes."""
        return [octets_of(value, name) for value in list_of(self.take(name), name)]

    def exact(self, name: str) -> Fraction:
        """Return an exact number."""
        return exact(self.text(name), name)

    def optional_exact(self, name: str) -> Fraction | None:
        """Return an exact number, or None if the field is not given."""
        return self.exact(name) if self.has(name) else None

    def exacts(self, name: str) -> list[Fraction]:
        """Return a list of exact numbers."""
        return [exact(text, name) for text in self.texts(name)]

    def choice(self, name: str, words: Collection[str]) -> str:
        """Return one of some words."""
        word = self.text(name)
        if word not in words:
            raise Unsupported(f"{name} {word!r} is not known: use {', '.join(words)}")
        return word

    def matrix(self, name: str, most: int) -> list[list[Fraction]]:
        """Return the rows of a matrix of 1 to ``most`` rows, each with 1 to ``most`` exact numbers."""
        rows = [list_of(row, name) for row in list_of(self.take(name), name)]
        require(0 < len(rows) <= most, f"{name} has no row, or more than {most}")
        require(
            all(0 < len(row) <= most for row in rows),
            f"{name} has a row without entries, or with more than {most}",
        )
        return [[exact(text_of(entry, name), name) for entry in row] for row in rows]

    def pairs(self, name: str) -> list[tuple[str, str]]:
        """Return a list of pairs of texts, whose first texts differ."""
        result = []
        for pair in list_of(self.take(name), name):
            texts = [text_of(value, name) for value in list_of(pair, name)]
            require(len(texts) == 2, f"{name} has an entry that is not a pair")
            result.append((texts[0], texts[1]))
        require(len(dict(result)) == len(result), f"{name} has a name that occurs twice")
        return result

    def objects(self, name: str) -> list[Fields]:
        """Return the fields of each object of a list; such an object has no ``op`` and no ``id``."""
        result = []
        for entry in list_of(self.take(name), name):
            require(isinstance(entry, dict), f"{name} has an entry that is not an object")
            assert isinstance(entry, dict)
            fields = Fields({})
            fields.left = dict(entry)
            result.append(fields)
        return result

    def finish(self) -> None:
        """Refuse the fields that are left: the operation does not know them."""
        if self.left:
            raise Unsupported(f"the field {min(self.left)} is not known: leave it out")
