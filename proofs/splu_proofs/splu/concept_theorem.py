"""splu.T4conj: Theorem 4 as the paper uses it, for conjunctions reconstructed from the published table."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from ..arithmetic.law import error_beyond, trial_weight
from ..printed.iteration import reconstruct
from ..printed.reconstruction import lies_between
from ..terms import (
    Case,
    Claim,
    Comparisons,
    Derivation,
    EvidenceError,
    Grade,
    Identity,
    Inequality,
    Status,
    Witness,
    decimal,
)
from ..worlds.concept_errors import largest_pure, pure_error, wrong
from .concept_lemmas import a_pure_group_is_reported_whole

T4CONJ = Claim(
    id="splu.T4conj",
    module=__name__,
    source="Fu et al. 2014, §5.3, Theorem 4",
    title="small-sum privacy of reconstructed conjunctions",
    statement=(
        r"1\le x_3\le\alpha\;\Longrightarrow\;\Pr(|\hat x_3-x_3|\ge\varepsilon x_3)\;\ge\;\min_{1\le "
        r"f\le\alpha}\Bigl(1-\sum_{x=\lceil(1-\varepsilon)f\rceil}^{\lfloor(1+\varepsilon)f\rfloor}b(\gamma "
        r"f;x)\Bigr),\quad \hat x_3 \text{ by (13)}"
    ),
    words=(
        "False for every gamma: with alpha >= gamma and epsilon < 1/alpha, a group of gamma records, all "
        "with s, is reconstructed exactly unless none of them is published with s. At gamma = 5 that is "
        "wrong with (4/5)^5 = .328, where .590 is promised for epsilon = 1/10 and .402 for 3/10. Predicates "
        "with decoys in them, |P| > f, fare worse, as the decoys add to what is published: at gamma = 5 "
        "(4/5)^9 = .134 against .289 (x3 = f = 7 of |P| = 9, epsilon = 3/10), at gamma = 10 .282 against "
        ".613 (x3 = f = 11 of 12, epsilon = 1/10). Example 2's .6 for gamma = 10, alpha = 3, epsilon = 3/10 "
        "falls too: 3 records in a P of 466 out of 480 rows are wrong with .536 by the corrected closed "
        "form. The printed matrix underestimates, and at gamma = 2, epsilon = 2/5 even a single record, with "
        "P the whole table of 32 rows, is wrong with 1/4 instead of 1/2. The theorem is true for f' as the "
        "estimate, and of nothing else."
    ),
    hypotheses=(r"\gamma \ge 2", r"\varepsilon > 0", r"\alpha \ge 1"),
    status=Status.REFUTED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.D2", "splu.L3", "splu.L4", "splu.PB"),
    corrected_by="splu.T4c",
    tests=("tests/audit/test_concepts.py::test_the_printed_reconstruction_breaks_theorem_4",),
)

STRONGEST = (
    (5, Fraction(3, 10), 7, 9, Fraction(2892, 10000), Fraction(1342, 10000)),
    (5, Fraction(1, 10), 11, 12, Fraction(5904, 10000), Fraction(2748, 10000)),
    (5, Fraction(19, 100), 6, 7, Fraction(4944, 10000), Fraction(2097, 10000)),
    (10, Fraction(3, 10), 14, 18, Fraction(2029, 10000), Fraction(1500, 10000)),
    (10, Fraction(1, 10), 11, 12, Fraction(6125, 10000), Fraction(2824, 10000)),
)
"""gamma, epsilon, x3 = f = alpha, |P|, the level promised, the true error: both cut off after 4 digits."""


@T4CONJ.refutation
def two_records_that_are_a_group() -> Witness:
    """At gamma = 2, alpha = 2, |P| = f = 2 and both with s: right with 3/4, where 1/2 is allowed."""
    return Witness(
        parameters={"gamma": 2, "alpha": 2, "f": 2, "|P|": 2, "x3": 2, "N": 22, "epsilon": Fraction(1, 4)},
        premises=(
            lambda gamma, *_: gamma >= 2,
            lambda *case: case[-1] > 0,
            lambda _gamma, alpha, *_: alpha >= 1,
        ),
        allowed=lambda gamma, alpha, _f, _n, _x3, _rows, epsilon: 1 - _promised(gamma, epsilon, alpha),
        actual=lambda gamma, _alpha, f, n, x3, rows, epsilon: (
            1 - wrong(gamma, epsilon, x3=x3, f=f, n=n, rows=rows, decoys=n - x3)
        ),
        printed=Fraction(1, 2),
        true=Fraction(3, 4),
        smaller=cases_before_the_witness,
        count=24,
        order=(
            "gamma, then alpha, then |P|, among predicates all of whose records carry s, for which the "
            "printed and the corrected reconstruction agree; every f, and every step of epsilon. The values "
            "are probabilities of being within epsilon"
        ),
        perturbed="splu_proofs.arithmetic.law:trial_weight larger",
        by_hand=(
            "X ~ Bin(2, 1/2) at f = 1: 1 - Pr(X = 1) = 1/2, and at f = 2 the error is 5/8, so 1/2 is "
            "promised. Each of the two records is published with s with probability 1/2. If y3 >= 1 = "
            "|P|/gamma, the estimate is |P| = 2, exactly right; only y3 = 0, with probability 1/4, is wrong."
        ),
    )


def cases_before_the_witness() -> Iterator[Case]:
    """Generate |P| = 1 at gamma = 2.

    Its one record is published with s or not, whatever f is, and is estimated at 1 or 0: wrong with 1/2 for
    epsilon <= 1, and never beyond. At alpha = 1 the promise is 1/2 for epsilon < 1 and 0 from there on, and
    a larger alpha promises no more.
    """
    for alpha, f in product((1, 2), (1, 2, 3)):
        for epsilon in (Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(3, 2)):
            yield 2, alpha, f, 1, 1, 60, epsilon


def _promised(gamma: int, epsilon: Fraction, alpha: int) -> Fraction:
    return min(error_beyond(gamma, epsilon, f) for f in range(1, alpha + 1))


def _both_ways(gamma: int, epsilon: Fraction, x3: int, n: int, rows: int) -> Fraction:
    """Return the error at f = x3, K = n - x3 by the closed form, and require the printed one's to be it."""
    true = wrong(gamma, epsilon, x3, x3, n, rows, n - x3)
    printed = printed_error(gamma, epsilon, x3, n, rows, n - x3)
    if printed != true:
        raise EvidenceError(f"gamma = {gamma}, |P| = {n}: printed {printed}, corrected {true}")
    return true


def printed_error(gamma: int, epsilon: Fraction, x3: int, n: int, rows: int, decoys: int) -> Fraction:
    """Return the error probability of the printed matrix's fixed point, at f = x3."""
    inside = x3 + decoys
    outside = gamma * x3 - inside
    right = lies_between(
        np.arange(inside + 1)[:, None],
        np.arange(outside + 1)[None, :],
        n,
        rows,
        gamma,
        (1 - epsilon) * x3,
        (1 + epsilon) * x3,
    )
    return sum(
        (trial_weight(gamma, inside, int(i)) * trial_weight(gamma, outside, int(j)))
        for i, j in np.argwhere(~right)
    ) + Fraction(0)


@T4CONJ.derivation
def it_fails_for_every_gamma() -> Derivation:
    """Take |P| = f = gamma records, all with s, and epsilon < 1/alpha."""
    return Derivation(
        setting=(
            "m = gamma - 1, q = 1 - 1/gamma = m/(m+1). For epsilon < 1/alpha the promise is 1 - q^(gamma-1) "
            "(splu.T4), and by the first two steps the group is wrong with q^gamma. To show: q^(gamma-1) "
            "(1+q) < 1."
        ),
        steps=(
            *a_pure_group_is_reported_whole().steps,
            Inequality(
                name="Bernoulli, one factor more",
                says=(
                    "If v (1 + 1/m)^k in units of 1/m is at least m + k, so is the next: v >= m + k gives "
                    "v (m+1) >= m (m+k+1). So (1 + 1/m)^m >= 2 and q^m <= 1/2."
                ),
                variables=("m", "k", "v"),
                given=lambda m, k, v: (m - 1, k, v - m - k),
                slack=lambda m, k, d: (m + 1, k, d + m + 1 + k),
                then=lambda m, k, v: v * (m + 1) - m * (m + k + 1),
            ),
            Identity(
                name="one plus q",
                says="2 - (1+q) = 1/(m+1), so (1+q)/2 < 1.",
                variables={"m": 1},
                left=lambda m: 2 - (1 + m / (m + 1)),
                right=lambda m: 1 / (m + 1),
            ),
        ),
        conclusion="q^gamma < 1 - q^(gamma-1): for every gamma the group is wrong less often than promised.",
    )


@T4CONJ.computation(
    cases=114,
    perturbed=(
        "splu_proofs.splu.concept_theorem:_both_ways larger",
        "splu_proofs.printed.iteration:step larger",
    ),
)
def homogeneous_groups() -> Comparisons:
    """At gamma = 5, |P| = f = 5: both reconstructions and the printed stopping rule, from N = 200 on."""
    for epsilon, promised in ((Fraction(1, 10), "0.5904"), (Fraction(3, 10), "0.4018...")):
        level = _promised(5, epsilon, 5)
        yield (decimal(level, 4), "=", promised, f"the promise at epsilon = {epsilon} is {decimal(level, 4)}")
        true = _both_ways(5, epsilon, x3=5, n=5, rows=280)
        yield (true, "=", Fraction(4, 5) ** 5, f"epsilon = {epsilon}: {true}")
    likely = [y1 for y1 in range(21) if trial_weight(5, 20, y1) > Fraction(1, 10**3)]
    for rows in (200, 1000):
        for y3 in range(1, 6):
            for y1 in likely:
                found = reconstruct((rows - 5 - y1, y1, 5 - y3, y3), 5)[0][3]
                where = f"estimate less 5 at N = {rows}, y3 = {y3}, y1 = {y1}"
                yield abs(Fraction(found) - 5), "<", Fraction(1, 2), where


@T4CONJ.computation(
    cases=8,
    perturbed=(
        "splu_proofs.splu.concept_theorem:_both_ways larger",
        "splu_proofs.worlds.concept_errors:largest_pure smaller",
    ),
)
def the_strongest_with_decoys_inside() -> Comparisons:
    """At gamma = 5 and 10, x3 = f < |P| < (1+epsilon) x3: the worst ratio over epsilon in hundredths."""
    for gamma, epsilon, x3, n, promised, true in STRONGEST:
        found = _promised(gamma, epsilon, x3), pure_error(gamma, epsilon, x3, n)
        cut = tuple(Fraction(int(each * 10000), 10000) for each in found)
        yield (cut, "=", (promised, true), f"gamma = {gamma}, epsilon = {epsilon}, x3 = {x3}: {found}")
    for gamma, epsilon in ((5, Fraction(19, 100)), (10, Fraction(1, 10))):
        ratio, at, x3 = max(_worst_ratio(gamma, Fraction(each, 100)) for each in range(5, 61))
        listed = next(case[2] for case in STRONGEST if case[:2] == (gamma, epsilon))
        found_there = _worst_ratio(gamma, epsilon)[0], listed
        yield found_there, "=", (ratio, x3), f"gamma = {gamma}: the worst is at epsilon = {at}, x3 = {x3}"
    yield (_both_ways(5, Fraction(3, 10), 7, 9, 6000), "=", pure_error(5, Fraction(3, 10), 7, 9), "N = 6000")


def _worst_ratio(gamma: int, epsilon: Fraction) -> tuple[Fraction, Fraction, int]:
    """Return the largest promised / true over x3 = f <= 12 with room for |P| > f, epsilon, and that x3."""
    promised, worst = Fraction(1), (Fraction(0), epsilon, 0)
    for x3 in range(1, 13):
        promised = min(promised, error_beyond(gamma, epsilon, x3))
        n = largest_pure(epsilon, x3)
        if n > x3:
            worst = max(worst, (promised / pure_error(gamma, epsilon, x3, n), epsilon, x3))
    return worst


@T4CONJ.computation(
    cases=5,
    perturbed=(
        "splu_proofs.splu.concept_theorem:_promised larger",
        "splu_proofs.printed.reconstruction:lies_between larger",
    ),
)
def mixed_predicates_fail_too() -> Comparisons:
    """Hold Example 2 against a P of 466 of 480 rows, and gamma = 2 against a P that is the whole table."""
    promised, true = _promised(10, Fraction(3, 10), 3), wrong(10, Fraction(3, 10), 3, 3, 466, 480, 27)
    yield (decimal(promised, 4), "=", "0.6125...", f"{promised}, {true}")
    yield (decimal(true, 4), "=", "0.5362...", f"{promised}, {true}")
    whole = printed_error(2, Fraction(2, 5), 1, 32, 32, 1)
    yield (whole, "=", Fraction(1, 4), f"the whole table: {whole}")
    yield (Fraction(1, 4), "<", _promised(2, Fraction(2, 5), 1), f"the whole table: {whole}")
    yield (wrong(2, Fraction(2, 5), 1, 1, 32, 32, 1), "=", Fraction(1, 2), "the corrected form there")
