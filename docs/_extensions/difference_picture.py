"""Picture of the statistical difference of two originals, by the prior knowledge of an adversary.

A query of half the domain selects either all n tuples of the original, or none. The closer the laws of the
count that the alpha-beta algorithm publishes, the less distinguishable are the two originals (Rastogi, Suciu
and Hong 2007, Definition 3.1 and Theorem 3.3; claims rastogi.SD and rastogi.T33). Floats, for display only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, lgamma, log, log1p

import numpy as np

from splu_ref.guarantees import TupleLevels
from splu_ref.mechanisms import FloatArray
from splu_ref.output.pictures import can_draw, canvas, figure_bytes
from splu_ref.report.drawing import COLORS, INK, MARKERS, STYLE, inline

LEVELS = (Fraction(1, 2), Fraction(1, 5))
"""gamma: the largest posterior that is allowed."""
SIZES = (100, 1_000, 10_000)
"""m, tuples of the domain; the original has n = sqrt m of them, rounded down."""
STEPS = tuple(Fraction(j, 20) for j in range(1, 20))
"""k = d m/n as shares of the largest, gamma m/n, at which d is gamma and nothing may be published."""
ID = "difference"
CAPTION = (
    "Statistical difference of the published count of a query between two originals: the query selects "
    "all n tuples or none. 2: always distinguishable; 0: never. Each curve is the algorithm with the "
    "least variance for (d, γ), d = k n/m, n = √m, and a query of half the domain. Below the line at ½ "
    "the paper calls the algorithm meaningless."
)


@dataclass(frozen=True, slots=True)
class Curve:
    """One gamma and one m: k ascending, and the difference, 0 to 2, at each."""

    gamma: Fraction
    size: int
    points: tuple[tuple[float, float], ...]

    @property
    def crossing(self) -> float | None:
        """The first drawn k with a difference below 1/2."""
        return next((k for k, found in self.points if found < 0.5), None)


def curves() -> tuple[Curve, ...]:
    """Compute all curves, gamma by gamma."""
    return tuple(Curve(gamma, size, tuple(_points(gamma, size))) for gamma in LEVELS for size in SIZES)


def _points(gamma: Fraction, size: int) -> Iterator[tuple[float, float]]:
    tuples = isqrt(size)
    for share in STEPS:
        best = TupleLevels.of(gamma * share, gamma).best()
        own, other = float(best.alpha + best.beta), float(best.beta)
        yield float(gamma * share * size / tuples), difference(own, other, size // 2, tuples)


def difference(own: float, other: float, query_size: int, count: int) -> float:
    """Return sum over x of abs(Pr(n_V = x; Q = count) - Pr(n_V = x; Q = 0)), without a factor 1/2.

    Parameters
    ----------
    own, other
        alpha + beta and beta.
    query_size
        n_D, tuples of the domain that the query selects.
    count
        Q, at most n_D.
    """
    fakes, genuine = _masses(query_size - count, other), _masses(count, own)
    none = _masses(query_size, other)
    return float(np.abs(np.convolve(genuine, fakes) - none).sum())


def _masses(trials: int, chance: float) -> FloatArray:
    """Return Pr(X = 0), .., Pr(X = trials), X ~ Bin(trials, chance)."""
    if chance in (0.0, 1.0):
        return np.asarray(np.eye(trials + 1)[int(chance) * trials])
    ways = [lgamma(trials + 1) - lgamma(k + 1) - lgamma(trials - k + 1) for k in range(trials + 1)]
    hits = np.arange(trials + 1)
    return np.asarray(np.exp(np.array(ways) + hits * log(chance) + (trials - hits) * log1p(-chance)))


def alternative(shown: tuple[Curve, ...]) -> str:
    """Return a text alternative of the drawing."""
    crossings = "; ".join(
        f"γ = {curve.gamma}, m = {curve.size}: "
        + ("never" if curve.crossing is None else f"from k = {curve.crossing:.2g} on")
        for curve in shown
    )
    return (
        f"Line chart: the statistical difference against k, which all curves fall with. Below ½: {crossings}."
    )


def draw_difference(shown: tuple[Curve, ...]) -> str:
    """Return the drawing as an ``<svg>`` element, or an empty text if matplotlib is not installed."""
    if not can_draw():
        return ""
    with canvas(6.4, 4.4, STYLE) as drawing:
        axes = drawing.subplots()
        for number, curve in enumerate(shown):
            axes.plot(
                [k for k, _ in curve.points],
                [found for _, found in curve.points],
                label=f"γ = {curve.gamma}, m = {curve.size:,}",
                color=COLORS[number % len(SIZES)],
                marker=MARKERS[number % len(SIZES)],
                linestyle="-" if curve.gamma == LEVELS[0] else "--",
                markersize=3,
            )
        axes.axhline(0.5, color=INK, linewidth=0.8)
        axes.set_xscale("log")
        axes.set_xlim(0.08, 500)  # room for the names
        axes.set_xticks([0.1, 0.3, 1, 3, 10, 30])
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.xaxis.set_minor_formatter(lambda value, _: "")
        axes.set_xlabel("k = d m/n: largest prior belief, in multiples of n/m")
        axes.set_ylabel("statistical difference")
        axes.set_ylim(0, 2.05)
        axes.grid(visible=True, color=INK, alpha=0.15, linewidth=0.6)
        axes.legend(frameon=False, loc="upper right", fontsize=8)
        return inline(figure_bytes(drawing, "svg", transparent=True), ID)
