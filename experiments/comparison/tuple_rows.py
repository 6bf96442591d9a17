"""The rows of the alpha-beta algorithm in a comparison of mechanisms.

It publishes whole tuples, and no value for a record. What a record's true value is to the others, a person's
tuple is here: it is published with the same chance. Fakes are as many as bring a release to the size of the
table, so that a row that is published is genuine as often as a value of the others is the record's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import prod
from typing import NamedTuple

import polars as pl

from experiments.comparison.cells import BITS, ERRORS, PRIOR, RELEASES, Cell, Row
from experiments.comparison.tuple_view import TupleView
from splu_ref.audit.attacks.view import eliminated
from splu_ref.audit.releases.record_linkage import text_cells
from splu_ref.channels import Bounds, constant, mutual_information, worst_property
from splu_ref.channels.parameters import ParameterError
from splu_ref.data import Microdata
from splu_ref.guarantees import TupleChances, TupleQueryError
from splu_ref.mechanisms import AlphaBeta

ATTACKS, GUARANTEES = 6, 7
"""Columns of the two tables."""


class _Tuples(NamedTuple):
    """The table as a set, and the chances at which it is published.

    Attributes
    ----------
    chances
        alpha and beta.
    share
        Tuples of the domain that have one value of the column.
    view
        Of the people whose other columns nobody else has.
    """

    chances: TupleChances
    share: int
    view: TupleView


def tuple_rows(table: Microdata, column: str, kept: Fraction, gamma: int) -> tuple[Row, Row]:
    """Return what attacks achieve on tuples among fakes, and what is guaranteed.

    Parameters
    ----------
    table
        The original; rows that repeat another are dropped. The domain is the product of what the columns
        hold.
    column
        The column that is attacked. The attacker knows all other ones.
    kept
        The chance alpha + beta that a tuple of the table is published.
    gamma
        One more than the values that the attacker excludes.
    """
    name = f"{AlphaBeta.name}, {kept}"
    try:
        tuples = _matched(table, column, kept)
        return Row(name, tuple(_attacked(tuples.view, gamma))), Row(name, tuple(_guaranteed(tuples)))
    except ParameterError as error:
        nothing = Cell(None, "none", str(error))
        return Row(name, (nothing,) * ATTACKS), Row(name, (nothing,) * GUARANTEES)


def _matched(table: Microdata, column: str, kept: Fraction) -> _Tuples:
    cells = text_cells(table, table.columns, blank=True).unique(maintain_order=True)
    number = cells.height
    size = prod(cells[name].n_unique() for name in cells.columns)
    # one over a whole number, so that beta has few digits
    beta = Fraction(1, max(round((size - number) / (number * (1 - kept))), 1))
    if beta >= kept:
        raise ParameterError(
            f"the {number} tuples of the table are too many to hide among the {size} of its columns' domain"
        )
    place = str(table.columns.index(column))
    others = [name for name in cells.columns if name != place]
    alone = cells.filter(pl.struct(others).is_unique()) if others else cells.clear()
    if not alone.height:
        raise ParameterError("nobody's other columns are hers alone: a tuple belongs to no one person")
    codes = {value: code for code, value in enumerate(alone[place].unique(maintain_order=True))}
    counts = Counter(codes[value] for value in alone[place])
    return _Tuples(
        TupleChances(kept - beta, beta),
        size // cells[place].n_unique(),
        TupleView(dict(sorted(counts.items())), kept, beta),
    )


def _attacked(view: TupleView, gamma: int) -> Iterator[Cell]:
    """Yield the cells of the attacks, in the order of the columns."""
    condition = f"of {view.rows} people whose other columns nobody else has; the attacker knows these"
    yield Cell(view.guessed(), "exact", condition)
    yield Cell(view.expected(eliminated(gamma - 1)), "exact", condition)
    # tuples are independent: those of other people that are known change nothing
    yield Cell(view.expected(eliminated(0)), "exact", condition)
    yield Cell(view.guessed(RELEASES), "exact", condition)
    yield Cell(Fraction(0), "exact")  # every tuple of the domain may be a fake
    shared = {code: count for code, count in view.counts.items() if count > 1}
    if shared:
        yield Cell(view.pair(min(shared, key=shared.__getitem__)), "exact", condition)
    else:
        yield Cell(None, "none", "no two people share a value")


def _guaranteed(tuples: _Tuples) -> Iterator[Cell]:
    """Yield the cells of the guarantees, in the order of the columns."""
    view, chances = tuples.view, tuples.chances
    yield Cell(view.own, "exact", rounding="down")
    prior = {code: Fraction(count, view.rows) for code, count in view.counts.items()}
    bits = mutual_information(view.channel, prior).bounds(BITS)
    # what is left out discloses no more than the rarest value would: lg of the number of people
    yield Cell(Bounds(bits.lower, bits.upper + view.left_out * view.rows.bit_length()), "exact")
    yield Cell(view.amplification, "exact")
    worst = worst_property(constant(list(view.counts), {0: 1}), view.counts, PRIOR)
    if worst is None:
        yield Cell(None, "none", "every value has a larger prior")
    else:
        yield Cell(view.largest(worst.posterior), "exact")
    for count, error, rounding in ERRORS:
        if count > tuples.share:
            yield Cell(None, "none", f"a value has {tuples.share} tuples of the domain, fewer than {count}")
            continue
        wrong = TupleQueryError.of(chances, tuples.share, count, (error * count) ** 2)
        yield Cell(wrong.bounds(), "exact", rounding=rounding)
    yield Cell(None, "none", "tuples are published, and whose they are is known; no count is looked at")
