"""rastogi.T43: the printed conditions on alpha and beta suffice for (d, gamma)-privacy."""

from __future__ import annotations

from ..terms import Claim, Derivation, Grade, Identity, Status
from .posteriors import growth, seen_condition, unseen_condition

_TESTS = "tests/guarantees/test_tuples.py::"

T43 = Claim(
    id="rastogi.T43",
    module=__name__,
    source="Rastogi, Suciu, Hong 2007 (summary), Theorem 4.3",
    title="sufficient conditions of (d, gamma)-privacy",
    statement=(
        r"\frac{\beta}{\alpha+\beta} \ge \frac{d(1-\gamma)}{\gamma(1-d)} \text{ and } \alpha+\beta \le "
        r"1-\frac d\gamma \;\Longrightarrow\; (d,\gamma)\text{-privacy}"
    ),
    words=(
        "True. The first condition is the exact one for a published tuple, and the second is stronger than "
        "the exact one for a tuple that is not published, by beta d."
    ),
    hypotheses=(r"\alpha > 0,\ \beta \ge 0,\ \alpha+\beta \le 1", r"0 < d \le \gamma < 1"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("rastogi.D23",),
    licenses=("splu_ref.guarantees.tuple_privacy",),
    tests=(_TESTS + "test_the_exact_region_against_priors",),
)


@T43.derivation
def both_conditions_suffice() -> Derivation:
    """Compare the printed conditions with the exact ones."""
    return Derivation(
        setting=(
            "t is published with alpha + beta if it is in I and with beta if not, and nothing else of V "
            "depends on t. So by Bayes the posterior at the prior x is x (alpha+beta)/(x alpha + beta) if t "
            "is in V and x (1-alpha-beta)/(1-beta-x alpha) if not."
        ),
        steps=(
            growth(),
            seen_condition(),
            unseen_condition(),
            Identity(
                name="the printed second condition",
                says=(
                    "(1-alpha-beta) gamma - (1-beta) d = gamma (1 - d/gamma - alpha - beta) + beta d: the "
                    "exact condition has beta d more room."
                ),
                variables={"alpha": 1, "beta": 1, "d": 1, "gamma": 1},
                left=lambda alpha, beta, d, gamma: (1 - alpha - beta) * gamma - (1 - beta) * d,
                right=lambda alpha, beta, d, gamma: gamma * (1 - d / gamma - alpha - beta) + beta * d,
            ),
        ),
        conclusion="The printed conditions imply the exact ones, and these both parts of Definition 2.3.",
    )
