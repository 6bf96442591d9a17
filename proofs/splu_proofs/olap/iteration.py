"""olap.EM and olap.EMc: where the iterative reconstruction ends, and from which starts."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from ..terms import Case, Claim, Comparisons, EvidenceError, Grade, Status, Witness
from .likelihood import likelihood
from .states import Matrix, Vector, matrix, published

EM = Claim(
    id="olap.EM",
    module=__name__,
    source="Agrawal, Srikant and Thomas 2005, §4.2",
    title="the iteration converges to the constrained MLE from y",
    statement=(
        r"x_p^{t+1} = \sum_q y_q \frac{a_{pq}x_p^t}{\sum_r a_{rq}x_r^t},\ x^0 = y \;\Longrightarrow\; "
        r"x^t \to \arg\max_{x \ge 0,\ \sum x = n} \prod_q (xA)_q^{y_q}"
    ),
    words=(
        "The iteration is EM, but it must not start at y: a state that no record is published in then has 0 "
        "for ever, and may be where the likelihood wants records. Two records, one published in each of the "
        "two mixed states of two columns, p = 1/5 and b = 1/10: EM stays at y, with probability (197/1250)^2 "
        "for what was seen, while two records that satisfy both predicates give it (126/625)^2. With one "
        "column the start at y does no harm: a side that nobody is published on has no record in the "
        "likeliest counts either. With many columns most states are empty, and the start matters."
    ),
    hypotheses=(r"0 < p_r < 1", r"0 < b_r < 1"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="olap.EMc",
)

EMC = Claim(
    id="olap.EMc",
    module=__name__,
    source="corrects Agrawal, Srikant and Thomas 2005, §4.2",
    title="the iteration from a start inside",
    statement=(
        r"x^0_u > 0 \text{ where } x^*_u > 0 \;\Longrightarrow\; "
        r"\ell(x^*) - \ell(x^t) \le \frac{1}{t+1}\sum_u x^*_u\log\frac{x^*_u}{x^0_u};\qquad "
        r"\ell(x') - \ell(x) \le n\left(\max_u g_u(x) - 1\right)"
    ),
    words=(
        "With g_u(x) = sum_v a_uv y_v / (xA)_v the step is x_u g_u(x). From a start that is positive "
        "wherever some likeliest x* is, the log-likelihood l never falls and comes within D/(t+1) of its "
        "maximum, D the divergence of the start from x*. The argument: at x*, g_u = 1 where x*_u > 0, so "
        "w_v = a_uv y_v / (x*A)_v is a law there, and by Jensen's inequality log g_u(x) is at least the "
        "sum of w_v log((x*A)_v / (xA)_v). Times x*_u, added over u, that is l(x*) - l(x); and the sum of "
        "x*_u log g_u(x^t) is what the divergence of x^t from x* loses in the step. Added over the steps "
        "these differences are at most D, and they do not grow, since EM never lowers l. The second part "
        "is the certificate of any stopping point: by the inequality of means (prod (q'/q)^y)^(1/n) is at "
        "most the mean of q'/q, which is the mean of g_u weighted by x', at most the largest g."
    ),
    hypotheses=(r"x^*, x', x \ge 0,\ \sum x = n", r"0 < p_r < 1", r"0 < b_r < 1"),
    status=Status.CORRECTED,
    grade=Grade.EXACT,
    instances="small tables with one and two columns, steps from an even start",
    licenses=("splu_ref.estimators.linear.em", "splu_ref.estimators.linear.interior_point"),
    tests=(
        "tests/estimators/test_interior_point.py::test_counts_of_zero_are_no_start",
        "tests/estimators/test_interior_point.py::test_what_em_leaves_open_is_certified_after_it",
    ),
)
FIFTH, TENTH, HALF = Fraction(1, 5), Fraction(1, 10), Fraction(1, 2)


def gains(x: Vector, seen: tuple[int, ...], law: Matrix) -> Vector:
    """Return g_u(x), by which EM multiplies x_u."""
    q = published(x, law)
    return tuple(sum((row[v] * y / q[v] for v, y in enumerate(seen) if y), Fraction(0)) for row in law)


def step(x: Vector, seen: tuple[int, ...], law: Matrix) -> Vector:
    """Return one step of the iteration."""
    return tuple(count * gain for count, gain in zip(x, gains(x, seen, law), strict=True))


def _probability(x: tuple[int, ...], seen: tuple[int, ...], law: Matrix) -> Fraction:
    return likelihood(published([Fraction(count, sum(seen)) for count in x], law), seen)


@EM.refutation
def smallest_counterexample() -> Witness:
    """Two records in the two mixed states: EM stays at y, and both records in the last state are likelier."""
    return Witness(
        parameters={"k": 2, "p": FIFTH, "b": TENTH, "y": (0, 1, 1, 0), "x": (0, 0, 0, 2)},
        premises=(lambda _k, p, _b, _y, _x: 0 < p < 1, lambda _k, _p, b, _y, _x: 0 < b < 1),
        allowed=lambda k, p, b, y, _x: _where_it_stays(y, matrix([(p, b)] * k)),
        actual=lambda k, p, b, y, x: _probability(x, y, matrix([(p, b)] * k)),
        printed=Fraction(197, 1250) ** 2,
        true=Fraction(126, 625) ** 2,
        smaller=_smaller,
        count=396,
        order="k, then n; the quantity is the likelihood where EM stays, and at another x",
        perturbed="splu_proofs.olap.likelihood:likelihood larger",
        by_hand=(
            "A value in the set is kept in it with 7/25 and one outside stays there with 23/25. The two "
            "records are published in a given mixed state with (23/25 7/25 + 18/25 2/25)/2 = 197/1250 on "
            "average; two records in both sets with 18/25 7/25 = 126/625. A step from y gives y again."
        ),
    )


def _smaller() -> Iterator[Case]:
    """Generate one column with an empty side, and one record on two, with every rival x."""
    laws = list(product((FIFTH, HALF, Fraction(4, 5)), (TENTH, HALF, Fraction(9, 10))))
    for columns, most in ((1, 4), (2, 1)):
        for (p, b), n, state in product(laws, range(1, most + 1), range(2**columns)):
            seen = tuple(n * (place == state) for place in range(2**columns))
            for x in product(range(n + 1), repeat=2**columns):
                if sum(x) == n:
                    yield columns, p, b, seen, x


@EMC.computation(
    cases=2160,
    perturbed=("splu_proofs.olap.iteration:gains larger", "splu_proofs.olap.likelihood:likelihood smaller"),
)
def steps_in_fractions() -> Comparisons:
    """Take steps from an even start: the likelihood never falls, and the certificate bounds every rival."""
    taken = 0
    for side, n in product(((FIFTH, TENTH), (HALF, HALF), (Fraction(4, 5), Fraction(1, 3))), (1, 2, 3)):
        law = matrix([side] * 2)
        for seen in (y for y in product(range(n + 1), repeat=4) if sum(y) == n):
            x: Vector = (Fraction(n, 4),) * 4
            for _ in range(3):
                after = step(x, seen, law)
                yield (sum(after), "=", n, "the sum changes")
                before = likelihood(published(x, law), seen)
                yield (likelihood(published(after, law), seen), ">=", before, f"falls at {seen}")
                x, taken = tuple(count.limit_denominator(10**4) for count in after), taken + 1
                x = tuple(count * n / sum(x) for count in x)
            best, here = max(gains(x, seen, law)), likelihood(published(x, law), seen)
            for rival in (each for each in product(range(n + 1), repeat=4) if sum(each) == n):
                there = likelihood(published(tuple(map(Fraction, rival)), law), seen)
                yield (there, "<=", here * best**n, f"{rival} is likelier than the certificate allows")


@EMC.computation(
    cases=8,
    perturbed=("splu_proofs.olap.iteration:gains larger", "splu_proofs.olap.states:published smaller"),
)
def from_inside_it_leaves_the_printed_start() -> Comparisons:
    """At the witness of olap.EM, eight steps from an even start are likelier than the printed limit."""
    law, seen = matrix([(FIFTH, TENTH)] * 2), (0, 1, 1, 0)
    x: Vector = (HALF,) * 4
    printed = likelihood(published(tuple(map(Fraction, seen)), law), seen)
    for number in range(1, 9):
        x = tuple(count.limit_denominator(10**4) for count in step(x, seen, law))
        x = tuple(count * 2 / sum(x) for count in x)
        yield likelihood(published(x, law), seen), ">", printed, f"likelihood after {number} steps"


def _where_it_stays(seen: tuple[int, ...], law: Matrix) -> Fraction:
    """Return the likelihood at y, where a step from y has to be y again."""
    start = tuple(map(Fraction, seen))
    if step(start, seen, law) != start:
        raise EvidenceError(f"the iteration moves away from {seen}")
    return _probability(seen, seen, law)
