"""Sums and means, by hand where the matrix is small, and where nothing can be said."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
import pytest

import splu_ref as sr
from splu_ref.channels.parameters import InputError
from splu_ref.data import Microdata
from splu_ref.estimators import AnyOf, Cell, measure_table
from splu_ref.estimators.answers import IMPOSSIBLE
from splu_ref.estimators.tables.cells import table_object
from splu_ref.mechanisms import PublishedTable, RetentionReplacement, Swapping
from tests.rounding import near


def _published(*columns: str) -> PublishedTable:
    """Return eight published records, of two values that stay with probability 1/2: the inverse is
    3/2 on the diagonal and -1/2 beside it."""
    frame = pd.DataFrame(
        {
            "job": list("aaaabbbb"),
            "pay": [10, 10, 20, 20, 10, 20, 20, 20],
            "sex": list("FFMMFFMM"),
            "age": ["30", "40", "50", "", "20", "60", "?", "70"],
        }
    )
    domains = {"job": ("a", "b"), "pay": ("10", "20")}
    some = {name: domains[name] for name in columns}
    return PublishedTable(
        table=Microdata.from_frame(frame), mechanism=RetentionReplacement("1/2", some), domains=some
    )


def _cells(
    release: PublishedTable, measure: Any, column: str, by: tuple[str, ...], **where: str
) -> dict[tuple[str | None, ...], Cell]:
    conditions = tuple((column, AnyOf(tuple(value.split("|")))) for column, value in where.items())
    return {cell.values: cell for cell in measure_table(release, measure, column, by, conditions).cells}


def test_sums_of_a_public_number_by_a_sensitive_column() -> None:
    found = _cells(_published("job"), "sum", "age", ("job",))
    assert found["a",].estimate == near(1.5 * 120 - 0.5 * 150)
    assert found["b",].estimate == near(1.5 * 150 - 0.5 * 120)
    squares = 30**2 + 40**2 + 50**2, 20**2 + 60**2 + 70**2
    assert found["a",].standard_error == near(sqrt(0.75 * (squares[0] + squares[1])))
    assert found["a",].published_count == 3
    assert found["a",].predicate_count == 8
    assert found["a",].interval == (0, 270), "not beyond the sum of all ages"


def test_an_impossible_sum_is_marked_and_a_possible_one_is_not() -> None:
    """Rare occupations have few records in most countries, so some unbiased sums are negative."""
    release = sr.SpluGen(5).publish(sr.embedded_table(), "occupation", sr.SeededSource(1))
    cells = measure_table(release, "sum", "age", ["native_country", "occupation"]).cells
    outside = [cell.interval is not None and not _within(cell) for cell in cells]
    assert 0 < sum(outside) < len(outside)
    assert [cell.warning == IMPOSSIBLE for cell in cells] == outside


def _within(cell: Cell) -> bool:
    low, high = cell.interval or (cell.estimate, cell.estimate)
    return low - 1e-6 <= cell.estimate <= high + 1e-6


def test_means_are_quotients_within_the_numbers() -> None:
    found = _cells(_published("job"), "mean", "age", ("job",))
    assert found["a",].estimate == near(105 / 3)
    assert found["b",].estimate == near(165 / 3)
    interval: object = found["a",].interval
    assert interval == (20, 70), "of three records nothing is known but the range"
    error = found["a",].standard_error
    assert error is not None
    assert 0 < error <= 25, "no law on the range has a larger one"


def test_sums_of_a_sensitive_number_by_a_public_column() -> None:
    found = _cells(_published("pay"), "sum", "pay", ("sex",))
    # E of a published number is half of it and half of 15: the scores are 5 and 25.
    assert found["F",].estimate == near(3 * 5 + 25)
    assert found["M",].estimate == near(4 * 25)
    true_squares = 3 * (1.5 * 100 - 0.5 * 400) + 1.5 * 400 - 0.5 * 100
    assert found["F",].standard_error == near(sqrt(3 * 25 + 625 - true_squares))
    some = _cells(_published("pay"), "mean", "pay", ("sex",), pay="20")
    assert {cell.estimate for cell in some.values()} == {20}
    both = _cells(_published("job", "pay"), "sum", "pay", ("job",))
    assert both["a",].estimate + both["b",].estimate == near(3 * 5 + 5 * 25)
    assert both["a",].estimate == near(1.5 * 60 - 0.5 * 80)


def test_what_is_public_is_exact() -> None:
    found = _cells(_published("job"), "mean", "age", ("sex",))
    assert found["F",] == Cell(("F",), 37.5, 0.0, (37.5, 37.5), "public", 4, 4, exact=True)
    # sums of floats are rounded: nothing is uncertain all the same
    frame = pd.DataFrame({"job": list("abc") * 50, "pay": [0.1, 0.2, 0.3] * 50, "sex": "F"})
    release = sr.SpluGen(2).publish(frame, "job", sr.SeededSource(1))
    [cell] = measure_table(release, "mean", "pay", ("sex",)).cells
    assert cell.interval == (near(0.2), near(0.2))
    assert cell.standard_error is not None
    assert cell.standard_error < 1e-6
    of_some = _cells(_published("job"), "sum", "age", ("sex",), job="a|b")
    assert of_some["F",].estimate == near(150)


def test_nothing_known_of_a_mean_is_no_estimate() -> None:
    """Some groups have so few records that the interval is the range of all numbers; one number is known."""
    frame = pd.DataFrame({"job": [*"ababcc" * 400, *"def"], "sex": ["F", "M", "M"] * 801, "one": "7"})
    frame["age"] = [str(number * number % 101) for number in range(2403)]
    release = sr.SpluGen(2).publish(frame, "job", sr.SeededSource(1))
    ages = pd.DataFrame({name: release.table.cells(name) for name in ("sex", "age")})
    ranges = ages["age"].astype(int).groupby(ages["sex"]).agg(["min", "max"])
    table = measure_table(release, "mean", "age", ("sex", "job"))
    known = [cell.interval != tuple(ranges.loc[cell.values[0]]) for cell in table.cells]
    assert 0 < sum(known) < len(known)
    assert [cell.is_known for cell in table.cells] == known
    found = release.tabulate(["sex", "job"], mean_of="age")
    assert found["estimate"].notna().tolist() == found["standard_error"].notna().tolist() == known
    written = table_object(table)["cells"]
    assert ["warning" not in cell and cell["standard_error"] is not None for cell in written] == known
    for measure, column in (("mean", "one"), ("sum", "age")):
        assert all(cell.is_known for cell in _cells(release, measure, column, ("sex", "job")).values())


def test_sums_of_a_release_add_up_and_plans_without_secret_have_no_intervals() -> None:
    frame = pd.DataFrame({"job": list("abcdef") * 20, "age": [str(20 + n % 31) for n in range(120)]})
    for plan in ("mixed", "cyclic"):
        release = sr.SpluGen(2, plan=plan).publish(frame, "job", sr.SeededSource(1))
        table = measure_table(release, "sum", "age", ("job",))
        total = sum(map(int, release.table.cells("age")))
        assert sum(cell.estimate for cell in table.cells) == near(total)
        assert (table.warning is None) == (plan == "mixed")
        assert all((cell.interval is None) == (plan == "cyclic") for cell in table.cells)


def test_the_door_has_means(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = _published("job").tabulate("job", {"sex": "F"}, mean_of="age")
    assert isinstance(frame, pd.DataFrame)
    assert frame["job"].tolist() == ["a", "b"]
    with pytest.raises(InputError, match="drop the other"):
        _published("job").tabulate("job", mean_of="age", sum_of="age")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mean", "sex", ("job",)), "'sex' holds no numbers, but 'F'"),
        (("mean", "age", ("age",)), "'age' is measured"),
        (("mean", "agee", ("job",)), "did you mean 'age'"),
    ],
)
def test_what_has_no_sum_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        _cells(_published("job"), *arguments)


def test_dependent_records_are_refused() -> None:
    frame = pd.DataFrame({"job": list("abcd") * 5, "age": list(range(20))})
    release = Swapping("1/2").publish(frame, "job", sr.SeededSource(1))
    with pytest.raises(InputError, match="have no error that is known here"):
        _cells(release, "mean", "age", ("job",))


@pytest.fixture(scope="module")
def salaries() -> tuple[pd.DataFrame, list[sr.Release]]:
    """Return a table in which a sensitive number goes with a public column, and thirty of its releases."""
    pay = np.random.default_rng(1).integers(0, 6, 300).tolist()
    frame = pd.DataFrame(
        {
            "pay": [str(10 * each * each + 5) for each in pay],
            "sex": ["F" if number * 7 % 11 < 2 + each else "M" for number, each in enumerate(pay)],
            "all": "x",
        }
    )
    return frame, [sr.SpluGen(3).publish(frame, "pay", sr.SeededSource(seed)) for seed in range(30)]


@pytest.mark.parametrize("measure", ["sum", "mean"])
@pytest.mark.parametrize("column", ["sex", "all"])
def test_errors_of_sensitive_numbers_are_as_large_as_they_are_said_to_be(
    salaries: tuple[pd.DataFrame, list[sr.Release]], measure: str, column: str
) -> None:
    frame, releases = salaries
    true = frame["pay"].astype(float).groupby(frame[column]).agg(measure)
    found = [_cells(release, measure, "pay", (column,)) for release in releases]
    for value in true.index:
        off = [cells[value,].estimate - true[value] for cells in found]
        errors_of_releases = [cells[value,].standard_error or 0 for cells in found]
        ratio = sum(each**2 for each in off) / sum(each**2 for each in errors_of_releases)
        assert 0.5 < ratio < 1.9, (value, ratio)  # of thirty squares within a factor of 1.9, either way


def _one_large(*, kept: bool) -> PublishedTable:
    """Return 60 records, three of them truly 'a', one of these with 900; it is published as such or not."""
    shown = ["a" if kept else "b", "a", "b", *("ba"[place % 4 == 0] for place in range(57))]
    frame = pd.DataFrame({"job": shown, "pay": [900, 10, 10, *range(10, 67)]})
    domains = {"job": ("a", "b")}
    return PublishedTable(
        table=Microdata.from_frame(frame), mechanism=RetentionReplacement("1/2", domains), domains=domains
    )


@pytest.mark.parametrize("kept", [True, False])
def test_a_large_number_that_was_replaced_is_not_excluded(kept: bool) -> None:
    numbers = [900, 10, 10, *range(10, 67)]
    # A record of the group has variance 3/4: its score is 3/2 with probability 3/4, else -1/2.
    rate = 0.75 * sum(n * n for n in numbers) / sum(numbers)
    cell = _cells(_one_large(kept=kept), "sum", "pay", ("job",))["a",]
    assert cell.interval is not None
    assert cell.standard_error is not None
    above = cell.interval[1] - cell.estimate
    squared = 1.959964**2 * (cell.standard_error**2 + rate * above)
    assert above == near(min(squared**0.5, sum(numbers) - cell.estimate), rel=1e-5)
    assert cell.interval[0] <= 920 <= cell.interval[1]
    mean = _cells(_one_large(kept=kept), "mean", "pay", ("job",))["a",]
    assert mean.interval is not None
    assert mean.interval[0] <= 920 / 3 <= mean.interval[1]


@pytest.mark.parametrize(("measure", "factor", "shift"), [("mean", 1, 7), ("mean", 2, 0), ("sum", 2, 0)])
def test_other_units_and_another_origin_change_nothing_else(measure: Any, factor: int, shift: int) -> None:
    """Of a release of the same draws, estimates, errors and intervals are those of the numbers meant."""

    def cells(factor: int, shift: int, column: str, *by: str) -> list[tuple[float, ...]]:
        frame = pd.DataFrame({"job": list("aabcd") * 48, "part": list("xxy") * 80})
        frame["age"] = [str((10 + n * n % 23) * factor + shift) for n in range(240)]
        frame["pay"] = [str(10 * (1 + n // 3 % 4) * factor + shift) for n in range(240)]
        release = sr.SpluGen(2).publish(frame, ["job", "pay"], sr.SeededSource(1))
        found = measure_table(release, measure, column, by).cells
        errors = [cell.standard_error for cell in found]
        assert None not in errors
        errors_of_releases = zip(found, errors, strict=True)
        return [(cell.estimate, *(cell.interval or ()), error or 0.0) for cell, error in errors_of_releases]

    for column, *by in (("age", "job"), ("age", "part", "job"), ("pay", "part"), ("pay", "part", "job")):
        moved = np.array([*[shift] * 3, 0])
        before, after = (np.array(cells(*units, column, *by)) for units in ((1, 0), (factor, shift)))
        assert after == pytest.approx(before * factor + moved, rel=1e-9, abs=1e-9)
        assert before.shape[1] == 4
