"""The tables that a study knows: what is sensitive in them, and which queries are evaluated."""

from __future__ import annotations

from dataclasses import dataclass

EMBEDDED = "adult_demo"


@dataclass(frozen=True)
class Recipe:
    """How a table is studied.

    Attributes
    ----------
    sensitive
        The sensitive column.
    gamma
        The group size of figures 8, 9 and 11.
    left_out
        Columns that predicates must not use, because they nearly determine the sensitive one.
    only
        A column and the value that records must have; the column is left out.
    second
        The second sensitive column of figure 12: cut into ten intervals if it holds more numbers than ten.
    greatest
        Selectivity, in percent, at which large queries end.
    small_figure, large_figure
        Numbers of the paper's figures on small and on large counts that the table answers to.
    """

    sensitive: str
    gamma: int = 5
    left_out: tuple[str, ...] = ()
    only: tuple[str, str] | None = None
    second: str | None = None
    greatest: int = 5
    small_figure: int = 7
    large_figure: int = 8


RECIPES = {
    EMBEDDED: Recipe("occupation", second="age"),
    "census_kdd_workers": Recipe(
        "occupation_code",
        left_out=("industry_code", "major_industry", "major_occupation"),
        second="age",
    ),
    "diabetes130": Recipe(
        "diag_1",
        gamma=9,
        only=("first_encounter", "1"),
        second="age",
        greatest=9,
        small_figure=10,
        large_figure=11,
    ),
}
"""By name. Only the first table is part of the package.

The paper's CENSUS and CADRMP are not public any more in the form used there. ``census_kdd_workers`` (US
Current Population Surveys 1994/95) stands for the first, as ``adult_demo`` does on a smaller scale;
``diabetes130`` (hospital records, 696 diagnoses) stands for the second.
"""
