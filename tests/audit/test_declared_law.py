"""Declared channels: each shipped mechanism has its own, and a wrong declaration is found."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from splu_ref.audit import DeclaredRow, declared_rows, enumerate_declared
from splu_ref.audit.declared_law import DECLARED, DeclaredMechanism
from splu_ref.audit.enumeration import GAMMAS, RETENTIONS, eligible_histograms
from splu_ref.channels import Channel, coarsen, constant, diagonal, from_matrix, identity
from splu_ref.estimators.linear.transition import set_matrix, value_matrix
from splu_ref.mechanisms import Anatomy, DistributionBased, SpluGen, co_occurrence
from splu_ref.randomness import Draws, IntArray, SeededSource, UniformSource
from tests.rounding import near


def test_every_mechanism_has_the_law_that_it_declares() -> None:
    rows = list(declared_rows(largest=3))
    names = {"SPLU-Gen", "Anatomy", "DBR", "retention replacement", "swapping", "operator"}
    assert {row.mechanism for row in rows} == names
    assert [row.detail for row in rows if not row.holds] == []
    assert len(rows) >= len(DECLARED)
    assert all(row.outcomes >= 1 for row in rows)


class RowsRelease(NamedTuple):
    rows: NDArray[np.integer[Any]]
    published: NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Warner:
    """A mechanism in a few lines: each of two values is kept with a chance, records in a random order."""

    name = "Warner"
    declared: Fraction

    def publish_codes(self, codes: IntArray, domain_size: int, draws: Draws) -> RowsRelease:
        drawn = (codes + (draws.below(4, len(codes)) == 0)) % domain_size
        shuffle = draws.permutation(len(codes))
        return RowsRelease(shuffle, drawn[shuffle])

    def channel(self, histogram: IntArray, _: UniformSource) -> Channel[int, int]:
        return diagonal(range(len(histogram)), self.declared)


def test_a_new_mechanism_is_enumerated_by_its_line() -> None:
    row, *others = declared_rows([(Warner(Fraction(3, 4)), 2)], largest=2)
    assert row == DeclaredRow("Warner", (1, 1), 16, True, "")
    assert not others
    wrong = enumerate_declared(Warner(Fraction(2, 3)), (1, 1))
    assert not wrong.holds
    assert "0: 1/4, 1: 3/4, declared is 0: 1/3, 1: 2/3" in wrong.detail


@dataclass(frozen=True)
class Declares:
    """A shipped mechanism with another channel, or with its release altered."""

    mechanism: DeclaredMechanism
    declared: Channel[int, Any] | None = None
    doubled: bool = False

    @property
    def name(self) -> str:
        return self.mechanism.name

    def publish_codes(self, codes: IntArray, domain_size: int, draws: Draws) -> RowsRelease:
        done = self.mechanism.publish_codes(codes, domain_size, draws)
        if not self.doubled:
            return RowsRelease(done.rows, done.published)
        return RowsRelease(np.zeros_like(done.rows), done.published)

    def channel(self, histogram: IntArray, secret: UniformSource) -> Channel[int, Any]:
        return self.declared or self.mechanism.channel(histogram, secret)


@pytest.mark.parametrize(
    ("mechanism", "histogram", "message"),
    [
        (Declares(SpluGen(2, "2/3", "anatomy"), diagonal(range(2), "1/2")), (2, 2), "declared is"),
        (Declares(SpluGen(2, None, "anatomy"), identity(range(2))), (1, 1), "declared is 1: 1"),
        (Declares(SpluGen(2), identity([0])), (1, 1), "declared is none"),
        (Declares(DistributionBased(), constant(range(2), {0: "1/2", 1: "1/2"})), (2, 1), "0: 2/3, 1: 1/3"),
        (Declares(Anatomy(2), from_matrix([0, 1], [[1], [1]], [(0,)])), (1, 1), "(0, 1): 1, declared"),
        (Declares(SpluGen(2, None, "anatomy"), doubled=True), (1, 1), "two published rows"),
    ],
)
def test_each_wrong_declaration_is_found(
    mechanism: Declares, histogram: tuple[int, ...], message: str
) -> None:
    row = enumerate_declared(mechanism, histogram)
    assert not row.holds
    assert message in row.detail
    assert enumerate_declared(mechanism.mechanism, histogram).holds


@pytest.mark.parametrize("gamma", [2, 3])
@pytest.mark.parametrize("plan", ["anatomy", "cyclic"])
def test_splu_gen_draws_from_what_the_two_tables_show(gamma: int, plan: str) -> None:
    """With p = 1/gamma its channel is Anatomy's, and then a value of the group (claim splu.ANAs)."""
    histogram = np.array([4, 3, 3, 2])
    shown = Anatomy(gamma, plan).channel(histogram, SeededSource(1))
    drawn = Channel(
        {group: {code: Fraction(1, gamma) for code in group} for group in shown.outputs}, tuple(range(4))
    )
    assert shown.then(drawn) == SpluGen(gamma, None, plan).channel(histogram, SeededSource(1))


@pytest.mark.parametrize("retention", [None, *RETENTIONS])
@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("plan", ["anatomy", "cyclic"])
def test_the_estimators_matrices_are_those_of_the_declared_channel(
    plan: str, gamma: int, retention: Fraction | None
) -> None:
    """They are vectorized, and know of the plan what `co_occurrence` counts."""
    mechanism = SpluGen(gamma, retention, plan)
    law = mechanism.count_law
    for histogram in eligible_histograms(gamma, 6, ordered=False):
        if sum(histogram) % gamma:  # a record is deleted: another histogram's matrix
            continue
        if sum(histogram) <= 4:
            assert enumerate_declared(mechanism, histogram).holds
        frequencies = np.array(histogram)
        channel = mechanism.channel(frequencies, SeededSource(1))
        counts = co_occurrence(mechanism.decoys(frequencies, law.gamma, SeededSource(1)))
        together = np.array([counts.row(value) for value in range(len(histogram))], dtype=np.float64)
        assert value_matrix(together, law) == near(np.array(channel.as_floats()))
        members = np.zeros(len(histogram))
        members[:2] = 1
        if len(histogram) > 2:
            parts = {value: value < 2 for value in range(len(histogram))}
            pair = coarsen(channel, parts, dict(enumerate(histogram)))
            exact = [[float(pair.probability(u, v)) for v in (False, True)] for u in (False, True)]
            assert set_matrix(together, members, law) == near(np.array(exact))
