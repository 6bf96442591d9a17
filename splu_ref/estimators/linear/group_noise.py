"""How published counts scatter where the draws of a group hang together.

Given the marked slots of a plan (`marked_slots`) each group publishes its values k_v times, gamma times in
all and once on average, independently of the other groups, and deals them to its members by a uniform
permutation. Let a set of values have s slots in a group, of whose members n satisfy a predicate. Given k, the
number of these that show a value of the set is hypergeometric. With ``saved``, by how much the sum of k over
the set varies less than under independent draws (less than 0 for a value that takes all or nothing),

    Var y = s (gamma - s) n / gamma^2  -  saved n (n - 1) / (gamma (gamma - 1)),
    Var f' = s (gamma - s) / gamma  -  saved,    Cov(y, f') = (n / gamma) Var f',

each summed over the groups. All else about an estimate is as under independent draws, since each record is
published with the same chances.

The plan and what is marked in it are secret. An analyst makes a plausible one: the published counts are taken
for the true ones, and a plan of theirs is drawn and marked by the same rules. But under all-or-none draws
every value is taken for rare whose published count a rare one can have (`may_be_rare`): these may be more
than are rare in any plan of a table, and the errors larger than those of any.
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
from splu_ref.estimators.linear.transition import whole
from splu_ref.mechanisms import FloatArray, SpluGen, marked_slots, within_bound
from splu_ref.randomness import IntArray, SeededSource

_TAIL = 0.025
_ROUNDING = 1e-9
_CELLS = 1 << 22
"""Slots of a plan times sums that are worked on at once, which bounds the memory."""


class Saved(NamedTuple):
    """What is saved for sets of values, arrays of one shape.

    Attributes
    ----------
    total
        Of the variance of a set's published count: the sum over the groups.
    once, twice
        The same with every group's part times s and s^2, s the number of the set's slots in it.
    gamma
        Size of a group.
    """

    total: FloatArray
    once: FloatArray
    twice: FloatArray
    gamma: int

    def of_difference(
        self, inside: FloatArray, outside: FloatArray, own: FloatArray, other: FloatArray
    ) -> FloatArray:
        """Return what is saved of the variance of ``inside`` y + ``outside`` (f' - y).

        Parameters
        ----------
        inside, outside
            The weights of what the predicate's records show, and of what the others show.
        own, other
            Which share of the records with a value of the set, and of those beside them, the predicate holds.

        Notes
        -----
        The records take uniformly random places of their values. So of the members of a group those with a
        value of the set satisfy the predicate with probability ``own`` each, the others with ``other``.
        """
        gamma, apart = self.gamma, inside - outside
        share = (self.once * (own - other) + self.total * gamma * other) / gamma
        pairs = (self.twice - self.once) * own**2 + 2 * (gamma * self.once - self.twice) * own * other
        pairs += (gamma * (gamma - 1) * self.total - (2 * gamma - 1) * self.once + self.twice) * other**2
        whole = outside**2 * self.total + 2 * outside * apart * share
        return np.asarray(whole + apart**2 * pairs / (gamma * (gamma - 1)))


class GroupNoise:
    """What a plan saves of the variance of published counts.

    Parameters
    ----------
    groups, marked
        Values by group and slot, and which slots are marked, shape (groups, gamma).
    draws
        How the draws of a group hang together; not independent.
    frequencies
        f', shape (values,).
    """

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
        """Return what a plan saves that is drawn from published counts; see the module.

        The draws follow from the counts: the same release has the same errors.
        """
        gamma, draws = int(mechanism.gamma), mechanism.draws
        assert draws.bound is not None
        blocks: tuple[IntArray, ...] = (np.empty((0, gamma), dtype=np.int64),)
        source = SeededSource(b"a plausible plan")
        if np.count_nonzero(frequencies) >= gamma:
            histogram = whole(within_bound(frequencies, mechanism.gamma))
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

    def saved_of(self, weights: FloatArray) -> FloatArray:
        """Return what is saved of the variances of weighted sums of published counts, shape (sums,).

        ``weights`` has the shape (values, sums).
        """
        found = np.empty(weights.shape[1])
        step = max(1, _CELLS // max(self._groups.size, 1))
        for begin in range(0, len(found), step):
            some = slice(begin, begin + step)
            found[some] = self._by_group(weights[:, some]).sum(axis=0)
        return found

    def of_values(self) -> Saved:
        """Return what is saved for each value alone, shape (values,)."""
        each = self._by_value
        return Saved(each, each, each, self.gamma)

    def of_sets(self, members: FloatArray) -> Saved:
        """Return what is saved for sets of values, 1 or 0, shape (sets, values)."""
        total = members @ self._by_value
        once, twice = total.copy(), total.copy()
        for place in np.flatnonzero(members.sum(axis=1) > 1).tolist():
            total[place], once[place], twice[place] = self._set(members[place])
        return Saved(total, once, twice, self.gamma)

    def _set(self, held: FloatArray) -> tuple[float, float, float]:
        key = np.packbits(held > 0).tobytes()
        if key not in self._sets:
            each, slots = self._by_group(held[:, None])[:, 0], held[self._groups].sum(axis=1)
            self._sets[key] = float(each.sum()), float(each @ slots), float(each @ slots**2)
        return self._sets[key]

    @cached_property
    def _by_value(self) -> FloatArray:
        """What is saved for each value; for one that may take all and is not published, as of one record."""
        single = np.where(self._marked, self._of_marked, self._of_sharing[self._sharing][:, None])
        size = len(self._frequencies)
        found = np.bincount(self._groups.reshape(-1), weights=single.reshape(-1), minlength=size)
        return np.where(self._frequencies > 0, found, 0.0 if self._capped else self._of_marked)

    @property
    def _of_marked(self) -> float:
        """What is saved for a marked slot alone: k is Bin(gamma, 1/gamma), or gamma with chance 1/gamma."""
        return 0.0 if self._capped else -((self.gamma - 1) ** 2) / self.gamma

    @cached_property
    def _of_sharing(self) -> FloatArray:
        """What is saved for a slot that shares what is left with others, by how many share."""
        gamma, shared = self.gamma, np.arange(self.gamma + 1)
        if self._capped:
            return self._even * (shared - 1)
        return 2 - 1 / gamma - gamma / np.maximum(shared, 1) - self._even * (shared - 1)

    @cached_property
    def _even(self) -> FloatArray:
        """The factor of c q - t^2 in `_by_group`, by the number c of slots that share, shape (gamma + 1,).

        To share r places beyond whole rounds among c slots varies by r (c - r) / (c^2 (c - 1)) times it;
        independent draws of L places by L / c^2 times it, and L is c on average.
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
        """Return the chances of 0, 1, ..., gamma places beside the marked slots, if so many share them."""
        size, left, part = self.gamma, np.arange(self.gamma + 1), sharing / self.gamma
        logs = gammaln(size + 1) - gammaln(left + 1) - gammaln(size - left + 1)
        return np.asarray(np.exp(logs + xlogy(left, part) + xlogy(size - left, 1 - part)))

    def _by_group(self, weights: FloatArray) -> FloatArray:
        """Return what each group saves of the variance of the sum of w_v k_v, shape (groups, sums).

        Notes
        -----
        q is the sum of w^2 over the slots that share, t that of w, r and m likewise over the marked ones.
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
        """The variance of k for a slot of each value that is not marked, on average, shape (values,)."""
        independent, size = (self.gamma - 1) / self.gamma, len(self._frequencies)
        values = self._groups[~self._marked]
        saved = np.broadcast_to(self._of_sharing[self._sharing][:, None], self._groups.shape)[~self._marked]
        slots = np.bincount(values, minlength=size)
        mean = np.bincount(values, weights=saved, minlength=size) / np.maximum(slots, 1)
        unknown = 0.0 if self._capped else float(saved.mean()) if len(saved) else 1 - self.gamma
        found = np.maximum(independent - np.where(slots > 0, mean, unknown), 0.0)
        if self._capped or not len(self._groups):
            return np.asarray(found)
        beside_one = independent - float(self._of_sharing[self.gamma - 1])
        return np.asarray(found + beside_one * self._vanished / len(self._groups))

    @property
    def _vanished(self) -> float:
        """How many more records rare values may have than are published, about.

        F records of rare values win Bin(F, 1/gamma) groups, of which gamma F' are published.
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
        """Return the standard deviation of a published count, with it for the true one."""
        unmarked, rare = self._unmarked(value), min(published, self._bound)
        if self._capped:
            return sqrt((self.gamma - 1) / self.gamma * rare + unmarked * (published - rare))
        all_or_nothing = published <= self._bound or bool(
            may_be_rare(np.array([published]), self.gamma, self._bound)[0]
        )
        return sqrt((self.gamma - 1 if all_or_nothing else unmarked) * published)

    def count_interval(self, value: int | None, published: int) -> tuple[int, int]:
        """Return the least and the greatest true count of a 95 % interval, from a published one alone.

        Parameters
        ----------
        value
            The value, None for one that is not published.
        published
            f'.

        Notes
        -----
        It holds every count up to the bound that the law there does not contradict at 2.5 % on either side,
        Bin(gamma f, 1/gamma), or gamma times Bin(f, 1/gamma). Of the larger counts it holds those from which
        f' is at most 1.96 standard deviations away and a half, the deviations being those at f.
        """
        found = [*self._small(published), *self._large(value, published)]
        return (min(found), max(found)) if found else (published, published)

    def _small(self, published: int) -> list[int]:
        """Return the ends of the counts up to the bound that are not contradicted; none if all are."""
        if self._capped:
            low, high = estimate_count(published, self.gamma).interval
            return [low, min(high, self._bound)] if low <= self._bound else []
        wins, rest = divmod(published, self.gamma)
        if rest:
            return []
        counts = np.arange(wins, self._bound + 1)
        above = bdtrc(wins - 1, counts, 1 / self.gamma) if wins else np.ones(len(counts))
        held = counts[(above > _TAIL) & (bdtr(wins, counts, 1 / self.gamma) > _TAIL)]
        return [int(held[0]), int(held[-1])] if len(held) else []

    def _large(self, value: int | None, published: int) -> list[int]:
        """Return the ends of the counts above the bound that are near enough; none if none is."""
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
    """Return which published counts may be those of values that take all of a group or nothing.

    They are multiples of gamma, and their gamma-th part is Bin(f, 1/gamma) for an f up to the bound.
    """
    most = min(bound, int(frequencies.sum()))
    wins, rest = np.divmod(np.round(frequencies), gamma)
    likely = (wins <= most) & (bdtrc(wins - 1, most, 1 / gamma) > _TAIL)
    return np.asarray((rest == 0) & ((wins == 0) | likely))
