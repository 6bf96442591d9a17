"""splu.R: independent releases of one table average the protection away; releases under one key do not."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from splu_ref.guarantees import privacy_minimum

from ..arithmetic.law import error, error_beyond, probability_mass
from ..arithmetic.trials import PASCAL
from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status, decimal

R = Claim(
    id="splu.R",
    module=__name__,
    source="new; Fu et al. 2014 publish once",
    title="several releases",
    statement=(
        r"T_P(R) = \min_{1\le f\le\alpha}\Pr(|X_{Rf}-Rf|>\varepsilon Rf),\quad X_{Rf}\sim\mathrm{Bin}(\gamma "
        r"Rf,1/\gamma);\qquad T_P(R) \le \frac{\gamma-1}{\gamma\varepsilon^2R\alpha}"
    ),
    words=(
        "If a table is published R times with independent draws, the mean of the R published counts of a "
        "value with f records is X/R, where X is distributed as the published count of R f records. So the "
        "mean errs at f as one release does at R f, and the protection of a count of 3 falls to that of a "
        "count of 3R. At gamma = 10, epsilon = 0.3, alpha = 3 the level of Theorem 4 is 0.6125 for R = 1, "
        "0.4290 for 2, 0.2189 for 5, 0.0664 for 10 and 6.2e-8 for 100. Releases of the unchanged table "
        "under one key are copies of each other: their mean is the count of one release, and T_P stays."
    ),
    hypotheses=(
        r"\gamma \ge 2",
        r"\varepsilon > 0",
        r"R \ge 1",
        r"\text{the estimate is the mean of the } f'",
    ),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.B", "splu.T3c", "splu.S", "splu.L2"),
    licenses=("splu_ref.guarantees.privacy", "splu_ref.guarantees.minimum_error"),
    tests=("tests/guarantees/test_releases.py::test_against_the_law_of_the_sum",),
)


@R.derivation
def the_mean_is_one_release_of_more_records() -> Derivation:
    """R releases are R gamma f trials, and the error of the mean is an error at the count R f."""
    return Derivation(
        setting=(
            "The R releases draw independently, so X, the sum of the published counts, counts the "
            "successes among R gamma f trials of probability 1/gamma: PASCAL adds them one by one. M = R "
            "f. epsilon = a/b."
        ),
        steps=(
            PASCAL,
            Identity(
                name="the same event",
                says=(
                    "|X/R - f| = epsilon f + t exactly when |X - M| = epsilon M + R t: here (epsilon f + "
                    "t) R."
                ),
                variables={"r": 1, "f": 1, "epsilon": 1, "t": 0},
                left=lambda r, f, epsilon, t: (epsilon * f + t) * r,
                right=lambda r, f, epsilon, t: epsilon * (r * f) + r * t,
            ),
            Inequality(
                name="from f to f + 1 are R steps of the sawtooth lemma",
                says=(
                    "If ceil(epsilon M) = j at M = R f and at R (f+1), then at every M + i, 0 <= i <= R, "
                    "between: a (M+i) is at least a M and at most a (M+R)."
                ),
                variables=("a", "m", "i", "r"),
                given=lambda a, m, i, r: (a, m, i, r - i),
                slack=lambda a, m, i, d: (a, m, i, d + i),
                then=lambda a, m, i, r: (a * (m + i) - a * m) * (a * (m + r) - a * (m + i)),
            ),
        ),
        conclusion=(
            "The error at f is that of one release at R f. While j is constant it does not fall from f to f "
            "+ 1, by splu.S at the counts R f, R f + 1, ..., R f + R; so the minimum is at the first f of a "
            "run of constant ceil(epsilon R f), or floor(epsilon R f) + 1 in the strict form. T_P(R) is at "
            "most the error at alpha, by splu.T3c at the count R alpha at most 1/R of one release's bound, "
            "which tends to 0 as R grows; the two-sided Chernoff bound of splu.T3c makes it fall at least as "
            "fast as c^R for some c < 1."
        ),
    )


@R.computation(cases=288, perturbed="splu_proofs.arithmetic.law:error larger")
def sums_multiplied_out() -> Comparisons:
    """Convolve the law of f' with itself, R <= 4 times, and measure the error of the mean directly."""
    for gamma in (2, 3, 5):
        for f in (1, 2, 3):
            law = [probability_mass(gamma, f, k) for k in range(gamma * f + 1)]
            total = [Fraction(1)]
            for releases in range(1, 5):
                total = [
                    sum(
                        (
                            total[k - i] * law[i]
                            for i in range(max(0, k - len(total) + 1), min(k, gamma * f) + 1)
                        ),
                        Fraction(0),
                    )
                    for k in range(releases * gamma * f + 1)
                ]
                for epsilon in (Fraction(1, 10), Fraction(3, 10), Fraction(1, 2), Fraction(1)):
                    means = [(abs(Fraction(k, releases) - f), p) for k, p in enumerate(total)]
                    wrong = sum((p for distance, p in means if distance >= epsilon * f), Fraction(0))
                    beyond = sum((p for distance, p in means if distance > epsilon * f), Fraction(0))
                    yield (wrong, "=", error(gamma, epsilon, releases * f), f"{gamma}, {f}, R = {releases}")
                    yield (
                        beyond,
                        "=",
                        error_beyond(gamma, epsilon, releases * f),
                        f"{gamma}, {f}, R = {releases}",
                    )


@R.computation(
    cases=216,
    perturbed=(
        "splu_ref.guarantees.minimum_error:IncrementalErrorScan.possible larger",
        "splu_proofs.arithmetic.law:error larger",
    ),
)
def the_library_follows() -> Comparisons:
    """Compare the library with the minimum over every f, and with one release at R = 1."""
    for gamma in (2, 5, 10):
        for epsilon in (Fraction(1, 10), Fraction(3, 10), Fraction(1)):
            for alpha in (1, 3, 8):
                for releases in (1, 2, 3, 7):
                    found = privacy_minimum(gamma, epsilon, alpha, releases)
                    counts = range(1, alpha + 1)
                    strict = min((error_beyond(gamma, epsilon, releases * f), f) for f in counts)
                    tight = min((error(gamma, epsilon, releases * f), f) for f in counts)
                    yield (
                        (found.t_p.exact(), found.argmin),
                        "=",
                        strict,
                        f"{gamma}, {epsilon}, {alpha}, R = {releases}",
                    )
                    yield (
                        (found.t_p_definition.exact(), found.argmin_definition),
                        "=",
                        tight,
                        f"{gamma}, {epsilon}, {alpha}",
                    )


@R.computation(
    cases=13,
    perturbed=(
        "splu_ref.guarantees.minimum_error:IncrementalErrorScan.possible larger",
        "splu_proofs.arithmetic.law:probability_mass larger",
    ),
)
def how_it_collapses() -> Comparisons:
    """Compute both forms at gamma = 10, epsilon = 0.3, alpha = 3 for R = 1, 2, 5, 10, 100."""
    epsilon = Fraction(3, 10)
    levels = [privacy_minimum(10, epsilon, 3, releases) for releases in (1, 2, 5, 10, 100)]
    for releases, level in zip((1, 2, 5, 10, 100), levels, strict=True):
        chebyshev = Fraction(9, 10) / (epsilon**2 * releases * 3)
        yield (level.t_p_definition.exact(), "<=", chebyshev, f"R = {releases}: above Chebyshev's bound")
    for before, after in pairwise(levels):
        yield (after.t_p.exact(), "<", before.t_p.exact(), "it does not fall")
    yield (levels[0].t_p.exact(), "=", 1 - Fraction(9, 10) ** 9, "one release has another level")
    few = [decimal(level.t_p.exact(), 4) for level in levels[:4]]
    yield (few, "=", ["0.6125...", "0.4290...", "0.2189...", "0.0664..."], f"the levels are {few}")
    yield (decimal(levels[4].t_p.exact(), 9), "=", "0.000000062...", "100 releases have another level")
    yield (
        levels[3].t_p_definition.exact() - levels[3].t_p.exact(),
        "=",
        sum(probability_mass(10, 30, k) for k in (21, 39)),
        "R = 10",
    )


@R.computation(cases=3, perturbed="splu_ref.guarantees.minimum_error:minimum_error_count larger")
def it_need_not_fall_at_every_step() -> Comparisons:
    """Find where one more release raises the error, as splu.S says while ceil(epsilon R f) stays."""
    levels = [privacy_minimum(10, Fraction(3, 10), 1, releases).t_p.exact() for releases in range(1, 5)]
    yield (levels[0], "<", levels[1], "it falls at every step")
    yield (levels[1], "<", levels[2], "it falls at every step")
    yield (levels[2], ">", levels[3], "it falls at every step")


@R.enumeration(
    cases=41,
    perturbed=(
        "splu_ref.mechanisms.plans.cyclic:BlockPlan.blocks larger",
        "splu_proofs.worlds.watched:keyed_release larger",
    ),
)
def one_key_makes_copies() -> Comparisons:
    """Publish a table twice under one key, and under another one."""
    from ..worlds import watched  # noqa: PLC0415  it loads numpy and the library

    changed = 0
    for number in range(20):
        first, again, other = (
            watched.keyed_release((3, 2, 2, 1), 2, key) for key in (number, number, number + 1)
        )
        yield first, "=", again, f"two releases under key {number}"
        yield max(value for _, value in first), "<=", 3, f"published values under key {number}"
        changed += first != other
    yield (changed, ">", 0, "another key never gives another release")
