"""Estimates and intervals for retention replacement: against enumeration and the whole inverse."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product
from math import comb, exp, lgamma, log, sqrt

import numpy as np
import polars as pl
import pytest

from splu_ref.channels import Channel, coarsen, retention
from splu_ref.channels.parameters import ParameterError
from splu_ref.data import Microdata
from splu_ref.estimators import ChannelEstimator, Query
from splu_ref.estimators.answers import IMPOSSIBLE, NORMAL_95
from splu_ref.estimators.queries.record_states import RecordStates, Side, sum_interval
from splu_ref.mechanisms import Operator, PublishedTable, RetentionReplacement, Swapping
from splu_ref.mechanisms.manifest import Manifest
from splu_ref.randomness import SeededSource, SystemSource
from tests.rounding import near

NUMBERS = [str(number) for number in range(6)]


def _published(mechanism: RetentionReplacement, **cells: object) -> ChannelEstimator:
    """Return an estimator of a published table with these columns, all of the mechanism's sensitive."""
    table = Microdata.from_frame(pl.DataFrame(cells))
    domains = dict(mechanism.domains)
    reported = Manifest(mechanism, table.row_count, domains)
    return ChannelEstimator(
        PublishedTable(table=table, mechanism=mechanism, domains=domains, attached_manifest=reported)
    )


@pytest.mark.parametrize("keep", ["0", "1/3", "4/5"])
def test_the_law_of_a_set_is_that_of_the_whole_channel(keep: str) -> None:
    mechanism = RetentionReplacement(keep, {"job": "abcde"})
    whole = mechanism.channel(np.array([4, 0, 1, 2, 9]), SystemSource())
    for size in range(1, 5):
        for members in combinations(range(5), size):
            alike = coarsen(whole, {code: code in members for code in range(5)})
            reported = mechanism.predicate_channels({"job": ["abcde"[code] for code in members]}, {})
            assert reported == {("job",): Channel(alike.laws, (True, False))}


def test_one_column_agrees_with_the_whole_inverse() -> None:
    mechanism = RetentionReplacement("2/5", {"job": "abcd"})
    ask = _published(mechanism, sex=list("FFMFM"), job=list("abbda"))
    query = Query.parse(["sex=F", "job=b"])
    [found] = ask([query], None)
    by_values = ask._of_values("job", frozenset({1}), np.array([True, True, False, True, False]))
    assert found.estimate == by_values.estimate == near((1 - 3 * 0.6 / 4) / 0.4)
    assert found.variance_estimate == by_values.variance_estimate
    assert (found.exact, by_values.exact) == (True, False)


def test_what_the_whole_table_shows_exactly_a_part_of_it_does_not() -> None:
    """Swapping keeps the counts of all records; of some, those of a set with every value."""
    mechanism, frame = Swapping("1/2"), pl.DataFrame({"sex": ["m", "f"] * 4, "job": list("aabcbcaa")})
    domains = {"job": ("a", "b", "c")}
    table = PublishedTable(
        table=Microdata.from_frame(frame), mechanism=mechanism, domains=domains,
        attached_manifest=Manifest(mechanism, 8, domains),
    )  # fmt: skip
    queries = [Query.of({"job": "a"}), Query.of({"sex": "m", "job": ["a", "b", "c"]})]
    everyone, part = ChannelEstimator(table)(queries, None)
    assert (everyone.estimate, everyone.exact, everyone.interval) == (4, True, (4, 4))
    assert part.estimate == 4
    assert part.variance_estimate == 0
    assert (part.exact, part.note) == (False, None)


def _laws(mechanism: RetentionReplacement, record: tuple[str, ...]) -> dict[tuple[str, ...], Fraction]:
    keep = mechanism.retention
    law: dict[tuple[str, ...], Fraction] = {}
    for published in product(*(domain for _, domain in mechanism.domains)):
        chance = Fraction(1)
        for own, seen, (_, domain) in zip(record, published, mechanism.domains, strict=True):
            chance *= (own == seen) * keep + (1 - keep) / len(domain)
        law[published] = chance
    return law


def test_estimate_and_variance_are_unbiased_over_all_outcomes() -> None:
    """Two columns, two records: the means over all releases are the true count and the true variance."""
    mechanism = RetentionReplacement("2/3", {"a": "xyz", "b": "uv"})
    records = [("x", "u"), ("z", "u")]
    query = Query.of({"a": ["x", "y"], "b": "u"})
    mean = square = reported = Fraction(0)
    negative = 0
    for first, second in product(*(_laws(mechanism, record).items() for record in records)):
        chance = first[1] * second[1]
        cells = {"a": [first[0][0], second[0][0]], "b": [first[0][1], second[0][1]]}
        [found] = _published(mechanism, **cells)([query], None)
        estimate = Fraction(found.estimate).limit_denominator(10**6)
        assert found.variance_estimate is not None
        mean += chance * estimate
        square += chance * estimate**2
        reported += chance * found.variance_estimate
        negative += found.variance_estimate < 0
        assert ("negative" in (found.note or "")) == (found.variance_estimate < 0)
        outside = not 0 <= estimate <= len(records)
        assert (found.note == IMPOSSIBLE) == (outside and found.variance_estimate >= 0)
        assert found.standard_error is not None
    assert mean == 1
    assert reported == square - mean**2
    assert negative  # it must be unbiased, so it cannot always be positive


def test_a_negative_variance_estimate_gives_way_to_that_at_the_estimated_counts() -> None:
    mechanism = RetentionReplacement("1/2", {"a": "xyzw", "b": "uvst"})
    [found] = _published(mechanism, a=["y"] * 40, b=["v"] * 40)([Query.of({"a": "x", "b": "u"})], None)
    # W is (-1/4)^2 for a record outside both sets: 40 (1/256 - 1/16) < 0.
    assert found.variance_estimate == 40 * (Fraction(1, 256) - Fraction(1, 16))
    low, high = Fraction(-1, 4), Fraction(7, 4)
    outside = {low**2: Fraction(7, 8), high**2: Fraction(1, 8)}
    inside = {low**2: Fraction(3, 8), high**2: Fraction(5, 8)}
    mean = {key: sum(k * v for k, v in law.items()) for key, law in ((0, outside), (1, inside))}
    states: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    once = {0: Fraction(5, 4), 1: Fraction(-1, 4)}  # of a record published outside: to which count it adds
    for i, j in product((0, 1), repeat=2):
        states[i, j] = 40 * once[i] * once[j]
    expected = sum(max(count, Fraction(0)) * mean[i] * mean[j] for (i, j), count in states.items())
    expected -= max(states[1, 1], Fraction(0))
    assert found.standard_error is not None
    assert found.standard_error**2 == near(float(expected))
    assert "negative" in (found.note or "")


def _count_law(own: Fraction, other: Fraction, records: int, count: int) -> list[Fraction]:
    """Return the law of the published count at a true count, record by record."""
    law = [Fraction(1)]
    for chance in [own] * count + [other] * (records - count):
        law = [
            (law[k] if k < len(law) else Fraction(0)) * (1 - chance)
            + (law[k - 1] if k else Fraction(0)) * chance
            for k in range(len(law) + 1)
        ]
    return law


def _covers(interval: tuple[float, float], count: int) -> bool:
    return interval[0] <= count <= interval[1]


@pytest.mark.parametrize("keep", ["1/20", "1/5", "4/5"])
@pytest.mark.parametrize("members", [1, 3])
def test_intervals_are_the_exact_test_inverted(keep: str, members: int) -> None:
    """Each true count is covered with 95 % or more; where all are contradicted, the ends are farther."""
    mechanism = RetentionReplacement(keep, {"n": NUMBERS})
    query, tail = Query.of({"n": NUMBERS[:members]}), Fraction(1, 40)
    records, empty = 9, 0
    other = (1 - Fraction(keep)) * Fraction(members, 6)
    own = other + Fraction(keep)
    laws = [_count_law(own, other, records, count) for count in range(records + 1)]
    intervals = []
    for published in range(records + 1):
        cells = ["0"] * published + ["5"] * (records - published)
        [found] = _published(mechanism, n=cells)([query], None)
        assert found.interval is not None
        assert found.exact
        intervals.append(found.interval)
        low, high = min(published, int(records * own)), max(published, -int(-records * other // 1))
        least = min(count for count, law in enumerate(laws) if sum(law[low:]) > tail)
        greatest = max(count for count, law in enumerate(laws) if sum(law[: high + 1]) > tail)
        assert found.interval == (float(least), float(greatest))
        assert _covers(found.interval, round(min(max(found.estimate, 0), records)))
        empty += all(min(sum(law[published:]), sum(law[: published + 1])) <= tail for law in laws)
    for count, law in enumerate(laws):
        covered = sum(
            (chance for chance, each in zip(law, intervals, strict=True) if _covers(each, count)), Fraction(0)
        )
        assert covered >= 1 - 2 * tail
    assert (empty > 0) == (keep != "4/5")  # a count that no true one makes likely


def test_an_implausibly_low_count_does_not_prove_that_nobody_has_the_value() -> None:
    """Of 240 records 40 are expected to show the value if none has it, and 22 do."""
    mechanism = RetentionReplacement("1/100", {"n": NUMBERS})
    estimator = _published(mechanism, n=["0"] * 22 + ["5"] * 218)
    rare, rest = estimator([Query.of({"n": "0"}), Query.of({"n": NUMBERS[1:]})], None)
    assert rare.estimate < 0
    assert rare.interval is not None
    assert rest.interval is not None
    assert rare.interval[0] == 0
    assert rare.interval[1] > 200, "a hundredth of the records retains its value"
    assert rest.interval == (240 - rare.interval[1], 240)


def test_all_values_and_none_are_known() -> None:
    ask = _published(RetentionReplacement("1/5", {"n": NUMBERS}), n=["1", "2", "2"])
    every, none = ask([Query.of({"n": {"min": 0}}), Query.of({"n": {"min": 9}})], None)
    assert (every.estimate, every.standard_error, every.interval) == (3, 0, (3, 3))
    assert (none.estimate, none.standard_error, none.interval) == (0, 0, (0, 0))


def test_several_columns_of_a_release() -> None:
    rng = np.random.default_rng(1)
    jobs = rng.choice(list("aabc"), 4000)
    frame = pl.DataFrame({"sex": ["F", "M"] * 2000, "job": jobs, "home": np.where(jobs == "a", "x", "y")})
    mechanism = RetentionReplacement("3/5", {"job": "abc", "home": "xyz"})
    true = len(frame.filter(sex="F", job="a", home="x"))
    found = [
        mechanism.publish(frame, ["job", "home"], SeededSource(seed)).estimate(sex="F", job="a", home="x")
        for seed in range(40)
    ]
    estimates = [one.estimate for one in found]
    spread = float(np.std(estimates))
    assert np.mean(estimates) == pytest.approx(true, abs=5 * spread / 40**0.5)
    assert np.mean([one.standard_error for one in found]) == near(spread, rel=0.4)
    assert not found[0].exact


def test_how_many_columns_a_query_may_name() -> None:
    names = [f"c{number:02}" for number in range(21)]
    mechanism = RetentionReplacement("1/2", dict.fromkeys(names, "ab"))
    ask = _published(mechanism, sex=["F", "M"], **{name: ["a", "b"] for name in names})
    # Each column weighs 3/2 or -1/2.
    [found] = ask([Query.of(dict.fromkeys(names[:20], "a"))], None)
    assert found.estimate == near(1.5**20 + 0.5**20, rel=1e-12)
    with pytest.raises(ParameterError, match="names 21 sensitive columns: name one to 20"):
        ask([Query.of(dict.fromkeys(names, "a"))], None)
    with pytest.raises(ParameterError, match="names 0 sensitive columns"):
        ask([Query.of({"sex": "F"})], None)


def test_intervals_of_several_columns_allow_for_large_weights_that_were_not_published() -> None:
    mechanism = RetentionReplacement("1/2", {"a": NUMBERS, "b": NUMBERS})
    ask = _published(mechanism, a=["1"] * 30, b=["1"] * 30)
    [found] = ask([Query.of({"a": "0", "b": "0"})], None)
    # A column weighs -1/6 outside its set and 11/6 inside; it is published inside with 1/12 and 7/12.
    low, high = Fraction(-1, 6), Fraction(11, 6)
    outside = Fraction(11, 12) * low**2 + Fraction(1, 12) * high**2
    inside = Fraction(5, 12) * low**2 + Fraction(7, 12) * high**2
    assert found.estimate == near(30 / 36)
    assert found.interval is not None
    # By each column at most so many are inside: (t + 5)^2 = 1.96^2 (30 outside + t (inside - 1 - outside)).
    square, each = 1.959963984540054**2, float(inside - 1 - outside)
    half = -5 + square * each / 2
    most = half + sqrt(half**2 - 25 + square * 30 * float(outside))
    assert 0 < most < 30 / 2
    end = found.interval[1]
    largest = 2 * most * float(inside * outside) + (30 - 2 * most) * float(outside**2)
    reached = [(t - 30 / 36) ** 2 <= square * (largest + t * float(inside**2 - 1)) for t in range(31)]
    assert reached[15:] == [t < end for t in range(15, 31)]  # to the next whole count
    assert end > found.estimate + 1.96 * (found.standard_error or 0)


@pytest.mark.parametrize("first", [0, 1])
def test_intervals_of_several_columns_hold_where_others_weigh_much(first: int) -> None:
    """A hundred records in a rare set, and outside one that nearly every replacement is in."""
    keep, shares, records = Fraction(1, 20), (Fraction(1, 5000), Fraction(999, 1000)), 100
    sides, chances = [], [1.0]
    for place in (first, 1 - first):
        share, replaced = shares[place], (1 - keep) * shares[place]
        channel = retention(keep, {True: share, False: 1 - share})
        sides.append(Side(channel, (-replaced / keep, (1 - replaced) / keep)))
        bits = [float(channel.probability(not place, bit)) for bit in (False, True)]
        chances = [chance * bit for chance in chances for bit in bits]
    law = [log(chance) for chance in chances]
    rare = (1, 2) if first else (2, 1)  # states of either column's rare bit
    covered = reported = 0.0
    for several in product(range(15), range(15), range(4)):
        counts = np.zeros(4, dtype=np.int64)
        counts[[0, 3, rare[0]]] = several
        counts[rare[1]] = records - sum(several)
        ways = lgamma(records + 1) - sum(lgamma(count + 1) for count in counts)
        chance = exp(ways + float(counts @ law))
        if chance > 1e-7:
            interval = RecordStates(counts, tuple(sides)).inversion().interval
            assert interval is not None
            reported += chance
            covered += chance * (interval[0] <= 0 <= interval[1])
    assert reported > 0.999
    assert covered > 0.95, covered


@pytest.mark.parametrize("true", [0, 2, 30])
def test_intervals_of_a_matrix_hold_where_a_value_seldom_shows(true: int) -> None:
    """Thirty records under a matrix that publishes b for 1 a of 50 and 7 of 100 b; c is far from both."""
    rows = [["49/50", "1/50", "0"], ["93/100", "7/100", "0"], ["0", "0", "1"]]
    mechanism, records = Operator("s", "abc", rows), 30
    covered = 0.0
    for of_a, of_b in product(range(records - true + 1), range(true + 1)):
        chance = _binomial(of_a, records - true, 0.02) * _binomial(of_b, true, 0.07)
        if chance < 1e-9:
            continue
        seen = of_a + of_b
        table = Microdata.from_frame(pl.DataFrame({"s": ["b"] * seen + ["a"] * (records - seen)}))
        release = PublishedTable(table=table, mechanism=mechanism, domains={"s": mechanism.values})
        [found] = ChannelEstimator(release)([Query.of({"s": "b"})])
        assert found.interval is not None
        assert not found.exact
        covered += chance * (found.interval[0] <= true <= found.interval[1])
    assert covered > 0.95, covered


def test_intervals_of_a_matrix_hold_a_count_that_there_can_be() -> None:
    """Half of the records with c show b; where nearly none does, the estimate is far below 0."""
    rows = [["7/10", "2/10", "1/10"], ["1/10", "8/10", "1/10"], ["0", "1/2", "1/2"]]
    mechanism = Operator("s", "abc", rows)
    table = Microdata.from_frame(pl.DataFrame({"s": ["a"] * 50 + ["b"]}))
    release = PublishedTable(table=table, mechanism=mechanism, domains={"s": mechanism.values})
    below, above = ChannelEstimator(release)([Query.of({"s": "c"}), Query.of({"s": ["a", "b"]})])
    assert below.estimate < -10
    assert below.interval is not None
    assert below.interval[1] > 0
    assert above.interval is not None
    assert above.interval[0] == 51 - below.interval[1]


def _binomial(hits: int, trials: int, chance: float) -> float:
    return comb(trials, hits) * chance**hits * (1 - chance) ** (trials - hits)


def test_intervals_of_counts_hold_no_other_numbers() -> None:
    """Of an unbiased estimate that lies beyond all counts, too: on both sides of the records there are."""
    mechanism = RetentionReplacement("1/3", {"a": "xyz", "b": "xyz"})
    query = Query.of({"a": "x", "b": "x"})
    found = {}
    for name, cells in (("below", ["xy", "yx"]), ("above", ["xx"])):
        shown = cells * 60
        estimator = _published(mechanism, a=[cell[0] for cell in shown], b=[cell[1] for cell in shown])
        [found[name]] = estimator([query], None)
    below, above = found["below"], found["above"]
    assert below.estimate + NORMAL_95 * (below.standard_error or 0) < 0
    assert above.estimate - NORMAL_95 * (above.standard_error or 0) > 60
    assert below.interval is not None
    assert above.interval is not None
    assert below.interval[0] == 0 < below.interval[1] <= 120
    assert 0 <= above.interval[0] < 60 == above.interval[1]
    assert sum_interval(-3.0, 1.0, 9, [(5.0, 2.5)]) == (0, 2.5)
    assert sum_interval(12.0, 1.0, 9, [(1.0, 2.5)]) == (9 - NORMAL_95, 9)
    assert sum_interval(1.0, 1.0, 9, [(5.0, 2.5)]) == (0, 3.5)
    assert sum_interval(8.0, 1.0, 9, [(1.0, 2.5)]) == (8 - NORMAL_95, 9)


def test_a_set_that_is_never_drawn_counts_what_is_published_of_it() -> None:
    # With share 0 a published value of the set is a kept one; the second column is of the usual kind.
    law = {"job": {"a": "1/2", "b": "1/2", "c": "0"}, "sex": {"F": "1/2", "M": "1/2"}}
    mechanism = RetentionReplacement("1/2", {"job": "abc", "sex": "FM"}, replacing=law)
    ask = _published(mechanism, job=list("cabca"), sex=list("FFMMM"))
    [both] = ask([Query.of({"job": ["c"], "sex": ["F"]})], None)
    assert both.estimate == near(2 * (3 / 2) + 2 * (-1 / 2))
    assert both.interval is not None
    assert both.interval[0] <= both.estimate <= both.interval[1]


def test_most_likely_counts_lie_within_the_records_and_leave_an_interior_inversion_alone() -> None:
    rng = np.random.default_rng(4)
    mechanism = RetentionReplacement("1/2", {"a": NUMBERS, "b": "uvw"})
    apart = _published(mechanism, a=["0"] * 20 + ["5"] * 20, b=["u"] * 20 + ["w"] * 20, s=["F"] * 40)
    queries = [Query.of({"a": ["0", "1"], "b": "w"}), Query.of({"a": "5"}), Query.of({"a": "3"})]
    unbiased, bounded = apart(queries, None), apart(queries, "em")
    assert [one.estimate < 0 for one in unbiased] == [True, False, True]
    assert bounded[0].estimate == pytest.approx(0, abs=1e-3)
    assert [one.estimate for one in bounded[1:]] == [unbiased[1].estimate, 0]
    for before, after in zip(unbiased, bounded, strict=True):
        assert after.method == "em"
        assert after.interval is not None
        assert before.interval is not None
        assert 0 <= after.interval[0] <= after.estimate <= after.interval[1] <= 40
        assert (after.standard_error, after.exact) == (before.standard_error, before.exact)
        assert after.interval[1] >= min(before.interval[1], 40)
    a, b = rng.choice(NUMBERS, 4000), rng.choice(list("uvw"), 4000)
    together = _published(mechanism, a=a, b=b)
    inside = Query.of({"a": ["0", "1"], "b": "w"})
    assert together([inside], "em")[0].estimate == pytest.approx(
        together([inside], None)[0].estimate, abs=0.01
    )


def test_most_likely_counts_by_hand_and_of_no_records() -> None:
    """One record in each mixed state, sets of a tenth: the start y is not where the likelihood is largest."""
    mechanism = RetentionReplacement("1/5", dict.fromkeys("ab", "0123456789"))
    ask = _published(mechanism, a=["0", "5"], b=["5", "0"], s=["F", "M"], t=["x", "y"])
    both: dict[str, object] = {"a": "0", "b": "0"}
    [found, none] = ask([Query.of(both), Query.of({**both, "s": "F", "t": "y"})], "em")

    def fit(both: float) -> float:
        """Return the log-likelihood of y = (0, 1, 1, 0) if x_11 = both and x_00 = 0."""
        stay, gain, lose, keep = 0.92, 0.08, 0.72, 0.28
        mixed = 1 - both / 2  # records in each of the two mixed states
        return 2 * float(np.log(mixed * (stay * keep + lose * gain) + both * lose * keep))

    assert fit(2) > fit(1) > fit(0)
    assert found.estimate == pytest.approx(2, abs=1e-3)
    assert (none.estimate, none.predicate_count) == (0, 0)


def test_queries_on_different_numbers_of_columns_are_answered_in_their_order() -> None:
    rng = np.random.default_rng(5)
    names = [f"c{number}" for number in range(4)]
    mechanism = RetentionReplacement("1/2", dict.fromkeys(names, "ab"))
    ask = _published(mechanism, **{name: rng.choice(["a", "b"], 300) for name in names})
    queries = [Query.of(dict.fromkeys(names[:size], value)) for size in (3, 1, 4, 2, 3) for value in "ab"]
    together = ask(queries, "em")
    assert together == [ask([query], "em")[0] for query in queries]
    for queried, answer in zip(queries, together, strict=True):
        assert answer.predicate_count == 300
        assert answer.published_count == ask([queried], None)[0].published_count
