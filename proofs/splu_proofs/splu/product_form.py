"""splu.DEV: when the deviation of a published count from its prediction estimates that of the true count."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

from ..check import Comparisons
from ..claim import Claim, Status
from ..derivation import Derivation
from ..evidence import Grade
from ..recheck import on_grid
from ..step import Identity
from ..worlds.histograms import greedy_groups, histograms
from .covariance import kept

DEV = Claim(
    id="splu.DEV",
    module=__name__,
    source="new; on Fu et al. 2014, §5.1",
    title="deviation from a predicted composition",
    statement=(
        r"\mathrm{E}\,\frac{y_v-\sum_u m_u T[u,v]}{p-g}=x_v-m_v\ \text{ for all } x, m \text{ with equal "
        r"sums}\iff T[u,v]=g\ \text{ for all } u\ne v"
    ),
    words=(
        "A predicate has the counts x by value, and m predicts them with the same sum. The deviation of the "
        "published count of v from its expectation under m, over p - g, is an unbiased estimate of the "
        "deviation of the true count if every other value is published as v with the same probability g. "
        "Otherwise it is not: two values u and w with different chances to be published as v, exchanged "
        "between x and m, leave the bias T[u,v] - T[w,v] over p - g at a deviation of 0. The smallest case "
        "has four records: gamma = 2, frequencies (1, 1, 1, 1), P is the record of value 1 and m predicts "
        "value 2, which is never published as 0. If the deviation is divided by p instead, the estimate of a "
        "deviation is too small by the factor 1 - g/p."
    ),
    hypotheses=(r"p \ne g", r"\sum_u x_u = \sum_u m_u", "a plan that does not depend on the predicate"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.M1c",),
    licenses=("splu_ref.estimators.shrinkage.conditions:PublishedForm",),
    tests=("tests/estimators/test_conditions.py::test_deviations_are_those_of_the_true_counts",),
)


@DEV.derivation
def one_chance_for_all_others() -> Derivation:
    """Put the common chance of the other values before their sum, which is less the deviation of v."""
    return Derivation(
        setting=(
            "d = x - m by value, so that the d of v is less the sum r of the others. E y_v is the sum of x_u "
            "T[u,v] (splu.M1c), and T[v,v] = p."
        ),
        steps=(
            Identity(
                name="equal chances",
                says="p d + g r = (p - g) d if r = -d.",
                variables={"p": 0, "g": 0, "d": 0},
                left=lambda p, g, d: p * d + g * (-d),
                right=lambda p, g, d: (p - g) * d,
                recheck=(on_grid,),
            ),
            Identity(
                name="different chances",
                says=(
                    "Deviations d of v, e of u and -d-e of w, with T[u,v] = t and T[w,v] = s, leave the bias "
                    "p d + t e - s (d + e) - (p - g) d = (g - s) d + (t - s) e."
                ),
                variables={"p": 0, "g": 0, "t": 0, "s": 0, "d": 0, "e": 0},
                left=lambda p, g, t, s, d, e: p * d + t * e - s * (d + e) - (p - g) * d,
                right=lambda _p, g, t, s, d, e: (g - s) * d + (t - s) * e,
                recheck=(on_grid,),
            ),
        ),
        conclusion=(
            "Where all chances are g the first identity holds. Where t and s differ, d = 0 and e = 1 leave a "
            "bias that is not 0."
        ),
    )


@DEV.computation(cases=36, perturbed="p = Fraction(1, gamma) => p = Fraction(2, gamma)")
def small_plans() -> Comparisons:
    """Every histogram of up to nine records under the greedy plan whose other values have equal chances."""
    for gamma, rows in ((2, 4), (2, 6), (3, 6), (2, 8), (3, 9)):
        p = Fraction(1, gamma)
        for histogram in histograms(rows):
            if gamma * max(histogram) > rows:
                continue
            groups, size = greedy_groups(histogram, gamma), len(histogram)
            units = [tuple(int(u == place) for u in range(size)) for place in range(size)]
            for v in range(size):
                chances = [kept(groups, units[u], v) for u in range(size) if u != v]
                if len(set(chances)) > 1 or chances[0] * gamma == 1:
                    continue
                where = f"gamma = {gamma}, f = {histogram}, v = {v}"
                for first, second in permutations(range(size), 2):
                    found = kept(groups, units[first], v) - kept(groups, units[second], v)
                    deviation = units[first][v] - units[second][v]
                    yield found, "=", (p - chances[0]) * deviation, where
