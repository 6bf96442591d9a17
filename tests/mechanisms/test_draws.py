from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_ref.channels.parameters import Gamma, ParameterError
from splu_ref.data import embedded_table
from splu_ref.mechanisms import SpluGen
from splu_ref.mechanisms.group_draws import DrawRule, draw_rule, independent_draws
from splu_ref.randomness import Draws, SeededSource, TapeSource, outcomes


@given(st.integers(2, 9), st.integers(1, 60), st.integers(1, 60))
def test_every_draw_has_its_share_of_the_integers(gamma: int, u: int, w: int) -> None:
    retention = Fraction(min(u, w), max(u, w))
    rule = draw_rule(Gamma(gamma), retention)
    integers = Counter(
        0 if r < rule.retained else 1 + (r - rule.retained) // rule.share for r in range(rule.bound)
    )
    assert Fraction(integers[0], rule.bound) == retention
    for draw in range(1, gamma):
        assert Fraction(integers[draw], rule.bound) == (1 - retention) / (gamma - 1)


def test_rules_by_hand() -> None:
    assert draw_rule(Gamma(5), Fraction(1, 5)) == DrawRule(5, 1, 1)
    assert draw_rule(Gamma(2), Fraction(3, 10)) == DrawRule(10, 3, 7)
    assert draw_rule(Gamma(4), Fraction(1, 2)) == DrawRule(6, 3, 1)
    assert draw_rule(Gamma(4), Fraction(1)) == DrawRule(1, 1, 0)


def test_the_law_of_a_draw_is_exact() -> None:
    for gamma, retention in ((2, "1/3"), (3, "1/2"), (3, "0.8"), (4, "1/4"), (3, "1")):
        p = Fraction(retention)
        law: dict[int, Fraction] = defaultdict(Fraction)
        for drawn, chance in outcomes(
            lambda s, g=gamma, p=p: independent_draws(s, Gamma(g), p, 1).tolist()[0]  # type: ignore[misc]  # defaults
        ):
            law[drawn] += chance
        assert law == {j: p if j == 0 else (1 - p) / (gamma - 1) for j in range(gamma) if j == 0 or p < 1}


def test_a_tape_gives_these_draws() -> None:
    # gamma = 4, p = 1/2: below 6; 0, 1, 2 retain the value; 3, 4, 5 take the first, second, third other one.
    tape = TapeSource(bytes([2, 6, 3, 4, 7, 5, 0]))
    assert independent_draws(tape, Gamma(4), Fraction(1, 2), 5).tolist() == [0, 1, 2, 3, 0]
    assert tape.consumed == 7


@pytest.mark.slow
def test_a_published_value_is_the_records_own_with_probability_p() -> None:
    codes = np.array([0, 0, 1, 2], dtype=np.int64)
    for retention in (Fraction(1, 3), Fraction(3, 4)):

        def run(source: Draws, p: Fraction = retention) -> list[int]:
            done = SpluGen(2, retention=p, plan="anatomy").publish_codes(codes, 3, source)
            published: list[int] = done.published[np.argsort(done.rows)].tolist()
            return published

        kept = [Fraction(0)] * 4
        mean = [Fraction(0)] * 3
        for published, chance in outcomes(run):
            for record, value in enumerate(published):
                kept[record] += chance * (value == codes[record])
                mean[value] += chance
        assert kept == [retention] * 4
        assert mean == [2, 1, 1]


def test_retention_one_publishes_the_truth_and_other_values_are_refused() -> None:
    table = embedded_table()
    done = SpluGen(5, retention=1).publish(table, "occupation", SeededSource(1))
    assert done.mechanism == done.manifest.mechanism == SpluGen(5, retention=1)
    np.testing.assert_array_equal(
        done.table.histogram("occupation").sum(), table.row_count - table.row_count % 5
    )
    codes = np.array([0, 1, 0, 1], dtype=np.int64)
    same = SpluGen(2, retention=1).publish_codes(codes, 2, SeededSource(1))
    np.testing.assert_array_equal(same.published, codes[same.rows])
    for wrong in (0, -1, "11/10"):
        with pytest.raises(ParameterError, match="retention"):
            SpluGen(5, retention=wrong).publish(table, "occupation", SeededSource(1))
    with pytest.raises(ParameterError, match="too many digits"):
        SpluGen(2, retention=Fraction(1, 2**70)).publish_codes(codes, 2, SeededSource(1))


def test_one_over_gamma_is_the_rule_of_the_paper() -> None:
    codes = np.array([0, 1, 2] * 20, dtype=np.int64)
    reported, silent = (
        SpluGen(3, retention=p).publish_codes(codes, 3, SeededSource(9)) for p in (Fraction(1, 3), None)
    )
    np.testing.assert_array_equal(reported.published, silent.published)


def test_a_draw_is_made_of_an_integer_below_2_63_at_most() -> None:
    for gamma, wide in ((2, 2**63), (3, 2**62)):
        retention = Fraction(1, wide)
        rule = draw_rule(Gamma(gamma), retention)
        assert rule.bound == 2**63
        ends = np.array([0, rule.retained - 1, rule.retained, rule.bound - 1], dtype=np.int64)
        assert rule.draw(ends).tolist() == [0, 0, 1, gamma - 1]
        with pytest.raises(ParameterError, match="too many digits to draw by"):
            draw_rule(Gamma(gamma), Fraction(1, wide + gamma - 1))
