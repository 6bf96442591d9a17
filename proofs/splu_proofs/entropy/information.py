"""entropy.I, entropy.Ic: the base of the logarithm that measures information."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from splu_ref.channels import LogForm

from ..claim import Claim, Status
from ..evidence import Grade, require
from ..witness import Witness

SOURCE = "Chirayath et al. 2006, §3.2, equation (1)"

I = Claim(  # noqa: E741  the claim's name in the ledger
    id="entropy.I",
    module=__name__,
    source=SOURCE,
    title="information to any positive base",
    statement=r"I(p) = -\log_b p \ge 0 \text{ for some positive constant } b",
    words=(
        "False for b below 1, where the logarithm changes its sign and information would be negative, "
        "and b = 1 has "
        "no logarithm. For b = 1/2 an event of chance 1/2 would tell -1. It must be b > 1."
    ),
    hypotheses=(r"0 < p \le 1", r"b > 0,\ b \ne 1"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="entropy.Ic",
)

IC = Claim(
    id="entropy.Ic",
    module=__name__,
    source="new; for Chirayath et al. 2006, §3.2",
    title="information to a base above 1",
    statement=r"b > 1:\quad I(p) = -\log_b p \ge 0,\quad I(1) = 0,\quad I(p_1 p_2) = I(p_1) + I(p_2)",
    words=(
        "To every base above 1 the four printed properties hold: at least 0, 0 for what is certain, additive "
        "for independent events, continuous and falling with p. They do not single the logarithm out, as the "
        "constant 0 has them too; with strictly falling for monotone they do (Cauchy's equation, "
        "quoted). The base "
        "is a unit: all losses to the base b are those in bits divided by lg b."
    ),
    hypotheses=(r"0 < p \le 1",),
    status=Status.CORRECTED,
    grade=Grade.EXACT,
    licenses=("splu_ref.channels.logarithms:LogForm",),
    tests=("tests/channels/test_log_form.py::test_another_base",),
)


def _information(p: Fraction, base: Fraction) -> Fraction:
    """Return -log_b p for p and b that are powers of 2, by their exponents."""
    exponents = [number.numerator.bit_length() - number.denominator.bit_length() for number in (p, base)]
    return -Fraction(exponents[0], exponents[1])


@I.refutation
def base_one_half() -> Witness:
    """To the base 1/2, an event of chance 1/2 has information -1."""
    return Witness(
        parameters={"b": "1/2", "p": "1/2"},
        printed=Fraction(0),
        true=Fraction(1),
        recompute=lambda: (Fraction(0), -_information(Fraction(1, 2), Fraction(1, 2))),
        order="the denominator of b, then that of p; values are -I, printed to be at most 0",
        smaller=_smaller,
        by_hand="log to the base 1/2 of 1/2 is 1, so I(1/2) = -1.",
    )


def _smaller() -> Iterator[tuple[str, bool]]:
    for base in range(2, 40):
        yield f"b = {base}: p from 1/12 to 1", all(_sign(Fraction(1, d), base) >= 0 for d in range(1, 13))
    yield "b = 1/2, p = 1", _information(Fraction(1), Fraction(1, 2)) == 0


def _sign(p: Fraction, base: int) -> int:
    """Return the sign of -lg p / lg b for a whole base above 1."""
    return LogForm.lg(1 / p).sign() * LogForm.of({base: 1}).sign()


@IC.computation
def the_printed_properties() -> str:
    """Check them for all p = a/d with d up to 12, to bases 3/2, 2, e's neighbor 19/7 and 10."""
    shares = sorted({Fraction(a, d) for d in range(1, 13) for a in range(1, d + 1)})
    pieces = {p: LogForm.lg(1 / p) for p in shares}
    for unit in (Fraction(3, 2), Fraction(2), Fraction(19, 7), Fraction(10)):
        require(LogForm.lg(unit).sign() > 0, f"lg {unit} is not above 0")  # so dividing by it keeps signs
    require(pieces[Fraction(1)] == LogForm({}), "what is certain tells something")
    for lower, upper in pairwise(shares):
        require(pieces[lower] > pieces[upper] >= LogForm({}), f"between {lower} and {upper} it does not fall")
    pairs = 0
    for first in shares[::3]:
        for second in shares[::3]:
            require(pieces[first] + pieces[second] == LogForm.lg(1 / (first * second)), f"{first}, {second}")
            pairs += 1
    return f"{len(shares)} probabilities, {pairs} products"
