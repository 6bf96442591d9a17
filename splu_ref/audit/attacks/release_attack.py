"""Attacks on an existing release, with its manifest, and with or without the original."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np

from splu_ref.audit.attacks.outcome import AttackOutcome, point_tested, sum_tested
from splu_ref.audit.attacks.presence import hiding, proof_of_presence
from splu_ref.audit.attacks.view import Label, Score, View, best_guess, eliminated, labeled
from splu_ref.audit.e_values import EValue
from splu_ref.audit.releases.record_linkage import Match, Original
from splu_ref.channels import Channel, DataError, ParameterError
from splu_ref.data import Microdata, text
from splu_ref.mechanisms import (
    DistributionBased,
    PublishedTable,
    Randomizer,
    RecordMechanism,
    RetentionReplacement,
    SpluGen,
    Swapping,
)
from splu_ref.randomness import IntArray, SystemSource


@dataclass(frozen=True)
class AttackedRelease:
    """One sensitive column of an existing release.

    Parameters
    ----------
    release
        The published table with its manifest.
    column
        The attacked sensitive column.
    original
        The original, to measure the success. Published rows are linked to it by their other columns: a row
        counts if all records with equal other columns have one value.

    Raises
    ------
    ParameterError
        For a column that is not sensitive, or a mechanism that publishes no value for a record.
    DataError
        If the original is not that of the release.
    """

    release: PublishedTable
    column: str
    original: Microdata | None = None

    def __post_init__(self) -> None:
        mechanism = self.release.mechanism
        if not isinstance(mechanism, RecordMechanism) or not isinstance(mechanism, Randomizer):
            raise ParameterError(
                f"a release by {mechanism.name} has no value for a record: attack the table, without "
                "--release"
            )
        if self.column not in self.release.domains:
            raise ParameterError(
                f"column {self.column!r} is not sensitive in the release: choose from "
                f"{', '.join(self.release.domains)}"
            )

    @property
    def domain(self) -> tuple[str, ...]:
        """The domain in the manifest."""
        return self.release.domains[self.column]

    @cached_property
    def published(self) -> IntArray:
        """The index in the domain of each published row's value."""
        return _places(self.release.table.cells(self.column), self.domain, "the release")

    @cached_property
    def recorded(self) -> IntArray:
        """The index in the domain of each record's true value; there must be an original."""
        assert self.original is not None
        own = [text(value) for value in self.original.domain(self.column)]
        return _places(own, self.domain, "the original")[self.original.codes(self.column)]

    @cached_property
    def true(self) -> IntArray | None:
        """The index of each published row's true value, -1 if unknown; None without an original."""
        if self.original is None:
            return None
        original = Original(self.original, self.release.sensitive)
        missing = set(original.others) ^ (set(self.release.table.columns) - set(self.release.sensitive))
        if missing:
            raise DataError(f"one of the tables has no column {min(missing)!r}: give the original")
        known = Match.of(original, self.release.table).true_values(self.column)
        places = _places(original.domains[self.column], self.domain, "the original")
        if not (known >= 0).any():
            raise DataError(
                "no published row can be linked to the original by its other columns: attack without the "
                "original"
            )
        return np.where(known >= 0, places[np.maximum(known, 0)], -1)

    @property
    def linked(self) -> Counter[tuple[int, int]]:
        """Number of linked rows by true and published value."""
        assert self.true is not None
        known = self.true >= 0
        return Counter(zip(self.true[known].tolist(), self.published[known].tolist(), strict=True))

    @cached_property
    def view(self) -> View:
        """The view of the attacker: true counts, or their estimates without the original, and the law."""
        mechanism = self.release.mechanism
        if isinstance(mechanism, SpluGen):
            raise ParameterError(
                "this attack needs the decoy plan, which is secret: attack the table, without --release, to "
                "attack with the plan known"
            )
        assert isinstance(mechanism, RecordMechanism)
        aligned = mechanism.aligned(self.release.domains)
        assert isinstance(aligned, Randomizer)
        if self.original is not None:
            if self.original.row_count != len(self.published):
                raise DataError(
                    f"the release has {len(self.published)} rows, and the original "
                    f"{self.original.row_count}: give the original of this release"
                )
            histogram = np.bincount(self.recorded, minlength=len(self.domain))
            counts = {code: count for code, count in enumerate(histogram.tolist()) if count}
            return View(counts, (labeled(aligned.channel(histogram, SystemSource())),))
        shown = np.bincount(self.published, minlength=len(self.domain))
        channel = aligned.channel(shown, SystemSource())
        # the expected published histogram equals that of replacements or swaps
        kept = isinstance(mechanism, DistributionBased | Swapping) or (
            isinstance(mechanism, RetentionReplacement) and mechanism.pooled
        )
        return View(
            _integer_weights(shown if kept else _unbiased_counts(shown, channel)), (labeled(channel),)
        )


def attack_release(
    name: str, released: AttackedRelease, score: Score, measure: str, *, excluded: int = 0
) -> AttackOutcome:
    """Attack the records of a release: the mean of a score, measured and predicted.

    Parameters
    ----------
    name
        Name of the attack.
    released
        The release, with its original to measure the success.
    score
        The attacker's gain from each record.
    measure
        Description of the success, for the outcome.
    excluded
        Number of values that the attacker can exclude, for the largest posterior.

    Notes
    -----
    In SPLU-Gen the published value is the best guess for every plan and all true counts, if p is at least
    1/gamma: p f records of a value are expected to be published with it, and of another value at most
    (1 - p)/(gamma - 1) for each of at most f groups. It is correct with probability exactly p, independently
    for each record; under dependent draws the members of a group are one variable, as in `attack_table`.

    For records that depend on each other by their order the bound has 8 for each record of the release, as in
    `attack_table`, since the linked rows are a part of them.
    """
    mechanism = released.release.mechanism
    if isinstance(mechanism, SpluGen) and score is best_guess and mechanism.retention * mechanism.gamma >= 1:
        return _attack_best_guess(name, released, mechanism, measure)
    view = released.view
    believed = view.expected(score)
    success = predicted = e_value = detectable = rows = None
    if released.true is not None:
        seen = released.linked
        rows = seen.total()
        scores = _scores(view, score)
        total = sum((count * scores.get(pair, Fraction(0)) for pair, count in seen.items()), Fraction(0))
        law = view.channels[0].laws
        expected = sum(
            (
                count * chance * scores[own, label]
                for (own, _), count in seen.items()
                for label, chance in law[own].items()
            ),
            Fraction(0),
        )
        spread = 8 * len(released.published) if isinstance(mechanism, Swapping) else rows
        success, predicted = total / rows, expected / rows
        e_value, detectable = sum_tested(total, expected, rows, spread)
        if not scores.keys() >= seen.keys():  # what the law excludes
            e_value = EValue(math.inf)
    return AttackOutcome(
        attack=name,
        mechanism=mechanism.name,
        success=success,
        predicted=predicted,
        baseline=view.blind().expected(score),
        e_value=e_value,
        detectable=detectable,
        largest=view.largest(eliminated(excluded)),
        measure=measure if rows is None else _among_linked(measure, rows),
        attacked=len(released.published) if rows is None else rows,
        believed=believed if rows is None else None,
    )


def _scores(view: View, score: Score) -> dict[tuple[int, Label], Fraction]:
    """Return the score by true value and label in one release."""
    weights = {label: view.weights((label,)) for label in view.channels[0].outputs}
    return {
        (own, label): score(own, weights[label])
        for own in view.counts
        for label in view.channels[0].laws[own]
    }


def _attack_best_guess(
    name: str, released: AttackedRelease, mechanism: SpluGen, measure: str
) -> AttackOutcome:
    kept = mechanism.retention
    success = e_value = detectable = None
    rows, counts = len(released.published), np.bincount(released.published)
    if released.original is not None and released.true is not None:
        counts = np.bincount(released.recorded)
        seen = released.linked
        rows, right = seen.total(), sum(count for (own, label), count in seen.items() if own == label)
        success = Fraction(right, rows)
        if mechanism.draws.bound is None:
            e_value, detectable = point_tested(right, rows, kept)
        else:
            e_value, detectable = sum_tested(Fraction(right), kept * rows, rows, int(mechanism.gamma) * rows)
        measure = _among_linked(measure, rows)
    return AttackOutcome(
        attack=name,
        mechanism=released.release.mechanism.name,
        success=success,
        predicted=kept,
        baseline=Fraction(int(counts.max()), int(counts.sum())),
        e_value=e_value,
        detectable=detectable,
        largest=None,
        measure=measure,
        attacked=rows,
        believed=None if released.original is not None else kept,
    )


def presence_in(released: AttackedRelease, value: str) -> AttackOutcome:
    """Search a release for a value, and infer its presence in the original.

    Parameters
    ----------
    released
        The release. With the original, the probability of a proof follows from the value's true count.
    value
        One of the domain.
    """
    if value not in released.domain:
        raise ParameterError(f"column {released.column!r} has no value {value!r}: check its spelling")
    mechanism = released.release.mechanism
    assert isinstance(mechanism, RecordMechanism)
    original, rows = released.original, len(released.published)
    code = released.domain.index(value)
    found = bool((released.published == code).any())
    frequency = 1 if original is None else int((released.recorded == code).sum())
    if original is not None and not frequency:
        raise ParameterError("no record of the original has the value: choose one that occurs")
    chance = proof_of_presence(mechanism, frequency, rows)
    proved = bool(found and chance)
    return AttackOutcome(
        attack="presence",
        mechanism=mechanism.name,
        success=None if original is None else Fraction(proved),
        predicted=None if original is None else chance,
        untested="" if chance in (0, 1) else "one release is a single outcome",
        baseline=Fraction(0),
        e_value=None,
        detectable=None,
        largest=Fraction(1) if proved else None,
        measure=(
            "the value is not published, which proves nothing"
            if not found
            else "the value is published, so some record has it: values without records are never published"
            if chance
            else "the value is published, which proves nothing: values without records are published as well"
        ),
        remedy=hiding(released.column) if chance else "",
    )


def _among_linked(measure: str, rows: int) -> str:
    return f"{measure}; among {rows} rows that are linked to the original by their other columns"


def _places(cells: list[str] | tuple[str, ...], domain: tuple[str, ...], whose: str) -> IntArray:
    known = {value: place for place, value in enumerate(domain)}
    places = np.array([known.get(cell, -1) for cell in cells], dtype=np.int64)
    if (places < 0).any():
        odd = cells[int(np.argmin(places))]
        raise DataError(
            f"{whose} has the value {odd!r}, which is not in the manifest: give the files of one release"
        )
    return places


def _unbiased_counts(shown: IntArray, channel: Channel[int, int]) -> dict[int, Fraction]:
    """Return the unbiased estimates of all true counts under retention replacement, clipped at 0.

    Off the diagonal each column of the channel has the constant (1 - p) g_v, and p more on it.
    """
    rows, found = int(shown.sum()), {}
    for code, count in enumerate(shown.tolist()):
        other = next(own for own in channel.inputs if own != code)
        replaced = channel.probability(other, code)
        kept = channel.probability(code, code) - replaced
        found[code] = max((count - rows * replaced) / kept if kept else Fraction(count), Fraction(0))
    return found


def _integer_weights(counts: Mapping[int, Fraction] | IntArray) -> dict[int, int]:
    """Return integers in proportion to the counts, without zeros."""
    given = dict(counts) if isinstance(counts, Mapping) else dict(enumerate(map(Fraction, counts.tolist())))
    unit = lcm(*(count.denominator for count in given.values()))
    return {code: int(count * unit) for code, count in given.items() if count}
