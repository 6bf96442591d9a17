"""The claim that a table was published by SPLU-Gen with parameters of its own for each sensitive column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import ClassVar, Self

from splu_ref.audit.releases.findings import Claimed
from splu_ref.audit.releases.original import Original
from splu_ref.interfaces import Mechanism
from splu_ref.mechanisms import SpluGen, SpluGenByColumn
from splu_ref.microdata import Microdata
from splu_ref.model import ParameterError


@dataclass(frozen=True, slots=True)
class ClaimedByColumn:
    """How a table is said to have been published, column by column.

    Attributes
    ----------
    columns
        What is claimed of each sensitive column; all have one divisor.
    """

    columns: tuple[tuple[str, Claimed], ...]

    unseen: ClassVar[str] = Claimed.unseen
    """What no audit sees of such a release."""

    @classmethod
    def of(cls, mechanism: SpluGenByColumn, *, planned: bool = True) -> Self:
        """Return the claim of a mechanism, with its plans or without."""
        divisor = lcm(*(each.gamma for _, each in mechanism.columns))
        claims = ((name, replace(Claimed.of(each), divisor=divisor)) for name, each in mechanism.columns)
        return cls(tuple((name, each if planned else replace(each, plan=None)) for name, each in claims))

    def column(self, name: str) -> Claimed:
        """Return what is claimed of a sensitive column.

        Raises
        ------
        ParameterError
            If it has no gamma.
        """
        for column, claimed in self.columns:
            if column == name:
                return claimed
        known = ", ".join(column for column, _ in self.columns)
        raise ParameterError(f"column {name!r} has no gamma: those that have are {known}")

    @property
    def parameters(self) -> dict[str, object]:
        """The mechanism and its numbers by column, for programs."""
        told = {name: claimed.parameters for name, claimed in self.columns}
        first = next(iter(told.values()))
        shared = {"mechanism": SpluGenByColumn.name, "draws": first.get("draws")}
        return {
            name: shared[name] if name in shared else {column: each[name] for column, each in told.items()}
            for name in first
        }

    @property
    def spare(self) -> int:
        """How many rows of two releases may be other records at most, because some were deleted."""
        return self.columns[0][1].spare

    @property
    def together(self) -> int:
        """How many rows may hang together: the most of any column."""
        return max(claimed.together for _, claimed in self.columns)

    def agreement(self, column: str) -> tuple[Fraction, Fraction]:
        """Return bounds of the chance that two releases with draws of their own agree in a row."""
        return self.column(column).agreement(column)

    def prepared(self, table: Microdata, sensitive: Sequence[str]) -> Original:
        """Return an original, prepared to be held against releases."""
        return Original(table, sensitive)

    @property
    def releasing(self) -> SpluGenByColumn:
        """The mechanism that makes the release again."""
        return SpluGenByColumn({name: claimed.releasing for name, claimed in self.columns})

    def made_by(self, mechanism: Mechanism[object]) -> bool:
        """Return whether a mechanism is SPLU-Gen with these laws and plans."""
        if not isinstance(mechanism, SpluGenByColumn):
            return False
        made: dict[str, SpluGen] = dict(mechanism.columns)
        return made.keys() == dict(self.columns).keys() and all(
            claimed.made_by(made[name]) for name, claimed in self.columns
        )
