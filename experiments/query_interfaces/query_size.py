"""A least size of queries, and the tracker that gets around it (Denning; Chirayath et al. 2006, section 1.1).

The attack is carried out through the interface: what it finds rests on answered queries alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels.parameters import ParameterError
from splu_ref.estimators.queries.counting import Columns

Records: TypeAlias = NDArray[np.bool_]
"""Which records satisfy a question, shape (N,)."""
Reading: TypeAlias = Literal["both", "small"]
READINGS: tuple[Reading, ...] = ("both", "small")
MOST_VALUES = 200
"""Trackers are looked for among the values that most records have, this many, alone and by two."""
MOST_ATTACKED = 1_000
"""Of the values whose counts are refused, this many are attacked: the rarest."""


@dataclass(frozen=True, slots=True)
class SizeControl:
    """Which counts are answered.

    Attributes
    ----------
    records
        N, at least 1.
    least
        k, from 1 to N/2.
    reading
        ``"both"``: counts from k to N - k are answered (Denning and Schlörer). ``"small"``: counts of at
        least k are (as Chirayath et al. have it).
    """

    records: int
    least: int
    reading: Reading = "both"

    def __post_init__(self) -> None:
        if self.least < 1 or 2 * self.least > self.records:
            raise ParameterError(
                f"the least size must be from 1 to half of the {self.records} records, not {self.least}"
            )

    def answers(self, count: int) -> bool:
        """Say whether a set of ``count`` records may be queried."""
        return self.least <= count and (self.reading == "small" or count <= self.records - self.least)


class Question(NamedTuple):
    """A set of records and how it is written."""

    text: str
    records: Records

    def without(self) -> Question:
        """Return the records that are not in it."""
        return Question(f"not ({self.text})", ~self.records)

    def united(self, other: Question) -> Question:
        """Return the records that are in one of two sets."""
        return Question(f"({self.text}) or ({other.text})", self.records | other.records)


@dataclass
class QueryInterface:
    """An interface that answers counts, and logs every query with its answer.

    Attributes
    ----------
    control
        Which counts are answered.
    log
        Questions with their answers in order; None: refused.
    """

    control: SizeControl
    log: list[tuple[str, int | None]] = field(default_factory=list)

    def ask(self, question: Question) -> int | None:
        """Return how many records satisfy a question, or None if the interface refuses."""
        count = int(np.count_nonzero(question.records))
        answer = count if self.control.answers(count) else None
        self.log.append((question.text, answer))
        return answer


@dataclass(frozen=True, slots=True)
class Tracker:
    """A set T with which every other set is counted.

    Attributes
    ----------
    question
        The set.
    size
        How many records it has.
    breaks
        The largest least size that it breaks: half the size of T or of its complement, rounded down.
    """

    question: Question
    size: int
    breaks: int


@dataclass(frozen=True, slots=True)
class TrackerAttack:
    """What the attack finds.

    Attributes
    ----------
    tracker
        The first set that serves, of one value before two; None if there is none, or none is needed.
    largest_broken
        The largest least size that some tracker breaks; with ``"small"`` half of N, which needs none.
    single_values, refused
        How many values the columns have, and how many of their counts the interface refuses.
    attacked, found
        How many of the refused counts were attacked, at most `MOST_ATTACKED`, and how many of them are found.
    count
        Of the question that was named: the count inferred; None if there is none.
    queries
        The queries that were sent to infer it, with the answers.
    """

    tracker: Tracker | None
    largest_broken: int
    single_values: int
    refused: int
    attacked: int
    found: int
    count: int | None
    queries: tuple[tuple[str, int | None], ...]


class _Value(NamedTuple):
    """A value of a column, and how many records have it."""

    column: str
    code: int
    records: int

    def question(self, columns: Columns) -> Question:
        column = columns[self.column]
        return Question(f"{self.column}={column.domain[self.code]}", column.codes == self.code)


def run_tracker_attack(
    columns: Columns, names: Sequence[str], control: SizeControl, wanted: Question | None = None
) -> TrackerAttack:
    """Attack the counts of single values that are refused, and one more question, through an interface.

    Parameters
    ----------
    columns
        Of the table that the interface answers about.
    names
        The columns that may be used in queries.
    control
        What the interface refuses.
    wanted
        A further question.
    """
    values = [
        _Value(name, code, records)
        for name in names
        for code, records in enumerate(np.bincount(columns[name].codes).tolist())
    ]
    tracker, largest = None, control.records // 2
    if control.reading == "both":
        tracker, largest = _trackers(values, columns, control)
    refused = sorted(
        (value for value in values if not control.answers(value.records)), key=lambda value: value.records
    )
    attacked = refused[:MOST_ATTACKED]
    found = 0
    for value in attacked:
        count = _inferred_count(QueryInterface(control), value.question(columns), tracker)
        found += count == value.records
    interface = QueryInterface(control)
    count = None if wanted is None else _inferred_count(interface, wanted, tracker)
    return TrackerAttack(
        tracker, largest, len(values), len(refused), len(attacked), found, count, tuple(interface.log)
    )


def _inferred_count(interface: QueryInterface, wanted: Question, tracker: Tracker | None) -> int | None:
    """Return the count of a set from answered queries, None if it does not follow from them."""
    answer = interface.ask(wanted)
    if answer is not None:
        return answer
    if interface.control.reading == "small":
        every = interface.ask(Question("all", np.ones_like(wanted.records)))
        others = interface.ask(wanted.without())
        return None if every is None or others is None else every - others
    if tracker is None:
        return None
    inside, outside = interface.ask(tracker.question), interface.ask(tracker.question.without())
    if inside is None or outside is None:
        return None
    count = _few(interface, wanted, tracker.question, inside + outside)
    if count is not None:
        return count
    others = _few(interface, wanted.without(), tracker.question, inside + outside)
    return None if others is None else inside + outside - others


def _few(interface: QueryInterface, wanted: Question, tracker: Question, every: int) -> int | None:
    """Return the count of a set below the least size: what T and the rest gain by it."""
    gains = interface.ask(wanted.united(tracker)), interface.ask(wanted.united(tracker.without()))
    return None if gains[0] is None or gains[1] is None else gains[0] + gains[1] - every


def _trackers(values: Sequence[_Value], columns: Columns, control: SizeControl) -> tuple[Tracker | None, int]:
    """Return the first tracker that serves, and the largest least size that one of all breaks."""
    frequent = sorted(values, key=lambda value: -value.records)[:MOST_VALUES]
    questions = [value.question(columns) for value in frequent]
    first: Tracker | None = None
    largest = 0
    for size, question, other, either in _candidates(questions):
        breaks = min(size, control.records - size) // 2
        largest = max(largest, breaks)
        if first is None and breaks >= control.least:
            if other is None:
                first = Tracker(question, size, breaks)
            elif either:
                text, records = f"{question.text} or {other.text}", question.records | other.records
                first = Tracker(Question(text, records), size, breaks)
            else:
                text, records = f"{question.text} and {other.text}", question.records & other.records
                first = Tracker(Question(text, records), size, breaks)
    return first, largest


def _candidates(questions: list[Question]) -> Iterator[tuple[int, Question, Question | None, bool]]:
    """Yield each set, then of each two both and either: its size, the sets, and whether it is either."""
    packed = [np.packbits(question.records) for question in questions]
    sizes = [int(np.bitwise_count(bits).sum()) for bits in packed]
    for size, question in zip(sizes, questions, strict=True):
        yield size, question, None, False
    for one, other in combinations(range(len(questions)), 2):
        both = int(np.bitwise_count(packed[one] & packed[other]).sum())
        yield both, questions[one], questions[other], False
        yield sizes[one] + sizes[other] - both, questions[one], questions[other], True
