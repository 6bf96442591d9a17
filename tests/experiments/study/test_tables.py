from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.study import RECIPES, Recipe, study_table
from experiments.study.tables import intervals
from splu_ref.channels.parameters import DataError, ParameterError


def test_the_embedded_table() -> None:
    table = study_table("adult_demo")
    assert (table.rows, table.domain_size, int(table.gamma)) == (30718, 14, 5)
    assert "occupation" not in table.columns
    assert len(table.columns) == 9
    assert table.second is not None
    assert len(np.bincount(table.second)) == 10
    assert table.joint().columns == tuple(name for name in table.columns if name != "age")
    assert table.joint().values.max() < 140


def test_the_tables_that_are_not_shipped(shared_data: Path) -> None:
    census = study_table("census_kdd_workers", shared_data)
    assert (census.rows, census.domain_size, len(census.columns)) == (148318, 46, 10)
    assert not {"industry_code", "major_industry", "major_occupation"} & set(census.columns)
    diabetes = study_table("diabetes130", shared_data)
    assert (diabetes.rows, diabetes.domain_size, int(diabetes.gamma)) == (71507, 696, 9)
    assert "first_encounter" not in diabetes.columns


def test_a_path_with_a_known_name_has_its_recipe(shared_data: Path) -> None:
    table = study_table(str(shared_data / "adult_demo.csv.gz"))
    assert table.digest == study_table("adult_demo").digest


def test_a_part_forgets_values_that_it_lacks() -> None:
    whole = study_table("adult_demo")
    part = whole.take(np.flatnonzero(whole.values != 3))
    assert part.domain_size == 13
    assert part.digest != whole.digest
    assert all(len(np.unique(column)) == size for column, size in zip(part.codes, part.sizes, strict=True))


def test_gamma_is_lowered_to_what_the_table_allows() -> None:
    table = study_table("adult_demo", adapt=lambda recipe: replace(recipe, gamma=50))
    assert int(table.gamma) == 7


@pytest.mark.parametrize("count", [11, 60, 91])
def test_intervals_hold_about_as_many_records_each(count: int) -> None:
    codes = np.arange(20 * count) % count
    found = intervals([str(value) for value in range(count)], codes)
    sizes = np.bincount(found)
    assert len(sizes) == 10
    assert sizes.max() <= 2 * len(codes) / 10
    order = np.argsort(codes, kind="stable")
    assert (np.diff(found[order]) >= 0).all()


def test_texts_and_few_numbers_stay_as_they_are() -> None:
    codes = np.array([0, 1, 2, 1])
    assert intervals(["[0-10)", "[10-20)", "x"], codes) is codes
    assert intervals(["1", "2", "3"], codes) is codes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("census_kdd_workers",), "--data-folder"),
        (("diabetes130", Path("nowhere")), r"diabetes130.csv.gz: there is no such file"),
        (("adult_demo", None, lambda _: Recipe("job")), "no column 'job'"),
        (
            ("adult_demo", None, lambda _: Recipe("occupation", only=("sex", "Neither"))),
            "never holds 'Neither'",
        ),
        (("adult_demo", None, lambda _: Recipe("")), "say with sensitive"),
    ],
)
def test_what_cannot_be_studied_is_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises((DataError, ParameterError), match=message):
        study_table(*arguments)  # type: ignore[arg-type]  # of several kinds


def test_a_table_of_one_column_has_no_predicates(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("s,same\n" + "".join(f"{i % 5},x\n" for i in range(20)))
    with pytest.raises(DataError, match="no column besides 's'"):
        study_table(str(path), None, lambda recipe: replace(recipe, sensitive="s"))


def test_recipes_name_the_figures_of_the_paper() -> None:
    assert {name: (recipe.small_figure, recipe.large_figure) for name, recipe in RECIPES.items()} == {
        "adult_demo": (7, 8),
        "census_kdd_workers": (7, 8),
        "diabetes130": (10, 11),
    }
