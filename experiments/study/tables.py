"""Tables as a study needs them: whole numbers for values, and what is sensitive."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from experiments.study.recipes import EMBEDDED, RECIPES, Recipe
from splu_ref.channels.parameters import DataError, Gamma, ParameterError
from splu_ref.data import Microdata, embedded_table, read_table
from splu_ref.estimators.queries.counting import Columns
from splu_ref.mechanisms import largest_gamma
from splu_ref.randomness import ByteSource, IntArray

INTERVALS = 10
"""Into how many intervals figure 12 cuts the ages."""
SUFFIXES = (".csv.gz", ".csv", ".parquet")


@dataclass(frozen=True, eq=False)
class StudyTable:
    """A table of N records whose values are numbered.

    Attributes
    ----------
    name
        For people.
    recipe
        The sensitive column, the group size, the selectivity classes.
    columns
        Names of the columns that predicates may use.
    codes
        Their values, shape (columns, N), each from 0 on without gaps.
    values
        Sensitive values, shape (N,), from 0 on without gaps.
    second
        Values of the second sensitive column of figure 12, shape (N,), or None.
    """

    name: str
    recipe: Recipe
    columns: tuple[str, ...]
    codes: NDArray[np.int32]
    values: IntArray
    second: IntArray | None = None

    @property
    def rows(self) -> int:
        """N."""
        return len(self.values)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of values of each column."""
        return tuple(int(column.max()) + 1 for column in self.codes)

    @cached_property
    def domain_size(self) -> int:
        """Number of sensitive values."""
        return int(self.values.max()) + 1

    @cached_property
    def gamma(self) -> Gamma:
        """The recipe's group size, or the largest feasible one if that is smaller."""
        most = largest_gamma(np.bincount(self.values))
        if most < 2:
            raise DataError(
                f"{self.name}: column {self.recipe.sensitive!r} allows no gamma, because more than half of "
                f"{self.rows} records share a value: name another with --sensitive"
            )
        return Gamma(min(self.recipe.gamma, most))

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the values, names and recipe."""
        parts = hashlib.sha256(repr((self.columns, self.recipe)).encode())
        for part in (self.codes, self.values, self.second):
            parts.update(b"-" if part is None else np.ascontiguousarray(part).tobytes())
        return parts.hexdigest()

    def take(self, rows: IntArray) -> StudyTable:
        """Return the table of some records; values that none of them has are forgotten."""
        codes = np.stack([numbered(column[rows]) for column in self.codes]).astype(np.int32)
        second = None if self.second is None else numbered(self.second[rows])
        return replace(self, codes=codes, values=numbered(self.values[rows]), second=second)

    def without_remainder(self, gamma: int, source: ByteSource) -> StudyTable:
        """Return the table less N modulo gamma random records, which any release would delete."""
        kept = self.rows - self.rows % gamma
        return self if kept == self.rows else self.take(np.sort(source.permutation(self.rows)[:kept]))

    def joint(self) -> StudyTable:
        """Return the table whose sensitive value is the pair of both: first * (second values) + second."""
        assert self.second is not None
        keep = [number for number, name in enumerate(self.columns) if name != self.recipe.second]
        size = int(self.second.max()) + 1
        return replace(
            self,
            columns=tuple(self.columns[number] for number in keep),
            codes=self.codes[keep],
            values=self.values * size + self.second,
        )


def study_table(
    data: str, folder: Path | None = None, adapt: Callable[[Recipe], Recipe] | None = None
) -> StudyTable:
    """Read a table for a study.

    Parameters
    ----------
    data
        ``adult_demo``, the name of another table with a recipe, or the path of any table.
    folder
        Where tables with a recipe are.
    adapt
        How the recipe is to be altered; a table without one starts from a recipe without sensitive column.

    Raises
    ------
    DataError
        If there is no such table, or a column of the recipe is not in it.
    ParameterError
        If no sensitive column is named.
    """
    path = _found(data, folder)
    name = (
        data
        if path is None
        else path.name.removesuffix(next((s for s in SUFFIXES if path.name.endswith(s)), ""))
    )
    name = os.fsencode(name).decode(errors="backslashreplace")  # a file's name may be no text
    recipe = RECIPES.get(name, Recipe(sensitive=""))
    recipe = recipe if adapt is None else adapt(recipe)
    if not recipe.sensitive:
        raise ParameterError(f"{data}: say with --sensitive which column is sensitive")
    table = embedded_table() if path is None else read_table(path, missing="?")
    return coded(name, table, recipe)


def coded(name: str, table: Microdata, recipe: Recipe) -> StudyTable:
    """Return the table with its values numbered, as the recipe wants it."""
    columns = Columns(table, {})
    named = [recipe.sensitive, *recipe.left_out, *([recipe.second] if recipe.second else [])]
    for column in named:
        columns[column]  # a missing one is an error that names those that exist
    rows = np.arange(table.row_count)
    dropped = {recipe.sensitive, *recipe.left_out}
    if recipe.only is not None:
        column, value = recipe.only
        domain, codes = columns[column]
        rows = np.flatnonzero(codes == (domain.index(value) if value in domain else -1))
        dropped.add(column)
        if not len(rows):
            raise DataError(f"column {column!r} never holds {value!r}: the study would have no records")
    kept = [column for column in table.columns if column not in dropped]
    coded_columns = [numbered(columns[column].codes[rows]) for column in kept]
    varied = [number for number, code in enumerate(coded_columns) if code.any()]
    if not varied:
        raise DataError(f"{name} has no column besides {recipe.sensitive!r} to make predicates of")
    second = None
    if recipe.second:
        domain, code = columns[recipe.second]
        second = numbered(intervals(domain, code[rows]))
    return StudyTable(
        name=name,
        recipe=recipe,
        columns=tuple(kept[number] for number in varied),
        codes=np.stack([coded_columns[number] for number in varied]).astype(np.int32),
        values=numbered(columns[recipe.sensitive].codes[rows]),
        second=second,
    )


def intervals(domain: Sequence[str], codes: IntArray) -> IntArray:
    """Cut a column of more than ten numbers into ten intervals of about as many records each."""
    try:
        numbers = np.array([float(value) for value in domain])[codes]
    except ValueError:
        return codes
    distinct, place, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    if len(distinct) <= INTERVALS:
        return codes
    middle = np.cumsum(counts) - counts / 2
    return np.asarray((middle * INTERVALS / len(codes)).astype(np.int64)[place])


def _found(data: str, folder: Path | None) -> Path | None:
    """Return the path of a table, None for the embedded one."""
    if data == EMBEDDED:
        return None
    if data in RECIPES:
        if folder is None:
            raise ParameterError(f"{data} is not part of the package: say with --data-folder where it is")
        return table_file(data, folder)
    return Path(data)


def table_file(name: str, folder: Path) -> Path:
    """Return the file of a table in a folder."""
    places = [folder / f"{name}{suffix}" for suffix in SUFFIXES]
    for place in places:
        if place.is_file():
            return place
    raise DataError(f"{places[0]}: there is no such file: put the table {name} there")


def numbered(codes: NDArray[np.integer]) -> IntArray:
    """Return the codes from 0 on without gaps, in the same order."""
    return np.asarray(np.unique(codes, return_inverse=True)[1], dtype=np.int64)
