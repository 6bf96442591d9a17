"""SPLU-Gen with separate parameters for each sensitive column (Fu et al. 2014, section 3.1).

Each column is published with its own gamma. Records are deleted with all their values, so N modulo the least
common multiple of all gammas are deleted, chosen independently of their values. Conditional on the table
after the deletion, each column has the law and the guarantees of its mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from typing import ClassVar, Self, TypeAlias

from splu_ref.channels import DataError, GroupDraws, ParameterError
from splu_ref.mechanisms.manifest import Facts, Manifest
from splu_ref.mechanisms.record_mechanism import (
    ColumnsRelease,
    Frequencies,
    RecordMechanism,
    feasible_gamma,
)
from splu_ref.mechanisms.splu_gen import SpluGen, publish_in_groups
from splu_ref.randomness import Draws, Fact, IntArray


@dataclass(frozen=True, init=False)
class SpluGenByColumn(RecordMechanism):
    """SPLU-Gen with a mechanism for each sensitive column.

    Parameters
    ----------
    columns
        The mechanism of each sensitive column, by its name.

    Raises
    ------
    ParameterError
        If no column is named, or the columns have different laws of dependent draws.
    """

    name: ClassVar[str] = "SPLU-Gen by column"

    columns: tuple[tuple[str, SpluGen], ...]

    def __init__(self, columns: Mapping[str, SpluGen]) -> None:
        if not columns:
            raise ParameterError("name at least one sensitive column, with its gamma")
        if len({mechanism.draws for mechanism in columns.values()}) > 1:
            raise ParameterError("all columns must have the same dependent draws: give each the same --draws")
        object.__setattr__(self, "columns", tuple(sorted(columns.items(), key=lambda pair: pair[0])))

    def facts(self) -> dict[str, Fact]:
        """Return each parameter by column, columns ascending, and the law of dependent draws once."""
        by_column = {column: mechanism.facts() for column, mechanism in self.columns}
        first = next(iter(by_column.values()))
        return {
            name: value if name == "draws" else {column: facts[name] for column, facts in by_column.items()}
            for name, value in first.items()
        }

    @property
    def draws(self) -> GroupDraws:
        """The joint law of the draws of a group, the same for every column."""
        return self.columns[0][1].draws

    @classmethod
    def from_facts(cls, facts: Facts) -> Self:
        """Return the mechanism with the parameters recorded in a manifest."""
        columns = facts.domains()
        return cls({column: SpluGen.from_facts(facts.of_column(column, columns)) for column in columns})

    @classmethod
    def from_parameters(cls, facts: Facts, columns: Collection[str]) -> Self:
        """Return the mechanism with the parameters that a manifest or transcript records of these columns."""
        return cls({column: SpluGen.from_parameters(facts.of_column(column, columns)) for column in columns})

    def for_column(self, name: str) -> SpluGen:
        """Return the mechanism of a sensitive column.

        Raises
        ------
        ParameterError
            If the column has no mechanism.
        """
        for column, mechanism in self.columns:
            if column == name:
                return mechanism
        known = ", ".join(column for column, _ in self.columns)
        raise ParameterError(f"column {name!r} has no gamma: those that have are {known}")

    def largest_gamma(self, table: Frequencies, columns: Sequence[str]) -> dict[str, int]:
        """Return the largest feasible group size by column; raise ``DataError`` if a gamma is above it."""
        self._require(columns)
        largest = {column: feasible_gamma(table, column, self.for_column(column).gamma) for column in columns}
        divisor = lcm(*(mechanism.gamma for _, mechanism in self.columns))
        kept = table.row_count - table.row_count % divisor
        for column in columns:
            gamma, most = self.for_column(column).gamma, int(table.histogram(column).max())
            if most * gamma > kept:
                raise DataError(
                    f"column {column!r} does not allow gamma = {gamma} beside the others: {kept} of "
                    f"{table.row_count} records are left, a multiple of {divisor}, and a value occurs {most} "
                    "times: choose gammas of which one divides the other"
                )
        return largest

    def publish_columns(
        self,
        codes: Mapping[str, IntArray],
        domain_sizes: Mapping[str, int],
        draws_for: Callable[[str], Draws],
    ) -> ColumnsRelease:
        """Run steps 1-4 on all columns: see `SpluGen.publish_columns` for parameters and errors."""
        self._require(tuple(codes))
        return publish_in_groups(dict(self.columns), codes, domain_sizes, draws_for)

    def _require(self, columns: Sequence[str]) -> None:
        named = [column for column, _ in self.columns]
        if sorted(columns) != named:
            raise ParameterError(
                f"a gamma is given for {', '.join(named)}, and the sensitive columns are "
                f"{', '.join(columns)}: name the same ones"
            )


SpluGens: TypeAlias = SpluGen | SpluGenByColumn
"""SPLU-Gen with the same parameters for all columns, or with separate ones."""


def splu_gen_of(manifest: Manifest) -> SpluGens:
    """Return the mechanism of a release by SPLU-Gen; raise ``DataError`` if it is another mechanism."""
    if isinstance(manifest.mechanism, SpluGenByColumn):
        return manifest.mechanism
    return SpluGen.of(manifest)
