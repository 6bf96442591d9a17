"""Small-sum privacy under dependent draws, over all tables and for one table.

With ``capped`` a count up to the cap has the law of independent draws in every table. Above it f' is
Bin(gamma cap, 1/gamma) plus an independent part Y. For any Y the probability of a window of 2k - 1 numbers
around f is at most the probability Q of the likeliest such window of the binomial count. Tables whose values
have equal counts and share all groups have Y = f - cap, for which it is the probability of the window around
the mean. So T_P over all tables lies between 1 - Q and the error of that window, at the largest count, which
has the widest window. The bounds are equal if the likeliest window is the one around the mean.

With ``all-or-none`` a count up to the bound is gamma Bin(f, 1/gamma) in every table. A larger one is
published exactly in a table of common values only, so T_P over all tables is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import perm

from splu_ref.channels import (
    Bounds,
    Exact,
    Gamma,
    GroupDraws,
    ParameterError,
    PublishedCount,
    integer,
    lower_tail,
    lower_tail_bounds,
    one_budget,
    positive,
    shown,
    upper_tail,
    upper_tail_bounds,
)
from splu_ref.guarantees.count_error import ErrorProbability, Plateaus, error_offset
from splu_ref.guarantees.decimals import decimal_down
from splu_ref.guarantees.dependent_counts import DependentCount, bound_of
from splu_ref.guarantees.privacy import PrivacyMinimum, privacy_minimum

_MOST_POOLED = 2_000
"""Largest R alpha for all-or-none draws, where every count is visited."""
_WIDEST = 10_000
"""Largest error in records for which the likeliest window above a cap is looked for."""
_DIGITS = 60


@dataclass(frozen=True, slots=True)
class Level:
    """The least error probability over counts: exact, or between two bounds."""

    at_least: Fraction | Bounds  #: certified; the same where the level is known
    at_most: Fraction | Bounds  #: see ``at_least``
    argmin: int  #: the least count that attains ``at_most``

    @property
    def is_exact(self) -> bool:
        """Whether the level is known."""
        return self.at_least == self.at_most

    def decimal(self) -> str:
        """Return the lower bound to twelve digits, rounded down."""
        return decimal_down(self.at_least)

    def reaches(self, wanted: Fraction) -> bool | None:
        """Return whether the level is at least a number, or None if the bounds are inconclusive."""
        if _ends(self.at_least).lower >= wanted:
            return True
        return False if _ends(self.at_most).upper < wanted else None


@dataclass(frozen=True, slots=True)
class DependentDrawsPrivacy:
    """Small-sum privacy under a law of dependent draws.

    Attributes
    ----------
    draws, gamma, epsilon, alpha, releases
        The parameters; see `PrivacyMinimum`.
    t_p, t_p_definition
        T_P in the form of Theorem 4, and in that of Definition 2.
    """

    draws: GroupDraws
    gamma: Gamma
    epsilon: Fraction
    alpha: int
    releases: int
    t_p: Level
    t_p_definition: Level


def is_plain_up_to(draws: GroupDraws, alpha: int) -> bool:
    """Return whether counts up to ``alpha`` have the law of independent draws, in every table."""
    return draws.bound is None or (draws.name == "capped" and alpha <= draws.bound)


@one_budget()
def privacy_of_draws(
    gamma: Exact, epsilon: Exact, alpha: Exact, draws: GroupDraws, releases: Exact = 1
) -> DependentDrawsPrivacy:
    """Return T_P over all tables under a law of draws.

    Parameters
    ----------
    gamma, epsilon, alpha
        As for `privacy_minimum`; R alpha is at most 2,000 for ``all-or-none``.
    draws
        The law.
    releases
        Number R of releases with independent draws that are averaged; 1 for an ``alpha`` above the bound of
        the law.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or one too large.

    Notes
    -----
    splu.CAP, splu.AONc.
    """
    size, distance = Gamma(gamma), positive(epsilon, "epsilon")
    most, times = integer(alpha, "alpha", 1), integer(releases, "releases", 1)
    if is_plain_up_to(draws, most):
        found = privacy_minimum(size, distance, most, times)
        t_p, t_p_definition = (_level(each, f) for each, f in _both(found))
    elif times > 1 and draws.bound is not None and most > draws.bound:
        raise ParameterError(
            f"with draws {draws} several releases are treated for counts up to {draws.bound} only: give a "
            "smaller alpha, or one release"
        )
    elif draws.name == "capped":
        t_p, t_p_definition = _above_the_cap(size, distance, most, draws)
    else:
        t_p, t_p_definition = (
            _all_or_none(size, times * distance, most, times, draws, strict) for strict in (True, False)
        )
    return DependentDrawsPrivacy(draws, size, distance, most, times, t_p, t_p_definition)


@one_budget()
def table_privacy(
    counts: Sequence[DependentCount], epsilon: Exact, alpha: Exact, *, strict: bool = False
) -> Level:
    """Return T_P over the counts of one table, given its plan and flags.

    Parameters
    ----------
    counts
        The law of each value's published count, of at least one up to ``alpha``.
    epsilon, alpha
        As for `privacy_of_draws`; the counts 1 to ``alpha`` that the table does not have play no part.
    strict
        As for `error_probability`.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or a table without a value that has so few records.
    """
    distance, most = positive(epsilon, "epsilon"), integer(alpha, "alpha", 1)
    small = {each for each in counts if each.frequency <= most}
    if not small:
        raise ParameterError(f"no value of the table has {shown(most)} records or fewer: give a larger alpha")
    return _least(
        (each.error_value(error_offset(distance, each.frequency, strict=strict)), each.frequency)
        for each in small
    )


def _both(found: PrivacyMinimum) -> tuple[tuple[ErrorProbability, int], tuple[ErrorProbability, int]]:
    return (found.t_p, found.argmin), (found.t_p_definition, found.argmin_definition)


def _level(error: ErrorProbability, argmin: int) -> Level:
    value = error.value()
    return Level(value, value, argmin)


def _above_the_cap(gamma: Gamma, epsilon: Fraction, alpha: int, draws: GroupDraws) -> tuple[Level, Level]:
    """Return both forms of T_P where some counts are above the cap."""
    cap = bound_of(draws)
    law, levels = PublishedCount.of(gamma), []
    for (small, argmin), strict in zip(
        _both(privacy_minimum(gamma, epsilon, cap)), (True, False), strict=True
    ):
        offset = error_offset(epsilon, alpha, strict=strict)
        up, down = _likeliest_window(law, cap, offset)
        low = law.error_enclosure(cap, up, 4 * _DIGITS, down).bounds()
        high = low if up == down else law.error_enclosure(cap, offset, 4 * _DIGITS).bounds()
        value = small.value()
        least = _ends(value)
        plateaus = Plateaus(epsilon, alpha, strict)
        first = max(cap + 1, plateaus.start(len(plateaus)))  # the first count with the same window
        same = argmin == cap and offset == error_offset(epsilon, cap, strict=strict)  # one number, twice
        if (same and up == down) or least.upper <= low.lower:
            levels.append(Level(value, value, argmin))
        elif same or high.upper >= least.lower:
            levels.append(Level(_smaller(least, low), value, argmin))
        else:
            levels.append(Level(low, high, first))
    return levels[0], levels[1]


def _smaller(first: Bounds, second: Bounds) -> Bounds:
    return Bounds(min(first.lower, second.lower), min(first.upper, second.upper))


def _likeliest_window(law: PublishedCount, cap: int, offset: int) -> tuple[int, int]:
    """Return (up, down): of 2 offset - 1 counts in a row the likeliest are cap - down + 1 .. cap + up - 1.

    A binomial law rises and then falls: the window moves as long as the count that it gains is likelier than
    the one that it loses.
    """
    if offset > _WIDEST:
        raise ParameterError(
            f"an error of {shown(offset)} records is too wide a window: give a smaller alpha"
        )
    up = down = offset
    while _rises(law.gamma, cap, cap - down + 1, cap + up) > 0:
        up, down = up + 1, down - 1
    while _rises(law.gamma, cap, cap - down, cap + up - 1) < 0:
        up, down = up - 1, down + 1
    return up, down


def _rises(gamma: int, cap: int, first: int, last: int) -> int:
    """Return 1, 0 or -1: ``last`` is a likelier, equally likely or less likely count than ``first``."""
    trials, steps = gamma * cap, last - first
    if first < 0 or last > trials:
        return int(last <= trials) - int(first >= 0)
    above, below = perm(trials - first, steps), perm(last, steps) * (gamma - 1) ** steps
    return int(above > below) - int(above < below)


def _all_or_none(
    gamma: Gamma, epsilon: Fraction, alpha: int, times: int, draws: GroupDraws, strict: bool
) -> Level:
    """Return T_P of counts that are gamma times a binomial number of groups; ``epsilon`` is R epsilon."""
    bound = bound_of(draws)
    if alpha > bound:
        return Level(Fraction(0), Fraction(0), bound + 1)
    if times * alpha > _MOST_POOLED:
        raise ParameterError(
            f"alpha = {shown(alpha)} with {shown(times)} releases would take too long: their product may be "
            f"{_MOST_POOLED}"
        )
    chance = Fraction(1, gamma)

    def limits(f: int) -> tuple[int, int, int]:
        """Return the groups, and the least and largest number of chosen ones that are an error."""
        offset = error_offset(epsilon, f, strict=strict)
        return times * f, -(-(times * f + offset) // gamma), (times * f - offset) // gamma

    near = []
    for f in range(1, alpha + 1):
        groups, above, below = limits(f)
        high, low = upper_tail_bounds(groups, above, chance), lower_tail_bounds(groups, below, chance)
        near.append((high.lower + low.lower, high.upper + low.upper, f))
    reach = min(most for _, most, _ in near)
    exactly = []
    for least, _, f in near:
        if least <= reach:
            groups, above, below = limits(f)
            exactly.append((upper_tail(groups, above, chance) + lower_tail(groups, below, chance), f))
    value, argmin = min(exactly)
    return Level(value, value, argmin)


def _least(errors: Iterable[tuple[Fraction | Bounds, int]]) -> Level:
    """Return the least of errors: the number itself if no enclosure of another one reaches below it."""
    near = sorted(errors, key=lambda each: (_ends(each[0]).upper, each[1]))
    (least, argmin), lower = near[0], min(_ends(each).lower for each, _ in near)
    found = least if _ends(least).lower == lower else Bounds(lower, _ends(least).upper)
    return Level(found, found, argmin)


def _ends(level: Fraction | Bounds) -> Bounds:
    return level if isinstance(level, Bounds) else Bounds(level, level)
