"""T_P and T_f against minima and maxima over every count."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from property_tests import brute_force
from property_tests.checking import Outcome, check, first_failure
from property_tests.run import Run
from property_tests.subject import Subject

PRIVACY_EPSILONS = tuple(Fraction(k, 100) for k in (5, 15, 29, 30, 55, 70, 115))


@check(
    "guarantee.privacy",
    "exact",
    "T_P in both forms, and where it is attained, equals the minimum over every count: gamma 2, 5, 10 with "
    "alpha up to 30, and (10, 0.15, 100), where bounds rounded as floats give 0.1139 for 0.1020 (splu.L2, "
    "splu.E2).",
)
def privacy(subject: Subject, run: Run) -> Outcome:
    return first_failure(_privacy_faults(subject, run), "gamma 2, 5, 10, both forms")


def _privacy_faults(subject: Subject, run: Run) -> Iterator[str]:
    if subject.privacy_minimum(10, "0.3", 3).t_p != 1 - Fraction(9, 10) ** 9:
        yield "example 2 is not 1 - (9/10)^9"
    settings = [
        (gamma, epsilon, alpha)
        for gamma in (2, 5, 10)
        for epsilon in PRIVACY_EPSILONS
        for alpha in run.pick((1, 4, 13, 30), (4, 13))
    ]
    for gamma, epsilon, alpha in [*settings, (10, Fraction(3, 20), 100)]:
        found = subject.privacy_minimum(gamma, epsilon, alpha)
        for strict, value, argmin in (
            (True, found.t_p, found.argmin),
            (False, found.t_p_definition, found.argmin_definition),
        ):
            least = min((brute_force.error(gamma, epsilon, f, strict=strict), f) for f in range(1, alpha + 1))
            if (value, argmin) != least:
                yield (
                    f"gamma {gamma}, epsilon {epsilon}, alpha {alpha}, strict={strict}: {float(value)} at "
                    f"f = {argmin} instead of {float(least[0])} at f = {least[1]}"
                )


THRESHOLDS = (
    (2, "1/2", "1/10"),
    (3, "1/2", "1/10"),
    (3, "1", "1/20"),
    (5, "1/2", "1/20"),
    (5, "2/5", "1/10"),
    (10, "3/4", "1/100"),
)


@check(
    "guarantee.threshold",
    "exact",
    "The error probability exceeds T_E at T_f - 1 and at no count from T_f to 2 T_f + 40, in six settings "
    "(splu.L1c).",
)
def threshold(subject: Subject, run: Run) -> Outcome:
    return first_failure(_threshold_faults(subject, run), "the least and sufficient")


def _threshold_faults(subject: Subject, run: Run) -> Iterator[str]:
    for gamma, epsilon, allowed in THRESHOLDS[: run.pick(6, 3)]:
        limit, share = Fraction(allowed), Fraction(epsilon)
        found = subject.utility_threshold(gamma, epsilon, allowed).threshold
        if found > 1 and brute_force.error(gamma, share, found - 1) <= limit:
            yield f"gamma {gamma}, epsilon {epsilon}, T_E {allowed}: {found} is not the least"
        for frequency in range(found, 2 * found + 41):
            if brute_force.error(gamma, share, frequency) > limit:
                yield f"gamma {gamma}, epsilon {epsilon}, T_E {allowed}: fails at f = {frequency} >= {found}"
                break
