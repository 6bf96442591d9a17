"""The published records for an estimate: a whole table, or counts of combinations of the queried columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from splu_ref.cli.output import note
from splu_ref.data import (
    Cross,
    Predicates,
    Progress,
    Records,
    TableParts,
    TooManyCombinationsError,
    count_records,
    is_large,
    read_table,
    require_in_domain,
)
from splu_ref.estimators import Condition, Query, condition_matcher, range_of_days
from splu_ref.mechanisms import (
    AlphaBeta,
    Anatomy,
    Manifest,
    PerturbedGeneralization,
    SmallDomainRandomization,
)

_OPERATOR = r"\s*(?:!=|<=|>=|=|<|>)"
_IN_MEMORY = (Anatomy, PerturbedGeneralization, SmallDomainRandomization)
"""Mechanisms whose estimates use groups or parts of the table, which is read into memory at any size."""
_CONDITIONS = 1 << 10
"""Most conditions on a column for which values that satisfy the same ones are counted together."""
UNCHECKED = (
    "the table is counted in parts, so its content is not compared with the manifest's digest; its number of "
    "rows and the values of its sensitive columns are"
)


def published_records(
    path: Path,
    facts: Manifest | None,
    sensitive: Sequence[str],
    *,
    where: Sequence[str],
    columns: Sequence[str],
    queries: Sequence[Query],
    progress: Progress,
) -> Iterator[tuple[Records, Sequence[int]]]:
    """Yield the records of a table with the numbers of the queries that they answer.

    A small table is read into memory, for all queries. A large one is counted by the combinations of all
    named columns, where values that no query distinguishes are counted together; or, if these are too many,
    by the columns of each query.
    """
    if not is_large(path) or (facts is not None and isinstance(facts.mechanism, _IN_MEMORY)):
        whole = read_table(path, empty=facts is not None and isinstance(facts.mechanism, AlphaBeta))
        if facts is not None:
            facts.require(whole)
        yield whole, range(len(queries))
        return
    header = TableParts(path).columns
    given = {name for text in columns for name in (text, *map(str.strip, text.split(",")))}
    crossed = [step for step in (() if facts is None else facts.recoded) if isinstance(step, Cross)]
    known = [*header, *(part for step in crossed for part in step.parts)]
    given |= {name for name in known for text in where if re.search(re.escape(name) + _OPERATOR, text)}

    def file_columns(names: set[str]) -> tuple[str, ...]:
        """Return the columns of the file that are named or were crossed from named ones."""
        for step in crossed:  # in the order in which they were crossed
            names = names | {step.column} if names & set(step.parts) else names
        return tuple(name for name in header if name in names)

    queried = [{column for column, _ in query.conditions} for query in queries]
    domains = {} if facts is None else facts.domains
    seen = list(dict.fromkeys([*(name for name in sensitive if name in header), *domains]))
    exact = {*seen, *given}

    def classifiers(numbers: Sequence[int]) -> dict[str, Predicates]:
        """Return, by column, the function that evaluates the queries' conditions on its values."""
        if facts is not None and facts.recoded:  # conditions apply to the values before recoding
            return {}
        conditions: dict[str, dict[Condition, None]] = {}
        for name, condition in (pair for number in numbers for pair in queries[number].conditions):
            in_days = range_of_days(condition)  # which it means unless its text is a value
            for each in (condition, *([] if in_days is None else [in_days])):
                conditions.setdefault(name, {})[each] = None
        return {
            name: condition_matcher(list(several))
            for name, several in conditions.items()
            if name not in exact and len(several) <= _CONDITIONS
        }

    sets = {file_columns(given.union(*queried)): list(range(len(queries)))}
    counted = count_records(
        path, list(sets), seen, progress, [classifiers(numbers) for numbers in sets.values()]
    )
    try:
        first = next(counted)
    except TooManyCombinationsError:
        if len(queries) < 2:
            raise
        sets = {}
        for number, names in enumerate(queried):
            sets.setdefault(file_columns(names), []).append(number)
        counted = count_records(
            path, list(sets), seen, progress, [classifiers(numbers) for numbers in sets.values()]
        )
        first = next(counted)
    if facts is not None:
        facts.require_rows(first[1].row_count)
        for name, domain in domains.items():
            require_in_domain(name, first[1].values(name), domain)
        if facts.origin is not None:
            note(UNCHECKED)
    numbers = list(sets.values())
    for place, table in chain([first], counted):
        yield table, numbers[place]
