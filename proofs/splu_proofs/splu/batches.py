"""splu.BAT, splu.BATc: a table that is published in batches has the law and the promise of one release."""

from __future__ import annotations

from fractions import Fraction

from ..arithmetic.law import error, probability_mass
from ..arithmetic.trials import PASCAL
from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status

BAT = Claim(
    id="splu.BAT",
    module=__name__,
    source="new; Fu et al. 2014 publish a table once",
    title="the count over all batches",
    statement=(
        r"f = f_1+\dots+f_k,\ f' = f'_1+\dots+f'_k\ \Rightarrow\ f' \sim \mathrm{Bin}(\gamma f, 1/\gamma)"
    ),
    words=(
        "A table is published in batches: the records of each batch once, among themselves, with groups of "
        "their own. Then the published count of a value over all batches has the law of one release of the "
        "whole table, so every promise and every estimate of single counts holds for the joined table."
    ),
    hypotheses=(
        r"\gamma \ge 2",
        "each record is in one batch",
        "batches draw independently",
        "p = 1/gamma in all batches",
    ),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.B",),
    licenses=("splu_ref.mechanisms.batches",),
    tests=("tests/mechanisms/test_batches.py::test_the_law_of_a_count_over_all_batches_is_binomial",),
)

BATc = Claim(
    id="splu.BATc",
    module=__name__,
    source="new; Fu et al. 2014 publish a table once",
    title="the counts of one batch",
    statement=(
        r"\Pr(f'_1=a_1,\dots,f'_k=a_k) = \prod_i \Pr(\mathrm{Bin}(\gamma f_i,1/\gamma)=a_i),\qquad "
        r"\Pr(|f'_S-f_S|\ge\varepsilon f_S) \ge T_P \text{ for } f_S=\sum_{i\in S}f_i\le\alpha"
    ),
    words=(
        "Whoever has the releases before and after a batch knows which rows are new. What they see of the "
        "batch is one release of its records, and the rest of the table discloses nothing of its draws: the "
        "published counts of the batches are independent, each binomial with its own count. So the promise "
        "for counts up to alpha holds for the counts of each batch, and of every set of batches."
    ),
    hypotheses=(
        r"\gamma \ge 2",
        "each record is in one batch",
        "batches draw independently",
        "p = 1/gamma in all batches",
    ),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.B", "splu.BAT", "splu.D2"),
    licenses=("splu_ref.mechanisms.batches",),
    tests=("tests/mechanisms/test_batches.py::test_old_rows_stay_and_new_ones_follow",),
)

TRIALS = Identity(
    name="trials of two batches",
    says="gamma f_1 trials and gamma f_2 trials are gamma (f_1 + f_2).",
    variables={"gamma": 2, "one": 0, "two": 0},
    left=lambda gamma, one, two: gamma * one + gamma * two,
    right=lambda gamma, one, two: gamma * (one + two),
)


@BAT.derivation
def trials_are_added_one_by_one() -> Derivation:
    """Add the trials of the second batch to those of the first."""
    return Derivation(
        setting=(
            "By splu.B, f'_i counts the successes among the gamma f_i records that stand in a group with the "
            "value, each of probability 1/gamma, independent of the others. No record is in two batches and "
            "batches draw independently, so the trials of different batches are independent too."
        ),
        steps=(PASCAL, TRIALS),
        conclusion=(
            "From gamma f_1 trials on, PASCAL adds the gamma f_2 trials of the second batch one by one: f'_1 "
            "+ f'_2 is binomial with gamma (f_1 + f_2) trials, and so on for more batches."
        ),
    )


@BATc.derivation
def one_batch_is_one_release() -> Derivation:
    """Multiply the laws of the batches, and join those of a set of batches by splu.BAT."""
    return Derivation(
        setting=(
            "Given all true values, what is published of a batch is a function of its own draws, which are "
            "independent of those of the others. S is a set of batches."
        ),
        steps=(TRIALS,),
        conclusion=(
            "The joint law of the counts is the product of those of splu.B. The batches of S are a table "
            "that is published in batches, so splu.BAT gives their count the law of one release with as many "
            "records, and T_P is the least error of that law over the counts up to alpha."
        ),
    )


@BAT.computation(cases=15, perturbed="splu_proofs.arithmetic.law:probability_mass larger")
def sums_of_batches_multiplied_out() -> Comparisons:
    """Convolve the laws of two and three batches."""
    for gamma in (2, 3, 5):
        for sizes in ((1, 1), (0, 2), (1, 3), (2, 2), (1, 1, 2)):
            law = {0: Fraction(1)}
            for f in sizes:
                longer: dict[int, Fraction] = {}
                for so_far, p in law.items():
                    for k in range(gamma * f + 1):
                        longer[so_far + k] = longer.get(so_far + k, Fraction(0)) + p * probability_mass(
                            gamma, f, k
                        )
                law = longer
            whole = sum(sizes)
            expected = {k: probability_mass(gamma, whole, k) for k in range(gamma * whole + 1)}
            yield (law, "=", expected, f"gamma = {gamma}, batches of {sizes}")


@BAT.enumeration(cases=15, perturbed="splu_ref.mechanisms.group_draws:draw_rule smaller")
def every_outcome_of_two_batches() -> Comparisons:
    """Publish two batches by the shipped code in every way, and count a value over both."""
    from ..worlds import batches  # noqa: PLC0415  it loads numpy and the library

    for value, first, second in batches.COUNTS:
        law = batches.joint_laws()[value]
        total: dict[int, Fraction] = {}
        for (one, two), chance in law.items():
            total[one + two] = total.get(one + two, Fraction(0)) + chance
        for k in range(2 * (first + second) + 1):
            found = total.get(k, Fraction(0))
            yield (found, "=", probability_mass(2, first + second, k), f"value {value}, f' = {k}: {found}")


@BATc.enumeration(cases=30, perturbed="splu_ref.mechanisms.group_draws:draw_rule smaller")
def every_outcome_of_each_batch() -> Comparisons:
    """Publish two batches by the shipped code in every way: their counts are independent and binomial."""
    from ..worlds import batches  # noqa: PLC0415  it loads numpy and the library

    epsilon = Fraction(3, 10)
    for value, first, second in batches.COUNTS:
        law = batches.joint_laws()[value]
        for one in range(2 * first + 1):
            for two in range(2 * second + 1):
                found = law.get((one, two), Fraction(0))
                product = probability_mass(2, first, one) * probability_mass(2, second, two)
                yield (found, "=", product, f"value {value}, counts {one} and {two}: {found}")
        if second:
            wrong = sum(
                (p for (_, two), p in law.items() if abs(two - second) >= epsilon * second), Fraction(0)
            )
            yield (wrong, "=", error(2, epsilon, second), f"value {value}: the batch's count errs otherwise")
