"""olap.ADD: what a number with Gaussian noise far below the range discloses."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.channels import natural_logarithm

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status

ADD = Claim(
    id="olap.ADD",
    module=__name__,
    source="Agrawal et al. 2005, §2",
    title="an age of -60 with Gaussian noise",
    statement=(
        r"\frac{\Pr[X < 20 \mid X + Z = -60]}{\Pr[X \ge 20 \mid X + Z = -60]} \ge e^{159/40}\, "
        r"\frac{\Pr[X < 20]}{\Pr[X \ge 20]} > 53\, \frac{\Pr[X < 20]}{\Pr[X \ge 20]}"
    ),
    words=(
        "True if the ages below 20 have a prior to speak of: seeing -60 multiplies the odds of an age below "
        "20 by more than 53 under every prior on the ages 0, 1, 2, ..., and by far more if they are well "
        "below: with equally likely ages 0 to 99 the posterior exceeds 1 - 10^-28. It is not true of the "
        "noise alone: with a prior of one in a thousand on 19 and the rest on 20 the posterior is about 5 "
        "%, and if no age is below 20 it stays 0. If 20 is read as the standard deviation, the factor 53 "
        "becomes 1.2."
    ),
    hypotheses=(
        r"Z \sim \mathrm{N}(0, 20), \text{ variance } 20",
        r"X \in \{0, 1, 2, \dots\}",
        r"0 < \Pr[X < 20] < 1",
    ),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    tests=("tests/channels/test_interval_privacy.py::test_what_is_left_is_left_by_the_posterior",),
)


@ADD.derivation
def densities_at_minus_sixty() -> Derivation:
    """Compare the exponents of the density at ages below and from 20."""
    return Derivation(
        setting=(
            "The density of -60 given the age x is a constant times exp(-(x+60)^2/40). a is an age below 20 "
            "and b one of 20 or more."
        ),
        steps=(
            Inequality(
                name="a larger age makes it less likely",
                says="(b+60)^2 >= (a+60)^2 for b >= a >= 0: at most 79^2 up to 19, at least 80^2 from 20 on.",
                variables=("a", "b"),
                given=lambda a, b: (a, b - a),
                slack=lambda a, d: (a, a + d),
                then=lambda a, b: (b + 60) ** 2 - (a + 60) ** 2,
            ),
            Identity(
                name="the exponent",
                says="80^2/40 - 79^2/40 = 159/40, here for any two neighboring numbers: (2 n + 1)/40.",
                variables={"n": 0},
                left=lambda n: (n + 1) ** 2 / 40 - n**2 / 40,
                right=lambda n: (2 * n + 1) / 40,
            ),
        ),
        conclusion=(
            "Each age below 20 makes -60 at least e^(159/40) times as likely as each age from 20 on, so the "
            "odds grow at least so much. That e^(159/40) > 53 is computed."
        ),
    )


@ADD.computation(cases=8, perturbed="splu_ref.channels.logarithms:natural_logarithm larger")
def the_factors() -> Comparisons:
    """Compare e^(159/40), e^70 and, for a standard deviation of 20, e^(159/800) with whole numbers."""
    yield (natural_logarithm(Fraction(53)).upper, "<", Fraction(159, 40), "e^(159/40) is not above 53")
    yield (natural_logarithm(Fraction(54)).lower, ">", Fraction(159, 40), "e^(159/40) is above 54")
    # ages 20 to 99 against the age 0 alone: at most 80 e^(60^2/40 - 80^2/40) to 1
    many, ten = natural_logarithm(Fraction(80)), natural_logarithm(Fraction(10))
    yield (many.upper - 70, "<", -28 * ten.upper, "the posterior is not above 1 - 10^-28")
    yield (Fraction(5, 100), "<", Fraction(53, 53 + 999), "about 5 %")
    yield (Fraction(53, 53 + 999), "<", Fraction(54, 54 + 999), "about 5 %")
    yield (Fraction(54, 54 + 999), "<", Fraction(52, 1000), "about 5 %")
    wide = Fraction(159, 800)
    low, high = natural_logarithm(Fraction(121, 100)), natural_logarithm(Fraction(123, 100))
    yield (low.upper, "<", wide, "the factor at a standard deviation of 20 is not about 1.22")
    yield (wide, "<", high.lower, "the factor at a standard deviation of 20 is not about 1.22")
