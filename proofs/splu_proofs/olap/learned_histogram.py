"""olap.SELF, olap.SELFc: the replacing law learned from the published column."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status, Witness
from .unchanged_columns import changed

SELF = Claim(
    id="olap.SELF",
    module=__name__,
    source="Agrawal et al. 2005, §6",
    title="the replacing law can be read off the published table",
    statement=r"\Pr(R \text{ computed from } T' \ne R) = 0 \text{ for identity perturbation and swapping}",
    words=(
        "True of swapping. False of identity perturbation, where the published shares are estimates: of two "
        "records with different values and p = 1/2 they differ from the original's with probability 3/8. "
        "It does less harm than one might fear: by olap.SELFc counts estimated with the published shares are "
        "unbiased, for any number of columns."
    ),
    hypotheses=("0 < p < 1",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("olap.ID",),
    corrected_by="olap.SELFc",
)

SELFC = Claim(
    id="olap.SELFc",
    module=__name__,
    source="corrects Agrawal et al. 2005, §6",
    title="counts with the published shares",
    statement=(
        r"\hat x = \sum_{i \in P}\prod_c \frac{Y_{ic} - (1-p)\, b'_c}{p},\quad \operatorname{E}\hat x = x;"
        r"\qquad \operatorname{Var}\hat x = \frac{(1-2\kappa) V_P + \kappa^2 V}{p^2}\ (\text{one column}),"
        r"\quad \kappa = (1-p)\tfrac nN"
    ),
    words=(
        "With the published share b' in the place of the true one, the estimate of a conjunction of any "
        "number of columns is unbiased under identity perturbation. V and V_P are the variances of the "
        "published counts of the set in the table and in the predicate of n records. The extra variance, "
        "kappa (kappa V - 2 V_P)/p^2, is negative unless the set is far more volatile outside the predicate: "
        "over the whole table the estimate is the published count itself, with V and not V/p^2."
    ),
    hypotheses=("0 < p \\le 1", r"\text{columns are perturbed independently}"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("olap.IDc",),
    licenses=("splu_ref.channels.swapping_law:histogram_pairs",),
    tests=("tests/mechanisms/test_swapping.py::test_a_histogram_that_is_learned_leaves_estimates_unbiased",),
)


@SELF.refutation
def two_different_values() -> Witness:
    """N = 2, f = 1, p = 1/2: the published share is another one with probability 3/8."""
    return Witness(
        parameters={"N": 2, "f": 1, "p": Fraction(1, 2)},
        premises=(lambda _n, _f, p: 0 < p < 1,),
        allowed=lambda *_: Fraction(0),
        actual=lambda n, f, p: changed(p, n, f),
        sign="=",
        printed=Fraction(0),
        true=Fraction(3, 8),
        smaller=lambda: [(n, f, Fraction(1, 2)) for n, f in ((1, 0), (1, 1), (2, 0))],
        count=3,
        order="records, then records with the value",
        perturbed="splu_proofs.worlds.arrangements:count_law larger",
        by_hand="As for olap.ID: R is f'/N, and f' is 1 with 9/16 + 1/16.",
    )


@SELFC.derivation
def one_column() -> Derivation:
    """Weigh the published records of the set inside and outside the predicate."""
    return Derivation(
        setting=(
            "x of the n records of P and f of all N are in the set; y' and f' are published there. "
            "x' = (y' - (1-p) (n/N) f')/p. The published count of P has variance v, that of the other "
            "records w, and they are independent. k = (1-p) n/N."
        ),
        steps=(
            Identity(
                name="the mean",
                says="E y' = p x + (1-p) n f/N and E f' = f, so E x' = x.",
                variables={"x": 0, "n": 1, "f": 0, "big_n": 1, "p": 1},
                left=lambda x, n, f, big_n, p: (
                    (x * (p + (1 - p) * f / big_n) + (n - x) * (1 - p) * f / big_n - (1 - p) * n / big_n * f)
                    / p
                ),
                right=lambda x, _n, _f, _big_n, _p: x,
            ),
            Identity(
                name="the variance",
                says="(1-k)^2 v + k^2 w = (1 - 2k) v + k^2 (v + w): V_P = v, V = v + w.",
                variables={"k": 0, "v": 0, "w": 0},
                left=lambda k, v, w: (1 - k) ** 2 * v + k**2 * w,
                right=lambda k, v, w: (1 - 2 * k) * v + k**2 * (v + w),
            ),
            Identity(
                name="the whole table",
                says="With n = N, k = 1 - p: ((1 - 2k) V + k^2 V)/p^2 = V.",
                variables={"p": 1, "v": 0},
                left=lambda p, v: ((1 - 2 * (1 - p)) * v + (1 - p) ** 2 * v) / p**2,
                right=lambda _p, v: v,
            ),
        ),
        conclusion=(
            "With several columns each factor has the mean a_ic, and the factors of different columns are "
            "independent, the shares included: each share is learned from its own column."
        ),
    )


@SELFC.computation(cases=384, perturbed="(1 - 2 * kappa) => (1 - kappa)")
def small_tables() -> Comparisons:
    """Compute mean and variance over every published table for N = 3 records and one or two columns."""
    p, records = Fraction(1, 2), 3
    bits = list(product((0, 1), repeat=records))

    def law(column: tuple[int, ...]) -> dict[tuple[int, ...], Fraction]:
        share = Fraction(sum(column), records)
        found = {}
        for seen in bits:
            chance = Fraction(1)
            for own, shown in zip(column, seen, strict=True):
                inside = p * own + (1 - p) * share
                chance *= inside if shown else 1 - inside
            found[seen] = chance
        return found

    def single(seen: tuple[int, ...], record: int) -> Fraction:
        return (seen[record] - (1 - p) * Fraction(sum(seen), records)) / p

    for one, other in product(bits, repeat=2):
        for inside in ((0,), (0, 1), (0, 1, 2)):
            mean = sum(
                (
                    left * right * sum(single(first, i) * single(second, i) for i in inside)
                    for first, left in law(one).items()
                    for second, right in law(other).items()
                ),
                Fraction(0),
            )
            yield (mean, "=", sum(one[i] * other[i] for i in inside), f"{one}, {other}, P = {inside}")
        for n in (1, 2, 3):
            found = [(chance, sum(single(seen, i) for i in range(n))) for seen, chance in law(one).items()]
            mean = sum((chance * value for chance, value in found), Fraction(0))
            variance = sum((chance * value**2 for chance, value in found), Fraction(0)) - mean**2
            insides = [p * own + (1 - p) * Fraction(sum(one), records) for own in one]
            parts = [chance * (1 - chance) for chance in insides]
            kappa = (1 - p) * Fraction(n, records)
            expected = ((1 - 2 * kappa) * sum(parts[:n]) + kappa**2 * sum(parts)) / p**2
            yield (variance, "=", expected, f"{one}, n = {n}: the variance is {variance}")
