"""The best operator against every prior, without a program: uniform perturbation of some frequent values."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.operators.optimum import Optimum
from splu_ref.operators.requirement import Matrix, Requirement


def best_against_all(wanted: Requirement) -> Optimum:
    """Return the best operator of amplification at most G.

    Uniform perturbation of all values keeps most on the mean of the diagonal, and of its least entry
    (chaytor.OPTc). Of the records it keeps most if the rarest value has at least a share of 1/(m+G-1);
    otherwise uniform perturbation of the k most frequent values does, for the k with the largest
    G Pi_k/(k+G-1), Pi_k their share; every other value is published as one of these, each equally often
    (chaytor.FINEc). Among equally good numbers k the largest is taken, which leaves most to be estimated.

    Notes
    -----
    With M = Pi_k/(k+G-1) the multiplier of the row of value u is G (pi_u - M)/(G-1) for the k values and 0
    for the others. They add up to G M, and leave no entry open: pi_u <= M from the next value on.
    """
    size, ratio = len(wanted.counts), wanted.ratio
    weights = wanted.weights() or (Fraction(1, size),) * size
    falling = sorted(range(size), key=lambda place: (-weights[place], place))
    best, chosen = Fraction(0), 0
    for number in range(1, size + 1):
        kept = sum(weights[place] for place in falling[:number]) / (number + ratio - 1)
        if kept >= best:
            best, chosen = kept, number
    frequent = falling[:chosen]
    multiplier = {place: ratio * (weights[place] - best) / (ratio - 1) for place in frequent}
    return Optimum(
        requirement=wanted,
        matrix=_uniform(size, frequent, ratio),
        weights=weights,
        rows=tuple(multiplier.get(place, Fraction(0)) for place in range(size)),
    )


def _uniform(size: int, published: list[int], ratio: Fraction) -> Matrix:
    """Return uniform perturbation of some values, as all others are published as any of these."""
    own, other = ratio / (len(published) + ratio - 1), 1 / (len(published) + ratio - 1)
    rows = []
    for place in range(size):
        if place in published:
            law = {each: own if each == place else other for each in published}
        else:
            law = dict.fromkeys(published, Fraction(1, len(published)))
        rows.append(tuple(law.get(each, Fraction(0)) for each in range(size)))
    return tuple(rows)
