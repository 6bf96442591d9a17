"""olap.EIG and olap.EIGc: eigenvalues and condition numbers of the transition matrix."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status, Witness
from .states import Matrix, inverted, matrix

EIG = Claim(
    id="olap.EIG",
    module=__name__,
    source="Agrawal, Srikant and Thomas 2005, §4.3",
    title="condition number of the transition matrix",
    statement=r"\lambda_{\max} = 1,\ \lambda_{\min} = p^k,\quad \kappa(A) \approx p^{-k}",
    words=(
        "The eigenvalues are right: the products of 1 and p over the columns. The condition number is "
        "their ratio only if A is symmetric, which it is for b = 1/2, as in the paper's figure 6; then it "
        "is p^-k in the 1-, 2- and infinity-norm. For any other b it is larger in all three, and grows "
        "with another base: with p = 1/2 and b = 1/4 it is (5/2)^k in the 1-norm against 2^k. For rare "
        "sets the base tends to (2-p)/p, nearly twice 1/p for small p."
    ),
    hypotheses=(r"0 < p \le 1", r"\text{the same } p \text{ and } b \text{ in every column}"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="olap.EIGc",
)

EIGC = Claim(
    id="olap.EIGc",
    module=__name__,
    source="corrects Agrawal, Srikant and Thomas 2005, §4.3",
    title="condition number of the transition matrix by norm",
    statement=(
        r"\kappa_1 = \kappa_\infty = \prod_r \frac{1+(1-p_r)|1-2b_r|}{p_r},\qquad "
        r"\kappa_2 = \prod_r \frac{F_r+\sqrt{F_r^2-4p_r^2}}{2p_r},\quad F_r = 1+p_r^2+(1-p_r)^2(1-2b_r)^2"
    ),
    words=(
        "In these norms the condition number of a product is the product of the columns'. The rows of A "
        "sum to 1, those of A^-1 to at most (1+(1-p)t)/p in absolute value with t = |1-2b|; the columns "
        "of A to at most 1+(1-p)t, those of A^-1 to 1/p. In the 2-norm the singular values have the "
        "product p and squares that add up to F. All three are 1/p for b = 1/2, and larger otherwise. The "
        "eigenvalues of A are the products of 1 and p_r over all choices."
    ),
    hypotheses=(r"0 < p_r \le 1", r"0 < b_r < 1"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
)


def absolute(law: Matrix) -> tuple[Fraction, Fraction]:
    """Return the 1-norm and the infinity-norm: largest column and row sum of absolute values."""
    columns = [sum(abs(row[v]) for row in law) for v in range(len(law))]
    return Fraction(max(columns)), Fraction(max(sum(map(abs, row)) for row in law))


def conditions(law: Matrix) -> tuple[Fraction, Fraction]:
    """Return the condition numbers in the 1- and infinity-norm, from the inverse itself."""
    size = len(law)
    inverse = tuple(inverted([int(v == u) for v in range(size)], law) for u in range(size))
    (one, infinity), (inverse_one, inverse_infinity) = absolute(law), absolute(inverse)
    return one * inverse_one, infinity * inverse_infinity


@EIG.refutation
def smallest_counterexample() -> Witness:
    """One column, p = 1/2, b = 1/4: 5/2 in the 1-norm, printed 2."""
    return Witness(
        parameters={"k": 1, "p": Fraction(1, 2), "b": Fraction(1, 4)},
        premises=(lambda _k, p, _b: 0 < p <= 1, "the columns of the matrix are alike"),
        allowed=lambda k, p, _b: 1 / p**k,
        actual=lambda k, p, b: max(conditions(matrix([(p, b)] * k))),
        sign="=",
        printed=Fraction(2),
        true=Fraction(5, 2),
        smaller=lambda: (
            (1, p, Fraction(1, 2)) for p in (Fraction(1, 2), Fraction(1, 3), Fraction(2, 3), Fraction(1, 5))
        ),
        count=4,
        order=(
            "k, then the denominators of b and of p; b = 1/2 never fails. The condition is the larger one "
            "of the 1- and the infinity-norm"
        ),
        perturbed="splu_ref.channels.matrix_inverse:Inverse.estimate larger",
        by_hand=(
            "A = [[7/8, 1/8], [3/8, 5/8]] has columns that sum to 5/4 and 3/4; A^-1 = [[5/4, -1/4], [-3/4, "
            "7/4]] has columns with absolute sums 2 and 2. 5/4 times 2 is 5/2."
        ),
    )


@EIGC.derivation
def norms_of_one_column() -> Derivation:
    """Add up the entries of A and of its inverse, for b at most 1/2; the other case is its mirror image."""
    return Derivation(
        setting="b = B/(2B+t) with B > 0, t >= 0 is any share up to 1/2; c = 1-p, a = 1-b.",
        steps=(
            Identity(
                name="the larger column of A",
                says="p + 2ca = 1 + c(1-2b), as a is at least b.",
                variables={"p": 0, "b": 0},
                left=lambda p, b: p + 2 * (1 - p) * (1 - b),
                right=lambda p, b: 1 + (1 - p) * (1 - 2 * b),
            ),
            Identity(
                name="a column of the inverse",
                says="The entries (1 - cb)/p and -cb/p have absolute values that add up to 1/p.",
                variables={"p": 1, "b": 0},
                left=lambda p, b: (1 - (1 - p) * b) / p + (1 - p) * b / p,
                right=lambda p, b: 1 / p,
            ),
            Identity(
                name="the larger row of the inverse",
                says="(1 - cb)/p + ca/p = (1 + c(1-2b))/p.",
                variables={"p": 1, "b": 0},
                left=lambda p, b: (1 - (1 - p) * b) / p + (1 - p) * (1 - b) / p,
                right=lambda p, b: (1 + (1 - p) * (1 - 2 * b)) / p,
            ),
            Identity(
                name="squares of the singular values",
                says="The squares of the entries of A add up to F = 1 + p^2 + (1-p)^2(1-2b)^2.",
                variables={"p": 0, "b": 0},
                left=lambda p, b: (
                    ((1 - p) * (1 - b) + p) ** 2
                    + ((1 - p) * b) ** 2
                    + ((1 - p) * (1 - b)) ** 2
                    + ((1 - p) * b + p) ** 2
                ),
                right=lambda p, b: 1 + p**2 + (1 - p) ** 2 * (1 - 2 * b) ** 2,
            ),
            Identity(
                name="the product of the singular values",
                says="det A = p.",
                variables={"p": 0, "b": 0},
                left=lambda p, b: (
                    ((1 - p) * (1 - b) + p) * ((1 - p) * b + p) - (1 - p) * b * ((1 - p) * (1 - b))
                ),
                right=lambda p, b: p,
            ),
        ),
        conclusion=(
            "kappa_1 is the first times the second, kappa_infinity 1 times the third. The singular "
            "values s >= r have s r = p and s^2 + r^2 = F, so s/r = s^2/p is the larger root of z^2 - "
            "(F/p) z + 1. It grows with F, and F = 1 + p^2 gives 1/p."
        ),
    )


@EIGC.computation(
    cases=162,
    perturbed=(
        "splu_ref.channels.channel:Channel.inputs larger",
        "splu_proofs.olap.condition:absolute larger",
        "splu_proofs.olap.exactly:condition larger",
    ),
)
def against_the_inverse_itself() -> Comparisons:
    """Compare with norms of A and its inverse, one and two columns; enclose the 2-norm."""
    from .exactly import condition  # noqa: PLC0415  it loads numpy

    keeps, shares = (
        (Fraction(1, 5), Fraction(1, 2), Fraction(4, 5)),
        (Fraction(1, 10), Fraction(1, 2), Fraction(2, 3)),
    )
    for keep, share, other in product(keeps, shares, shares):
        one, two = condition(keep, share), condition(keep, other)
        found = conditions(matrix([(keep, share), (keep, other)]))
        yield (
            found,
            "=",
            (one.one * two.one, one.infinity * two.infinity),
            f"p = {keep}, b = {share}, {other}",
        )
        low, high = one.two
        total = 1 + keep**2 + (1 - keep) ** 2 * (1 - 2 * share) ** 2
        yield (low, "<=", high, "the enclosure is wide")
        yield (high - low, "<", Fraction(1, 2**60), "the enclosure is wide")
        yield (low**2 - total / keep * low + 1, "<=", 0, "no root between")
        yield (0, "<=", high**2 - total / keep * high + 1, "no root between")
        if share == Fraction(1, 2):
            yield (low, high), "=", (1 / keep, 1 / keep), "the condition at an even share"
        else:
            yield low, ">=", 1 / keep, "the condition at another share"
