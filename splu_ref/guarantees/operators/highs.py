"""The optimal basis of a linear program by HiGHS, in floating point.

The vertex of the basis is solved again in fractions, and verified. HiGHS is the extra ``operators``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any, NamedTuple

from splu_ref.channels import InputError
from splu_ref.guarantees.operators.optimum import SingularError, solve


class Row(NamedTuple):
    """One row: the sum of coefficients times variables is at most ``bound``, or equal to it."""

    entries: Mapping[int, Fraction]
    bound: Fraction
    equal: bool


@dataclass(frozen=True)
class Program:
    """Maximize a sum of gains times variables of at least 0, under rows."""

    gains: Sequence[Fraction]  # by variable
    rows: Sequence[Row]

    def vertex(self) -> tuple[list[Fraction], list[Fraction]] | None:
        """Return variables and row multipliers at the vertex that HiGHS ends at, exactly; None without one.

        They satisfy the equations of the vertex. That they meet all inequalities is left to be checked.
        """
        basis = _basis(self)
        if basis is None:
            return None
        columns, tight = basis
        if len(columns) != len(tight):
            return None
        place = {column: number for number, column in enumerate(columns)}
        rows = [
            {place[each]: entry for each, entry in self.rows[row].entries.items() if each in place}
            for row in tight
        ]
        turned: list[dict[int, Fraction]] = [{} for _ in columns]
        for number, row in enumerate(rows):
            for column, entry in row.items():
                turned[column][number] = entry
        try:
            values = solve(rows, [self.rows[row].bound for row in tight])
            prices = solve(turned, [self.gains[column] for column in columns])
        except SingularError:
            return None
        variables, multipliers = [Fraction(0)] * len(self.gains), [Fraction(0)] * len(self.rows)
        for column, value in zip(columns, values, strict=True):
            variables[column] = value
        for number, price in zip(tight, prices, strict=True):
            multipliers[number] = price
        return variables, multipliers


def _basis(program: Program) -> tuple[list[int], list[int]] | None:
    """Return the variables that may be positive, and the rows that are tight; None if there is no optimum."""
    try:
        highspy: Any = import_module("highspy")  # an extra
    except ImportError:
        raise InputError(
            "this operator needs HiGHS, which is not installed: pip install 'splu-ref[operators]'"
        ) from None
    model = highspy.Highs()
    for option, value in (
        ("output_flag", False), ("threads", 1), ("random_seed", 0), ("solver", "simplex"),
        ("primal_feasibility_tolerance", 1e-10), ("dual_feasibility_tolerance", 1e-10),
    ):  # fmt: skip
        model.setOptionValue(option, value)
    infinity = highspy.kHighsInf
    for gain in program.gains:
        model.addCol(-float(gain), 0.0, infinity, 0, [], [])
    for row in program.rows:
        scale = max(map(abs, row.entries.values()))
        places, entries = list(row.entries), [float(entry / scale) for entry in row.entries.values()]
        bound = float(row.bound / scale)
        model.addRow(bound if row.equal else -infinity, bound, len(places), places, entries)
    model.run()
    if model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    basis = model.getBasis()
    basic = highspy.HighsBasisStatus.kBasic
    columns = [column for column, status in enumerate(basis.col_status) if status == basic]
    tight = [row for row, status in enumerate(basis.row_status) if status != basic]
    return columns, tight
