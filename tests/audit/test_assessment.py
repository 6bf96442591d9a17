"""The assessment of a release, against the functions that it is put together from and a simulation."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from splu_ref.audit import dependent_draws
from splu_ref.audit.advice.assessment import Remedy, assess
from splu_ref.audit.advice.statements import public_statement
from splu_ref.audit.averaging import least_error, repeated_privacy
from splu_ref.audit.dependent_draws import counts_by_fixed_seed
from splu_ref.channels import GroupDraws, PublishedCount
from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import (
    Noise,
    best_estimator,
    decimal_down,
    dependent_draws_threshold,
    privacy_minimum,
    privacy_of_draws,
    table_threshold,
    utility_threshold,
    worst_error_bounds,
)
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import SeededSource
from tests.rounding import near

VALUES = [("a", 300), ("b", 250), ("c", 200), ("d", 40), ("e", 9), ("f", 1), ("none", 0)]
MANY = [(f"v{row}", 1 + row % 3) for row in range(90)]


def test_numbers_and_words() -> None:
    found = assess(PublishedCount.of(2, None), VALUES, "1/2", 4, "1/10")
    threshold = utility_threshold(2, "1/2", "1/10").threshold
    assert found.threshold == threshold
    assert found.values == tuple(VALUES[:6])
    assert (found.protected, found.alone) == (1, 1)
    assert found.accurate == sum(count >= threshold for _, count in VALUES)
    level = privacy_minimum(2, "1/2", 4).t_p_definition.exact()
    assert found.t_p == level
    best = worst_error_bounds(best_estimator(2, "1/2", 4))
    assert found.t_p_star == best.upper == best.lower
    reported = dict(found.sentences())
    assert reported["protected"].startswith("1 of 6 values (1 record): counts up to 4 are off by 1/2")
    assert f"T_f = {threshold}" in reported["accurate"]
    public = public_statement({"job": found}, {})
    assert f"by 1/2 or more with probability at least {decimal_down(level, 4)} where at most 4" in public
    assert f"at most 1/10 where {threshold} or more have it" in public
    crossed = public_statement({"both": found}, {"both": ["job", "sex"]})
    assert "1/2; each of its parts job and sex is true at least as often; a published" in crossed
    # the sentence says nothing of the table: not even that no value is rare
    common = assess(PublishedCount.of(2, None), VALUES[:1], "1/2", 4, "1/10")
    assert public_statement({"job": common}, {}) == public
    both = public_statement({"job": found, "age": common}, {})  # one law: one promise
    assert both.startswith("each published job and each published age is the true one with probability 1/2;")
    assert (both.count("a published count is off"), both.count("nothing is promised")) == (1, 1)
    other = assess(PublishedCount.of(3, None), VALUES, "1/2", 4, "1/10")
    both = public_statement({"job": found, "age": other}, {})
    assert "a published count of job is off" in both
    assert "a published count of age is off" in both
    assert both.count("nothing is promised") == 1


def test_dependent_draws_have_t_p_of_all_tables_and_t_f_of_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    law, capped, rare = PublishedCount.of(2, None), GroupDraws("capped", 6), GroupDraws("all-or-none", 6)
    plain = assess(law, VALUES, "1/2", 4, "1/10")
    found = assess(law, VALUES, "1/2", 4, "1/10", capped)
    assert found.t_p == plain.t_p  # counts up to the cap have the law of independent draws
    assert assess(law, VALUES, "1/2", 8, "1/10", capped).t_p != assess(law, VALUES, "1/2", 8, "1/10").t_p
    noise = Noise.of(capped, 2, len(VALUES))
    assert found.threshold == dependent_draws_threshold(2, "1/2", "1/10", capped, noise).threshold
    assert found.conjunctions == ()
    assert dict(found.typical_errors())["predicates"].endswith("not computed for dependent draws")
    other = assess(law, VALUES, "1/2", 4, "1/10", rare)
    assert other.t_p == privacy_of_draws(2, "1/2", 4, rare).t_p_definition.at_least != plain.t_p
    assert f"at most 1/10 where {other.threshold} or more" in public_statement({"job": other}, {})
    for each in (found, other):
        laws = counts_by_fixed_seed(sorted(dict(VALUES).values(), reverse=True), 2, each.draws)
        assert each.own_threshold == table_threshold(laws, Fraction(1, 2), Fraction(1, 10)) < each.threshold
        text = f"from T_f = {each.own_threshold} on (for every table: {each.threshold}) have"
        assert text in dict(each.sentences())["accurate"]
        assert each.accurate == sum(count >= each.own_threshold for _, count in VALUES) > 0
    monkeypatch.setattr(dependent_draws, "MOST_ROWS", sum(dict(VALUES).values()) - 1)
    large = assess(law, VALUES, "1/2", 4, "1/10", rare)
    assert large.own_threshold == large.threshold == other.threshold
    for draws in (capped, rare):
        averaged = least_error(law, draws, "1/2", 4, 3)
        assert averaged == privacy_of_draws(2, "1/2", 4, draws, 3).t_p_definition.at_least
        assert decimal_down(averaged) < decimal_down(least_error(law, draws, "1/2", 4))


def test_every_estimate_is_bounded_for_other_retentions_and_for_more_counts() -> None:
    kept = best_estimator(2, "3/10", 10, retention="2/3").worst_error
    assert assess(PublishedCount.of(2, "2/3"), VALUES).t_p_star == kept
    most = best_estimator(2, "3/10", 12).worst_error
    assert assess(PublishedCount.of(2, None), VALUES, alpha=13).t_p_star == most
    with pytest.raises(ParameterError):
        assess(PublishedCount.of(2, None), VALUES, "0")


def test_the_error_of_a_typical_conjunction_is_that_of_releases() -> None:
    counts = [150, 140, 130, 120, 60]
    codes = np.repeat(np.arange(5), counts)
    [small] = [
        each
        for each in assess(PublishedCount.of(3, None), list(zip("abcde", counts, strict=True))).conjunctions
        if each.predicate_count == 60
    ]
    assert (small.value, small.frequency, small.count) == ("c", 130, 13)
    mechanism, estimates = SpluGen(3), []
    inside = np.zeros(600, dtype=bool)
    for value, size in enumerate([15, 14, 13, 12, 6]):
        inside[np.flatnonzero(codes == value)[:size]] = True
    source = SeededSource(5)
    for _ in range(200):
        done = mechanism.publish_codes(codes, 5, source)
        f = np.count_nonzero(done.published == 2)
        y = np.count_nonzero((done.published == 2) & inside[done.rows])
        a = f * (1 - 1 / 3) / (600 - f)
        estimates.append((y - 60 * a) / (1 / 3 - a))
    assert np.std(estimates) == near(small.standard_error, rel=0.25)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([("a", 1), ("b", 1)], "2 records make 1 decoy group"),
        (
            [(f"v{row}", 1 + row % 3) for row in range(90)],
            "90 values in 180 records, 30 of them with a single record",
        ),
        (
            [(f"v{row}", 1 + row % 3) for row in range(90)],
            "no value is accurate: the most frequent, v11, has 3",
        ),
        ([("a", 50), ("b", 50)], "no value has 10 records or fewer (the rarest, b, has 50)"),
    ],
)
def test_what_it_means_for_odd_tables(values: list[tuple[str, int]], said: str) -> None:
    text = " ".join(reported for _, reported in assess(PublishedCount.of(2, None), values).sentences())
    assert said in text


def test_options_that_recode_are_advised_where_they_can_be_given() -> None:
    found = assess(PublishedCount.of(2, None), MANY)
    remedies: dict[Remedy, tuple[str, str]] = {
        "options": ("--bins", "--hash"),
        "table": ("binned, already", "binned, already"),
        "batch": ("collect more records", "collect more records"),
    }
    for remedy, (fewer, others) in remedies.items():
        [(_, accurate), (_, every)] = found.sentences(remedy)[-2:]
        assert fewer in accurate
        assert others in every
        assert ("--" in accurate, "--" in every) == (remedy == "options",) * 2


def test_short_decimals_are_printed_in_full() -> None:
    law = PublishedCount.of(2, None)
    assert decimal_down(assess(law, VALUES, "1", 1).t_p) == "0.5"
    assert decimal_down(repeated_privacy(law, 2, "1/2", 1).once) == "0.5"
