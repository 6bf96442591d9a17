"""chaytor.EQ1: uniform perturbation as a matrix."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from splu_ref.channels import retention

from ..terms import Claim, Comparisons, Derivation, Gives, Grade, Identity, Quantity, Relation, Status


def _kept(p: Fraction, m: int) -> Fraction:
    """Return the chance of the true value by going through the coin and every replacement."""
    return p + sum((1 - p) * Fraction(1, m) for drawn in range(m) if drawn == 0)


OWN = Relation(
    variables=("p", "m"),
    left=Quantity(r"\Pr[x \to x]", _kept),
    sign="=",
    right=lambda p, m: p + (1 - p) / m,
    cases=lambda: product((Fraction(0), Fraction(1, 5), Fraction(3, 4)), (2, 3, 14)),
)
OTHER = Relation(
    variables=("p", "m"),
    left=Quantity(r"\Pr[x \to y]", lambda p, m: (1 - _kept(p, m)) / (m - 1)),
    sign="=",
    right=lambda p, m: (1 - p) / m,
    cases=OWN.cases,
)

EQ1 = Claim(
    id="chaytor.EQ1",
    module=__name__,
    source="Chaytor, §3.1, equation (1)",
    title="the matrix of uniform perturbation",
    statement=rf"{OWN.latex},\qquad {OTHER.latex} \text{{ for }} y \ne x",
    asserts=(OWN, OTHER),
    words=(
        "A value is kept with probability p and otherwise replaced by one of the m values of the domain, its "
        "own included. So it is published as itself with p + (1-p)/m and as each other value with (1-p)/m. p "
        "is thus not the share of records that are published with their true value: that is p + (1-p)/m."
    ),
    hypotheses=(r"m \ge 2", r"0 \le p \le 1"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    licenses=("splu_ref.channels.elementary:retention", "splu_ref.mechanisms.retention_replacement"),
    tests=("tests/mechanisms/test_retention_replacement.py::test_a_tape_decides_coin_and_value_at_once",),
)


@EQ1.derivation
def coin_and_replacement() -> Derivation:
    """Add what the coin keeps and what the replacement brings back."""
    return Derivation(
        setting="The replacement is the true value with 1/m, and one of the m - 1 others otherwise.",
        steps=(
            Identity(
                name="the true value",
                says="Not replaced by another one: 1 - (1-p)(m-1)/m = p + (1-p)/m.",
                variables={"p": 0, "m": 1},
                left=lambda p, m: 1 - (1 - p) * (m - 1) / m,
                right=lambda p, m: p + (1 - p) / m,
            ),
            Identity(
                name="each other value",
                says="The rest is shared by m - 1 values: (1 - (p + (1-p)/m))/(m-1) = (1-p)/m.",
                variables={"p": 0, "m": 2},
                left=lambda p, m: (1 - (p + (1 - p) / m)) / (m - 1),
                right=lambda p, m: (1 - p) / m,
            ),
        ),
        conclusion="The true value and each other one have the printed chances.",
        gives=(
            Gives(relation=OWN, step="the true value", of="right", at=lambda p, m: (p, m)),
            Gives(relation=OTHER, step="each other value", of="right", at=lambda p, m: (p, m)),
        ),
    )


@EQ1.enumeration(
    cases=369,
    perturbed=(
        "splu_ref.channels.elementary:retention larger",
        "splu_proofs.worlds.replaced:published larger",
    ),
)
def the_shipped_mechanism_has_the_matrix() -> Comparisons:
    """Publish columns of up to two records over every outcome of their draws."""
    from ..worlds import replaced  # noqa: PLC0415  it loads numpy and the library

    for p, m in product((Fraction(0), Fraction(1, 3), Fraction(3, 4)), (2, 3, 4)):
        channel = retention(p, dict.fromkeys(range(m), Fraction(1, m)))
        for codes in ((0,), (m - 1,), (0, m - 1)):
            law = replaced.published(codes, m, p)
            for values in product(range(m), repeat=len(codes)):
                wanted = Fraction(1)
                for own, seen in zip(codes, values, strict=True):
                    wanted *= channel.probability(own, seen)
                    yield (
                        channel.probability(own, seen),
                        "=",
                        (p if own == seen else 0) + (1 - p) / m,
                        "the matrix",
                    )
                yield (law.get(values, Fraction(0)), "=", wanted, f"p = {p}, m = {m}: {codes} as {values}")
