"""entropy.T1, entropy.T2, entropy.T2c, entropy.MAX: the mean of independent bits."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product

from splu_ref.channels import LogForm, World, entropy_loss, mutual_information, natural_logarithm
from splu_ref.guarantees import count_loss, expected_count_loss

from ..printed.entropy import expected_loss
from ..terms import (
    Claim,
    Comparisons,
    Derivation,
    EvidenceError,
    Grade,
    Identity,
    Inequality,
    Status,
    Witness,
)

T1 = Claim(
    id="entropy.T1",
    module=__name__,
    source="Chirayath et al. 2006, §3.4, Theorem 1",
    title="the loss of a bit whose mean is released",
    statement=(
        r"\mathcal P = 1 - h(k/n),\qquad h(x) = x\lg\tfrac1x + (1-x)\lg\tfrac1{1-x},\quad h(0) = h(1) = 0"
    ),
    words=(
        "True. Given that k of n bits are 1, each is 1 with chance k/n, whatever chance it had before. At k "
        "= 0 and k = n the printed formula divides by 0; read as its limit, the loss there is 1 bit, "
        "everything. For bits of chance q the same holds with h(q) for 1."
    ),
    hypotheses=(r"\text{bits independent, each } 1 \text{ with chance } 1/2", r"0\lg\tfrac10 := 0"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("entropy.D2",),
    licenses=("splu_ref.guarantees.count_entropy:count_loss",),
    tests=(
        "tests/guarantees/test_count_entropy.py::test_it_is_what_the_tables_say",
        "tests/guarantees/test_count_entropy.py::test_all_or_none_are_a_total_loss",
    ),
)

T2 = Claim(
    id="entropy.T2",
    module=__name__,
    source="Chirayath et al. 2006, §3.4, Theorem 2, equation (5)",
    title="the expected loss, as printed",
    statement=(
        r"\operatorname{E}\mathcal P = \sum_{k=0}^n \tfrac1{2^n}\tbinom nk\Bigl[1 - \Bigl(\tfrac kn\lg\tfrac "
        r"nk - \tfrac{n-k}n\lg\tfrac n{n-k}\Bigr)\Bigr]"
    ),
    words=(
        "False: the sign between the two terms is wrong. As k and n-k are equally likely, the two terms "
        "cancel, and the printed sum is 1 for every n: the mean of any number of bits would give each of "
        "them away. For n = 1 that is true; for n = 2 the expected loss is 1/2."
    ),
    hypotheses=(r"\text{bits independent, each } 1 \text{ with chance } 1/2",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("entropy.T1",),
    corrected_by="entropy.T2c",
)

T2C = Claim(
    id="entropy.T2c",
    module=__name__,
    source="new; for Chirayath et al. 2006, §3.4, Theorem 2",
    title="the expected loss",
    statement=(
        r"\operatorname{E}\mathcal P = \sum_{k=0}^n \tfrac1{2^n}\tbinom nk\bigl[1 - h(k/n)\bigr] = I(X_i; "
        r"K),\qquad \frac1{2n\ln2} \le \operatorname{E}\mathcal P \le \frac1n"
    ),
    words=(
        "With a plus between the two terms the sum is the mean of Theorem 1, and the mutual information of a "
        "bit with the number of ones. It falls like 1/n: n times it lies between 1/(2 ln 2) = 0.72 and 1, "
        "and tends to the former."
    ),
    hypotheses=(r"\text{bits independent, each } 1 \text{ with chance } 1/2",),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("entropy.T1", "entropy.D2e"),
    licenses=("splu_ref.guarantees.count_entropy:expected_count_loss",),
    tests=(
        "tests/guarantees/test_count_entropy.py::test_it_is_what_the_tables_say",
        "tests/guarantees/test_count_entropy.py::test_the_mean_lies_between_its_bounds",
    ),
)

MAX = Claim(
    id="entropy.MAX",
    module=__name__,
    source="Chirayath et al. 2006, §3.4, Theorem 1, equation (4)",
    title="the maximum over records",
    statement=(
        r"H(X_i) - H'(X_i) = H(X_j) - H'(X_j) \text{ for all } i, j:\quad \max_{i\le n} \text{ is idle}"
    ),
    words=(
        "True, and so the maximum in Theorem 1 says nothing: what it is taken of does not depend on the "
        "record. Records with one law lose alike by every release that does not depend on their order. For "
        "records with different laws the maximum matters: of two bits with chances 1/2 and 1/4 whose number "
        "is released, the losses differ."
    ),
    hypotheses=(
        r"\text{records independent with one law}",
        r"\text{the release does not depend on their order}",
    ),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="n <= 4 bits, every function of their sum",
    rests_on=("entropy.D2",),
)


@T1.derivation
def the_share_of_ones() -> Derivation:
    """Count the tables with k ones in which a given bit is 1."""
    return Derivation(
        setting=(
            "b = C(n-1, k-1) tables of k ones have a 1 in the given place, and C(n-1, k) = b (n-k)/k a 0, "
            "for 0 < k < n. All tables of k ones are equally likely (with chance q^k (1-q)^(n-k) each)."
        ),
        steps=(
            Identity(
                name="the bit is one",
                says="b / (b + b (n-k)/k) = k/n.",
                variables={"n": 1, "k": 1, "b": 1},
                left=lambda n, k, b: b / (b + b * (n - k) / k),
                right=lambda n, k, _b: k / n,
            ),
        ),
        conclusion=(
            "The bit is 1 with chance k/n, also for k = 0 and n, where one table is left. Its entropy is "
            "h(k/n), and was h(1/2) = 1."
        ),
    )


@T1.computation(cases=132, perturbed="splu_ref.guarantees.count_entropy:count_loss larger")
def against_all_tables() -> Comparisons:
    """Compare with the world of all tables, for n up to 8 and chances 1/2, 1/3, 3/4."""
    for n in range(1, 9):
        for q in (Fraction(1, 2), Fraction(1, 3), Fraction(3, 4)):
            world = World.independent([{1: q, 0: 1 - q}] * n)
            for each in entropy_loss(world, lambda table: {sum(table): 1}).values:
                yield (each.records, "=", (count_loss(n, each.released, q),) * n, f"n = {n}, q = {q}")


@T2.refutation
def two_bits() -> Witness:
    """Of the 2 bits' entropies half is left on average, and by print none."""
    return Witness(
        parameters={"n": 2},
        premises=("the expected loss weighs the counts so",),
        allowed=lambda n: _left(expected_loss(n)),
        actual=lambda n: _left(expected_count_loss(n)),
        sign="=",
        printed=Fraction(0),
        true=Fraction(1, 2),
        smaller=lambda: [(1,)],
        count=1,
        order="n; values are the expected entropy that is left, 1 less the expected loss",
        perturbed="splu_ref.channels.logarithms:LogForm.bounds larger",
        by_hand=(
            "k = 0 and 2, each with chance 1/4, leave nothing; k = 1 leaves h(1/2) = 1: 1/2 on average. "
            "Printed at k = 1: 1 - (1/2 lg 2 - 1/2 lg 2) = 1, nothing left; at k = 0 and 2 as well."
        ),
    )


def _left(loss: LogForm) -> Fraction:
    left = (LogForm.of({2: 1}) - loss).bounds()
    if left.lower != left.upper:
        raise EvidenceError("the loss is not rational")
    return left.lower


@T2.computation(
    cases=80,
    perturbed=(
        "splu_ref.channels.logarithms:LogForm.of larger",
        "splu_proofs.printed.entropy:expected_loss larger",
    ),
)
def it_is_always_one() -> Comparisons:
    """Evaluate the printed sum for n up to 40."""
    for n in range(1, 41):
        yield (expected_loss(n), "=", LogForm.of({2: 1}), f"n = {n}: the printed sum is not 1")
        yield ((expected_loss(n) == expected_count_loss(n)), "=", (n == 1), f"n = {n}: they agree")


@T2C.derivation
def between_two_parabolas() -> Derivation:
    """Compare 1 - h(1/2 + d) with its series."""
    return Derivation(
        setting=(
            "With u = (2d)^2, 0 <= u <= 1, 1 - h(1/2 + d) = (1/ln 2) times the sum over j >= 1 of u^j / (2j "
            "(2j-1)), the series of the logarithm, used as it is. For k ones of n, d = k/n - 1/2, and the "
            "mean of u is 4 times the variance of a mean of n bits: 1/n."
        ),
        steps=(
            Identity(
                name="the coefficients",
                says="1/(2j-1) - 1/(2j) = 1/(2j (2j-1)): their sum is 1 - 1/2 + 1/3 - ... = ln 2.",
                variables={"j": 1},
                left=lambda j: 1 / (2 * j - 1) - 1 / (2 * j),
                right=lambda j: 1 / (2 * j * (2 * j - 1)),
            ),
            Inequality(
                name="powers of u",
                says="For u = a/c between 0 and 1, u^2 <= u: a (c - a) >= 0. So u^j <= u.",
                variables=("a", "c"),
                given=lambda a, c: (a, c - a),
                slack=lambda a, e: (a, a + e),
                then=lambda a, c: a * c - a * a,
            ),
        ),
        conclusion=(
            "The first term alone is u/(2 ln 2); all terms with u for u^j are u. So u/(2 ln 2) <= 1 - h <= "
            "u, and the mean of u is 1/n. The terms after the first have a mean of order 1/n^2, so the "
            "former is the limit."
        ),
    )


@T2C.computation(cases=208, perturbed="splu_ref.guarantees.count_entropy:expected_count_loss larger")
def means_and_bounds() -> Comparisons:
    """Compare with mutual information for n up to 8, and with the bounds for n up to 100."""
    for n in range(1, 9):
        world = World.independent([{1: Fraction(1, 2), 0: Fraction(1, 2)}] * n)
        query, about = world.about(world.release(sum), lambda table: table[0])
        yield (expected_count_loss(n), "=", mutual_information(about, query), f"n = {n}: not I(X; K)")
    two = natural_logarithm(Fraction(2))
    for n in range(1, 101):
        found = expected_count_loss(n)
        yield (found, "<=", LogForm.of({2: Fraction(1, n)}), f"n = {n}: above 1/n")
        yield (found.bounds().lower, ">=", Fraction(1, 2 * n) / two.lower, f"n = {n}: below 1/(2n ln 2)")


@MAX.computation(cases=1476, perturbed="splu_ref.channels.information:ValueLoss.loss larger")
def records_lose_alike() -> Comparisons:
    """Compare the losses of all records under every function of the number of ones, for n up to 4."""
    for n in range(1, 5):
        for q in (Fraction(1, 2), Fraction(1, 3)):
            world = World.independent([{1: q, 0: 1 - q}] * n)
            for labels in _labelings(n + 1):
                found = entropy_loss(world, partial(_labeled, labels))
                for each in found.values:
                    for loss in each.records:
                        yield (loss, "=", each.loss, f"n = {n}, {labels}")


@MAX.computation(
    cases=1, perturbed="each.records[0] != each.records[1] => each.records[0] != each.records[0]"
)
def records_of_different_laws_do_not() -> Comparisons:
    """Two bits of chances 1/2 and 1/4, whose number is released."""
    half, quarter = ({1: share, 0: 1 - share} for share in (Fraction(1, 2), Fraction(1, 4)))
    found = entropy_loss(World.independent([half, quarter]), lambda table: {sum(table): 1})
    apart = sum(each.records[0] != each.records[1] for each in found.values)
    yield apart, "=", 3, "releases at which the two lose differently"


def _labeled(labels: tuple[int, ...], table: tuple[int, ...]) -> dict[int, int]:
    """Return the law of the label of how many ones there are."""
    return {labels[sum(table)]: 1}


def _labelings(size: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to distinguish numbers of ones: labels in the order of their first use."""
    for labels in product(range(size), repeat=size):
        if all(label <= max(labels[:place], default=-1) + 1 for place, label in enumerate(labels)):
            yield labels
