"""What is drawn of each group by perturbed generalization, tested against its law."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_ref.audit.e_values import EValue, counts_point
from splu_ref.audit.power import rate_power
from splu_ref.audit.releases.findings import Evidence, Finding, NotChecked
from splu_ref.audit.releases.pooling import (
    by_cells,
    by_place,
    independent_product,
    largest_point_mean,
    mean_log,
    point_logs,
    renumbered,
)
from splu_ref.audit.releases.record_linkage import Original
from splu_ref.data import Microdata
from splu_ref.mechanisms import OrderedColumns, PerturbedGeneralization
from splu_ref.randomness import IntArray

_RETENTIONS = tuple(Fraction(step, 16) for step in range(17))
"""Retentions that are tested against the claimed one, beside that halfway to 1: fixed in advance."""
_SURE = math.log(1000) + 1e-6
_EXPONENTS = tuple(step / 16 for step in range(1, 16))
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PublishedGroups:
    """What every group holds and shows."""

    mechanism: PerturbedGeneralization  #: the mechanism
    shown: IntArray  #: published code of each group, shape (G,)
    contained: IntArray  #: records of each group by value, shape (G, m)
    #: by the name of a rule, the code of the record that it would choose in each group
    chosen: dict[str, IntArray]
    #: by what they part, divisions of the groups that no draw decides
    divided: tuple[tuple[IntArray, ...], ...]

    @classmethod
    def of(
        cls, published: Microdata, mechanism: PerturbedGeneralization, original: Original
    ) -> PublishedGroups:
        """Return what the groups of an original hold, and the rows of a release that has these groups."""
        places = {value: place for place, value in enumerate(original.domains[mechanism.column])}
        shown = np.array([places[value] for value in published.cells(mechanism.column)], dtype=np.int64)
        ordered = OrderedColumns(original.table, mechanism.quasi, mechanism.numbers)
        groups, codes = ordered.groups(mechanism.least), original.codes[mechanism.column]
        count, size = len(shown), len(mechanism.values)
        contained = np.bincount(groups * size + codes, minlength=count * size).reshape(count, size)
        rows = np.arange(len(codes))
        orders = {"first": rows, "last": -rows}
        for name, ranks in zip(mechanism.quasi, ordered.ranks, strict=True):
            orders |= {f"least {name}": ranks, f"greatest {name}": -ranks}
        chosen = {}
        for name, order in orders.items():
            by_group = np.lexsort((rows, order, groups))
            starts = np.flatnonzero(np.diff(groups[by_group], prepend=-1))
            chosen[f"the {name} record"] = codes[by_group[starts]]
        chosen["the most frequent value"] = contained.argmax(axis=1)
        chosen["the rarest value"] = np.where(contained > 0, contained, len(codes) + 1).argmin(axis=1)
        divided = [tuple(by_place(np.arange(count), count)), tuple(by_cells(contained.sum(axis=1)))]
        for ranks in ordered.ranks:
            least = np.full(count, ranks.max(), dtype=np.int64)
            np.minimum.at(least, groups, ranks)
            divided.append(tuple(by_cells(least)))
        return cls(mechanism, shown, contained, chosen, tuple(divided))

    @cached_property
    def sizes(self) -> IntArray:
        """Records of each group."""
        sizes: IntArray = self.contained.sum(axis=1)
        return sizes

    @cached_property
    def own(self) -> NDArray[np.bool_]:
        """Whether each group shows a value that one of its records has."""
        found: NDArray[np.bool_] = self.contained[np.arange(len(self.shown)), self.shown] > 0
        return found

    @cached_property
    def kinds(self) -> IntArray:
        """How many values each group holds."""
        found: IntArray = (self.contained > 0).sum(axis=1)
        return found

    def mean(self, contained: IntArray) -> Fraction:
        """Return the mean chance that a group shows a value of which it has so many records."""
        total = Fraction(0)
        for size in np.unique(self.sizes).tolist():
            total += Fraction(int(contained[self.sizes == size].sum()), size)
        law = self.mechanism.law
        return law.retention * total / len(self.sizes) + law.absent_probability

    def chances(self, retention: float) -> Floats:
        """Return the chance of each value in each group under a retention, shape (G, m)."""
        shares = self.contained / self.sizes[:, None]
        law: Floats = retention * shares + (1 - retention) / self.contained.shape[1]
        return law

    @cached_property
    def tried(self) -> tuple[Fraction, ...]:
        """The retentions that are tested against the claimed one."""
        keep = self.mechanism.retention
        return tuple(sorted({*_RETENTIONS, (1 + keep) / 2} - {keep}))

    def found(self, other: Fraction, level: Fraction) -> bool:
        """Return whether a release with another retention is detected with probability 0.999 or more.

        Notes
        -----
        Under it the likelihood ratio L of it is a product over independent groups. So for every s from 0 to 1
        it stays below t with at most t^s times the product of the sums of q^(1-s) r^s over the values, where
        q and r are their chances under it and under the claim (Chernoff 1952). The e-value is at least L
        divided by how many ratios are averaged.
        """
        there, here = self.chances(float(other)), self.chances(float(self.mechanism.retention))
        least = math.log(level.denominator) - math.log(level.numerator) + math.log(len(self.tried)) + 1e-6
        return any(
            s * least + float(np.log((there ** (1 - s) * here**s).sum(axis=1)).sum()) < -_SURE
            for s in _EXPONENTS
        )

    def detected(self, level: Fraction) -> tuple[Fraction | None, Fraction | None, bool]:
        """Return up to and from which of the retentions tried all are found, and if that halfway to 1 is.

        Notes
        -----
        So are those between. The share of a group's records that hold what it shows grows with the retention,
        in likelihood ratio; and with that share grows the ratio of ``high`` against the claim. So under any
        larger retention it passes a bound at least as often as under ``high``; for ``low`` as a mirror image.
        """
        keep, sure = self.mechanism.retention, {each: self.found(each, level) for each in self.tried}
        low = high = None
        for each in reversed([each for each in self.tried if each > keep]):
            if not sure[each]:
                break
            high = each
        for each in (each for each in self.tried if each < keep):
            if not sure[each]:
                break
            low = each
        return low, high, sure[(1 + keep) / 2]

    def rate(self, chosen: IntArray) -> Fraction:
        """Return the mean chance that a group shows the value that a rule chooses."""
        return self.mean(self.contained[np.arange(len(chosen)), chosen])

    def first_detected(self, level: Fraction) -> bool | None:
        """Return whether it is detected if the first record of every group is chosen, and then perturbed.

        None if the values of all groups are the same whichever record is chosen.
        """
        if (self.kinds == 1).all():
            return None
        rate, law = self.rate(self.chosen["the first record"]), self.mechanism.law
        if not 0 < rate < 1:
            return False
        high = rate_power(counts_point, len(self.shown), rate, level / len(self.chosen)).high
        return high is not None and law.retention + law.absent_probability >= high


def evidence(groups: PublishedGroups) -> Iterator[Finding]:
    """Yield what the values of the groups say of how they were drawn."""
    yield _counts_evidence(groups)
    yield _retention_evidence(groups)
    yield _sample_evidence(groups)
    yield _replacement_evidence(groups)
    yield _independence_evidence(groups)


def _counts_evidence(groups: PublishedGroups) -> Evidence:
    """Test how many groups show each value against their law.

    They are sums of independent indicators, at whose mean chance `counts_point` is computed: it is convex in
    the count, so that by Hoeffding (1956, Theorem 3) its expectation is at most 1. The values are averaged.
    """
    count, size = groups.contained.shape
    found = np.bincount(groups.shown, minlength=size)
    rates = [groups.mean(groups.contained[:, value]) for value in range(size)]
    e_value = largest_point_mean(np.full(size, count), found, rates)

    def power(level: Fraction) -> str:
        return f"most frequent value: {rate_power(counts_point, count, max(rates), level / size)}"

    detail = f"{size} counts of groups against p c/k + (1 - p)/m of each"
    return Evidence("counts", groups.mechanism.column, e_value, count, detail, power)


def _retention_evidence(groups: PublishedGroups) -> Evidence:
    """Test what the groups show against other retentions, by the likelihood ratio of each.

    Groups are independent, and of each the chance of what it shows is known under every retention. So each
    ratio has the expectation 1 under the claim, and so has their mean.
    """
    count, claim = len(groups.shown), float(groups.mechanism.retention)
    rows = np.arange(count)
    here = np.log(groups.chances(claim)[rows, groups.shown])
    logs = []
    for other in groups.tried:
        with np.errstate(divide="ignore"):
            there = np.log(groups.chances(float(other))[rows, groups.shown])
        logs.append(float((there - here).sum()) - 1e-12 * (1 + count * math.log(count + 2)) - 1e-9)
    own = int(groups.own.sum())

    def power(level: Fraction) -> str:
        low, high, _ = groups.detected(level)
        words = [f">= {float(high):.6g}"] if high is not None else []
        words += [f"<= {float(low):.6g}"] if low is not None else []
        return (
            f"of the retentions {', '.join(map(str, groups.tried))}: {' or '.join(words) or 'none'} instead "
            f"of {claim:.6g} in {count} groups"
        )

    detail = f"{own} of {count} groups show a value that one of their records has"
    e_value = EValue(mean_log(logs) / math.log(10))
    return Evidence("retention", groups.mechanism.column, e_value, count, detail, power)


def _sample_evidence(groups: PublishedGroups) -> Evidence:
    """Test which record of each group is shown against a uniform choice, by rules that do not draw.

    A group shows the value that a rule chooses with the chance of that value, independently of the others:
    as in `_counts_evidence`. The rules are averaged: the first and last record of the file, that with the
    least and the greatest cell of each column, the most frequent value and the rarest one.
    """
    count, rules = len(groups.shown), groups.chosen
    found = np.array([int((groups.shown == chosen).sum()) for chosen in rules.values()])
    rates = [groups.rate(chosen) for chosen in rules.values()]
    e_value = largest_point_mean(np.full(len(rules), count), found, rates)

    def power(level: Fraction) -> str:
        return f"the first record of a group: {rate_power(counts_point, count, rates[0], level / len(rules))}"

    detail = (
        f"{found[0]} of {count} groups show the value of their first record, and {len(rules) - 1} other rules"
    )
    return Evidence("sample", groups.mechanism.column, e_value, count, detail, power)


def _replacement_evidence(groups: PublishedGroups) -> Evidence | NotChecked:
    """Test the values of groups that show one of none of their records against a uniform choice.

    Given that, each of the values that a group lacks is as likely. Of the groups that lack a value those that
    show it are tested as in `_counts_evidence`, and the values are averaged.
    """
    column, size = groups.mechanism.column, groups.contained.shape[1]
    foreign = ~groups.own
    left = size - groups.kinds[foreign]
    if not (left > 1).any():
        return NotChecked("replacement", column, "no group shows one of several values that its records lack")
    lacking, shown = groups.contained[foreign] == 0, groups.shown[foreign]
    trials, found = lacking.sum(axis=0), np.bincount(shown, minlength=size)
    rates = []
    for value in range(size):
        kinds, numbers = np.unique(left[lacking[:, value]], return_counts=True)
        total = sum(
            (Fraction(int(times), int(kind)) for kind, times in zip(kinds, numbers, strict=True)), Fraction(0)
        )
        rates.append(total / int(trials[value]) if trials[value] else Fraction(0))
    e_value = largest_point_mean(trials, found, rates)
    rows = int(foreign.sum())

    def power(level: Fraction) -> str:
        drawn = [(int(n), rate) for n, rate in zip(trials, rates, strict=True) if 0 < rate < 1]
        most, rate = max(drawn)
        return f"one value: {rate_power(counts_point, most, rate, level / size)}"

    detail = f"{rows} groups show a value that none of their records has, each of these as often"
    return Evidence("replacement", column, e_value, rows, detail, power)


def _independence_evidence(groups: PublishedGroups) -> Evidence | NotChecked:
    """Test which groups show a value of their own against independent draws, in divisions of them.

    Of the groups that lack a value, by their place, their size, and their least cell of each column. The
    parts of a division are independent and multiplied; the divisions of a family and the families are
    averaged.
    """
    column, law, size = groups.mechanism.column, groups.mechanism.law, groups.contained.shape[1]
    open_ = groups.kinds < size
    count = int(open_.sum())
    if count < 2:
        return NotChecked("independence", column, "no two groups lack a value")
    own, kinds = groups.own[open_], groups.kinds[open_]
    chances = float(law.retention) + float(law.absent_probability) * kinds
    left = float(law.absent_probability) * (size - kinds)
    logs, divisions, parts = [], 0, 8
    for family in groups.divided:
        found = []
        for division in family:
            part = renumbered(division[open_])
            trials = np.bincount(part)
            means = (np.bincount(part, weights=each) / trials for each in (chances, left))
            kept, rest = means
            successes = np.bincount(part, weights=own).astype(np.int64)
            found.append(independent_product(point_logs(trials, successes, (kept, rest))))
        if found:
            logs.append(mean_log(found))
            divisions += len(found)
    mean = law.retention + law.absent_probability * Fraction(int(kinds.sum()), count)

    def power(level: Fraction) -> str:
        reached = rate_power(counts_point, max(1, count // parts), mean, level / (9 * parts * divisions))
        return f"one of {parts} parts of the groups, by place, size or a column: {reached}"

    detail = f"{count} groups that lack a value, in {divisions} divisions of them"
    e_value = EValue(mean_log(logs) / math.log(10))
    return Evidence("independence", column, e_value, count, detail, power)
