"""chaytor.WHOLE: what a promise about whole records costs."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.channels import amplification, retention

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status

WHOLE = Claim(
    id="chaytor.WHOLE",
    module=__name__,
    source="Chaytor, chapters 1 and 2",
    title="to perturb a whole table forces a small retention",
    statement=(
        r"\frac1M\sum_u \Pr[Y = u \mid X = u] \le \frac{G}{M + G - 1},\quad M = \textstyle\prod_i m_i,"
        r"\ \text{for every channel of amplification at most } G"
    ),
    words=(
        "True of records, and for every way to perturb them: if what is published of a record may not raise "
        "any odds by more than G, a record of a domain of M values is published as it is with at most "
        "G/(M + G - 1) on average, and uniform perturbation of the product reaches it. Adult's occupation, "
        "race and sex (14, 5 and 2 values) leave 9/148 at G = 9. The condition is the promise about whole "
        "records. If it is made of each cell, every cell keeps (g - 1)/(m_i + g - 1) whatever other columns "
        "are perturbed, and the record's level is the product of the columns' g. So it is the promise that "
        "forces a small retention, and not that the whole table is perturbed."
    ),
    hypotheses=(r"\text{the promise is made of the whole record}", "G \\ge 1"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    licenses=("splu_ref.channels.amplification_bounds",),
)


@WHOLE.derivation
def the_diagonal_of_a_channel() -> Derivation:
    """Bound each entry of the diagonal by the others of its column, and add up."""
    return Derivation(
        setting=(
            "a is the entry of the diagonal in a column, r the sum of the M - 1 others: each is at least "
            "a/G, so G r >= (M-1) a. The columns add up to M together."
        ),
        steps=(
            Identity(
                name="one column",
                says="G (a + r) - (M + G - 1) a = G r - (M-1) a, which is at least 0.",
                variables={"m": 1, "g": 1, "a": 0, "r": 0},
                left=lambda m, g, a, r: g * (a + r) - (m + g - 1) * a,
                right=lambda m, g, a, r: g * r - (m - 1) * a,
            ),
            Identity(
                name="uniform perturbation reaches it",
                says="p + (1-p)/M with p = (G-1)/(M+G-1) is G/(M+G-1).",
                variables={"m": 1, "g": 1},
                left=lambda m, g: (g - 1) / (m + g - 1) + (1 - (g - 1) / (m + g - 1)) / m,
                right=lambda m, g: g / (m + g - 1),
            ),
        ),
        conclusion="The diagonal adds up to at most G M/(M+G-1), so its mean is at most G/(M+G-1).",
    )


@WHOLE.computation(
    cases=6,
    perturbed=("kept = level / => kept = ", "splu_ref.channels.amplification_bounds:amplification larger"),
)
def three_columns_of_adult() -> Comparisons:
    """Compute what may be kept of 14 x 5 x 2 values at G = 9, and of each column for itself."""
    level, sizes = Fraction(9), (14, 5, 2)
    domain = 14 * 5 * 2
    kept = level / (domain + level - 1)
    yield kept, "=", Fraction(9, 148), "retained of the whole domain"
    coin = (level - 1) / (domain + level - 1)
    channel = retention(coin, dict.fromkeys(range(domain), Fraction(1, domain)))
    yield channel.probability(0, 0), "=", kept, "retained by the library's channel"
    yield amplification(channel).ratio, "=", level, "amplification of the library's channel"
    alone = [level / (size + level - 1) for size in sizes]
    for cell in alone:
        yield (cell, ">", 5 * kept, f"{alone}")
