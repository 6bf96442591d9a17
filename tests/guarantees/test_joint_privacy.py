"""T_P of the mean of a value's counts in several columns, and the attack that it describes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from splu_ref.channels import ParameterError, PublishedCount
from splu_ref.guarantees import decimal_down, joint_minimum, privacy_minimum
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import SeededSource


@pytest.mark.parametrize(("gamma", "retention"), [(4, None), (3, "2/5")])
def test_copies_are_two_releases(gamma: int, retention: str | None) -> None:
    """Two columns of the same records err as two releases of one."""
    found = joint_minimum([PublishedCount.of(gamma, retention)] * 2, "0.3", 10)
    releases = privacy_minimum(gamma, "0.3", 10, 2, retention=retention)
    assert found.copies == releases.t_p_definition.exact()
    assert found.argmin == releases.argmin_definition


def test_the_figures_of_a_column_and_its_copy() -> None:
    """At gamma = 4 the level falls from 0.2738 to 0.1330."""
    assert decimal_down(privacy_minimum(4, "0.3", 10).t_p_definition.value(), 4) == "0.2738"
    assert decimal_down(joint_minimum([PublishedCount.of(4)] * 2, "0.3", 10).copies, 4) == "0.1330"


def test_two_laws_are_multiplied_out() -> None:
    """Columns with different gammas: the law of the sum by brute force."""
    one, other = PublishedCount.of(2), PublishedCount.of(3)
    sums: dict[int, Fraction] = {}
    for k, p in one.law(1).items():
        for j, q in other.law(1).items():
            sums[k + j] = sums.get(k + j, Fraction(0)) + p * q
    assert joint_minimum([one, other], "0.3", 1).copies == 1 - sums[2]


def test_one_column_or_too_much_work_is_refused() -> None:
    """One column has no joint view; large counts are refused before the work."""
    with pytest.raises(ParameterError, match="at least two columns"):
        joint_minimum([PublishedCount.of(4)], "0.3", 10)
    with pytest.raises(ParameterError, match="about a minute"):
        joint_minimum([PublishedCount.of(4)] * 2, "0.3", 10_000)


def test_the_attack_on_a_column_and_its_copy_succeeds_as_predicted() -> None:
    """A seeded release of 33 values, gamma = 5: cells that agree are right in about 2/3 of the cases.

    The prediction is p^2/(p^2 + (1-p)^2/(m-1)) = 2/3 for p = 1/5 and m = 33. About 1,980 of 33,000 records
    agree, so that the standard error of the share is 0.0106 and the limit is 5 of them: the release is
    seeded, and a share of one look, 1/5, is 44 standard errors away.
    """
    values = np.tile(np.arange(33), 1000)
    done = SpluGen(5).publish_columns(
        {"a": values, "b": values}, {"a": 33, "b": 33}, lambda name: SeededSource(name.encode())
    )
    agree = done.published["a"] == done.published["b"]
    right = done.published["a"][agree] == values[done.rows][agree]
    assert abs(float(right.mean()) - 2 / 3) < 0.053
    assert abs(float(agree.mean()) - 0.06) < 0.0066
