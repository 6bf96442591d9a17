"""olap.ID, olap.IDc: whether identity perturbation and swapping leave the answers on one column unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..terms import Case, Claim, Comparisons, Derivation, Grade, Identity, Status, Witness
from ..worlds.histograms import histograms

ID = Claim(
    id="olap.ID",
    module=__name__,
    source="Agrawal et al. 2005, §6",
    title="answers on one column are unchanged",
    statement=r"\Pr(f' \ne f) = 0 \text{ for identity perturbation and for swapping}",
    words=(
        "True of swapping, which moves the cells of a column and changes none. False of identity "
        "perturbation: replacements are drawn, and their values occur more or less often than in the "
        "original. Of two records with different values and p = 1/2 each retains its value with 3/4, and the "
        "counts change with probability 3/8. What holds is olap.IDc: the mean is unchanged."
    ),
    hypotheses=("0 < p < 1", r"\text{the whole column is counted}"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="olap.IDc",
    topples=("olap.SELF",),
)

IDC = Claim(
    id="olap.IDc",
    module=__name__,
    source="corrects Agrawal et al. 2005, §6",
    title="counts of one column under identity perturbation and swapping",
    statement=(
        r"\text{swapping: } f' = f;\qquad \text{identity: } \operatorname{E} f' = f,\quad "
        r"\operatorname{Var} f' = N(1-p^2)\, b(1-b),\quad b = \tfrac fN"
    ),
    words=(
        "Swapping publishes every count of a column unchanged. Identity perturbation does so on average "
        "only: the count of a set with the share b has the variance of N draws with replacement, less the "
        "share p^2. Either speaks of the whole column: a "
        "count among the records that meet another condition changes under both."
    ),
    hypotheses=(r"0 \le p \le 1", r"\text{the whole column is counted}"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    licenses=("splu_ref.mechanisms.swapping:Swapping",),
    tests=("tests/mechanisms/test_swapping.py::test_columns_keep_their_counts_and_rows_their_places",),
)


@ID.refutation
def two_different_values() -> Witness:
    """N = 2, f = 1, p = 1/2: the count changes with probability 3/8."""
    return Witness(
        parameters={"N": 2, "f": 1, "p": Fraction(1, 2)},
        premises=(lambda _n, _f, p: 0 < p < 1, "count_law counts every record"),
        allowed=lambda *_: Fraction(0),
        actual=lambda n, f, p: changed(p, n, f),
        sign="=",
        printed=Fraction(0),
        true=Fraction(3, 8),
        smaller=_smaller,
        count=9,
        order="records, then records with the value",
        perturbed="splu_proofs.worlds.arrangements:count_law larger",
        by_hand=(
            "Each record is published with its true value with 1/2 + 1/4 = 3/4. The count of either value "
            "stays 1 if both are or both are not: 9/16 + 1/16 = 5/8."
        ),
    )


def changed(p: Fraction, records: int, members: int) -> Fraction:
    """Return the chance that a count changes under identity perturbation."""
    from ..worlds.arrangements import count_law  # noqa: PLC0415  it loads numpy and the library

    return 1 - count_law(p, records, members).get(members, Fraction(0))


def _smaller() -> Iterator[Case]:
    for p in (Fraction(1, 2), Fraction(1, 3), Fraction(2, 3)):
        yield from ((n, f, p) for n, f in ((1, 0), (1, 1), (2, 0)))


@IDC.derivation
def mean_and_variance() -> Derivation:
    """Add up the f records in the set and the N - f others, each published inside on its own."""
    return Derivation(
        setting=(
            "f records are in the set, N = f + m. One of them is published inside with p + (1-p) f/N, one of "
            "the others with (1-p) f/N, independently."
        ),
        steps=(
            Identity(
                name="the mean",
                says="f (p + (1-p) f/N) + m (1-p) f/N = f.",
                variables={"f": 1, "m": 1, "p": 0},
                left=lambda f, m, p: f * (p + (1 - p) * f / (f + m)) + m * (1 - p) * f / (f + m),
                right=lambda f, _m, _p: f,
            ),
            Identity(
                name="the variance",
                says="The variances of the f + m indicators add up to N (1 - p^2) b (1 - b).",
                variables={"f": 1, "m": 1, "p": 0},
                left=lambda f, m, p: (
                    f * (p + (1 - p) * f / (f + m)) * (1 - p - (1 - p) * f / (f + m))
                    + m * ((1 - p) * f / (f + m)) * (1 - (1 - p) * f / (f + m))
                ),
                right=lambda f, m, p: (1 - p**2) * f * m / (f + m),
            ),
        ),
        conclusion="b (1 - b) N is f m/N. Swapping permutes the cells of a column, so it changes no count.",
    )


@IDC.enumeration(
    cases=52,
    perturbed=(
        "splu_ref.mechanisms.swapping:Swapping.publish_columns larger",
        "splu_proofs.worlds.arrangements:count_law larger",
    ),
)
def every_outcome_of_both() -> Comparisons:
    """Run the shipped mechanisms on every outcome of tables with N <= 4."""
    from splu_ref.mechanisms import RetentionReplacement, Swapping  # noqa: PLC0415  only runs need them

    from ..worlds.arrangements import KEEPS, count_law, published  # noqa: PLC0415  as above

    for total in (2, 3, 4):
        for histogram in histograms(total):
            codes = [code for code, count in enumerate(histogram) for _ in range(count)]
            values = max(len(histogram), 2)
            for p in KEEPS if total < 4 else KEEPS[:1]:
                law = published(Swapping(p), codes, values)
                sets = {tuple(sorted(cells)) for cells in law}
                yield sets, "=", {tuple(codes)}, f"{histogram}: the values after swapping"
                domain = {"sensitive": "abcd"[:values]}
                identity = RetentionReplacement(p, domain, replacing="identity")
                found: dict[int, Fraction] = {}
                for cells, chance in published(identity, codes, values).items():
                    count = cells.count(0)
                    found[count] = found.get(count, Fraction(0)) + chance
                expected = {k: c for k, c in count_law(p, total, histogram[0]).items() if c}
                yield (found, "=", expected, f"{histogram}, p = {p}: another law of f'")
