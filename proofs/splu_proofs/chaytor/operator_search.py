"""chaytor.OPTRR: a search for operators that neither privacy nor utility rules out."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from splu_ref.channels import amplification, diagonal, from_matrix

from ..terms import Claim, Comparisons, Grade, Status

SHARES = (Fraction(2, 3), Fraction(1, 3))

OPTRR = Claim(
    id="chaytor.OPTRR",
    module=__name__,
    source="Chaytor, chapter 2, on operator algorithms",
    title="a genetic search guarantees nothing",
    statement=r"\text{OptRR: no guarantee is built in, and its points need not lie on the front}",
    words=(
        "Quoted: the algorithm is another paper's, and whether its search ends on the front is not to be "
        "derived. What can be shown is what any finite search leaves open. Among the operators of two "
        "values with entries in sixths, the best of those in thirds are no longer all best: here some are "
        "worse in both respects. That operators come without a guarantee is no property of theirs: each has "
        "an amplification, computed exactly, and a search may keep those below G alone."
    ),
    hypotheses=(
        r"\text{privacy: 1 less the Bayes vulnerability; utility: the variance of the inverted counts}",
    ),
    status=Status.LITERATURE,
    grade=Grade.EXACT,
    rests_on=("chaytor.OPTc",),
)


class Point(NamedTuple):
    """An operator of two values by its diagonal, and what it achieves."""

    diagonal: tuple[Fraction, Fraction]
    privacy: Fraction
    variance: Fraction

    def dominated_by(self, other: Point) -> bool:
        """Whether the other one is as good in both respects and better in one."""
        ours, theirs = (-self.privacy, self.variance), (-other.privacy, other.variance)
        return theirs != ours and theirs[0] <= ours[0] and theirs[1] <= ours[1]


def points(parts: int) -> list[Point]:
    """Return all operators of two values with entries in ``parts`` whose counts can be inverted."""
    found = []
    for first, second in product(range(parts + 1), repeat=2):
        a, b = Fraction(first, parts), Fraction(second, parts)
        if a + b == 1:
            continue
        seen = max(SHARES[0] * a, SHARES[1] * (1 - b)) + max(SHARES[0] * (1 - a), SHARES[1] * b)
        variance = (SHARES[0] * a * (1 - a) + SHARES[1] * b * (1 - b)) / (a + b - 1) ** 2
        found.append(Point((a, b), 1 - seen, variance))
    return found


def front(among: Iterable[Point]) -> list[Point]:
    """Return the points that no other one beats."""
    every = list(among)
    return [point for point in every if not any(point.dominated_by(other) for other in every)]


@OPTRR.computation(cases=2, perturbed="splu_proofs.chaytor.operator_search:Point.dominated_by larger")
def a_coarse_search_is_beaten() -> Comparisons:
    """Compare the front of operators in thirds with that in sixths, for the shares 2/3 and 1/3."""
    coarse, fine = front(points(3)), front(points(6))
    beaten = [point for point in coarse if any(point.dominated_by(other) for other in fine)]
    yield (0, "<", len(beaten), f"{len(beaten)} of {len(coarse)} are beaten")
    yield (len(beaten), "<", len(coarse), f"{len(beaten)} of {len(coarse)} are beaten")


@OPTRR.computation(cases=3, perturbed="splu_ref.channels.amplification_bounds:amplification larger")
def every_operator_has_its_guarantee() -> Comparisons:
    """Compute the amplification of all of them, and find those that may be used with a given one."""
    finite = 0
    for point in points(6):
        a, b = point.diagonal
        ratio = amplification(from_matrix(range(2), [[a, 1 - a], [1 - b, b]], range(2))).ratio
        finite += ratio is not None
    yield (amplification(diagonal(range(2), Fraction(2, 3))).ratio, "=", 2, "the amplification of 2/3")
    yield (0, "<", finite, "all or none have a finite amplification")
    yield (finite, "<", len(points(6)), "all or none have a finite amplification")
