"""splu.L3 and splu.L4: what a guarantee for s says about a predicate together with s."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from splu_ref.estimators import estimate_count

from ..arithmetic.law import at_least, at_most, beyond, probability_mass
from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Kernel, Status, Witness, decimal
from ..worlds.concept_errors import largest_pure, pure_error, wrong
from .theorem2 import ratio_test_trial_by_trial

ROWS = 60
"""Rows of the tables below: more than gamma^2 f, so that f' < N/gamma always."""

L3 = Claim(
    id="splu.L3",
    module=__name__,
    source="Fu et al. 2014, §5.3, Lemma 3",
    title="a guarantee for s passes to (P, s)",
    statement=(
        r"\Pr(|f'-f|\ge\varepsilon f)\ge T_P\;\Longrightarrow\;\Pr(|\hat x_3-x_3|\ge\varepsilon x_3)\ge T_P"
        r"\quad\text{for every } P"
    ),
    words=(
        "False. If every record of P carries s, the paper's reconstruction reports exactly |P| as soon as "
        "|P|/gamma of them are published with s, however rare s is. With gamma = 2 and f = 2 the count of s "
        "is wrong with probability 5/8; a predicate that holds one of the two records is wrong with 1/2, one "
        "that holds both with 1/4. For small epsilon and large f the level of s approaches 1, while a group "
        "of gamma records, all with s, is wrong with (1-1/gamma)^gamma only, between 1/4 and 1/e: up to 4 "
        "times less than promised. For larger epsilon the ratio can go on growing: with gamma = 2 and "
        "epsilon = 3/10 it is 11 where 28 of 36 records carry s, and 44 at 56 of 72."
    ),
    hypotheses=(r"\gamma \ge 2", r"\varepsilon > 0", r"\hat x_3 \text{ by §5.1, printed or corrected}"),
    status=Status.REFUTED,
    grade=Grade.KERNEL,
    rests_on=("splu.B", "splu.D4"),
    corrected_by="splu.T4c",
    topples=("splu.T4conj",),
    tests=("tests/docs/test_witnesses.py::test_lemma_3",),
    kernel=Kernel(
        theorems=(
            "Mechanism.published_count_of_holders",
            "PurePredicates.corrected_estimate_whole",
            "PurePredicates.printed_estimate_whole",
            "PurePredicates.pure_error_at_most",
            "PurePredicates.small_pure_error_at_most",
            "PurePredicates.count_error_of_two",
            "PurePredicates.conjunction_error_of_two",
            "PurePredicates.guarantee_for_conjunctions_refuted",
        ),
        covers=(
            "The refutation, from the mechanism: at gamma = 2 and |P| = f = 2 among ten records the errors "
            "are 1/4 and 5/8 for every epsilon up to 1/2. And in general: a predicate all of whose records "
            "carry a rare value is reported whole once |P|/gamma of them are published with it, by the "
            "corrected form and by the printed one at every share below 1/gamma."
        ),
        leaves=(
            "That no case is smaller than |P| = 1, f = 2, where the printed iteration ends, and how wrong it "
            "gets: computations below."
        ),
    ),
)


@L3.refutation
def one_of_two_records() -> Witness:
    """At gamma = 2, f = 2 and |P| = 1, the record carries s: right with 1/2, where 3/8 is promised."""
    return Witness(
        parameters={"gamma": 2, "f": 2, "|P|": 1, "x3": 1, "epsilon": Fraction(1, 2)},
        premises=(
            lambda gamma, _f, _n, _x3, _epsilon: gamma >= 2,
            lambda _gamma, _f, _n, _x3, epsilon: epsilon > 0,
            "the printed and the corrected reconstruction agree in these cases",
        ),
        allowed=lambda gamma, f, _n, _x3, epsilon: 1 - beyond(gamma, f, int(epsilon * f)),
        actual=lambda gamma, f, n, x3, epsilon: (
            1 - wrong(gamma, epsilon, x3=x3, f=f, n=n, rows=ROWS, decoys=n - x3)
        ),
        printed=Fraction(3, 8),
        true=Fraction(1, 2),
        smaller=lambda: [(2, 1, 1, 1, Fraction(1)), (2, 1, 1, 1, Fraction(2))],
        count=2,
        order=(
            "gamma, then f, then |P|, among predicates all of whose records carry s, for which the printed "
            "and the corrected reconstruction agree in any table with N > 2 gamma^2 f + gamma |P|; then the "
            "steps of epsilon. The values are probabilities of being within epsilon"
        ),
        perturbed="splu_proofs.arithmetic.law:trial_weight larger",
        by_hand=(
            "X ~ Bin(4, 1/2): Pr(X = 2) = 6/16, so s is within epsilon = 1/2 with probability 3/8. The one "
            "record of P is published with s with probability 1/2; then y3 = 1 >= |P|/2 and the estimate is "
            "|P| = 1, exactly right."
        ),
    )


@L3.derivation
def a_pure_group_is_reported_whole() -> Derivation:
    """Subtract n from either reconstruction before it is clipped to 0 .. n."""
    return Derivation(
        setting=(
            "n = |P|, F = f' < N/gamma. The corrected closed form is (gamma (N-F) y3 - n F (gamma-1))/(N - "
            "gamma F); the printed fixed point is (y3 - n phi)/(1/gamma - phi) with its own phi < 1/gamma. "
            "Here g, p and t stand for gamma, phi and 1/gamma."
        ),
        steps=(
            Identity(
                name="the corrected form less n",
                says="It is (N-F)(gamma y3 - n)/(N - gamma F): at least 0 exactly when gamma y3 >= n.",
                variables={"g": 2, "rows": 1000, "F": 0, "n": 1, "y": 0},
                left=lambda g, rows, F, n, y: (  # noqa: N803  F as in the setting
                    (g * (rows - F) * y - n * F * (g - 1)) / (rows - g * F) - n
                ),
                right=lambda g, rows, F, n, y: (rows - F) * (g * y - n) / (rows - g * F),  # noqa: N803  as above
            ),
            Identity(
                name="the printed form less n",
                says="It is (y3 - n/gamma)/(1/gamma - phi): at least 0 exactly when gamma y3 >= n.",
                variables={"t": 100, "p": 0, "n": 1, "y": 0},
                left=lambda t, p, n, y: (y - n * p) / (t - p) - n,
                right=lambda t, p, n, y: (y - n * t) / (t - p),
            ),
        ),
        conclusion=(
            "Clipped to 0 .. n, both are n as soon as gamma y3 >= n. If n = x3 <= gamma, one published "
            "record is enough: the error probability is at most (1-1/gamma)^n, whatever f is."
        ),
    )


@L3.flaw
def the_guarantee_is_about_another_estimator() -> Derivation:
    """Add the parts, as the printed proof does, which says that the sum would estimate f too well."""
    return Derivation(
        setting=(
            "y, z are y3, y1; F = y + z; P holds n and its complement N - n records. The guarantee of s "
            "speaks of f' alone (splu.D2)."
        ),
        steps=(
            Identity(
                name="unclipped, the parts do add up to f'",
                says="The corrected form for P plus that for its complement is F.",
                variables={"g": 2, "rows": 1000, "n": 0, "y": 0, "z": 0},
                left=lambda g, rows, n, y, z: (
                    (g * (rows - y - z) * y - n * (y + z) * (g - 1)) / (rows - g * (y + z))
                    + (g * (rows - y - z) * z - (rows - n) * (y + z) * (g - 1)) / (rows - g * (y + z))
                ),
                right=lambda _g, _rows, _n, y, z: y + z,
            ),
        ),
        conclusion=(
            "But a part is clipped to 0 .. |P|, and |P| is published: the sum is then another estimator, of "
            "which the guarantee says nothing. Nor would an accurate part make the sum accurate: its error "
            "is that of both parts."
        ),
    )


@L3.computation(cases=9, perturbed="splu_proofs.arithmetic.law:beyond larger")
def how_wrong_it_gets() -> Comparisons:
    """Find level of s / error of (P, s) for pure groups, gamma 2..10 and f <= 30; and with epsilon = 3/10."""
    level, gamma, n, f = max(
        (beyond(gamma, f, 1) / pure_error(gamma, Fraction(1, 100), n, n), gamma, n, f)
        for gamma in range(2, 11)
        for f in range(1, 31)
        for n in range(1, min(f, 2 * gamma) + 1)
    )
    yield ((gamma, n, f), "=", (2, 2, 30), f"{level} at {gamma}, {n}, {f}")
    yield (3, "<", level, f"{level} at {gamma}, {n}, {f}")
    yield (level, "<", 4, f"{level} at {gamma}, {n}, {f}")
    epsilon = Fraction(3, 10)
    growing = []
    for x3 in (7, 14, 28, 56):
        promised = beyond(2, x3, -(-epsilon * x3 // 1))
        growing.append(promised / pure_error(2, epsilon, x3, largest_pure(epsilon, x3)))
    for a, b in pairwise(growing):
        yield (a, "<", b, f"it does not grow: {growing}")
    yield ([int(ratio) for ratio in growing[2:]], "=", [11, 44], f"the ratios are {growing}")
    yield ([largest_pure(epsilon, x3) for x3 in (28, 56)], "=", [36, 72], "the sizes of the predicates")
    both = 1 - wrong(2, Fraction(1, 2), x3=2, f=2, n=2, rows=ROWS, decoys=0)
    yield (both, "=", Fraction(3, 4), f"two of two records: {both}")


L4 = Claim(
    id="splu.L4",
    module=__name__,
    source="Fu et al. 2014, §5.3, Lemma 4",
    title="f' estimates a concept that holds all of s",
    statement=(
        r"x_3=f:\quad \arg\max_f b(\gamma f;k)=\{k\}\ (k=f');\qquad \text{with } f\le|P|,\ f\le N/\gamma:\ "
        r"\min(f',|P|,\lfloor N/\gamma\rfloor)"
    ),
    words=(
        "True as long as the size of P is ignored: if all records with s lie in P, the count of the concept "
        "is f, and f' is its maximum likelihood estimate by splu.T2. But publication does not change which "
        "records satisfy P, so |P| is public, and so is f <= N/gamma; with them the estimate is the smallest "
        "of f', |P| and the whole part of N/gamma. The difference matters where protection is needed most: "
        "if every record of P carries s, f' exceeds |P|, and is seen to be impossible, with probability 1/4 "
        "at gamma = 2, f = 1, and with about one half for large f."
    ),
    hypotheses=(r"\gamma \ge 2", r"x_3 = f", r"f' \text{ and the two bounds are all that is used}"),
    status=Status.PROVED,
    grade=Grade.KERNEL,
    rests_on=("splu.T2",),
    licenses=("splu_ref.estimators.counts:estimate_count",),
    tests=("tests/audit/test_concepts.py::test_f_prime_as_the_estimate_is_worst_alone",),
    kernel=Kernel(
        theorems=(
            "MaximumLikelihood.published_count_is_the_mle",
            "MaximumLikelihood.mle_under_a_public_bound",
        ),
        covers=(
            "The whole statement: the first without bounds, k = 0 included, the second with U, the smaller "
            "of |P| and the whole part of N/gamma."
        ),
        leaves="How often f' exceeds |P|, and what the bound costs: computations below.",
    ),
)


@L4.derivation
def the_likelihood_of_theorem_2() -> Derivation:
    """Take the likelihood of splu.T2, and cut off its range at the public bounds."""
    return Derivation(
        setting="x3 = f, so L(f) = b(gamma f; k) with k = f'. U is the smaller of |P| and N/gamma.",
        steps=ratio_test_trial_by_trial().steps,
        conclusion=(
            "L rises strictly to f = k and falls strictly after it: without bounds the maximum is at k, and "
            "under f <= U < k at the last whole f allowed."
        ),
    )


@L4.computation(cases=513, perturbed="splu_ref.estimators.counts:estimate_count larger")
def what_the_size_of_the_predicate_implies() -> Comparisons:
    """Every |P| <= 8, N/gamma <= 8, f' <= 12 at gamma 2..4; and how often f' exceeds |P| = f."""
    for gamma in range(2, 5):
        for k in range(13):
            for bound in range(-(-k // gamma), 9):
                likelihood = {f: probability_mass(gamma, f, k) for f in range(bound + 1)}
                best = max(likelihood, key=likelihood.__getitem__)
                yield (best, "=", min(k, bound), f"gamma = {gamma}, f' = {k}, bound {bound}: {best}")
                yield (
                    estimate_count(k, gamma, bound).estimate_within_bound,
                    "=",
                    best,
                    "the library differs",
                )
    yield (at_least(2, 1, 2), "=", Fraction(1, 4), "gamma = 2, f = |P| = 1: f' = 2 has another probability")
    often = [at_least(5, f, f + 1) for f in (1, 5, 40)]
    yield (Fraction(9, 20), "<", often[-1], f"|P| = f = 40: {decimal(often[-1], 4)}")
    yield (often[-1], "<", Fraction(1, 2), f"|P| = f = 40: {decimal(often[-1], 4)}")


@L4.computation(cases=2, perturbed="splu_proofs.arithmetic.law:beyond smaller")
def using_it_lowers_the_level() -> Comparisons:
    """For |P| = x3 = f the bounded estimate errs only downward: compare at gamma = 5, 10."""
    for gamma, f in ((5, 5), (10, 10)):
        distance = -(-3 * f // 10)
        ignored, used = beyond(gamma, f, distance), at_most(gamma, f, f - distance)
        yield (used, "<", ignored, f"gamma = {gamma}: no difference")
