"""A least size of queries: the counts that the tracker infers, compared with the table and all trackers."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from experiments.query_interfaces import QueryInterface, SizeControl, run_tracker_attack
from experiments.query_interfaces.query_size import Question
from splu_ref.channels.parameters import ParameterError
from splu_ref.data import Microdata
from splu_ref.estimators.queries.counting import Columns


def _columns(rows: list[tuple[int, int]]) -> Columns:
    frame = pl.DataFrame(
        {"a": [f"a{one}" for one, _ in rows], "b": [f"b{other}" for _, other in rows]},
    )
    return Columns(Microdata.from_frame(frame), {})


def _sets(columns: Columns) -> list[set[int]]:
    single = [
        set(np.flatnonzero(columns[name].codes == code).tolist())
        for name in ("a", "b")
        for code in range(len(columns[name].domain))
    ]
    pairs = list(combinations(single, 2))
    return single + [one & other for one, other in pairs] + [one | other for one, other in pairs]


def test_what_is_refused_is_found_exactly_where_a_tracker_exists() -> None:
    random.seed(20260719)
    broken = kept = 0
    for _ in range(60):
        records = random.randint(4, 13)
        columns = _columns([(random.randint(0, 2), random.randint(0, 3)) for _ in range(records)])
        best = max(min(len(one), records - len(one)) for one in _sets(columns)) // 2
        for least in range(1, records // 2 + 1):
            done = run_tracker_attack(columns, ("a", "b"), SizeControl(records, least))
            assert done.largest_broken == best
            assert (done.tracker is not None) == (least <= best)
            assert done.found == (done.attacked if least <= best else 0)
            broken, kept = broken + done.found, kept + done.attacked - done.found
    assert broken
    assert kept


def test_every_query_of_an_attack_is_answered_by_the_interface() -> None:
    columns = _columns([(0, 0)] * 5 + [(1, 1)] * 4 + [(0, 2)])
    wanted = Question("the one", columns["b"].codes == 2)
    done = run_tracker_attack(columns, ("a", "b"), SizeControl(10, 2), wanted)
    assert done.count == 1
    assert [answer for _, answer in done.queries] == [None, 6, 4, 6, 5]
    most = run_tracker_attack(columns, ("a", "b"), SizeControl(10, 2), wanted.without())
    assert most.count == 9
    assert most.queries[0][1] is None


def test_the_other_reading_needs_no_tracker_and_is_broken_up_to_half() -> None:
    columns = _columns([(0, 0)] * 5 + [(1, 1)] * 4 + [(0, 2)])
    done = run_tracker_attack(columns, ("a", "b"), SizeControl(10, 5, "small"))
    assert (done.tracker, done.refused, done.found, done.largest_broken) == (None, 3, 3, 5)


def test_an_interface_refuses_by_size_and_remembers() -> None:
    interface = QueryInterface(SizeControl(4, 2))
    assert interface.ask(Question("two", np.array([True, True, False, False]))) == 2
    assert interface.ask(Question("three", np.array([True, True, True, False]))) is None
    assert interface.log == [("two", 2), ("three", None)]
    both, small = SizeControl(10, 3), SizeControl(10, 3, "small")
    assert [both.answers(count) for count in (2, 3, 7, 8)] == [False, True, True, False]
    assert [small.answers(count) for count in (2, 3, 7, 8)] == [False, True, True, True]


@pytest.mark.parametrize("least", [0, 6])
def test_a_least_size_beyond_half_of_the_records_is_refused(least: int) -> None:
    with pytest.raises(ParameterError, match="from 1 to half of the 10 records"):
        SizeControl(10, least)
