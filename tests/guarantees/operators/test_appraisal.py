"""What an operator is worth: ranks, errors of counts, and the largest retention of uniform perturbation."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from splu_ref.channels import Levels, from_matrix, inverse
from splu_ref.guarantees import Requirement
from splu_ref.guarantees.operators.front import Appraisal, uniform, uniform_retention, uniform_variances
from splu_ref.guarantees.operators.optimum import SingularError, solve, worst_set

BLIND = from_matrix("abc", (("1/2", "1/2", 0), ("1/4", "3/4", 0), ("3/8", "5/8", 0)), "abc")


def test_a_matrix_that_cannot_be_inverted_still_identifies_some_counts() -> None:
    found = Appraisal(BLIND, {"a": 3, "b": 2, "c": 1})
    assert (found.rank, found.never_published, found.condition_number) == (2, ("c",), None)
    assert set(found.variances.values()) == {None}
    assert found.mean_variance is None
    # The third row is the mean of the others: what stays known is a sum that weighs it so.
    assert found.variance({"a": Fraction(1), "c": Fraction(1, 2)}) is not None
    assert found.variance(dict.fromkeys("abc", Fraction(1))) == 0
    assert found.amplification == 2


def test_variances_are_those_of_all_releases() -> None:
    channel = from_matrix("abc", (("1/2", "1/3", "1/6"), (0, "1/4", "3/4"), ("1/5", 0, "4/5")), "abc")
    counts = {"a": 1, "b": 2, "c": 1}
    found = Appraisal(channel, counts)
    records = [value for value, count in counts.items() for _ in range(count)]
    estimate = inverse(channel).estimate
    for value in "abc":
        first = second = Fraction(0)
        for published in product("abc", repeat=4):
            chance = Fraction(1)
            for own, seen in zip(records, published, strict=True):
                chance *= channel.probability(own, seen)
            estimated = estimate({seen: published.count(seen) for seen in "abc"}).get(value, Fraction(0))
            first, second = first + chance * estimated, second + chance * estimated**2
        assert first == counts[value]
        assert found.variances[value] == second - first**2
    assert found.mean_variance == sum(filter(None, found.variances.values())) / 3


def test_the_condition_number_of_uniform_perturbation() -> None:
    found = Appraisal(uniform("abcd", Fraction(1, 3)), dict.fromkeys("abcd", 1))
    # The inverse is 3 I - (2/4) 1 1': a row has 5/2 once and 1/2 three times.
    assert found.condition_number == 4
    assert found.hidden == 1 - (Fraction(1, 3) + Fraction(1, 6))
    assert found.largest_posterior == Fraction(1, 2)


@pytest.mark.parametrize("counts", [(5, 3, 2), (7, 5, 4, 2, 1), (1, 1, 1, 1), (30, 4, 4, 3, 2, 1)])
@pytest.mark.parametrize("against", ["any", "values", "sets"])
def test_uniform_perturbation_keeps_as_much_as_it_may(counts: tuple[int, ...], against: str) -> None:
    for rho1, rho2 in (("1/5", "1/2"), ("1/3", "3/5")):
        wanted = Requirement.of(counts, Levels.of(rho1, rho2), "share", against)
        keep = uniform_retention(wanted)
        size = len(counts)

        def admitted(p: Fraction, wanted: Requirement = wanted, size: int = size) -> bool:
            matrix = [[(1 - p) / size + p * (u == v) for v in range(size)] for u in range(size)]
            if wanted.against == "any":
                return p < 1 and 1 + p * size / (1 - p) <= wanted.ratio
            single = wanted.against == "values"
            return not any(worst_set(wanted, matrix, v, single=single) for v in range(size))

        assert admitted(keep)
        assert keep == 1 or not admitted(keep + Fraction(1, 10**9))


def test_variances_of_uniform_perturbation() -> None:
    counts = {"a": 5, "b": 3, "c": 0, "d": 1}
    for keep in (Fraction(1, 3), Fraction(9, 10), Fraction(1)):
        assert uniform_variances(counts, keep) == Appraisal(uniform("abcd", keep), counts).variances
    assert set(uniform_variances(counts, Fraction(0)).values()) == {None}


def test_sparse_equations() -> None:
    rows = [
        {0: Fraction(2), 2: Fraction(1)},
        {1: Fraction(1, 3), 0: Fraction(1)},
        {2: Fraction(5), 1: Fraction(1)},
    ]
    found = solve(rows, [Fraction(1), Fraction(2), Fraction(3)])
    for row, right in zip(rows, (1, 2, 3), strict=True):
        assert sum(entry * found[place] for place, entry in row.items()) == right
    for singular in ([{0: Fraction(1)}, {0: Fraction(2)}], [{0: Fraction(1), 1: Fraction(1)}] * 2):
        with pytest.raises(SingularError):
            solve(singular, [Fraction(1), Fraction(1)])
