"""Privacy breaches: the largest posterior of a property with a prior of at most rho1.

An upward (rho1, rho2) breach is a property Q of the true state with a prior probability of at most rho1 and a
posterior of at least rho2 (Evfimievski, Gehrke and Srikant 2003; Agrawal, Srikant and Thomas 2005, section
5.1). A posterior of exactly rho2 is a breach. The posterior given a set of published states is a mixture of
those given its states, so it suffices to search single published states.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from typing import Generic, NamedTuple

from splu_ref.channels.amplification_bounds import Amplification, amplification
from splu_ref.channels.binomial import STEP, digits, spend
from splu_ref.channels.channel import Channel, In, Law, Out
from splu_ref.channels.parameters import Exact, ParameterError, integer, probability


class Breach(NamedTuple, Generic[In, Out]):
    """Prior and posterior of a property given a published state; whether it is a breach depends on rho2."""

    secret: tuple[In, ...]  #: the true states that have the property
    published: Out  #: the state that is seen
    prior: Fraction  #: probability of the property before and after
    posterior: Fraction  #: see ``prior``


class Levels(NamedTuple):
    """The two levels of a breach, 0 < rho1 < rho2 < 1."""

    rho1: Fraction
    rho2: Fraction

    @classmethod
    def of(cls, rho1: Exact, rho2: Exact) -> Levels:
        """Return the levels.

        Raises
        ------
        ParameterError
            Unless 0 < rho1 < rho2 < 1.
        """
        low, high = probability(rho1, "rho1"), probability(rho2, "rho2")
        if not 0 < low < high < 1:
            raise ParameterError(
                f"rho1 = {rho1} and rho2 = {rho2} are no levels of a breach: give 0 < rho1 < rho2 < 1"
            )
        return cls(low, high)

    @property
    def amplification(self) -> Fraction:
        """G = rho2 (1 - rho1) / (rho1 (1 - rho2)): the least amplification that allows a breach.

        A channel has a breach under some prior, upward or downward, exactly if its amplification is at
        least G. With two states, prior rho1 on the one that makes what is seen more often, the posterior
        odds are the amplification times rho1 / (1 - rho1); no prior and no property does better, since the
        chance of what is seen given Q is at most the largest entry of the column, and given the rest at
        least the smallest. Downward the same holds for the complement, with 1 - rho2 for rho1.
        """
        return self.rho2 * (1 - self.rho1) / (self.rho1 * (1 - self.rho2))

    def allow(self, found: Amplification[In, Out]) -> bool:
        """Return whether no prior leads to a breach: the amplification is finite and below G."""
        return found.ratio is not None and found.ratio < self.amplification

    def retention_limit(self, values: int) -> Fraction:
        """Return (G - 1) / (m + G - 1): below it uniform replacement has no breach, at it it has one.

        Parameters
        ----------
        values
            Number m of values in the domain, at least 2.
        """
        if values < 2:
            raise ParameterError(f"{values} values leave nothing to replace by: give at least two")
        return (self.amplification - 1) / (values + self.amplification - 1)


def worst_prior(channel: Channel[In, Out], rho1: Exact) -> Breach[In, Out]:
    """Return the largest posterior of any property, over all priors that give it at most ``rho1``.

    The prior is ``rho1`` for the named state and the rest for another one: the two of the amplification.
    A channel with one row says nothing: the posterior is then the prior.
    """
    low, found = probability(rho1, "rho1"), amplification(channel)
    if found.ratio is None:
        posterior = Fraction(1) if low else Fraction(0)
    else:
        posterior = found.ratio * low / (found.ratio * low + 1 - low)
    return Breach((found.more,), found.published, low, posterior)


def worst_property(
    channel: Channel[In, Out], counts: Mapping[In, int], rho1: Exact
) -> Breach[In, Out] | None:
    """Return the largest posterior of any property with at most ``rho1`` under one prior.

    Parameters
    ----------
    channel
        The channel.
    counts
        The prior as a histogram: how many of N records have each true state. Missing states have none.
    rho1
        Largest prior of the property.

    Returns
    -------
    Breach or None
        The property, by states that occur, and what shows it; None if every state has a prior above
        ``rho1``. Of several equally large posteriors, that of the first published state.

    Raises
    ------
    ParameterError
        For a state that the channel does not have, a negative count, or no record at all.
    WorkError
        If the sums of counts would take too long to search.

    Notes
    -----
    For each published state v this is a knapsack problem: weights n_u, gains n_u A[u][v], capacity rho1 N.
    States with equal entries in the column differ in their counts alone, so for each such group the reachable
    sums of counts suffice; groups are combined by the dominance rule (Nemhauser and Ullmann 1969). The
    arithmetic is exact.
    """
    unknown = [state for state in counts if state not in channel.laws]
    if unknown:
        raise ParameterError(f"the prior speaks of {unknown[0]!r}, which is no true state of the channel")
    whole_counts = {state: integer(count, f"the count of {state!r}", 0) for state, count in counts.items()}
    occurring = {state: count for state, count in whole_counts.items() if count}
    total = sum(occurring.values())
    if not total:
        raise ParameterError("the prior is a histogram: at least one state must occur")
    room = int(probability(rho1, "rho1") * total)
    small = {state: count for state, count in occurring.items() if count <= room}
    if not small:
        return None
    best: Breach[In, Out] | None = None
    for label in channel.outputs:
        column = {state: channel.laws[state].get(label, Fraction(0)) for state in occurring}
        seen = sum((count * column[state] for state, count in occurring.items()), Fraction(0))
        if not seen:
            continue
        gain, secret = likeliest_set(small, column, room)
        if best is None or gain / seen > best.posterior:
            prior = Fraction(sum(occurring[state] for state in secret), total)
            best = Breach(secret, label, prior, gain / seen)
    return best


def retention_limit_for(counts: Mapping[In, int], replacing: Law[In], levels: Levels) -> Fraction | None:
    """Return the least retention at which retention replacement has a breach under one prior.

    Parameters
    ----------
    counts
        The prior as a histogram: see `worst_property`.
    replacing
        The law of the replacement.
    levels
        rho1 and rho2.

    Returns
    -------
    Fraction or None
        There is a breach exactly from this retention on. None if no retention below 1 has a breach, because
        every state has a prior above rho1. It is 0 if some value is never a replacement.

    Notes
    -----
    A property without the state v that is seen has a posterior of at most its prior. One with it has
    (n_v p + (1-p) g_v w) / (n_v p + (1-p) g_v N), w its count, which grows with w and with p. So for each v
    it is the largest w at most rho1 N that n_v belongs to that decides, and
    p / (1-p) = g_v (rho2 N - w) / (n_v (1 - rho2)).
    """
    total = sum(counts.values())
    room = int(levels.rho1 * total)
    small = {state: count for state, count in counts.items() if 0 < count <= room}
    limits = []
    for own, count in small.items():
        others = [each for state, each in small.items() if state != own]
        largest = count + _reachable(others, room - count)[-1].bit_length() - 1
        odds = replacing.get(own, Fraction(0)) * (levels.rho2 * total - largest) / (count * (1 - levels.rho2))
        limits.append(odds / (1 + odds))
    return min(limits, default=None)


def likeliest_set(
    counts: Mapping[In, int], column: Mapping[In, Fraction], room: int
) -> tuple[Fraction, tuple[In, ...]]:
    """Return the largest sum of n_u A[u][v] over sets of states with counts that fit, and such a set."""
    scale = lcm(*(column[state].denominator for state in counts))
    groups: dict[int, list[In]] = defaultdict(list)
    for state in counts:
        groups[int(column[state] * scale)].append(state)
    groups.pop(0, None)  # states that are never published so gain nothing
    # By weight, the largest gain and how it was reached: (gain, weight before, weight in the group).
    steps: list[dict[int, tuple[int, int, int]]] = [{0: (0, 0, 0)}]
    reached: list[list[int]] = []
    for entry, states in groups.items():
        sums = _reachable([counts[state] for state in states], room)
        reached.append(sums)
        before, weights = steps[-1], _ones(sums[-1])
        spend(STEP * len(before) * len(weights))
        after: dict[int, tuple[int, int, int]] = {}
        for weight, (gain, _, _) in before.items():
            for more in weights:
                if weight + more > room:
                    break
                found = after.get(weight + more)
                if found is None or found[0] < gain + more * entry:
                    after[weight + more] = (gain + more * entry, weight, more)
        steps.append(_undominated(after))
    weight, (gain, _, _) = max(steps[-1].items(), key=lambda item: (item[1][0], -item[0]))
    secret: list[In] = []
    for table, states, sums in zip(
        reversed(steps), reversed(list(groups.values())), reversed(reached), strict=False
    ):
        _, weight, more = table[weight]
        secret += _members([counts[state] for state in states], states, sums, more)
    return Fraction(gain, scale), tuple(state for state in counts if state in set(secret))


def _undominated(table: dict[int, tuple[int, int, int]]) -> dict[int, tuple[int, int, int]]:
    """Keep the weights of which no smaller one gains as much."""
    kept, most = {}, -1
    for weight in sorted(table):
        if table[weight][0] > most:
            kept[weight] = table[weight]
            most = table[weight][0]
    return kept


def _reachable(weights: list[int], room: int) -> list[int]:
    """Return which sums up to ``room`` the first 0, 1, 2, ... weights reach, as bits of one integer each."""
    spend((len(weights) + 1) * (STEP + digits(room)))
    full = (1 << (room + 1)) - 1
    sums = [1]
    for weight in weights:
        sums.append(sums[-1] | (sums[-1] << weight & full))
    return sums


def _ones(bits: int) -> list[int]:
    """Return the places of the ones of an integer, ascending."""
    return [place for place, digit in enumerate(reversed(bin(bits)[2:])) if digit == "1"]


def _members(weights: list[int], states: list[In], sums: list[int], target: int) -> list[In]:
    """Return states whose weights add up to ``target``, which `_reachable` says they do."""
    found = []
    for number in range(len(weights), 0, -1):
        if not sums[number - 1] >> target & 1:
            found.append(states[number - 1])
            target -= weights[number - 1]
    return found
