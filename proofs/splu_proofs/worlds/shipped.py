"""The shipped plan and mechanism, run on small worlds: every outcome of their draws with its probability."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from splu_ref.channels.parameters import Gamma
from splu_ref.mechanisms import SpluGen, anatomy, anatomy_reference
from splu_ref.randomness import Draws, outcomes


def plans(histogram: tuple[int, ...], gamma: int) -> Iterator[tuple[str, list[tuple[int, ...]]]]:
    """Yield name and groups, values ascending in each, of either implementation of the greedy plan."""
    counts = np.array(histogram, dtype=np.int64)
    for plan in (anatomy, anatomy_reference):
        groups = plan(counts, Gamma(gamma)).groups().tolist()
        yield plan.__name__, [tuple(sorted(group)) for group in groups]


def releases(histogram: tuple[int, ...], gamma: int) -> Iterator[tuple[list[tuple[int, int]], Fraction]]:
    """Yield every release of a table with this histogram, as (record, published value), and its probability.

    Record numbers ascend with their values. The order within values is part of the outcome; the final
    shuffle, a primitive of the source that moves whole records, is left at the identity. The plan is the
    greedy one, which has no outcomes of its own.
    """
    codes = np.repeat(np.arange(len(histogram), dtype=np.int64), histogram)

    def run(source: Draws) -> list[tuple[int, int]]:
        release = SpluGen(gamma, plan="anatomy").publish_codes(codes, len(histogram), source)
        return list(zip(release.rows.tolist(), release.published.tolist(), strict=True))

    return outcomes(run)
