"""Picture of the trade-off of retention: privacy of small counts against accuracy of conjunctions.

Two parameters: the group size gamma, one curve each, and the retention probability p along the curves. The
choice of Fu et al. 2014, p = 1/gamma, is marked.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from splu_ref.channels import PublishedCount
from splu_ref.guarantees import Conjunction, conjunction_variance, minimax_error_bounds, privacy_minimum
from splu_ref.output.pictures import can_draw, canvas, figure_bytes
from splu_ref.report.drawing import COLORS, INK, MARKERS, STYLE, inline

GAMMAS = (2, 3, 5, 7)
RETENTIONS = tuple(Fraction(k, 20) for k in range(2, 20))
EPSILON, ALPHA = Fraction(3, 10), 10
ROWS, FREQUENCY, PREDICATE, CONCEPT = 30_715, 2_000, 1_000, 100
"""About the size of the embedded table: a value with 2,000 records, and a predicate of 1,000."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One choice of p and gamma with its privacy and accuracy: floats, for display only.

    Attributes
    ----------
    law
        The group size gamma and the retention probability p.
    t_p
        Definition 2's T_P at epsilon = 3/10 for counts up to 10.
    t_p_star
        T_P* of the same counts: the least worst-case error probability of any estimator.
    relative_error
        Standard error of the conjunctive estimate over the true count, 100.
    """

    law: PublishedCount
    t_p: float
    t_p_star: float
    relative_error: float


@dataclass(frozen=True, slots=True)
class Frontier:
    """The settings of the figure, gamma by gamma and p ascending."""

    settings: tuple[Setting, ...]

    id = "frontier"
    caption = (
        "Privacy of small counts against accuracy of conjunctions. One curve for each group size γ; along "
        "it the retention p runs from 0.1 on the right to 0.95 on the left. Ringed: p = 1/γ, the choice of "
        "the paper, the highest point of its curve. Dashed: T_P*, the least worst-case "
        "error probability of any estimator at these counts. Up and to the left is better."
    )

    @property
    def plain(self) -> tuple[Setting, ...]:
        """The settings with p = 1/gamma."""
        return tuple(setting for setting in self.settings if setting.law.is_plain)

    @property
    def alternative(self) -> str:
        """A text alternative of the drawing."""
        values = "; ".join(
            f"γ = {each.law.gamma}: T_P {each.t_p:.3f}, T_P* {each.t_p_star:.3f}, error "
            f"{each.relative_error:.0%}"
            for each in self.plain
        )
        return (
            "Line chart: T_P and T_P* for counts up to 10 against the relative standard error of a "
            "conjunctive count, on a logarithmic scale. At p = 1/γ, the highest point of each curve: "
            f"{values}. From there on all fall with larger p, and the curve of a larger γ lies above "
            "that of a smaller one."
        )

    def curve(self, gamma: int) -> tuple[Setting, ...]:
        """Return the settings of one group size."""
        return tuple(setting for setting in self.settings if setting.law.gamma == gamma)


def frontier() -> Frontier:
    """Compute every setting; p = 1/gamma is among those of each gamma."""
    return Frontier(
        tuple(
            _setting(PublishedCount.of(gamma, retention))
            for gamma in GAMMAS
            for retention in sorted({*RETENTIONS, Fraction(1, gamma)})
        )
    )


def _setting(law: PublishedCount) -> Setting:
    case = Conjunction.of(law.gamma, ROWS, FREQUENCY, PREDICATE, retention=law.retention)
    error = float(conjunction_variance(case, CONCEPT)) ** 0.5
    level = privacy_minimum(law.gamma, EPSILON, ALPHA, retention=law.retention).t_p_definition.exact()
    star = minimax_error_bounds(law.gamma, EPSILON, ALPHA, retention=law.retention).at_least
    return Setting(law, t_p=float(level), t_p_star=float(star), relative_error=error / CONCEPT)


def draw_frontier(shown: Frontier) -> str:
    """Return the drawing as an ``<svg>`` element, or an empty text if matplotlib is not installed."""
    if not can_draw():
        return ""
    with canvas(6.4, 4.8, STYLE) as drawing:
        axes = drawing.subplots()
        for number, gamma in enumerate(GAMMAS):
            curve = shown.curve(gamma)
            axes.plot(
                [each.relative_error for each in curve],
                [each.t_p for each in curve],
                label=f"γ = {gamma}",
                color=COLORS[number],
                marker=MARKERS[number],
                markersize=4,
            )
            axes.plot(
                [each.relative_error for each in curve],
                [each.t_p_star for each in curve],
                label="T_P*" if number == len(GAMMAS) - 1 else None,
                color=COLORS[number],
                linestyle="dashed",
                linewidth=0.9,
            )
        for each in shown.plain:
            at = (each.relative_error, each.t_p)
            axes.plot(*at, marker="o", markersize=14, fillstyle="none", color=INK, linestyle="none")
            above = each.law.gamma in (GAMMAS[0], GAMMAS[-1])  # away from the other curves
            place = (-16, 11) if above else (-4, -21)
            axes.annotate(f"p = 1/{each.law.gamma}", at, xytext=place, textcoords="offset points")
        for each in shown.curve(GAMMAS[-1]):
            p = each.law.retention
            if p in (Fraction(1, 2), Fraction(3, 4), Fraction(9, 10)):
                at = (each.relative_error, each.t_p)
                axes.annotate(f"p = {float(p)}", at, xytext=(-54, 0), textcoords="offset points")
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.xaxis.set_minor_formatter(lambda value, _: "")
        axes.set_xlabel("standard error of a conjunctive count of 100")
        axes.set_ylabel("T_P and T_P*: counts up to 10 wrong by 30 %")
        axes.set_xlim(0.022, 1.1)
        axes.set_xticks([0.03, 0.1, 0.3, 1])
        axes.set_ylim(0, 0.46)
        axes.grid(visible=True, color=INK, alpha=0.15, linewidth=0.6)
        axes.legend(frameon=False, loc="upper left")
        return inline(figure_bytes(drawing, "svg", transparent=True), shown.id)
