"""splu.T4: the privacy theorem, read for counts of single sensitive values."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.guarantees import privacy_minimum

from ..arithmetic.law import error_beyond, probability_mass
from ..arithmetic.trials import MIX, MODE_FALLS, MODE_RISES, NEXT, PASCAL
from ..terms import Claim, Comparisons, Derivation, Grade, Kernel, Status

T4 = Claim(
    id="splu.T4",
    module=__name__,
    source="Fu et al. 2014, §5.3, Theorem 4",
    title="small-sum privacy, for a count estimated by f'",
    statement=(
        r"T_P = \min_{1\le f\le\alpha}"
        r"\Bigl(1-\sum_{x=\lceil(1-\varepsilon)f\rceil}^{\lfloor(1+\varepsilon)f\rfloor}"
        r"\tbinom{\gamma f}{x}\gamma^{-x}(1-\tfrac1\gamma)^{\gamma f-x}\Bigr)"
    ),
    words=(
        "Read for the count of a sensitive value, estimated by its published count, the theorem is Lemma 2 "
        "and holds. It promises something, T_P > 0, exactly when epsilon < gamma - 1; for epsilon < 1/alpha "
        "it is 1 - (1-1/gamma)^(gamma-1). It is not a statement about counts of conjunctions reconstructed "
        "from the published table."
    ),
    hypotheses=(r"\gamma \ge 2", r"\varepsilon > 0", r"\alpha \ge 1", r"\text{the estimate is } f'"),
    status=Status.PROVED,
    grade=Grade.KERNEL,
    rests_on=("splu.D2", "splu.L2"),
    licenses=("splu_ref.guarantees.privacy",),
    tests=(
        "tests/guarantees/test_privacy.py::test_against_the_minimum_over_every_count",
        "tests/guarantees/test_count_error.py::test_the_two_forms_differ_exactly_where_epsilon_f_is_whole",
    ),
    kernel=Kernel(
        theorems=(
            "Levels.printed_level_law",
            "Levels.level_holds_for_every_count",
            "Levels.promises_something",
            "Levels.closed_form_for_small_epsilon",
        ),
        covers=(
            "The whole statement, for every gamma >= 2, alpha >= 1 and rational epsilon > 0; that the level "
            "is positive exactly if epsilon < gamma - 1; and the closed form for epsilon < 1/alpha."
        ),
    ),
)


@T4.derivation
def the_summand_is_the_law() -> Derivation:
    """Recognize Lemma 2, and its closed form for epsilon < 1/alpha."""
    return Derivation(
        setting=(
            "b(m; a) = C(m, a) gamma^-a (1-1/gamma)^(m-a), the printed summand at m = gamma f, is C(m, a) "
            "(gamma-1)^(m-a)/gamma^m, the probability of a successes in m trials of probability 1/gamma."
        ),
        steps=(NEXT, MODE_RISES, MODE_FALLS, PASCAL, MIX),
        conclusion=(
            "The formula is that of splu.L2. For epsilon < 1/alpha the window is x = f alone, and its "
            "probability, the largest of its law, does not rise with f by the last two steps: the minimum is "
            "at f = 1, T_P = 1 - (1-1/gamma)^(gamma-1). The published count lies in 0 .. gamma f, so an "
            "error of more than epsilon f is possible, at every f alike, exactly if epsilon f < (gamma-1) f."
        ),
    )


@T4.computation(cases=144, perturbed="splu_proofs.arithmetic.law:error_beyond larger")
def the_closed_form_for_small_epsilon() -> Comparisons:
    """At gamma 2..10, alpha 1..15, epsilon = 1/(alpha+1): T_P = 1 - (1-1/gamma)^(gamma-1)."""
    for gamma in range(2, 11):
        closed = 1 - Fraction(gamma - 1, gamma) ** (gamma - 1)
        yield (
            closed,
            "=",
            1 - probability_mass(gamma, 1, 1),
            f"gamma = {gamma}: b(gamma; 1) is something else",
        )
        for alpha in range(1, 16):
            epsilon = Fraction(1, alpha + 1)
            least = min(error_beyond(gamma, epsilon, f) for f in range(1, alpha + 1))
            yield (least, "=", closed, f"gamma = {gamma}, alpha = {alpha}")


@T4.computation(cases=44, perturbed="splu_proofs.arithmetic.law:error_beyond larger")
def when_it_promises_something() -> Comparisons:
    """Compare T_P > 0 with epsilon < gamma - 1, for gamma 2..5, alpha 4 and epsilon in halves."""
    for gamma in range(2, 6):
        for halves in range(1, 12):
            epsilon = Fraction(halves, 2)
            level = min(error_beyond(gamma, epsilon, f) for f in range(1, 5))
            yield ((level > 0), "=", (epsilon < gamma - 1), f"gamma = {gamma}, epsilon = {epsilon}: {level}")


@T4.computation(cases=3, perturbed="splu_ref.guarantees.privacy:privacy_parameters doubled")
def the_library_follows() -> Comparisons:
    """Compare the library with the closed form."""
    for gamma in (2, 5, 10):
        closed = 1 - Fraction(gamma - 1, gamma) ** (gamma - 1)
        yield (privacy_minimum(gamma, Fraction(1, 20), 19).t_p.exact(), "=", closed, f"gamma = {gamma}")
