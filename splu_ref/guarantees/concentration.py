"""Bounds on the error probability that need no summation: Chebyshev (corrected) and Chernoff (rational).

The upper tail of f' from k on is at most E z^(f' - k) for any z >= 1; the lower tail up to k likewise for
0 < z <= 1. The mean is m^(gamma f) z^-k with m = 1 + (z-1)/gamma, and for another probability p of keeping
the own value (1+p(z-1))^f (1+q(z-1))^((gamma-1) f) z^-k with q = (1-p)/(gamma-1): a power of f either way.
The tilt z is rational, with few digits, near the value that makes the bound smallest (`tilts`).
"""

from __future__ import annotations

from fractions import Fraction

from splu_ref.binomial import Enclosure
from splu_ref.channels import PublishedCount
from splu_ref.guarantees.plateaus import error_offset
from splu_ref.guarantees.tilts import Tilts, lower_tilt, upper_tilt
from splu_ref.model import Exact, ParameterError, positive, probability, whole


def chebyshev_bound(
    gamma: Exact, epsilon: Exact, frequency: Exact, *, retention: Exact | None = None
) -> Fraction:
    """Return Var f' / (epsilon f)^2, an upper bound of Pr(abs(f' - f) >= epsilon f).

    For p = 1/gamma it is (gamma - 1)/(gamma epsilon^2 f).

    Parameters
    ----------
    gamma
        Size of a decoy group, at least 2.
    epsilon
        Relative error, greater than 0.
    frequency
        True count f, at least 1.
    retention
        Probability p of publishing the own value, greater than 0 and at most 1; None stands for 1/gamma.

    Returns
    -------
    Fraction
        Greater than 0, unless p = 1; above 1 it says nothing.

    Raises
    ------
    ParameterError
        For a parameter outside its range, or a float.

    Notes
    -----
    splu.T3c: Fu et al. 2014, Theorem 3 with the variance of f', f (gamma - 1)/gamma, in its place; splu.Rp
    for other p.
    """
    law, epsilon = PublishedCount.of(gamma, retention), positive(epsilon, "epsilon")
    return law.variance / (epsilon**2 * whole(frequency, "frequency", 1))


def chebyshev_threshold(gamma: Exact, epsilon: Exact, t_e: Exact, *, retention: Exact | None = None) -> int:
    """Return the least f from which `chebyshev_bound` is at most ``t_e`` (splu.L1c).

    Parameters as in `chebyshev_bound`; ``t_e`` is greater than 0 and at most 1.
    """
    allowed = probability(t_e, "t_e")
    if allowed == 0:
        raise ParameterError("t_e must be greater than 0: Chebyshev's bound is positive at every count")
    least = chebyshev_bound(gamma, epsilon, 1, retention=retention) / allowed
    return max(1, -(-least.numerator // least.denominator))


def chernoff_bound(
    gamma: Exact, epsilon: Exact, frequency: Exact, *, retention: Exact | None = None
) -> Fraction:
    """Return a two-sided Chernoff bound of Pr(abs(f' - f) >= epsilon f) with rational tilts.

    The sum of E z^(f' - k) over the tail from k = ceil((1+epsilon) f) with a z >= 1 and the tail up
    to k = floor((1-epsilon) f) with a z <= 1; a tail that no count reaches contributes nothing.
    Parameters and errors as in `chebyshev_bound`.

    Returns
    -------
    Fraction
        The sum, rounded up by about one part in 2**200, so that it is short at any count. It can exceed
        1, and can be larger than `chebyshev_bound`.

    Notes
    -----
    splu.T3c.
    """
    law, frequency = PublishedCount.of(gamma, retention), whole(frequency, "frequency", 1)
    offset = error_offset(epsilon, frequency)
    distance = Fraction(offset, frequency)
    tilts = upper_tilt(law, distance), lower_tilt(law, distance)
    return _tilted(law, frequency, tilts, offset, 256).bounds().upper


def uniform_bound(
    law: PublishedCount, epsilon: Fraction, frequency: int, tilts: Tilts, bits: int
) -> Enclosure:
    """Enclose a number that, if below 1, bounds the error probability at every count >= ``frequency``.

    For each tail the number is M^F z^-e, with F the frequency, M the mean of z^f' at f = 1 (m^gamma for
    p = 1/gamma), and the exponents e = floor((1+epsilon) F) above and e = ceil((1-epsilon) F) below. It is
    at least rho^F, where rho = M z^-(1+-epsilon) bounds the tail at f by rho^f; so if it is below 1, then
    rho < 1, and rho^f <= rho^F for every f >= F.
    """
    distance = epsilon * frequency
    return _tilted(law, frequency, tilts, distance.numerator // distance.denominator, bits)


def _tilted(law: PublishedCount, frequency: int, tilts: Tilts, distance: int, bits: int) -> Enclosure:
    """Enclose the sum of E z^(f' - k) for the tails from f + distance on and up to f - distance."""
    total = Enclosure.of(0)
    for tilt, exponent in zip(tilts, (frequency + distance, frequency - distance), strict=True):
        if tilt is None:
            continue
        term = law.mean_of_power(tilt, frequency, bits)
        if exponent:
            term = term.times(Enclosure.power(1 / tilt, exponent, bits), bits)
        total = total.plus(term, bits)
    return total
