"""splu.K: the tensor product of two-state matrices fails."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product

from ..printed.transition import matrix
from ..terms import Case, Claim, Comparisons, Derivation, Grade, Identity, Status, Witness
from ..worlds.related_columns import Column, both

K = Claim(
    id="splu.K",
    module=__name__,
    source="Fu et al. 2014, §5.2",
    title="tensor product of two-state matrices",
    statement=r"M = M_0\otimes M_1\otimes\dots\otimes M_w\text{ on the states }(P,s_1,\dots,s_w)",
    words=(
        "False in general, even with the right two-state matrices of splu.M1c in place of the printed ones "
        "and with independent plans, orders and draws for every column. A state without s_1 and s_2 mixes "
        "records of different values, and if the values of the columns are related, so are the chances "
        "of taking s_1 and s_2: the mean of their product is not the product of their means. For two "
        "identical columns of four different values and gamma = 2, a record without s takes it in both with "
        "probability 1/12; the product says 1/36, or 1/16 with the printed matrix. With N different values "
        "the ratio is (N-1)/(gamma-1), without bound. What holds is the product value by value, splu.Kc."
    ),
    hypotheses=(r"w \ge 2", "independent plans, orders and draws for each column"),
    status=Status.REFUTED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.M1",),
    corrected_by="splu.Kc",
    tests=("tests/docs/test_witnesses.py::test_the_tensor_product",),
)


@K.refutation
def smallest_counterexample() -> Witness:
    """Take two identical columns of four values, gamma = 2: to (s, s) with 1/12, by the product 1/36."""
    return Witness(
        parameters={"gamma": 2, "columns": ((0, 1, 2, 3), (0, 1, 2, 3)), "s": (0, 0)},
        premises=(lambda _gamma, columns, _s: len(columns) >= 2, "each column has its own plan"),
        allowed=lambda gamma, columns, s: both(columns, gamma, s)[0],
        actual=lambda gamma, columns, s: both(columns, gamma, s)[1],
        sign="=",
        printed=Fraction(1, 36),
        true=Fraction(1, 12),
        smaller=cases_before_the_witness,
        count=58,
        order="N, with w = 2; the quantity is the probability to go from (not s_1, not s_2) to (s_1, s_2)",
        perturbed="splu_proofs.worlds.related_columns:_mean larger",
        by_hand=(
            "The groups of either column are {0,1} and {2,3}. Of the three records without 0 one has it "
            "among its decoys, in both columns, and takes it in both with 1/4; the others never. The mean "
            "is 1/12. In one column the mean is 1/6, and its square 1/36."
        ),
    )


def cases_before_the_witness() -> Iterator[Case]:
    """Generate N < 4: there N = gamma, and one group holds every value. Some record is in neither value."""
    for rows in (2, 3):
        for second in permutations(range(rows)):
            for s in product(range(rows), repeat=2):
                if any(i != s[0] and second[i] != s[1] for i in range(rows)):
                    yield rows, (tuple(range(rows)), second), s


@K.derivation
def identical_columns_of_different_values() -> Derivation:
    """N different values in both columns: one group of gamma holds s, and gamma - 1 other records."""
    return Derivation(
        setting="Of N - 1 = r records without s, gamma - 1 stand with it, and take it with 1/gamma a column.",
        steps=(
            Identity(
                name="how far apart they are",
                says=(
                    "((gamma-1)/r)(1/gamma^2) less ((gamma-1)/(r gamma))^2 is (gamma-1)(r-gamma+1)/(r "
                    "gamma)^2: above 0 for N > gamma."
                ),
                variables={"gamma": 2, "r": 1},
                left=lambda gamma, r: (gamma - 1) / r / gamma**2 - ((gamma - 1) / (r * gamma)) ** 2,
                right=lambda gamma, r: (gamma - 1) * (r - gamma + 1) / (r * gamma) ** 2,
            ),
        ),
        conclusion="The true probability exceeds the product (N-1)/(gamma-1) times.",
    )


@K.computation(cases=2, perturbed="splu_proofs.printed.transition:matrix larger")
def the_printed_matrices_fail_too() -> Comparisons:
    """At the witness the printed matrices give 1/16; and find the worst ratio over small tables."""
    (_, gained), _ = matrix(2, 1, 4)
    yield (gained**2, "=", Fraction(1, 16), "the printed product is not 1/16")
    worst = max(
        true / printed
        for histogram in ((1, 1, 1, 1), (2, 1, 1))
        for first, second in product(set(permutations(_column(histogram))), repeat=2)
        if first == _column(histogram)
        for s in product(range(len(histogram)), repeat=2)
        for printed, true in [both((first, second), 2, (s[0], s[1]))]
        if printed
    )
    yield (worst, "=", Fraction(9, 2), f"the worst ratio is {worst}")


def _column(histogram: tuple[int, ...]) -> Column:
    return tuple(value for value, count in enumerate(histogram) for _ in range(count))
