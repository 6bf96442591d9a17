"""The figures that the documentation states in prose and tables, computed from first principles.

Small worlds are walked draw by draw, with the plan of the paper; nothing here uses the exact guarantees of
the library except where it is the library's own figure that is quoted.
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import comb, log, prod
from pathlib import Path

import numpy as np
import pytest

from splu_ref.channels.parameters import Gamma
from splu_ref.data import embedded_table
from splu_ref.estimators import estimate_count
from splu_ref.guarantees import decimal_down, error_probability, privacy_minimum, utility_threshold
from splu_ref.mechanisms import anatomy

DOCS = Path(__file__).parents[2] / "docs"


def groups(*histogram: int, gamma: int) -> list[list[int]]:
    listed: list[list[int]] = anatomy(np.array(histogram), Gamma(gamma)).groups().tolist()
    return listed


def binomial(n: int, k: int, gamma: int) -> Fraction:
    return Fraction(comb(n, k) * (gamma - 1) ** (n - k), gamma**n)


def error(gamma: int, epsilon: Fraction, f: int) -> Fraction:
    n = gamma * f
    numerator, term = 0, (gamma - 1) ** n
    for k in range(n + 1):
        if abs(k - f) >= epsilon * f:
            numerator += term
        term = term * (n - k) // ((k + 1) * (gamma - 1))
    return Fraction(numerator, gamma**n)


def reconstruction_is_wrong(gamma: int, size: int, records: int, epsilon: Fraction) -> Fraction:
    """Return the error probability of §5's estimate of "P and s" when P's records are those that hold s.

    The fixed point of the printed iteration with the printed matrix is (y - n a)/(1/gamma - a), a = f'/N,
    clipped to 0..n; y of the n records retain their value, f' - y others take it.
    """
    others = size * (gamma - 1)
    wrong = Fraction(0)
    for y, z in product(range(size + 1), range(others + 1)):
        a = Fraction(y + z, records)
        assert a < Fraction(1, gamma)
        estimate = min(max((y - size * a) / (Fraction(1, gamma) - a), Fraction(0)), Fraction(size))
        if abs(estimate - size) >= epsilon * size:
            wrong += binomial(size, y, gamma) * binomial(others, z, gamma)
    return wrong


def test_theorem_3() -> None:
    assert error(3, Fraction(1), 1) == Fraction(5, 9) > Fraction(1, 3)


def test_lemma_1() -> None:
    printed = 1 / (10 * Fraction(1, 100) ** 2 * 900**2)
    assert decimal_down(printed, 3) == "0.00123"
    assert decimal_down(error(10, Fraction(1, 100), 900), 4) == "0.7652"


def test_equations_6_to_9() -> None:
    plan = groups(1, 1, 1, 1, gamma=2)
    with_decoy = sum(0 in group for group in plan)  # each such group has one record without the value
    assert Fraction(with_decoy, 3) == Fraction(1, 3) != Fraction(2 * 1, 4)


def test_lemma_3() -> None:
    for epsilon in (Fraction(1, 10), Fraction(1, 2)):
        assert error(2, epsilon, 2) == Fraction(5, 8)
        assert reconstruction_is_wrong(2, 2, 100, epsilon) == Fraction(1, 4)


def test_theorem_4_for_conjunctions() -> None:
    tenth, three_tenths = Fraction(1, 10), Fraction(3, 10)
    assert float(reconstruction_is_wrong(5, 5, 1000, tenth)) == 0.32768
    assert min(error(5, tenth, f) for f in range(1, 6)) == Fraction("0.5904")
    assert decimal_down(min(error(5, three_tenths, f) for f in range(1, 6)), 4) == "0.4018"


def test_equation_13() -> None:
    y, gamma, records = (1, 3, 10, 1), 3, 15  # without P and s, s, P, P and s

    def published(x: list[Fraction]) -> list[list[Fraction]]:
        """Return, for each true state and each published one, the expected count under the printed matrix."""
        share = (x[1] + x[3]) / records
        moves = ((1 - share, share), (Fraction(gamma - 1, gamma), Fraction(1, gamma)))
        return [
            [x[i] * moves[i % 2][j % 2] if i // 2 == j // 2 else Fraction(0) for j in range(4)]
            for i in range(4)
        ]

    def likelihood(x: list[Fraction]) -> Fraction:
        joint = published(x)
        shares = (sum((row[j] for row in joint), Fraction(0)) / records for j in range(4))
        return prod((share**count for share, count in zip(shares, y, strict=True)), start=Fraction(1))

    start = [Fraction(count) for count in y]
    joint = published(start)
    totals = [sum((row[j] for row in joint), Fraction(0)) for j in range(4)]
    following = [sum((y[j] * joint[i][j] / totals[j] for j in range(4)), Fraction(0)) for i in range(4)]
    assert sum(following) == records
    assert decimal_down(likelihood(start) / likelihood(following), 5) == "1.0054"


def test_the_tensor_product() -> None:
    plan = groups(1, 1, 1, 1, gamma=2)
    takes = [sum(Fraction(1, 2) for group in plan if value in group and 0 in group) for value in (1, 2, 3)]
    assert sum(take * take for take in takes) / 3 == Fraction(1, 12)
    assert (sum(takes) / 3) ** 2 == Fraction(1, 36)


def test_laplace_noise_on_a_count_of_one() -> None:
    assert sum(abs(k - 1) * binomial(5, k, 5) for k in range(6)) == Fraction("0.65536")
    assert 1 / log(2) > 10 / 7


@pytest.mark.parametrize(("gamma", "per_value"), [(2, 3), (3, 2)])
def test_every_group_holds_every_value_when_all_are_as_frequent_as_allowed(
    gamma: int, per_value: int
) -> None:
    assert all(sorted(group) == list(range(gamma)) for group in groups(*[per_value] * gamma, gamma=gamma))


def test_a_plan_rules_values_out() -> None:
    plan = groups(1, 1, 1, 1, gamma=2)
    assert {value for group in plan if 2 in group for value in group} == {2, 3}


def test_the_published_value_is_the_own_one_with_probability_one_in_gamma() -> None:
    for histogram in ((3, 2, 2, 1, 1), (2, 2, 2, 2, 1), (3, 3, 1, 1, 1)):
        own: Counter[int] = Counter()
        together: Counter[tuple[int, int]] = Counter()
        for group in groups(*histogram, gamma=3):
            for true, published in product(group, repeat=2):
                together[true, published] += 1
                own[published] += true == published
        for (true, published), count in together.items():
            assert own[published] == histogram[published]
            assert count <= own[published] or true == published


def test_what_a_pair_of_alike_records_betrays() -> None:
    plan = groups(2, 2, 2, gamma=2)
    assert sorted(map(sorted, plan)) == [[0, 1], [0, 2], [1, 2]]
    likely = []
    for value in range(3):  # of both records of the pair, which stand in the two groups that hold it
        first, second = (group for group in plan if value in group)
        likely.append(Fraction(sum(pair == (0, 0) for pair in product(first, second)), 4))
    assert likely == [Fraction(1, 4), 0, 0]


def test_the_clipped_count_in_two_and_four_records() -> None:
    for records, wrong in ((2, Fraction(1, 4)), (4, Fraction(1, 2))):
        law = [binomial(2, k, 2) for k in range(3)]
        assert sum(law[k] for k in range(3) if min(k, records // 2) != 1) == wrong


def test_sums_of_one_hundred() -> None:
    assert Fraction("0.3701") <= error(10, Fraction(9, 100), 100) < Fraction("0.3702")
    assert Fraction("0.0012") <= 1 / (10 * Fraction(9, 100) ** 2 * 100**2) < Fraction("0.0013")


def test_the_table_for_choosing_gamma() -> None:
    page = (DOCS / "publishers.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (\d+) \| 1/(\d+) \| ([\d.…]+) \| ([\d.…]+) \| (\d+) \|$", page, flags=re.MULTILINE
    )
    assert [int(row[0]) for row in rows] == [2, 5, 7, 10, 20]
    for gamma, share, up_to_3, up_to_10, threshold in rows:
        assert share == gamma
        for alpha, shown in ((3, up_to_3), (10, up_to_10)):
            level = privacy_minimum(gamma, "0.3", alpha).t_p_definition.exact()
            digits = len(shown.rstrip("…").removeprefix("0."))
            cut = decimal_down(level, digits)
            assert cut == shown.rstrip("…")
            assert shown.endswith("…") == (Fraction(cut) != level)
        assert utility_threshold(gamma, "0.1", "0.05").threshold == int(threshold)


def test_the_embedded_table() -> None:
    table = embedded_table()
    counts = dict(zip(table.domain("occupation"), table.histogram("occupation").tolist(), strict=True))
    assert (table.row_count, len(table.columns), len(counts)) == (30718, 10, 14)
    assert (counts["Sales"], counts["Armed-Forces"]) == (3650, 9)
    assert max(counts.values()) * 7 <= table.row_count < max(counts.values()) * 8


def test_a_value_that_occurs_once_vanishes_and_one_that_occurs_nine_times_is_off() -> None:
    assert round(float(binomial(5, 0, 5)), 2) == 0.33
    assert round(float(error(5, Fraction(3, 10), 9)), 2) == 0.35


def test_the_interval_holds_the_true_count_with_the_stated_probability() -> None:
    for f in (1, 4, 9):
        covered = Fraction(0)
        for k in range(5 * f + 1):
            least, greatest = estimate_count(k, 5).interval
            covered += binomial(5 * f, k, 5) if least <= f <= greatest else 0
        assert covered >= Fraction(95, 100)


def test_the_library_agrees_with_the_sums_here() -> None:
    assert (
        error_probability(10, "0.3", 1).exact() == error(10, Fraction(3, 10), 1) == 1 - Fraction(9, 10) ** 9
    )


def perturbed(own: int, seen: int, keep: Fraction, values: int) -> Fraction:
    """Return the chance that a value is published so, keeping it or drawing any of ``values``."""
    return (keep if own == seen else 0) + (1 - keep) / values


def test_a_rare_set_with_a_frequent_value() -> None:
    records = [0] * 13 + [7] * 2
    seen = [perturbed(own, 0, Fraction(1, 5), 8) for own in records]
    inside = [chance for own, chance in zip(records, seen, strict=True) if own != 7]
    assert sum(inside) / sum(seen) == Fraction(39, 41) >= Fraction(19, 20)
    assert Fraction(13, 15) < Fraction(7, 8)


def test_two_columns_of_49_values() -> None:
    # The pair (0, 0) has a prior of 1/10, the pair (1, 1) the rest.
    keep = Fraction(1, 5)
    own, other = perturbed(0, 0, keep, 49) ** 2, perturbed(1, 0, keep, 49) ** 2
    assert own / (own + 9 * other) == Fraction(2809, 2953) >= Fraction(19, 20)
    assert Fraction(1, 10) * 49**2 < 273


def test_the_largest_retention_is_a_breach() -> None:
    first, second = Fraction(1, 3), Fraction(1, 2)
    ratio = second * (1 - first) / (first * (1 - second))
    keep = (ratio - 1) / (2 + ratio - 1)
    own, other = first * perturbed(0, 0, keep, 2), (1 - first) * perturbed(1, 0, keep, 2)
    assert own / (own + other) == second


def test_two_records_that_are_known_to_be_alike() -> None:
    alike = {own: perturbed(own, 1, Fraction(1, 2), 2) ** 2 for own in (0, 1)}
    assert alike[1] / sum(alike.values()) == Fraction(9, 10)  # before the other one is learned; then it is 1


def test_three_different_values_bear_one_that_is_learned() -> None:
    for learned in range(3):
        orders = [order for order in permutations(range(3)) if order[2] == learned]
        assert max(Counter(order[0] for order in orders).values()) * 2 == len(orders)


def test_a_publication_of_one_record_and_two_of_one_table() -> None:
    keep = Fraction(1, 3)
    ratio = perturbed(0, 0, keep, 2) / perturbed(1, 0, keep, 2)
    assert ratio == 2
    odds = Fraction(1, 3) / Fraction(2, 3)
    lifted = [odds * ratio**releases for releases in (1, 2)]
    assert [each / (1 + each) for each in lifted] == [Fraction(1, 2), Fraction(2, 3)]
