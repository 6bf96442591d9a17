"""How anonymous a table is: against another program's answers, and against the definitions."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from splu_ref.audit.anonymity import Anonymity
from splu_ref.channels.parameters import ParameterError
from splu_ref.data import Microdata, embedded_table
from splu_ref.estimators.queries.counting import Columns
from tests.rounding import near

ANSWERS: dict[str, Any] = json.loads((Path(__file__).parent / "anonymity_answers.json").read_text())


def _rows(seed: int) -> list[tuple[str, str, str]]:
    """Return the table of which the file has the answers in this place."""
    chance = random.Random(seed)
    count, first, second, values = (chance.randint(*ends) for ends in ((1, 60), (1, 3), (1, 4), (1, 6)))
    skew = chance.choice((1, 1, 2, 4))
    return [
        (
            f"a{chance.randrange(first)}",
            f"b{chance.randrange(second)}",
            f"s{int(values * chance.random() ** skew)}",
        )
        for _ in range(count)
    ]


def _anonymity(rows: list[tuple[str, str, str]]) -> Anonymity:
    frame = pl.DataFrame(rows, schema=["a", "b", "s"], orient="row")
    return Anonymity.of(Columns(Microdata.from_frame(frame), {}), ("a", "b"), "s")


def _recursive(found: Anonymity, answers: list[float]) -> None:
    k, distinct, entropy, alpha, t = answers
    assert (found.k, found.distinct) == (k, distinct)
    assert float(found.alpha) == near(alpha, size=1)
    assert found.distance is not None
    assert float(found.distance) == near(t, size=1)
    assert found.entropy_whole == entropy


def test_200_generated_tables_have_the_answers_of_another_program() -> None:
    for seed, answers in enumerate(ANSWERS["generated"]):
        found = _anonymity(_rows(seed))
        if found.entropy_whole != answers[2]:
            # it takes the whole part of a double: an entropy of lg l exactly may come out below
            assert found.entropy_whole == answers[2] + 1
            answers = [*answers[:2], answers[2] + 1, *answers[3:]]  # noqa: PLW2901
            assert _entropy_is_lg(found, answers[2])
        _recursive(found, answers)


def _entropy_is_lg(found: Anonymity, number: int) -> bool:
    assert found.groups is not None
    return any(
        prod(count**count for count in counts) * number ** sum(counts) == sum(counts) ** sum(counts)
        for counts in found.groups
    )


def test_adult_has_the_answers_of_another_program() -> None:
    columns = Columns(embedded_table(), {})
    for quasi, answers in ANSWERS["adult, occupation"].items():
        _recursive(Anonymity.of(columns, quasi.split(","), "occupation"), answers)


def test_all_numbers_are_those_of_the_definitions() -> None:
    random.seed(8)
    for seed in range(1000, 1060):
        rows = _rows(seed)
        groups: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for first, second, value in rows:
            groups[first, second][value] += 1
        table = Counter(value for _, _, value in rows)
        found = _anonymity(rows)
        alike = [group for group in groups.values() if len(group) == 1]
        assert (found.homogeneous, found.exposed) == (len(alike), sum(map(Counter.total, alike)))
        assert found.alone == sum(group.total() == 1 for group in groups.values())
        assert found.records == len(rows)
        assert found.distance == max(
            sum(
                abs(Fraction(group[value], group.total()) - Fraction(table[value], len(rows)))
                for value in table
            )
            / 2
            for group in groups.values()
        )
        for number in (1, 2, 3, 4):
            # entropy: the product of (size/count)^count is at least l^size in every group
            diverse = all(
                Fraction(group.total() ** group.total(), prod(c**c for c in group.values()))
                >= number ** group.total()
                for group in groups.values()
            )
            assert (found.entropy_whole >= number) == diverse
        for number in (2, 3):
            bound = found.recursive(number)
            for c in (Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(4), Fraction(50)):
                ordered = [sorted(group.values(), reverse=True) for group in groups.values()]
                diverse = all(counts[0] < c * sum(counts[number - 1 :]) for counts in ordered)
                assert (bound is not None and c > bound) == diverse


def test_what_cannot_be_requested_is_refused() -> None:
    frame = pl.DataFrame({"a": ["1"], "s": ["2"]})
    columns = Columns(Microdata.from_frame(frame), {})
    for quasi, says in (
        ((), "one or more quasi-identifiers"),
        (("a", "a"), "named twice"),
        (("a", "s"), "the sensitive"),
    ):
        with pytest.raises(ParameterError, match=says):
            Anonymity.of(columns, quasi, "s")
    with pytest.raises(ParameterError, match="sensitive COLUMN"):
        _ = Anonymity.of(columns, ("a",)).alpha
    with pytest.raises(ParameterError, match="l must be a whole number of at least 2"):
        Anonymity.of(columns, ("a",), "s").recursive(1)
