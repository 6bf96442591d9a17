"""splu.PACKv: the best T_P* of unbiased counts that are no noisier than those of SPLU-Gen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from splu_ref.guarantees import best_estimator

from ..terms import Claim, Comparisons, Grade, Status, decimal
from .unbiased_levels import ALPHA, EPSILON, apart

PACKV = Claim(
    id="splu.PACKv",
    module=__name__,
    source="new; on splu.PACKu",
    title="the best T_P* at a given noise",
    statement=(
        r"T_P^* \le \max_{y,\,C} \Bigl(1 - \frac{1 - \sum_{f \in C} (\lambda_f (y - f) - \mu_f ((y-f)^2 - "
        r"V_f))}{|C|}\Bigr) \text{ for all } \lambda_f \text{ and } \mu_f \ge 0"
    ),
    words=(
        "As splu.PACKu, where the variance at a count f is at most V_f as well: the demand of f at y is less "
        "by mu_f ((y - f)^2 - V_f), which in the mean over y takes nothing away. With V_f = f (gamma - "
        "1)/gamma, the variance of SPLU-Gen, at epsilon = 0.3 and alpha = 10, no unbiased count has a T_P* "
        "above 0.455, 0.499, 0.517, 0.530 and 0.537 for gamma = 2, 3, 5, 10 and 20. Independent draws, and "
        "capped ones with m >= 10, have 0.351, 0.395, 0.420, 0.435 and 0.442: 0.77 to 0.83 of it. So of "
        "small counts that are no noisier than SPLU-Gen's no law of draws, and nothing else, hides much more."
    ),
    hypotheses=(
        r"0 \le f' \le \gamma f",
        r"E\,f' = f",
        r"\operatorname{Var} f' \le V_f",
        r"0 < \varepsilon < 1",
    ),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="epsilon = 0.3, alpha = 10, gamma 2, 3, 5, 10, 20",
    rests_on=("splu.PACKu",),
)

SLOPES: Mapping[int, tuple[Sequence[int], Sequence[int]]] = {
    2: (
        (-45455, 9091, 0, 31818, 4880, 10287, 18961, 22727, 10606, 4258),
        (0, 21053, 7273, 13636, 5615, 768, 3117, 4545, 3030, 2584),
    ),
    3: (
        (-25058, 2714, 3694, 14304, 4856, 10238, 7171, 15530, 6795, 2144),
        (0, 7448, 2029, 5326, 3644, 723, 677, 1412, 849, 1538),
    ),
    5: (
        (-23211, 1417, 2631, 14330, 5941, 9399, 6858, 13873, 7961, 5276),
        (602, 7064, 1802, 5444, 3039, 651, 546, 1067, 724, 596),
    ),
    10: (
        (-21983, 421, 937, 14544, 5867, 7554, 5790, 12574, 7700, 2970),
        (986, 6859, 2082, 5612, 3052, 472, 414, 838, 588, 1287),
    ),
    20: (
        (-21379, -83, 2463, 14668, 7253, 7601, 5917, 12652, 7462, 4737),
        (1180, 6761, 1080, 5698, 2051, 433, 370, 843, 550, 677),
    ),
}
"""lambda_1 .. lambda_10 and mu_1 .. mu_10 by group size, times 100,000."""


def _bound(gamma: int) -> Fraction:
    """Return the bound of the statement at the variance of SPLU-Gen."""
    slopes, curves = SLOPES[gamma]
    unit = 100_000 * gamma
    largest = Fraction(0)
    for least in range(1, ALPHA + 1):
        for some in apart(least):
            for y in range(gamma * least + 1):
                demands = sum(
                    gamma * slopes[f - 1] * (y - f) - curves[f - 1] * (gamma * (y - f) ** 2 - (gamma - 1) * f)
                    for f in some
                )
                largest = max(largest, 1 - Fraction(unit - demands, unit * len(some)))
    return largest


@PACKV.computation(
    cases=20,
    perturbed=(
        "splu_ref.guarantees.minimax_error:best_estimator larger",
        "splu_proofs.splu.unbiased_noise:_bound larger",
    ),
)
def no_noisier_than_splu_gen() -> Comparisons:
    """Compute the bound for five group sizes, and T_P* of independent draws beside it."""
    for gamma, most in ((2, "0.455"), (3, "0.499"), (5, "0.517"), (10, "0.530"), (20, "0.537")):
        yield (min(SLOPES[gamma][1]), ">=", 0, f"gamma = {gamma}: a negative mu")
        above, reached = _bound(gamma), best_estimator(gamma, EPSILON, ALPHA).worst_error
        yield (above, "<=", Fraction(most), f"gamma = {gamma}: {decimal(above, 5)}")
        yield (Fraction(77, 100), "<=", reached / above, f"gamma = {gamma}: {reached / above}")
        yield (reached / above, "<=", Fraction(83, 100), f"gamma = {gamma}: {reached / above}")
