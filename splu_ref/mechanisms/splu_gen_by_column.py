"""SPLU-Gen with parameters of its own for each sensitive column (Fu et al. 2014, section 3.1).

Each column is published as if it were the only one, with its own gamma. Records are deleted with all their
values, so they are deleted down to a multiple of every gamma: N modulo the least common multiple. Given the
table after the deletion, which is drawn without looking at any value, each column has the law, and with it
all promises, of its own mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from typing import ClassVar, Self, TypeAlias

from splu_ref.channels import DataError, GroupDraws, ParameterError
from splu_ref.mechanisms.manifest import Facts, Manifest
from splu_ref.mechanisms.release import ColumnsRelease, Frequencies, RecordMechanism, feasible_gamma
from splu_ref.mechanisms.splu_gen import SpluGen, published_in_groups
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
        If no column is named, or the draws of their groups hang together in different ways.
    """

    name: ClassVar[str] = "SPLU-Gen by column"

    columns: tuple[tuple[str, SpluGen], ...]

    def __init__(self, columns: Mapping[str, SpluGen]) -> None:
        if not columns:
            raise ParameterError("name at least one sensitive column, with its gamma")
        if len({mechanism.draws for mechanism in columns.values()}) > 1:
            raise ParameterError("the draws of all columns hang together in one way: give each the same")
        object.__setattr__(self, "columns", tuple(sorted(columns.items(), key=lambda pair: pair[0])))

    def facts(self) -> dict[str, Fact]:
        """Return each parameter by column, in ascending order, and once how all draws hang together."""
        told = {column: mechanism.facts() for column, mechanism in self.columns}
        first = next(iter(told.values()))
        return {
            name: value if name == "draws" else {column: facts[name] for column, facts in told.items()}
            for name, value in first.items()
        }

    @property
    def draws(self) -> GroupDraws:
        """How the draws of a group hang together, in every column."""
        return self.columns[0][1].draws

    @classmethod
    def from_facts(cls, facts: Facts) -> Self:
        """Return the mechanism of which a manifest tells these parameters."""
        columns = facts.domains()
        return cls({column: SpluGen.from_facts(facts.of_column(column, columns)) for column in columns})

    @classmethod
    def told(cls, facts: Facts, columns: Collection[str]) -> Self:
        """Return the mechanism with the parameters that a file tells of these columns."""
        return cls({column: SpluGen.told(facts.of_column(column, columns)) for column in columns})

    def for_column(self, name: str) -> SpluGen:
        """Return the mechanism of a sensitive column.

        Raises
        ------
        ParameterError
            If it has none.
        """
        for column, mechanism in self.columns:
            if column == name:
                return mechanism
        known = ", ".join(column for column, _ in self.columns)
        raise ParameterError(f"column {name!r} has no gamma: those that have are {known}")

    def largest_gamma(self, table: Frequencies, columns: Sequence[str]) -> dict[str, int]:
        """Return the largest group size that each column allows; raise ``DataError`` if a gamma is above."""
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
        return published_in_groups(dict(self.columns), codes, domain_sizes, draws_for)

    def _require(self, columns: Sequence[str]) -> None:
        named = [column for column, _ in self.columns]
        if sorted(columns) != named:
            raise ParameterError(
                f"a gamma is told for {', '.join(named)}, and the sensitive columns are "
                f"{', '.join(columns)}: name the same ones"
            )


SpluGens: TypeAlias = SpluGen | SpluGenByColumn
"""SPLU-Gen with the same parameters for all columns, or with others for each."""


def splu_gen_of(manifest: Manifest) -> SpluGens:
    """Return the mechanism of a release by SPLU-Gen, whatever its columns have in common.

    Raises
    ------
    DataError
        If it is another one.
    """
    if isinstance(manifest.mechanism, SpluGenByColumn):
        return manifest.mechanism
    return SpluGen.of(manifest)
