"""splu.S: on a plateau the tails of the published count do not fall as the true count grows."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.guarantees import plateau_ends, plateau_starts

from ..arithmetic.law import at_least, at_most, trial_weight
from ..arithmetic.trials import GROWTH, PASCAL
from ..terms import (
    Claim,
    Comparisons,
    Derivation,
    Gives,
    Grade,
    Identity,
    Inequality,
    Kernel,
    Quantity,
    Relation,
    Status,
)

ABOVE = Relation(
    variables=("gamma", "f", "j"),
    left=Quantity(r"\Pr(X_{f+1} \ge f+1+j)", lambda gamma, f, j: at_least(gamma, f + 1, f + 1 + j)),
    sign=">=",
    right=Quantity(r"\Pr(X_f \ge f+j)", lambda gamma, f, j: at_least(gamma, f, f + j)),
    cases=lambda: ((gamma, f, j) for gamma in (2, 3, 5) for f in range(1, 9) for j in range(1, 2 * f + 2)),
)
BELOW = Relation(
    variables=("gamma", "f", "j"),
    left=Quantity(r"\Pr(X_{f+1} \le f+1-j)", lambda gamma, f, j: at_most(gamma, f + 1, f + 1 - j)),
    sign=">=",
    right=Quantity(r"\Pr(X_f \le f-j)", lambda gamma, f, j: at_most(gamma, f, f - j)),
    cases=lambda: ((gamma, f, j) for gamma in (2, 3, 5) for f in range(1, 9) for j in range(1, f + 3)),
)

S = Claim(
    id="splu.S",
    module=__name__,
    source="new; used for Fu et al. 2014, §4.1, Lemma 1 and §4.2, Lemma 2",
    title="sawtooth lemma",
    statement=rf"j \ge 1:\quad {ABOVE.latex},\qquad {BELOW.latex}",
    asserts=(ABOVE, BELOW),
    words=(
        "For a fixed whole distance j >= 1 the probability that the published count is at least j above, "
        "or at least j below, the true count f does not fall as f grows. The error event at f has j = "
        "ceil(epsilon f), or floor(epsilon f) + 1 in the strict form, which is constant on plateaus of f. "
        "So the least error over a range is at the start of a plateau, and the largest at the end of one."
    ),
    hypotheses=(r"\gamma \ge 2", r"f \ge 1", r"j \ge 1", r"X_f \sim \mathrm{Bin}(\gamma f, 1/\gamma)"),
    status=Status.PROVED,
    grade=Grade.KERNEL,
    rests_on=("splu.B",),
    licenses=("splu_ref.guarantees.count_error",),
    tests=("tests/guarantees/test_plateaus.py::test_for_a_fixed_distance_both_tails_rise_with_the_count",),
    kernel=Kernel(
        theorems=(
            "Sawtooth.sawtooth_above",
            "Sawtooth.sawtooth_below",
            "Sawtooth.sawtooth_above_monotone",
            "Sawtooth.sawtooth_below_monotone",
        ),
        covers=(
            "The whole statement, for every gamma >= 2, f >= 0 and j >= 1; and the same from f to any f' "
            ">= f."
        ),
        leaves=(
            "That the library's plateaus are where ceil(epsilon f) is constant: a computation below "
            "compares them."
        ),
    ),
)


def _sums_above(gamma: int, f: int, j: int) -> tuple[int, Fraction, Fraction, Fraction]:
    return gamma, _sum(gamma, f, f + j), trial_weight(gamma, gamma * f, f + j), at_least(gamma, f, f + 1 + j)


def _sums_below(gamma: int, f: int, j: int) -> tuple[int, Fraction, Fraction, Fraction]:
    a = f + 1 - j
    return gamma, _sum(gamma, f, a), trial_weight(gamma, gamma * f, a), at_most(gamma, f, a)


def _sum(gamma: int, f: int, a: int) -> Fraction:
    """Return the sum of b(gamma f + i; a) over i = 0 .. gamma - 1."""
    return sum((trial_weight(gamma, gamma * f + i, a) for i in range(gamma)), Fraction(0))


@S.derivation
def above_by_telescoping_gamma_trials() -> Derivation:
    """Write the difference as the mean over i < gamma of b(gamma f + i; f+j) - b(gamma f; f+j)."""
    return Derivation(
        setting=(
            "b(m; a) and PASCAL as in splu.B. D(k) = Pr(X_{m+1} >= k) - Pr(X_m >= k) for m and m+1 trials. "
            "u = b(m; k-1), v = b(m; k). S, 'total' in the formulas, is the sum of b(gamma f + i; f+j) "
            "over i = 0 .. gamma-1, and c its first term."
        ),
        steps=(
            PASCAL,
            Identity(
                name="one trial moves one term over the line",
                says=(
                    "D(k) = D(k+1) + b(m+1; k) - b(m; k). If D(k+1) = v/gamma then D(k) = u/gamma. From "
                    "D(m+2) = 0 = b(m; m+1)/gamma downwards: D(k) = b(m; k-1)/gamma for every k."
                ),
                variables={"gamma": 2, "u": 0, "v": 0},
                left=lambda gamma, u, v: v / gamma + (u / gamma + (1 - 1 / gamma) * v) - v,
                right=lambda gamma, u, _v: u / gamma,
            ),
            Identity(
                name="gamma trials, one sum",
                says=(
                    "Pr(X_{f+1} >= f+1+j) = Pr(X_f >= f+1+j) + S/gamma, and Pr(X_f >= f+j) = Pr(X_f >= "
                    "f+1+j) + c. Their difference is S/gamma - c = (S - gamma c)/gamma: the mean over i of "
                    "b(gamma f+i; f+j) - c."
                ),
                variables={"gamma": 2, "total": 0, "c": 0, "t": 0},
                left=lambda gamma, total, c, t: (t + total / gamma) - (t + c),
                right=lambda gamma, total, c, _t: (total - gamma * c) / gamma,
            ),
            GROWTH,
            Inequality(
                name="every trial raises b above the mean",
                says=(
                    "For m = gamma f + i, 0 <= i <= gamma-2, a = f+j, j >= 1: gamma a >= m+1, so b(m+1; a) "
                    ">= b(m; a), and every b(gamma f+i; f+j) with i < gamma is at least c."
                ),
                variables=("gamma", "f", "i", "j"),
                given=lambda gamma, f, i, j: (gamma - 2 - i, f - 1, i, j - 1),
                slack=lambda g, f, i, j: (g + 2 + i, f + 1, i, j + 1),
                then=lambda gamma, f, i, j: gamma * (f + j) - (gamma * f + i + 1),
            ),
        ),
        conclusion="S >= gamma c. (Where f+j > m both sides of the last step are 0 or b(m; a) is 0.)",
        gives=(Gives(relation=ABOVE, step="gamma trials, one sum", of="difference", at=_sums_above),),
    )


@S.derivation
def below_by_telescoping_gamma_trials() -> Derivation:
    """Write the difference as the mean over i < gamma of b(gamma f; a) - b(gamma f + i; a), a = f+1-j."""
    return Derivation(
        setting=(
            "D(k) = Pr(X_m <= k) - Pr(X_{m+1} <= k) for m and m+1 trials; u = b(m; k-1), v = b(m; k). a = "
            "f+1-j. S is the sum of b(gamma f + i; a) over i = 0 .. gamma-1, and c its first term. For a < "
            "0 all are 0."
        ),
        steps=(
            PASCAL,
            Identity(
                name="one trial moves one term over the line",
                says=(
                    "D(k) = D(k-1) + b(m; k) - b(m+1; k). If D(k-1) = u/gamma then D(k) = v/gamma. From "
                    "D(-1) = 0 upwards: D(k) = b(m; k)/gamma for every k."
                ),
                variables={"gamma": 2, "u": 0, "v": 0},
                left=lambda gamma, u, v: u / gamma + v - (u / gamma + (1 - 1 / gamma) * v),
                right=lambda gamma, _u, v: v / gamma,
            ),
            Identity(
                name="gamma trials, one sum",
                says=(
                    "Pr(X_{f+1} <= a) = Pr(X_f <= a) - S/gamma, and Pr(X_f <= a-1) = Pr(X_f <= a) - c. Their "
                    "difference is c - S/gamma = (gamma c - S)/gamma: the mean over i of c - b(gamma f+i; a)."
                ),
                variables={"gamma": 2, "total": 0, "c": 0, "t": 0},
                left=lambda gamma, total, c, t: (t - total / gamma) - (t - c),
                right=lambda gamma, total, c, _t: (gamma * c - total) / gamma,
            ),
            GROWTH,
            Inequality(
                name="every trial lowers b at or below the mean",
                says=(
                    "For m = gamma f + i, i >= 0, a = f+1-j, j >= 1: gamma a <= m+1, so b(m+1; a) <= b(m; a)."
                ),
                variables=("gamma", "f", "i", "j"),
                given=lambda gamma, f, i, j: (gamma - 2, f - 1, i, j - 1),
                slack=lambda g, f, i, j: (g + 2, f + 1, i, j + 1),
                then=lambda gamma, f, i, j: gamma * f + i + 1 - gamma * (f + 1 - j),
            ),
        ),
        conclusion="S <= gamma c.",
        gives=(Gives(relation=BELOW, step="gamma trials, one sum", of="difference", at=_sums_below),),
    )


@S.computation(
    cases=1824,
    perturbed=(
        "splu_proofs.splu.sawtooth:_mean_change larger",
        "splu_proofs.arithmetic.law:trial_weight doubled",
    ),
)
def differences_in_a_block_of_cases() -> Comparisons:
    """At gamma 2..5, f 1..12, j 1..f+3: both differences equal their sums in fractions and are at least 0."""
    for gamma in range(2, 6):
        for f in range(1, 13):
            for j in range(1, f + 4):
                above = at_least(gamma, f + 1, f + 1 + j) - at_least(gamma, f, f + j)
                below = at_most(gamma, f + 1, f + 1 - j) - at_most(gamma, f, f - j)
                yield (above, "=", _mean_change(gamma, f, f + j), f"above, gamma = {gamma}, f = {f}, j = {j}")
                yield (
                    below,
                    "=",
                    -_mean_change(gamma, f, f + 1 - j),
                    f"below, gamma = {gamma}, f = {f}, j = {j}",
                )
                yield (above, ">=", 0, f"a tail falls at gamma = {gamma}, f = {f}, j = {j}")
                yield (0, "<=", below, f"a tail falls at gamma = {gamma}, f = {f}, j = {j}")


def _mean_change(gamma: int, f: int, a: int) -> Fraction:
    first = trial_weight(gamma, gamma * f, a)
    return sum((trial_weight(gamma, gamma * f + i, a) - first for i in range(gamma)), Fraction(0)) / gamma


@S.computation(cases=20, perturbed="splu_ref.guarantees.count_error:plateau_ends larger")
def the_library_visits_the_right_counts() -> Comparisons:
    """Compare the shipped plateau starts and ends with the offsets computed count by count."""
    limit = 60
    for epsilon in (Fraction(1, 7), Fraction(3, 10), Fraction(1, 2), Fraction(1), Fraction(7, 3)):
        for strict in (False, True):
            offset = [epsilon * f // 1 + 1 if strict else -(-epsilon * f // 1) for f in range(limit + 2)]
            starts = [f for f in range(1, limit + 1) if f == 1 or offset[f] != offset[f - 1]]
            ends = [f for f in range(1, limit + 1) if offset[f] != offset[f + 1]]
            yield (list(plateau_starts(epsilon, limit, strict=strict)), "=", starts, f"starts for {epsilon}")
            yield (list(plateau_ends(epsilon, limit, strict=strict)), "=", ends[::-1], f"ends for {epsilon}")
