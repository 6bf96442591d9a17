"""rastogi.SD, rastogi.T33: what statistical difference says of usefulness, and where it becomes small."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import isqrt

from ..terms import Claim, Comparisons, Derivation, Grade, Inequality, Status
from .estimator import published_law

SD = Claim(
    id="rastogi.SD",
    module=__name__,
    source="Rastogi, Suciu, Hong 2007 (summary), after Definition 3.1",
    title="statistical difference and usefulness",
    statement=(
        r"\Pr_A(T) - \Pr_B(T) \le \tfrac12 \mathrm{SD}(A, B) \text{ for every test } T, \text{ with equality "
        r"for some}; \quad \mathrm{SD}(A,B) \ge 2(1-2\varepsilon) \text{ if some estimate errs by } n/2 "
        r"\text{ with at most } \varepsilon"
    ),
    words=(
        "True, and it can be quantified. 001 defines the difference without the factor 1/2, so it ranges "
        "over [0, 2]. Whoever distinguishes Q(I) = n from Q(I) = 0 has a chance of at most 1/2 + SD/4 to be "
        "right, if both are as likely, and the test that asks which law makes V likelier attains it. An "
        "estimate that is off by less than n/2 with 1 - epsilon under both distinguishes them, so a "
        "meaningless algorithm, with SD below 1/2, has epsilon above 3/8 for such queries."
    ),
    hypotheses=(r"\mathrm{SD}(A,B) = \sum_x |\Pr_A(x) - \Pr_B(x)|",),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
)

T33 = Claim(
    id="rastogi.T33",
    module=__name__,
    source="Rastogi, Suciu, Hong 2007 (summary), Theorem 3.3",
    title="no meaningful algorithm for strong adversaries",
    statement=(
        r"d \ge \frac1c\,\frac{\gamma}{1-\gamma}\,\frac n{\sqrt m} \;\Longrightarrow\; \text{no meaningful "
        r"algorithm is } (d,\gamma)\text{-private}"
    ),
    words=(
        "Quoted; the proof is not in the summary and not made here. What is computed is the alpha-beta "
        "algorithm at its least variance, for a query of half the domain, with n = sqrt m: the exact "
        "statistical difference of n_V between Q(I) = n and Q(I) = 0. It falls as k = d m/n grows, and "
        "passes 1/2 near k = sqrt m, as the theorem has it. n_V is what the estimator sees; what is "
        "published outside the query adds at most as much again."
    ),
    hypotheses=(r"c \text{ a constant}", r"d = kn/m"),
    status=Status.LITERATURE,
    grade=Grade.EXACT,
    rests_on=("rastogi.SD", "rastogi.T43c"),
)


def difference(alpha: Fraction, beta: Fraction, size: int, count: int) -> Fraction:
    """Return the statistical difference of n_V between Q = ``count`` and Q = 0, without the factor 1/2."""
    some, none = (published_law(alpha, beta, size, number) for number in (count, 0))
    return sum((abs(a - b) for a, b in zip(some, none, strict=True)), Fraction(0))


@SD.derivation
def the_best_test() -> Derivation:
    """Look at one outcome, and at how much of it a test takes."""
    return Derivation(
        setting=(
            "An outcome has probabilities a and b under A and B, in units of a common denominator, and a "
            "test says A on it with j/n. Its gain is the sum of j (a-b)/n over the outcomes."
        ),
        steps=(
            Inequality(
                name="outcomes that A makes likelier",
                says="With a >= b and j <= n, j (a-b) is at most n (a-b): the test had better say A there.",
                variables=("a", "b", "n", "j"),
                given=lambda a, b, n, j: (a - b, b, n - j, j),
                slack=lambda x, y, z, w: (x + y, y, z + w, w),
                then=lambda a, b, n, j: n * (a - b) - j * (a - b),
            ),
            Inequality(
                name="outcomes that B makes likelier",
                says="With b >= a and j >= 0, j (b-a) is at least 0: it had better say B there.",
                variables=("a", "b", "n", "j"),
                given=lambda a, b, n, j: (b - a, a, n - j, j),
                slack=lambda x, y, z, w: (y, x + y, z + w, w),
                then=lambda a, b, _n, j: j * (b - a),
            ),
        ),
        conclusion=(
            "The best test says A where A makes the outcome likelier. Its gain is the sum of a - b there, "
            "which equals the sum of b - a elsewhere, as both laws add up to 1: so it is SD/2. An estimate "
            "within n/2 of the truth with 1 - epsilon under both is a test, whether it is above n/2, with a "
            "gain of at least 1 - 2 epsilon."
        ),
    )


@SD.computation(cases=6, perturbed="splu_proofs.rastogi.difference:difference larger")
def every_test_of_small_laws() -> Comparisons:
    """Try every set of outcomes for n_V of small queries."""
    for alpha, beta in ((Fraction(1, 2), Fraction(1, 10)), (Fraction(1, 5), Fraction(2, 5))):
        for size, count in ((3, 1), (4, 4), (6, 2)):
            some, none = (published_law(alpha, beta, size, number) for number in (count, 0))
            gains = [
                sum((a - b for keep, a, b in zip(test, some, none, strict=True) if keep), Fraction(0))
                for test in product((False, True), repeat=size + 1)
            ]
            yield (max(gains), "=", difference(alpha, beta, size, count) / 2, f"{alpha}, {size}, {count}")


@T33.computation(
    cases=16,
    perturbed=(
        "splu_proofs.rastogi.difference:difference larger",
        "splu_proofs.rastogi.estimator:published_law doubled",
    ),
)
def the_difference_falls_below_one_half() -> Comparisons:
    """Compute the difference at k = j sqrt(m)/16, gamma = 1/2, n = sqrt m: it falls, and below 1/2."""
    gamma = Fraction(1, 2)
    for m in (64, 144):
        n, before, least = isqrt(m), Fraction(2), 0
        for j in range(1, 8):
            d = Fraction(j * n * n, 16 * m)
            whole = gamma + d * (1 - gamma)
            now = difference((gamma - d) / whole, d * (1 - gamma) / whole, m // 2, n)
            yield (now, "<", before, f"m = {m}, k = {j} sqrt(m)/16: it does not fall")
            if now < Fraction(1, 2) and not least:
                least = j
            before = now
        yield (least, ">", 1, f"m = {m}: below 1/2 at {least}, at the last {before}")
