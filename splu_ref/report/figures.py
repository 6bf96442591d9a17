"""Figures 4 and 5 of Fu et al. 2014 as numbers: the printed formula against the exact probability.

The printed formulas come from the ledger, which keeps them beside their refutations; the exact
probabilities come from ``splu_ref.guarantees``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Literal, TypeAlias

from splu_ref.guarantees import error_probability
from splu_ref.report.exhibits import Figure, Series

Formula: TypeAlias = Callable[[int, Fraction, int], Fraction]
"""A probability, or a bound on one, as a function of (gamma, epsilon, frequency)."""

AGREEMENT = 1e-12
"""Plotted values that differ by less count as the same."""
FIGURE_4_GAMMA = 10
FIGURE_4_EPSILONS = tuple(Fraction(percent, 100) for percent in (1, 3, 5, 7, 9))
FIGURE_4_COUNTS = range(100, 901, 100)
FIGURE_5_GAMMAS = (5, 10, 20)
FIGURE_5_EPSILON = Fraction(3, 10)
FIGURE_5_COUNTS = range(1, 11)


def figure_4(printed: Formula) -> Figure:
    """Return the error probability against the count for gamma = 10 and five relative errors.

    Parameters
    ----------
    printed
        The bound of Theorem 3 as printed, from which the paper's figure is drawn.
    """
    exact = _by_epsilon("exact", lambda *point: error_probability(*point).bounds().lower)
    claimed = _by_epsilon("printed", printed)
    below = sum(claim < truth for claim, truth in pairs(claimed, exact))
    compared = (
        f"The printed bound lies below the truth at {below} of {len(pairs(claimed, exact))} plotted points: "
        f"at ε = 0.01 and f = {FIGURE_4_COUNTS[-1]} it is {claimed[0].points[-1][1]:.5f} "
        f"where the truth is {exact[0].points[-1][1]:.4f}."
    )
    return Figure(
        id="figure-4",
        title="Figure 4: error probability of large counts, γ = 10",
        caption="Solid lines, filled markers: the exact probability Pr(|f′ − f| ≥ εf). "
        f"Dashed lines, open markers: the bound of Theorem 3 as printed. {compared}",
        alternative="Line chart on a logarithmic scale: error probability for counts from 100 to 900 and "
        f"relative errors ε from 0.01 to 0.09. {compared}",
        x_label="count f",
        y_label="Pr(|f′ − f| ≥ εf)",
        logarithmic=True,
        series=exact + claimed,
    )


def figure_5(printed: Formula) -> Figure:
    """Return Pr(abs(f' - f) > epsilon f) for the counts 1 to 10, epsilon = 3/10 and three group sizes.

    Parameters
    ----------
    printed
        The sum of Theorem 4 as printed.
    """
    exact = _by_gamma("exact", lambda *point: error_probability(*point, strict=True).bounds().lower)
    claimed = _by_gamma("printed", printed)
    gap = max(abs(claim - truth) for claim, truth in pairs(claimed, exact))
    agreement = (
        "Printed and exact values are the same."
        if gap < AGREEMENT
        else f"Printed and exact values differ by up to {gap:.2g}."
    )
    return Figure(
        id="figure-5",
        title="Figure 5: error probability of small counts, ε = 0.3",
        caption="Lines, filled markers: the exact probability Pr(|f′ − f| > 0.3 f). "
        f"Open markers: the printed formula. {agreement} "
        "The sawtooth comes from rounding 0.3 f to whole counts.",
        alternative="Line chart: error probability for counts from 1 to 10 and group sizes γ = 5, 10 and 20. "
        f"The three curves run close together in a sawtooth that falls at 4, 7 and 10. {agreement}",
        x_label="count f",
        y_label="Pr(|f′ − f| > 0.3 f)",
        logarithmic=False,
        series=exact + claimed,
    )


def pairs(claimed: tuple[Series, ...], exact: tuple[Series, ...]) -> list[tuple[float, float]]:
    """Return (printed, exact) at every plotted point."""
    return [
        (claim, truth)
        for told, true in zip(claimed, exact, strict=True)
        for (_, claim), (_, truth) in zip(told.points, true.points, strict=True)
    ]


def _by_epsilon(kind: Literal["printed", "exact"], formula: Formula) -> tuple[Series, ...]:
    return tuple(
        Series(
            f"{kind}, ε = {float(epsilon)}", kind, _points(formula, FIGURE_4_GAMMA, epsilon, FIGURE_4_COUNTS)
        )
        for epsilon in FIGURE_4_EPSILONS
    )


def _by_gamma(kind: Literal["printed", "exact"], formula: Formula) -> tuple[Series, ...]:
    return tuple(
        Series(f"{kind}, γ = {gamma}", kind, _points(formula, gamma, FIGURE_5_EPSILON, FIGURE_5_COUNTS))
        for gamma in FIGURE_5_GAMMAS
    )


def _points(
    formula: Formula, gamma: int, epsilon: Fraction, counts: Iterable[int]
) -> tuple[tuple[int, float], ...]:
    return tuple((count, float(formula(gamma, epsilon, count))) for count in counts)
