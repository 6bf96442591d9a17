"""Whether a probability is above or below a bound: by enclosures as far as they settle it, then exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from splu_ref.binomial import Bounds
from splu_ref.model import ParameterError


def compared(
    enclosures: Iterable[Callable[[], Bounds]], exactly: Callable[[], Fraction], bound: Fraction, name: str
) -> int:
    """Return 1, 0 or -1: a probability is above, equal to or below ``bound``.

    Parameters
    ----------
    enclosures
        Enclosures of the probability, ever closer; each is asked for only if those before leave it open.
    exactly
        The probability.
    bound
        The number of the claim.
    name
        Its key.

    Raises
    ------
    ParameterError
        If the enclosures leave it open and the exact number is out of reach.
    """
    for enclosed in enclosures:
        found = enclosed()
        if found.lower > bound:
            return 1
        if found.upper < bound:
            return -1
    try:
        difference = exactly() - bound
    except ParameterError:
        raise ParameterError(
            f"{name} is too near the true probability to be told from it: write it with fewer digits"
        ) from None
    return (difference > 0) - (difference < 0)
