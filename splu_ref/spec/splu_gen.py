"""SPLU-Gen: the mechanism of the paper (section 3.1), and what a release consists of.

Remove the remainder; make a decoy plan for each sensitive column; draw a value of its group for every record; shuffle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from splu_ref.spec import randomness
from splu_ref.spec.draws import Law, Rule, dependent, named_value
from splu_ref.spec.errors import require
from splu_ref.spec.plans import Group, plan, require_feasible, slots_of_records
from splu_ref.spec.randomness import Stream


class Source(Protocol):
    """Whatever makes the choices for the records of a release, which are numbered as in the original table."""

    def subset(self, records: Sequence[int], count: int) -> list[int]:
        """Return the places of a uniform subset, ascending."""
        ...

    def order_within(self, codes: Sequence[int], records: Sequence[int]) -> list[int]:
        """Return the places by code, in a uniform order within each."""
        ...

    def permutation(self, records: Sequence[int]) -> list[int]:
        """Return the places in a uniform order."""
        ...

    def below(self, bound: int, records: Sequence[int]) -> list[int]:
        """Return a uniform integer below ``bound`` for each record."""
        ...

    def plan_stream(self, block: int) -> Stream:
        """Return the stream of a block of the plan."""
        ...

    def group_stream(self, number: int) -> Stream:
        """Return a stream of the draws that hang together."""
        ...


@dataclass(frozen=True)
class OneStream:
    """A source that reads everything from one stream, in the order in which it is asked."""

    stream: Stream

    def subset(self, records: Sequence[int], count: int) -> list[int]:
        """Return the places of a uniform subset, ascending."""
        return randomness.subset(self.stream, len(records), count)

    def order_within(self, codes: Sequence[int], records: Sequence[int]) -> list[int]:
        """Return the places by code, in a uniform order within each."""
        return randomness.order_within(self.stream, codes)

    def permutation(self, records: Sequence[int]) -> list[int]:
        """Return the places in a uniform order."""
        return randomness.permutation(self.stream, len(records))

    def below(self, bound: int, records: Sequence[int]) -> list[int]:
        """Return a uniform integer below ``bound`` for each record."""
        return randomness.integers_below(self.stream, bound, len(records))

    def plan_stream(self, block: int) -> Stream:
        """Return the one stream."""
        return self.stream

    def group_stream(self, number: int) -> Stream:
        """Return the one stream."""
        return self.stream


@dataclass(frozen=True)
class Parameters:
    """The parameters of SPLU-Gen; the paper's have a retention probability of 1/gamma and independent draws."""

    gamma: int
    method: str = "mixed"
    retention: Fraction | None = None
    law: Law = Law("independent", 0)

    def __post_init__(self) -> None:
        require(self.gamma >= 2, "gamma is below 2")
        kept = self.kept
        require(0 < kept <= 1, "the retention is not within 0 and 1")
        require(self.law.name == "independent" or kept == Fraction(1, self.gamma), "the law asks for 1/gamma")
        Rule.of(self.gamma, kept)

    @property
    def kept(self) -> Fraction:
        """Return the probability that a record keeps its value."""
        return Fraction(1, self.gamma) if self.retention is None else self.retention

    def facts(self) -> list[tuple[str, str]]:
        """Return the parameters as names and texts, in the order of a manifest."""
        told = [("gamma", str(self.gamma)), ("retention", str(self.kept)), ("plan", self.method)]
        return told if self.law.name == "independent" else [*told, ("draws", self.law.text)]


@dataclass
class Column:
    """What was drawn for one sensitive column, by place among the records that are left."""

    groups: list[Group]
    order: list[int]
    integers: list[int] = field(default_factory=list)
    marked: list[int] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    published: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Released:
    """A release: ``rows`` names the original record at each row; ``columns`` and their values go by record."""

    rows: list[int]
    suppressed: list[int]
    columns: list[Column]
    published: list[list[int]]


def publish(
    columns: Sequence[Sequence[int]], parameters: Parameters, source_of: Callable[[int], Source]
) -> Released:
    """Publish a table, given as the codes of each sensitive column.

    Parameters
    ----------
    columns
        For each sensitive column the code of every record, in the order of the table.
    parameters
        Gamma, the plan method, the retention probability and the law of the draws.
    source_of
        The source of each column, by its number. The first one also chooses the remainder and the order of the rows.

    >>> from splu_ref.spec.randomness import Tape
    >>> keys = "".join(f"{key:08x}" for key in (1, 2, 3, 4, 5, 6)), "".join(f"{key:08x}" for key in (6, 5, 4, 3, 2, 1))
    >>> tape = Tape(bytes.fromhex(keys[0] + "00010302000102" + keys[1]))
    >>> done = publish([[0, 1, 2, 0, 1, 2]], Parameters(3, "anatomy"), lambda _: OneStream(tape))
    >>> done.rows, done.published
    ([5, 4, 3, 2, 1, 0], [[1, 0, 0, 1, 0, 0]])
    """
    gamma, size = parameters.gamma, len(columns[0])
    require(size > 0, "there is no record")
    for codes in columns:
        require(
            max(codes.count(code) for code in set(codes)) * gamma <= size, "a value is too frequent for gamma"
        )
    first = source_of(0)
    suppressed = first.subset(range(size), size % gamma)
    gone = set(suppressed)
    left = [record for record in range(size) if record not in gone]
    done = [
        _column([codes[r] for r in left], left, parameters, source_of(n)) for n, codes in enumerate(columns)
    ]
    shuffled = first.permutation(left)
    published = [[column.published[place] for place in shuffled] for column in done]
    return Released([left[place] for place in shuffled], suppressed, done, published)


def _column(codes: Sequence[int], records: Sequence[int], parameters: Parameters, source: Source) -> Column:
    """Publish one sensitive column of the records that are left."""
    gamma = parameters.gamma
    histogram = [0] * (max(codes) + 1)
    for code in codes:
        histogram[code] += 1
    require_feasible(histogram, gamma)
    blocks = plan(parameters.method, histogram, gamma, source.plan_stream)
    groups = [group for block in blocks for group in block]
    column = Column(groups, source.order_within(codes, records))
    slots = slots_of_records(blocks, codes, column.order)
    if parameters.law.name == "independent":
        rule = Rule.of(gamma, parameters.kept)
        column.integers = source.below(rule.bound, records)
        drawn = map(rule.draw, column.integers)
        column.published = [
            named_value(groups[slot // gamma], code, draw) for slot, code, draw in zip(slots, codes, drawn)
        ]
    else:
        together = dependent(parameters.law, blocks, source.group_stream)
        column.marked, column.shown = together.marked, together.shown
        facing = [together.shown[slot] for slot in slots]
        column.published = [groups[slot // gamma][slot % gamma] for slot in facing]
    return column
