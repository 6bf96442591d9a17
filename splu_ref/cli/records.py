"""The published records that a command counts: a whole table, or combinations of the columns asked about."""

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
from splu_ref.estimators import Condition, Query, condition_matcher
from splu_ref.mechanisms import (
    AlphaBeta,
    Anatomy,
    Manifest,
    PerturbedGeneralization,
    SmallDomainRandomization,
)

_OPERATOR = r"\s*(?:!=|<=|>=|=|<|>)"
_HELD = (Anatomy, PerturbedGeneralization, SmallDomainRandomization)
"""Mechanisms whose estimates look at groups or parts of the table, which is held whatever its size."""
_CONDITIONS = 1 << 10
"""Conditions on a column by which its values are told apart; by more, all of them are."""
UNCHECKED = (
    "the table is counted without being held, so its content is not compared with the manifest's digest; the "
    "number of rows and the values of the sensitive columns are"
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
    """Yield the records of a table, and the numbers of the queries that can be answered of them.

    A table that is not large is read as a whole, for all queries. A large one is counted by all columns that
    are named, of which values that no query tells apart are counted together; or, if the combinations are too
    many, by those of each query.

    Parameters
    ----------
    path
        The published table.
    facts
        Its manifest, which it must fit.
    sensitive
        Its sensitive columns.
    where
        Conditions, as texts that have not been read yet.
    columns
        Texts that may name columns, one or several with commas between them.
    queries
        Any number.
    progress
        Called with what was read.

    Raises
    ------
    DataError
        If the table cannot be read, or does not fit the manifest.
    """
    if not is_large(path) or (facts is not None and isinstance(facts.mechanism, _HELD)):
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

    def held(names: set[str]) -> tuple[str, ...]:
        """Return the columns of the file that are named, or a part of which is."""
        for step in crossed:  # in the order in which they were crossed
            names = names | {step.column} if names & set(step.parts) else names
        return tuple(name for name in header if name in names)

    asked = [{column for column, _ in query.conditions} for query in queries]
    domains = {} if facts is None else facts.domains
    seen = list(dict.fromkeys([*(name for name in sensitive if name in header), *domains]))
    exact = {*seen, *given}

    def told(numbers: Sequence[int]) -> dict[str, Predicates]:
        """Return what some queries ask of the values of columns whose values need not all be told apart."""
        if facts is not None and facts.recoded:  # whose values are looked up before they are asked about
            return {}
        conditions: dict[str, dict[Condition, None]] = {}
        for name, condition in (pair for number in numbers for pair in queries[number].conditions):
            conditions.setdefault(name, {})[condition] = None
        return {
            name: condition_matcher(list(several))
            for name, several in conditions.items()
            if name not in exact and len(several) <= _CONDITIONS
        }

    sets = {held(given.union(*asked)): list(range(len(queries)))}
    counted = count_records(path, list(sets), seen, progress, [told(numbers) for numbers in sets.values()])
    try:
        first = next(counted)
    except TooManyCombinationsError:
        if len(queries) < 2:
            raise
        sets = {}
        for number, names in enumerate(asked):
            sets.setdefault(held(names), []).append(number)
        counted = count_records(
            path, list(sets), seen, progress, [told(numbers) for numbers in sets.values()]
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
