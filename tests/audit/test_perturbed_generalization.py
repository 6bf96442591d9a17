"""One perturbed record of each group: its law by all outcomes, blind groups, and what is lost."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import polars as pl
import pytest

from splu_ref.audit.perturbed_generalization import (
    PerturbedGeneralization,
    followed,
    median_groups,
    spread_evenly,
)
from splu_ref.channels import amplification
from splu_ref.estimators.queries.counting import Columns
from splu_ref.microdata import Microdata
from splu_ref.model import ParameterError

DOMAIN = ("x", "y", "z")


def _columns(records: int, seed: int, *, shuffled: bool = False) -> Columns:
    chance = random.Random(seed)
    rows = [(chance.randrange(8, 13), chance.choice("abc"), chance.choice(DOMAIN)) for _ in range(records)]
    values = [value for _, _, value in rows]
    if shuffled:
        chance.shuffle(values)
    frame = pl.DataFrame({"n": [n for n, _, _ in rows], "t": [t for _, t, _ in rows], "s": values})
    return Columns(Microdata.from_frame(frame), {})


def _outcomes(values: tuple[str, ...], keep: Fraction) -> dict[str, Fraction]:
    """Perturb every record, publish one: the law by running all outcomes."""
    law: defaultdict[str, Fraction] = defaultdict(Fraction)
    for shown in product(DOMAIN, repeat=len(values)):
        chance = Fraction(1, len(values))
        for own, other in zip(values, shown, strict=True):
            chance *= keep * (own == other) + (1 - keep) / 3
        for value in shown:
            law[value] += chance
    return law


@pytest.mark.parametrize("keep", [Fraction(1, 4), Fraction(2, 3)])
def test_the_law_of_a_group_is_that_of_all_outcomes(keep: Fraction) -> None:
    mechanism = PerturbedGeneralization.of(keep, 3)
    for size in (1, 2, 3):
        for values in product(DOMAIN, repeat=size):
            counts, law = Counter(values), _outcomes(values, keep)
            assert all(mechanism.published(counts, value) == law[value] for value in DOMAIN)
            estimates = {v: size * ((v == "x") - mechanism.stray) / keep for v in DOMAIN}
            mean = sum(law[v] * estimates[v] for v in DOMAIN)
            assert mean == counts["x"]
            variance = sum(law[v] * (estimates[v] - mean) ** 2 for v in DOMAIN)
            assert mechanism.variance(np.array([counts["x"]]), np.array([size])) == variance
            assert variance >= size * mechanism.variance_of_all(counts["x"], size)


def test_a_member_whose_others_are_known() -> None:
    mechanism = PerturbedGeneralization.of("1/2", 3)
    for others in ({}, {"x": 1}, {"x": 2, "y": 1}, {"x": 1, "y": 1, "z": 1}):
        size = sum(others.values()) + 1
        channel = mechanism.member(others, DOMAIN)
        found = amplification(channel).ratio
        assert found is not None
        least = min(others.get(value, 0) for value in DOMAIN)
        assert found <= mechanism.amplification(size)
        assert (found == mechanism.amplification(size)) == (least == 0)
    assert mechanism.amplification(1) == 4
    for size in (1, 3, 7):
        assert PerturbedGeneralization.at_level(9, 14, size).amplification(size) == 9
    with pytest.raises(ParameterError, match="2 values, and 3 were declared"):
        mechanism.member({}, DOMAIN[:2])


@pytest.mark.parametrize("least", [1, 3, 10])
def test_groups_are_large_enough_alike_and_blind(least: int) -> None:
    columns = _columns(200, 5)
    groups = median_groups(columns, ("n", "t"), least)
    assert np.bincount(groups).min() >= least
    assert len(set(groups.tolist())) == groups.max() + 1
    alike: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for number, text, group in zip(columns["n"].codes, columns["t"].codes, groups, strict=True):
        alike[int(number), int(text)].add(int(group))
    assert all(len(one) == 1 for one in alike.values()), "records that agree stand in two groups"
    if least == 1:
        assert groups.max() + 1 == len(alike)
    blind = median_groups(_columns(200, 5, shuffled=True), ("n", "t"), least)
    assert blind.tolist() == groups.tolist()


def test_numbers_are_cut_by_size_and_not_as_texts() -> None:
    frame = pl.DataFrame({"n": [9, 9, 10, 10, 11, 100], "s": list("xyxyxy")})
    groups = median_groups(Columns(Microdata.from_frame(frame), {}), ("n",), 2)
    assert groups[0] == groups[1] != groups[2]
    assert len({int(group) for group in groups[2:]}) <= 2


def test_what_cuts_a_group_is_biased_and_what_does_not_is_not() -> None:
    groups = np.array([0, 0, 0, 1, 1])
    has = np.array([1, 1, 0, 0, 1])
    assert spread_evenly(groups, np.array([1, 1, 1, 0, 0]), has) == 2
    assert spread_evenly(groups, np.array([1, 0, 0, 1, 0]), has) == Fraction(2, 3) + Fraction(1, 2)
    assert followed(np.array([1, 1, 1])) == 1
    assert followed(np.array([3, 2])) == (Fraction(1, 3) + Fraction(1, 2)) / 5


def test_what_is_no_mechanism_is_refused() -> None:
    columns = _columns(5, 1)
    for keep in (0, 1):
        with pytest.raises(ParameterError, match="greater than 0 and less than 1"):
            PerturbedGeneralization.of(keep, 3)
    for quasi, least, says in (
        ((), 1, "columns to group by"),
        (("n",), 6, "no group of 6"),
        (("n",), 0, "1"),
    ):
        with pytest.raises(ParameterError, match=says):
            median_groups(columns, quasi, least)


def test_larger_groups_admit_more_retention_at_one_level() -> None:
    kept = [PerturbedGeneralization.at_level(9, 14, size).retention for size in range(1, 9)]
    assert all(fewer < more for fewer, more in pairwise(kept))
