"""olap.ERR and olap.TWO: how far reconstructed counts are from the true ones, by rows and columns."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ..terms import Claim, Comparisons, Grade, Status
from .states import Side, inverted, matrix

ERR = Claim(
    id="olap.ERR",
    module=__name__,
    source="Agrawal, Srikant and Thomas 2005, §§4.3, 7.1",
    title="errors by number of rows, and their bounds",
    statement=(
        r"\mathrm E\|\hat x/n - x/n\|_2^2 = \frac1n\Bigl(\sum_i\frac{x_i}n\prod_r c_r(i_r) - 1\Bigr),\quad "
        r"c_r(i) = \sum_v a^r_{iv}\|W^r_v\|_2^2;\qquad \|x - x'\|_1 \le 2 \text{ for shares}"
    ),
    words=(
        "True of the inversion, and sharper than printed: at fixed shares x/n its mean squared l2 error "
        "is exactly proportional to 1/n, so its root mean square to n^(-1/2), because records are "
        "independent and a record of state i adds the row W_v of the inverse with probability a_iv, whose "
        "mean is the i-th unit vector. The l1 distance of two vectors of shares is at most 2, so that of "
        "the iteration is; that of the inversion exceeds any bound as p tends to 0: one record published "
        "in the set with b = 1/2 is estimated as (1-1/p, 1+1/p)/2, 1/p - 1 from the truth if it was there "
        "before and 1/p + 1 if not. For the iteration n^(-1/2) is what figures 10 to 12 show for many "
        "rows, and no more than that is claimed here; with few rows and many columns its error is flat."
    ),
    hypotheses=("records and columns perturbed independently", r"p_r > 0"),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="one and two records with two columns, every outcome",
    tests=("tests/experiments/study/test_olap.py::test_the_exact_expectation_over_all_outcomes",),
)

TWO = Claim(
    id="olap.TWO",
    module=__name__,
    source="Agrawal, Srikant and Thomas 2005, §7.1",
    title="errors by number of columns",
    statement=(
        r"b = \tfrac12 \;\Longrightarrow\; \mathrm E\|\hat x/n - x/n\|_2^2 = \frac1n\left("
        r"\left(\tfrac{1+p^{-2}}2\right)^k - 1\right);\qquad \|\hat x_{\mathrm{iterative}}/n - x/n\|_1 \le 2"
    ),
    words=(
        "True: for sets of half the domain the root mean square l2 error of the inversion grows with the "
        "number of columns like ((1+p^-2)/2)^(k/2), whatever the table is, and for other sets with the "
        "bases of olap.ERR; the iteration cannot pass 2. The printed reason, the condition number p^-k, "
        "is the worst case and not the growth: for p = 1/5 the base is 3.61, not 5. That the iteration's "
        "curve flattens before it reaches 2 is what figures 7 and 9 show."
    ),
    hypotheses=(r"0 < p \le 1", "the same p in every column"),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="up to 4 columns, every state",
    rests_on=("olap.ERR",),
)


def row_norms(sides: list[Side]) -> tuple[list[Fraction], list[list[Fraction]]]:
    """Return the squared lengths of the rows of the inverse, and A."""
    law = matrix(sides)
    size = range(len(law))
    rows = [inverted([int(v == u) for v in size], law) for u in size]
    return [sum((entry**2 for entry in row), Fraction(0)) for row in rows], [list(row) for row in law]


def expected(counts: tuple[int, ...], sides: list[Side]) -> Fraction:
    """Return n^2 times the mean squared error, without the factors: sum_i x_i (sum_v a_iv |W_v|^2 - 1)."""
    return sum((x * one for x, one in zip(counts, of_states(sides), strict=True)), Fraction(0))


def of_states(sides: list[Side]) -> list[Fraction]:
    """Return what `expected` is for one record in each state."""
    norms, law = row_norms(sides)
    return [sum((a * norm for a, norm in zip(row, norms, strict=True)), Fraction(0)) - 1 for row in law]


@ERR.computation(
    cases=32,
    perturbed=("splu_ref.channels.channel:Channel.inputs larger", "splu_proofs.olap.error:expected larger"),
)
def the_formula_over_every_outcome() -> Comparisons:
    """Add up the squared error over every joint outcome of one and two records with two columns."""
    half, fifth = Fraction(1, 2), Fraction(1, 5)
    for sides in ([(half, half)], [(fifth, Fraction(1, 10))], [(half, Fraction(1, 3)), (fifth, half)]):
        law = matrix(sides)
        size = len(law)
        for records in [(u,) for u in range(size)] + list(product(range(size), repeat=2)):
            true = tuple(records.count(u) for u in range(size))
            mean = Fraction(0)
            for seen in product(range(size), repeat=len(records)):
                chance = Fraction(1)
                for u, v in zip(records, seen, strict=True):
                    chance *= law[u][v]
                found = inverted([seen.count(v) for v in range(size)], law)
                mean += chance * sum((x - t) ** 2 for x, t in zip(found, true, strict=True))
            yield (mean, "=", expected(true, sides), f"{sides}, {records}: {mean}")


@ERR.computation(
    cases=6,
    perturbed=("splu_ref.channels.channel:Channel.inputs larger", "splu_proofs.olap.states:inverted doubled"),
)
def no_bound_for_the_inversion() -> Comparisons:
    """For one record published in the set, the l1 error passes any power of ten as p falls."""
    for places in range(1, 7):
        keep = Fraction(1, 10**places)
        found = inverted((0, 1), matrix([(keep, Fraction(1, 2))]))
        distance = abs(found[0] - 1) + abs(found[1])
        yield (distance, "=", 1 / keep + 1, f"p = {keep}: {distance}")


@TWO.computation(
    cases=90,
    perturbed=("splu_ref.channels.channel:Channel.inputs larger", "splu_proofs.olap.error:of_states larger"),
)
def the_closed_form_at_half() -> Comparisons:
    """Compare with the formula of olap.ERR for up to four columns and every state."""
    for keep, columns in product((Fraction(1, 5), Fraction(1, 2), Fraction(4, 5)), range(1, 5)):
        closed = ((1 + 1 / keep**2) / 2) ** columns - 1
        each = of_states([(keep, Fraction(1, 2))] * columns)
        for state in range(2**columns):
            yield (each[state], "=", closed, f"{keep}, {columns}")
