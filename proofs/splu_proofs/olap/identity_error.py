"""olap.IDERR, olap.IDERRc: the error of a count under identity perturbation, beside uniform perturbation."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from ..terms import Case, Claim, Comparisons, Derivation, Grade, Identity, Status, Witness

IDERR = Claim(
    id="olap.IDERR",
    module=__name__,
    source="Agrawal et al. 2005, §6",
    title="identity perturbation errs less for rare sets",
    statement=(
        r"\frac{p_S}{m_S} < 1 \;\Longrightarrow\; \operatorname{Var}\hat f_{\text{identity}} \le "
        r"\operatorname{Var}\hat f_{\text{uniform}}"
    ),
    words=(
        "True of swapping, where a count of one column has no error. False of identity perturbation for sets "
        "that are rare beside the domain and yet hold more than half of the records, if much is kept: two of "
        "three records in a set of three of four values, p = 30/31. By olap.IDERRc it holds for every rare "
        "set of at most half of the records, and not for the reason given: the count needs no "
        "reconstruction, which saves a factor of 1/p^2."
    ),
    hypotheses=("0 < p < 1", r"\text{the whole column is counted}"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="olap.IDERRc",
)

IDERRC = Claim(
    id="olap.IDERRc",
    module=__name__,
    source="corrects Agrawal et al. 2005, §6",
    title="errors of counts of one column",
    statement=(
        r"b \le m_S,\ b \le \tfrac12 \;\Longrightarrow\; N(1-p^2)\,b(1-b) \le "
        r"\frac Np\cdot\frac{b\,\theta_1(1-\theta_1) + (1-b)\,\theta_0(1-\theta_0)}{p},\quad "
        r"\theta_1 = p + (1-p)m_S,\ \theta_0 = (1-p)m_S"
    ),
    words=(
        "The count of a set with the share b of the records and m_S of the domain is known better from "
        "identity perturbation than from uniform perturbation if b is at most m_S and at most 1/2. With b "
        "above 1/2 it is not, for a p near 1: both variances are then about 1-p times N, 2 b (1-b) of it "
        "against b (1-m_S) + (1-b) m_S, and the second is less by (m_S - b)(2b - 1)."
    ),
    hypotheses=("0 < p < 1", r"\text{the whole column is counted}"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("olap.IDc",),
)


def of_identity(b: Fraction, p: Fraction) -> Fraction:
    """Return the variance of a count by identity perturbation, for each record."""
    return (1 - p**2) * b * (1 - b)


def of_uniform(b: Fraction, m: Fraction, p: Fraction) -> Fraction:
    """Return the variance of an estimated count by uniform perturbation, for each record."""
    inside, outside = p + (1 - p) * m, (1 - p) * m
    return (b * inside * (1 - inside) + (1 - b) * outside * (1 - outside)) / p**2


@IDERR.refutation
def more_than_half_of_the_records() -> Witness:
    """N = 3, f = 2, three of four values, p = 30/31."""
    return Witness(
        parameters={"N": 3, "f": 2, "values": 4, "values of S": 3, "p": Fraction(30, 31)},
        premises=(lambda _n, _f, _m, _s, p: 0 < p < 1, "the formulas are those of the whole column"),
        allowed=lambda n, f, m, s, p: n * of_uniform(Fraction(f, n), Fraction(s, m), p),
        actual=lambda n, f, m, s, p: n * of_identity(Fraction(f, n), p),
        printed=3 * of_uniform(Fraction(2, 3), Fraction(3, 4), Fraction(30, 31)),
        true=3 * of_identity(Fraction(2, 3), Fraction(30, 31)),
        smaller=_smaller,
        count=13850,
        order="records plus values of the domain, then the denominator of p",
        perturbed="splu_proofs.olap.identity_error:of_identity larger",
        by_hand=(
            "Identity: 3 (1 - p^2) (2/3)(1/3). Uniform: two records stay in the set with p + 3(1-p)/4, one "
            "comes into it with 3(1-p)/4; the variances of the three, over p^2."
        ),
    )


def _smaller() -> Iterator[Case]:
    """Generate p up to 29/30; with b at most 1/2 the statement holds for every p (olap.IDERRc)."""
    keeps = sorted({Fraction(u, w) for w in range(2, 31) for u in range(1, w)})
    for together in range(3, 8):
        for records in range(1, together - 1):
            values = together - records
            for members, size in product(range(records + 1), range(1, values)):
                if members * values < size * records:
                    yield from ((records, members, values, size, p) for p in keeps)


@IDERRC.derivation
def a_concave_function_and_its_ends() -> Derivation:
    """Look at the ends, m_S = b and 1, of a variance that is concave in m_S."""
    return Derivation(
        setting=(
            "U(m) = b h(p + (1-p) m) + (1-b) h((1-p) m) with h(x) = x (1-x), so U/p^2 is the variance of the "
            "estimate for each record. V = (1-p^2) b (1-b) is that of the count under identity perturbation "
            "(olap.IDc). m = b + r (1-b) for r from 0 to 1."
        ),
        steps=(
            Identity(
                name="concave",
                says="U(m) - (1-r) U(b) - r U(1) = r (1-r) (1-p)^2 (1-b)^2 >= 0.",
                variables={"b": 0, "p": 0, "r": 0},
                left=lambda b, p, r: _u(b, p, b + r * (1 - b)) - (1 - r) * _u(b, p, b) - r * _u(b, p, 1),
                right=lambda b, p, r: r * (1 - r) * (1 - p) ** 2 * (1 - b) ** 2,
            ),
            Identity(
                name="at b",
                says="U(b) = V, so U(b)/p^2 is V/p^2, at least V.",
                variables={"b": 0, "p": 0},
                left=lambda b, p: _u(b, p, b),
                right=lambda b, p: (1 - p**2) * b * (1 - b),
            ),
            Identity(
                name="at 1",
                says="U(1)/p^2 - V = (1-p)(1-b)(1 - p (1+p) b)/p.",
                variables={"b": 0, "p": 1},
                left=lambda b, p: _u(b, p, 1) / p**2 - (1 - p**2) * b * (1 - b),
                right=lambda b, p: (1 - p) * (1 - b) * (1 - p * (1 + p) * b) / p,
            ),
            Identity(
                name="half of the records",
                says="1 - p (1+p)/2 = (1-p)(2+p)/2 >= 0: for b <= 1/2 the end at 1 is at least V as well.",
                variables={"p": 0},
                left=lambda p: 1 - p * (1 + p) / 2,
                right=lambda p: (1 - p) * (2 + p) / 2,
            ),
            Identity(
                name="near p = 1",
                says="b (1-m) + (1-b) m - 2 b (1-b) = (m-b)(1-2b): negative for b > 1/2 and m > b.",
                variables={"b": 0, "m": 0},
                left=lambda b, m: b * (1 - m) + (1 - b) * m - 2 * b * (1 - b),
                right=lambda b, m: (m - b) * (1 - 2 * b),
            ),
        ),
        conclusion="U(m)/p^2 is at least a mean of its ends, each at least V.",
    )


def _u(b: Any, p: Any, m: Any) -> Any:  # of every kind of number: see `step.Formula`
    inside, outside = p + (1 - p) * m, (1 - p) * m
    return b * inside * (1 - inside) + (1 - b) * outside * (1 - outside)


@IDERRC.computation(
    cases=25200,
    perturbed=(
        "splu_proofs.olap.identity_error:of_identity larger",
        "splu_proofs.olap.identity_error:of_uniform smaller",
    ),
)
def rare_sets_of_small_tables() -> Comparisons:
    """Compare both variances for N <= 8 records, domains of at most 8 values, and p of denominators <= 12."""
    keeps = sorted({Fraction(u, w) for w in range(2, 13) for u in range(1, w)})
    for records in range(1, 9):
        for members in range(records // 2 + 1):
            for values in range(2, 9):
                for size in range(1, values):
                    b, m = Fraction(members, records), Fraction(size, values)
                    if b > m:
                        continue
                    for p in keeps:
                        yield (of_identity(b, p), "<=", of_uniform(b, m, p), f"b = {b}, m = {m}, p = {p}")
