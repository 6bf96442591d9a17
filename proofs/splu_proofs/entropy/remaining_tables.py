"""entropy.PX, entropy.PXc: the chance of a value once tables are ruled out."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

from splu_ref.channels import World, posterior

from ..printed.entropy import remaining_chance
from ..terms import Claim, Comparisons, Grade, Status, Witness

SOURCE = "Chirayath et al. 2006, §3.3, the formula for p' before Definition 2"

PX = Claim(
    id="entropy.PX",
    module=__name__,
    source=SOURCE,
    title="the chance of a value among the remaining tables, as printed",
    statement=r"P(X_i = v_x) = q_i\,|t_x| = p'_{ix}",
    words=(
        "False unless the tables that are left and give the record this value are equally likely: the "
        "formula takes the chance of one of them for all. Two tables with chances 1/3 and 2/3 that both give "
        "the record the value: it has it for certain, and the formula says 2/3 or 4/3. The paper's example "
        "has a uniform prior, where it holds."
    ),
    hypotheses=(r"q \text{ the chances of the remaining tables, with sum } 1",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("entropy.D2",),
    corrected_by="entropy.PXc",
)

PXC = Claim(
    id="entropy.PXc",
    module=__name__,
    source=SOURCE,
    title="the chance of a value among the remaining tables",
    statement=(
        r"p'_{ix} = \frac{\sum_{d \in D',\, d_i = v_x} q_d}{\sum_{d\in D'} q_d},\qquad "
        r"p'_{ix} = \frac{|t_x|}{|D'|} \text{ if all } q_d \text{ are equal}"
    ),
    words=(
        "Bayes' rule: the chances of the tables that are left are brought to sum 1, and added over those "
        "that give the record the value. They may be counted instead if all are equally likely."
    ),
    status=Status.CORRECTED,
    grade=Grade.EXACT,
    instances="priors on two bits in sixths and up, every set of tables",
    rests_on=("entropy.D2",),
    licenses=("splu_ref.channels.beliefs:posterior",),
    tests=("tests/channels/test_world.py::test_what_is_lost_is_what_a_direct_count_says",),
)


@PX.refutation
def two_tables_of_one_value() -> Witness:
    """Chances 1/3 and 2/3, one value: by the first table's chance it would have 2/3."""
    return Witness(
        parameters={"chances of the tables": (Fraction(1, 3), Fraction(2, 3))},
        premises=(lambda chances: sum(chances) == 1,),
        allowed=lambda chances: remaining_chance(chances[0], len(chances)),
        actual=_of_one_value,
        sign="=",
        printed=Fraction(2, 3),
        true=Fraction(1),
        smaller=lambda: [((Fraction(1),),), ((Fraction(1, 2), Fraction(1, 2)),)],
        count=2,
        order="the number of tables with the value, then the denominator of their chances",
        perturbed="splu_ref.channels.beliefs:posterior larger",
        by_hand="Both tables have the value a: its chance is 1/3 + 2/3 = 1. q |t| is 2/3, or 4/3.",
    )


@PXC.computation(cases=6960, perturbed="splu_ref.channels.beliefs:posterior larger")
def in_every_small_world() -> Comparisons:
    """Compare with Bayes' rule on a channel, for all priors k/6 on two bits and all sets of tables left."""
    tables = tuple(product((0, 1), repeat=2))
    for weights in product(range(1, 4), repeat=4):
        size = sum(weights)
        world = World.explicit(
            {table: Fraction(weight, size) for table, weight in zip(tables, weights, strict=True)}
        )
        for left in (set(some) for count in range(1, 5) for some in combinations(tables, count)):
            beliefs = posterior(world.release(left.__contains__), world.prior(), True)
            rest = sum(weight for table, weight in zip(tables, weights, strict=True) if table in left)
            for place, value in product(range(2), repeat=2):
                pairs = zip(tables, weights, strict=True)
                agreeing = [weight for table, weight in pairs if table in left and table[place] == value]
                bayes = sum((b for t, b in beliefs.items() if t[place] == value), Fraction(0))
                yield (
                    bayes,
                    "=",
                    Fraction(sum(agreeing), rest),
                    f"{weights}, {left}: Bayes' rule says {bayes}",
                )
                if len({w for t, w in zip(tables, weights, strict=True) if t in left}) == 1:
                    yield (
                        bayes,
                        "=",
                        Fraction(len(agreeing), len(left)),
                        f"{weights}, {left}: they do not count",
                    )


def _of_one_value(chances: tuple[Fraction, ...]) -> Fraction:
    """Return the chance of a value that all the tables that are left give the first record."""
    world = World.explicit({(0, number): chance for number, chance in enumerate(chances)})
    beliefs = posterior(world.release(lambda _: True), world.prior(), True)
    return sum((belief for table, belief in beliefs.items() if table[0] == 0), Fraction(0))
