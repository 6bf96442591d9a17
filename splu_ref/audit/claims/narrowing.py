"""The largest part of a false claim that is true, by exact search within a bounded number of steps."""

from __future__ import annotations

from collections.abc import Callable

MOST_RELEASES = 20
"""Numbers of releases that are tried, from 1 on: the level does not always fall as they grow."""


def largest(holds: Callable[[int], bool], most: int, near: int = 1) -> int:
    """Return the largest n in 0..most - 1 with ``holds(n)``, for a property that stays lost once it is lost.

    Parameters
    ----------
    holds
        Whether the property holds at n >= 1; it is taken to hold at 0.
    most
        Where it is known not to hold, at least 1.
    near
        Where to begin: about the answer.

    Notes
    -----
    Steps double from ``near`` on, up or down, and are then halved: about twice as many questions as the
    distance of the answer from ``near`` has binary digits. From 1 on none is about a number above twice the
    answer plus one.
    """
    if most == 1:
        return 0
    low, high, step = 0, most, 1
    start = min(max(near, 1), most - 1)
    if holds(start):
        low = start
        while low + step < most and holds(low + step):
            low += step
            step *= 2
        high = min(most, low + step)
    else:
        high = start
        while high > step and not holds(high - step):
            high -= step
            step *= 2
        low = max(0, high - step)
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return low


def first_failure(holds: Callable[[int], bool], most: int) -> int:
    """Return how many of 1, 2, .. up to ``most`` and `MOST_RELEASES` hold, until the first does not."""
    for n in range(1, min(most, MOST_RELEASES) + 1):
        if not holds(n):
            return n - 1
    return min(most, MOST_RELEASES)
