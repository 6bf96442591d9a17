"""chaytor.LINK, chaytor.LINKc: whether fakes prevent that releases are linked."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from ..terms import Case, Claim, Comparisons, Grade, Status, Witness

LINK = Claim(
    id="chaytor.LINK",
    module=__name__,
    source="Chaytor, chapter 2, on fakes and sampling",
    title="fakes and sampling prevent linkage",
    statement=r"\Pr[t \in I \mid t \in V_1 \cap V_2] \le \Pr[t \in I \mid t \in V_1]",
    words=(
        "False, for the researcher and for the adversary. Two releases of one table with fresh coins are "
        "linked by what they have in common, and there fakes are rare: a fake has to be made up twice. With "
        "alpha = beta = 1/2 and prior 1/2, a tuple of one release is genuine with 2/3, one of both with 4/5."
    ),
    hypotheses=(r"\text{two views of one original, fresh coins}", r"\alpha > 0,\ \alpha+\beta \le 1"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("rastogi.MV",),
    corrected_by="chaytor.LINKc",
)

LINKC = Claim(
    id="chaytor.LINKc",
    module=__name__,
    source="corrects Chaytor, chapter 2",
    title="what two releases have in common",
    statement=(
        r"\mathrm{E}\,\#(V_1 \cap V_2 \cap I) = n(\alpha+\beta)^2, \quad "
        r"\mathrm{E}\,\#(V_1 \cap V_2 \setminus I) = (m-n)\beta^2"
    ),
    words=(
        "The share of genuine tuples that can be followed through two releases is (alpha+beta)^2, and of "
        "those that seem to be followed the odds of a genuine one are (alpha+beta)/beta times the odds in "
        "one release. Sampling loses 1 - (alpha+beta)^2 of the links; it does not prevent them. With coins "
        "that are kept, the two releases are the same."
    ),
    hypotheses=("two views of one original, fresh coins",),
    status=Status.CORRECTED,
    grade=Grade.ENUMERATED,
    instances="small domains, every outcome of two runs",
    licenses=("splu_ref.guarantees.tuple_privacy",),
    tests=("tests/guarantees/test_tuples.py::test_several_views",),
)


def genuine(prior: Fraction, alpha: Fraction, beta: Fraction, views: int) -> Fraction:
    """Return the posterior of a tuple that is in all of so many views."""
    inside, outside = prior * (alpha + beta) ** views, (1 - prior) * beta**views
    return inside / (inside + outside)


@LINK.refutation
def two_views_say_more() -> Witness:
    """At alpha = beta = 1/2 and prior 1/2: 2/3 after one view, 4/5 after two."""
    return Witness(
        parameters={"alpha": Fraction(1, 2), "beta": Fraction(1, 2), "prior": Fraction(1, 2)},
        premises=(
            "the views are drawn independently",
            lambda alpha, beta, _prior: alpha > 0 and alpha + beta <= 1,
        ),
        allowed=lambda alpha, beta, prior: genuine(prior, alpha, beta, 1),
        actual=lambda alpha, beta, prior: genuine(prior, alpha, beta, 2),
        printed=Fraction(2, 3),
        true=Fraction(4, 5),
        smaller=_denominators_of_two,
        count=2,
        order="the largest denominator of alpha and beta, then alpha, then beta; prior 1/2",
        perturbed="splu_proofs.chaytor.linkage:genuine larger",
        by_hand="1/2 over 1/2 + 1/2 1/2 is 2/3; with squares, 1/2 over 1/2 + 1/2 1/4 is 4/5.",
    )


def _denominators_of_two() -> Iterator[Case]:
    for alpha, beta in product((Fraction(0), Fraction(1, 2), Fraction(1)), repeat=2):
        if (alpha, beta) < (Fraction(1, 2), Fraction(1, 2)) or alpha == 1:
            yield alpha, beta, Fraction(1, 2)


@LINKC.enumeration(
    cases=8,
    perturbed=("splu_ref.channels.binomial:parts larger", "splu_proofs.worlds.tuple_sets:published larger"),
)
def two_runs_of_the_shipped_code() -> Comparisons:
    """Count what two runs have in common, over all outcomes of both."""
    from ..worlds.tuple_sets import published  # noqa: PLC0415  it loads numpy and the library

    for alpha, beta in ((Fraction(1, 2), Fraction(1, 4)), (Fraction(1, 3), Fraction(1, 3))):
        for members in ({0}, {0, 2}):
            law = published(alpha, beta, sorted(members), 3)
            true = fake = Fraction(0)
            for (first, p), (second, q) in product(law.items(), repeat=2):
                both = {*first} & {*second}
                true += p * q * len(both & members)
                fake += p * q * len(both - members)
            yield (true, "=", len(members) * (alpha + beta) ** 2, f"{members}: {true}")
            yield (fake, "=", (3 - len(members)) * beta**2, f"{members}: {fake}")
