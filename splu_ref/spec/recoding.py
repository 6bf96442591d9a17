"""Recoding: what may be done to columns of the original before publishing, as a manifest records it.

The list ``recoded`` of a manifest has an object for each step, in the order in which they were done, with the
``column`` and one of these keys:

- ``bins``: the width of the bins of numbers as decimal digits, or ``year``, ``quarter`` or ``month`` for
  dates. For numbers ``whole`` is true if the bins are named by their first and last whole number
  (`bin_name`);
- ``cross``: the columns that the column replaced. Their values are joined by a slash with a blank on both
  sides;
- ``grouped_below``: the number of records below which a value became ``other``;
- ``hashed``: always ``HMAC-SHA-256``, with the ``salt`` of the release (`salt_of`) or of several releases
  whose hashes agree (`hashed`). Manifests of older programs have no ``salt``;
- ``dropped``: true; the column was not published.

Cells without content stay as they are. Recoding is an addition of this specification.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor

from splu_ref.spec.errors import require
from splu_ref.spec.keys import keyed_hash
from splu_ref.spec.randomness import u64


def bin_start(number: Fraction, width: Fraction) -> Fraction:
    """Return the greatest multiple of the width that is at most a number: where its bin begins.

    >>> bin_start(Fraction(-1), Fraction(10)), bin_start(Fraction(37), Fraction(5, 2))
    (Fraction(-10, 1), Fraction(35, 1))
    """
    require(width > 0, "the width is not above 0")
    return floor(number / width) * width


def bin_name(number: int, width: int, *, whole: bool) -> str:
    """Return the name of the bin of a whole number; bins that are not ``whole`` end before the next begins.

    >>> bin_name(37, 10, whole=True), bin_name(37, 10, whole=False)
    ('30..39', '30..<40')
    """
    first = int(bin_start(Fraction(number), Fraction(width)))
    return f"{first}..{first + width - 1}" if whole else f"{first}..<{first + width}"


def period_name(year: int, month: int, period: str) -> str:
    """Return the name of the bin of a date.

    >>> [period_name(2024, 5, period) for period in ("year", "quarter", "month")]
    ['2024', '2024-Q2', '2024-05']
    """
    require(period in ("year", "quarter", "month"), "there is no such period")
    parts = {"year": "", "quarter": f"-Q{(month - 1) // 3 + 1}", "month": f"-{month:02}"}
    return f"{year:04}{parts[period]}"


def hashed(key: bytes, column: str, value: str, salt: str | None = None) -> str:
    """Return what a value is replaced by: 16 hexadecimal digits of a keyed hash.

    They are the first ones of HMAC-SHA-256 under the secret key of the message ``splu-ref/hash/2`` ‖
    u64(length of the salt in UTF-8) ‖ the salt ‖ u64(length of the column's name in UTF-8) ‖ the name ‖ the
    value in UTF-8. Without a salt the message is ``splu-ref/hash/1`` ‖ the parts from the name's length on.

    >>> hashed(bytes(31) + b"k", "name", "anna")
    'bbddb15b0a606e06'
    >>> hashed(bytes(31) + b"k", "name", "anna", "a") == hashed(bytes(31) + b"k", "name", "anna", "b")
    False
    """
    rule, parts = (b"1", [column]) if salt is None else (b"2", [salt, column])
    framed = b"".join(u64(len(part.encode())) + part.encode() for part in parts)
    return keyed_hash(key, b"splu-ref/hash/" + rule + framed + value.encode()).hex()[:16]


def salt_of(key: bytes, table: str) -> str:
    """Return the salt of a release by the digest of the original table's content, before any step.

    It has the first 32 hexadecimal digits of HMAC-SHA-256 under the secret key of the message
    ``splu-ref/hash-salt/1`` ‖ the 32 bytes of the digest. So the same table has the same salt.

    >>> len(salt_of(bytes(31) + b"k", "00" * 32))
    32
    """
    return keyed_hash(key, b"splu-ref/hash-salt/1" + bytes.fromhex(table)).hex()[:32]


def require_step(step: Mapping[str, object]) -> None:
    """Refuse an entry of the list ``recoded`` that has none of the forms above.

    >>> require_step({"column": "note", "dropped": True})
    """
    names = set(step) - {"column"}
    kind = next((name for name in KINDS if name in names), "")
    require(isinstance(step.get("column"), str), "a step has no column")
    require(kind != "" and names <= {kind, *KINDS[kind]}, "the kind of the step is not known")
    value, salt = step[kind], step.get("salt", "older")
    if kind == "bins":
        require(isinstance(value, str) and _is_width(value), "the width is not above 0")
        require(type(step.get("whole", True)) is bool, "whole is neither true nor false")
    elif kind == "cross":
        require(isinstance(value, list) and _are_columns(value), "no two or more columns were crossed")
    elif kind == "grouped_below":
        require(type(value) is int and value >= 2, "the number of records is not at least 2")
    elif kind == "hashed":
        require(value == "HMAC-SHA-256" and isinstance(salt, str) and salt != "", "the hash is not known")
    else:
        require(value is True, "a column was dropped or not")


KINDS = {"bins": ("whole",), "cross": (), "grouped_below": (), "hashed": ("salt",), "dropped": ()}
"""By the key that names the kind of a step, its other keys."""


def _is_width(value: str) -> bool:
    """Return whether a text is the width of bins."""
    number = re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?", value) is not None
    return value in ("year", "quarter", "month") or (number and Fraction(value) > 0)


def _are_columns(parts: Sequence[object]) -> bool:
    """Return whether a list has two or more names of columns, none twice."""
    texts = {part for part in parts if isinstance(part, str) and part}
    return len(texts) == len(parts) > 1
