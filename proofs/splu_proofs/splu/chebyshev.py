"""splu.T3c: the error bounds that hold instead of Theorem 3, by Chebyshev and by rational Chernoff tilts."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from splu_ref.guarantees import chebyshev_bound, chernoff_bound, error_probability

from ..arithmetic.law import at_least, at_most, error
from ..terms import (
    Claim,
    Comparisons,
    Derivation,
    Gives,
    Grade,
    Identity,
    Inequality,
    Kernel,
    Quantity,
    Relation,
    Status,
)

EPSILONS = tuple(map(Fraction, ("1/10", "3/10", "1/2", "1", "3/2")))
TILTS = tuple(map(Fraction, ("1/3", "3/4", "1", "5/4", "2")))

CHEBYSHEV = Relation(
    variables=("gamma", "f", "epsilon"),
    left=Quantity(
        r"\Pr(|f'-f| \ge \varepsilon f)", lambda gamma, f, epsilon: error(gamma, Fraction(epsilon), f)
    ),
    sign="<=",
    right=lambda gamma, f, epsilon: (gamma - 1) / (gamma * epsilon**2 * f),
    cases=lambda: ((gamma, f, e) for gamma in (2, 3, 5, 10) for f in (1, 2, 7, 20) for e in EPSILONS),
)
CHERNOFF_ABOVE = Relation(
    variables=("gamma", "f", "a", "z"),
    left=Quantity(r"\Pr(f' \ge a)", lambda gamma, f, a, _z: at_least(gamma, f, a)),
    sign="<=",
    right=lambda gamma, f, a, z: (1 + (z - 1) / gamma) ** (gamma * f) / z**a,
    cases=lambda: (case for case in _tails() if case[-1] >= 1),
)
CHERNOFF_BELOW = Relation(
    variables=("gamma", "f", "a", "z"),
    left=Quantity(r"\Pr(f' \le a)", lambda gamma, f, a, _z: at_most(gamma, f, a)),
    sign="<=",
    right=CHERNOFF_ABOVE.right,
    cases=lambda: (case for case in _tails() if case[-1] <= 1),
)


def _tails() -> Iterator[tuple[int, int, int, Fraction]]:
    return (
        (gamma, f, a, z) for gamma in (2, 3, 5) for f in (1, 2, 6) for a in range(gamma * f) for z in TILTS
    )


T3C = Claim(
    id="splu.T3c",
    module=__name__,
    source="corrects Fu et al. 2014, §4.1, Theorem 3",
    title="error bounds that hold",
    statement=(
        rf"{CHEBYSHEV.latex};\quad {CHERNOFF_ABOVE.latex}\ (z \ge 1),\quad "
        rf"{CHERNOFF_BELOW.latex}\ (0 < z \le 1)"
    ),
    asserts=(CHEBYSHEV, CHERNOFF_ABOVE, CHERNOFF_BELOW),
    words=(
        "Chebyshev's inequality with the right variance, and Chernoff's with rational tilts z and whole "
        "exponents a = ceil((1+epsilon) f) above and a = floor((1-epsilon) f) below, so that both bounds "
        "are fractions. Neither is always the sharper: at gamma = 10, f = 400, epsilon = 7/100 Chebyshev "
        "gives 0.459 and the two-sided Chernoff bound 0.672. For epsilon > 1 the lower tail is empty."
    ),
    hypotheses=(r"\gamma \ge 2", r"f \ge 1", r"\varepsilon > 0", r"z \in \mathbb{Q}"),
    status=Status.CORRECTED,
    grade=Grade.KERNEL,
    rests_on=("splu.B",),
    licenses=("splu_ref.guarantees.concentration",),
    tests=(
        "tests/guarantees/test_concentration.py::test_both_are_upper_bounds",
        "tests/guarantees/test_concentration.py::test_chebyshev_has_the_variance_once",
    ),
    kernel=Kernel(
        theorems=("Chebyshev.chebyshev", "Chernoff.chernoff_above", "Chernoff.chernoff_below"),
        covers=(
            "The whole statement: Chebyshev's bound for every gamma >= 2, f >= 1 and rational epsilon > "
            "0, and both Chernoff bounds for every gamma >= 2, f, a >= 0 and rational tilt."
        ),
        leaves="Which of the two is the smaller, and that the library computes them: computations below.",
    ),
)


@T3C.derivation
def chebyshev_with_the_right_variance() -> Derivation:
    """Markov's inequality for (f' - f)^2, whose mean is the variance of splu.B."""
    return Derivation(
        setting=(
            "epsilon f = d/c in whole numbers; u = c |f' - f| is whole too. An error means u >= d. "
            "E (f' - f)^2 = f (gamma-1)/gamma by splu.B."
        ),
        steps=(
            Inequality(
                name="an error is paid for",
                says=(
                    "u >= d >= 0 gives u^2 >= d^2: the square over d^2 is at least 1 where there is an error."
                ),
                variables=("u", "d"),
                given=lambda u, d: (u - d, d),
                slack=lambda s, d: (s + d, d),
                then=lambda u, d: u**2 - d**2,
            ),
            Identity(
                name="the mean of the payment",
                says="Var f' / (epsilon f)^2 = (gamma-1)/(gamma epsilon^2 f).",
                variables={"gamma": 2, "f": 1, "epsilon": 1},
                left=lambda gamma, f, epsilon: f * (1 - 1 / gamma) / (epsilon * f) ** 2,
                right=lambda gamma, f, epsilon: (gamma - 1) / (gamma * epsilon**2 * f),
            ),
        ),
        conclusion="The indicator of an error is at most (f'-f)^2/(epsilon f)^2; take means.",
        gives=(
            Gives(
                relation=CHEBYSHEV,
                step="the mean of the payment",
                of="right",
                at=lambda gamma, f, epsilon: (gamma, f, epsilon),
            ),
        ),
    )


@T3C.derivation
def chernoff_with_rational_tilts() -> Derivation:
    """z^(X - a) is at least the indicator of the tail, and its mean multiplies trial by trial."""
    return Derivation(
        setting=(
            "z = x/y in whole numbers, x, y >= 1. p = 1/gamma. 'power' stands for z^j or for E z^(X_m), "
            "which is positive."
        ),
        steps=(
            Inequality(
                name="above the threshold, z >= 1",
                says=(
                    "x >= y gives power (x - y) >= 0, that is z^(j+1) >= z^j: from z^0 = 1 on, z^(X-a) >= "
                    "1 for X >= a."
                ),
                variables=("x", "y", "power"),
                given=lambda x, y, power: (x - y, y, power),
                slack=lambda s, y, power: (s + y, y, power),
                then=lambda x, y, power: power * x - power * y,
            ),
            Inequality(
                name="below the threshold, z <= 1",
                says=(
                    "y >= x gives power (y - x) >= 0, that is (1/z)^(j+1) >= (1/z)^j: z^(X-a) >= 1 for X "
                    "<= a."
                ),
                variables=("x", "y", "power"),
                given=lambda x, y, power: (x, y - x, power),
                slack=lambda x, s, power: (x, s + x, power),
                then=lambda x, y, power: power * y - power * x,
            ),
            Identity(
                name="one trial",
                says=(
                    "E z^(X_{m+1}) = (1-p) power + p z power = power (1 + (z-1)/gamma); after gamma f "
                    "trials from E z^0 = 1."
                ),
                variables={"gamma": 2, "z": 1, "power": 0},
                left=lambda gamma, z, power: (1 - 1 / gamma) * power + (1 / gamma) * z * power,
                right=lambda gamma, z, power: power * (1 + (z - 1) / gamma),
            ),
        ),
        conclusion=(
            "Either tail's indicator is at most z^(X-a); its mean is (1+(z-1)/gamma)^(gamma f) z^(-a)."
        ),
        gives=tuple(
            Gives(
                relation=relation,
                step="one trial",  # the last one, with power for the mean of z^(X-a) before it
                of="right",
                at=lambda gamma, f, a, z: (gamma, z, (1 + (z - 1) / gamma) ** (gamma * f - 1) / z**a),
            )
            for relation in (CHERNOFF_ABOVE, CHERNOFF_BELOW)
        ),
    )


def chernoff_tail(gamma: int, f: int, a: int, z: Fraction) -> Fraction:
    """Return the bound of Pr(X_f >= a) for a tilt z >= 1, and of Pr(X_f <= a) for 0 < z <= 1."""
    return (1 + (z - 1) / gamma) ** (gamma * f) / z**a


def best_tilt(gamma: int, f: int, a: int) -> Fraction:
    """Return the tilt at which the bound at ``a`` is least: a (gamma-1)/(gamma f - a), a fraction."""
    return Fraction(a * (gamma - 1), gamma * f - a)


@T3C.computation(cases=11210, perturbed="splu_proofs.arithmetic.law:error larger")
def both_bounds_hold_in_a_block_of_cases() -> Comparisons:
    """At gamma 2..6, f 1..20, every step point of epsilon; tilts in quarters beside the best one."""
    for gamma in range(2, 7):
        for f in range(1, 21):
            for distance in range(1, 3 * f):
                epsilon = Fraction(distance, f)
                chebyshev = (gamma - 1) / (gamma * epsilon**2 * f)
                yield (
                    error(gamma, epsilon, f),
                    "<=",
                    chebyshev,
                    f"Chebyshev fails at {gamma}, {f}, {epsilon}",
                )
        for f in range(1, 9):
            for a in range(1, gamma * f):
                for z in (
                    Fraction(1, 2),
                    Fraction(3, 4),
                    Fraction(1),
                    Fraction(5, 4),
                    Fraction(2),
                    best_tilt(gamma, f, a),
                ):
                    bound = chernoff_tail(gamma, f, a, z)
                    yield (
                        0 if z < 1 else at_least(gamma, f, a),
                        "<=",
                        bound,
                        f"Chernoff fails above at {gamma}, {f}, {a}, {z}",
                    )
                    yield (
                        0 if z > 1 else at_most(gamma, f, a),
                        "<=",
                        bound,
                        f"Chernoff fails below at {gamma}, {f}, {a}, {z}",
                    )


@T3C.computation(
    cases=5,
    perturbed=("splu_proofs.splu.chebyshev:_both larger", "splu_proofs.splu.chebyshev:chernoff_tail larger"),
)
def neither_is_always_sharper() -> Comparisons:
    """Two cases at gamma = 10, the Chernoff bound at its best tilts, both tails."""
    near, far = _both(10, 400, Fraction(7, 100)), _both(10, 100, Fraction(3, 5))
    yield (Fraction("0.459"), "<=", near[0], "Chebyshev's bound is not 0.459...")
    yield (near[0], "<", Fraction("0.460"), "Chebyshev's bound is not 0.459...")
    yield (Fraction("0.672"), "<=", near[1], "Chernoff's bound is not 0.672...")
    yield (near[1], "<", Fraction("0.673"), "Chernoff's bound is not 0.672...")
    yield (far[1], "<", far[0] / 100, "Chernoff's bound is not the sharper far out")


def _both(gamma: int, f: int, epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Return Chebyshev's bound and the sum of the best Chernoff bounds of the two tails."""
    ends = (-(-(1 + epsilon) * f // 1), (1 - epsilon) * f // 1)
    chernoff = sum((chernoff_tail(gamma, f, a, best_tilt(gamma, f, a)) for a in ends), Fraction(0))
    return (gamma - 1) / (gamma * epsilon**2 * f), chernoff


@T3C.computation(
    cases=192,
    perturbed=(
        "splu_ref.guarantees.concentration:chebyshev_bound larger",
        "splu_proofs.arithmetic.law:error larger",
    ),
)
def the_library_follows() -> Comparisons:
    """Compare the library's bounds with the formula and with the truth."""
    for gamma in (2, 3, 5, 10):
        for f in (1, 2, 7, 20):
            for epsilon in (Fraction(1, 10), Fraction(3, 10), Fraction(1), Fraction(3, 2)):
                truth = error(gamma, epsilon, f)
                yield (
                    error_probability(gamma, epsilon, f).exact(),
                    "=",
                    truth,
                    f"error_probability at {gamma}, {epsilon}, {f}",
                )
                formula = (gamma - 1) / (gamma * epsilon**2 * f)
                yield (
                    chebyshev_bound(gamma, epsilon, f),
                    "=",
                    formula,
                    f"chebyshev_bound at {gamma}, {epsilon}, {f}",
                )
                yield (
                    chernoff_bound(gamma, epsilon, f),
                    ">=",
                    truth,
                    f"chernoff_bound at {gamma}, {epsilon}, {f}",
                )
