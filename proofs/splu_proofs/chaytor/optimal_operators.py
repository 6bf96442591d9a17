"""chaytor.FINE, chaytor.FINEc: the operator that keeps the values of most records."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from splu_ref.channels import Channel, amplification, from_matrix

from ..terms import (
    Claim,
    Comparisons,
    Derivation,
    Gives,
    Grade,
    Identity,
    Inequality,
    Quantity,
    Relation,
    Status,
    Witness,
)
from ..worlds.histograms import spreads

FINE = Claim(
    id="chaytor.FINE",
    module=__name__,
    source="Chaytor, chapter 2, end of the operator algorithms",
    title="the optimal operator",
    statement=(
        r"\text{exactly one operator of amplification at most } G \text{ keeps the values of most records,} "
        r"\qquad \max_A \sum_x \pi_x A_{xx}"
    ),
    words=(
        "False that it is one: with the shares 2/3, 1/3 and G = 2 uniform perturbation keeps 2/3 of the "
        "values, and so does publishing the first value always. The text names neither constraint nor "
        "objective; this is the reading that differs from uniform perturbation, which keeps most on the "
        "mean over values (chaytor.OPTc). Read so, the optimum is also of little use: it never publishes "
        "the rarer values, see chaytor.FINEc. With the guarantee of no breach, an amplification below G, "
        "there need be no optimum."
    ),
    hypotheses=(r"G > 1", r"\pi \text{ the shares of the values}"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("chaytor.EQ1", "chaytor.OPTc"),
    corrected_by="chaytor.FINEc",
)


def frequent_values_alone(m: int, k: int, ratio: Fraction) -> Channel[int, int]:
    """Return uniform perturbation of the values 0 to k-1; every other one is replaced by any of these."""
    own, other = ratio / (k + ratio - 1), 1 / (k + ratio - 1)
    rows = [
        [Fraction(1, k) if row >= k else own if row == column else other for column in range(k)]
        for row in range(m)
    ]
    return from_matrix(range(m), rows, range(k))


def kept_share(channel: Channel[int, int], counts: Sequence[int]) -> Fraction:
    """Return the share of the records that are published with their own value."""
    kept = sum((count * channel.probability(v, v) for v, count in enumerate(counts)), Fraction(0))
    return kept / sum(counts)


def most_kept(counts: Sequence[int], ratio: Fraction) -> Fraction:
    """Return the largest G (share of the k most frequent values)/(k+G-1)."""
    falling = sorted(counts, reverse=True)
    return max(
        ratio * Fraction(sum(falling[:k]), sum(counts)) / (k + ratio - 1) for k in range(1, len(falling) + 1)
    )


@FINE.refutation
def two_operators_keep_as_many() -> Witness:
    """Two values, three records, G = 2: two operators keep 2/3, and none keeps more."""
    return Witness(
        parameters={"G": 2, "counts": (2, 1)},
        premises=(lambda ratio, _counts: ratio > 1, "the shares are those of the counts"),
        allowed=lambda *_: Fraction(1),
        actual=lambda _ratio, counts: Fraction(_optima(counts)),
        sign="=",
        printed=Fraction(1),
        true=Fraction(2),
        smaller=lambda: [(2, (1, 0)), (2, (2, 0)), (2, (1, 1))],
        count=3,
        order="the number of values, then of records, at G = 2",
        perturbed="splu_proofs.chaytor.optimal_operators:_optima larger",
        by_hand=(
            "Uniform perturbation keeps each value with G/(m+G-1) = 2/3; publishing the first value always "
            "keeps its two records of three. With the diagonal a, b the amplification 2 allows a <= 2 (1-b) "
            "and b <= 2 (1-a), so (2 a + b)/3 <= 2/3. The numbers count optimal operators."
        ),
    )


def _optima(counts: tuple[int, int]) -> int:
    """Count the vertices (a, b) of a <= 2 (1-b), b <= 2 (1-a), 0 <= a, b <= 1 that keep most records.

    The other two bounds of the amplification, 1-a <= 2 b and 1-b <= 2 a, cut off vertices that keep less.
    """
    vertices = [(Fraction(2, 3), Fraction(2, 3)), (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))]
    kept = [(counts[0] * a + counts[1] * b) / sum(counts) for a, b in vertices]
    assert max(kept) == most_kept(counts, Fraction(2))
    return kept.count(max(kept))


KEPT = Relation(
    variables=("G", "k", r"\Pi_k"),
    left=Quantity(
        r"\sum_x \pi_x A^{(k)}_{xx}",
        lambda ratio, k, share: kept_share(
            frequent_values_alone(k + 1, k, ratio), [share * 60 / k] * k + [60 - share * 60]
        ),
    ),
    sign="=",
    right=lambda ratio, k, share: ratio * share / (k + ratio - 1),
    cases=lambda: product((Fraction(2), Fraction(9)), (1, 2, 3), (Fraction(1, 2), Fraction(9, 10))),
)

FINEC = Claim(
    id="chaytor.FINEc",
    module=__name__,
    source="corrects Chaytor, chapter 2, end of the operator algorithms",
    title="what keeps the values of most records",
    statement=(rf"\max_A \sum_x \pi_x A_{{xx}} = \max_k \frac{{G\, \Pi_k}}{{k+G-1}},\qquad {KEPT.latex}"),
    asserts=(KEPT,),
    words=(
        "Pi_k is the share of the k most frequent values. The largest share of values is kept by uniform "
        "perturbation of the k most frequent ones for the best k, all others being replaced by any of "
        "these. If k is below m, the rarer values are never published and their counts cannot be estimated: "
        "their rows of the matrix are combinations of the others. For the occupations of the embedded table "
        "and G = 9 the optimum keeps .489 of the values against .409 with uniform perturbation, and "
        "publishes 7 of 14 occupations. So the retained share is no measure of use for any task."
    ),
    hypotheses=(r"G > 1", r"A \text{ of amplification at most } G", r"1 \le k \le m"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("chaytor.EQ1", "chaytor.OPTc"),
)


@FINEC.derivation
def what_a_row_leaves() -> Derivation:
    """Bound the diagonal by what a row leaves to it, and fill the bound with the most frequent values."""
    return Derivation(
        setting=(
            "x_v is the diagonal entry of v, X their sum. In each row the other entries are at least x_w/G, "
            "so x_v + (X - x_v)/G <= 1, that is x_v <= y with (1 - 1/G) y + X/G = 1. Let X = t y. With "
            "weights of at most y that add up to t y no more than y times the share of the t most frequent "
            "values is kept, t not being whole meaning a part of the next one; for t < 1, X < 1 and no more "
            "than the first share. S = Pi_k, q the share of the next value, t = k + s with 0 <= s <= 1."
        ),
        steps=(
            Inequality(
                name="what the others of a row take",
                says="G p >= x and G q >= y for two of them: G (p + q) >= x + y.",
                variables=("p", "q", "x", "y", "G"),
                given=lambda p, q, x, y, g: (p, q, g * p - x, g * q - y, g),
                slack=lambda p, q, d, e, g: (p, q, g * p - d, g * q - e, g),
                then=lambda p, q, x, y, g: g * (p + q) - x - y,
            ),
            Identity(
                name="the largest entry",
                says="At X = t y the bound y is G/(t+G-1).",
                variables={"G": 2, "t": 1},
                left=lambda g, t: (1 - 1 / g) * (g / (t + g - 1)) + t * (g / (t + g - 1)) / g,
                right=lambda g, t: 1 + 0 * g * t,
            ),
            Identity(
                name="between two numbers of values",
                says="G (S+s q)/(k+s+G-1) - G S/(k+G-1) has the sign of q (k+G-1) - S, whatever s > 0 is.",
                variables={"G": 2, "k": 1, "S": 0, "q": 0, "s": 0},
                left=lambda g, k, share, q, s: (
                    g * (share + s * q) / (k + s + g - 1) - g * share / (k + g - 1)
                ),
                right=lambda g, k, share, q, s: (
                    g * s * (q * (k + g - 1) - share) / ((k + s + g - 1) * (k + g - 1))
                ),
            ),
            Identity(
                name="the k most frequent values",
                says="Each is kept with 1 - (k-1)/(k+G-1) = G/(k+G-1): Pi_k of all records.",
                variables={"G": 2, "k": 1, "S": 0},
                left=lambda g, k, share: share * (1 - (k - 1) / (k + g - 1)),
                right=lambda g, k, share: g * share / (k + g - 1),
            ),
            Inequality(
                name="the rows of the others",
                says="1/(k+G-1) <= 1/k <= G/(k+G-1): G k >= k + G - 1 for G, k >= 1.",
                variables=("G", "k"),
                given=lambda g, k: (g - 1, k - 1),
                slack=lambda g, k: (g + 1, k + 1),
                then=lambda g, k: g * k - (k + g - 1),
            ),
        ),
        conclusion=(
            "Between whole numbers of values the bound rises or falls throughout, so it is largest at a "
            "whole one, where uniform perturbation of the k most frequent values attains it with "
            "amplification G."
        ),
        gives=(
            Gives(
                relation=KEPT,
                step="the k most frequent values",
                of="right",
                at=lambda ratio, k, share: (ratio, k, share),
            ),
        ),
    )


@FINEC.computation(
    cases=1170,
    perturbed=(
        "splu_ref.channels.amplification_bounds:amplification larger",
        "splu_proofs.chaytor.optimal_operators:kept_share larger",
    ),
)
def small_operators() -> Comparisons:
    """Walk through all operators with entries in twelfths on two values and in quarters on three."""
    for m, parts in ((2, 12), (3, 4)):
        histograms = [counts for counts in spreads(6, m) if tuple(sorted(counts, reverse=True)) == counts]
        for rows in product(list(spreads(parts, m)), repeat=m):
            channel = from_matrix(range(m), [[Fraction(n, parts) for n in row] for row in rows], range(m))
            ratio = amplification(channel).ratio
            if ratio is None or ratio == 1:
                continue
            for counts in histograms:
                yield (
                    kept_share(channel, counts),
                    "<=",
                    most_kept(counts, ratio),
                    f"{rows} keeps more: {counts}",
                )
        for ratio, counts in product((Fraction(2), Fraction(9)), histograms):
            attained = [frequent_values_alone(m, k, ratio) for k in range(1, m + 1)]
            for channel in attained[1:]:
                yield (amplification(channel).ratio, "=", ratio, "the amplification is another one")
            most = max(kept_share(channel, counts) for channel in attained)
            yield (most, "=", most_kept(counts, ratio), f"{counts}: not attained")


@FINEC.computation(cases=3, perturbed="splu_ref.data.encoding:encode larger")
def the_embedded_table() -> Comparisons:
    """Find the best number of occupations of the embedded table for G = 9."""
    from splu_ref.data import embedded_table  # noqa: PLC0415  it loads polars

    counts = sorted(embedded_table().histogram("occupation").tolist(), reverse=True)
    ratio = Fraction(9)
    shares = [ratio * Fraction(sum(counts[:k]), sum(counts)) / (k + 8) for k in range(1, len(counts) + 1)]
    best = shares.index(max(shares)) + 1
    yield ((best, len(counts)), "=", (7, 14), f"{best} of {len(counts)} occupations")
    yield (Fraction(488, 1000), "<", max(shares), f"{max(shares)} is kept")
    yield (max(shares), "<", Fraction(489, 1000), f"{max(shares)} is kept")
