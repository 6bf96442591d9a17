"""splu.J: two sensitive columns that depend on each other are two looks at one secret."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from splu_ref.channels import PublishedCount
from splu_ref.guarantees import joint_minimum

from ..arithmetic.law import error, probability_mass
from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status, decimal
from ..worlds.related_columns import shipped, takes

J = Claim(
    id="splu.J",
    module=__name__,
    source="new; Fu et al. 2014, §5.2 publish several sensitive columns",
    title="several looks at one secret",
    statement=(
        r"\Pr\left(\left|\tfrac12(f'_A+f'_B)-f\right|\ge\varepsilon f\right) = \Pr(|X_{2f}-2f|\ge "
        r"2\varepsilon f);\qquad \Pr[t.A = v \mid t'.A = t'.B = v] = \frac{p^2}{p^2+(1-p)^2/(m-1)} \ge p"
    ),
    words=(
        "If the same f records have a value in column A and a value in column B, the mean of the two "
        "published counts is distributed as the mean of two releases: at gamma = 4, epsilon = 0.3 and alpha "
        "= 10, T_P falls from 0.2738 to 0.1330. A record whose published cells agree has the value shown "
        "with more than the retention probability p, since a wrong value seldom appears twice: with m "
        "values that replace each other equally often, p = 1/5 and m = 33 the probability is 2/3, and it "
        "tends to 1 as m grows. With m = 1/p values the second column adds nothing. In general the "
        "probability of each pair of published cells is the product of two entries of splu.Kc."
    ),
    hypotheses=(
        "independent plans, orders and draws for each column",
        r"p = 1/\gamma \text{ in the first part}",
        r"\text{second part: } A = B,\ pm \ge 1,\ \text{all values equally frequent and equally often taken}",
    ),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.B", "splu.R", "splu.Kc"),
    licenses=("splu_ref.guarantees.joint_privacy",),
    tests=("tests/guarantees/test_joint_privacy.py::test_copies_are_two_releases",),
)


@J.derivation
def two_looks() -> Derivation:
    """Multiply the chances of the two columns, and apply Bayes' rule."""
    return Derivation(
        setting=(
            "The columns draw independently, so f'_A + f'_B counts the successes among 2 gamma f trials of "
            "probability 1/gamma, as in splu.R with R = 2. For one record, splu.Kc gives the probability of "
            "two published cells as a product. k = m - 1; of the k other values each is published with "
            "(1-p)/k, and as many records have each value."
        ),
        steps=(
            Identity(
                name="the mean errs when the sum does",
                says="The square of (x + y)/2 - f is a quarter of that of x + y - 2 f.",
                variables={"x": 0, "y": 0, "f": 1},
                left=lambda x, y, f: ((x + y) / 2 - f) ** 2,
                right=lambda x, y, f: (x + y - 2 * f) ** 2 / 4,
            ),
            Identity(
                name="agreeing cells are right",
                says=(
                    "The record's true value appears in both with p^2, and each of k other values takes it "
                    "in both with ((1-p)/k)^2: p^2 over the sum is k p^2/(k p^2 + (1-p)^2)."
                ),
                variables={"p": 1, "k": 1},
                left=lambda p, k: p**2 / (p**2 + k * ((1 - p) / k) ** 2),
                right=lambda p, k: k * p**2 / (k * p**2 + (1 - p) ** 2),
            ),
            Inequality(
                name="never less than one look",
                says=(
                    "p = a/d and w = k a. The probability is at least p if and only if k p (1-p) >= "
                    "(1-p)^2, or w (d-a) >= (d-a)^2, which holds as p m >= 1, or w >= d - a."
                ),
                variables=("a", "d", "w"),
                given=lambda a, d, w: (a, d - a, w - (d - a)),
                slack=lambda a, u, v: (a, u + a, v + u),
                then=lambda a, d, w: w * (d - a) - (d - a) ** 2,
            ),
        ),
        conclusion=(
            "The mean errs as that of two releases. For p < 1 the second probability exceeds p unless p m = "
            "1, and tends to 1 as m grows."
        ),
    )


@J.computation(
    cases=60,
    perturbed=(
        "splu_ref.guarantees.joint_privacy:_Sums.error smaller",
        "splu_proofs.arithmetic.law:error larger",
    ),
)
def copies_of_one_column() -> Comparisons:
    """Compare the library's T_P of two and three copies with the binomial law of as many releases."""
    for gamma, times in product((2, 3, 4, 5, 7), (2, 3)):
        laws = [PublishedCount.of(gamma)] * times
        for epsilon in (Fraction(1, 10), Fraction(3, 10), Fraction(1)):
            found = joint_minimum(laws, epsilon, 6)
            least = min((error(gamma, epsilon, times * f), f) for f in range(1, 7))
            where = f"gamma = {gamma}, epsilon = {epsilon}, {times} columns"
            yield (found.copies, found.argmin), "=", least, where
            yield found.at_least, "<=", found.copies, f"{where}: the bound"


@J.computation(
    cases=9,
    perturbed=(
        "splu_ref.guarantees.joint_privacy:_Sums.error smaller",
        "splu_proofs.arithmetic.law:probability_mass larger",
    ),
)
def the_bound_for_any_dependence() -> Comparisons:
    """Multiply out the laws for every count of the other column up to four times as large."""
    for gamma, epsilon in product((2, 3, 5), (Fraction(3, 10), Fraction(1, 2), Fraction(1))):
        least = min(_mean_errs(gamma, epsilon, f, other) for f in range(1, 3) for other in range(4 * f + 1))
        found = joint_minimum([PublishedCount.of(gamma)] * 2, epsilon, 2).at_least
        yield found, "=", least, f"gamma = {gamma}, epsilon = {epsilon}"


def _mean_errs(gamma: int, epsilon: Fraction, f: int, other: int) -> Fraction:
    """Return how often the mean of the counts of f and of ``other`` records errs as an estimate of f."""
    total = Fraction(0)
    for k, j in product(range(gamma * f + 1), range(gamma * other + 1)):
        if abs(k + j - 2 * f) >= 2 * epsilon * f:
            total += probability_mass(gamma, f, k) * probability_mass(gamma, other, j)
    return total


@J.computation(cases=4, perturbed="splu_ref.guarantees.joint_privacy:_Sums.error smaller")
def what_it_costs() -> Comparisons:
    """Compute the figures of the words, and a dependence that costs more than a copy."""
    laws = [PublishedCount.of(4)] * 2
    found = joint_minimum(laws, Fraction(3, 10), 10)
    yield decimal(found.copies, 4), "=", "0.1330...", "two copies"
    yield decimal(min(error(4, Fraction(3, 10), f) for f in range(1, 11)), 4), "=", "0.2738...", "one column"
    p, m = Fraction(1, 5), 33
    yield p**2 / (p**2 + (1 - p) ** 2 / (m - 1)), "=", Fraction(2, 3), "33 values"
    half = joint_minimum(laws, Fraction(1, 2), 10)
    yield half.at_least, "<", half.copies, "no dependence costs more than a copy"


@J.enumeration(
    cases=46,
    perturbed=(
        "splu_ref.mechanisms.group_draws:draw_rule smaller",
        "splu_proofs.arithmetic.law:probability_mass larger",
    ),
)
def the_shipped_mechanism_shows_two_looks() -> Comparisons:
    """Publish a column and its copy over every outcome: sums of counts, and posteriors of agreeing cells."""
    for column in ((0, 1, 2, 3), (0, 0, 1, 2)):
        law = shipped((column, column), lambda published: published, "random")
        chances = {v: takes(column, 2, v) for v in set(column)}
        for value in sorted(chances):
            f = column.count(value)
            for total in range(4 * f + 1):
                seen = sum(
                    (p for both, p in law.items() if sum(c.count(value) for c in both) == total), Fraction(0)
                )
                yield seen, "=", probability_mass(2, 2 * f, total), f"{column}: {total} times {value}"
            right = wrong = Fraction(0)
            for record, true in enumerate(column):
                agree = sum((p for (a, b), p in law.items() if a[record] == b[record] == value), Fraction(0))
                right, wrong = (right + agree, wrong) if true == value else (right, wrong + agree)
            expected = Fraction(f, 4) / sum(chance**2 for chance in chances[value])
            yield right / (right + wrong), "=", expected, f"{column}: agreeing cells of {value}"
