"""splu.E2: example 2, which is true."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.guarantees import privacy_minimum

from ..arithmetic.law import error, error_beyond
from ..terms import Claim, Comparisons, Grade, Status

E2 = Claim(
    id="splu.E2",
    module=__name__,
    source="Fu et al. 2014, §4.2, Example 2",
    title="example 2",
    statement=r"\gamma=10,\ \alpha=3,\ \varepsilon=0.3:\quad T_P = 1-(9/10)^9 \ge 0.6",
    words=(
        "True. Up to f = 3 only f' = f is within 0.3 f, and the least error probability is at f = 1: one "
        "minus the probability 10 (1/10)(9/10)^9 that exactly one of ten records publishes the value. It "
        "is 0.61257951..."
    ),
    status=Status.PROVED,
    grade=Grade.EXACT,
    complete="it is about three counts",
    rests_on=("splu.L2",),
    licenses=("splu_ref.guarantees.privacy:privacy_minimum",),
    tests=("tests/guarantees/test_privacy.py::test_example_2_of_the_paper",),
)


@E2.computation(cases=4, perturbed="splu_proofs.arithmetic.law:error larger")
def three_counts_in_fractions() -> Comparisons:
    """Compute both forms at f = 1, 2, 3."""
    epsilon = Fraction(3, 10)
    level = 1 - Fraction(9, 10) ** 9
    values = [error_beyond(10, epsilon, f) for f in (1, 2, 3)]
    yield (values, "=", [error(10, epsilon, f) for f in (1, 2, 3)], "the two forms differ")
    yield (min(values), "=", values[0], "the minimum is not at f = 1, or has another value")
    yield (values[0], "=", level, "the minimum is not at f = 1, or has another value")
    yield (level, ">=", Fraction("0.6"), "T_P is below 0.6")


@E2.computation(cases=2, perturbed="splu_ref.guarantees.privacy:privacy_minimum larger")
def the_library_follows() -> Comparisons:
    """Compare the library's minimum."""
    found = privacy_minimum(10, Fraction(3, 10), 3)
    level = 1 - Fraction(9, 10) ** 9
    yield ((found.t_p.exact(), found.argmin), "=", (level, 1), "the minimum differs")
    yield (
        (found.t_p_definition.exact(), found.argmin_definition),
        "=",
        (level, 1),
        "the tight minimum differs",
    )
