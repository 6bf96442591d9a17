"""Queries are what the paper asks: checked against all queries of a small table, one by one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product

import numpy as np

from experiments.study.recipes import Recipe
from experiments.study.tables import StudyTable
from experiments.study.workload import Pool, Workload, workload
from splu_ref.randomness import IntArray, SeededSource
from tests.rounding import near

SIZES = (2, 3, 4, 5)
VALUES = 6


def small_table() -> StudyTable:
    source = SeededSource(11)
    codes = np.stack([source.below(size, 400) for size in SIZES]).astype(np.int32)
    return StudyTable("small", Recipe("s", gamma=3), ("a", "b", "c", "d"), codes, source.below(VALUES, 400))


def seeded(seed: int) -> Callable[[Pool], SeededSource]:
    return lambda _: SeededSource(seed)


def every_query(table: StudyTable) -> dict[tuple[tuple[int, ...], tuple[int, ...], int], int]:
    """Return the count of each possible query, by columns, codes and value."""
    counts = {}
    for size in (1, 2, 3):
        for columns in combinations(range(len(SIZES)), size):
            for codes in product(*(range(SIZES[column]) for column in columns)):
                holds = np.all([table.codes[c] == k for c, k in zip(columns, codes, strict=True)], axis=0)
                for value in range(VALUES):
                    counts[columns, codes, value] = int(np.sum(holds & (table.values == value)))
    return counts


def listed_queries(queries: Workload) -> list[tuple[tuple[int, ...], tuple[int, ...], int]]:
    return [
        (queries.columns[p], queries.assignments[p], v)
        for p, v in zip(queries.predicate.tolist(), queries.value.tolist(), strict=True)
    ]


def test_a_large_enough_pool_is_every_query_of_its_range() -> None:
    table = small_table()
    queries = workload(table, [Pool(1, 11, 10_000), Pool(11, 40, 10_000)], seeded(1))
    counts = every_query(table)
    assert len(set(listed_queries(queries))) == len(queries.true)
    for number, (least, end) in enumerate([(1, 11), (11, 40)]):
        found = {
            query for query, pool in zip(listed_queries(queries), queries.pool, strict=True) if pool == number
        }
        assert found == {query for query, count in counts.items() if least <= count < end}
    assert [counts[query] for query in listed_queries(queries)] == queries.true.tolist()


def test_counts_by_value_are_those_of_the_records() -> None:
    table = small_table()
    queries = workload(table, [Pool(1, 400, 50)], seeded(2))
    published = SeededSource(3).below(VALUES + 1, table.rows)  # VALUES stands for a record left out
    counts = queries.count(published, VALUES)
    assert counts.shape == (len(queries.columns), VALUES)
    for columns, codes, row in zip(queries.columns, queries.assignments, counts, strict=True):
        holds = np.all([table.codes[c] == k for c, k in zip(columns, codes, strict=True)], axis=0)
        assert row.tolist() == [int(np.sum(holds & (published == value))) for value in range(VALUES)]


class Alike(SeededSource):
    """Every query draws the same number, so that only its chance decides who comes first."""

    def below(self, bound: int, size: int) -> IntArray:
        return np.full(size, bound // 3)


def test_the_race_favors_queries_by_their_chance_under_the_papers_law() -> None:
    table = small_table()
    queries = workload(table, [Pool(1, 400, 60)], lambda _: Alike(0))
    subsets = {1: 4, 2: 6, 3: 4}

    def chance(query: tuple[tuple[int, ...], tuple[int, ...], int]) -> float:
        columns, _, _ = query
        return 1 / (subsets[len(columns)] * np.prod([SIZES[c] for c in columns]))

    found = sorted((chance(query) for query in listed_queries(queries)), reverse=True)
    every = [query for query, count in every_query(table).items() if count]
    assert found == near(sorted(map(chance, every), reverse=True)[:60])


def test_the_first_of_the_race_has_the_papers_law() -> None:
    """With a pool of one, a query wins with its share of all chances: an exponential race."""
    codes = np.array([[0] * 6 + [1] * 6, [0, 1, 2, 3, 4, 5] * 2], dtype=np.int32)
    table = StudyTable("tiny", Recipe("s"), ("a", "b"), codes, np.zeros(12, dtype=np.int64))
    wins = [len(workload(table, [Pool(1, 13, 1)], seeded(seed)).columns[0]) for seed in range(600)]
    pairs = wins.count(2) / 600
    assert abs(pairs - 1 / 2) < 0.08  # d is 1 or 2, each as likely as the other


def test_the_same_seed_gives_the_same_queries() -> None:
    table = small_table()
    first, second, other = (workload(table, [Pool(1, 20, 30)], seeded(seed)) for seed in (5, 5, 6))
    assert listed_queries(first) == listed_queries(second) != listed_queries(other)
