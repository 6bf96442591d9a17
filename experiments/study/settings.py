"""The releases on which intervals and estimates are judged: tables, sensitive columns, gamma, p and plan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from experiments.study.generated import GENERATED
from experiments.study.recipes import EMBEDDED, RECIPES, Recipe
from experiments.study.tables import StudyTable, coded, table_file
from splu_ref.channels.parameters import ParameterError
from splu_ref.data import embedded_table, read_table
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import SeededSource


@dataclass(frozen=True)
class Setting:
    """What is published, and how.

    Attributes
    ----------
    table
        The embedded table, a generated one, or the name of a file.
    sensitive, second
        The sensitive column, and the second one if there are two.
    gamma, retention, plan, draws
        Of the mechanism.
    left_out
        Columns that predicates do not use.
    tuned
        Whether the estimators may be tuned on it; all others are for judging them only.
    """

    table: str
    sensitive: str
    gamma: int
    second: str | None = None
    retention: Fraction | None = None
    plan: str = "mixed"
    draws: str = "independent"
    left_out: tuple[str, ...] = ()
    tuned: bool = False

    @property
    def name(self) -> str:
        """All of it in a line."""
        columns = self.sensitive if self.second is None else f"{self.sensitive} × {self.second}"
        retention = "" if self.retention is None else f", p = {self.retention}"
        plan = "" if self.plan == "mixed" else f", {self.plan} plan"
        draws = "" if self.draws == "independent" else f", {self.draws}"
        return f"{self.table}, {columns}, γ = {self.gamma}{retention}{plan}{draws}"

    @property
    def is_file(self) -> bool:
        """Whether its table is a file that is not part of the package."""
        return self.table != EMBEDDED and self.table not in GENERATED

    @property
    def mechanism(self) -> SpluGen:
        """What publishes it."""
        return SpluGen(self.gamma, self.retention, self.plan, self.draws)

    def read(self, folder: Path | None) -> StudyTable:
        """Return the table, less a remainder of N modulo gamma records that any release would delete.

        Raises
        ------
        InputError
            If a file is not there, or no folder is named.
        """
        table = _read(self.table, self.sensitive, self.second, self.left_out, folder)
        source = SeededSource(f"{self.name}/remainder".encode())
        return table.without_remainder(self.gamma, source)


@lru_cache(maxsize=2)
def _read(
    name: str, sensitive: str, second: str | None, left_out: tuple[str, ...], folder: Path | None
) -> StudyTable:
    recipe = Recipe(sensitive, left_out=left_out, second=second)
    if name in RECIPES and RECIPES[name].sensitive == sensitive:
        recipe = Recipe(sensitive, left_out=left_out, second=second, only=RECIPES[name].only)
    if name in GENERATED:
        made = GENERATED[name]()
        return made if second is not None else replace(made, recipe=recipe, second=None)
    if name == EMBEDDED:
        return coded(name, embedded_table(), recipe)
    if folder is None:
        raise ParameterError(f"{name} is not part of the package: say with --data-folder where it is")
    return coded(name, read_table(table_file(name, folder), missing="?"), recipe)


_HALF, _TENTH = Fraction(1, 2), Fraction(1, 10)
_CENSUS = ("industry_code", "major_industry", "major_occupation")

SETTINGS: tuple[Setting, ...] = (
    Setting("adult_demo", "occupation", 2, tuned=True),
    Setting("adult_demo", "occupation", 5, tuned=True),
    Setting("adult_demo", "occupation", 7, tuned=True),
    Setting("adult_demo", "relationship", 2, tuned=True),
    Setting("adult_demo", "occupation", 5, retention=_HALF, tuned=True),
    Setting("census_kdd_workers", "occupation_code", 5, left_out=_CENSUS, tuned=True),
    Setting("given away", "s", 7, tuned=True),
    Setting("Zipf", "s", 5, tuned=True),
    Setting("adult_demo", "occupation", 5, second="age", tuned=True),
    Setting("adult_demo", "occupation", 2, second="relationship", tuned=True),
    Setting("adult_demo", "occupation", 5, plan="anatomy", tuned=True),
    Setting("adult_demo", "occupation", 5, draws="capped:10", tuned=True),
    Setting("adult_demo", "occupation", 5, draws="all-or-none:10", tuned=True),
    Setting("adult_demo", "age", 10),
    Setting("adult_demo", "age", 20),
    Setting("adult_demo", "education", 3),
    Setting("adult_demo", "occupation", 5, retention=_TENTH),
    Setting("adult_demo", "marital_status", 2),
    Setting("adult_numeric", "hours_per_week", 2),
    Setting("adult_numeric", "fnlwgt", 10),
    Setting("census_kdd_workers", "occupation_code", 11, left_out=_CENSUS),
    Setting("census_kdd_workers", "occupation_code", 5, retention=_HALF),
    Setting("census_kdd_workers", "industry_code", 5),
    Setting("census_kdd_workers", "age", 20),
    Setting("diabetes130", "diag_1", 9),
    Setting("diabetes130", "diag_1", 13),
    Setting("diabetes130", "time_in_hospital", 5),
    Setting("steep Zipf", "s", 3),
    Setting("function", "s", 10),
    Setting("one hundred", "s", 4),
    Setting("20,000 values", "s", 10),
    Setting("adult_demo", "occupation", 5, plan="cyclic"),
    Setting("adult_demo", "education", 3, retention=_HALF, plan="anatomy"),
    Setting("census_kdd_workers", "occupation_code", 5, plan="anatomy", left_out=_CENSUS),
    Setting("census_kdd_workers", "occupation_code", 11, plan="cyclic"),
    Setting("diabetes130", "time_in_hospital", 5, plan="anatomy"),
    Setting("function", "s", 3, plan="anatomy"),
    Setting("steep Zipf", "s", 3, plan="cyclic"),
    Setting("adult_demo", "education", 3, second="age"),
    Setting("census_kdd_workers", "occupation_code", 5, second="age", left_out=_CENSUS),
    Setting("function", "s", 3, second="t"),
    Setting("adult_demo", "age", 10, draws="capped:10"),
    Setting("adult_demo", "age", 10, draws="all-or-none:30"),
    Setting("adult_demo", "marital_status", 2, draws="capped:5"),
    Setting("census_kdd_workers", "occupation_code", 5, draws="capped:100", left_out=_CENSUS),
    Setting("census_kdd_workers", "age", 20, draws="all-or-none:300"),
    Setting("diabetes130", "diag_1", 9, draws="capped:10"),
    Setting("diabetes130", "diag_1", 9, draws="all-or-none:10"),
    Setting("steep Zipf", "s", 3, draws="capped:10"),
    Setting("function", "s", 10, draws="all-or-none:10"),
    Setting("function", "s", 3, plan="anatomy", draws="capped:10"),
    Setting("adult_demo", "education", 3, second="age", draws="capped:10"),
    Setting("adult_demo", "education", 3, second="age", draws="all-or-none:100"),
)
"""Those that the estimators were tuned on come first."""
