"""olap.SWAP, olap.SWAPc, olap.PAIRS: what swapping is, beside the identity perturbation it is likened to."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status, Witness

SWAP = Claim(
    id="olap.SWAP",
    module=__name__,
    source="Agrawal et al. 2005, §6",
    title="the guarantee of swapping is that of identity perturbation",
    statement=r"\text{swapping: } \Pr[X \in S \mid Y \in S] \le p + (1-p)\, p_S",
    words=(
        "True of identity perturbation (olap.L1), false of swapping, where the text takes Theorem 4 with "
        "m_S = p_S for both. A released cell may come back to its place, and in a small table it often "
        "does: of two records with different values and p = 1/2 each retains its value with 7/8, and not "
        "with 3/4. The excess is about (1-p) p/(N-1): small in a large table, and never zero."
    ),
    hypotheses=("0 < p < 1", r"\text{the prior is the column's histogram}"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="olap.SWAPc",
)

SWAPC = Claim(
    id="olap.SWAPc",
    module=__name__,
    source="corrects Agrawal et al. 2005, §6",
    title="the law of one record under swapping",
    statement=(
        r"\Pr[Y = v \mid X = u] = \pi\,[u = v] + (1-\pi)\tfrac{f_v}{N},\qquad "
        r"\pi = \frac{Np - p^N}{N-1};\qquad \Pr[X \in S \mid Y \in S] = \pi + (1-\pi)\, p_S"
    ),
    words=(
        "One record under swapping is published as by identity perturbation with the retention pi, which is "
        "p at p = 0 and p = 1 and larger between, by less than p/(N-1). With pi in the place of p the "
        "guarantee of Lemma 1 holds and is sharp. It is that of one record and its published value: the "
        "published column determines the histogram, and records are dependent."
    ),
    hypotheses=(r"N \ge 2", r"0 \le p \le 1", r"\text{the prior is the column's histogram}"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("olap.L1",),
    licenses=("splu_ref.channels.swapping_law:swapping", "splu_ref.mechanisms.swapping:Swapping"),
    tests=("tests/channels/test_swapping.py::test_one_record_is_kept_more_often_than_its_coin_says",),
)

PAIRS = Claim(
    id="olap.PAIRS",
    module=__name__,
    source="new: the paper gives no error for swapping",
    title="the variance of a conjunction under swapping",
    statement=(
        r"\operatorname{E} U_c(Y_i, Y_j) = a_{ic}\, a_{jc}\ (i \ne j),\qquad \hat V = \hat x^2 - \hat x - "
        r"\sum_{i \ne j} \prod_c U_c(Y_i, Y_j),\quad \operatorname{E}\hat V = \operatorname{Var}\hat x"
    ),
    words=(
        "Records that are swapped depend on each other, so the variance is not the sum of theirs. The chance "
        "that two records are both published in a set is a quadratic of whether they are in it, since the "
        "rest of the column follows from its histogram; inverted, it estimates without bias how many pairs "
        "of records are both counted, and that is the square of the count less the count. So the variance of "
        "the estimate of a conjunction of any number of swapped columns has an unbiased estimate, which is 0 "
        "for one whole column. It may be negative."
    ),
    hypotheses=("0 < p < 1", r"\text{columns are swapped independently}"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("olap.SWAPc",),
    licenses=("splu_ref.channels.swapping_law:swapped_pairs", "splu_ref.estimators.queries.pooled_records"),
    tests=("tests/mechanisms/test_swapping.py::test_variances_are_unbiased_though_records_depend",),
)


@SWAP.refutation
def two_records_change_places_or_not() -> Witness:
    """N = 2, p = 1/2, one record in S: the posterior is 7/8, the printed one 3/4."""
    return Witness(
        parameters={"N": 2, "p": Fraction(1, 2), "records in S": 1},
        premises=(lambda _n, p, _members: 0 < p < 1, "the cells are those of the column"),
        allowed=lambda n, p, members: derived(p, n, members),
        actual=lambda n, p, members: posterior(p, n, members),
        printed=Fraction(3, 4),
        true=Fraction(7, 8),
        smaller=lambda: [(1, Fraction(1, d), 1) for d in (2, 3, 4, 5)],
        count=4,
        order="records, then records in the set",
        perturbed="splu_proofs.olap.swapping_guarantee:posterior larger",
        by_hand=(
            "The cells change places if both are released, 1/4, and the permutation exchanges them, 1/2: "
            "with 1/8. By m_S = p_S = 1/2 the text has 1/2 + 1/4."
        ),
    )


def derived(p: Fraction, records: int, members: int) -> Fraction:
    """Return the posterior by Theorem 4 with m_S = p_S."""
    return p + (1 - p) * Fraction(members, records)


def posterior(p: Fraction, records: int, members: int) -> Fraction:
    """Return the chance that a record is in the set if it is published there, over all arrangements."""
    from ..worlds.arrangements import swapped  # noqa: PLC0415  it loads numpy and the library

    law = swapped(p, records)
    both = sum(c for cells, c in law.items() for own, cell in enumerate(cells) if max(own, cell) < members)
    return Fraction(both) / members


@SWAPC.derivation
def a_cell_that_comes_back() -> Derivation:
    """Each of R released cells comes back with 1/R, and all other places are alike."""
    return Derivation(
        setting=(
            "z = p^N is the chance that nothing is released. Record i is released, and its cell comes back, "
            "with E[1 if i is released, over R]; the sum over i is Pr(R >= 1) = 1 - z, so it is (1-z)/N. "
            "s = p + (1-z)/N, and each of the N - 1 other cells has (1-s)/(N-1). N = m + 1."
        ),
        steps=(
            Identity(
                name="the retention",
                says="s - (1-s)/(N-1) = (N p - z)/(N-1).",
                variables={"m": 1, "p": 0, "z": 0},
                left=lambda m, p, z: p + (1 - z) / (m + 1) - (1 - p - (1 - z) / (m + 1)) / m,
                right=lambda m, p, z: ((m + 1) * p - z) / m,
            ),
            Identity(
                name="every cell's share of the rest",
                says="(1-s)/(N-1) = (1 - pi)/N: each cell, the own one too, has the same share of the rest.",
                variables={"m": 1, "p": 0, "z": 0},
                left=lambda m, p, z: (1 - p - (1 - z) / (m + 1)) / m,
                right=lambda m, p, z: (1 - ((m + 1) * p - z) / m) / (m + 1),
            ),
            Identity(
                name="the excess",
                says="pi - p = (p - z)/(N-1).",
                variables={"m": 1, "p": 0, "z": 0},
                left=lambda m, p, z: ((m + 1) * p - z) / m - p,
                right=lambda m, p, z: (p - z) / m,
            ),
            Inequality(
                name="p^N is at most p",
                says="With p = u/w and p^(N-1) = k/l at most 1, p - p p^(N-1) >= 0: u l - u k >= 0.",
                variables=("u", "l", "k"),
                given=lambda u, l, k: (u, l - k, k),  # noqa: E741
                slack=lambda u, d, k: (u, k + d, k),
                then=lambda u, l, k: u * l - u * k,  # noqa: E741
            ),
        ),
        conclusion=(
            "Among the f_v cells with v each has (1-pi)/N, and the own one pi more. That is identity "
            "perturbation with pi, so olap.L1 gives the posterior."
        ),
    )


@SWAPC.enumeration(
    cases=96,
    perturbed=(
        "splu_ref.channels.swapping_law:swapping larger",
        "splu_proofs.worlds.arrangements:published larger",
    ),
)
def one_record_of_the_shipped_code() -> Comparisons:
    """Run the shipped mechanism on every outcome for N <= 4, and compare the law of each record."""
    from splu_ref.channels import swapping  # noqa: PLC0415  only runs need them
    from splu_ref.mechanisms import Swapping  # noqa: PLC0415  only runs need it

    from ..worlds.arrangements import KEEPS, published, swapped  # noqa: PLC0415  as above

    for records in (2, 3, 4):
        for p in KEEPS:
            codes = list(range(records))
            law = published(Swapping(p), codes, records)
            yield (law, "=", swapped(p, records), f"N = {records}, p = {p}: another law of all arrangements")
            channel = swapping(p, dict.fromkeys(codes, 1))
            for own, seen in product(codes, repeat=2):
                chance = sum(weight for cells, weight in law.items() if cells[own] == seen)
                yield (
                    chance,
                    "=",
                    channel.probability(own, seen),
                    f"N = {records}, p = {p}: {own} as {seen}",
                )


@PAIRS.derivation
def the_square_counts_pairs() -> Derivation:
    """Take pairs of records apart from single ones, and invert a quadratic of two indicators."""
    return Derivation(
        setting=(
            "a, c are 0 or 1: whether two records are in the set; F are in all. rest = F - a - c others. "
            "Both are published inside with k a c + l (a + c) rest + t rest (rest - 1): k if both cells "
            "come from the two places, l one of them from there, t none. The singles have the mean a and c."
        ),
        steps=(
            Identity(
                name="a quadratic without F in its curve",
                says="Value at (1,1) - 2 at (1,0) + at (0,0) = k - 2 l + 2 t.",
                variables={"f": 0, "k": 0, "l": 0, "t": 0},
                left=lambda f, k, l, t: (  # noqa: E741
                    (k + 2 * l * (f - 2) + t * (f - 2) * (f - 3))
                    - 2 * (l * (f - 1) + t * (f - 1) * (f - 2))
                    + t * f * (f - 1)
                ),
                right=lambda _f, k, l, t: k - 2 * l + 2 * t,  # noqa: E741
            ),
        ),
        conclusion=(
            "U_c = (Y_i Y_j - value at (0,0) - step (Z_i + Z_j))/curve, Z the unbiased single weights, has "
            "the mean a_i a_j. Columns are independent, so products of columns have the product; over "
            "ordered pairs they add up to x^2 - x in the mean. E x'^2 is Var x' + x^2, so Var x' is what is "
            "left of E x'^2 - E x' when they are taken away."
        ),
    )


@PAIRS.computation(cases=180, perturbed="splu_ref.channels.swapping_law:swapped_pairs larger")
def every_pair_of_small_columns() -> Comparisons:
    """Take the mean of the shipped weights over all arrangements of every 0/1 column with N <= 5."""
    from splu_ref.channels import swapped_pairs  # noqa: PLC0415  only runs need it

    from ..worlds.arrangements import KEEPS, swapped  # noqa: PLC0415  as above

    for records in (2, 3, 4, 5):
        for p, column in product(KEEPS, product((0, 1), repeat=records)):
            weights = swapped_pairs(p, records, sum(column))
            mean = sum(
                chance * weights[column[cells[0]] + column[cells[1]]]
                for cells, chance in swapped(p, records).items()
            )
            yield (mean, "=", column[0] * column[1], f"N = {records}, p = {p}, {column}")
