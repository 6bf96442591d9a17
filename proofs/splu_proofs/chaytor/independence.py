"""chaytor.IND, chaytor.INDc: what one record's value discloses about another's."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from splu_ref.channels import Channel, amplification, posterior, retention

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status, Witness
from ..worlds.histograms import spreads

HALF = Fraction(1, 2)

IND = Claim(
    id="chaytor.IND",
    module=__name__,
    source="Chaytor, §2.1.2",
    title="one record's value is no clue to another's",
    statement=(
        r"\text{values perturbed independently} \;\Longrightarrow\; \Pr[X_i = x \mid Y, X_j = z] = "
        r"\Pr[X_i = x \mid Y]"
    ),
    words=(
        "False for the reason that is given: that values are perturbed independently says nothing of how "
        "they depend on each other. If two records are known to have the same value, as members of a "
        "household may, whoever learns one knows the other, whatever is published. It is true of records "
        "that are independent to begin with, which a later chapter assumes: see chaytor.INDc."
    ),
    hypotheses=(r"\text{any prior on the records}",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("chaytor.EQ1",),
    corrected_by="chaytor.INDc",
    tests=("tests/docs/test_witnesses.py::test_two_records_that_are_known_to_be_alike",),
)


@IND.refutation
def two_records_that_are_alike() -> Witness:
    """Two records with the same value, 0 or 1 equally likely; both are published as 1 at p = 1/2."""
    return Witness(
        parameters={"records": 2, "values": 2, "p": Fraction(1, 2)},
        premises=("the two records have the same value, 0 or 1 with 1/2 each",),
        allowed=lambda records, values, p: _with_and_without_the_other(records, values, p)[0],
        actual=lambda records, values, p: _with_and_without_the_other(records, values, p)[1],
        sign="=",
        printed=Fraction(9, 10),
        true=Fraction(1),
        smaller=lambda: [(2, 1, Fraction(1, 2))],
        count=1,
        order="the number of records, then of values",
        perturbed="splu_proofs.chaytor.independence:_with_and_without_the_other larger",
        by_hand=(
            "Published as (1, 1), both values are 1 with 9/16 against 1/16: Pr[X_1 = 1 | Y] = 9/10. Given "
            "that X_2 = 1 it is 1."
        ),
    )


def _with_and_without_the_other(records: int, values: int, p: Fraction) -> tuple[Fraction, Fraction]:
    """Return the posterior of the last value, published of records that are alike; and with one known."""
    last = values - 1
    prior = {(value,) * records: Fraction(1, values) for value in range(values)}
    channel = retention(p, dict.fromkeys(range(values), Fraction(1, values)))
    joint = _joint(prior, channel, (last,) * records)
    own = sum((weight for table, weight in joint.items() if table[0] == last), Fraction(0))
    known = {table: weight for table, weight in joint.items() if table[1] == last}
    of_known = sum((weight for table, weight in known.items() if table[0] == last), Fraction(0))
    return own / sum(joint.values()), of_known / sum(known.values())


def _joint(
    prior: dict[tuple[int, ...], Fraction], channel: Channel[int, int], seen: tuple[int, ...]
) -> dict[tuple[int, ...], Fraction]:
    """Return the chance of each table together with what is seen, records perturbed independently."""
    joint = {}
    for values, weight in prior.items():
        chance = weight
        for own, label in zip(values, seen, strict=True):
            chance *= channel.probability(own, label)
        joint[values] = chance
    return joint


INDC = Claim(
    id="chaytor.INDc",
    module=__name__,
    source="corrects Chaytor, §2.1.2; the condition is that of its chapter 3",
    title="what is known of others, perturbation does not add to",
    statement=(
        r"\frac{\Pr[X_i = x \mid Y, X_{-i}]}{\Pr[X_i = x' \mid Y, X_{-i}]} = \frac{A_{x y_i}}{A_{x' "
        r"y_i}}\cdot \frac{\Pr[X_i = x \mid X_{-i}]}{\Pr[X_i = x' \mid X_{-i}]};\qquad X_i \text{ "
        r"independent} \;\Longrightarrow\; \Pr[X_i \mid Y, X_{-i}] = \Pr[X_i \mid Y_i]"
    ),
    words=(
        "Given the true values of all other records, what is published of them adds nothing, and the "
        "record's own published value multiplies the odds by one ratio of matrix entries, at most the "
        "amplification. So perturbation never adds to what the others disclose, under any prior. If records "
        "are independent beforehand, the others disclose nothing, and the posterior is that of the record "
        "alone: this is the condition under which the sentence of the thesis holds."
    ),
    hypotheses=(r"\text{each value goes through } A \text{ independently}",),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("chaytor.EQ1",),
    tests=(
        "tests/mechanisms/test_identities.py::test_neighboring_tables_are_distinguished_as_far_as_records",
    ),
)


@INDC.derivation
def others_cancel() -> Derivation:
    """Write the posterior given the others, with what is published of them."""
    return Derivation(
        setting=(
            "h and k are the prior chances of X_i = x and x' together with the values of the others, a and "
            "c the entries of the column of y_i in their rows, b the chance of what is published of the "
            "others given their values. For independent records h = d e and k = f e, e the chance of the "
            "others' values."
        ),
        steps=(
            Identity(
                name="what is published of the others",
                says="h a b/(h a b + k c b) = h a/(h a + k c): b cancels.",
                variables={"h": 1, "k": 1, "a": 1, "c": 1, "b": 1},
                left=lambda h, k, a, c, b: h * a * b / (h * a * b + k * c * b),
                right=lambda h, k, a, c, _b: h * a / (h * a + k * c),
            ),
            Identity(
                name="the values of the others",
                says="d e a/(d e a + f e c) = d a/(d a + f c): e cancels.",
                variables={"d": 1, "f": 1, "a": 1, "c": 1, "e": 1},
                left=lambda d, f, a, c, e: d * e * a / (d * e * a + f * e * c),
                right=lambda d, f, a, c, _e: d * a / (d * a + f * c),
            ),
        ),
        conclusion=(
            "The odds of x against x' given all else are h a/(k c); a/c is at most the amplification. For "
            "independent records they are those of the record alone."
        ),
    )


@INDC.computation(cases=128, perturbed="splu_ref.channels.amplification_bounds:amplification smaller")
def tables_of_two_records() -> Comparisons:
    """Compare odds and posteriors for all priors of 3 units on the tables of two records."""
    p = Fraction(1, 3)
    channel = retention(p, {0: HALF, 1: HALF})
    ratio = amplification(channel).ratio
    assert ratio is not None
    tables = list(product(range(2), repeat=2))
    for counts in spreads(3, 4):
        prior = {table: Fraction(count, 3) for table, count in zip(tables, counts, strict=True)}
        for seen, other in product(tables, range(2)):
            joint = _joint(prior, channel, seen)
            one, zero = joint[1, other], joint[0, other]
            if not one * zero:
                continue
            lifted = one / zero / (prior[1, other] / prior[0, other])
            yield (lifted, "=", channel.probability(1, seen[0]) / channel.probability(0, seen[0]), "the odds")
            yield (1 / ratio, "<=", lifted, "more than the amplification")
            yield (lifted, "<=", ratio, "more than the amplification")
    for own, rest in product((Fraction(1, 4), Fraction(2, 3)), repeat=2):
        law, others = {1: own, 0: 1 - own}, {1: rest, 0: 1 - rest}
        prior = {table: law[table[0]] * others[table[1]] for table in tables}
        for seen, other in product(tables, range(2)):
            joint = _joint(prior, channel, seen)
            given = joint[1, other] / (joint[1, other] + joint[0, other])
            yield (given, "=", posterior(channel, law, seen[0])[1], "an independent record discloses another")
