"""Each statistical check is an e-variable: its mean over every honest outcome is at most 1, computed exactly.

Small worlds are enumerated with the shipped mechanism; the two inequalities that carry over to large tables
are computed from the laws themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import polars as pl
import pytest

from splu_proofs.worlds.group_laws import all_or_none, capped, flags, published
from splu_ref.audit import EValue, counts_point, rate_at_most
from splu_ref.audit.release_laws import count_law
from splu_ref.audit.releases.claims import SpluGenClaim
from splu_ref.audit.releases.counts import (
    count_of_all_or_none,
    count_of_capped,
    counts_evidence,
    joint_evidence,
    others_drawn,
    share_evidence,
    whole_group_evidence,
)
from splu_ref.audit.releases.decoys import (
    decoys_evidence,
    plan_evidence,
    predicates_evidence,
    unlinked_evidence,
)
from splu_ref.audit.releases.exactness import (
    _by_distance,
    coincidence_log,
    count_mass_log10,
    exactness_evidence,
    rare_mass_log10,
)
from splu_ref.audit.releases.findings import Evidence
from splu_ref.audit.releases.pooling import effective_trials, point_logs
from splu_ref.audit.releases.record_linkage import Match, Original
from splu_ref.audit.releases.retention import independence_evidence, retention_evidence
from splu_ref.audit.releases.row_order import places_evidence, shuffle_evidence
from splu_ref.channels import GroupDraws, PublishedCount
from splu_ref.channels.parameters import Gamma
from splu_ref.data import Microdata
from splu_ref.mechanisms import PLANS, SpluGen, mixed
from splu_ref.randomness import outcomes
from tests.rounding import near

ROUNDING = 1e-6


def table(values: str, names: str) -> Microdata:
    """Return a table of one letter a record, and a name that may be shared."""
    return Microdata.from_frame(pl.DataFrame({"name": list(names), "value": list(values)}))


def size(value: EValue) -> float:
    return float(value.exact) if value.exact is not None else 10**value.log10


def means(given: Microdata, claimed: SpluGenClaim) -> dict[str, float]:
    """Return the mean of every e-value over all outcomes but the shuffle."""
    original = Original(given, ["value"])
    codes = given.codes("value")
    # One pass of trades is as random as several, and its outcomes can be enumerated.
    plan = partial(mixed, passes=1) if claimed.plan == "mixed" else PLANS[str(claimed.plan)]
    total: dict[str, float] = {}
    weight = Fraction(0)

    def run(source: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
        mechanism = SpluGen(claimed.law.gamma, claimed.law.retention, plan, claimed.draws)
        done = mechanism.publish_codes(codes, 1 + int(codes.max()), source)
        return tuple(done.rows.tolist()), tuple(done.published.tolist())

    law: dict[tuple[tuple[int, ...], tuple[int, ...]], Fraction] = {}
    for outcome, probability in outcomes(run):
        law[outcome] = law.get(outcome, Fraction(0)) + probability
    for (rows, values), probability in law.items():
        published = given.take(np.array(rows)).with_codes("value", np.array(values), domain_of=given)
        match = Match.of(original, published)
        found = np.bincount(values, minlength=1 + int(codes.max()))
        evidence: dict[str, Evidence | None] = {
            "counts": counts_evidence(match, "value", claimed),
            "share": share_evidence("value", found, claimed),
            "exactness": None
            if claimed.draws.name == "all-or-none"
            else exactness_evidence(match, "value", claimed),
            "retention": retention_evidence(match, "value", claimed),
            "independence": independence_evidence(match, "value", claimed),
            "unlinked": unlinked_evidence(match, "value", claimed),
            "predicates": predicates_evidence(published, "value", ["value"], claimed, least=2),
            "decoys": decoys_evidence(match, "value", claimed),
            "plan": plan_evidence(match, "value", claimed),
            "places": places_evidence(match, "value"),
        }
        weight += probability
        for name, part in evidence.items():
            if part is not None:
                total[name] = total.get(name, 0.0) + float(probability) * size(part.e_value)
    assert weight == 1
    return total


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "names", "gamma", "retention", "plan"),
    [
        ("aabc", "1234", 2, None, "anatomy"),
        ("aabc", "1234", 2, "1/3", "cyclic"),
        ("aabbc", "12345", 2, None, "cyclic"),  # one is deleted, and it is known who
        ("aabbc", "11223", 2, "3/4", "anatomy"),  # the same, by classes of equal values
        ("aabbc", "11111", 2, None, "anatomy"),  # nothing is known of anybody
        ("abca", "1123", 2, None, "mixed"),
        ("abcd", "1234", 3, "1/2", "anatomy"),
        ("abc", "123", 3, None, "cyclic"),
    ],
)
def test_mean_over_every_outcome_is_at_most_one(
    values: str, names: str, gamma: int, retention: str | None, plan: str
) -> None:
    found = means(table(values, names), SpluGenClaim(PublishedCount.of(gamma, retention), plan))
    assert {"counts", "share"} <= set(found)
    assert ("retention" in found) == ("decoys" in found) == (names != "11111")
    for name, mean in found.items():
        assert mean <= 1 + ROUNDING, (name, mean)
    assert found["counts"] > 0.4  # a value far below 1 would have no power
    if names != "11111":
        assert found["retention"] == pytest.approx(1, abs=ROUNDING)
        assert found["independence"] == pytest.approx(1, abs=1e-5)  # rounded down many times
    assert ("unlinked" in found) == (names in ("1123", "11111"))  # records alike but for their value
    if len(set(names)) == 1:
        assert found["predicates"] > 0.4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "names", "gamma", "draws"),
    [
        ("aabc", "1234", 2, "capped:1"),
        ("abc", "123", 3, "capped:1"),
        ("aabc", "1123", 2, "capped:2"),
        ("aabc", "1234", 2, "all-or-none:1"),
        ("abc", "123", 3, "all-or-none:1"),
    ],
)
def test_mean_where_the_draws_of_a_group_are_dependent(
    values: str, names: str, gamma: int, draws: str
) -> None:
    claimed = SpluGenClaim(PublishedCount.of(gamma), "anatomy", GroupDraws.parse(draws))
    for name, mean in means(table(values, names), claimed).items():
        assert 0 <= mean <= 1 + ROUNDING, (name, mean)


@pytest.mark.parametrize("law", ["capped:1", "capped:2", "all-or-none:2", "all-or-none:3"])
@pytest.mark.parametrize(
    "plan",
    [
        ((0, 1, 2), (0, 2, 3), (0, 1, 3), (0, 1, 2), (0, 1, 4)),
        ((0, 1), (0, 2), (0, 1), (1, 2), (0, 3), (0, 1), (0, 2)),
    ],
)
def test_counts_where_the_draws_of_a_group_are_dependent(plan: tuple[tuple[int, ...], ...], law: str) -> None:
    draws, gamma = GroupDraws.parse(law), len(plan[0])
    assert draws.bound is not None
    true = np.bincount(np.array(plan).reshape(-1))
    if draws.name == "capped":
        marks = flags(plan, draws.bound)
        laws = [capped(each) for each in marks]
    else:
        laws = [all_or_none([bool(true[value] <= draws.bound) for value in group]) for group in plan]
    claimed = SpluGenClaim(PublishedCount.of(gamma), None, draws)
    others = others_drawn(claimed, true)
    judge = count_of_capped if draws.name == "capped" else count_of_all_or_none
    rare = np.flatnonzero(true <= draws.bound)
    mass = 10 ** rare_mass_log10(claimed, true[rare]) if draws.name == "capped" else 1.0
    means_of = np.zeros(len(true) + 2)
    seen: dict[tuple[int, ...], Fraction] = {}
    for counts, chance in published(plan, len(true), lambda number, _: laws[number]).items():
        found = np.array(counts)
        values = [judge(claimed, *each) for each in zip(counts, true.tolist(), others.tolist(), strict=True)]
        further = joint_evidence(claimed, found, true, true), whole_group_evidence(claimed, found, true, true)
        each = [size(one) if one is not None else 0.0 for one in (*values, *further)]
        assert all(math.isfinite(one) for one in each)
        means_of += float(chance) * np.array(each)
        shown = tuple(found[rare].tolist())
        seen[shown] = seen.get(shown, Fraction(0)) + chance
    assert (means_of <= 1 + ROUNDING).all()
    assert (means_of[:-1] > 0.3).all()
    assert float(max(seen.values())) <= mass  # no vector of counts of rare values is likelier
    assert mass < 1 or draws.name == "all-or-none"


def test_dependent_draws_count_for_one_in_so_many() -> None:
    # Two groups of three that keep all or nothing, each with the chance 1/3: the worst of dependences.
    rate, kept = Fraction(1, 3), {0: Fraction(4, 9), 3: Fraction(4, 9), 6: Fraction(1, 9)}
    mean = sum(
        float(chance) * math.exp(float(point_logs(np.array([6]), np.array([count]), rate, 3)[0]))
        for count, chance in kept.items()
    )
    alone = sum(
        float(chance) * math.exp(float(point_logs(np.array([6]), np.array([count]), rate)[0]))
        for count, chance in kept.items()
    )
    assert mean == pytest.approx(1, abs=1e-6)
    assert alone > 1.5
    assert [part.tolist() for part in effective_trials(np.array([7, 6]), np.array([5, 6]), 3)] == [
        [3, 2],
        [1, 2],
    ]


def _plans(histogram: tuple[int, ...], gamma: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield every plan of a histogram, as groups in some order."""
    if not any(histogram):
        yield ()
        return
    first = max(range(len(histogram)), key=lambda value: (histogram[value], -value))
    others = [value for value in range(len(histogram)) if histogram[value] and value != first]
    for rest in combinations(others, gamma - 1):
        left = tuple(count - (value == first or value in rest) for value, count in enumerate(histogram))
        if max(left) * gamma <= sum(left):
            for plan in _plans(left, gamma):
                yield ((first, *rest), *plan)


@pytest.mark.parametrize("retention", ["1/2", "1/3", "3/4", "1/5"])
@pytest.mark.parametrize(("gamma", "most"), [(2, 8), (3, 9)])
def test_no_plan_publishes_any_counts_with_more_than_the_stated_probability(
    gamma: int, most: int, retention: str
) -> None:
    law = PublishedCount.of(gamma, retention)
    worlds, largest = 0, 0.0
    for rows in range(gamma, most + 1, gamma):
        for histogram in product(range(rows // gamma + 1), repeat=4):
            if sum(histogram) != rows or tuple(sorted(histogram, reverse=True)) != histogram:
                continue
            bound = 10 ** count_mass_log10(law, rows, max(histogram))
            e_values = [10**log10 for log10 in _by_distance(law, rows, max(histogram), 4, 1)]
            for plan in _plans(histogram, gamma):
                worlds += 1
                counts = count_law(plan, 4, law.retention)
                assert float(max(counts.values())) <= bound
                mean = 0.0
                for found, chance in counts.items():
                    away = sum(abs(one - other) for one, other in zip(found, histogram, strict=True)) // 2
                    mean += float(chance) * (e_values[away] if away < len(e_values) else 0.01)
                assert mean <= 1
                largest = max(largest, mean)
    assert worlds > 10
    assert largest > 0.1 or retention in ("3/4", "1/5")  # the e-value says something
    tight = max(count_law([tuple(range(gamma))], gamma, Fraction(1, gamma)).values())
    plain = 10 ** count_mass_log10(PublishedCount.of(gamma), gamma, 1)
    assert float(tight) <= plain * (1 + 1e-9)
    if gamma == 2:
        assert float(tight) == near(plain, rel=1e-4)  # attained


@pytest.mark.parametrize(("gamma", "size"), [(2, 1), (2, 9), (3, 5), (4, 4), (5, 3)])
def test_two_multinomials_coincide_as_often_as_said(gamma: int, size: int) -> None:
    chance = sum(
        Fraction(math.factorial(size), math.prod(map(math.factorial, counts)) * gamma**size) ** 2
        for counts in product(range(size + 1), repeat=gamma)
        if sum(counts) == size
    )
    assert math.log(chance) <= coincidence_log(gamma, size) <= math.log(chance) + 1e-5
    for looked in range(1, gamma):
        some = sum(
            (
                Fraction(math.factorial(size) * (gamma - looked) ** (size - sum(counts)))
                / (math.prod(map(math.factorial, (*counts, size - sum(counts)))) * gamma**size)
            )
            ** 2
            for counts in product(range(size + 1), repeat=looked)
            if sum(counts) <= size
        )
        assert math.log(some) <= coincidence_log(gamma, size, looked) <= math.log(some) + 1e-5


@pytest.mark.parametrize(("gamma", "size", "looked"), [(200, 100, 200), (600, 300, 600), (300, 300, 299)])
def test_two_multinomials_of_many_values_coincide_as_often_as_said(
    gamma: int, size: int, looked: int
) -> None:
    """Of a table in which few records share a value, and gamma is large: most terms of the sum cancel."""
    # How many pairs of texts of n letters have each letter equally often, of looked letters.
    pairs = [1]
    for n in range(1, size + 1):
        ways = ((looked * k - n + k) * math.comb(n, k) ** 2 * pairs[n - k] for k in range(1, n + 1))
        pairs.append(sum(ways) // n)
    others = (
        pairs[n] * (math.comb(size, n) * (gamma - looked) ** (size - n)) ** 2
        for n in (range(size + 1) if looked < gamma else [size])
    )
    chance = math.log(sum(others)) - 2 * size * math.log(gamma)
    assert chance <= coincidence_log(gamma, size, looked) <= chance + 1e-5


@pytest.mark.slow
def test_order_of_the_rows_over_every_shuffle() -> None:
    given = table("aabbcd", "123455")
    original, claimed = Original(given, ["value"]), SpluGenClaim(PublishedCount.of(3))
    both, alone = [], []
    for rows in permutations(range(6)):
        published = given.take(np.array(rows))
        both.append(size(shuffle_evidence(published, claimed, Match.of(original, published)).e_value))
        alone.append(size(shuffle_evidence(published, claimed, None).e_value))
    assert 0.7 < math.fsum(both) / 720 <= 1 + ROUNDING  # the least informative marks count as 0
    assert 0.7 < math.fsum(alone) / 720 <= 1 + ROUNDING
    assert max(both) > 1.5 * min(both)  # some orders do speak against a shuffle


def binomial(n: int, k: int, p: Fraction) -> Fraction:
    return math.comb(n, k) * p**k * (1 - p) ** (n - k) if 0 <= k <= n else Fraction(0)


def exact(value: EValue) -> Fraction:
    assert value.exact is not None
    return value.exact


@pytest.mark.parametrize("p", ["1/5", "1/2", "9/10", "1/100"])
def test_counts_of_any_retention_are_dominated_by_the_binomial(p: str) -> None:
    gamma, f = 4, 5
    own, decoy = Fraction(p), (1 - Fraction(p)) / (gamma - 1)
    rest = (gamma - 1) * f
    mean = sum(
        binomial(f, i, own)
        * binomial(rest, j, decoy)
        * exact(counts_point(gamma * f, i + j, Fraction(1, gamma)))
        for i in range(f + 1)
        for j in range(rest + 1)
    )
    assert mean <= 1
    others = 6  # records that never publish the value
    share = sum(
        binomial(f, i, own) * binomial(rest, j, decoy)
        * exact(rate_at_most(gamma * f + others, i + j, Fraction(1, gamma)))
        for i in range(f + 1)
        for j in range(rest + 1)
    )  # fmt: skip
    assert share <= 1


@pytest.mark.parametrize(("f", "c", "n"), [(6, 4, 5), (6, 6, 3), (8, 1, 8), (7, 3, 2)])
def test_decoys_drawn_without_replacement_are_dominated(f: int, c: int, n: int) -> None:
    q = Fraction(1, 3)
    mean = at_most = Fraction(0)
    for k in range(max(0, n - (f - c)), min(n, c) + 1):
        places = Fraction(math.comb(c, k) * math.comb(f - c, n - k), math.comb(f, n))
        for m in range(k + 1):
            chance = places * binomial(k, m, q)
            mean += chance * exact(counts_point(n, m, c * q / f))
            at_most += chance * exact(rate_at_most(min(n, c), m, q))
    assert mean <= 1
    assert at_most <= 1


def test_gamma_is_a_claim_that_is_validated() -> None:
    assert PublishedCount.of("3").retention == Fraction(1, 3)
    assert SpluGenClaim(PublishedCount.of(Gamma(3), "1/2")).law.decoy == Fraction(1, 4)
