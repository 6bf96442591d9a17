"""splu.E1: example 1, which is true."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.guarantees import error_probability

from ..arithmetic.law import error_beyond, probability_mass
from ..terms import Claim, Comparisons, Grade, Status, decimal

E1 = Claim(
    id="splu.E1",
    module=__name__,
    source="Fu et al. 2014, §4.2, Example 1",
    title="example 1",
    statement=(
        r"\gamma=10,\ f=5,\ \varepsilon=0.3:\quad \Pr(4\le f'\le 6) = 0.52,\quad \Pr(|f'-f|>\varepsilon f) "
        r"= 0.48"
    ),
    words=(
        "True to the two digits that are printed: the published count of a value with 5 records is 4, 5 or "
        "6 with probability 0.519932..., so it errs by more than 0.3 f with probability 0.480067..."
    ),
    status=Status.PROVED,
    grade=Grade.EXACT,
    complete="it is about two numbers",
    rests_on=("splu.B",),
    licenses=("splu_ref.guarantees.count_error:error_probability",),
    tests=("tests/guarantees/test_count_error.py::test_example_1_of_the_paper",),
)


@E1.computation(cases=4, perturbed="splu_proofs.arithmetic.law:error_beyond larger")
def summed_in_fractions() -> Comparisons:
    """Sum three terms, and the two tails on their own."""
    within = sum((probability_mass(10, 5, k) for k in (4, 5, 6)), Fraction(0))
    outside = error_beyond(10, Fraction(3, 10), 5)
    yield (within + outside, "=", 1, "window and tails do not add up to 1")
    yield (decimal(within, 6), "=", "0.519932...", f"the window is {decimal(within, 6)}")
    yield (round(within, 2), "=", Fraction("0.52"), "the print of the window, rounded")
    yield (round(outside, 2), "=", Fraction("0.48"), "the print of the error, rounded")


@E1.computation(
    cases=2,
    perturbed=(
        "splu_ref.guarantees.count_error:error_probability larger",
        "splu_proofs.arithmetic.law:error_beyond larger",
    ),
)
def the_library_follows() -> Comparisons:
    """Compare the library's error probability, in both forms, with the tails."""
    truth = error_beyond(10, Fraction(3, 10), 5)
    yield (
        error_probability(10, Fraction(3, 10), 5, strict=True).exact(),
        "=",
        truth,
        "the strict form differs",
    )
    yield (
        error_probability(10, Fraction(3, 10), 5).exact(),
        "=",
        truth,
        "the two forms differ though 3/10 f is not whole",
    )
