"""chaytor.DUP, chaytor.DUPc: the duplicate attack on the alpha-beta algorithm, under both readings of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product

from ..terms import Claim, Comparisons, Grade, Status, Witness

DUP = Claim(
    id="chaytor.DUP",
    module=__name__,
    source="Chaytor, chapter 2, on the alpha-beta algorithm",
    title="the duplicate attack",
    statement=(
        r"\Pr(\text{a record of the original is published without a duplicate}) = 1-(\alpha+\beta)\beta"
    ),
    words=(
        "False of the algorithm as 001 states it. There the fakes are drawn from the tuples that are not in "
        "the original, and what is published is a set: no tuple can stand there twice, and nothing is "
        "exposed by a duplicate. The text describes another algorithm, whose second step goes through every "
        "possible record; of that one the attack is right: see chaytor.DUPc."
    ),
    hypotheses=(r"\alpha > 0,\ \beta > 0,\ \alpha+\beta \le 1",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="chaytor.DUPc",
    tests=("tests/mechanisms/test_alpha_beta.py::test_the_law_up_to_five_tuples",),
)

DUPC = Claim(
    id="chaytor.DUPc",
    module=__name__,
    source="corrects Chaytor, chapter 2",
    title="duplicates, under both readings",
    statement=(
        r"\text{fakes from } D \setminus I: \text{ no duplicate}; \quad \text{fakes from } D: \ "
        r"\Pr(t \text{ twice}) = (\alpha+\beta)\beta \text{ for } t \in I,\ 0 \text{ for } t \notin I, \quad "
        r"\mathrm{E}\,\#\{t \text{ twice}\} = n(\alpha+\beta)\beta"
    ),
    words=(
        "If the second step goes through all of D and the release is a bag, a tuple stands there twice only "
        "if it is genuine and was made up as well, so a duplicate is genuine with certainty, whatever the "
        "prior. That breaks every level gamma below 1, on n (alpha + beta) beta records on average. Made a "
        "set again, that release is the algorithm of 001 with alpha' = (alpha+beta)(1-beta) and the same "
        "beta."
    ),
    hypotheses=(r"\alpha > 0,\ \beta \ge 0,\ \alpha+\beta \le 1",),
    status=Status.CORRECTED,
    grade=Grade.EXACT,
    instances="domains of up to 3 tuples",
    tests=("tests/mechanisms/test_alpha_beta.py::test_the_law_up_to_five_tuples",),
)

Bag = tuple[int, ...]


def bags(
    members: frozenset[int], size: int, alpha: Fraction, beta: Fraction
) -> Iterator[tuple[Bag, Fraction]]:
    """Yield how often each tuple is published, with the probability, if the fakes are drawn from all of D."""
    for kept in product((0, 1), repeat=size):
        for fake in product((0, 1), repeat=size):
            chance = Fraction(1)
            for t in range(size):
                own = alpha + beta if t in members else Fraction(0)
                chance *= own if kept[t] else 1 - own
                chance *= beta if fake[t] else 1 - beta
            if chance:
                yield tuple(a + b for a, b in zip(kept, fake, strict=True)), chance


def _worlds() -> Iterator[tuple[frozenset[int], int, Fraction, Fraction]]:
    for size in range(1, 4):
        for bits in product((0, 1), repeat=size):
            members = frozenset(t for t in range(size) if bits[t])
            for alpha, beta in (
                (Fraction(1, 2), Fraction(1, 4)),
                (Fraction(1, 3), Fraction(2, 3)),
                (Fraction(1, 5), Fraction(2, 5)),
            ):
                yield members, size, alpha, beta


@DUP.refutation
def a_set_has_no_duplicates() -> Witness:
    """At n = m = 1, alpha = beta = 1/2 the printed algorithm would repeat the record half of the time."""
    return Witness(
        parameters={"m": 1, "n": 1, "alpha": Fraction(1, 2), "beta": Fraction(1, 2)},
        premises=(lambda _m, _n, alpha, beta: alpha > 0 and beta > 0 and alpha + beta <= 1,),
        allowed=lambda _m, _n, alpha, beta: 1 - (alpha + beta) * beta,
        actual=lambda m, n, alpha, beta: 1 - _repeated_by_the_code(m, range(n), alpha, beta),
        sign="=",
        printed=Fraction(1, 2),
        true=Fraction(1),
        smaller=lambda: [(1, 1, Fraction(1), Fraction(0))],
        none_smaller="with denominators of 1, beta is 0",
        order="m, then the denominators of alpha and beta: with one of 1, beta is 0",
        perturbed="splu_proofs.chaytor.duplicates:_repeated_by_the_code larger",
        by_hand="The original's one tuple is drawn for once, with 1; there is no other tuple to make up.",
    )


def _repeated_by_the_code(size: int, members: Iterable[int], alpha: Fraction, beta: Fraction) -> Fraction:
    """Return the chance that the shipped code publishes a tuple twice, drawn lazily or not."""
    from ..worlds.tuple_sets import published  # noqa: PLC0415  it loads numpy and the library

    return max(
        sum(
            (
                chance * (len(set(seen)) < len(seen))
                for seen, chance in published(alpha, beta, list(members), size, eager=eager).items()
            ),
            Fraction(0),
        )
        for eager in (True, False)
    )


@DUPC.computation(cases=246, perturbed="splu_proofs.chaytor.duplicates:bags larger")
def the_bag_of_every_world() -> Comparisons:
    """Compute duplicates, their posterior and their mean number over all outcomes of domains up to three."""
    for members, size, alpha, beta in _worlds():
        law = list(bags(members, size, alpha, beta))
        for t in range(size):
            twice = sum((chance for bag, chance in law if bag[t] == 2), Fraction(0))
            yield (twice, "=", ((alpha + beta) * beta if t in members else 0), f"{members}, {t}")
            seen = sum((chance for bag, chance in law if bag[t]), Fraction(0))
            wanted = (alpha + beta) * (1 - beta) + beta if t in members else beta
            yield (seen, "=", wanted, f"{members}, {t}: as a set {seen}")
        mean = sum((chance * bag.count(2) for bag, chance in law), Fraction(0))
        yield (mean, "=", len(members) * (alpha + beta) * beta, f"{members}: {mean}")


@DUPC.enumeration(
    cases=9,
    perturbed=(
        "splu_ref.channels.binomial:parts larger",
        "splu_proofs.chaytor.duplicates:_repeated_by_the_code larger",
    ),
)
def the_shipped_code_repeats_nothing() -> Comparisons:
    """Run the code on every outcome of small worlds: no duplicates, and as many tuples as the law says."""
    from ..worlds.tuple_sets import published  # noqa: PLC0415  it loads numpy and the library

    half = Fraction(1, 2)
    for size, members in ((1, [0]), (3, [1]), (3, [0, 2])):
        where = f"{members} of {size} tuples"
        yield _repeated_by_the_code(size, members, half, half), "=", 0, f"chance of a duplicate of {where}"
        for eager in (True, False):
            law = published(half, half, members, size, eager=eager)
            mean = sum((chance * len(seen) for seen, chance in law.items()), Fraction(0))
            yield mean, "=", len(members) + half * (size - len(members)), f"tuples published of {where}"
