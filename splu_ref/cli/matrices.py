"""Files of operators: a column, its values, and the row-stochastic matrix of its randomization."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from splu_ref.channels import DataError, InputError
from splu_ref.cli.domains import read_object

if TYPE_CHECKING:
    from splu_ref.mechanisms import Operator

_FORM = '{"column": "job", "values": ["clerk", "nurse"], "matrix": [["2/3", "1/3"], ["1/3", "2/3"]]}'


def matrix_text(column: str, values: Sequence[str], rows: Sequence[Sequence[Fraction]]) -> bytes:
    """Return the file of an operator."""
    document = {
        "column": column, "values": list(values), "matrix": [list(map(str, row)) for row in rows],
    }  # fmt: skip
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def read_operator(path: Path, *, shuffled: bool) -> Operator:
    """Return the mechanism of a file with a matrix."""
    from splu_ref.mechanisms import Operator  # noqa: PLC0415 - it loads polars

    document = read_object(path, _FORM, "matrix")
    if set(document) != {"column", "values", "matrix"}:
        raise DataError(f"{path}: an operator has a column, values and a matrix: write {_FORM}")
    column, values, matrix = (document[name] for name in ("column", "values", "matrix"))
    if not isinstance(column, str) or not _texts(values):
        raise DataError(f"{path}: the column is a text and the values a list of texts: write {_FORM}")
    if not isinstance(matrix, list) or not all(_texts(row) for row in matrix):
        raise DataError(f'{path}: the matrix is a list of rows of texts such as "1/3": write {_FORM}')
    try:
        return Operator(column, values, matrix, shuffled=shuffled)
    except InputError as error:
        raise DataError(f"{path}: {error}") from None


def _texts(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(each, str) for each in found)
