"""Advice against the laws written out, and recommendations in each of their cases."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, comb

import pandas as pd
import polars as pl
import pytest

from splu_ref.audit import Advice, Goals, advise, recommend
from splu_ref.audit.advice.option import option_for
from splu_ref.audit.advice.skew import crossing
from splu_ref.channels import Bounds, PublishedCount
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.data import Microdata
from splu_ref.guarantees import utility_threshold
from splu_ref.mechanisms import largest_gamma


def _table(counts: dict[str, int], **columns: list[str]) -> Microdata:
    values = [value for value, count in counts.items() for _ in range(count)]
    return Microdata.from_frame(pd.DataFrame({"s": values, **columns}))


SPREAD = {"a": 60, "b": 55, "c": 40, "d": 30, "e": 12, "f": 9, "g": 3, "h": 1}


def _law(f: int, gamma: int, p: Fraction) -> list[Fraction]:
    """Return the law of f' ~ Bin(f, p) + Bin((gamma-1) f, (1-p)/(gamma-1)) by convolution."""
    q = (1 - p) / (gamma - 1)
    own = [comb(f, k) * p**k * (1 - p) ** (f - k) for k in range(f + 1)]
    m = (gamma - 1) * f
    decoys = [comb(m, k) * q**k * (1 - q) ** (m - k) for k in range(m + 1)]
    total = [Fraction(0)] * (len(own) + len(decoys) - 1)
    for i, left in enumerate(own):
        for j, right in enumerate(decoys):
            total[i + j] += left * right
    return total


def _error(f: int, gamma: int, p: Fraction, epsilon: Fraction) -> Fraction:
    offset = ceil(epsilon * f)
    return sum((chance for k, chance in enumerate(_law(f, gamma, p)) if abs(k - f) >= offset), Fraction(0))


@pytest.fixture(scope="module")
def advice() -> Advice:
    return advise(_table(SPREAD), "s", Goals.of("1/2", 5, "1/4", "1/5"), ["1/2"])


def test_options_are_the_feasible_choices(advice: Advice) -> None:
    assert advice.rows == 210
    assert advice.max_gamma == 3
    half, third = Fraction(1, 2), Fraction(1, 3)
    assert [(int(o.law.gamma), o.law.retention) for o in advice.options] == [(2, half), (3, third), (3, half)]
    assert advice.values[0] == ("a", 60)
    assert advice.values[-1] == ("h", 1)


@pytest.mark.slow
def test_levels_and_zones_against_the_law(advice: Advice) -> None:
    epsilon = Fraction(1, 2)
    for option in advice.options:
        choice = int(option.law.gamma), option.law.retention
        errors = {f: _error(f, *choice, epsilon) for f in range(1, 61)}
        level = min(errors[f] for f in range(1, 6))
        assert option.t_p == level == errors[option.argmin]
        assert option.meets_t_p == (level >= Fraction(1, 4))
        assert all(errors[f] <= Fraction(1, 5) for f in range(option.threshold, 61))
        assert errors[option.threshold - 1] > Fraction(1, 5)
        for number, (_, count) in enumerate(advice.values):
            zone = "between"
            if count >= option.threshold:
                zone = "accurate"
            elif count <= 5 and errors[count] >= Fraction(1, 4):
                zone = "protected"
            assert number in getattr(option, zone)
        everything = sorted((*option.protected, *option.between, *option.accurate))
        assert everything == list(range(len(advice.values)))


def test_long_fractions_are_enclosed() -> None:
    advice = advise(_table({"a": 900, "b": 900, "c": 5}), "s", Goals.of("3/10", 600, "1/10", "1/20"))
    level = advice.options[0].t_p
    assert isinstance(level, Bounds)
    assert 0 < level.lower <= level.upper < 1


def test_every_gamma_up_to_20_and_the_largest() -> None:
    advice = advise(_table({f"v{i}": 2 for i in range(50)}), "s")
    assert [int(option.law.gamma) for option in advice.options] == [*range(2, 21), 50]


def test_the_largest_level_of_those_with_the_least_threshold() -> None:
    advice = advise(_table({"a": 300, "b": 300, "c": 300, "d": 300, "e": 300, "f": 8}), "s")
    best = recommend(advice)
    fit = [option for option in advice.options if option.meets_t_p]
    assert [int(option.law.gamma) for option in fit] == [4, 5]
    assert fit[0].threshold == fit[1].threshold == 34
    assert (best.option, best.meets) == (fit[1], True)
    text = " ".join(best.reasons)
    assert "gamma = 3 has only T_P = 0.2459" in text
    assert "gamma = 4: the same T_f, but a smaller T_P" in text


def test_a_larger_retention_with_the_same_threshold_is_not_preferred() -> None:
    """The same T_f at gamma = 5 with p = 1/2 protects less than gamma = 7 with p = 1/7."""
    table = _table({f"v{i}": 300 for i in range(7)} | {"rare": 8})
    advice = advise(table, "s", Goals.of("3/10", 10, "1/10"), ["1/2"])
    equal = tuple(replace(option, threshold=34) for option in advice.options)
    best = recommend(replace(advice, options=equal)).option
    assert (int(best.law.gamma), best.law.retention) == (7, Fraction(1, 7))
    finer = tuple(replace(each, threshold=34 - (each.law.retention == Fraction(1, 2))) for each in equal)
    best = recommend(replace(advice, options=finer)).option
    assert (int(best.law.gamma), best.law.retention) == (7, Fraction(1, 2))


def test_a_goal_for_true_values() -> None:
    table = _table({f"v{i}": 300 for i in range(7)} | {"rare": 8})
    free = recommend(advise(table, "s", Goals.of(t_p="1/10"), ["1/2"]))
    assert free.option.true_value == Fraction(1, 2)
    for wanted, gamma in (("1/4", 4), ("1/5", 5)):  # at most: p = 1/4 is allowed
        best = recommend(advise(table, "s", Goals.of(t_p="1/10", true_value=wanted), ["1/2"]))
        assert best.meets
        assert best.option.true_value <= Fraction(wanted)
        assert best.option.law.gamma >= gamma
        assert f"the goal is {wanted}" in " ".join(best.reasons)
    options = advise(table, "s", Goals.of(true_value="1/4")).options
    assert [int(each.law.gamma) for each in options if each.meets_true_value] == [4, 5, 6, 7]
    never = recommend(advise(table, "s", Goals.of(true_value="1/8")))
    assert (never.meets, int(never.option.law.gamma)) == (False, 7)
    assert "no option publishes the true value with probability at most 1/8" in never.reasons[0]
    with pytest.raises(ParameterError, match="true_value is 0"):
        Goals.of(true_value=0)


def test_values_of_a_gamma_th_of_the_table_leave_no_information() -> None:
    even = advise(_table(dict.fromkeys("abcd", 100)), "s")
    found = {int(each.law.gamma): each.uninformative for each in even.options}
    assert found == {2: (), 3: (), 4: (0, 1, 2, 3)}
    assert recommend(even).option.law.gamma == 4
    text = " ".join(recommend(even).reasons)
    assert "every value (such as a, with 100 records)" in text
    assert "(D = 0)" in text
    assert "no conjunction can be estimated" in text
    partly = advise(_table({"a": 100, "b": 60, "c": 40}), "s", retentions=["3/5"])
    assert {each.law.retention: each.uninformative for each in partly.options} == {
        Fraction(1, 2): (0,), Fraction(3, 5): (),
    }  # fmt: skip
    assert "no conjunction" not in " ".join(recommend(partly).reasons)
    near = advise(_table({"a": 99, "b": 61, "c": 40}), "s")
    assert near.options[0].uninformative == ()


def test_no_value_is_frequent_enough() -> None:
    best = recommend(advise(_table(dict.fromkeys("abcdef", 20)), "s"))
    assert not best.meets
    assert best.option.meets_t_p
    text = " ".join(best.reasons)
    assert "no value has that many records: the most frequent, a, has 20" in text
    assert "no value occurs 10 times or less" in text


def test_no_gamma_protects_enough() -> None:
    advice = advise(_table({"a": 100, "b": 100, "c": 7}), "s", Goals.of(t_p="0.9"))
    best = recommend(advice)
    assert not best.meets
    assert best.option is advice.options[-1]
    assert "no option reaches T_P = 9/10: gamma = 2 is closest, with T_P = 0.1795" in best.reasons[0]


def test_homogeneous_groups_are_reported_of_by_option() -> None:
    counts = {"a": 90, "b": 90, "c": 90, "d": 90, "e": 90, "rare": 7}
    visible = ["no"] * 450 + ["yes"] * 7
    advice = advise(_table(counts, town=visible), "s")
    assert [(str(group.predicate), group.value, group.count) for group in advice.groups] == [
        ("town=yes", "rare", 7)
    ]
    for option in advice.options:
        p = option.law.retention
        most = int(Fraction(7, 10) * 7 * p)
        error = sum(comb(7, k) * p**k * (1 - p) ** (7 - k) for k in range(most + 1))
        assert bool(option.unprotected) == (error < Fraction(1, 4))
    assert "1 homogeneous group of up to 10 records" in " ".join(recommend(advice).reasons)


def test_goals_must_leave_room_between_them() -> None:
    assert Goals.of() == Goals(Fraction(3, 10), 10, Fraction(1, 4), Fraction(1, 20))
    for wrong in ({"t_p": "0.05"}, {"t_e": "0"}, {"t_e": "0.3"}):
        with pytest.raises(ParameterError, match="below t_p"):
            Goals.of(**wrong)
    with pytest.raises(ParameterError, match="float"):
        Goals.of(0.3)  # type: ignore[arg-type]  # a float is refused at run time too


def test_unusable_tables_and_retentions_are_refused() -> None:
    with pytest.raises(DataError, match="'a' occurs 9 times among 12 records, more than half"):
        advise(_table({"a": 9, "b": 3}), "s")
    for p in ("0", "1", "3/2"):
        with pytest.raises(ParameterError, match=r"retention"):
            advise(_table(SPREAD), "s", retentions=[p])
    with pytest.raises(ParameterError, match="give at least 1/3"):
        advise(_table(SPREAD), "s", retentions=["0.3"])


def test_goals_out_of_reach_for_the_last_option_are_refused_before_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("an option was computed")

    monkeypatch.setattr("splu_ref.audit.advice.advice.option_for", never)
    table = _table({f"v{i}": 2 for i in range(50)})
    with pytest.raises(ParameterError, match="give an alpha of at most 4000000"):
        advise(table, "s", Goals.of("1/50", 10**7))
    with pytest.raises(ParameterError, match="with t_e = 1/100 and gamma = 20 needs counts beyond 10000000"):
        advise(table, "s", Goals.of("1/1000", 10, "1/4", "1/100"))


def test_progress_ends_where_it_says() -> None:
    reported: list[tuple[int, int]] = []
    advise(_table(SPREAD), "s", progress=lambda *step: reported.append(step))
    assert reported == sorted(reported)
    assert reported[-1][0] == reported[-1][1]


def test_every_zone_at_its_boundary() -> None:
    law, hair = PublishedCount.of(3), Fraction(1, 10**30)
    errors = [_error(f, 3, Fraction(1, 3), Fraction(1, 2)) for f in range(1, 5)]
    level = min(errors)
    least = utility_threshold(3, "1/2", "1/20").threshold
    assert least > 7
    counts = (least, least - 1, 5, 4, 3, 2, 1)
    values = [(str(count), count) for count in counts]

    kept = option_for(law, Goals(Fraction(1, 2), 4, level, Fraction(1, 20)), values, ())
    assert (kept.meets_t_p, kept.t_p) == (True, level)
    assert (kept.accurate, kept.between, kept.protected) == ((0,), (1, 2), (3, 4, 5, 6))
    missed = option_for(law, Goals(Fraction(1, 2), 4, level + hair, Fraction(1, 20)), values, ())
    assert not missed.meets_t_p
    assert missed.protected == tuple(n for n in (3, 4, 5, 6) if errors[counts[n] - 1] > level)
    assert missed.protected != kept.protected


def test_places_are_counted_without_the_records_that_are_deleted() -> None:
    """Of ten records gamma = 3 publishes nine: three of them can stand in every group."""
    values = [("a", 3), ("b", 3), ("c", 2), ("d", 2)]
    assert option_for(PublishedCount.of(3), Goals.of(), values, ()).uninformative == (0, 1)


def test_a_level_is_a_fraction_up_to_a_thousand_trials() -> None:
    for alpha, kind in ((250, Fraction), (251, Bounds)):
        option = option_for(PublishedCount.of(4), Goals.of("1", alpha, "1e-30", "1e-40"), [("a", 9)], ())
        assert option.argmin == alpha
        assert isinstance(option.t_p, kind)


def test_ties_go_to_the_smallest_gamma_and_then_to_the_smallest_retention() -> None:
    table = _table({f"v{i}": 300 for i in range(7)} | {"rare": 8})
    advice = advise(table, "s", Goals.of("3/10", 10, "1/10"), ["1/2"])
    equal = [
        replace(each, threshold=34, t_p=Fraction(1, 2), meets_t_p=True, meets_true_value=True)
        for each in advice.options
    ]
    for options in (equal, equal[::-1]):
        best = recommend(replace(advice, options=tuple(options))).option
        assert (int(best.law.gamma), best.law.retention) == (2, Fraction(1, 2))
        without = [each for each in options if each.law.retention != Fraction(1, 3)]
        larger = [each for each in without if each.law.gamma > 2]
        best = recommend(replace(advice, options=tuple(larger))).option
        assert (int(best.law.gamma), best.law.retention) == (3, Fraction(1, 2))  # not 1/7, of gamma = 7
        third = [each for each in options if each.law.gamma == 3]
        best = recommend(replace(advice, options=tuple(third))).option
        assert best.law.retention == Fraction(1, 3)


def test_cautions_at_their_boundary() -> None:
    table = _table({f"v{i}": 300 for i in range(7)} | {"rare": 10})
    advice = advise(table, "s")
    assert "applies to no value of this table" not in " ".join(recommend(advice).reasons)
    fewer = advise(table, "s", Goals.of(alpha=9))
    assert "the rarest, rare, occurs 10 times" in " ".join(recommend(fewer).reasons)
    for option in advice.options:
        text = " ".join(recommend(replace(advice, options=(option,))).reasons)
        assert ("a larger gamma, up to 7, lowers that" in text) == (option.law.gamma < 7)


def test_a_crossing_promises_no_gamma_that_another_sensitive_column_forbids() -> None:
    rows = range(1200)
    table = Microdata.from_frame(
        pl.DataFrame(
            {
                "sick": ["no" if n % 4 else "yes" for n in rows],
                "part": [f"p{n % 20}" for n in rows],
                "shift": ["aabbc"[n % 5] for n in rows],
            }
        )
    )
    alone, beside = crossing(table, "sick"), crossing(table, "sick", ["shift"])
    assert alone is not None
    assert beside is not None
    assert beside.gamma == largest_gamma(table.histogram("shift")) < alone.gamma
    assert f"--sensitive shift allows gamma up to {beside.gamma}" in str(beside)
