"""Variances of published counts under dependent draws.

Given the marked slots of a plan (`marked_slots`), each group publishes its values k_v times, gamma times in
all and once on average, independently of the other groups, and assigns them to its members by a uniform
permutation. Let a set of values have s slots in a group, of whose members n satisfy a predicate. Given k, the
number of these published with a value of the set is hypergeometric. Let r be the reduction of the variance of
the sum of k over the set relative to independent draws, negative for a value drawn all or none. Then

    Var y = s (gamma - s) n / gamma^2  -  r n (n - 1) / (gamma (gamma - 1)),
    Var f' = s (gamma - s) / gamma  -  r,    Cov(y, f') = (n / gamma) Var f',

each summed over the groups. The means are those of independent draws.

The plan and its marks are secret. An analyst draws a plausible plan from the published counts and marks it by
the same rules. Under all-or-none draws every value whose published count is possible for a rare value is
treated as rare (`may_be_rare`), which is conservative.
"""

from __future__ import annotations

from functools import cached_property
from math import ceil, floor, sqrt
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, gammaln, xlogy

from splu_ref.channels import GroupDraws
from splu_ref.estimators.answers import NORMAL_95
from splu_ref.estimators.counts import estimate_count
from splu_ref.estimators.linear.transition import rounded_to_sum
from splu_ref.mechanisms import FloatArray, SpluGen, marked_slots, within_bound
from splu_ref.randomness import IntArray, SeededSource

_TAIL = 0.025
_ROUNDING = 1e-9
_CELLS = 1 << 22
"""Largest number of slots times sums per batch, which bounds the memory."""


class VarianceReduction(NamedTuple):
    """Variance reductions of sets of values: arrays of one shape."""

    total: FloatArray  # reduction of the variance of a set's published count: the sum over the groups
    # once, twice: the same sum with weights s and s^2, where s is the number of the set's slots in a group
    once: FloatArray
    twice: FloatArray
    gamma: int  # size of a group

    def of_difference(
        self, inside: FloatArray, outside: FloatArray, own: FloatArray, other: FloatArray
    ) -> FloatArray:
        """Return the reduction of the variance of ``inside`` y + ``outside`` (f' - y).

        A member of a group satisfies the predicate with probability ``own`` if it has a value of the set, and
        ``other`` if not, because records take uniformly random places of their values.
        """
        gamma, apart = self.gamma, inside - outside
        share = (self.once * (own - other) + self.total * gamma * other) / gamma
        pairs = (self.twice - self.once) * own**2 + 2 * (gamma * self.once - self.twice) * own * other
        pairs += (gamma * (gamma - 1) * self.total - (2 * gamma - 1) * self.once + self.twice) * other**2
        whole = outside**2 * self.total + 2 * outside * apart * share
        return np.asarray(whole + apart**2 * pairs / (gamma * (gamma - 1)))


class GroupNoise:
    """Variance of published counts under dependent draws, for one plan."""

    def __init__(
        self, groups: IntArray, marked: NDArray[np.bool_], draws: GroupDraws, frequencies: FloatArray
    ) -> None:
        assert draws.bound is not None
        self._groups, self._marked, self._frequencies = groups, marked, frequencies
        self._gamma, self._bound = int(groups.shape[1]), min(draws.bound, int(frequencies.sum()))
        self._capped = draws.name == "capped"
        self._sharing = self.gamma - marked.sum(axis=1)
        self._sets: dict[bytes, tuple[float, float, float]] = {}

    @classmethod
    def plausible(cls, frequencies: FloatArray, mechanism: SpluGen) -> Self:
        """Return the variances under a plausible plan, a deterministic function of the published counts."""
        gamma, draws = int(mechanism.gamma), mechanism.draws
        assert draws.bound is not None
        blocks: tuple[IntArray, ...] = (np.empty((0, gamma), dtype=np.int64),)
        source = SeededSource(b"a plausible plan")
        if np.count_nonzero(frequencies) >= gamma:
            histogram = rounded_to_sum(within_bound(frequencies, mechanism.gamma))
            plan = mechanism.decoys(histogram, mechanism.gamma, source)
            blocks = tuple(block.astype(np.int64) for block in plan.blocks())
        groups = np.concatenate(blocks)
        if draws.name == "all-or-none":
            return cls(groups, may_be_rare(frequencies, gamma, draws.bound)[groups], draws, frequencies)
        marked = np.concatenate(marked_slots(blocks, draws, source)) if len(groups) else groups > 0
        return cls(groups, marked, draws, frequencies)

    @property
    def gamma(self) -> int:
        """Size of a group."""
        return self._gamma

    def reduction_of(self, weights: FloatArray) -> FloatArray:
        """Return the variance reductions of weighted sums of published counts, shape (sums,).

        ``weights`` has the shape (values, sums).
        """
        found = np.empty(weights.shape[1])
        step = max(1, _CELLS // max(self._groups.size, 1))
        for begin in range(0, len(found), step):
            some = slice(begin, begin + step)
            found[some] = self._by_group(weights[:, some]).sum(axis=0)
        return found

    def of_values(self) -> VarianceReduction:
        """Return the reductions of single values, shape (values,)."""
        each = self._by_value
        return VarianceReduction(each, each, each, self.gamma)

    def of_sets(self, members: FloatArray) -> VarianceReduction:
        """Return the reductions of sets of values, given by indicators of shape (sets, values)."""
        total = members @ self._by_value
        once, twice = total.copy(), total.copy()
        for place in np.flatnonzero(members.sum(axis=1) > 1).tolist():
            total[place], once[place], twice[place] = self._set(members[place])
        return VarianceReduction(total, once, twice, self.gamma)

    def _set(self, compatible: FloatArray) -> tuple[float, float, float]:
        key = np.packbits(compatible > 0).tobytes()
        if key not in self._sets:
            each, slots = self._by_group(compatible[:, None])[:, 0], compatible[self._groups].sum(axis=1)
            self._sets[key] = float(each.sum()), float(each @ slots), float(each @ slots**2)
        return self._sets[key]

    @cached_property
    def _by_value(self) -> FloatArray:
        """Reduction of each value; that of one record for a possibly rare value that is not published."""
        single = np.where(self._marked, self._of_marked, self._of_sharing[self._sharing][:, None])
        size = len(self._frequencies)
        found = np.bincount(self._groups.reshape(-1), weights=single.reshape(-1), minlength=size)
        return np.where(self._frequencies > 0, found, 0.0 if self._capped else self._of_marked)

    @property
    def _of_marked(self) -> float:
        """Reduction of a marked slot: k is Bin(gamma, 1/gamma), or gamma with probability 1/gamma."""
        return 0.0 if self._capped else -((self.gamma - 1) ** 2) / self.gamma

    @cached_property
    def _of_sharing(self) -> FloatArray:
        """Reduction of an unmarked slot, by the number of unmarked slots in its group."""
        gamma, shared = self.gamma, np.arange(self.gamma + 1)
        if self._capped:
            return self._even * (shared - 1)
        return 2 - 1 / gamma - gamma / np.maximum(shared, 1) - self._even * (shared - 1)

    @cached_property
    def _even(self) -> FloatArray:
        """The factor of c q - t^2 in `_by_group`, by the number c of unmarked slots, shape (gamma + 1,).

        Distributing a remainder of r places over c slots has the factor r (c - r) / (c^2 (c - 1));
        independent draws of L places have L / c^2, and L is c on average.
        """
        gamma, found, left = self.gamma, np.zeros(self.gamma + 1), np.arange(self.gamma + 1)
        for c in range(2, gamma + 1):
            if self._capped:
                rest = float(self._chances(c) @ (left % c * (c - left % c)))
                found[c] = 1 / c - rest / (c * c * (c - 1))
            else:
                found[c] = c / gamma * (gamma % c) * (c - gamma % c) / (c * c * (c - 1))
        return found

    def _chances(self, sharing: int) -> FloatArray:
        """Return the probabilities that 0, 1, ..., gamma places remain for so many unmarked slots."""
        size, left, part = self.gamma, np.arange(self.gamma + 1), sharing / self.gamma
        logs = gammaln(size + 1) - gammaln(left + 1) - gammaln(size - left + 1)
        return np.asarray(np.exp(logs + xlogy(left, part) + xlogy(size - left, 1 - part)))

    def _by_group(self, weights: FloatArray) -> FloatArray:
        """Return the reduction of the variance of the sum of w_v k_v by group, shape (groups, sums).

        q is the sum of w^2 over the unmarked slots, t that of w; r and m are those of the marked slots.
        """
        values, shared = weights[self._groups], ~self._marked[:, :, None]
        q, t = (values**2 * shared).sum(axis=1), (values * shared).sum(axis=1)
        even = self._even[self._sharing][:, None] * (self._sharing[:, None] * q - t**2)
        if self._capped:
            return np.asarray(even)
        gamma, marked = self.gamma, ~shared
        r, m = (values**2 * marked).sum(axis=1), (values * marked).sum(axis=1)
        law = gamma * r + gamma / np.maximum(self._sharing, 1)[:, None] * t**2 + even - (t + m) ** 2
        return np.asarray(q + r - (t + m) ** 2 / gamma - law)

    @cached_property
    def _of_slot(self) -> FloatArray:
        """Mean variance of k over the unmarked slots of each value, shape (values,)."""
        independent, size = (self.gamma - 1) / self.gamma, len(self._frequencies)
        values = self._groups[~self._marked]
        reduction = np.broadcast_to(self._of_sharing[self._sharing][:, None], self._groups.shape)[
            ~self._marked
        ]
        slots = np.bincount(values, minlength=size)
        mean = np.bincount(values, weights=reduction, minlength=size) / np.maximum(slots, 1)
        unknown = 0.0 if self._capped else float(reduction.mean()) if len(reduction) else 1 - self.gamma
        found = np.maximum(independent - np.where(slots > 0, mean, unknown), 0.0)
        if self._capped or not len(self._groups):
            return np.asarray(found)
        beside_one = independent - float(self._of_sharing[self.gamma - 1])
        return np.asarray(found + beside_one * self._unpublished_rare / len(self._groups))

    @property
    def _unpublished_rare(self) -> float:
        """Approximate upper limit of the number of rare records in excess of the published ones.

        F records of rare values win Bin(F, 1/gamma) groups, and gamma times that number is published.
        """
        gamma = self.gamma
        rare = may_be_rare(self._frequencies, gamma, self._bound)
        published = float(self._frequencies[rare].sum())
        most = float(self._bound * np.count_nonzero(rare)) - published
        return float(
            np.clip(NORMAL_95 * sqrt(gamma * published) + NORMAL_95**2 * gamma / 2, 0.0, max(most, 0.0))
        )

    def _unmarked(self, value: int | None) -> float:
        return (self.gamma - 1) / self.gamma if value is None else float(self._of_slot[value])

    def count_error(self, value: int | None, published: float) -> float:
        """Return the standard deviation of a published count if the true count equals it."""
        unmarked, rare = self._unmarked(value), min(published, self._bound)
        if self._capped:
            return sqrt((self.gamma - 1) / self.gamma * rare + unmarked * (published - rare))
        all_or_nothing = published <= self._bound or bool(
            may_be_rare(np.array([published]), self.gamma, self._bound)[0]
        )
        return sqrt((self.gamma - 1 if all_or_nothing else unmarked) * published)

    def count_interval(self, value: int | None, published: int) -> tuple[int, int]:
        """Return the ends of a 95 % interval for the true count f of a value, from its published count f'.

        ``value`` is None for a value that is not published. Counts up to the bound are tested exactly at 2.5
        % on either side, under Bin(gamma f, 1/gamma) or gamma Bin(f, 1/gamma). Larger counts are in the
        interval if f' is at most 1.96 standard deviations, those at f, plus one half away.
        """
        found = [*self._small(published), *self._large(value, published)]
        return (min(found), max(found)) if found else (published, published)

    def _small(self, published: int) -> list[int]:
        """Return the ends of the counts up to the bound that are not rejected; empty if all are."""
        if self._capped:
            low, high = estimate_count(published, self.gamma).interval
            return [low, min(high, self._bound)] if low <= self._bound else []
        wins, rest = divmod(published, self.gamma)
        if rest:
            return []
        counts = np.arange(wins, self._bound + 1)
        above = bdtrc(wins - 1, counts, 1 / self.gamma) if wins else np.ones(len(counts))
        compatible = counts[(above > _TAIL) & (bdtr(wins, counts, 1 / self.gamma) > _TAIL)]
        return [int(compatible[0]), int(compatible[-1])] if len(compatible) else []

    def _large(self, value: int | None, published: int) -> list[int]:
        """Return the ends of the counts above the bound that are not rejected; empty if all are."""
        slope, drawn = self._unmarked(value), (self.gamma - 1) / self.gamma * self._bound
        start = drawn - slope * self._bound if self._capped else 0.0
        ends = []
        for sign in (-1, 1):
            # d^2 = 1.96^2 (start + slope f) at f = f' + sign (d + 1/2).
            half = NORMAL_95**2 * slope / 2
            rest = NORMAL_95**2 * max(start + slope * (published + sign / 2), 0.0)
            ends.append(published + sign * (sign * half + sqrt(half**2 + rest) + 0.5))
        low, high = max(ceil(ends[0] - _ROUNDING), self._bound + 1), floor(ends[1] + _ROUNDING)
        return [low, high] if low <= high else []


def may_be_rare(frequencies: FloatArray, gamma: int, bound: int) -> NDArray[np.bool_]:
    """Return which published counts are possible for values that are drawn all or none.

    They are multiples of gamma, and a gamma-th of them is Bin(f, 1/gamma) for an f up to the bound.
    """
    most = min(bound, int(frequencies.sum()))
    wins, rest = np.divmod(np.round(frequencies), gamma)
    likely = (wins <= most) & (bdtrc(wins - 1, most, 1 / gamma) > _TAIL)
    return np.asarray((rest == 0) & ((wins == 0) | likely))
