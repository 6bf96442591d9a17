"""Fourth stage: the embedded table is published, and what comes out is compared with the original."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter
from typing import Literal, Self

import narwhals as nw

from splu_ref.audit import EValue, average, counts_point, rate_power
from splu_ref.channels import Gamma
from splu_ref.data import Cross, Microdata, embedded_table
from splu_ref.estimators import estimate_count
from splu_ref.guarantees import (
    decimal_down,
    decimal_up,
    error_probability,
    privacy_minimum,
    utility_threshold,
)
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import IntArray, SeededSource
from splu_ref.report.exhibits import PublicationAudit, ValueAudit
from splu_ref.report.model import Row, StatisticalRow
from splu_ref.report.progress import Progress
from splu_ref.report.stages.outcome import Outcome, check_row

COLUMN, PARTS = "job", ("workclass", "occupation")
"""The sensitive column, crossed of two: many rare values and some frequent ones."""
GAMMAS = (5, 9)
PROTECTED = (Fraction(3, 10), 10)
"""Relative error and largest count (epsilon, alpha) of the privacy promise."""
ACCURATE = (Fraction(1, 20), Fraction(1, 100))
"""Relative error and error probability (epsilon, T_E) of the utility promise."""
BUDGET = Fraction(1, 10**8)
"""Chance of a false alarm charged to each release."""


def publication_stage(seed: str, progress: Progress) -> Outcome:
    """Return the audit of the embedded table published with each group size."""
    progress.stage("The embedded table, published", len(GAMMAS))
    table = crossed_table()
    rows: list[Row] = []
    statistics: list[StatisticalRow] = []
    audits: list[PublicationAudit] = []
    for done, gamma in enumerate(map(Gamma, GAMMAS)):
        progress.at(f"γ = {gamma}", done)
        found = _audited(table, gamma, f"report/publication/{gamma}/{seed}".encode())
        rows += found.rows
        statistics += found.statistics
        audits += found.publications
    budget = BUDGET * len(GAMMAS)
    return Outcome(tuple(rows), tuple(statistics), tuple(audits), budget=budget)


def crossed_table() -> Microdata:
    """Return the embedded table with the crossed column in place of its parts."""
    return Cross(COLUMN, PARTS).apply(embedded_table())


def _audited(table: Microdata, gamma: Gamma, seed: bytes) -> Outcome:
    begin = perf_counter()
    release = SpluGen(gamma).publish(table, COLUMN, SeededSource(seed))
    published = release.table
    # The same bytes give the same release; this form of it also names the deleted records.
    again = SpluGen(gamma).publish_codes(table.codes(COLUMN), len(table.domain(COLUMN)), SeededSource(seed))
    original = table.take(again.rows)
    frequencies = original.histogram(COLUMN)
    counts = published.histogram(COLUMN)

    def row(name: str, title: str, passed: bool, evidence: str) -> Row:
        return check_row(
            "publication",
            f"gamma{gamma}.{name}",
            f"{title}, γ = {gamma}",
            passed,
            grade="exact",
            evidence=evidence,
        )

    remainder = table.row_count % gamma
    structure = (
        row(
            "schema",
            "Same columns in the same order",
            published.columns == table.columns,
            f"{len(published.columns)} columns: {', '.join(published.columns)}",
        ),
        row(
            "rows",
            "All records but the remainder",
            published.row_count == table.row_count - remainder and release.suppressed == remainder,
            f"{table.row_count} records in, {published.row_count} out, {release.suppressed} deleted",
        ),
        row(
            "non-sensitive",
            "Non-sensitive cells are those of the records kept",
            _others(published) == _others(original) and not _others(published) - _others(table),
            "compared as multisets of whole rows without the sensitive column",
        ),
        row(
            "domain",
            "No value that the original does not have",
            set(published.domain(COLUMN)) <= set(table.domain(COLUMN)),
            f"{len(table.domain(COLUMN))} values in, {len(published.domain(COLUMN))} out",
        ),
    )
    promises = _Promises.of(gamma)
    values, e_value = _values(original, _aligned(published, original, counts), frequencies, promises)
    covered = [value for value in values if value.promise]
    kept = row(
        "promises",
        "Every promise covers its values",
        bool(covered) and all(value.kept for value in values),
        f"{len(covered)} of {len(values)} values are promised something, by exact error probabilities",
    )
    statistic = _statistic(e_value, len(values), int(frequencies.max()), gamma)
    law = check_row(
        "publication",
        f"gamma{gamma}.law",
        f"Every f′ against Bin(γf, 1/γ), γ = {gamma}",
        statistic.passed,
        grade="statistical",
        evidence=f"mean e-value of {len(values)} values; a false alarm has probability at most {BUDGET}",
        detail=f"log10 e = {e_value.log10:.2f}, fails at {statistic.threshold:.0f}",
        seconds=perf_counter() - begin,
    )
    audit = PublicationAudit(
        column=COLUMN,
        gamma=gamma,
        rows_in=table.row_count,
        rows_out=published.row_count,
        suppressed=release.suppressed,
        protection=promises.protection,
        accuracy=promises.accuracy,
        values=values,
    )
    return Outcome((*structure, kept, law), (statistic,), (audit,))


def _others(table: Microdata) -> Counter[tuple[object, ...]]:
    """Return the multiset of rows without the sensitive column, cells as they stand."""
    frame = nw.from_native(table.to_frame(), eager_only=True)
    return Counter(frame.drop(COLUMN).rows())


def _aligned(published: Microdata, original: Microdata, counts: IntArray) -> dict[str, int]:
    """Return the published count of every value of the original; a value may have vanished."""
    found = dict(zip(map(str, published.domain(COLUMN)), counts.tolist(), strict=True))
    return {str(value): found.get(str(value), 0) for value in original.domain(COLUMN)}


@dataclass(frozen=True, slots=True)
class _Promises:
    """What a group size promises: T_P for counts up to alpha, T_E for counts from T_f on."""

    gamma: Gamma
    t_p: Fraction
    t_f: int

    @classmethod
    def of(cls, gamma: Gamma) -> Self:
        """Compute both promises exactly."""
        return cls(
            gamma,
            privacy_minimum(gamma, *PROTECTED).t_p_definition.exact(),
            utility_threshold(gamma, *ACCURATE).threshold,
        )

    @property
    def protection(self) -> str:
        epsilon, alpha = PROTECTED
        return (
            f"counts up to {alpha} are wrong by {epsilon} of their size or more "
            f"with probability at least {decimal_down(self.t_p, 4)}"
        )

    @property
    def accuracy(self) -> str:
        epsilon, t_e = ACCURATE
        return f"counts from {self.t_f} on are wrong by {epsilon} or more with probability at most {t_e}"

    def about(self, frequency: int) -> tuple[Literal["protected", "accurate", ""], str, bool]:
        """Return the promise for a count, its exact error probability, and whether the promise is kept."""
        if frequency <= PROTECTED[1]:
            error = error_probability(self.gamma, PROTECTED[0], frequency)
            return "protected", decimal_down(error.value(), 4), error.compare(self.t_p) >= 0
        error = error_probability(self.gamma, ACCURATE[0], frequency)
        if frequency >= self.t_f:
            return "accurate", decimal_up(error.value(), 4), error.compare(ACCURATE[1]) <= 0
        return "", decimal_up(error.value(), 4), True


def _values(
    original: Microdata, published: dict[str, int], frequencies: IntArray, promises: _Promises
) -> tuple[tuple[ValueAudit, ...], EValue]:
    e_values, audits = [], []
    gamma = promises.gamma
    for value, frequency in zip(map(str, original.domain(COLUMN)), frequencies.tolist(), strict=True):
        count = published[value]
        e_value = counts_point(gamma * frequency, count, Fraction(1, gamma))
        e_values.append(e_value)
        promise, error_probability, kept = promises.about(frequency)
        audits.append(
            ValueAudit(
                value=value,
                frequency=frequency,
                published=count,
                interval=estimate_count(count, gamma).interval,
                promise=promise,
                error_probability=error_probability,
                kept=kept,
                log10_e=e_value.log10,
            )
        )
    audits.sort(key=lambda audit: (-audit.frequency, audit.value))
    return tuple(audits), average(e_values)


def _statistic(e_value: EValue, values: int, largest: int, gamma: Gamma) -> StatisticalRow:
    power = rate_power(counts_point, gamma * largest, Fraction(1, gamma), BUDGET / values)
    return StatisticalRow(
        check=f"report.publication.gamma{gamma}",
        log10_e=e_value.log10,
        budget=BUDGET,
        power=f"most frequent value: {power}",
        passed=not e_value.rejects(BUDGET),
    )
