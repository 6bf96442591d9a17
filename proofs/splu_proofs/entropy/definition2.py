"""entropy.D2, entropy.D2n, entropy.D2e: Definition 2, whether it can be negative, and its mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import prod
from operator import itemgetter

from splu_ref.channels import LogForm, World, entropy_loss, mutual_information

from ..terms import Case, Claim, Comparisons, Derivation, Grade, Identity, Status, Witness

D2 = Claim(
    id="entropy.D2",
    module=__name__,
    source="Chirayath et al. 2006, §3.3, Definition 2",
    title="privacy loss of a release",
    statement=r"\mathcal P = \max_{i\le n}\bigl(H(X_i) - H'(X_i)\bigr)",
    words=(
        "A definition, read so: H' is the entropy of the record under the prior brought to sum 1 on the "
        "tables that agree with what was released. It belongs to one released value. It can be negative "
        "(entropy.D2n); its mean over what is released cannot (entropy.D2e). It depends on the prior of the "
        "tables, and it counts what follows from the release, however hard that is to compute (entropy.ENC)."
    ),
    status=Status.DEFINITION,
    grade=None,
)

D2N = Claim(
    id="entropy.D2n",
    module=__name__,
    source="Chirayath et al. 2006, §3.3, in the name of Definition 2",
    title="the loss of a released value is no gain",
    statement=r"\max_{i\le n}\bigl(H(X_i) - H'(X_i)\bigr) \ge 0",
    words=(
        "False for a single released value: what is learned may make every record more uncertain than it "
        "was. Three tables of two bits, 00, 01 and 10, are equally likely, and it is released that the bits "
        "differ: each bit was 1 with chance 1/3, and is now with chance 1/2. With independent records the "
        "same happens to two bits of chance 1/3 of which one is 1. What holds is the mean, entropy.D2e."
    ),
    hypotheses=(r"H' \text{ for one released value}",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("entropy.D2",),
    corrected_by="entropy.D2e",
    tests=(
        "tests/channels/test_world.py::test_a_release_may_make_a_record_more_uncertain",
        "tests/guarantees/test_count_entropy.py::test_all_or_none_are_a_total_loss",
    ),
)

D2E = Claim(
    id="entropy.D2e",
    module=__name__,
    source="new",
    title="the mean loss of a record is mutual information",
    statement=(
        r"\sum_s \Pr(s)\bigl(H(X_i) - H(X_i \mid S = s)\bigr) = I(X_i; S),\qquad 0 \le I(X_i; S) \le H(X_i)"
    ),
    words=(
        "The mean of a record's loss over what is released is its mutual information with the release: never "
        "negative, never above its entropy, and not increased by anything done to the release afterwards. So "
        "it is offered beside Definition 2, as are the loss in which a gain counts as none, and both "
        "relative to the entropy there was."
    ),
    hypotheses=(r"\text{finitely many tables}",),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    licenses=("splu_ref.channels.information:mutual_information", "splu_ref.channels.information"),
    tests=(
        "tests/channels/test_entropy.py::test_information_lies_between_0_and_the_entropy_and_falls",
        "tests/channels/test_world.py::test_what_is_lost_is_what_a_direct_count_says",
    ),
)

BITS = ((0, 0), (0, 1), (1, 0))


def power(form: LogForm, times: int) -> Fraction:
    """Return 2 to the power of so many times a sum of logarithms, where that is rational."""
    return prod(
        (Fraction(base) ** int(times * coefficient) for base, coefficient in form.coefficients.items()),
        start=Fraction(1),
    )


@D2N.refutation
def three_tables() -> Witness:
    """Two bits of which 00, 01 and 10 are equally likely turn out to differ."""
    return Witness(
        parameters={
            "tables": ((0, 0), (0, 1), (1, 0)),
            "chances": (Fraction(1, 3),) * 3,
            "released": "bits equal",
        },
        premises=("each released value is counted by itself",),
        allowed=lambda *_: Fraction(0),
        actual=_negative_losses,
        sign="=",
        printed=Fraction(0),
        true=Fraction(1),
        smaller=two_tables,
        count=90,
        order=(
            "the number of tables; values are how many released values have a negative loss, of which print "
            "allows none"
        ),
        perturbed="splu_ref.channels.logarithms:LogForm.bounds larger",
        by_hand=(
            "Before, each bit is 1 with chance 1/3: 3 H = 3 lg 3 - 2, so 2^(3H) = 27/4. After, 01 and 10 "
            "are left: H' = 1, 2^(3H') = 8 > 27/4. Both bits lose h(1/3) - 1 < 0."
        ),
    )


def _negative_losses(
    tables: tuple[tuple[int, ...], ...], chances: tuple[Fraction, ...], released: str
) -> Fraction:
    """Return the number of released values at which the loss, the largest over the records, is negative."""
    world = World.explicit(dict(zip(tables, chances, strict=True)))
    found = entropy_loss(world, lambda table: {_RELEASES[released](table): 1})
    return Fraction(sum(each.loss.sign() < 0 for each in found.values))


_RELEASES: dict[str, Callable[[tuple[int, ...]], object]] = {
    "bits equal": lambda table: table[0] == table[1],
    "all": lambda table: table,
    "nothing": lambda _table: (),
}


def two_tables() -> Iterator[Case]:
    """Generate the priors of two tables that differ in one record, with denominators up to 12.

    A release of two tables identifies the table or discloses nothing, so a loss is the entropy, or 0: the
    same holds for every denominator.
    """
    for denominator in range(2, 13):
        for above in range(1, denominator):
            chance = Fraction(above, denominator)
            for released in ("all", "nothing"):
                yield ((0,), (1,)), (chance, 1 - chance), released


@D2E.derivation
def no_information_is_negative() -> Derivation:
    """Use that ln u <= u - 1 in every term of -I."""
    return Derivation(
        setting=(
            "p is the chance of a value of the record together with a released value, x and s are the "
            "chances of each, all above 0. I(X; S) is the sum over both of p lg(p/(x s)), which is H(X) less "
            "the mean of H(X | S = s), as p/s is the chance given s. ln u <= u - 1 is used as it is. In X "
            "the entropy H(X | S = s) is at least 0, so I is at most H(X)."
        ),
        steps=(
            Identity(
                name="one term",
                says="-p ln(p/(x s)) = p ln(x s/p) is at most p (x s/p - 1) = x s - p.",
                variables={"p": 1, "x": 1, "s": 1},
                left=lambda p, x, s: p * (x * s / p - 1),
                right=lambda p, x, s: x * s - p,
            ),
        ),
        conclusion=(
            "The sum of x s over all pairs with p > 0 is at most 1, and that of p is 1: -I ln 2 <= 0. So "
            "I >= 0."
        ),
    )


@D2E.computation(cases=2016, perturbed="splu_ref.channels.information:entropy_loss larger")
def in_every_small_world() -> Comparisons:
    """Compare the mean loss with mutual information for all priors k/6 on the tables of two bits."""
    tables = tuple(product((0, 1), repeat=2))
    for weights in product(range(7), repeat=4):
        if sum(weights) != 6:
            continue
        prior = {table: Fraction(weight, 6) for table, weight in zip(tables, weights, strict=True) if weight}
        world = World.explicit(prior)
        for read in (max, min, sum, lambda table: table[0] ^ table[1]):
            channel = world.release(read)
            found = entropy_loss(world, channel.laws.__getitem__)
            for place in range(2):
                query, about = world.about(channel, itemgetter(place))
                mean = found.records[place]
                yield (mean, "=", mutual_information(about, query), f"{prior}: the mean is another number")
                yield (LogForm({}), "<=", mean, f"{prior}: the mean is out of range")
                yield (mean, "<=", found.entropies[place], f"{prior}: the mean is out of range")
