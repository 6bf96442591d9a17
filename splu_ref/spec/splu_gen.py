"""SPLU-Gen: the mechanism of the paper (Fu and others 2014, section 3.1), and what a release consists of.

The paper's steps are: project the table to the sensitive column; partition the records into decoy groups of
γ records with different values; replace each value by one of its group; join, and shuffle the rows. Here the
order of all choices is fixed. Several sensitive columns are published one after the other with one shuffle,
as the paper's section 5 assumes. Retention probabilities other than 1/γ, dependent draws, keys and the
removal of a remainder at random are additions of this specification; the paper only says that at most γ - 1
records are deleted. The paper takes the records of a value by smallest number. A program that does so does
not conform, since the groups then disclose the order of the file; here the order within values is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from splu_ref.spec import randomness
from splu_ref.spec.draws import INDEPENDENT, Law, Rule, dependent, drawn_value
from splu_ref.spec.errors import require
from splu_ref.spec.plans import Group, plan, require_feasible, slots_of_records
from splu_ref.spec.randomness import Stream


class Source(Protocol):
    """What makes the choices for the records of a release: one stream, or a key.

    ``records`` are numbers of records of the original table. Results are places in that list.
    """

    def subset(self, records: Sequence[int], count: int) -> list[int]:
        """Return the places of a uniform subset, ascending."""
        ...

    def order_within(self, codes: Sequence[int], records: Sequence[int]) -> list[int]:
        """Return the places sorted by code, in a uniform order where codes agree."""
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
        """Return a stream of dependent draws."""
        ...


@dataclass(frozen=True)
class OneStream:
    """A source that reads everything from one stream, in the order in which choices are made."""

    stream: Stream

    def subset(self, records: Sequence[int], count: int) -> list[int]:
        """Return `splu_ref.spec.randomness.subset` of the places."""
        return randomness.subset(self.stream, len(records), count)

    def order_within(self, codes: Sequence[int], records: Sequence[int]) -> list[int]:
        """Return `splu_ref.spec.randomness.order_within` of the codes, one for each record."""
        return randomness.order_within(self.stream, codes)

    def permutation(self, records: Sequence[int]) -> list[int]:
        """Return `splu_ref.spec.randomness.permutation` of the places."""
        return randomness.permutation(self.stream, len(records))

    def below(self, bound: int, records: Sequence[int]) -> list[int]:
        """Return an integer for each record, in the order of the list."""
        return randomness.integers_below(self.stream, bound, len(records))

    def plan_stream(self, block: int) -> Stream:
        """Return the one stream."""
        return self.stream

    def group_stream(self, number: int) -> Stream:
        """Return the one stream."""
        return self.stream


@dataclass(frozen=True)
class Parameters:
    """The parameters of SPLU-Gen; those of the paper are p = 1/γ and independent draws.

    Refused (``parameter``): γ below 2; a retention not above 0, or above 1; dependent draws with another
    retention than 1/γ; a retention for which the bound of `splu_ref.spec.draws.Rule` is above 2^63.

    >>> Parameters(3).facts()
    [('gamma', '3'), ('retention', '1/3'), ('plan', 'mixed')]
    """

    gamma: int
    method: str = "mixed"
    retention: Fraction | None = None
    law: Law = INDEPENDENT

    def __post_init__(self) -> None:
        require(self.gamma >= 2, "gamma is below 2")
        p = self.retention_probability
        require(0 < p <= 1, "the retention is not above 0 and at most 1")
        require(
            self.law == INDEPENDENT or p == Fraction(1, self.gamma), "dependent draws need retention 1/gamma"
        )
        Rule.of(self.gamma, p)

    @property
    def retention_probability(self) -> Fraction:
        """The probability p that a record retains its value: 1/γ unless another one is given."""
        return Fraction(1, self.gamma) if self.retention is None else self.retention

    def facts(self) -> list[tuple[str, str]]:
        """Return the parameters as pairs of name and text, in the order of a manifest.

        ``draws`` is there only if the draws are not independent. The retention is a fraction in lowest terms.
        """
        facts = [
            ("gamma", str(self.gamma)),
            ("retention", str(self.retention_probability)),
            ("plan", self.method),
        ]
        return facts if self.law == INDEPENDENT else [*facts, ("draws", self.law.text)]


@dataclass
class Column:
    """What was drawn for one sensitive column, by place among the records that are left.

    Attributes
    ----------
    groups
        The groups of the plan, block after block.
    order
        The records within their values.
    integers
        With independent draws the integer of each record; empty otherwise.
    marked, shown
        With dependent draws those of `splu_ref.spec.draws.DependentDraws`; empty otherwise.
    published
        The published code of each record, before the shuffle.
    """

    groups: list[Group]
    order: list[int]
    integers: list[int] = field(default_factory=list)
    marked: list[int] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    published: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Release:
    """A release.

    Attributes
    ----------
    rows
        The original record at each published row.
    suppressed
        The deleted records, ascending.
    columns
        What was drawn for each sensitive column.
    published
        For each sensitive column the published code of each row.
    """

    rows: list[int]
    suppressed: list[int]
    columns: list[Column]
    published: list[list[int]]


def publish(
    columns: Sequence[Sequence[int]], parameters: Parameters, source_of: Callable[[int], Source]
) -> Release:
    """Publish a table, given as the codes of each sensitive column, in the order of publishing.

    ``source_of(c)`` is the source of column c; without a key all columns have the same stream. Choices are
    made in this order:

    1. Remainder. Draw a uniform subset of N mod γ of the N records from the source of column 0. They are
       deleted. The others keep their order. If γ divides N, nothing is drawn.
    2. For each sensitive column, with the histogram of the codes that are left (a value whose records are
       all deleted keeps its code, with frequency 0):

       1. make the plan; ``mixed`` draws its blocks (`splu_ref.spec.plans.plan`);
       2. draw an order of the records within their values (``order_within``), which gives each record its
          slot (`splu_ref.spec.plans.slots_of_records`);
       3. independent draws: draw one integer below the bound of the rule for each record, in the order of
          the records, and publish the record with the value of its draw (`splu_ref.spec.draws.drawn_value`).
          Dependent draws: draw for the groups (`splu_ref.spec.draws.dependent`), and publish the record at
          each slot with the value of the slot that it shows.
    3. Shuffle. Draw a permutation of the records that are left, from the source of column 0. Row i is the
       record at place i of the permutation, with its published values. All other cells of a row are those of
       its record.

    Refused (``parameter``) before anything is drawn: no record, and a value that more than N/γ records have.
    So fewer than γ records are always refused.

    In the example both groups are 0, 1, 2. The keys of the order ascend, the integers are 0, 1, 2, 0, 1, 2
    (03 is rejected), and the keys of the shuffle descend.

    >>> from splu_ref.spec.randomness import Tape
    >>> up, down = ["".join(f"{key:08x}" for key in keys) for keys in (range(1, 7), range(6, 0, -1))]
    >>> tape = Tape(bytes.fromhex(up + "00010302000102" + down))
    >>> release = publish([[0, 1, 2, 0, 1, 2]], Parameters(3, "anatomy"), lambda column: OneStream(tape))
    >>> release.columns[0].published
    [0, 0, 1, 0, 0, 1]
    >>> release.rows, release.published, tape.consumed
    ([5, 4, 3, 2, 1, 0], [[1, 0, 0, 1, 0, 0]], 55)
    """
    gamma, size = parameters.gamma, len(columns[0])
    require(size > 0, "there is no record")
    for codes in columns:
        require(most_frequent(codes) * gamma <= size, "a value has more than one record in gamma")
    first = source_of(0)
    suppressed = first.subset(range(size), size % gamma)
    deleted = set(suppressed)
    left = [record for record in range(size) if record not in deleted]
    drawn = [
        _column([codes[record] for record in left], left, parameters, source_of(number))
        for number, codes in enumerate(columns)
    ]
    shuffled = first.permutation(left)
    published = [[column.published[place] for place in shuffled] for column in drawn]
    return Release([left[place] for place in shuffled], suppressed, drawn, published)


def most_frequent(codes: Sequence[int]) -> int:
    """Return the number of records of the most frequent value.

    >>> most_frequent([0, 1, 1])
    2
    """
    return max(codes.count(code) for code in set(codes))


def histogram_of(codes: Sequence[int]) -> list[int]:
    """Return the number of records of each value up to the largest code.

    >>> histogram_of([0, 2, 2])
    [1, 0, 2]
    """
    histogram = [0] * (max(codes) + 1)
    for code in codes:
        histogram[code] += 1
    return histogram


def _column(codes: Sequence[int], records: Sequence[int], parameters: Parameters, source: Source) -> Column:
    """Publish one sensitive column of the records that are left."""
    gamma, histogram = parameters.gamma, histogram_of(codes)
    require_feasible(histogram, gamma)
    blocks = plan(parameters.method, histogram, gamma, source.plan_stream)
    groups = [group for block in blocks for group in block]
    column = Column(groups, source.order_within(codes, records))
    slots = slots_of_records(blocks, codes, column.order)
    if parameters.law == INDEPENDENT:
        rule = Rule.of(gamma, parameters.retention_probability)
        column.integers = source.below(rule.bound, records)
        column.published = [
            drawn_value(groups[slot // gamma], code, rule.draw(integer))
            for slot, code, integer in zip(slots, codes, column.integers, strict=True)
        ]
    else:
        draws = dependent(parameters.law, blocks, source.group_stream)
        column.marked, column.shown = draws.marked, draws.shown
        shown = [draws.shown[slot] for slot in slots]
        column.published = [groups[slot // gamma][slot % gamma] for slot in shown]
    return column
