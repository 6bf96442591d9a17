"""Fifth stage: figures 4 and 5 computed again, compared with the printed curves, and drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from time import perf_counter

from splu_ref.report.drawing import draw
from splu_ref.report.exhibits import AGREEMENT, Figure, Formula, figure_4, figure_5, pairs
from splu_ref.report.model import Row
from splu_ref.report.progress import Progress
from splu_ref.report.stages.ledger import Ledger
from splu_ref.report.stages.outcome import Outcome, check_row


def figures_stage(ledger: Ledger, progress: Progress) -> Outcome:
    """Return both figures, and a row for each: whether the printed curve is what the ledger says of it."""
    progress.stage("Figures", 2)
    progress.at("figure 4", 0)
    fourth, row_4 = _examined(lambda: figure_4(ledger.printed["splu.T3"]), _refuted_everywhere)
    progress.at("figure 5", 1)
    fifth, row_5 = _examined(lambda: figure_5(_printed_sum(ledger)), _agrees)
    return Outcome(rows=(row_4, row_5), figures=(fourth, fifth))


def _examined(compute: Callable[[], Figure], judge: Callable[[Figure], Row]) -> tuple[Figure, Row]:
    begin = perf_counter()
    figure = compute()
    row = judge(figure)
    drawn = replace(figure, svg=draw(figure))
    return drawn, replace(row, seconds=perf_counter() - begin)


def _refuted_everywhere(figure: Figure) -> Row:
    points = _points(figure)
    below = sum(claim < truth for claim, truth in points)
    return check_row(
        "figures",
        "figure-4",
        "Figure 4 as printed is refuted at every plotted point",
        below == len(points) > 0,
        grade="exact",
        evidence=f"the printed bound is below the certified probability at {below} of {len(points)} points",
    )


def _agrees(figure: Figure) -> Row:
    gap = max(abs(claim - truth) for claim, truth in _points(figure))
    return check_row(
        "figures",
        "figure-5",
        "Figure 5 as printed agrees with the exact probability",
        gap < AGREEMENT,
        grade="exact",
        evidence=f"the largest difference between printed and certified values is {gap:.1g}",
    )


def _points(figure: Figure) -> list[tuple[float, float]]:
    claimed = tuple(series for series in figure.series if series.kind == "printed")
    return pairs(claimed, tuple(series for series in figure.series if series.kind == "exact"))


def _printed_sum(ledger: Ledger) -> Formula:
    """Return the printed sum of figure 5 as a formula, from the ledger's values of it."""
    data = ledger.figures["splu.F5"]()
    values = {
        (series["gamma"], frequency): value
        for series in data["series"]
        for frequency, value in zip(series["frequencies"], series["printed"], strict=True)
    }

    def printed(gamma: int, epsilon: Fraction, frequency: int) -> Fraction:
        if epsilon != data["epsilon"]:
            raise LookupError(f"the ledger has figure 5 for epsilon = {data['epsilon']}, not {epsilon}")
        return Fraction(values[gamma, frequency])

    return printed
