"""Bits of records reconstructed from many answers about random sets of them (Dinur and Nissim).

Records are distinguished by their other columns. Each query counts the records with the bit in a random half;
the answers are exact, have noise each, or are what a published table estimates. From the answers the bits are
fitted, by least squares or by the least sum of errors with bits from 0 to 1, and rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.audit.attacks.outcome import Shares
from splu_ref.channels.parameters import ParameterError
from splu_ref.estimators.queries.counting import Columns
from splu_ref.mechanisms import LaplaceCounts, RecordMechanism
from splu_ref.mechanisms.interfaces import Randomizer
from splu_ref.randomness import Draws, IntArray, SystemSource, UniformSource

Bits: TypeAlias = NDArray[np.bool_]
Answers: TypeAlias = Callable[[NDArray[np.int64], IntArray], NDArray[np.float64]]
"""What is answered about sets, shape (queries, victims), of records with these places in the table."""
MOST_VICTIMS, MOST_QUERIES, MOST_RUNS = 512, 4096, 101


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """What was reconstructed.

    Attributes
    ----------
    victims, queries, runs
        How many records, queries about them, and experiments with other records and queries.
    least_squares, linear_program
        The share of bits that are right.
    majority
        The share that is right if every bit is guessed to be the more frequent one of the table.
    """

    victims: int
    queries: int
    runs: int
    least_squares: Shares
    linear_program: Shares
    majority: Shares


def reconstruct(
    bits: Bits,
    apart: IntArray,
    answers: Answers,
    draws: Draws,
    *,
    victims: int,
    queries: int,
    runs: int,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Reconstruction:
    """Reconstruct bits of records from answers about random halves of them.

    Parameters
    ----------
    bits
        Of all records, shape (N,).
    apart
        Places of the records that are unique in their other columns.
    answers
        What the interface answers.
    draws
        Which records and which sets.
    victims, queries, runs
        At most 512, 4096 and 101. With fewer distinguishable records, all these.
    progress
        Called before each run with how many are done, and how many there are.

    Raises
    ------
    ParameterError
        For more, or if no records can be distinguished.
    """
    for name, number, most in (
        ("records", victims, MOST_VICTIMS), ("queries", queries, MOST_QUERIES), ("runs", runs, MOST_RUNS),
    ):  # fmt: skip
        if number > most:
            raise ParameterError(f"{number} {name}: give at most {most}")
    count = min(victims, len(apart))
    if not count:
        raise ParameterError("no record is unique in its other columns: there is no record to query")
    usual = 2 * int(bits.sum()) > len(bits)
    shares: list[tuple[Fraction, ...]] = []
    for done in range(runs):
        progress(done, runs)
        places = apart[draws.subset(len(apart), count)]
        sets = draws.below(2, queries * count).reshape(queries, count)
        answered = answers(sets, places)
        truth = bits[places]
        fits = (_least_squares(sets, answered), _least_errors(sets, answered))
        right = [*((fit > 0.5) == truth for fit in fits), truth == usual]
        shares.append(tuple(Fraction(int(np.count_nonzero(each)), count) for each in right))
    squares, errors, majority = (Shares.of([run[kind] for run in shares]) for kind in range(3))
    return Reconstruction(count, queries, runs, squares, errors, majority)


def _least_squares(sets: NDArray[np.int64], answered: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.linalg.lstsq(sets.astype(np.float64), answered, rcond=None)[0].astype(np.float64)


def _least_errors(sets: NDArray[np.int64], answered: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers from 0 to 1 whose sums over the sets differ least from the answers, in all."""
    from scipy.optimize import linprog  # noqa: PLC0415  slow to load

    queries, victims = sets.shape
    slack = np.eye(queries)
    done = linprog(
        np.r_[np.zeros(victims), np.ones(queries)],
        A_ub=np.block([[sets, -slack], [-sets, -slack]]),
        b_ub=np.r_[answered, -answered],
        bounds=[(0, 1)] * victims + [(0, None)] * queries,
        method="highs",
    )
    if done.x is None:
        raise ParameterError(f"no bits were fitted: {done.message}")
    found: NDArray[np.float64] = done.x[:victims]
    return found


def exact_answers(bits: Bits) -> Answers:
    """Answer with the true counts."""
    return lambda sets, places: (sets @ bits[places]).astype(np.float64)


def noisy_answers(bits: Bits, noise: LaplaceCounts, source: UniformSource) -> Answers:
    """Answer with the true count and discrete Laplace noise, fresh for each answer."""

    def answers(sets: NDArray[np.int64], places: IntArray) -> NDArray[np.float64]:
        return np.array(noise.publish_counts((sets @ bits[places]).tolist(), source), dtype=np.float64)

    return answers


def published_answers(
    mechanism: RecordMechanism, column: str, codes: IntArray, values: int, code: int, draws: Draws
) -> Answers:
    """Answer with unbiased estimates from the published column, published anew for each run.

    Parameters
    ----------
    mechanism
        Publishes one value for each record, by codes in this order.
    column, codes, values
        The column, shape (N,), and how many values it has.
    code
        Of the value that makes the bit.
    draws
        Random integers of a stream.

    Notes
    -----
    A record that is published with the value counts (1 - b)/(a - b), another -b/(a - b): a is the chance
    that the value is kept, b that another record shows it, on average over the table.
    """
    if not isinstance(mechanism, Randomizer):
        raise ParameterError(f"{mechanism.name} declares no law of a record: choose another mechanism")

    def answers(sets: NDArray[np.int64], places: IntArray) -> NDArray[np.float64]:
        done = mechanism.publish_columns({column: codes}, {column: values}, lambda _: draws)
        histogram = np.bincount(codes[done.rows], minlength=values)
        laws = mechanism.channel(histogram, SystemSource()).laws  # what is used of them no plan changes
        kept = float(laws[code].get(code, 0))
        shown = sum(float(laws[own].get(code, 0)) * int(histogram[own]) for own in laws if own != code)
        others = int(histogram.sum() - histogram[code])
        by_chance = shown / others if others else kept
        counted = np.full(len(codes), histogram[code] / len(done.rows))  # of a record that is left out
        if kept != by_chance:  # otherwise what is shown says nothing of the record
            counted[done.rows] = ((done.published[column] == code) - by_chance) / (kept - by_chance)
        estimates: NDArray[np.float64] = sets @ counted[places]
        return estimates

    return answers


def distinguishable(columns: Columns, names: Sequence[str]) -> IntArray:
    """Return the places of the records that no other has the same cells in the columns as."""
    groups = columns.groups(names)
    return np.flatnonzero(np.bincount(groups)[groups] == 1)
