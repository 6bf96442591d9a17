"""splu.ND and splu.NDe: whether the guarantee of a count depends on the size of the table."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..arithmetic.law import error, probability_mass
from ..terms import Claim, Comparisons, Grade, Status, Witness
from ..worlds.conjunctions import convolved
from ..worlds.histograms import histograms
from ..worlds.valid_plans import Plan, plans

ND = Claim(
    id="splu.ND",
    module=__name__,
    source="Fu et al. 2014, §4.2, after Lemma 2",
    title="size and distribution of the data",
    statement=(
        r"\Pr(|f'-f|\ge\varepsilon f) \text{ is the same for all tables and plans with this } \gamma "
        r"\text{ and } f"
    ),
    words=(
        "True of the published count as the estimate: its law is that of gamma f trials of probability "
        "1/gamma (splu.B), in which neither N nor the other counts occur. It is not true of an estimate that "
        "uses public bounds, such as N/gamma (splu.NDe)."
    ),
    hypotheses=(r"\gamma \ge 2", r"\gamma f \le N", r"\text{the estimate is } f'"),
    status=Status.PROVED,
    grade=Grade.EXACT,
    complete="splu.B gives the law of f' from gamma and f alone, for every table and plan",
    rests_on=("splu.B", "splu.L2"),
)


@ND.computation(
    cases=8385,
    perturbed=(
        "splu_proofs.splu.independence:published larger",
        "splu_proofs.worlds.conjunctions:convolved larger",
    ),
)
def every_plan_of_small_tables() -> Comparisons:
    """Convolve the groups of every valid plan of every histogram up to N = 8: the law of f' is that of f."""
    for gamma in (2, 3, 4):
        for total in range(gamma, 9, gamma):
            for histogram in histograms(total):
                if gamma * max(histogram) > total:
                    continue
                for plan in {tuple(sorted(each)) for each in plans(histogram, gamma)}:
                    for value, f in enumerate(histogram):
                        expected = [probability_mass(gamma, f, k) for k in range(gamma * f + 1)]
                        yield (published(plan, gamma, value), "=", expected, f"{histogram}, gamma = {gamma}")


def published(plan: Plan, gamma: int, value: int) -> list[Fraction]:
    """Return the law of a published count, each of the gamma records of a group drawing one of its values."""
    keep = Fraction(1, gamma)
    return convolved([[1 - keep, keep] for group in plan if value in group for _ in range(gamma)])


NDE = Claim(
    id="splu.NDe",
    module=__name__,
    source="Fu et al. 2014, §4.2, after Lemma 2, for the estimate of splu.T2 under the public bound",
    title="size of the data, for clipped estimates",
    statement=(r"\Pr(|\min(f',\lfloor N/\gamma\rfloor)-f|\ge\varepsilon f)\ge\Pr(|f'-f|\ge\varepsilon f)"),
    words=(
        "False. No value occurs more than N/gamma times, which is public, so the most likely count is "
        "min(f', N/gamma). In a table of two records, gamma = 2 and f = 1, it is wrong with 1/4 where f' is "
        "wrong with 1/2; with four records it is wrong with 1/2 as well. So the error of a clipped estimate "
        "depends on the size of the table, and the guarantee of f' is not one of it."
    ),
    hypotheses=(r"\gamma \ge 2", r"1 \le f \le N/\gamma", r"\varepsilon > 0"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("splu.B", "splu.T2"),
    corrected_by="splu.ND",
)


def clipped_error(gamma: int, epsilon: Fraction, f: int, rows: int) -> Fraction:
    """Return the error probability of min(f', N/gamma)."""
    return sum(
        (
            probability_mass(gamma, f, k)
            for k in range(gamma * f + 1)
            if abs(min(k, rows // gamma) - f) >= epsilon * f
        ),
        Fraction(0),
    )


@NDE.refutation
def two_records() -> Witness:
    """At gamma = 2, N = 2, f = 1 and epsilon = 1/2 the clipped estimate is right with 3/4, not 1/2."""
    return Witness(
        parameters={"gamma": 2, "N": 2, "f": 1, "epsilon": Fraction(1, 2)},
        premises=(
            lambda gamma, _rows, _f, _epsilon: gamma >= 2,
            lambda gamma, rows, f, _epsilon: 1 <= f <= Fraction(rows, gamma),
            lambda _gamma, _rows, _f, epsilon: epsilon > 0,
        ),
        allowed=lambda gamma, _rows, f, epsilon: 1 - error(gamma, epsilon, f),
        actual=lambda gamma, rows, f, epsilon: 1 - clipped_error(gamma, epsilon, f, rows),
        printed=Fraction(1, 2),
        true=Fraction(3, 4),
        none_smaller="no smaller table has a group of two",
        order="N; the quantity is the probability of being right. There is no smaller table with a group",
        perturbed="splu_proofs.arithmetic.law:trial_weight larger",
        by_hand=(
            "f' is 0, 1, 2 with 1/4, 1/2, 1/4. Clipped to N/gamma = 1 it is right at 1 and at 2: 3/4. "
            "Unclipped it is right at 1 alone: 1/2."
        ),
    )


@NDE.computation(
    cases=3,
    perturbed=(
        "splu_proofs.splu.independence:clipped_error larger",
        "splu_proofs.arithmetic.law:at_most larger",
    ),
)
def it_goes_with_the_size() -> Comparisons:
    """Compute the error at gamma = 2, f = 1, epsilon = 1/2 for three N, and in a block of cases."""
    found = [clipped_error(2, Fraction(1, 2), 1, rows) for rows in (2, 4, 6)]
    yield (found, "=", [Fraction(1, 4), Fraction(1, 2), Fraction(1, 2)], f"{found}")
    cases = list(_cases())
    less = sum(clipped_error(g, e, f, n) < error(g, e, f) for g, e, f, n in cases)
    above = [(g, e, f, n) for g, e, f, n in cases if n >= g * g * f]
    yield (less, ">", 0, "where the bound is not above every published count it changes something")
    clipped, plain = [clipped_error(*each) for each in above], [error(g, e, f) for g, e, f, _ in above]
    yield clipped, "=", plain, "where the bound is above every published count it changes nothing"


def _cases() -> Iterator[tuple[int, Fraction, int, int]]:
    for gamma in (2, 3, 5):
        for f in range(1, 5):
            for epsilon in (Fraction(3, 10), Fraction(1)):
                for rows in range(gamma * f, gamma * gamma * f + 2 * gamma, gamma):
                    yield gamma, epsilon, f, rows
