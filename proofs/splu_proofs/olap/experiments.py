"""olap.ZIPF, olap.S1530, olap.P38, olap.P38c, olap.TREE: what the paper says of its tables and figures."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ..terms import Claim, Comparisons, Grade, Status, Witness

ZIPF = Claim(
    id="olap.ZIPF",
    module=__name__,
    source="Agrawal, Srikant and Thomas 2005, §7",
    title="distinct values of the Zipf tables",
    statement=r"n = \sum_{i=1}^V \mathrm{round}\left(5\sqrt{V/i}\right) \;\Longrightarrow\; V \approx n/10",
    words=(
        "True: the sum of i^(-1/2) up to V lies between 2 sqrt(V) - 2 and 2 sqrt(V) - 1, so the "
        "frequencies before rounding add up to 10 V less 5 to 10 sqrt(V). For a thousand, ten thousand "
        "and a hundred thousand records V is 107, 1025 and 10090: 7, 3 and 1 percent more than a tenth."
    ),
    hypotheses=("least frequency 5", "Zipf exponent 1/2"),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="three tables, n up to 100,000",
)

S1530 = Claim(
    id="olap.S1530",
    module=__name__,
    source="Agrawal, Srikant and Thomas 2005, §7.3",
    title="the largest relative prior on Adult",
    statement=r"\max_S p_S/m_S = 15\ (k=2),\ 30\ (k=3) \text{ over products of ten intervals}",
    words=(
        "The paper does not say which columns. On all 32,561 rows, with its ranges, the largest p_S/m_S "
        "of two columns is 9.0 for age and fnlwgt, the columns of its figure 4, and 6.6 to 26.2 for the "
        "other pairs; of three columns 52.3 for age, fnlwgt and hours, those of figure 5, and 32.3 to "
        "95.4 for the others. Fnlwgt and education come near 15 (15.6), and with age near 30 (32.3). "
        "Measured again here on the embedded table, which has no fnlwgt."
    ),
    hypotheses=("UCI Adult", "ten equally wide intervals a column"),
    status=Status.EMPIRICAL,
    grade=Grade.STATISTICAL,
)

P38 = Claim(
    id="olap.P38",
    module=__name__,
    source="Agrawal, Srikant and Thomas 2005, §7.3, with figures 13 and 14",
    title="retentions without a breach, for every set",
    statement=(
        r"\rho_2 = .95,\ \rho_1 > .5:\quad s \le .1 \Rightarrow p = .8 \text{ is safe};\quad "
        r"s \le 15\ (k=2),\ 30\ (k=3) \Rightarrow p = .3 \text{ is safe}"
    ),
    words=(
        "False as printed, for sets with these s: with p = .3 and two columns, S a piece of 29 of the first "
        "and all but a piece of 30 of the second, a prior of 1/2 makes s = 15, and the odds of S rise to "
        "19.4, above the 19 of rho2 = .95. Nor do the figures follow from Theorem 5 with the m_i left out, "
        "as the text has it: it gives less than .8 for three columns from rho1 = .7 on, and less than .3 for "
        "the largest s at rho1 = .9."
    ),
    hypotheses=("s = p_S/m_S <= 15", "k = 2", "p_S = 1/2 <= rho1"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="olap.P38c",
    rests_on=("olap.D45", "olap.T5"),
)

P38C = Claim(
    id="olap.P38c",
    module=__name__,
    source="corrects Agrawal, Srikant and Thomas 2005, §7.3, for its products of tenths",
    title="retentions without a breach on Adult",
    statement=(
        r"\rho_2 = .95,\ \rho_1 > .5,\ m_{S_i} = \tfrac1{10}:\quad s \le .1 \Rightarrow p = .8 \text{ is "
        r"safe};\quad s \le 15\ (k=2),\ 30\ (k=3) \Rightarrow p = .3 \text{ is safe}"
    ),
    words=(
        "True of the sets that the paper tries, products of one of ten intervals of each column: a cell has "
        "m_S = 10^-k, so its prior is s 10^-k, .15 and .03 at most, and a larger rho1 adds no cell. Whatever "
        "the other records are, two columns are safe below p = .931 for s <= .1 and below .483 for s <= 15, "
        "three columns below .849 for s <= .1 and below .428 for s <= 30."
    ),
    hypotheses=(r"S = S_1\times\dots\times S_k,\ m_{S_i} = 1/10", r"Y \in S \text{ is observed}"),
    status=Status.CORRECTED,
    grade=Grade.EXACT,
    complete="it is about four cells, whose odds are largest at the largest s",
    rests_on=("olap.D45",),
)


@ZIPF.computation(cases=12, perturbed="splu_proofs.olap.tables:zipf_frequencies larger")
def three_tables() -> Comparisons:
    """Count the values of the three tables."""
    from .tables import zipf_frequencies  # noqa: PLC0415  it loads numpy

    for rows in (1000, 10_000, 100_000):
        frequencies = zipf_frequencies(rows).tolist()
        yield (frequencies[-1], "=", 5, f"n = {sum(frequencies)}")
        yield (abs(sum(frequencies) - rows), "<=", 5, f"n = {sum(frequencies)}")
        yield rows, "<", 10 * len(frequencies), f"n = {rows}: a tenth is less than V"
        yield 1000 * len(frequencies), "<", 108 * rows, f"n = {rows}: V is less than 1.08 tenths"


@S1530.measurement(cases=2, perturbed="splu_proofs.olap.tables:_whole doubled")
def the_embedded_table() -> Comparisons:
    """Take all pairs of age, hours and education."""
    from dataclasses import replace  # noqa: PLC0415  only runs need it
    from itertools import combinations  # noqa: PLC0415  only runs need it

    from .exactly import largest_relative  # noqa: PLC0415  it loads numpy
    from .tables import adult  # noqa: PLC0415  only runs need it

    table, found = adult(), {}
    for size in (2, 3):
        for chosen in combinations(range(3), size):
            columns = tuple(table.columns[place] for place in chosen)
            part = replace(table, columns=columns, values=table.values[list(chosen)])
            name = " × ".join(column.name for column in columns)
            found[name] = float(largest_relative(part, size))
    yield (max(found.values()), ">", 30, f"{found}")
    yield (min(found.values()), "<", 15, f"{found}")


@P38C.computation(
    cases=20,
    perturbed=("splu_proofs.olap.experiments:odds larger", "splu_proofs.olap.exactly:_largest larger"),
)
def the_odds_of_a_cell() -> Comparisons:
    """Bound the odds of S for cells up to the largest s, at p = .8 and .3, and find where they reach 19."""
    from splu_ref.channels.breach import Levels  # noqa: PLC0415  only runs need it

    from .exactly import cell_retention  # noqa: PLC0415  it loads numpy

    levels = Levels(Fraction(1, 2), Fraction(95, 100))
    for columns, relative, keep in (
        (2, Fraction(1, 10), Fraction(8, 10)),
        (3, Fraction(1, 10), Fraction(8, 10)),
        (2, Fraction(15), Fraction(3, 10)),
        (3, Fraction(30), Fraction(3, 10)),
    ):
        yield (odds(relative / 10**columns, [Fraction(1, 10)] * columns, keep), "<", 19, f"k = {columns}")
    for columns, relative, limit in (
        (2, Fraction(1, 10), 931),
        (3, Fraction(1, 10), 849),
        (2, Fraction(15), 483),
        (3, Fraction(30), 428),
    ):
        prior, shares = relative / 10**columns, [Fraction(1, 10)] * columns
        yield (odds(prior, shares, Fraction(limit, 1000)), "<", 19, f"k = {columns}: {limit} is not safe")
        yield (
            odds(prior, shares, Fraction(limit + 1, 1000)),
            ">=",
            19,
            f"k = {columns}: {limit} is not the last",
        )
        found = cell_retention(prior, shares, levels)
        yield (limit, "<=", 1000 * found, f"k = {columns}: bisection comes to {found}")
        yield (1000 * found, "<", limit + 1, f"k = {columns}: bisection comes to {found}")


@P38.refutation
def a_narrow_piece_of_one_column() -> Witness:
    """Take one piece of n in the first column, and all but one piece of w in the second."""
    return Witness(
        parameters={"n": 29, "w": 30},
        premises=(
            lambda pieces, others: 1 / (2 * _narrow(pieces, others)) <= 15,
            "S is a product of two sets",
            "rho1 is above 1/2, and the prior is 1/2",
        ),
        allowed=lambda _pieces, _others: Fraction(19),
        actual=lambda pieces, others: odds(
            Fraction(1, 2), [Fraction(1, pieces), Fraction(others - 1, others)], Fraction(3, 10)
        ),
        sign="<",
        printed=Fraction(19),
        true=Fraction(27542, 1421),
        smaller=lambda: (*product(range(2, 30), repeat=2), *((pieces, 30) for pieces in range(2, 29))),
        count=737,
        order="the larger of n and w, then n",
        perturbed="splu_proofs.olap.experiments:odds larger",
        by_hand=(
            "(1 - p) m + p over (1 - p) m is 1 + 3n/7 = 94/7 for m = 1/29 and 1 + 3w/(7(w-1)) = 293/203 for "
            "m = 29/30: the odds are 94 * 293 / (7 * 203). 19 is .95/.05."
        ),
    )


def _narrow(pieces: int, others: int) -> Fraction:
    """Return m_S for one piece of the first column, and all but one of the second."""
    return Fraction(1, pieces) * Fraction(others - 1, others)


@P38.computation(cases=2, perturbed="loss = (1 - keep) ** columns / keep**columns => loss = Fraction(30)")
def theorem_5_gives_less() -> Comparisons:
    """Evaluate Theorem 5 without the m_i where the figures allow .8 and .3."""
    rho2 = Fraction(95, 100)
    for columns, relative, rho1, keep in (
        (3, Fraction(1, 10), Fraction(7, 10), Fraction(8, 10)),
        (2, Fraction(15), Fraction(9, 10), Fraction(3, 10)),
    ):
        loss = (1 - keep) ** columns / keep**columns
        limit = rho2 * (1 - rho1) * loss / (1 - rho2)
        yield relative, ">=", limit, f"k = {columns}: s, and below which s Theorem 5 is safe"


def odds(prior: Fraction, shares: list[Fraction], keep: Fraction) -> Fraction:
    """Return the largest odds of X in S given Y in S, over all laws of the other records."""
    up = down = Fraction(1)
    for share in shares:
        up *= (1 - keep) * share + keep
        down *= (1 - keep) * share
    return prior * up / ((1 - prior) * down)


TREE = Claim(
    id="olap.TREE",
    module=__name__,
    source="Agrawal, Srikant and Thomas 2005, §6",
    title="decision trees from reconstructed counts",
    statement=(
        r"\text{a tree grown from reconstructed } \mathrm{count}(P_1\wedge\dots\wedge P_k\wedge Q)"
        r"\text{ classifies}"
    ),
    words=(
        "The counts suffice, and a further split of a column adds none to the query, as printed. What "
        "such a tree is worth was measured on Adult's four numeric columns, class and columns kept with p "
        "each, on held-out rows: at p = 1/2 it is right as often as one grown from the original rows, .810, "
        "while one grown from the perturbed rows as they are reaches .757, and the majority class .733. At "
        "p = .3 and below hardly any split stands out of its noise: .740 and .733. Measured again here on "
        "the embedded table at p = 1/2."
    ),
    hypotheses=("UCI Adult", "at most six levels", r"\text{class: two of 14 occupations}"),
    status=Status.EMPIRICAL,
    grade=Grade.STATISTICAL,
)


@TREE.measurement(cases=2, perturbed="splu_ref.randomness.byte_rules:ByteSource.below larger")
def three_kinds_of_trees() -> Comparisons:
    """Grow each tree from three releases of the embedded table at p = 1/2."""
    from splu_ref.randomness import SeededSource  # noqa: PLC0415  only runs need it

    from .tables import adult  # noqa: PLC0415  it loads numpy
    from .tree import accuracies  # noqa: PLC0415  only runs need it

    found = accuracies(adult(), Fraction(1, 2), 3, SeededSource(1))
    means = {name: sum(values) / len(values) for name, values in found.items()}
    yield (means["reconstructed"], ">", means["original"] - 0.02, f"{means}")
    yield (means["reconstructed"], ">", max(means["majority"], means["perturbed"]) + 0.03, f"{means}")
