"""Noise that is a function of the query: what remains of it for who asks in other words.

The same query brings the same noise, so that repetition brings nothing (Chirayath et al. 2006, section 1.2).
But a number has many queries: C is the sum of C and v over the values v of any other column, and it is C and
v together with C without v. Each of these queries has noise of its own.
Noise that is a function of the records meant leaves more, most where they are few.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class QueryNoise:
    """Variances of the best unbiased estimate of one count, as shares of the variance of one answer.

    Attributes
    ----------
    by_columns
        From C itself and its division by each other column.
    column_queries
        How many queries that takes.
    by_values
        From C itself and, for each value of each other column, C with it and C without it.
    value_queries
        How many queries that takes.
    """

    by_columns: Fraction
    column_queries: int
    by_values: Fraction
    value_queries: int


def query_noise(values: Mapping[str, int]) -> QueryNoise:
    """Return what remains of the variance if the noises of different queries are independent.

    Parameters
    ----------
    values
        How many values each column has that the count says nothing of, at least 1. A column of one value
        divides nothing, and of a column of two the set without one value is the set with the other.

    Notes
    -----
    Precisions add up over columns, since each brings answers of its own. The m answers of a division sum to
    the count with m times the variance: precision 1/m. With the complements too, the sum of the answers to C
    with v and C without v has twice the variance, for each v, and their differences d_v, of the same
    variance and independent of the sums, satisfy that the sum of d_v is (2 - m) times the count: m/2 and
    (m - 2)^2/(2 m), in all m - 2 + 2/m. Least squares give the best linear unbiased estimate, whatever the
    law of the noise. Answers to C with two and more further conditions would bring more.
    """
    sizes = [size for size in values.values() if size > 1]
    divided = sum((Fraction(1, size) for size in sizes), Fraction(1))
    crossed = sum((_precision(size) for size in sizes), Fraction(1))
    return QueryNoise(
        1 / divided,
        1 + sum(sizes),
        1 / crossed,
        1 + sum(size if size == 2 else 2 * size for size in sizes),
    )


def _precision(size: int) -> Fraction:
    return Fraction(1, 2) if size == 2 else size - 2 + Fraction(2, size)
