"""entropy.OUT, entropy.OUTc, entropy.PERT: noise on answers, and noise on data."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status, Witness

INDEPENDENT = r"\text{noise of different queries independent, mean } 0, \text{ variance } v"

OUT = Claim(
    id="entropy.OUT",
    module=__name__,
    source="Chirayath et al. 2006, §1.2, output perturbation",
    title="noise that depends on the query alone prevents averaging",
    statement=r"\text{the number } |C| \text{ keeps the variance } v, \text{ however often it is queried}",
    words=(
        "False as a protection of the number. Where the noise is a function of the query, the same query "
        "always has the same answer, so repeating it brings nothing. But the number has many queries: C is "
        "also C with A and C without A, and the best mean of both ways has the variance 2v/3."
    ),
    hypotheses=(INDEPENDENT,),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="entropy.OUTc",
)

OUTC = Claim(
    id="entropy.OUTc",
    module=__name__,
    source="corrects Chirayath et al. 2006, §1.2, output perturbation",
    title="repeated queries and split queries",
    statement=(
        r"\text{the same query } R \text{ times: variance } v \text{ for every } R;\qquad "
        r"\text{and } j \text{ splits } |C\cap A_i| + |C\cap\bar A_i|:\ \frac{2v}{j+2}"
    ),
    words=(
        "Repeating a query whose noise is a function of the query brings nothing, while fresh noise would "
        "average out as v/R. For every other column A, C is also C with A and C without A, each with "
        "independent noise. The best mean of C and j such splits has the variance 2v/(j+2), which falls to 0."
    ),
    hypotheses=(INDEPENDENT,),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
)

PERT = Claim(
    id="entropy.PERT",
    module=__name__,
    source="Chirayath et al. 2006, §1.2, data perturbation",
    title="noise of mean zero on the data",
    statement=(
        r"\operatorname{E}\bar z = \bar x,\qquad \operatorname{E} s_z^2 = s_x^2 + v\Bigl(1 - "
        r"\frac1n\Bigr),\qquad s^2 = \tfrac1n\sum(x_i - \bar x)^2"
    ),
    words=(
        "True in expectation: the mean is not expected to change, and the variance of the column rises by v "
        "(1 - 1/n), or by v if it is taken with the divisor n - 1. A single release has another mean, off by "
        "a standard error of sqrt(v/n). It needs noise that is independent of the data: noise that is minus "
        "the value less the mean has mean zero as well, and leaves no variance."
    ),
    hypotheses=(r"\text{noise of the records independent, of each other and of the data, mean } 0,\ v",),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
)


def _variance_of_mean(variances: list[int]) -> Fraction:
    """Return the variance of the best unbiased mean of independent answers with these variances."""
    return 1 / sum((Fraction(1, variance) for variance in variances), Fraction(0))


@OUT.refutation
def one_split() -> Witness:
    """C itself, and C with A and without A."""
    return Witness(
        parameters={"v": 1, "splits": 1},
        premises=("the three answers have noise of their queries, independent of each other",),
        allowed=lambda v, _splits: v,
        actual=lambda v, splits: _variance_of_mean([v, *[2 * v] * splits]),
        sign="=",
        printed=Fraction(1),
        true=Fraction(2, 3),
        smaller=lambda: [(1, 0)],
        count=1,
        order="v, then the number of splits",
        perturbed="splu_proofs.entropy.noise:_variance_of_mean larger",
        by_hand="Weights 2/3 for C and 1/3 for the sum of two answers: 4/9 + 2/9 = 2/3.",
    )


@OUTC.derivation
def the_best_mean() -> Derivation:
    """Weigh C with 2/(j+2) and each split with 1/(j+2)."""
    return Derivation(
        setting=(
            "C has noise of variance v. Each of j splits is a sum of two answers, and has 2v. Weights in "
            "proportion to 1/v and 1/(2v) make the least variance of an unbiased mean of independent answers."
        ),
        steps=(
            Identity(
                name="the weights",
                says="2/(j+2) + j/(j+2) = 1.",
                variables={"j": 0},
                left=lambda j: 2 / (j + 2) + j / (j + 2),
                right=lambda j: 1 + 0 * j,
            ),
            Identity(
                name="the variance",
                says="(2/(j+2))^2 v + j (1/(j+2))^2 2v = 2v/(j+2).",
                variables={"j": 0, "v": 0},
                left=lambda j, v: (2 / (j + 2)) ** 2 * v + j * (1 / (j + 2)) ** 2 * (2 * v),
                right=lambda j, v: 2 * v / (j + 2),
            ),
        ),
        conclusion="It falls to 0 as j grows. A repeated query adds its own number again: it keeps v.",
    )


@OUTC.computation(cases=10, perturbed="mean**2 => mean**4")
def coins_for_noise() -> Comparisons:
    """Noise of one coin, plus or minus 1, for every query: variances over all outcomes, for j up to 4."""
    for splits in range(5):
        seconds = Fraction(0)
        for coins in product((-1, 1), repeat=1 + 2 * splits):
            mean = Fraction(2 * coins[0] + sum(coins[1:]), splits + 2)
            seconds += mean**2 / Fraction(2) ** len(coins)
        yield (seconds, "=", Fraction(2, splits + 2), f"{splits} splits: the variance is {seconds}")
    for times in range(1, 6):
        same = sum(Fraction(times * coin, times) ** 2 for coin in (-1, 1)) / 2
        fresh = sum(Fraction(sum(coins), times) ** 2 for coins in product((-1, 1), repeat=times)) / 2**times
        yield ((same, fresh), "=", (1, Fraction(1, times)), f"{times} times: {same}, {fresh}")


@PERT.derivation
def the_variance_rises() -> Derivation:
    """Of the noise of variance v in each of n records, the mean takes v/n."""
    return Derivation(
        setting=(
            "z_i = x_i + e_i. The mean of the e_i has mean 0. Products of x and e have mean 0, so the "
            "variances of the "
            "column and of the noise add; the sum of (e_i - mean of e)^2 has the mean n v - v."
        ),
        steps=(
            Identity(
                name="what the column gains",
                says="(n v - n (v/n))/n = v (1 - 1/n).",
                variables={"n": 1, "v": 0},
                left=lambda n, v: (n * v - n * (v / n)) / n,
                right=lambda n, v: v * (1 - 1 / n),
            ),
            Identity(
                name="with the divisor n - 1",
                says="(n v - v)/(n-1) = v.",
                variables={"n": 2, "v": 0},
                left=lambda n, v: (n * v - v) / (n - 1),
                right=lambda n, v: v + 0 * n,
            ),
        ),
        conclusion="The mean stays in expectation, and the variance rises by v (1 - 1/n).",
    )


@PERT.computation(cases=169, perturbed="splu_proofs.entropy.noise:_variance doubled")
def every_outcome_of_small_noise() -> Comparisons:
    """Add noise of -1, 0, 2 with chances 1/2, 1/4, 1/4 to all columns of up to 3 numbers from 0 to 3."""
    noise = {-1: Fraction(1, 2), 0: Fraction(1, 4), 2: Fraction(1, 4)}
    v = sum(chance * e * e for e, chance in noise.items())
    yield (sum(chance * e for e, chance in noise.items()), "=", 0, "the noise has another mean")
    for n in (1, 2, 3):
        for column in product(range(4), repeat=n):
            mean = variance = Fraction(0)
            for drawn in product(noise, repeat=n):
                chance = prod((noise[e] for e in drawn), start=Fraction(1))
                shown = [x + e for x, e in zip(column, drawn, strict=True)]
                mean += chance * Fraction(sum(shown), n)
                variance += chance * _variance(shown)
            yield (mean, "=", Fraction(sum(column), n), f"{column}: the mean becomes {mean}")
            yield (variance, "=", _variance(column) + v * (1 - Fraction(1, n)), f"{column}: {variance}")


def _variance(numbers: tuple[int, ...] | list[int]) -> Fraction:
    center = Fraction(sum(numbers), len(numbers))
    return sum(((number - center) ** 2 for number in numbers), Fraction(0)) / len(numbers)
