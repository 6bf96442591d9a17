"""Recoding: what may be done to columns of the original before publishing, as a manifest records it.

The list ``recoded`` of a manifest has an object for each step, in the order in which they were done, with the
``column`` and one of these keys:

- ``bins``: the width of the bins of numbers as decimal digits, or ``year``, ``quarter`` or ``month`` for
  dates. For numbers ``whole`` is true if the bins are named by their first and last whole number
  (`bin_name`);
- ``cross``: the columns that the column replaced. Their values are joined by a slash with a blank on both
  sides;
- ``grouped_below``: the number of records below which a value became ``other``;
- ``hashed``: always ``HMAC-SHA-256`` (`hashed`).

Cells without content stay as they are. Recoding is an addition of this specification.
"""

from __future__ import annotations

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


def hashed(key: bytes, column: str, value: str) -> str:
    """Return what a value is replaced by: 16 hexadecimal digits of a keyed hash.

    They are the first ones of HMAC-SHA-256 under the secret key of the message ``splu-ref/hash/1`` ‖
    u64(length of the column's name in UTF-8) ‖ the name ‖ the value in UTF-8.

    >>> hashed(bytes(31) + b"k", "name", "anna")
    'bbddb15b0a606e06'
    """
    name = column.encode()
    return keyed_hash(key, b"splu-ref/hash/1" + u64(len(name)) + name + value.encode()).hex()[:16]
