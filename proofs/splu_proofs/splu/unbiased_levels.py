"""splu.PACKu: the best T_P* of any unbiased count, and how far laws of draws are from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from splu_ref.guarantees import best_estimator

from ..terms import Claim, Comparisons, Grade, Status, decimal
from .group_draws import minimax_error

EPSILON, ALPHA = Fraction(3, 10), 10

PACKU = Claim(
    id="splu.PACKu",
    module=__name__,
    source="new; on splu.PACK and splu.D2e",
    title="the best T_P* of unbiased counts",
    statement=(
        r"T_P^* \le \max_{y,\,C} \Bigl(1 - \frac{1 - \sum_{f \in C} \lambda_f (y - f)}{|C|}\Bigr) "
        r"\text{ for all numbers } \lambda_f"
    ),
    words=(
        "Let a count f be published unbiased and from 0 .. gamma f, as with every law of draws at p = "
        "1/gamma. Then T_P* has this bound for any numbers lambda_1 .. lambda_alpha; y runs through what can "
        "be published and C through the sets of counts, each possible at y, of which no estimate is right "
        "for two. lambda = 0 gives splu.PACK. Proof: let V be the bound. At each y the demands 1 - V + "
        "lambda_f (y - f), where positive, sum to at most 1 over every C. An estimate is right for the "
        "counts of an interval, so estimates can be drawn at random such that each f is met with its demand "
        "(the least total of intervals that cover demands is the largest sum over points that no interval "
        "shares: their matrix is totally unimodular, quoted here). In the mean over y the demand of f is 1 - "
        "V, because y has mean f. The bound is exact at epsilon = 0.3, alpha = 10: the best T_P* of any "
        "unbiased count is 3/5, 244/369 = 0.661 and 1736/2465 = 0.704 for gamma = 2, 3, 5, attained by laws "
        "that are written down here, and at most 0.730 and 0.741 for gamma = 10 and 20. All or none reaches "
        "0.463, 0.550, 0.611, 0.669 and 0.697 for gamma = 2, 3, 5, 10, 20, independent draws, and capped "
        "ones with m >= 10, 0.351, 0.395, 0.420, 0.435 and 0.442. A count that is 0 or 2f with one half each "
        "has T_P = 1 and a T_P* of 3/8."
    ),
    hypotheses=(r"0 \le f' \le \gamma f", r"E\,f' = f", r"0 < \varepsilon < 1"),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="epsilon = 0.3, alpha = 10, gamma 2, 3, 5, 10, 20",
    rests_on=("splu.PACK", "splu.D2e"),
)

SLOPES: Mapping[int, Sequence[Fraction]] = {
    2: [Fraction(n, 400) for n in (-40, 20, 10, 20, 16, 18, 15, 30, 24, 24)],
    3: [Fraction(n, 464_940) for n in (-31500, 3150, 480, 9135, 7308, 6270, 12540, 19215, 17080, 15372)],
    5: [Fraction(n, 887_400) for n in (-29160, 1620, 810, 8010, 6408, 12555, 16740, 19530, 17360, 15624)],
    10: [Fraction(n, 100_000) for n in (-1424, 37, -1289, 374, 299, 868, 0, 1013, 900, 810)],
    20: [Fraction(n, 100_000) for n in (-666, 9, -591, 171, 137, 457, 473, 487, 433, 390)],
}
"""lambda_1 .. lambda_10 by group size."""

LAWS: Mapping[int, Mapping[int, tuple[str, str]]] = {
    2: {
        1: ("4/25", "0: 1/2, 2: 1/2"),
        2: ("6/25", "0: 1/3, 2: 1/3, 4: 1/3"),
        4: ("9/25", "0: 2/9, 2: 2/9, 4: 2/9, 8: 1/3"),
        8: ("6/25", "4: 1/3, 8: 1/2, 16: 1/6"),
    },
    3: {
        1: ("64/369", "0: 1/2, 2: 1/2"),
        2: ("80/369", "0: 2/5, 2: 2/5, 6: 1/5"),
        4: ("100/369", "0: 8/25, 2: 8/25, 6: 4/25, 12: 1/5"),
        8: ("77/369", "2: 32/77, 6: 16/77, 12: 20/77, 24: 9/77"),
        10: ("48/369", "0: 2/3, 30: 1/3"),
    },
    5: {
        1: ("512/2465", "0: 9/16, 1: 5/32, 3: 9/32"),
        2: ("576/2465", "0: 1/2, 1: 5/36, 3: 1/4, 10: 1/9"),
        4: ("288/2465", "1: 5/18, 3: 1/2, 10: 2/9"),
        5: ("360/2465", "0: 4/5, 25: 1/5"),
        8: ("324/2465", "1: 20/81, 3: 4/9, 10: 16/81, 40: 1/9"),
        10: ("405/2465", "0: 32/45, 25: 8/45, 50: 1/9"),
    },
}
"""By group size and count: how often the count is tried, and by which law it is published. No estimator errs
less often against these counts; the laws of the other counts do not matter."""


def apart(least: int) -> Iterator[tuple[int, ...]]:
    """Yield the sets of counts, ``least`` the first, of which no estimate is right for two."""
    yield (least,)
    for after in range(least + 1, ALPHA + 1):
        if (1 - EPSILON) * after >= (1 + EPSILON) * least:
            yield from ((least, *others) for others in apart(after))


def bound(gamma: int, slopes: Sequence[Fraction]) -> Fraction:
    """Return the bound of the statement."""
    return max(
        1 - (1 - sum((slopes[f - 1] * (y - f) for f in some), Fraction(0))) / len(some)
        for least in range(1, ALPHA + 1)
        for some in apart(least)
        for y in range(gamma * least + 1)
    )


def _least_error(tried: Mapping[int, tuple[Fraction, Mapping[int, Fraction]]]) -> Fraction:
    """Return how often the best estimator errs against counts that are tried with these chances."""
    ends = sorted({(1 + sign * EPSILON) * f for f in tried for sign in (-1, 1)})
    right = {
        tuple(f for f in tried if abs((low + high) / 2 - f) < EPSILON * f) for low, high in pairwise(ends)
    }
    seen = {y for _, law in tried.values() for y in law}
    return 1 - sum(
        (
            max(
                sum((tried[f][0] * tried[f][1].get(y, Fraction(0)) for f in hits), Fraction(0))
                for hits in right
            )
            for y in seen
        ),
        Fraction(0),
    )


@PACKU.computation(
    cases=71,
    perturbed=(
        "splu_proofs.splu.unbiased_levels:_law larger",
        "splu_proofs.splu.unbiased_levels:_least_error larger",
    ),
)
def laws_and_slopes_that_meet() -> Comparisons:
    """Prove the best T_P* from both sides at epsilon = 0.3, alpha = 10, and bound it for larger groups."""
    for gamma, derived in LAWS.items():
        tried = {f: (Fraction(weight), _law(text)) for f, (weight, text) in derived.items()}
        yield (sum(weight for weight, _ in tried.values()), "=", 1, "the weights do not sum to 1")
        for f, (_, law) in tried.items():
            yield (sum(law.values()), "=", 1, f"gamma = {gamma}, f = {f}: no law")
            yield (sum(y * chance for y, chance in law.items()), "=", f, f"gamma = {gamma}, f = {f}: biased")
            yield (max(law), "<=", gamma * f, f"gamma = {gamma}, f = {f}: out of reach")
            yield (min(law), ">=", 0, f"gamma = {gamma}, f = {f}: out of reach")
        best = bound(gamma, SLOPES[gamma])
        yield (
            _least_error(tried),
            "=",
            best,
            f"gamma = {gamma}: {_least_error(tried)} and {best} do not meet",
        )
    flat = bound(5, [Fraction(0)] * ALPHA)
    yield (flat, "=", Fraction(3, 4), "without slopes it is not that of packing")
    for gamma, most in ((10, Fraction(73, 100)), (20, Fraction(741, 1000))):
        yield (bound(gamma, SLOPES[gamma]), "<=", most, f"gamma = {gamma}")
        yield (most, "<", flat, f"gamma = {gamma}")


def _law(text: str) -> dict[int, Fraction]:
    parts = (part.split(": ") for part in text.split(", "))
    return {int(y): Fraction(chance) for y, chance in parts}


@PACKU.computation(
    cases=20,
    perturbed=(
        "splu_proofs.splu.unbiased_levels:bound smaller",
        "splu_ref.channels.two_binomials:TwoKinds.denominator larger",
    ),
)
def how_near_the_laws_of_draws_come() -> Comparisons:
    """Compute T_P* of all or none and of independent draws beside the best."""
    for gamma, one, other in (
        (2, "0.463", "0.351"),
        (3, "0.550", "0.395"),
        (5, "0.611", "0.420"),
        (10, "0.669", "0.435"),
        (20, "0.697", "0.442"),
    ):
        apart = minimax_error(gamma, EPSILON, ALPHA)
        plain = best_estimator(gamma, EPSILON, ALPHA).worst_error
        yield (decimal(apart, 3), "=", f"{one}...", f"gamma = {gamma}: {decimal(apart, 4)}")
        yield (decimal(plain, 3), "=", f"{other}...", f"gamma = {gamma}: {decimal(plain, 4)}")
        yield (plain, "<", apart, f"gamma = {gamma}: above the bound")
        yield (apart, "<", bound(gamma, SLOPES[gamma]), f"gamma = {gamma}: above the bound")


@PACKU.computation(cases=1, perturbed="splu_proofs.splu.unbiased_levels:_least_error larger")
def nothing_or_twice_the_count() -> Comparisons:
    """Bound T_P* of a count that is 0 or 2f from both sides; T_P is 1, as both are wrong."""
    packed = (1, 2, 4, 8)
    tried = {f: (Fraction(1, 4), {0: Fraction(1, 2), 2 * f: Fraction(1, 2)}) for f in packed}
    yield (_least_error(tried), "=", Fraction(3, 8), f"{_least_error(tried)}")
