"""The error probability of a count and its bounds, against sums over every count."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from property_tests import brute_force
from property_tests.checking import Outcome, check, first_failure
from property_tests.examples import EPSILONS, FREQUENCIES, GAMMAS, for_all
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.channels.parameters import Gamma

GRID_GAMMAS = (2, 3, 5, 10)
GRID_EPSILONS = tuple(Fraction(k, 100) for k in (5, 15, 30, 55, 70, 100, 115, 150))


@check(
    "guarantee.error",
    "property",
    "The error probability equals the sum over every count, with >= and with >; example 1 of the paper is "
    "0.48 (splu.B, splu.E1).",
)
def error(subject: Subject, run: Run) -> Outcome:
    if round(subject.error_probability(10, "0.3", 5), 6) != Fraction("0.480067"):
        return Outcome(False, f"example 1 gives {float(subject.error_probability(10, '0.3', 5))}")

    def holds(gamma: Gamma, epsilon: Fraction, frequency: int) -> None:
        for strict in (False, True):
            found = subject.error_probability(gamma, epsilon, frequency, strict=strict)
            assert found == brute_force.error(gamma, epsilon, frequency, strict=strict), f"strict={strict}"

    return for_all(run, "guarantee.error", holds, GAMMAS, EPSILONS, FREQUENCIES, examples=run.pick(400, 100))


@check(
    "guarantee.bounds",
    "exact",
    "Chebyshev's and Chernoff's bounds are at least the error probability for gamma 2, 3, 5, 10, f up to 20, "
    "epsilon from 0.05 to 1.5, and epsilon = 1/f (splu.T3c).",
)
def bounds(subject: Subject, run: Run) -> Outcome:
    return first_failure(_bound_faults(subject, run.pick(20, 8)), "gamma 2, 3, 5, 10, both bounds")


def _bound_faults(subject: Subject, most: int) -> Iterator[str]:
    for gamma in GRID_GAMMAS:
        for frequency in range(1, most + 1):
            for epsilon in (*GRID_EPSILONS, Fraction(1, frequency)):
                true = brute_force.error(gamma, epsilon, frequency)
                for name in ("chebyshev_bound", "chernoff_bound"):
                    bound = getattr(subject, name)(gamma, epsilon, frequency)
                    if bound < true:
                        yield f"{name}: {bound} < {true} at gamma {gamma}, epsilon {epsilon}, f {frequency}"


@check(
    "guarantee.sawtooth",
    "exact",
    "For every distance j the tails Pr(f' >= f+j) and Pr(f' <= f-j) do not fall as f grows, for gamma 2, 3, "
    "5 and f up to 25; plateau starts and ends are those of ceil(epsilon f) and floor(epsilon f)+1 (splu.S).",
)
def sawtooth(subject: Subject, run: Run) -> Outcome:
    return first_failure(_sawtooth_faults(subject, run.pick(25, 12)), "both tails, both forms of the offset")


def _sawtooth_faults(subject: Subject, most: int) -> Iterator[str]:
    for gamma in (2, 3, 5):
        for distance in range(1, most):
            tails = [
                (
                    Fraction(sum(mass[f + distance :]), scale),
                    Fraction(sum(mass[: max(0, f - distance + 1)]), scale),
                )
                for f in range(1, most + 1)
                for mass, scale in [(brute_force.masses(gamma, f), gamma ** (gamma * f))]
            ]
            for side in (0, 1):
                if any(after[side] < before[side] for before, after in pairwise(tails)):
                    yield f"gamma {gamma}, distance {distance}: a tail falls"
    last = 4 * most
    for epsilon in GRID_EPSILONS:
        for strict in (False, True):
            offsets = [brute_force.offset(epsilon, f, strict=strict) for f in range(1, last + 2)]
            changes = [f for f in range(1, last + 1) if offsets[f] != offsets[f - 1]]  # last f of a plateau
            starts = [1, *(f + 1 for f in changes if f < last)]
            if list(subject.plateau_starts(epsilon, last, strict=strict)) != starts:
                yield f"plateau starts for epsilon {epsilon}, strict={strict}"
            if sorted(subject.plateau_ends(epsilon, last, strict=strict)) != changes:
                yield f"plateau ends for epsilon {epsilon}, strict={strict}"
