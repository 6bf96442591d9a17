"""The exact channel from the tables of a world to the releases of a mechanism, by enumeration of its code.

The code is run on every outcome of its random choices for every table. Amplification over neighboring tables,
entropy, vulnerability and posteriors of *any* mechanism are functions of that channel. This checks closed
forms on tables of a few records.

The observer can identify every record by its other columns, which is the worst case. The shuffle then has no
effect, and is not enumerated.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import Channel, ParameterError, Table, Value, World
from splu_ref.mechanisms import TwoTables
from splu_ref.randomness import Draws, IntArray, exact_law

Seen: TypeAlias = Hashable
"""The published labels of the records, in their order."""

MOST_OUTCOMES = 100_000
"""Largest number of enumerated outcomes for one world."""


class CodesPublished(Protocol):
    """The observed parts of a release."""

    @property
    def rows(self) -> NDArray[np.integer[Any]]:
        """Original record at each published row."""
        ...

    @property
    def published(self) -> NDArray[np.integer[Any]]:
        """Published code or codes of each row."""
        ...


class PublishesCodes(Protocol):
    """A mechanism that publishes the codes of one sensitive column."""

    def publish_codes(self, codes: IntArray, domain_size: int, draws: Draws, /) -> CodesPublished:
        """Publish the codes."""
        ...


def table_law(
    mechanism: PublishesCodes, codes: Sequence[int], domain_size: int, most: int = MOST_OUTCOMES
) -> dict[Seen, Fraction]:
    """Return the law of the release of a table, by enumeration of the mechanism's random choices."""
    own, walked = np.array(codes, dtype=np.int64), 0

    def run(draws: Draws) -> Seen:
        nonlocal walked
        walked += 1
        if walked > most:
            raise ParameterError(
                f"the mechanism has more than {most} outcomes of its choices: give fewer records or values"
            )
        done = mechanism.publish_codes(own, domain_size, draws)
        shown = done.groups if isinstance(done, TwoTables) else done.published
        by_record = dict(zip(done.rows.tolist(), shown.tolist(), strict=True))
        seen = tuple(by_record.get(record) for record in range(len(own)))
        return (seen, tuple(map(tuple, done.values.tolist()))) if isinstance(done, TwoTables) else seen

    return exact_law(run)


def world_channel(
    mechanism: PublishesCodes, world: World[Value], domain: Sequence[Value]
) -> Channel[Table[Value], Seen]:
    """Return the channel from the tables of a world to the releases of a mechanism."""
    code_of = {value: code for code, value in enumerate(domain)}
    laws: dict[Table[Value], dict[Seen, Fraction]] = {}
    most = MOST_OUTCOMES
    for table, _ in world.weighted():
        unknown = [value for value in table if value not in code_of]
        if unknown:
            raise ParameterError(f"{unknown[0]!r} is no value of the domain: declare all values")
        codes = [code_of[value] for value in table]
        try:
            laws[table] = table_law(mechanism, codes, len(domain), most // (world.size - len(laws)))
        except ParameterError as error:
            raise ParameterError(f"the table {', '.join(map(str, table))}: {error}") from None
    return Channel(laws, tuple(dict.fromkeys(label for law in laws.values() for label in law)))
