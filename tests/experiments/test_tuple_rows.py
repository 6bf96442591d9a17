"""What tuples among fakes show of a person, against every outcome of the shipped code."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import polars as pl
import pytest

from experiments.comparison.comparison import ATTACKS, GUARANTEES
from experiments.comparison.tuple_rows import tuple_rows
from experiments.comparison.tuple_view import TupleView
from splu_ref.audit.attacks.view import View, best_guess, eliminated
from splu_ref.channels import Bounds, amplification, worst_property
from splu_ref.channels.parameters import ParameterError
from splu_ref.data import Microdata
from splu_ref.mechanisms import AlphaBeta
from splu_ref.randomness import outcomes

ALPHA, BETA = Fraction(1, 4), Fraction(1, 4)
VIEW = TupleView({0: 4, 1: 2, 2: 1}, ALPHA + BETA, BETA)


def test_the_law_of_what_is_seen_is_that_of_the_code() -> None:
    mechanism = AlphaBeta(ALPHA, BETA, {"v": ("a", "b", "c")})
    for own in range(3):
        law: dict[object, Fraction] = defaultdict(Fraction)
        members = np.array([own])
        for published, chance in outcomes(partial(mechanism.publish_tuples, members, 3)):
            law[frozenset(published.tolist())] += chance
        assert law == VIEW.channel.laws[own]
    assert VIEW.left_out == 0


def test_all_numbers_are_those_of_the_channel() -> None:
    channel = VIEW.channel
    for score in (best_guess, eliminated(0), eliminated(1)):
        mean = View(VIEW.counts, (channel,)).expected(score)
        assert VIEW.expected(score) == Bounds(mean, mean)
    for releases in (1, 2):
        assert VIEW.guessed(releases) == View(VIEW.counts, (channel,) * releases).expected(best_guess)
    assert VIEW.amplification == amplification(channel).ratio
    for prior in (Fraction(1, 7), Fraction(2, 7), Fraction(3, 7)):
        worst = worst_property(channel, VIEW.counts, prior)
        assert worst is not None
        assert VIEW.largest(prior) == worst.posterior
    both: dict[int, Fraction] = defaultdict(Fraction)
    for own, one, other in product(VIEW.counts, channel.outputs, channel.outputs):
        assert isinstance(one, frozenset)
        assert isinstance(other, frozenset)
        if 1 in one and 1 in other:
            chance = channel.probability(own, one) * channel.probability(own, other)
            both[own] += VIEW.counts[own] * (VIEW.counts[own] - 1) * chance
    assert VIEW.pair(1) == both[1] / sum(both.values())


def test_rare_fakes_are_left_out_and_enclosed() -> None:
    rare = TupleView({code: code + 1 for code in range(6)}, Fraction(2, 5), Fraction(1, 10**9))
    assert 0 < rare.left_out < Fraction(1, 1 << 40)
    found = rare.expected(best_guess)
    assert found.lower <= rare.guessed() <= found.upper
    assert found.upper - found.lower == rare.left_out
    with pytest.raises(ParameterError, match="fakes are so frequent that 30 values"):
        _ = TupleView(dict.fromkeys(range(30), 1), Fraction(2, 5), Fraction(1, 3)).channel


def _table(rows: int) -> Microdata:
    frame = pl.DataFrame(
        {"id": [str(row) for row in range(rows)], "v": ["abbccc"[row % 6] for row in range(rows)]}
    )
    return Microdata.from_frame(pl.concat([frame, frame[:7]]))


def test_the_rows_of_a_table() -> None:
    attacked, guaranteed = tuple_rows(_table(60), "v", Fraction(1, 2), 5)
    # the last column, of an attack that learns, is the comparison's
    assert (len(attacked.cells), len(guaranteed.cells)) == (len(ATTACKS) - 1, len(GUARANTEES))
    # 60 of 180 tuples: beta is 120/30, and 60 rows are to be expected
    view = TupleView({0: 10, 1: 20, 2: 30}, Fraction(1, 2), Fraction(1, 4))
    assert attacked.cells[0].value == view.guessed()
    assert attacked.cells[3].value == view.guessed(3)
    assert attacked.cells[4].value == 0
    assert attacked.notes == ("of 60 people whose other columns nobody else has; the attacker knows these",)
    assert guaranteed.cells[0].value == Fraction(1, 2)
    assert guaranteed.cells[2].value == view.amplification == 3
    assert guaranteed.cells[3].reason == "every value has a larger prior"
    # the estimate (n_V - 15)/(1/4) of 10 of 60 tuples is off by 3 or more unless n_V is 10/2 + 50/4 = 17.5
    assert isinstance(guaranteed.cells[4].value, Bounds)
    assert guaranteed.cells[4].value.lower > Fraction(3, 4)
    assert guaranteed.cells[5].reason == "a value has 60 tuples of the domain, fewer than 1000"


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (Microdata.from_frame(pl.DataFrame({"v": list("aab"), "w": list("xyx")})), "the 3 tuples"),
        (Microdata.from_frame(pl.DataFrame({"v": list("ab") * 3, "w": list("xx") * 3})), "too many to hide"),
        (Microdata.from_frame(pl.DataFrame({"v": list("abcd"), "u": list("0011"), "w": list("xxyy")})),
         "nobody's other columns are hers alone"),
    ],
)  # fmt: skip
def test_tables_that_tuples_cannot_be_hidden_in(table: Microdata, reason: str) -> None:
    for row in tuple_rows(table, "v", Fraction(1, 2), 5):
        assert len(row.reasons) == 1
        assert reason in row.reasons[0]
        assert all(cell.value is None for cell in row.cells)
