"""A file of queries: one JSON object a line, or statements in a small part of SQL."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from splu_ref.channels import DataError, InputError, unrepeated
from splu_ref.cli.select import ONE_LANGUAGE, read_statements
from splu_ref.data import open_regular
from splu_ref.estimators import Query

_STATEMENTS = {"S", "-"}
"""First letters of a file of SQL statements: of SELECT, or a comment."""


def some_queries(path: Path) -> list[tuple[int, Query]]:
    """Return the queries of a file; raise DataError if there is none."""
    if queries := list(read_queries(path)):
        return queries
    raise DataError(f"{path}: the file contains no query: write one per line")


def read_queries(path: Path) -> Iterator[tuple[int, Query]]:
    """Yield each query of the file at ``path`` with its line number; blank lines are skipped.

    A text that begins with SELECT, or with an SQL comment, is read by `splu_ref.cli.select`.
    """
    try:
        # A JSON string may contain other line separators, such as U+2028, at which splitlines would cut it.
        with open_regular(path) as file, TextIOWrapper(file, encoding="utf-8-sig", newline="") as text:
            content = text.read()
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file: check the path of the queries") from None
    except UnicodeDecodeError:
        raise DataError(f"{path}: not a text file in UTF-8: write one JSON object a line") from None
    if content.lstrip()[:1].upper() in _STATEMENTS:
        yield from read_statements(content, path)
        return
    for number, line in enumerate(re.split(r"\r\n?|\n", content), start=1):
        if line.strip():
            yield number, _query(line, f"{path}, line {number}")


def _query(line: str, place: str) -> Query:
    form = '{"where": {"age": "39", "occupation": "Sales"}}'
    try:
        document: Any = json.loads(line, object_pairs_hook=unrepeated)
    except KeyError as error:
        raise DataError(f"{place}: key {error.args[0]!r} is repeated: give it once") from None
    except (ValueError, RecursionError):
        raise DataError(f"{place}: not a JSON object: write {form}; {ONE_LANGUAGE}") from None
    if not isinstance(document, dict) or set(document) != {"where"}:
        raise DataError(f'{place}: a query has the one key "where": write {form}')
    try:
        return Query.of(document["where"])
    except InputError as error:
        raise DataError(f"{place}: {error}") from None
