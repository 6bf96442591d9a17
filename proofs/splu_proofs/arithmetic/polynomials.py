"""Polynomials with whole coefficients, as lists from the constant term up."""

from __future__ import annotations

from math import comb


def binomial(n: int, k: int) -> list[int]:
    """Return the coefficients of C(n, k) x^k (1-x)^(n-k); none for k outside 0..n."""
    if not 0 <= k <= n:
        return []
    return [0] * k + [comb(n, k) * comb(n - k, i) * (-1) ** i for i in range(n - k + 1)]


def plus(left: list[int], right: list[int]) -> list[int]:
    """Return the sum of two polynomials."""
    size = max(len(left), len(right))
    return [
        a + b for a, b in zip(left + [0] * (size - len(left)), right + [0] * (size - len(right)), strict=True)
    ]


def times(left: list[int], right: list[int]) -> list[int]:
    """Return the product of two polynomials."""
    product = [0] * (len(left) + len(right))
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            product[i + j] += a * b
    return product
