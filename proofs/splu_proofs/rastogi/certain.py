"""rastogi.DN: a bound on prior over posterior leaves published tuples certain."""

from __future__ import annotations

from fractions import Fraction

from ..terms import Claim, Grade, Status, Witness

DN = Claim(
    id="rastogi.DN",
    module=__name__,
    source="Rastogi, Suciu, Hong 2007 (summary), first bullet",
    title="privacy as prior over posterior",
    statement=r"\frac{\Pr[t]}{\Pr[t \mid V]} \le \frac\gamma d \;\Longrightarrow\; \Pr[t \mid V] \le \gamma",
    words=(
        "The first bullet calls the prior over the posterior the privacy, Definition 2.3 bounds the "
        "posterior over the prior. As an inequality the one is the reciprocal of the other: that is "
        "condition (i). As a definition of privacy by itself it is not enough. Publish each tuple with 1/3 "
        "and no fakes: at d = 1/3, gamma = 1/2 the ratio is below 3/2 = gamma/d, and whoever sees a tuple is "
        "certain of it."
    ),
    hypotheses=(r"0 < \Pr[t] \le d \le \gamma < 1",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("rastogi.D23",),
    corrected_by="rastogi.T43c",
)


@DN.refutation
def a_certain_adversary() -> Witness:
    """At d = 1/3, gamma = 1/2, alpha = 1/3, beta = 0 a published tuple is certain."""
    return Witness(
        parameters={
            "d": Fraction(1, 3),
            "gamma": Fraction(1, 2),
            "alpha": Fraction(1, 3),
            "beta": Fraction(0),
        },
        premises=(lambda d, gamma, _alpha, _beta: 0 < d <= gamma < 1,),
        allowed=lambda _d, gamma, _alpha, _beta: gamma,
        actual=lambda d, gamma, alpha, _beta: _certain(d, gamma, alpha),
        printed=Fraction(1, 2),
        true=Fraction(1),
        smaller=lambda: (
            (Fraction(1, 2), Fraction(1, 2), Fraction(k, 60), Fraction(0)) for k in range(1, 61)
        ),
        count=60,
        order="the largest denominator of d and gamma, whatever alpha is, with beta = 0",
        perturbed="splu_proofs.rastogi.certain:_certain larger",
        by_hand=(
            "A tuple that is seen is in I: its posterior is 1. Of one that is not seen, with prior x, the "
            "posterior is x (2/3)/(1 - x/3), so prior over posterior is 3/2 - x/2, below gamma/d = 3/2."
        ),
    )


def _certain(d: Fraction, gamma: Fraction, alpha: Fraction) -> Fraction:
    """Return the largest posterior without fakes, if prior over posterior stays at gamma/d; else 0."""
    kept = alpha < 1 and 1 / (1 - alpha) <= gamma / d
    return Fraction(1) if kept else Fraction(0)
