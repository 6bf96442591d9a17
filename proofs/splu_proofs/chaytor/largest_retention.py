"""chaytor.OPT, chaytor.OPTc: how much uniform perturbation keeps under a (rho1, rho2) guarantee."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from splu_ref.channels import Levels, amplification, diagonal, from_matrix, retention, worst_prior

from ..terms import Case, Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status, Witness
from ..worlds.histograms import spreads

OPT = Claim(
    id="chaytor.OPT",
    module=__name__,
    source="Chaytor, §3.1, after FRAPP",
    title="the largest retention under (rho1, rho2) privacy",
    statement=(
        r"p = \frac{G-1}{m+G-1} \text{ has no } (\rho_1,\rho_2) \text{ breach and no operator without one "
        r"retains more},\qquad G = \frac{\rho_2(1-\rho_1)}{\rho_1(1-\rho_2)}"
    ),
    words=(
        "False at the boundary: at this p the amplification is G, and a prior of rho1 on one value is "
        "lifted to exactly rho2, which is a breach. With two values, rho1 = 1/3 and rho2 = 1/2, p is 1/3, a "
        "value is published as itself with 2/3, and the prior (1/3, 2/3) becomes (1/2, 1/2). All smaller p "
        "are safe. What else the sentence says is true of the least or the mean diagonal entry, and false "
        "of the share of the records whose value is retaineds: see chaytor.OPTc."
    ),
    hypotheses=(r"0 < \rho_1 < \rho_2 < 1", r"m \ge 2", r"\text{every prior is admitted}"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("chaytor.EQ1", "olap.D45"),
    corrected_by="chaytor.OPTc",
    tests=(
        "tests/docs/test_witnesses.py::test_the_largest_retention_is_a_breach",
        "tests/channels/test_breach.py::test_uniform_replacement_is_safe_below_its_limit_and_not_at_it",
    ),
)


@OPT.refutation
def two_values_at_the_boundary() -> Witness:
    """Two values, levels 1/3 and 1/2: the posterior reaches the level."""
    return Witness(
        parameters={"m": 2, "rho1": Fraction(1, 3), "rho2": Fraction(1, 2)},
        premises=(
            lambda _m, rho1, rho2: 0 < rho1 < rho2 < 1,
            lambda m, _rho1, _rho2: m >= 2,
            "the prior is (rho1, 1 - rho1)",
        ),
        allowed=lambda *_: Fraction(0),
        actual=lambda m, rho1, rho2: Fraction(_breaches(m, rho1, rho2)),
        printed=Fraction(0),
        true=Fraction(1),
        smaller=cases_before_the_witness,
        none_smaller="two different fractions below 1 have denominators of at least 2 and 3",
        order="m, then the sum of the denominators of rho1 and rho2",
        perturbed="splu_ref.channels.channel:Channel.probability larger",
        by_hand=(
            "G = (1/2 * 2/3)/(1/3 * 1/2) = 2, p = 1/3. Seeing the first value has the chance 1/3 * 2/3 + 2/3 "
            "* 1/3 = 4/9, half of it from the first value: 1/3 is lifted to 1/2 = rho2. The numbers count "
            "values that are breached under the prior (rho1, 1 - rho1): none by the statement, one in truth."
        ),
    )


def cases_before_the_witness() -> Iterator[Case]:
    """Generate the pairs with rho1 and rho2 in (0, 1) whose denominators add up to less than 5."""
    for first in range(2, 3):
        for second in range(2, 5 - first):
            for low, high in product(range(1, first), range(1, second)):
                yield 2, Fraction(low, first), Fraction(high, second)


def _breaches(m: int, rho1: Fraction, rho2: Fraction) -> int:
    """Count the values of prior at most rho1 that some published value lifts to rho2 at the printed p."""
    limit = Levels(rho1, rho2).retention_limit(m)
    channel = retention(limit, dict.fromkeys(range(m), Fraction(1, m)))
    prior = {0: rho1, 1: 1 - rho1}
    breached = set()
    for seen in channel.outputs:
        weights = {value: chance * channel.probability(value, seen) for value, chance in prior.items()}
        breached |= {
            value
            for value, weight in weights.items()
            if prior[value] <= rho1 and weight >= rho2 * sum(weights.values())
        }
    return len(breached)


@OPT.computation(
    cases=224,
    perturbed=(
        "splu_ref.channels.breach:Levels.retention_limit doubled",
        "levels.retention_limit(m) => levels.retention_limit(m + 1)",
    ),
)
def the_boundary_is_a_breach_everywhere() -> Comparisons:
    """At the printed p the posterior is exactly rho2, for m = 2 to 9 and levels in ninths."""
    for m in range(2, 10):
        for low in range(1, 8):
            for high in range(low + 1, 9):
                levels = Levels(Fraction(low, 9), Fraction(high, 9))
                law = dict.fromkeys(range(m), Fraction(1, m))
                found = worst_prior(retention(levels.retention_limit(m), law), levels.rho1)
                yield (found.posterior, "=", levels.rho2, f"m = {m}, {levels}: {found.posterior}")


OPTC = Claim(
    id="chaytor.OPTc",
    module=__name__,
    source="corrects Chaytor, §3.1",
    title="what uniform perturbation maximises",
    statement=(
        r"\text{amplification} < G \;\Longrightarrow\; \min_x A_{xx} \le \frac1m\sum_x A_{xx} < "
        r"\frac{G}{m+G-1}; \qquad \text{uniform perturbation has no breach} \iff p < \frac{G-1}{m+G-1}"
    ),
    words=(
        "A square operator has no (rho1, rho2) breach under any prior exactly if its amplification is below "
        "G. Its mean diagonal entry, and so the least one, is then below G/(m+G-1), and uniform "
        "perturbation comes as near as one likes: it has p + (1-p)/m with any p < (G-1)/(m+G-1). In this "
        "sense it is the best one, and there is none that attains the bound. It is not the best one for a "
        "given prior: if a value has a share above G/(m+G-1), publishing that value always keeps more "
        "records and discloses nothing."
    ),
    hypotheses=(r"0 < \rho_1 < \rho_2 < 1", r"A \text{ of } m \ge 2 \text{ rows and columns}"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("chaytor.EQ1", "olap.SET"),
    licenses=("splu_ref.channels.breach:Levels", "splu_ref.channels.breach:worst_prior"),
    tests=(
        "tests/channels/test_breach.py::test_without_a_prior_the_amplification_decides",
        "tests/channels/test_breach.py::test_uniform_replacement_is_safe_below_its_limit_and_not_at_it",
    ),
)


@OPTC.derivation
def breaches_and_amplification() -> Derivation:
    """Bound the posterior by the largest and the least entry of a column, and attain it."""
    return Derivation(
        setting=(
            "q is the prior of a property, at most l = rho1; r = rho2. What is seen has a chance of at most "
            "a given the property and of at least b > 0 given the rest, the largest and the least entry of "
            "its column; a/b is the amplification of the column."
        ),
        steps=(
            Identity(
                name="the odds are lifted by the ratio",
                says="q a/(q a + (1-q) b) - r has the sign of a q (1-r) - b r (1-q).",
                variables={"q": 2, "a": 9, "b": 0, "r": 0},
                left=lambda q, a, b, r: q * a / (q * a + (1 - q) * b) - r,
                right=lambda q, a, b, r: (a * q * (1 - r) - b * r * (1 - q)) / (q * a + (1 - q) * b),
            ),
            Identity(
                name="the ratio that is needed falls with the prior",
                says="r (1-q)/(q (1-r)) - r (1-l)/(l (1-r)) = r (l-q)/(q l (1-r)).",
                variables={"q": 1, "l": 1, "r": 2},
                left=lambda q, low, r: r * (1 - q) / (q * (1 - r)) - r * (1 - low) / (low * (1 - r)),
                right=lambda q, low, r: r * (low - q) / (q * low * (1 - r)),
            ),
            Identity(
                name="uniform perturbation",
                says="(p + (1-p)/m)/((1-p)/m) = G at p = (G-1)/(m+G-1), and it grows with p.",
                variables={"G": 2, "m": 2},
                left=lambda g, m: 1 + m * ((g - 1) / (m + g - 1)) / (1 - (g - 1) / (m + g - 1)),
                right=lambda g, _m: g,
            ),
        ),
        conclusion=(
            "No property and no prior lifts l or less to r if a/b < r (1-l)/(l (1-r)) = G in every column; "
            "if a/b >= G in one, the prior l on the row of a and the rest on the row of b does. Without b > "
            "0 the posterior is 1."
        ),
    )


@OPTC.derivation
def the_diagonal_is_bounded() -> Derivation:
    """Add what the diagonal forces on the rest of the matrix, over all rows."""
    return Derivation(
        setting=(
            "T is the sum of the diagonal. Of the column with the diagonal entry a, the least entry is e, "
            "and x and y are two others, all in units so small that they and G are whole: a <= G e."
        ),
        steps=(
            Inequality(
                name="what a column takes beside its diagonal",
                says="x, y >= e and a <= G e give G (x + y) >= 2 a; so m - 1 others take (m-1) a/G or more.",
                variables=("a", "e", "x", "y", "G"),
                given=lambda a, e, x, y, g: (g * e - a, e, x - e, y - e, g),
                slack=lambda d, e, u, v, g: (g * e - d, e, u + e, v + e, g),
                then=lambda a, _e, x, y, g: g * (x + y) - 2 * a,
            ),
            Identity(
                name="all columns",
                says="The m rows add up to m, which is at least T + (m-1) T/G = T (m+G-1)/G.",
                variables={"T": 0, "m": 2, "G": 1},
                left=lambda t, m, g: t + (m - 1) * t / g,
                right=lambda t, m, g: t * (m + g - 1) / g,
            ),
        ),
        conclusion=(
            "T/m <= G/(m+G-1), with equality only at an amplification of G; the least entry is at most the "
            "mean."
        ),
    )


@OPTC.computation(
    cases=234,
    perturbed=(
        "splu_ref.channels.amplification_bounds:amplification smaller",
        "ratio / (m + ratio - 1) => ratio / (2 * m + ratio)",
    ),
)
def small_operators_keep_no_more() -> Comparisons:
    """Walk through all operators with entries in twelfths on two values and in quarters on three."""
    for m, parts in ((2, 12), (3, 4)):
        for rows in product(list(spreads(parts, m)), repeat=m):
            channel = from_matrix(range(m), [[Fraction(n, parts) for n in row] for row in rows], range(m))
            ratio = amplification(channel).ratio
            if ratio is None:
                continue
            mean = Fraction(sum(row[value] for value, row in enumerate(rows)), m * parts)
            yield (mean, "<=", ratio / (m + ratio - 1), f"{rows}: the mean diagonal entry is {mean}")


@OPTC.computation(cases=3, perturbed="splu_ref.channels.amplification_bounds:amplification doubled")
def one_value_for_all_keeps_more() -> Comparisons:
    """Compare the share of records whose value is retained, with three records of four alike and G = 2."""
    levels = Levels(Fraction(1, 3), Fraction(1, 2))
    best = diagonal(range(2), levels.amplification / (1 + levels.amplification))
    shares = (Fraction(3, 4), Fraction(1, 4))
    kept = sum(share * best.probability(value, value) for value, share in enumerate(shares))
    yield (kept, "=", Fraction(2, 3), f"uniform perturbation keeps {kept}")
    yield (levels.amplification, "=", 2, f"uniform perturbation keeps {kept}")
    silent = from_matrix(range(2), [[1, 0], [1, 0]], range(2))
    yield amplification(silent).ratio, "<", levels.amplification, "publishing one value"
