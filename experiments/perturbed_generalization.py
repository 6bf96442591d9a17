"""Accuracy and disclosure of perturbed generalization.

The variance of its estimates, and the share of people that two releases can link. The mechanism is
`splu_ref.mechanisms.PerturbedGeneralization`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from splu_ref.channels import PerturbedGroup
from splu_ref.randomness import IntArray


def variance(law: PerturbedGroup, counts: IntArray, sizes: IntArray) -> Fraction:
    """Return the variance of the estimated count of a value, by counts and sizes of the groups."""
    total = Fraction(0)
    for (count, size), times in _paired(counts, sizes).items():
        shown = law.retention * count / size + law.absent_probability
        total += times * size * size * shown * (1 - shown)
    return total / law.retention**2


def _paired(counts: IntArray, sizes: IntArray) -> dict[tuple[int, int], int]:
    pairs, times = np.unique(np.stack([counts, sizes]), axis=1, return_counts=True)
    return {
        (int(count), int(size)): int(number) for (count, size), number in zip(pairs.T, times, strict=True)
    }


def followed(sizes: IntArray) -> Fraction:
    """Return the expected share of people who are published in both of two releases with these groups."""
    each = [
        (int(size), int(times)) for size, times in zip(*np.unique(sizes, return_counts=True), strict=True)
    ]
    records = sum(size * times for size, times in each)
    return sum((Fraction(times, size) for size, times in each), Fraction(0)) / records
