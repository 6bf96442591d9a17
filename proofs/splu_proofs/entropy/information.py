"""entropy.I, entropy.Ic: the base of the logarithm that measures information."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

from splu_ref.channels import LogForm

from ..terms import Case, Claim, Comparisons, Grade, Status, Witness

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
        "no logarithm. For b = 1/2 an event of chance 1/2 would have the information -1. It must be b > 1."
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
        "constant 0 has them too; with strictly falling for monotone they do (Cauchy's equation, quoted). "
        "The base is a unit: all losses to the base b are those in bits divided by lg b."
    ),
    hypotheses=(r"0 < p \le 1",),
    status=Status.CORRECTED,
    grade=Grade.EXACT,
    instances="p = a/d with d <= 12, bases 3/2, 2, 19/7 and 10",
    licenses=("splu_ref.channels.logarithms:LogForm",),
    tests=("tests/channels/test_log_form.py::test_another_base",),
)


@I.refutation
def base_one_half() -> Witness:
    """To the base 1/2, an event of chance 1/2 has information -1."""
    return Witness(
        parameters={"b": Fraction(1, 2), "p": Fraction(1, 2)},
        premises=(lambda _b, p: 0 < p <= 1, lambda b, _p: b > 0 and b != 1),
        allowed=lambda *_: Fraction(0),
        actual=lambda b, p: Fraction(-_sign(p, b)),
        printed=Fraction(0),
        true=Fraction(1),
        smaller=_smaller,
        count=457,
        order="the denominator of b, then that of p; values are the sign of -I, printed to be at most 0",
        perturbed="splu_ref.channels.logarithms:LogForm.sign larger",
        by_hand="log to the base 1/2 of 1/2 is 1, so I(1/2) = -1.",
    )


def _smaller() -> Iterator[Case]:
    for base, d in product(range(2, 40), range(1, 13)):
        yield Fraction(base), Fraction(1, d)
    yield Fraction(1, 2), Fraction(1)


def _sign(p: Fraction, base: Fraction) -> int:
    """Return the sign of -log_b p."""
    return LogForm.lg(1 / p).sign() * LogForm.lg(base).sign()


@IC.computation(cases=351, perturbed="splu_ref.channels.logarithms:LogForm.lg larger")
def the_printed_properties() -> Comparisons:
    """Check them for all p = a/d with d up to 12, to bases 3/2, 2, e's neighbor 19/7 and 10."""
    shares = sorted({Fraction(a, d) for d in range(1, 13) for a in range(1, d + 1)})
    pieces = {p: LogForm.lg(1 / p) for p in shares}
    for unit in (Fraction(3, 2), Fraction(2), Fraction(19, 7), Fraction(10)):
        yield (LogForm.lg(unit).sign(), ">", 0, f"lg {unit} is not above 0")
    yield (pieces[Fraction(1)], "=", LogForm({}), "a certain event has information")
    for lower, upper in pairwise(shares):
        yield (pieces[lower], ">", pieces[upper], f"between {lower} and {upper} it does not fall")
        yield (pieces[upper], ">=", LogForm({}), f"between {lower} and {upper} it does not fall")
    for first in shares[::3]:
        for second in shares[::3]:
            yield (
                pieces[first] + pieces[second],
                "=",
                LogForm.lg(1 / (first * second)),
                f"{first}, {second}",
            )
