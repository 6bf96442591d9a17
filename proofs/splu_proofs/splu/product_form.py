"""splu.DEV, splu.DEVv: when deviations of published counts and their squares estimate those of true ones."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations

from ..check import Comparisons
from ..claim import Claim, Status
from ..derivation import Derivation
from ..evidence import Grade
from ..recheck import on_grid
from ..step import Identity
from ..worlds.histograms import greedy_groups, histograms
from ..worlds.retention import successes
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


DEVV = Claim(
    id="splu.DEVv",
    module=__name__,
    source="new; on Fu et al. 2014, §5.1",
    title="squared deviation from a predicted count",
    statement=(
        r"\mathrm{E}\Bigl[D^2-\frac{V}{(p-g)^2}-\frac{1-p-g}{p-g}\,D\Bigr]=(x-m)^2,\quad "
        r"D=\frac{y-mp-(n-m)g}{p-g},\quad V=mp(1-p)+(n-m)g(1-g)"
    ),
    words=(
        "Of n records x have a value, and m predicts x. The squared estimate of the deviation, less its "
        "variance at the prediction and less a multiple of the estimate, is an unbiased estimate of the "
        "squared deviation, if the records are published with the value independently: those that have it "
        "with probability p, the others with probability g. Without the last term the bias is (1-p-g)/(p-g) "
        "times the deviation. It is 0 in expectation where the prediction is unbiased, and its sum is 0 "
        "over values with one g whose predictions have the right sum. If the others are published with "
        "different chances t of the mean g, the squared deviation is understated by the sum of (t - g)^2 "
        "over (p-g)^2, since that much of the variance is missing."
    ),
    hypotheses=(r"p \ne g", "records that are published independently of each other"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.DEV",),
    licenses=("splu_ref.estimators.shrinkage.conditions:PublishedForm",),
    tests=("tests/estimators/test_conditions.py::test_squared_deviations_less_the_noise_are_unbiased",),
)


@DEVV.derivation
def the_variance_at_the_prediction() -> Derivation:
    """Write the mean and the variance of y as those at the prediction and what the deviation adds."""
    return Derivation(
        setting=(
            "d = x - m. E D = d (splu.DEV). The variance of y is W = x p (1-p) + (n-x) g (1-g), so E D^2 = "
            "d^2 + W/(p-g)^2."
        ),
        steps=(
            Identity(
                name="the variances differ by a multiple of the deviation",
                says="W - V = (p-g) (1-p-g) d.",
                variables={"n": 0, "x": 0, "m": 0, "p": 0, "g": 0},
                left=lambda n, x, m, p, g: (
                    x * p * (1 - p) + (n - x) * g * (1 - g) - (m * p * (1 - p) + (n - m) * g * (1 - g))
                ),
                right=lambda _n, x, m, p, g: (p - g) * (1 - p - g) * (x - m),
                recheck=(on_grid,),
            ),
            Identity(
                name="the squared deviation",
                says="d^2 + W/(p-g)^2 - V/(p-g)^2 - (1-p-g)/(p-g) d = d^2, with p = g + c.",
                variables={"n": 0, "x": 0, "m": 0, "c": 1, "g": 0},
                left=lambda n, x, m, c, g: (
                    (x - m) ** 2
                    + (x * (g + c) * (1 - g - c) + (n - x) * g * (1 - g)) / c**2
                    - (m * (g + c) * (1 - g - c) + (n - m) * g * (1 - g)) / c**2
                    - (1 - g - c - g) / c * (x - m)
                ),
                right=lambda _n, x, m, _c, _g: (x - m) ** 2,
                recheck=(on_grid,),
            ),
            Identity(
                name="different chances",
                says=(
                    "For two other records with the chances g + e and g - e the variance is 2 g (1-g) less "
                    "the two squares e^2."
                ),
                variables={"g": 0, "e": 0},
                left=lambda g, e: (g + e) * (1 - g - e) + (g - e) * (1 - g + e),
                right=lambda g, e: 2 * g * (1 - g) - 2 * e * e,
                recheck=(on_grid,),
            ),
        ),
        conclusion=(
            "The first identity, divided by (p-g)^2, is the last term of the statement. For any number of "
            "chances t of the mean g the sum of t (1-t) is that of g (1-g) less the sum of (t - g)^2."
        ),
    )


@DEVV.computation(cases=282, perturbed="(1 - p - g) / c * mean => (1 - p - g) * mean")
def moments_by_enumeration() -> Comparisons:
    """Sum over the law of y for up to four records, all predictions in halves, three pairs of p and g."""
    for p, g in (
        (Fraction(1, 2), Fraction(1, 4)),
        (Fraction(1, 3), Fraction(2, 3)),
        (Fraction(2, 5), Fraction(0)),
    ):
        c = p - g
        for n in range(1, 5):
            for x in range(n + 1):
                law = successes((x, p), (n - x, g))
                for m in (Fraction(half, 2) for half in range(2 * n + 1)):
                    noise = (m * p * (1 - p) + (n - m) * g * (1 - g)) / c**2
                    found = [(y - m * p - (n - m) * g) / c for y in range(len(law))]
                    mean = sum((chance * d for chance, d in zip(law, found, strict=True)), Fraction(0))
                    square = sum((chance * d * d for chance, d in zip(law, found, strict=True)), Fraction(0))
                    where = f"p = {p}, g = {g}, n = {n}, x = {x}, m = {m}"
                    yield square - noise - (1 - p - g) / c * mean, "=", (x - m) ** 2, where


@DEVV.enumeration(
    cases=73,
    perturbed="splu_ref.mechanisms.group_draws:draw_rule larger",
)
def the_shipped_mechanism() -> Comparisons:
    """Every outcome of tables where all groups hold v, so that records are independent; all predicates."""
    from ..worlds.trades import published_with_retention  # noqa: PLC0415  it loads numpy and the library

    for gamma, codes, p in (
        (2, (0, 1), Fraction(1, 3)),
        (2, (0, 0, 1, 2), Fraction(3, 4)),
        (3, (0, 1, 2), Fraction(1, 2)),
    ):
        g, rows = (1 - p) / (gamma - 1), len(codes)
        laws = list(published_with_retention(codes, gamma, p))
        for n in range(1, rows + 1):
            for members in combinations(range(rows), n):
                x = sum(codes[record] == 0 for record in members)
                for m in range(n + 1):
                    noise = (m * p * (1 - p) + (n - m) * g * (1 - g)) / (p - g) ** 2
                    found = Fraction(0)
                    for values, chance in laws:
                        y = sum(values[record] == 0 for record in members)
                        d = (y - m * p - (n - m) * g) / (p - g)
                        found += chance * (d * d - noise - (1 - p - g) / (p - g) * d)
                    yield (
                        found,
                        "=",
                        Fraction((x - m) ** 2),
                        f"gamma = {gamma}, {codes}, P = {members}, m = {m}",
                    )
