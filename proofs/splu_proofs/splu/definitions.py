"""Definitions 1 to 4: what is promised, and to whom the promise belongs."""

from __future__ import annotations

from fractions import Fraction

from ..arithmetic.law import error, error_beyond, probability_mass
from ..terms import Claim, Comparisons, Status

D1 = Claim(
    id="splu.D1",
    module=__name__,
    source="Fu et al. 2014, §2, Definition 1",
    title="large-sum utility",
    statement=r"f \ge T_f \;\Longrightarrow\; \Pr(|f'-f| \ge \varepsilon f) \le T_E",
    words=(
        "A concept has (epsilon, T_E, T_f) utility if its estimated count f' is wrong by epsilon f or more "
        "with probability at most T_E, whenever its true count f is at least T_f. The prose beside the "
        "definition counts only errors of more than epsilon f. The two differ exactly when epsilon f is a "
        "whole number; the formula is followed."
    ),
    hypotheses=(r"\varepsilon > 0", r"0 \le T_E \le 1", r"T_f \ge 1"),
    status=Status.DEFINITION,
    grade=None,
    licenses=("splu_ref.channels.parameters:UtilityClaim",),
)


@D1.computation(cases=2, perturbed="splu_proofs.arithmetic.law:error larger")
def formula_and_prose_differ() -> Comparisons:
    """Compare the readings at gamma = 10, epsilon = 3/10, for f = 10 and f = 9."""
    gamma, epsilon = 10, Fraction(3, 10)
    on_the_line = probability_mass(gamma, 10, 7) + probability_mass(gamma, 10, 13)
    yield (
        error(gamma, epsilon, 10) - error_beyond(gamma, epsilon, 10),
        "=",
        on_the_line,
        "they differ otherwise",
    )
    yield (
        error(gamma, epsilon, 9),
        "=",
        error_beyond(gamma, epsilon, 9),
        "they differ where epsilon f is not whole",
    )


D2 = Claim(
    id="splu.D2",
    module=__name__,
    source="Fu et al. 2014, §2, Definition 2",
    title="small-sum privacy",
    statement=r"1 \le f \le \alpha \;\Longrightarrow\; \Pr(|f'-f| \ge \varepsilon f) \ge T_P",
    words=(
        "Small-sum privacy with (epsilon, T_P, alpha): every count from 1 to alpha is estimated wrongly, "
        "by epsilon f or more, with probability at least T_P. The property belongs to a pair of mechanism "
        "and estimator. Of the mechanism alone it can never hold: the estimator that always says 1 is "
        "exactly right at f = 1, whatever was published."
    ),
    hypotheses=(r"\varepsilon > 0", r"0 \le T_P \le 1", r"\alpha \ge 1"),
    status=Status.DEFINITION,
    grade=None,
    licenses=("splu_ref.channels.parameters:PrivacyClaim",),
)


@D2.computation(cases=2, perturbed="splu_proofs.arithmetic.law:probability_mass larger")
def the_constant_estimator_is_right_at_one() -> Comparisons:
    """For f = 1 and the estimate 1, abs(1 - f) >= epsilon f is false for every epsilon > 0."""
    law = [(probability_mass(3, 1, k), 1) for k in range(4)]  # (probability of f', the estimate made from it)
    wrong = sum((p for p, estimate in law if abs(estimate - 1) > 0), Fraction(0))
    yield (sum(p for p, _ in law), "=", 1, "the law does not sum to 1")
    yield (wrong, "=", 0, "the constant estimator errs at f = 1")


D3 = Claim(
    id="splu.D3",
    module=__name__,
    source="Fu et al. 2014, §2, Definition 3",
    title="the problem",
    statement=(
        r"\text{one mechanism with } (\varepsilon,T_E,T_f)\text{ utility and "
        r"}(\varepsilon,T_P,\alpha)\text{ privacy}"
    ),
    words=(
        "The problem is to find one mechanism that has large-sum utility and small-sum privacy at once, for "
        "the users' thresholds."
    ),
    hypotheses=(r"\alpha < T_f",),
    status=Status.DEFINITION,
    grade=None,
    rests_on=("splu.D1", "splu.D2"),
    licenses=("splu_ref.channels.parameters:SpluRequirement",),
)

D4 = Claim(
    id="splu.D4",
    module=__name__,
    source="Fu et al. 2014, §2, Definition 4",
    title="privacy guarantee of one concept",
    statement=r"\Pr(|f'_c-f_c| \ge \varepsilon f_c) \ge T_P",
    words=(
        "One concept c has an (epsilon, T_P) guarantee if its count is estimated wrongly with probability "
        "at least T_P."
    ),
    hypotheses=(r"\varepsilon > 0", r"f_c \ge 1"),
    status=Status.DEFINITION,
    grade=None,
    rests_on=("splu.D2",),
    licenses=("splu_ref.channels.parameters:ConceptGuarantee",),
)
