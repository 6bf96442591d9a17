"""Columns of a request with declared domains: their names, values and cells."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from splu_ref.channels import ParameterError
from splu_ref.randomness import IntArray
from splu_ref.spec.requests import Fields


class DeclaredColumn(NamedTuple):
    """A column of a request."""

    name: str
    domain: tuple[str, ...]  # its values, in the order of the request
    cells: tuple[str, ...]  # the value of each record
    # the probability of each value of ``domain`` as a replacement; None where the request has no laws
    law: tuple[Fraction, ...] | None

    def codes(self, ordered: Sequence[str]) -> IntArray:
        """Return each cell's place among the values in the order of publishing."""
        code_of = {value: code for code, value in enumerate(ordered)}
        if len(ordered) < 2 or len(code_of) < len(ordered):
            raise ParameterError(
                f"the domain of {self.name!r} must name at least two values, each of them once"
            )
        outside = [cell for cell in self.cells if cell not in code_of]
        if outside:
            raise ParameterError(f"{self.name!r} holds {outside[0]!r}, which is not in its domain: add it")
        return np.array([code_of[cell] for cell in self.cells], dtype=np.int64)


def declared_columns(fields: Fields, *, with_laws: bool = False) -> list[DeclaredColumn]:
    """Return the columns of the field ``sensitive``, in its order."""
    columns: dict[str, DeclaredColumn] = {}
    for own in fields.objects("sensitive"):
        name = own.text("column")
        if name in columns:
            raise ParameterError(f"the column {name!r} stands there twice: give each once")
        domain, cells = tuple(own.texts("domain")), tuple(own.texts("cells"))
        law = _law(own, name, domain) if with_laws else None
        own.finish()
        columns[name] = DeclaredColumn(name, domain, cells, law)
    if len({len(column.cells) for column in columns.values()}) > 1:
        raise ParameterError("the columns differ in length: give one cell per record in each")
    return list(columns.values())


def _law(own: Fields, name: str, domain: Sequence[str]) -> tuple[Fraction, ...]:
    law = tuple(own.exacts("law"))
    if len(law) != len(domain):
        raise ParameterError(f"the law of {name!r} has not a probability for each value: give as many")
    return law
