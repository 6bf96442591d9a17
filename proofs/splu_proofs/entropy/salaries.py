"""entropy.EX, entropy.EXc: the example of three salaries."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.channels import LogForm, World, entropy, entropy_loss

from ..printed.entropy import ENTROPY_AT_200
from ..terms import Claim, Comparisons, Grade, Status, Witness

SOURCE = "Chirayath et al. 2006, §3.3, cases a and b"

EX = Claim(
    id="entropy.EX",
    module=__name__,
    source=SOURCE,
    title="three salaries: the printed entropies",
    statement=(
        r"27 \text{ databases},\ 7 \text{ of mean } 200:\ H' = 1.439,\ \mathcal P = .146;\quad "
        r"\text{mean } 100:\ \mathcal P = 1.585"
    ),
    words=(
        "The counts 27 and 7 and the total loss at mean 100 are right; the entropy after mean 200 is not. Of "
        "the seven databases two give a record 100, three 200 and two 300, so H' is the entropy of (2/7, "
        "3/7, 2/7), 1.557 bits and not 1.439, and the loss is 0.028 bits, a fifth of what is printed."
    ),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("entropy.D2",),
    corrected_by="entropy.EXc",
    tests=("tests/channels/test_world.py::test_the_three_salaries",),
)

EXC = Claim(
    id="entropy.EXc",
    module=__name__,
    source=SOURCE,
    title="three salaries",
    statement=(
        r"\text{mean } 200:\ H' = \lg 7 - \tfrac37\lg 3 - \tfrac47 = 1.5566\ldots,\ \mathcal P = \tfrac47 + "
        r"\tfrac{10}7\lg 3 - \lg 7 = .0283\ldots;\quad \text{mean } 100:\ \mathcal P = \lg 3"
    ),
    words=(
        "All three records lose 0.0283 bits at mean 200, and all of their 1.585 bits at mean 100. Over all "
        "means the loss is 0.329 bits a record."
    ),
    hypotheses=(r"\text{salaries independent and uniform on } \{100, 200, 300\}",),
    status=Status.CORRECTED,
    grade=Grade.EXACT,
    complete="it is about 27 tables",
    rests_on=("entropy.D2",),
    licenses=("splu_ref.channels.information:entropy_loss",),
    tests=(
        "tests/channels/test_world.py::test_the_three_salaries",
        "tests/cli/test_entropy.py::test_the_three_salaries",
    ),
)

WORLD = World.independent([dict.fromkeys((100, 200, 300), Fraction(1, 3))] * 3)


def _after(total: int) -> LogForm:
    """Return H' of a record once the sum is known, from the tables that are left."""
    left = [table for table in WORLD.prior() if sum(table) == total]
    counts = {value: sum(table[0] == value for table in left) for value in (100, 200, 300)}
    return entropy({value: Fraction(count, len(left)) for value, count in counts.items()})


@EX.refutation
def the_entropy_at_mean_200() -> Witness:
    """H' is above 1.55 bits, and printed as 1.439."""
    return Witness(
        parameters={"mean": 200},
        premises=(),
        allowed=lambda _mean: ENTROPY_AT_200,
        actual=lambda mean: _rounded_down(_after(3 * mean)),
        sign="=",
        printed=ENTROPY_AT_200,
        true=Fraction(15566, 10000),
        none_smaller="the example prints one entropy; its loss at mean 100 is right",
        order="the one case of the example whose number is wrong; the true value is rounded down to 4 places",
        perturbed="splu_ref.channels.logarithms:LogForm.bounds larger",
        by_hand=(
            "The six orders of 100, 200, 300 and the table 200, 200, 200 are left: a record has 100, 200, "
            "300 in 2, 3, 2 of 7. H' = lg 7 - (4/7) lg 2 - (3/7) lg 3 = 2.8074 - 0.5714 - 0.6793 = 1.5567."
        ),
    )


def _rounded_down(form: LogForm) -> Fraction:
    return Fraction(int(form.bounds().lower * 10**4), 10**4)


@EXC.computation(
    cases=18,
    perturbed=(
        "splu_ref.channels.information:entropy_loss doubled",
        "splu_proofs.entropy.salaries:_after larger",
    ),
)
def by_counting_tables() -> Comparisons:
    """Count the 27 tables and those of each mean, and compute every loss in two ways."""
    yield (WORLD.size, "=", 27, "there are not 27 tables")
    yield (sum(sum(table) == 600 for table in WORLD.prior()), "=", 7, "not 7 have the mean 200")
    found = {each.released: each for each in entropy_loss(WORLD, lambda table: {sum(table): 1}).values}
    whole = LogForm.of({3: 1})
    for total, each in found.items():
        yield (each.records, "=", (whole - _after(total),) * 3, f"sum {total}: the losses differ")
    stated = LogForm.of({2: Fraction(4, 7), 3: Fraction(10, 7), 7: -1})
    yield (found[600].loss, "=", stated, "the loss at mean 200 is another one")
    yield (_after(600), "=", whole - stated, "H' at mean 200 is another number")
    yield (found[300].loss, "=", whole, "the loss at mean 100 is not total")
    near = stated.bounds()
    yield (Fraction("0.0283"), "<", near.lower, "the loss is not 0.0283")
    yield (near.lower, "<=", near.upper, "the loss is not 0.0283")
    yield (near.upper, "<", Fraction("0.0284"), "the loss is not 0.0283")
    mean = LogForm.sum((each.probability, each.loss) for each in found.values()).bounds()
    yield (Fraction("0.328"), "<", mean.lower, "the mean loss is not 0.329")
    yield (mean.lower, "<=", mean.upper, "the mean loss is not 0.329")
    yield (mean.upper, "<", Fraction("0.329"), "the mean loss is not 0.329")
