"""olap.T1, olap.T1s: how many rows an estimate of one share needs, as printed and at least."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.channels import natural_logarithm
from splu_ref.guarantees import printed_sample_size, sample_size, sample_size_bound

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status

T1 = Claim(
    id="olap.T1",
    module=__name__,
    source="Agrawal et al. 2005, §4.1, Theorem 1",
    title="the printed number of rows",
    statement=(
        r"n \ge \frac{4\ln(2/\delta)}{(p\varepsilon)^2} \;\Longrightarrow\; "
        r"\Pr(|\hat f - f| \ge \varepsilon) \le \delta"
    ),
    words=(
        "True, for every true count, and its constant is far from tight: half of it follows below in a few "
        "lines, an eighth of it is Hoeffding's inequality, which is quoted, and at p = 1/2, epsilon = 1/5, "
        "delta = 1/20 the printed 1,476 rows stand against 185 by Hoeffding and 81 at least where b = 1/2 "
        "(olap.T1s). The printed proof shows less: it asks for n >= 4 t ln(2/delta) / (p epsilon)^2 only, t "
        "the chance that a published row is in the range, and the Chernoff bound that it cites, "
        "2 exp(-n (p epsilon)^2 / (4 t)), holds for deviations of at most 2e - 1 times the mean, not for a "
        "small t: one row with t = 1/25 and p epsilon = 9/10 is off with probability 1/25, and the bound is "
        "below 1/78. Since t <= 1 the theorem, which leaves t out, is not concerned. The proof also takes "
        "rows to be alike; in a fixed table those with the predicate and those without are not, which only "
        "makes the count less variable."
    ),
    hypotheses=("0 < p < 1", "0 < b < 1", r"\varepsilon > 0", r"0 < \delta < 1"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    tests=(
        "tests/guarantees/test_sample_sizes.py::test_bounds_for_one_column_and_several",
        "tests/guarantees/test_sample_sizes.py::test_the_least_number_by_looking_at_everything",
    ),
)


@T1.derivation
def half_of_it_does() -> Derivation:
    """Bound the moment generating function of one centered row by that of a fair coin."""
    return Derivation(
        setting=(
            "B is a row's published bit, of chance c, and B' an independent copy; z = e^s > 0. The mean of "
            "z^(B - c) is at most that of z^(B - B'), by Jensen's inequality. n rows are independent."
        ),
        steps=(
            Identity(
                name="a row less its copy",
                says="The mean of z^(B-B') is 1 + c (1-c) (z-1)^2 / z.",
                variables={"c": 0, "z": 1},
                left=lambda c, z: c**2 + (1 - c) ** 2 + c * (1 - c) * (z + 1 / z),
                right=lambda c, z: 1 + c * (1 - c) * (z - 1) ** 2 / z,
            ),
            Identity(
                name="a fair coin is the worst",
                says="It falls short of (z + 1/z)/2 by ((1-2c)^2 + 2c(1-c)) (z-1)^2 / (2z) >= 0.",
                variables={"c": 0, "z": 1},
                left=lambda c, z: (z + 1 / z) / 2 - (1 + c * (1 - c) * (z - 1) ** 2 / z),
                right=lambda c, z: ((1 - 2 * c) ** 2 + 2 * c * (1 - c)) * (z - 1) ** 2 / (2 * z),
            ),
            Inequality(
                name="cosh s is at most exp(s^2/2)",
                says=(
                    "Term by term, (2k)! >= 2^k k!: from k to k + 1 the left side grows by (2k+1)(2k+2) and "
                    "the right side by 2(k+1). 'fact' is (2k)! and 'power' is 2^k k!."
                ),
                variables=("fact", "power", "k"),
                given=lambda fact, power, k: (fact - power, power, k),
                slack=lambda s, power, k: (s + power, power, k),
                then=lambda fact, power, k: fact * (2 * k + 1) * (2 * k + 2) - power * 2 * (k + 1),
            ),
            Identity(
                name="the exponent",
                says="n s^2 / 2 - s n t is least at s = t = p epsilon, where it is - n t^2 / 2.",
                variables={"n": 1, "s": 0, "t": 0},
                left=lambda n, s, t: n * s**2 / 2 - s * n * t,
                right=lambda n, s, t: n * (s - t) ** 2 / 2 - n * t**2 / 2,
            ),
        ),
        conclusion=(
            "The count is off by n p epsilon or more, upward, with probability at most exp(-n (p epsilon)^2 "
            "/ 2) by Markov's inequality, and downward likewise. Both together are at most delta for n >= 2 "
            "ln(2/delta) / (p epsilon)^2, half of what is printed."
        ),
    )


@T1.computation(cases=1, perturbed="splu_ref.guarantees.sample_sizes:printed_sample_size larger")
def the_numbers() -> Comparisons:
    """Find the printed number, Hoeffding's and the least, at the parameters of the words."""
    printed = printed_sample_size("1/2", "1/5", "1/20")
    hoeffding = sample_size_bound("1/2", ["1/2"], "1/5", "1/20")
    least = sample_size("1/2", "1/2", "1/5", "1/20").rows
    yield ((printed, hoeffding, least), "=", (1476, 185, 81), f"{printed}, {hoeffding}, {least}")


@T1.computation(cases=4, perturbed="splu_ref.channels.logarithms:natural_logarithm larger")
def the_cited_bound_is_false_for_a_small_chance() -> Comparisons:
    """One row, t = 1/25, p epsilon = 9/10: it is off if it is in the range, and the bound is smaller."""
    t, off = Fraction(1, 25), Fraction(9, 10)
    yield (1 - t, ">=", off, "a row in the range is off, and one outside is not")
    yield (off, ">", t, "a row in the range is off, and one outside is not")
    exponent = off**2 / (4 * t)  # 2 exp(-exponent) < t is exponent > ln(2/t)
    yield (exponent, ">", natural_logarithm(Fraction(2) * 78).upper, "the bound is not below 1/78")
    yield (t, ">", Fraction(1, 78), "the probability is not above the bound")


T1S = Claim(
    id="olap.T1s",
    module=__name__,
    source="sharpens Agrawal et al. 2005, §4.1, Theorem 1",
    title="the least number of rows",
    statement=(
        r"n_0 = 1 + \max\{n : \exists c \le n,\ \Pr(|X_{n,c} - \mathrm{E}X_{n,c}| \ge n p \varepsilon) > "
        r"\delta\},\quad X_{n,c} \sim \mathrm{Bin}(c, p + (1-p)b) + \mathrm{Bin}(n-c, (1-p)b)"
    ),
    words=(
        "From n_0 rows on the estimate is within epsilon but for delta whatever the true count, and at n_0 - "
        "1 it is not. The maximum exists, by Hoeffding's inequality. It is found from there downward: adding "
        "a centered trial raises a tail that begins 3 or more above the mean, because masses fall from the "
        "mode on and the mode is less than 1 from the mean, so that one probability bounds a block of n and "
        "c; single n are settled by a bound of second differences along c. Here both are checked at every n "
        "and c of small cases. n_0 depends on b: at p = 1/2, epsilon = 1/5, delta = 1/20 it is 81 for b = "
        "1/2, 94 for 1/4 and 101 for 1/10."
    ),
    hypotheses=("0 < p < 1", "0 < b < 1", r"\varepsilon > 0", r"0 < \delta < 1", "one column, a fixed table"),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="counts up to 9 of each kind, and the small n computed in full",
    licenses=("splu_ref.guarantees.sample_sizes", "splu_ref.guarantees.sample_sizes"),
    tests=(
        "tests/guarantees/test_sample_sizes.py::test_the_least_number_by_looking_at_everything",
        "tests/guarantees/test_sample_sizes.py::test_every_count_below_the_bound_is_within_delta",
    ),
)


def _tail(trials: list[Fraction], limit: Fraction) -> Fraction:
    """Return Pr(X >= limit), taken linearly between neighboring whole limits, trial by trial."""
    law, scale = [1], 1  # integers over a common denominator
    for chance in trials:
        success, failure = chance.numerator, chance.denominator - chance.numerator
        law = [same * failure + one * success for same, one in zip([*law, 0], [0, *law], strict=True)]
        scale *= chance.denominator
    whole = limit.numerator // limit.denominator
    part = limit - whole
    here, there = (Fraction(sum(law[max(k, 0) :]), scale) for k in (whole, whole + 1))
    return (1 - part) * here + part * there


@T1S.computation(cases=1200, perturbed="_tail([*trials, more], mean => _tail(trials, mean")
def a_centered_trial_more_raises_a_tail() -> Comparisons:
    """Add a trial of either kind, at all counts up to 9 of each and distances from 3 on."""
    for own, other in ((Fraction(5, 8), Fraction(1, 8)), (Fraction(4, 5), Fraction(1, 2))):
        for c in range(10):
            for m in range(10):
                trials = [own] * c + [other] * m
                mean = sum(trials, Fraction(0))
                for d in (Fraction(3), Fraction(10, 3), Fraction(9, 2)):
                    before = _tail(trials, mean + d)
                    for more in (own, other):
                        yield (_tail([*trials, more], mean + more + d), ">=", before, f"{own}, {c}, {m}, {d}")


@T1S.computation(
    cases=2,
    perturbed=(
        "splu_proofs.olap.sample_size:_tail larger",
        "splu_ref.channels.binomial_bounds:Enclosure.below doubled",
    ),
)
def the_least_number_in_small_cases() -> Comparisons:
    """Look at every n below Hoeffding's bound and every count, trial by trial."""
    for p, b, epsilon, delta in (("1/2", "1/2", "2/5", "1/10"), ("2/3", "1/4", "1/2", "1/20")):
        found = sample_size(p, b, epsilon, delta)
        keep, share, apart = Fraction(p), Fraction(b), Fraction(p) * Fraction(epsilon)
        own, other = keep + (1 - keep) * share, (1 - keep) * share
        poor = []
        for n in range(1, found.rows_bound):
            for c in range(n + 1):
                mean = c * own + (n - c) * other
                above = _tail([own] * c + [other] * (n - c), Fraction(-(-(mean + n * apart) // 1)))
                failures = [1 - own] * c + [1 - other] * (n - c)
                below = _tail(failures, Fraction(-(-(n - mean + n * apart) // 1)))
                if above + below > Fraction(delta):
                    poor.append(n)
        yield (found.rows, "=", max(poor) + 1, f"{p}, {b}, {epsilon}, {delta}: {found.rows}")


@T1S.computation(cases=1, perturbed="splu_ref.guarantees.sample_sizes:SampleSizeSearch.limits larger")
def how_it_depends_on_the_share() -> Comparisons:
    """Find n_0 for three shares."""
    found = [sample_size("1/2", b, "1/5", "1/20").rows for b in ("1/2", "1/4", "1/10")]
    yield (found, "=", [81, 94, 101], f"{found}")
