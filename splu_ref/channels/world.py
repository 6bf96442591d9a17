"""Worlds: finite sets of tables with a rational prior; a release is a channel from tables.

A channel from tables has the measures of a channel from records: its amplification over neighboring tables is
that of differential privacy, its posterior is the belief of an observer of the whole release, and its mutual
information is the information gained. Worlds represent small tables, on which closed forms are checked.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm, prod
from typing import Generic, TypeAlias, TypeVar

from splu_ref.channels.beliefs import coarsening
from splu_ref.channels.channel import Channel, Out, mixed, total
from splu_ref.channels.parameters import Exact, ParameterError, exact, shown

Value = TypeVar("Value", bound=Hashable)

Table: TypeAlias = tuple[Value, ...]
"""The entries of each place: the value of a record, or whether a possible tuple occurs."""

LARGEST = 10**6
"""Tables of a world."""


@dataclass(frozen=True)
class World(Generic[Value]):
    """A law of tables of one length, as independent parts: each the law of some neighboring places.

    Notes
    -----
    Made by `independent` or `explicit`. Independent tuples, as for mechanisms that publish sets, are
    independent places that hold True or False.
    """

    #: Of each part, whole weights above 0 of what stands in its places; the chance of a table is the product
    #: of its parts' weights over that of the totals. Tables with no chance are not there.
    parts: tuple[Mapping[Table[Value], int], ...]

    @classmethod
    def independent(cls, laws: Sequence[Mapping[Value, Exact]]) -> World[Value]:
        """Return the world of independent places with separate laws.

        Raises
        ------
        ParameterError
            If there is no place, one has no law, or there are more than 10^6 tables.
        """
        if not laws:
            raise ParameterError("a world needs at least one record: give its law")
        return _limited(
            [
                _weights(
                    {(value,): chance for value, chance in law.items()}, f"the law of record {place + 1}"
                )
                for place, law in enumerate(laws)
            ]
        )

    @classmethod
    def explicit(cls, prior: Mapping[Table[Value], Exact]) -> World[Value]:
        """Return the world of the given tables, all of one length, with their chances.

        Raises
        ------
        ParameterError
            If they have no place or different lengths, or the chances are no law.
        """
        lengths = {len(table) for table in prior}
        if len(lengths) != 1 or 0 in lengths:
            raise ParameterError(
                "the tables of a world have one length, of at least 1: give at least one table"
            )
        return _limited([_weights(prior, "the prior of the tables")])

    @property
    def size(self) -> int:
        """The number of tables."""
        return prod(len(part) for part in self.parts)

    @property
    def places(self) -> int:
        """The number of places of each table."""
        return sum(len(next(iter(part))) for part in self.parts)

    @property
    def total(self) -> int:
        """The sum of the weights of all tables."""
        return prod(sum(part.values()) for part in self.parts)

    def laws(self) -> list[dict[Value, int]]:
        """Return, of every place, weights in proportion to the law of what stands there."""
        found: list[dict[Value, int]] = []
        for part in self.parts:
            inside: list[dict[Value, int]] = [{} for _ in next(iter(part))]
            for values, weight in part.items():
                for counts, value in zip(inside, values, strict=True):
                    counts[value] = counts.get(value, 0) + weight
            found += inside
        return found

    def weighted(self) -> Iterator[tuple[Table[Value], int]]:
        """Yield every table with its whole weight; they add up to `total`."""
        for chosen in product(*(part.items() for part in self.parts)):
            yield tuple(value for part, _ in chosen for value in part), prod(weight for _, weight in chosen)

    def prior(self) -> dict[Table[Value], Fraction]:
        """Return the chance of every table."""
        return {table: Fraction(weight, self.total) for table, weight in self.weighted()}

    def where(self, holds: Callable[[Table[Value]], bool]) -> World[Value]:
        """Return the world conditional on a predicate of its table.

        Raises
        ------
        ParameterError
            If it is none.
        """
        left = {table: weight for table, weight in self.weighted() if holds(table)}
        if not left:
            raise ParameterError("no table of the world is left: give it other laws")
        return World((left,))

    def neighbors(self) -> Iterator[tuple[Table[Value], Table[Value]]]:
        """Yield the pairs of tables that differ in one place: one value, or one tuple more or less."""
        alike: dict[tuple[int, Table[Value]], list[Table[Value]]] = {}
        for table, _ in self.weighted():
            for place in range(len(table)):
                others = table[:place] + table[place + 1 :]
                same = alike.setdefault((place, others), [])
                yield from ((other, table) for other in same)
                same.append(table)

    def release(self, read: Callable[[Table[Value]], Out]) -> Channel[Table[Value], Out]:
        """Return the channel that publishes a function of the table: a count, a mean, a histogram."""
        return coarsening({table: read(table) for table, _ in self.weighted()})

    def each(self, channel: Channel[Value, Out]) -> Channel[Table[Value], Table[Out]]:
        """Return the channel that publishes each place independently by ``channel``."""
        laws: dict[Table[Value], dict[Table[Out], Fraction]] = {}
        for table, _ in self.weighted():
            law: dict[Table[Out], Fraction] = {(): Fraction(1)}
            for value in table:
                row = channel.laws[value]
                law = {
                    (*seen, label): rest * entry for seen, rest in law.items() for label, entry in row.items()
                }
            laws[table] = law
        return Channel(laws, tuple(dict.fromkeys(seen for law in laws.values() for seen in law)))

    def about(
        self, channel: Channel[Table[Value], Out], secret: Callable[[Table[Value]], Hashable]
    ) -> tuple[dict[Hashable, Fraction], Channel[Hashable, Out]]:
        """Return the prior of a secret, and the channel from the secret to the published state.

        The rest of the table has its conditional law given the secret. So the posterior, vulnerability and
        mutual information of a record are those of this channel.

        Parameters
        ----------
        channel
            The channel from tables of the world to published states.
        secret
            A function of a table, such as the value in one place.
        """
        given: dict[Hashable, dict[Table[Value], Fraction]] = {}
        for table, chance in self.prior().items():
            given.setdefault(secret(table), {})[table] = chance
        prior = {value: total(tables) for value, tables in given.items()}
        laws = {
            value: mixed((chance / prior[value], channel.laws[table]) for table, chance in tables.items())
            for value, tables in given.items()
        }
        return prior, Channel(laws, channel.outputs)


def _weights(law: Mapping[Table[Value], Exact], name: str) -> dict[Table[Value], int]:
    """Return whole weights in proportion to a law."""
    chances = {state: exact(entry, f"the probability of {state!r}") for state, entry in law.items()}
    if min(chances.values(), default=Fraction(-1)) < 0 or total(chances) != 1:
        raise ParameterError(
            f"{name} adds up to {shown(total(chances))}: give probabilities of at least 0 that add up to 1"
        )
    scale = lcm(*(chance.denominator for chance in chances.values()))
    return {state: int(chance * scale) for state, chance in chances.items() if chance}


def _limited(parts: list[dict[Table[Value], int]]) -> World[Value]:
    world = World(tuple(parts))
    if world.size > LARGEST:
        raise ParameterError(
            f"the world has {shown(world.size)} tables, and at most {LARGEST} are gone through: give fewer "
            "records, or laws of fewer values"
        )
    return world
