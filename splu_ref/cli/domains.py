"""Files that declare the domains of columns, or the laws of their replacements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from splu_ref.channels import DataError, unrepeated
from splu_ref.data import open_regular

LONGEST_FILE = 1 << 24
"""Size limit of a file in bytes."""
MOST_VALUES = 100_000
"""Largest number of values of a domain."""
_LAW = '{"job": {"nurse": "1/3", "clerk": "2/3"}}'
_FORM = '{"job": ["nurse", "clerk"], "age": {"min": 17, "max": 90}}'


def read_domains(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the domains that a file declares: by column its values as texts, at least two."""
    document = read_object(path, _FORM, "domains")
    return {
        column: domain_values(declared, f"{path}: column {column!r}") for column, declared in document.items()
    }


def read_laws(path: Path) -> dict[str, dict[str, str]]:
    """Return the laws that a file declares: by column the probability of each value, as text."""
    document = read_object(path, _LAW, "domains")
    return {column: _law(declared, f"{path}: column {column!r}") for column, declared in document.items()}


def read_object(path: Path, form: str, named: str) -> dict[str, Any]:
    """Return the JSON object of a file."""
    try:
        with open_regular(path) as file:
            data = file.read(LONGEST_FILE + 1)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file: check the path of the {named}") from None
    if len(data) > LONGEST_FILE:
        raise DataError(f"{path}: longer than {LONGEST_FILE} bytes: declare fewer values")
    try:
        document: Any = json.loads(data, object_pairs_hook=unrepeated)
    except KeyError:
        raise DataError(f"{path}: a key is repeated: write {form}") from None
    except (ValueError, RecursionError):
        raise DataError(f"{path}: not a JSON file: write {form}") from None
    if not isinstance(document, dict) or not document:
        raise DataError(f"{path}: the file names no column: write {form}")
    return document


def _law(declared: object, place: str) -> dict[str, str]:
    if not isinstance(declared, dict) or not all(type(share) in (str, int) for share in declared.values()):
        raise DataError(f'{place}: a law has the probability of each value, "1/3" or "0.3": write {_LAW}')
    if not 2 <= len(declared) <= MOST_VALUES:
        raise DataError(f"{place}: {len(declared)} values: a domain has 2 to {MOST_VALUES}")
    return {value: str(share) for value, share in declared.items()}


def domain_values(declared: object, place: str) -> tuple[str, ...]:
    """Return the values of a domain, a list or a range of integers; ``place`` is named in errors."""
    if isinstance(declared, dict):
        limits = [declared.get("min"), declared.get("max")]
        if set(declared) != {"min", "max"} or not all(type(limit) is int for limit in limits):
            raise DataError(f'{place}: a range has two whole numbers, such as {{"min": 17, "max": 90}}')
        least, greatest = declared["min"], declared["max"]
        if not 0 < greatest - least < MOST_VALUES:
            raise DataError(
                f"{place}: a range has 2 to {MOST_VALUES} values: group them, or correct its ends"
            )
        return tuple(map(str, range(least, greatest + 1)))
    if not isinstance(declared, list) or not all(type(value) in (str, int) for value in declared):
        raise DataError(f"{place}: a domain is a list of texts and whole numbers, or a range: write {_FORM}")
    if not 2 <= len(declared) <= MOST_VALUES:
        raise DataError(f"{place}: {len(declared)} values: a domain has 2 to {MOST_VALUES}")
    return tuple(map(str, declared))
