"""olap.TP and olap.FIT: the states of a query, and the matrix between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import TypeAlias

from ..terms import Claim, Comparisons, Grade, Status

Vector: TypeAlias = tuple[Fraction, ...]
Matrix: TypeAlias = tuple[Vector, ...]
Side: TypeAlias = tuple[Fraction, Fraction]
"""p and b of a column."""

TP = Claim(
    id="olap.TP",
    module=__name__,
    source="Agrawal, Srikant and Thomas 2005, §4.2",
    title="entries of the tensor product",
    statement=(
        r"a_{ij} = \prod_{r=1}^k\left((1-p_r)R_{r,\mathrm{bit}(j,r)}"
        r" + p_r\,\delta_{\mathrm{bit}(i,r),\mathrm{bit}(j,r)}\right)"
    ),
    words=(
        "True, with the first column's bit leftmost: columns are perturbed independently, so a record's "
        "chance to move from state i to state j is the product over the columns, and within a column a value "
        "is kept with p_r, or replaced by one in the set with R_r,1, whatever it was. That the chance "
        "depends on nothing but the state makes the states a chain of their own. Every outcome of the "
        "shipped mechanism is run for each record of a product domain and compared, for every pair of sets."
    ),
    hypotheses=(
        "columns perturbed independently",
        r"R_{r,1} \text{ the share of the set in the replacing law}",
    ),
    status=Status.VERIFIED,
    grade=Grade.ENUMERATED,
    instances="a domain of 3 x 2 values, p = 1/2 and 2/3",
    licenses=("splu_ref.mechanisms.retention_replacement",),
)

FIT = Claim(
    id="olap.FIT",
    module=__name__,
    source="Agrawal, Srikant and Thomas 2005, §4.2",
    title="the matrix R of the worked example",
    statement=r"R = \begin{pmatrix}.85&.15\\.6&.4\\.65&.35\end{pmatrix}",
    words=(
        "True for continuous columns: age 30 to 45 of 0 to 100, salary 50k to 120k of 25k to 200k and "
        "rent 700 to 1400 of 500 to 2500 are 15/100, 70/175 and 700/2000 of their domains. On whole "
        "numbers, as such columns are published, the shares are 16/101, 70001/175001 and 701/2001: .1584 "
        "in place of .15 for the age."
    ),
    status=Status.PROVED,
    grade=Grade.EXACT,
    complete="it is about three shares",
)


def matrix(sides: Sequence[Side]) -> Matrix:
    """Return A for these columns, the first one's bit leftmost: rows true, columns published states."""
    bits = list(product((0, 1), repeat=len(sides)))
    return tuple(
        tuple(
            prod(
                (
                    (1 - p) * (b if after else 1 - b) + p * (before == after)
                    for (p, b), before, after in zip(sides, true, seen, strict=True)
                ),
                start=Fraction(1),
            )
            for seen in bits
        )
        for true in bits
    )


def published(counts: Sequence[Fraction | int], law: Matrix) -> Vector:
    """Return the expected published counts xA."""
    size = range(len(law))
    return tuple(sum((counts[u] * law[u][v] for u in size), Fraction(0)) for v in size)


def inverted(seen: Sequence[int], law: Matrix) -> Vector:
    """Return yA^-1, by the library's elimination."""
    from splu_ref.channels import from_matrix, inverse  # noqa: PLC0415  only runs need it

    labels = list(range(len(law)))
    found = inverse(from_matrix(labels, law, labels)).estimate(dict(enumerate(seen)))
    return tuple(found.get(label, Fraction(0)) for label in labels)


@TP.enumeration(
    cases=192,
    perturbed=(
        "splu_ref.mechanisms.retention_replacement:RetentionReplacement.publish_rows larger",
        "splu_proofs.olap.states:matrix larger",
    ),
)
def the_shipped_mechanism() -> Comparisons:
    """Publish every record of a domain of 3 x 2 values with p = 1/2 and 2/3, over all outcomes."""
    import numpy as np  # noqa: PLC0415  only runs need it

    from splu_ref.mechanisms import RetentionReplacement  # noqa: PLC0415  only runs need it
    from splu_ref.randomness import Draws, outcomes  # noqa: PLC0415  only runs need it

    sizes = {"a": 3, "b": 2}
    for keep in (Fraction(1, 2), Fraction(2, 3)):
        mechanism = RetentionReplacement(keep, {"a": "xyz", "b": "uv"})
        for record in product(range(3), range(2)):
            codes = {name: np.array([code]) for name, code in zip(sizes, record, strict=True)}

            def publish(
                draws: Draws,
                codes: dict[str, np.ndarray] = codes,
                mechanism: RetentionReplacement = mechanism,
            ) -> tuple[int, ...]:
                done = mechanism.publish_columns(codes, sizes, lambda _: draws)
                return tuple(int(done.published[name][0]) for name in sizes)

            law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
            for seen, chance in outcomes(publish):
                law[seen] += chance
            for first, second in product(({0}, {0, 1}), ({0}, {1})):
                sides = [(keep, Fraction(len(first), 3)), (keep, Fraction(len(second), 2))]
                row = matrix(sides)[2 * (record[0] in first) + (record[1] in second)]
                for state, (one, other) in enumerate(product((False, True), repeat=2)):
                    found = sum(
                        chance
                        for seen, chance in law.items()
                        if (seen[0] in first, seen[1] in second) == (one, other)
                    )
                    yield (found, "=", row[state], f"p = {keep}, {record} to {state}: {found}")


@FIT.computation(cases=2, perturbed="high - low + 1 => high - low")
def shares_of_the_example() -> Comparisons:
    """Work the three shares out again, continuous and on whole numbers."""
    ranges = ((30, 45, 0, 100), (50_000, 120_000, 25_000, 200_000), (700, 1400, 500, 2500))
    printed = [Fraction(15, 100), Fraction(4, 10), Fraction(35, 100)]
    found = [Fraction(high - low, most - least) for low, high, least, most in ranges]
    yield (found, "=", printed, f"the shares are {found}")
    whole = [Fraction(high - low + 1, most - least + 1) for low, high, least, most in ranges]
    yield (whole, "=", [Fraction(16, 101), Fraction(70001, 175001), Fraction(701, 2001)], f"{whole}")
