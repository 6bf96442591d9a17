"""Picture of laws of draws: T_P, T_P* and the distinction probability, by the noise of a large count.

Every number follows from a law. The drawing is committed; a test draws it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from pathlib import Path

import numpy as np

from splu_proofs.splu.capped_threshold import shared_slot
from splu_proofs.splu.group_draws import minimax_error
from splu_proofs.splu.unbiased_levels import SLOPES, bound
from splu_proofs.worlds.group_laws import variance
from splu_ref import SeededSource, SpluGen
from splu_ref.audit.attacks.informed_adversary import distinction_probability
from splu_ref.channels import lower_tail, upper_tail
from splu_ref.data.reading import EMBEDDED_SENSITIVE, embedded_table
from splu_ref.guarantees import best_estimator, privacy_minimum, utility_threshold

PICTURE = Path(__file__).parents[1] / "_static" / "draws.svg"
EPSILON, ALPHA, LARGE = Fraction(3, 10), 10, 1000
GAMMAS, CAPS = (5, 10, 20), (10, 50, 200, 500)
CEILING = 0.3424
"""T_P that no independent draws exceed at these parameters: claim splu.CEIL."""
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 330, 330, 52, 34, 48
MOST = 32
"""Largest standard deviation that is drawn."""
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #222 } .title { font-weight: 600 }
  .axis { stroke: #222; stroke-width: 1.2 } .grid { stroke: #ccc; stroke-width: .6 }
  .bound { stroke: #555; stroke-dasharray: 5 4; fill: none } .curve { fill: none; stroke-width: 1.4 }
  .a { stroke: #0072b2; fill: #0072b2 } .b { stroke: #d55e00; fill: #d55e00 }
  .c { stroke: #009e73; fill: #009e73 } .curve { fill: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } .axis { stroke: #ddd } .grid { stroke: #444 } .bound { stroke: #aaa }
    .a { stroke: #56b4e9; fill: #56b4e9 } .b { stroke: #ff8c42; fill: #ff8c42 }
    .c { stroke: #2fd0a0; fill: #2fd0a0 } .curve { fill: none }
  }
"""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A law of draws at one group size, and its numbers; exact where they are fractions.

    Attributes
    ----------
    law
        ``independent``, ``capped:M`` or ``all-or-none:A``.
    retention
        p; another than 1/gamma with independent draws alone.
    t_p, t_p_star
        At epsilon = 0.3 for counts up to 10; T_P* is None where p is not 1/gamma.
    variance
        Of a published count of 1,000 that stands in no group with a flagged or rare slot of another value.
    threshold
        T_f of such values: from it on, counts are off by a tenth with probability at most 1/20.
    distinction
        Upper bound of the probability that an adversary who knows all other records distinguishes a count of
        1,000 from 999.
    """

    law: str
    gamma: int
    retention: Fraction
    t_p: Fraction
    t_p_star: Fraction | None
    variance: Fraction
    threshold: int
    distinction: Fraction

    @property
    def spread(self) -> float:
        """The standard deviation of a count of 1,000."""
        return sqrt(self.variance)

    @property
    def conjunction(self) -> float:
        """The standard deviation of a published conjunction that half of 1,000 records satisfy."""
        return sqrt(LARGE / 4 + self.variance / 4)


def settings() -> list[Setting]:
    """Compute every setting."""
    found = []
    for gamma in GAMMAS:
        level = privacy_minimum(gamma, EPSILON, ALPHA).t_p_definition.exact()
        star = best_estimator(gamma, EPSILON, ALPHA).worst_error
        unit = Fraction(gamma - 1, gamma)
        for law, noisy in [("independent", LARGE), *((f"capped:{m}", m) for m in CAPS)]:
            found.append(_setting(law, gamma, level, star, noisy * unit))
        found.append(
            _setting("all-or-none:10", gamma, _rare(gamma), minimax_error(gamma, EPSILON, ALPHA), Fraction(0))
        )
    for kept in range(6, 20, 2):
        mechanism = SpluGen(5, Fraction(kept, 20))
        level = privacy_minimum(5, EPSILON, ALPHA, retention=mechanism.retention).t_p_definition.exact()
        found.append(_of(mechanism, level, None, LARGE * mechanism.count_law.variance))
    return found


def _setting(law: str, gamma: int, level: Fraction, star: Fraction, variance: Fraction) -> Setting:
    return _of(SpluGen(gamma, draws=law), level, star, variance)


def _of(mechanism: SpluGen, level: Fraction, star: Fraction | None, variance: Fraction) -> Setting:
    distinction = distinction_probability(mechanism, "", LARGE, 20 * LARGE).upper
    return Setting(
        law=str(mechanism.draws),
        gamma=int(mechanism.gamma),
        retention=mechanism.retention,
        t_p=level,
        t_p_star=star,
        variance=variance,
        threshold=_threshold(mechanism),
        distinction=distinction,
    )


def _threshold(mechanism: SpluGen) -> int:
    """Return T_f where no other value is flagged or rare: above a cap the noise is that of its flags."""
    law, bound = mechanism.record_law, mechanism.draws.bound
    if mechanism.draws.name == "all-or-none":
        assert bound is not None
        return bound + 1
    plain = utility_threshold(law.gamma, "1/10", "1/20", retention=law.retention).threshold
    if bound is None or plain <= bound:
        return plain
    return next(
        f + 1
        for f in range(plain - 1, 0, -1)
        if law.error_enclosure(min(f, bound), -(-f // 10), 64).bounds().lower > Fraction(1, 20)
    )


def noise_of_a_table(counts: Sequence[int]) -> dict[int, tuple[float, ...]]:
    """Return standard deviations of counts of the embedded table with groups of five.

    Under independent draws, and under caps of 10, 100 and 400 with the flags of one plan, others' included.
    """
    whole = np.asarray(embedded_table().histogram(EMBEDDED_SENSITIVE))
    whole[whole.argmax()] -= whole.sum() % 5
    laws = (SpluGen(5, draws=f"capped:{m}") for m in (10, 100, 400))
    kinds = [law.slot_kinds(whole, SeededSource(1)) for law in laws]
    values = {int(count): value for value, count in enumerate(whole)}
    return {
        count: (
            sqrt(0.8 * count),
            *(sqrt(sum(n * _slot(*kind) for kind, n in each[values[count]].items())) for each in kinds),
        )
        for count in counts
    }


def _slot(flagged: bool, many: int) -> Fraction:
    """Return the variance that a slot adds in a group of five, ``many`` of whose slots are flagged."""
    if flagged:
        return Fraction(4, 5)
    return variance(shared_slot(5, many)) if many else Fraction(0)


def _rare(gamma: int) -> Fraction:
    """Return T_P of values that take whole groups: gamma times Bin(f, 1/gamma)."""
    chance = Fraction(1, gamma)
    return min(
        lower_tail(f, (1 - EPSILON) * f // gamma, chance)
        + upper_tail(f, -(-(1 + EPSILON) * f // gamma), chance)
        for f in range(1, ALPHA + 1)
    )


@dataclass(frozen=True)
class _Panel:
    """One of the drawings: its title, what is drawn upwards, and the ends of that."""

    number: int
    title: str
    name: str
    low: float
    high: float
    step: float

    def x(self, spread: float) -> float:
        """Return where a standard deviation is drawn."""
        return round(self.number * WIDTH + LEFT + spread / MOST * (WIDTH - LEFT - 14), 1)

    def y(self, value: float) -> float:
        """Return where a value is drawn, one beyond the upper end at that end."""
        share = (min(value, self.high) - self.low) / (self.high - self.low)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)

    def frame(self) -> Iterator[str]:
        """Draw title, axes and grid."""
        yield f'<text class="title" x="{self.x(0)}" y="16">{self.title}</text>'
        form = ".1f" if self.step >= 0.1 else ".2f"
        for tick in range(round((self.high - self.low) / self.step) + 1):
            value = self.low + tick * self.step
            y = self.y(value)
            yield f'<line class="grid" x1="{self.x(0)}" x2="{self.x(MOST)}" y1="{y}" y2="{y}"/>'
            yield f'<text x="{self.x(0) - 6}" y="{y + 4}" text-anchor="end">{value:{form}}</text>'
        for spread in range(0, MOST + 1, 10):
            yield (
                f'<text x="{self.x(spread)}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{spread}</text>'
            )
        yield (
            f'<line class="axis" x1="{self.x(0)}" x2="{self.x(MOST)}" y1="{self.y(self.low)}" '
            f'y2="{self.y(self.low)}"/>'
        )
        yield (
            f'<text x="{self.x(MOST / 2)}" y="{HEIGHT - 10}" text-anchor="middle">standard deviation of a '
            "count of 1,000</text>"
        )

    def level(self, value: float, says: str, kind: str = "bound") -> Iterator[str]:
        """Draw a bound that does not depend on the noise."""
        yield (
            f'<line class="{kind}" x1="{self.x(0)}" x2="{self.x(MOST)}" y1="{self.y(value)}" '
            f'y2="{self.y(value)}"/>'
        )
        yield f'<text x="{self.x(MOST)}" y="{self.y(value) - 4}" text-anchor="end">{says}</text>'

    def curve(self, points: Sequence[tuple[float, float]], kind: str) -> str:
        """Join points."""
        path = " ".join(f"{self.x(x)},{self.y(y)}" for x, y in points)
        return f'<polyline class="{kind}" points="{path}"/>'


def drawing(shown: Sequence[Setting]) -> str:
    """Return the picture as a whole SVG document; the same numbers give the same bytes."""
    return "\n".join(_lines(shown)) + "\n"


def _lines(shown: Sequence[Setting]) -> Iterator[str]:
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {3 * WIDTH} {HEIGHT + 26}" role="img">'
    yield (
        "<title>T_P, T_P* and the price of laws of draws, by the standard deviation of a count of 1,000. "
        "A cap moves a point to the left at the same T_P and T_P*, and up in the price; all or none stands "
        f"highest, at no noise and a price of 1.</title><style>{STYLE}</style>"
    )
    privacy = _Panel(0, "T_P, counts up to 10", "t_p", 0, 1, 0.2)
    least = _Panel(1, "T_P*, whatever the estimator", "t_p_star", 0, 0.8, 0.2)
    price = _Panel(2, "price: 1,000 distinguished from 999", "distinction", 0.5, 0.6, 0.02)
    for panel in (privacy, least, price):
        yield from panel.frame()
    yield from privacy.level(CEILING, "independent draws: at most .342")
    blind = [(x, x * x / (LARGE * ALPHA * float(EPSILON) ** 2)) for x in range(MOST - 1)]
    yield privacy.curve([(x, y) for x, y in blind if y <= 1], "bound")
    yield f'<text x="{privacy.x(6)}" y="{privacy.y(0.86)}">blind draws: below the curve</text>'
    yield from least.level(0.75, "any mechanism: 3/4 at most")
    yield from least.level(float(bound(5, SLOPES[5])), "")
    yield f'<text x="{least.x(8)}" y="{least.y(0.65)}">unbiased, γ = 5: .704 at most</text>'
    yield price.curve([(sqrt((n * n - 1) / 12), 0.5 + 0.5 / n) for n in range(5, 108)], "bound")
    yield f'<text x="{price.x(8)}" y="{price.y(0.55)}">unbiased: above the dashes</text>'
    yield f'<text x="{price.x(1)}" y="{price.y(0.6) + 13}">all or none: 1, beyond the scale</text>'
    for panel in (privacy, least, price):
        for gamma, color in zip(GAMMAS, "abc", strict=True):
            yield from _points(panel, [each for each in shown if each.gamma == gamma], color)
    at = LEFT
    for gamma, color in zip(GAMMAS, "abc", strict=True):
        yield f'<rect class="{color}" x="{at}" y="{HEIGHT + 6}" width="12" height="12"/>'
        yield f'<text x="{at + 18}" y="{HEIGHT + 17}">γ = {gamma}</text>'
        at += 90
    for kind, says in (
        ("circle", "independent"),
        ("square", "capped"),
        ("triangle", "all or none"),
        ("small", "p > 1/γ"),
    ):
        yield _mark(kind, "axis", at + 6, HEIGHT + 12, says)
        yield f'<text x="{at + 18}" y="{HEIGHT + 17}">{says}</text>'
        at += 118
    yield "</svg>"


def _points(panel: _Panel, own: Sequence[Setting], color: str) -> Iterator[str]:
    """Draw the settings of one group size, those with one T_P joined."""
    joined = [each for each in own if not each.law.startswith("all")]
    for chain in (
        [each for each in joined if each.retention == Fraction(1, each.gamma)],
        [each for each in joined if each.law == "independent"],
    ):
        points = sorted((each.spread, _value(each, panel)) for each in chain if _drawn(each, panel))
        if len(points) > 1:
            yield panel.curve(points, f"curve {color}")
    for each in own:
        if _drawn(each, panel):
            if each.retention != Fraction(1, each.gamma):
                kind, says = "small", f"p = {each.retention}"
            else:
                kind = {"i": "circle", "c": "square", "a": "triangle"}[each.law[0]]
                says = each.law
            label = (
                f"γ = {each.gamma}, {says}: {panel.name} {_value(each, panel):.4f}, s.d. {each.spread:.1f}"
            )
            yield _mark(kind, color, panel.x(each.spread), panel.y(_value(each, panel)), label)


def _drawn(each: Setting, panel: _Panel) -> bool:
    return getattr(each, panel.name) is not None


def _value(each: Setting, panel: _Panel) -> float:
    return float(getattr(each, panel.name))


def _mark(kind: str, color: str, x: float, y: float, says: str) -> str:
    title = f"<title>{says}</title>"
    if kind == "square":
        return f'<rect class="{color}" x="{x - 4}" y="{y - 4}" width="8" height="8">{title}</rect>'
    if kind == "triangle":
        return f'<path class="{color}" d="M{x - 5} {y + 4}h10l-5 -9z">{title}</path>'
    return f'<circle class="{color}" cx="{x}" cy="{y}" r="{2.5 if kind == "small" else 4.5}">{title}</circle>'


if __name__ == "__main__":
    PICTURE.write_text(drawing(settings()), encoding="utf-8")
