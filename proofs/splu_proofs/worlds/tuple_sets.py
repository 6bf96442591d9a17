"""What the shipped alpha-beta algorithm publishes, over every outcome of small domains."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from splu_ref.mechanisms import AlphaBeta
from splu_ref.randomness import UniformSource, outcomes

Published = tuple[int, ...]


def published(
    alpha: Fraction, beta: Fraction, members: Sequence[int], size: int, *, eager: bool = False
) -> dict[Published, Fraction]:
    """Return the law of the numbers of the published tuples, ascending, repeated ones repeated."""
    mechanism = AlphaBeta(alpha, beta, {"x": ["a", "b"]})
    numbers = np.array(members, dtype=np.int64)

    def run(source: UniformSource) -> Published:
        return tuple(sorted(mechanism.publish_tuples(numbers, size, source, eager=eager).tolist()))

    law: dict[Published, Fraction] = defaultdict(Fraction)
    for seen, chance in outcomes(run):
        law[seen] += chance
    return law
