"""The vectorized steps against the plain rules, where small integers are no longer enough."""

from __future__ import annotations

import numpy as np
import pytest

from splu_ref.channels.parameters import Gamma
from splu_ref.mechanisms import PLANS, SpluGen, resolve_plan
from splu_ref.randomness import IntArray, RecordingSource, SeededSource, TapeSource


def _plainly(groups: list[list[int]], codes: list[int], order: list[int], draws: list[int]) -> list[int]:
    """Return each record's value: its own group, draw 0 its own, draw j the j-th of the others."""
    places: dict[int, list[list[int]]] = {}
    for group in groups:
        for value in group:
            places.setdefault(value, []).append(group)
    taken = dict.fromkeys(places, 0)
    published = [0] * len(codes)
    for record in order:
        value = codes[record]
        group = places[value][taken[value]]
        taken[value] += 1
        others = [each for each in group if each != value]
        published[record] = value if draws[record] == 0 else others[draws[record] - 1]
    return published


@pytest.mark.parametrize("gamma", [127, 128, 129, 254, 255, 256, 257, 300])
@pytest.mark.parametrize("plan", ["anatomy", "cyclic"])
def test_groups_of_more_than_small_integers(plan: str, gamma: int) -> None:
    values = gamma + 40
    codes = np.arange(4 * gamma)[::-1] % values
    source = RecordingSource(SeededSource(gamma))
    done = SpluGen(gamma, plan=plan).publish_codes(codes, values, source)
    tape = TapeSource(source.recorded)
    histogram = np.bincount(codes, minlength=values)
    groups = resolve_plan(plan)[0](histogram, Gamma(gamma), tape).groups().tolist()
    order, draws = tape.order_within(codes), tape.below(gamma, len(codes))
    wanted = np.array(_plainly(groups, codes.tolist(), order.tolist(), draws.tolist()))
    assert np.array_equal(done.published, wanted[done.rows])
    assert np.array_equal(done.rows, tape.permutation(len(codes)))


def _valid(groups: IntArray, histogram: IntArray) -> None:
    assert np.array_equal(np.bincount(groups.reshape(-1), minlength=len(histogram)), histogram)
    ordered = np.sort(groups, axis=1)
    assert (ordered[:, 1:] > ordered[:, :-1]).all()


@pytest.mark.parametrize("values", [255, 256, 257, 258, 65_535, 65_536, 65_537, 65_538])
@pytest.mark.parametrize("plan", sorted(PLANS))
def test_domains_of_more_than_small_integers(plan: str, values: int) -> None:
    """Every value once, and the last ones more often, so that the largest codes stand in several groups."""
    histogram = np.ones(values, dtype=np.int64)
    histogram[-3:] = 4
    histogram[-1] += int(histogram.sum()) % 2
    _valid(resolve_plan(plan)[0](histogram, Gamma(2), SeededSource(1)).groups().astype(np.int64), histogram)


@pytest.mark.parametrize("values", [256, 257, 65_536, 65_537])
def test_records_of_a_large_domain_take_values_of_their_group(values: int) -> None:
    size = values + values % 2
    codes = np.arange(size)[::-1] % values
    source = RecordingSource(SeededSource(5))
    done = SpluGen(2, plan="cyclic").publish_codes(codes, values, source)
    tape = TapeSource(source.recorded)
    groups = resolve_plan("cyclic")[0](np.bincount(codes), Gamma(2), tape).groups().tolist()
    order, draws = tape.order_within(codes), tape.below(2, size)
    wanted = np.array(_plainly(groups, codes.tolist(), order.tolist(), draws.tolist()))
    assert np.array_equal(done.published, wanted[done.rows])
