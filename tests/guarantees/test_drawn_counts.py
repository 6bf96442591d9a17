"""Laws of draws within a group: published counts against every outcome of small worlds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb

import pytest

from splu_proofs.worlds.group_laws import flags
from splu_proofs.worlds.valid_plans import plans
from splu_ref.channels import GroupDraws
from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import (
    DependentCount,
    Noise,
    best_estimator,
    decimal_down,
    decimal_up,
    dependent_draws_error_bound,
    dependent_draws_threshold,
    error_probability,
    minimax_error_bounds,
    privacy_minimum,
    privacy_of_draws,
    slot_law,
    table_privacy,
    table_threshold,
    utility_threshold,
    worst_error_bounds,
)
from splu_ref.guarantees.dependent_privacy import is_plain_up_to
from splu_ref.guarantees.minimax_error import _estimates

Law = dict[int, Fraction]
EPSILONS = (Fraction(3, 10), Fraction(1, 2), Fraction(1))


def _slot(name: str, gamma: int, sharing: int) -> Law:
    """Walk through every draw of a group; slots 0 .. sharing - 1 share, or slot 0 stands by itself."""
    found: defaultdict[int, Fraction] = defaultdict(Fraction)
    if name == "all-or-none":
        for chosen in range(gamma):
            if not sharing:
                found[gamma * (chosen == 0)] += Fraction(1, gamma)
            else:
                _spread(found, gamma if chosen < sharing else 0, sharing, Fraction(1, gamma))
        return dict(found)
    for outcome in product(range(gamma), repeat=gamma):
        chance = Fraction(1, gamma**gamma)
        if not sharing:
            found[outcome.count(0)] += chance
        else:
            _spread(found, sum(slot < sharing for slot in outcome), sharing, chance)
    return dict(found)


def _spread(found: defaultdict[int, Fraction], places: int, slots: int, chance: Fraction) -> None:
    rest = places % slots
    found[places // slots] += chance * Fraction(slots - rest, slots)
    if rest:
        found[places // slots + 1] += chance * Fraction(rest, slots)


def _sum(name: str, gamma: int, kinds: dict[int, int]) -> Law:
    law: Law = {0: Fraction(1)}
    for sharing, groups in kinds.items():
        slot = _slot(name, gamma, sharing)
        for _ in range(groups):
            grown: defaultdict[int, Fraction] = defaultdict(Fraction)
            for k, chance in law.items():
                for more, part in slot.items():
                    grown[k + more] += chance * part
            law = dict(grown)
    return {k: chance for k, chance in law.items() if chance}


def _kinds(gamma: int, most: int) -> Iterator[dict[int, int]]:
    for numbers in product(range(most + 1), repeat=gamma + 1):
        if 0 < sum(numbers) <= most:
            yield dict(enumerate(numbers))


@pytest.mark.parametrize("name", ["capped", "all-or-none"])
def test_the_law_of_a_count_is_that_of_every_outcome(name: str) -> None:
    draws = GroupDraws.parse(f"{name}:1")
    for gamma, most in ((2, 4), (3, 3), (4, 2)):
        for kinds in _kinds(gamma, most):
            found, truth = DependentCount.of(draws, gamma, kinds), _sum(name, gamma, kinds)
            assert found.law() == truth
            f = found.frequency
            assert f == sum(kinds.values())
            assert found.variance == sum((k - f) ** 2 * part for k, part in truth.items())
            for offset in (1, 2):
                wrong = sum((part for k, part in truth.items() if abs(k - f) >= offset), Fraction(0))
                assert found.error(offset) == wrong
                near = found.error_bounds(offset)
                assert near.lower <= wrong <= near.upper < near.lower + Fraction(1, 2**80)
                if wrong:
                    assert not found.exceeds(offset, wrong)
                    assert found.exceeds(offset, wrong * Fraction(10**30 - 1, 10**30))
            assert found.largest_mass().lower <= max(truth.values()) <= found.largest_mass().upper


def test_long_laws_are_enclosed() -> None:
    found = DependentCount.of(GroupDraws("capped", 60), 4, {0: 60, 1: 20, 2: 30, 3: 40, 4: 100})
    exact, near = found.error(9), found.error_bounds(9)
    assert near.lower <= exact <= near.upper < near.lower + Fraction(1, 2**80)
    plain = DependentCount.of(GroupDraws(), 5, {0: 50})
    assert plain.error(15) == error_probability(5, "0.3", 50).exact()


def test_shares_vary_least_and_no_more_than_the_module_says() -> None:
    for gamma in range(2, 13):
        capped, rare = GroupDraws("capped", 1), GroupDraws("all-or-none", 1)
        for u in range(1, gamma + 1):
            assert slot_law(capped, gamma, u).variance <= Fraction(gamma - u, gamma)
            assert slot_law(rare, gamma, u).variance <= gamma - u
            for tilt in (Fraction(1, 3), Fraction(9, 10), Fraction(6, 5), Fraction(4)):
                even = slot_law(capped, gamma, u).mean_of_power(tilt)
                assert 1 <= even <= slot_law(capped, gamma, 0).mean_of_power(tilt)


def _worst(draws: GroupDraws, gamma: int, f: int, slots: int, offset: int) -> Fraction:
    """Return the largest error over all kinds of groups that a table with so many other slots can give."""
    own = min(f, draws.bound or 0) if draws.name == "capped" else 0
    worst = Fraction(0)
    for kinds in _kinds(gamma, f - own):
        kinds[0] += own
        others = sum((gamma - u) * n for u, n in kinds.items() if u)
        if kinds[0] == own and sum(kinds.values()) == f and others <= slots:
            worst = max(worst, DependentCount.of(draws, gamma, kinds).error(offset))
    return worst


@pytest.mark.parametrize("law", ["capped:2", "all-or-none:2"])
def test_bounds_from_public_numbers_hold_for_every_composition(law: str) -> None:
    draws, gamma = GroupDraws.parse(law), 3
    for values in (3, 4, 5):
        noise = Noise.of(draws, gamma, values)
        assert noise.slots == (2 * (values - 3) if law.startswith("capped") else 2 * (values - 1))
        for f in (3, 5):
            for epsilon in EPSILONS:
                bound = dependent_draws_error_bound(gamma, epsilon, f, draws, noise)
                assert isinstance(bound, Fraction)
                offset = -(-epsilon * f // 1)
                assert _worst(draws, gamma, f, noise.slots, int(offset)) <= bound
    assert Noise.beside(draws, gamma, [1, 2, 7]).slots == (1 if law.startswith("capped") else 3)


def test_no_plan_and_no_order_puts_more_marked_slots_beside_a_value() -> None:
    for gamma, histogram in ((2, (3, 2, 2, 1)), (2, (4, 2, 1, 1)), (3, (3, 2, 2, 2)), (3, (3, 3, 1, 1, 1))):
        for plan in plans(histogram, gamma):  # groups in every order
            for draws in (GroupDraws("capped", 1), GroupDraws("capped", 2), GroupDraws("all-or-none", 1)):
                rare = [f <= (draws.bound or 0) for f in histogram]
                marked = (
                    flags(plan, draws.bound or 0)
                    if draws.name == "capped"
                    else [tuple(rare[value] for value in group) for group in plan]
                )
                for value, f in enumerate(histogram):
                    if f > (draws.bound or 0):
                        found = sum(
                            sum(marks)
                            for group, marks in zip(plan, marked, strict=True)
                            if value in group and not marks[group.index(value)]
                        )
                        others = [*histogram[:value], *histogram[value + 1 :]]
                        assert found <= Noise.beside(draws, gamma, others).slots


def test_a_threshold_from_public_numbers() -> None:
    draws = GroupDraws("capped", 10)
    noise = Noise.of(draws, 5, 14)
    found = dependent_draws_threshold(5, "1/20", "1/20", draws, noise)
    assert found.proof == "slots"
    assert not found.is_least
    assert 200 < found.threshold < 300 < utility_threshold(5, "1/20", "1/20").threshold
    for f in (found.threshold, found.threshold + 7, 10 * found.threshold):
        bound = dependent_draws_error_bound(5, "1/20", f, draws, noise)
        assert isinstance(bound, Fraction)
        assert bound <= Fraction(1, 20)
    # Where independent draws are shown to be accurate by the cap already, T_f is theirs, exactly.
    same = dependent_draws_threshold(5, "0.3", "1/20", GroupDraws("capped", 100))
    assert (same.threshold, same.is_least) == (utility_threshold(5, "0.3", "1/20").threshold, True)
    rare = GroupDraws("all-or-none", 10)
    assert dependent_draws_threshold(5, "1/20", "1/20", rare, Noise.of(rare, 5, 14)).threshold > 10
    with pytest.raises(ParameterError, match="number of values"):
        dependent_draws_threshold(5, "1/20", "1/20", rare)
    with pytest.raises(ParameterError, match="other parameters"):
        dependent_draws_threshold(5, "1/20", "1/20", draws, Noise.of(rare, 5, 14))


def test_the_threshold_of_one_table_is_the_least() -> None:
    draws = GroupDraws("capped", 2)
    counts = [
        DependentCount.of(draws, 3, kinds)
        for kinds in ({0: 1}, {0: 2, 2: 3}, {0: 2, 3: 9}, {0: 2, 1: 5, 3: 2})
    ]
    errors = {
        each.frequency: max(
            other.error(int(-(-Fraction(1, 2) * other.frequency // 1)))
            for other in counts
            if other.frequency == each.frequency
        )
        for each in counts
    }
    for level in sorted({*errors.values(), Fraction(1, 100)}):
        least = max((f + 1 for f, wrong in errors.items() if wrong > level), default=1)
        assert table_threshold(counts, "1/2", level) == least
    assert table_privacy(counts, "1/2", 5).argmin == min(
        errors, key=lambda f: (errors[f] if f <= 5 else 2, f)
    )


def _chosen(gamma: int, f: int) -> Law:
    return {gamma * k: Fraction(comb(f, k) * (gamma - 1) ** (f - k), gamma**f) for k in range(f + 1)}


@pytest.mark.parametrize("strict", [False, True])
def test_privacy_of_all_or_none_is_the_least_error_of_every_count(strict: bool) -> None:
    for gamma in (2, 5):
        for epsilon in EPSILONS:
            for times in (1, 2):
                errors = []
                for f in range(1, 9):
                    law, n = _chosen(gamma, times * f), times * f
                    wrong = (
                        part
                        for k, part in law.items()
                        if (abs(k - n) > epsilon * n if strict else abs(k - n) >= epsilon * n)
                    )
                    errors.append((sum(wrong, Fraction(0)), f))
                found = privacy_of_draws(gamma, epsilon, 8, GroupDraws("all-or-none", 8), times)
                level = found.t_p if strict else found.t_p_definition
                assert (level.at_least, level.at_most, level.argmin) == (*min(errors)[:1] * 2, min(errors)[1])
    above = privacy_of_draws(5, "0.3", 9, GroupDraws("all-or-none", 8)).t_p
    assert (above.at_least, above.at_most, above.argmin) == (Fraction(0), Fraction(0), 9)


def test_privacy_of_capped_up_to_the_cap_is_that_of_independent_draws() -> None:
    plain, capped = privacy_minimum(5, "0.3", 10), privacy_of_draws(5, "0.3", 10, GroupDraws("capped", 10))
    assert is_plain_up_to(GroupDraws("capped", 10), 10)
    assert not is_plain_up_to(GroupDraws("capped", 10), 11)
    assert capped.t_p_definition.is_exact
    assert capped.t_p_definition.argmin == plain.argmin_definition
    assert capped.t_p_definition.at_least == plain.t_p_definition.exact()


def test_decimals_are_those_of_the_exact_level() -> None:
    """At the end of an enclosure a short decimal number, such as 1/2, would read 0.499999999999."""
    short = 0
    for gamma, epsilon, cap, alpha in product((2, 4, 5, 10), ("0.1", "0.5", "1"), (1, 2, 10), (1, 2, 3, 10)):
        found = privacy_of_draws(gamma, epsilon, alpha, GroupDraws("capped", cap))
        rare = privacy_minimum(gamma, epsilon, min(alpha, cap))
        for level, least in ((found.t_p, rare.t_p), (found.t_p_definition, rare.t_p_definition)):
            if level.at_least == least.exact():
                assert level.decimal() == decimal_down(least.exact()) == least.decimal("down")
                short += Fraction(level.decimal()) == least.exact()
            else:
                assert alpha > cap
    assert short > 50


def test_decimals_of_one_table_are_those_of_the_exact_level() -> None:
    for gamma, kinds, epsilon in product((2, 5, 10), ({0: 1}, {0: 1, 2: 1}, {0: 3, 1: 2}), EPSILONS):
        law = DependentCount.of(GroupDraws("capped", 3), gamma, kinds)
        offset = -(-epsilon * law.frequency // 1)
        for strict in (False, True):
            wrong = law.error(int(epsilon * law.frequency // 1) + 1 if strict else int(offset))
            assert table_privacy([law], epsilon, 10, strict=strict).decimal() == decimal_down(wrong)
    assert decimal_up(dependent_draws_error_bound(2, 1, 1, GroupDraws("capped", 1))) == "0.5"


def test_privacy_above_the_cap_holds_for_every_composition() -> None:
    gamma, cap, seen = 3, 2, Counter[bool]()
    draws = GroupDraws("capped", cap)
    for epsilon in (Fraction(1, 10), Fraction(3, 10), Fraction(2, 5), Fraction(1, 2), Fraction(1)):
        for alpha in (3, 4, 5):
            found = privacy_of_draws(gamma, epsilon, alpha, draws)
            for strict, level in ((True, found.t_p), (False, found.t_p_definition)):
                least = min(
                    error_probability(gamma, epsilon, f, strict=strict).exact() for f in range(1, cap + 1)
                )
                for f in range(cap + 1, alpha + 1):
                    offset = int(epsilon * f // 1) + 1 if strict else int(-(-epsilon * f // 1))
                    for kinds in _kinds(gamma, f - cap):
                        if kinds[0] == 0 and sum(kinds.values()) == f - cap:
                            law = DependentCount.of(draws, gamma, {**kinds, 0: cap})
                            least = min(least, law.error(offset))
                assert level.reaches(least - Fraction(1, 10**30)) is not False
                assert level.reaches(least + Fraction(1, 10**30)) is not True
                if level.is_exact:
                    assert level.reaches(least - Fraction(1, 10**30)) is True
                seen[level.is_exact] += 1
    assert seen[True] > seen[False]


def test_no_estimator_beats_the_level_that_is_computed() -> None:
    for law, star in (("all-or-none:10", "0.6110"), ("capped:10", "0.4209"), ("independent", "0.4209")):
        draws = GroupDraws.parse(law)
        best = best_estimator(5, "0.3", 10, draws=draws)
        bounds = worst_error_bounds(best)
        assert bounds.lower == bounds.upper == best.worst_error
        assert str(float(best.worst_error)).startswith(star)
        assert minimax_error_bounds(5, "0.3", 10, draws=draws).at_least == best.worst_error
    kept = best_estimator(4, "0.3", 4, retention="1/2")
    assert worst_error_bounds(kept).lower == worst_error_bounds(kept).upper == kept.worst_error
    assert kept.worst_error < best_estimator(4, "0.3", 4).worst_error


def test_more_counts_than_are_computed_are_enclosed() -> None:
    found = minimax_error_bounds(5, "0.3", 100)
    assert (found.computed, found.at_most, found.is_exact) == (12, Fraction(7, 8), False)
    above = minimax_error_bounds(5, "0.3", 8, draws=GroupDraws("all-or-none", 4))
    assert above.computed == 4
    assert above.at_least == best_estimator(5, "0.3", 4, draws=GroupDraws("all-or-none", 4)).worst_error
    assert minimax_error_bounds(300, "0.3", 8).at_least == 0
    assert minimax_error_bounds(5, 1, 10**9).at_most == 0
    with pytest.raises(ParameterError, match="depends on the table"):
        best_estimator(5, "0.3", 8, draws=GroupDraws("capped", 4))
    with pytest.raises(ParameterError, match="retention 1/gamma"):
        best_estimator(5, "0.3", 4, draws=GroupDraws("capped", 4), retention="1/2")


def test_as_many_estimates_as_cover_all_counts() -> None:
    for epsilon in (Fraction(1, 50), Fraction(1, 5), Fraction(3, 10), Fraction(1, 2), Fraction(9, 10)):
        for alpha in (1, 2, 5, 24, 60):
            for strict in (False, True):
                number, first = 0, 1
                while first <= alpha:
                    number, end = number + 1, (1 + epsilon) * first
                    while (1 - epsilon) * first < end or (strict and (1 - epsilon) * first == end):
                        first += 1
                assert _estimates(epsilon, alpha, strict) == number
