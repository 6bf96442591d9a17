"""chaytor.FIG7, chaytor.FIG7c: how sure one may be of Alice's disease."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from ..terms import Claim, Comparisons, Grade, Status, Witness

FIG7 = Claim(
    id="chaytor.FIG7",
    module=__name__,
    source="Chaytor, chapter 2, figure 7",
    title="one third genuine, one third confident",
    statement=r"\Pr[\text{Alice has H1N1} \mid V] \le \frac{\#\text{genuine rows}}{\#\text{rows}} = \frac39",
    words=(
        "False from m = 21 on: it takes the share of genuine rows in the whole release for the chance that "
        "Alice's row is one. Who knows that she is 23, lives in 47806 and takes part asks for the rows with "
        "these values alone, and fakes are spread over all ages, places and diseases. With the values that "
        "figure 7 shows (7 ages, 6 places, 3 diseases, m = 126), alpha + beta = 3/6 and beta = 6/120, a "
        "single row of hers is genuine with 19/21. FRAPP's table says as much: at p = 1/3, a row of hers is "
        "her own with 32/33. Neither is 33 %, and they are not the same. The row that the figure repeats is "
        "chaytor.DUP's matter."
    ),
    hypotheses=(r"\text{Alice is known to take part, and all her } s \text{ diseases are as likely}",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="chaytor.FIG7c",
)

FIG7C = Claim(
    id="chaytor.FIG7c",
    module=__name__,
    source="corrects Chaytor, chapter 2, figure 7",
    title="the exact posterior of a row with known values",
    statement=(
        r"\Pr[v \mid V] = \frac{A}{jA+(s-j)B} \text{ for each of the } j \text{ diseases seen},\quad "
        r"A = (\alpha+\beta)(1-\beta),\ B = (1-\alpha-\beta)\beta; \quad \text{not known to take part: } "
        r"\frac{x(\alpha+\beta)}{x\alpha+\beta}"
    ),
    words=(
        "s tuples have Alice's other values, and exactly one is in the original: of j that are seen each has "
        "the posterior stated, of the others B over the same sum. If she is not known to take part and her "
        "tuples are independent with prior x, it is the posterior of one tuple. The share of genuine rows, n "
        "(alpha+beta)/(n (alpha+beta) + (m-n) beta), is the posterior at the prior x = n/m: that of somebody "
        "who knows nothing but n and m."
    ),
    hypotheses=(r"\text{all } s \text{ diseases as likely}", r"0 < \beta,\ \alpha+\beta < 1"),
    status=Status.CORRECTED,
    grade=Grade.EXACT,
    instances="up to 5 diseases, every set seen, two pairs of alpha and beta",
    licenses=("splu_ref.guarantees.tuple_privacy",),
    tests=("tests/guarantees/test_tuples.py::test_the_posterior_in_a_world_of_two_tuples",),
)


def confidence(kept: Fraction, beta: Fraction, values: int, seen: int) -> Fraction:
    """Return the formula of the claim; ``kept`` is alpha + beta."""
    genuine, other = kept * (1 - beta), (1 - kept) * beta
    return genuine / (seen * genuine + (values - seen) * other)


def by_bayes(kept: Fraction, beta: Fraction, values: int, seen: frozenset[int], value: int) -> Fraction:
    """Return the posterior of one disease, from the chances of what is seen under each."""
    chances = []
    for true in range(values):
        chance = Fraction(1)
        for each in range(values):
            shown = kept if each == true else beta
            chance *= shown if each in seen else 1 - shown
        chances.append(chance)
    return chances[value] / sum(chances)


@FIG7.refutation
def the_smallest_domain() -> Witness:
    """At m = 21, with three diseases: 3/7 where 1/3 is claimed."""
    return Witness(
        parameters={"n": 6, "m": 21, "alpha + beta": Fraction(1, 2), "beta": Fraction(2, 5), "diseases": 3},
        premises=("the posterior is that of one row among equally likely diseases",),
        allowed=lambda n, m, kept, beta, _s: kept * n / (kept * n + beta * (m - n)),
        actual=lambda _n, _m, kept, beta, s: by_bayes(kept, beta, s, frozenset({0}), 0),
        printed=Fraction(1, 3),
        true=Fraction(3, 7),
        smaller=lambda: [(6, 18, Fraction(1, 2), Fraction(1, 2), 3)],
        count=1,
        order=(
            "m, for three of six records and six fakes on average: m = 3 times ages and places, beta <= 1/2"
        ),
        perturbed="splu_proofs.chaytor.confidence:by_bayes larger",
        by_hand=(
            "If she has H1N1, one row of three: 1/2 (3/5)^2. If she has another disease: 1/2 2/5 3/5, "
            "twice. So 9 over 9 + 2 6 = 3/7."
        ),
    )


def _of_the_figure(m: int) -> Fraction:
    """Return how sure a single row of hers makes, if half of six records and six fakes are published."""
    return by_bayes(Fraction(1, 2), Fraction(6, m - 6), 3, frozenset({0}), 0)


@FIG7.computation(
    cases=1,
    perturbed=(
        "splu_proofs.chaytor.confidence:_of_the_figure larger",
        "splu_proofs.chaytor.confidence:by_bayes larger",
    ),
)
def the_figure_itself() -> Comparisons:
    """Compute it with the 7 ages, 6 places and 3 diseases that the figure shows, without the repeated row."""
    yield (_of_the_figure(7 * 6 * 3), "=", Fraction(19, 21), f"{_of_the_figure(126)}")


@FIG7.computation(cases=1, perturbed="(s - 1) * other => s * other")
def frapp_is_another_number() -> Comparisons:
    """Compute what FRAPP's table says at p = 1/3, where a record is drawn from all 126."""
    p, m, s = Fraction(1, 3), 126, 3
    own, other = p + (1 - p) / m, (1 - p) / m
    found = own / (own + (s - 1) * other)
    yield (found, "=", Fraction(32, 33), f"{found}")


@FIG7C.computation(
    cases=116,
    perturbed=(
        "splu_proofs.chaytor.confidence:by_bayes larger",
        "splu_proofs.chaytor.confidence:confidence larger",
    ),
)
def every_set_that_may_be_seen() -> Comparisons:
    """Compare the formula with Bayes' rule for every set of diseases seen, and the share with one prior."""
    for kept, beta in ((Fraction(1, 2), Fraction(1, 20)), (Fraction(2, 3), Fraction(1, 3))):
        for values in range(2, 6):
            for number in range(1, values + 1):
                for seen in combinations(range(values), number):
                    found = by_bayes(kept, beta, values, frozenset(seen), seen[0])
                    yield (found, "=", confidence(kept, beta, values, number), f"{values}, {seen}")
        for n, m in ((6, 126), (3, 10)):
            share = n * kept / (n * kept + (m - n) * beta)
            x = Fraction(n, m)
            yield (share, "=", x * kept / (x * (kept - beta) + beta), f"{n}, {m}")


@FIG7C.enumeration(
    cases=12,
    perturbed=(
        "splu_ref.mechanisms.alpha_beta:AlphaBeta.publish_tuples larger",
        "splu_proofs.chaytor.confidence:confidence larger",
    ),
)
def the_shipped_code_in_a_world_of_alices() -> Comparisons:
    """Run the code for each disease that Alice may have, and compare what is seen of her three tuples."""
    from ..worlds.tuple_sets import published  # noqa: PLC0415  it loads numpy and the library

    quarter = Fraction(1, 4)
    chances: dict[frozenset[int], dict[int, Fraction]] = {}
    for true in range(3):  # the fourth tuple is somebody else's
        for shown, chance in published(quarter, quarter, [true, 3], 4, eager=True).items():
            by_disease = chances.setdefault(frozenset(shown) - {3}, dict.fromkeys(range(3), Fraction(0)))
            by_disease[true] += chance
    for seen, by_disease in chances.items():
        for value in seen:
            found = by_disease[value] / sum(by_disease.values())
            yield (found, "=", confidence(Fraction(1, 2), Fraction(1, 4), 3, len(seen)), f"{seen}")
