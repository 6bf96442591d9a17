"""Interval privacy: width of the shortest interval that contains a number (Agrawal and Srikant 2000).

A number published with noise has privacy w at confidence c if the shortest interval that contains it with
probability c has width w. It can be computed from the noise alone, or from the posterior for an observer who
also knows the law of the numbers, which a release is meant to disclose. The width of an interval of integers
is their number, so 1 is certainty.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

from splu_ref.channels import Channel, Exact, ParameterError, posterior, probability


class Interval(NamedTuple):
    """Whole numbers from ``low`` to ``high``, both included."""

    low: int
    high: int

    @property
    def width(self) -> int:
        """Number of integers in the interval."""
        return self.high - self.low + 1


class IntervalPrivacy(NamedTuple):
    """Widths of the shortest posterior intervals under a known prior."""

    published: int  #: the first of the published numbers that leave the least width
    least: Interval  #: the interval that is left then
    mean: Fraction  #: the mean of the widths over the published values


def shortest_interval(law: Mapping[int, Fraction], confidence: Exact) -> Interval:
    """Return the shortest interval with probability at least ``confidence``, the lowest of several.

    For the noise of an additive channel its width is the privacy as it is stated without a prior.

    Parameters
    ----------
    law
        Probabilities of whole numbers.
    confidence
        Above 0, up to 1.

    Raises
    ------
    ParameterError
        If the confidence is 0, or the law has not so much.
    """
    wanted = probability(confidence, "confidence")
    if not wanted:
        raise ParameterError("every interval has a confidence of 0: give one above 0")
    places = sorted(place for place, chance in law.items() if chance)
    sums = [Fraction(0), *accumulate(law[place] for place in places)]
    found: Interval | None = None
    first = 0
    for last in range(len(places)):
        while first < last and sums[last + 1] - sums[first + 1] >= wanted:
            first += 1
        if sums[last + 1] - sums[first] >= wanted:
            here = Interval(places[first], places[last])
            found = here if found is None or here.width < found.width else found
    if found is None:
        raise ParameterError(
            f"the law adds up to less than {confidence}: give probabilities that add up to 1"
        )
    return found


def interval_privacy(
    channel: Channel[int, int], prior: Mapping[int, Exact], confidence: Exact
) -> IntervalPrivacy:
    """Return the widths of posterior intervals at ``confidence`` for an observer who knows the prior.

    Parameters
    ----------
    channel
        The channel from numbers to published values, such as `additive`.
    prior
        Probabilities of the numbers, which add up to 1.
    confidence
        Above 0, up to 1.

    Raises
    ------
    ParameterError
        If the prior is no law on the true numbers, or the confidence is out of range.
    """
    law = {state: probability(entry, f"the prior of {state!r}") for state, entry in prior.items()}
    least: tuple[int, Interval] | None = None
    mean = Fraction(0)
    for label in channel.outputs:
        seen = sum(
            (law.get(state, 0) * channel.probability(state, label) for state in channel.inputs), Fraction(0)
        )
        if not seen:
            continue
        left = shortest_interval(posterior(channel, law, label), confidence)
        mean += seen * left.width
        if least is None or left.width < least[1].width:
            least = label, left
    if least is None:
        raise ParameterError("the prior gives no number a chance: it must add up to 1")
    return IntervalPrivacy(*least, mean)
