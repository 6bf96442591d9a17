from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from experiments.study.judging import Judgement, draw_queries, judged
from experiments.study.settings import Setting
from splu_ref.data import Microdata
from splu_ref.estimators import Query, QueryEstimator
from splu_ref.estimators.shrinkage.plausible_plans import DRAWS, MOST_VALUES, plausible_pairs
from splu_ref.mechanisms import CoOccurrence, SpluGen, largest_gamma
from splu_ref.randomness import IntArray, SeededSource
from tests.estimators.answer_parts import ends

TRUE: IntArray = np.array([400, 390, 350, 350, 300, 250, 200, 160])


@pytest.mark.parametrize("plan", ["anatomy", "cyclic"])
def test_the_true_plan_lies_among_the_plausible_ones(plan: str) -> None:
    """Count how often the true co-occurrence of two values lies within the drawn ones: nearly always."""
    mechanism = SpluGen(3, plan=plan)
    counted = CoOccurrence(mechanism.decoys(TRUE, mechanism.gamma, SeededSource(b"unused")))
    true = np.array([counted.row(value) for value in range(len(TRUE))], dtype=np.float64)
    np.fill_diagonal(true, 0.0)
    codes = np.repeat(np.arange(len(TRUE)), TRUE)
    inside = []
    for seed in range(12):
        source = SeededSource(f"release {seed}".encode())
        published = np.bincount(mechanism.publish_codes(codes, len(TRUE), source).published, minlength=8)
        drawn = plausible_pairs(published.astype(np.float64), mechanism)
        assert len(drawn) == DRAWS
        for pairs in drawn:
            frequency = pairs.frequency.astype(np.int64)
            assert frequency.sum() == TRUE.sum()
            assert largest_gamma(frequency) >= 3
            assert (pairs.together.sum(axis=1) == 2 * frequency).all()  # gamma - 1 others in each group
        together = np.array([pairs.together for pairs in drawn])
        inside.append((together.min(axis=0) <= true) & (true <= together.max(axis=0)))
    assert np.mean(inside) > 0.85  # two more draws would both have to be outermost: about 19/21 in theory
    assert together.std(axis=0).max() > 10  # and the plans differ


def test_the_same_release_has_the_same_answer_and_other_plans_have_longer_intervals() -> None:
    setting = Setting("given away", "s", 5)
    table = setting.read(None)
    frame = pl.DataFrame({"s": table.values.astype(str), "class": table.codes[1].astype(str)})
    lengths = {}
    for plan in ("mixed", "anatomy"):
        mechanism = SpluGen(5, plan=plan)
        release = mechanism.publish(Microdata.from_frame(frame), "s", SeededSource(2))
        query = Query.of({"class": "0", "s": "1"})
        first, again = (
            QueryEstimator(release.table, ["s"], mechanism).estimate([query])[0] for _ in range(2)
        )
        assert first == again
        assert first.warning is None
        lengths[plan] = ends(first)[1] - ends(first)[0]
    assert lengths["anatomy"] > 1.2 * lengths["mixed"]


@pytest.mark.slow
@pytest.mark.parametrize("plan", ["anatomy", "cyclic"])
def test_intervals_cover_where_those_of_exact_do_not(plan: str) -> None:
    setting = Setting("given away", "s", 7, plan=plan)
    table = setting.read(None)
    questions = draw_queries(table, 15, lambda part: SeededSource(part.encode()))
    sources = [SeededSource(b"releases")] * 4
    found = judged(table, setting.mechanism, [Judgement("shrunk")], questions, sources, rivals=())
    for part in questions.classes:
        assert found.coverage("shrunk", part).mean() > 0.85, part
    exact = judged(table, SpluGen(7), [Judgement("exact")], questions, sources[:1], rivals=())
    assert "exact" in exact.covered
    none = judged(table, setting.mechanism, [Judgement("exact")], questions, sources[:1], rivals=())
    assert "exact" not in none.covered


def test_a_domain_too_large_for_it_and_several_columns_have_no_interval() -> None:
    values = [str(i % (MOST_VALUES + 1)) for i in range(2 * (MOST_VALUES + 1))]
    frame = pl.DataFrame({"s": values, "t": [str(i % 3) for i in range(len(values))], "p": "1"})
    for columns, where in (
        (["s"], {"p": "1", "s": "1"}),
        (["s", "t"], {"p": "1", "s": "1", "t": "2"}),
    ):
        estimator = QueryEstimator(Microdata.from_frame(frame), columns, SpluGen(2, plan="cyclic"))
        [found] = estimator.estimate([Query.of(where)])
        assert (found.interval, found.standard_error) == (None, None)
        assert "no interval" in str(found.warning)
