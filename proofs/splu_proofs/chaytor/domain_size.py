"""chaytor.BIG, chaytor.BIGc: what the size of the domain does to the alpha-beta algorithm."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..terms import Case, Claim, Derivation, Grade, Identity, Status, Witness

BIG = Claim(
    id="chaytor.BIG",
    module=__name__,
    source="Chaytor, chapter 2, on the alpha-beta algorithm",
    title="a huge domain forces retention to be small",
    statement=(
        r"m' > m \;\Longrightarrow\; (\alpha+\beta)(m') \le (\alpha+\beta)(m) "
        r"\text{ at the same } n, k, \gamma"
    ),
    words=(
        "False: it carries over from uniform perturbation, where retention is (G-1)/(m+G-1). Here the "
        "largest alpha + beta for (d, gamma) is gamma (1-d)/(gamma + d (1-gamma)), which does not contain m; "
        "and for an adversary who is k times as strong as the uniform prior, d = k n/m, it grows with m, to "
        "1. At n = 1, k = 1, gamma = 1/2 it is 1/2 in a domain of three and 3/5 in one of four. What becomes "
        "small in a large domain is beta."
    ),
    hypotheses=(r"d = kn/m", r"0 < d < \gamma < 1"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("rastogi.T43c",),
    corrected_by="chaytor.BIGc",
)

BIGC = Claim(
    id="chaytor.BIGc",
    module=__name__,
    source="corrects Chaytor, chapter 2",
    title="retention and the share of genuine rows by the size of the domain",
    statement=(
        r"\alpha+\beta = \frac{\gamma(m-kn)}{\gamma m+kn(1-\gamma)}, \quad "
        r"\frac{n(\alpha+\beta)}{(m-n)\beta} = \frac{\gamma(m-kn)}{k(1-\gamma)(m-n)}"
    ),
    words=(
        "At the least variance for (k n/m, gamma), retention grows with m. For k = 1 the odds of a genuine "
        "row are gamma/(1-gamma) at every m: the release is as genuine as the adversary may be sure, gamma "
        "of it. For larger k they grow with m, to gamma/(k (1-gamma)). So a large domain costs neither "
        "retention nor genuine rows; what it costs is said by the variance of large queries, k n "
        "(1-gamma)/gamma and more."
    ),
    hypotheses=(r"d = kn/m", r"0 < d < \gamma < 1", r"n < m"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("rastogi.T43c",),
    licenses=("splu_ref.guarantees.tuple_privacy",),
    tests=("tests/guarantees/test_tuples.py::test_least_variance",),
)


def retention(n: int, m: int, k: Fraction, gamma: Fraction) -> Fraction:
    """Return the largest alpha + beta for (k n/m, gamma)."""
    d = k * n / m
    return gamma * (1 - d) / (gamma + d * (1 - gamma))


@BIG.refutation
def one_tuple_in_three_and_in_four() -> Witness:
    """At n = 1, k = 1, gamma = 1/2: 1/2 in a domain of three, 3/5 in one of four."""
    return Witness(
        parameters={"n": 1, "k": Fraction(1), "gamma": Fraction(1, 2), "m": 3, "m'": 4},
        premises=(
            "retention computes d so",
            lambda n, k, gamma, m, larger: 0 < k * n / larger <= k * n / m < gamma < 1,
        ),
        allowed=lambda n, k, gamma, m, _larger: retention(n, m, k, gamma),
        actual=lambda n, k, gamma, _m, larger: retention(n, larger, k, gamma),
        printed=Fraction(1, 2),
        true=Fraction(3, 5),
        smaller=_pairs_below_four,
        none_smaller="d = 1/m < 1/2 needs m of at least 3",
        order="m', at n = 1, k = 1, gamma = 1/2, where d < gamma leaves m >= 3",
        perturbed="splu_proofs.chaytor.domain_size:retention larger",
        by_hand="d = 1/3: (1/2 2/3)/(1/2 + 1/6) = 1/2. d = 1/4: (1/2 3/4)/(1/2 + 1/8) = 3/5.",
    )


def _pairs_below_four() -> Iterator[Case]:
    for m in range(1, 4):
        for larger in range(m + 1, 4):
            yield 1, Fraction(1), Fraction(1, 2), m, larger


@BIGC.derivation
def at_the_corner() -> Derivation:
    """Put d = k n/m into the chances of least variance."""
    return Derivation(
        setting="alpha+beta = gamma (1-d)/(gamma + d (1-gamma)), beta = d (1-gamma)/(gamma + d (1-gamma)).",
        steps=(
            Identity(
                name="retention",
                says=(
                    "With d = k n/m and odds = gamma/(1-gamma) it is odds (m-kn)/(odds m + k n), which is "
                    "gamma (m-kn)/(gamma m + k n (1-gamma))."
                ),
                variables={"n": 1, "m": 1, "k": 1, "odds": 1},
                left=lambda n, m, k, odds: (
                    (odds / (odds + 1)) * (1 - k * n / m) / (odds / (odds + 1) + k * n / m / (odds + 1))
                ),
                right=lambda n, m, k, odds: odds * (m - k * n) / (odds * m + k * n),
            ),
            Identity(
                name="it grows with m",
                says=(
                    "With m' = m + h it is larger by k n h gamma over a positive product: the difference "
                    "times both denominators."
                ),
                variables={"n": 1, "m": 1, "h": 1, "k": 1, "gamma": 1},
                left=lambda n, m, h, k, gamma: (
                    (m + h - k * n) * (gamma * m + k * n * (1 - gamma))
                    - (m - k * n) * (gamma * (m + h) + k * n * (1 - gamma))
                ),
                right=lambda n, _m, h, k, _gamma: k * n * h,
            ),
            Identity(
                name="odds of a genuine row",
                says="n gamma (1-d) over (m-n) d (1-gamma), with d = k n/m.",
                variables={"n": 1, "m": 2, "k": 1, "gamma": 2, "rest": 1},
                left=lambda n, m, k, gamma, rest: (
                    n * gamma * (1 - k * n / m) / (rest * (k * n / m) * (1 - gamma))
                ),
                right=lambda n, m, k, gamma, rest: gamma * (m - k * n) / (k * (1 - gamma) * rest),
            ),
        ),
        conclusion="With rest = m - n this is the statement; at k = 1 the odds are gamma/(1-gamma).",
    )
