"""Enumeration: every outcome once, with its exact probability."""

from collections.abc import Callable, Hashable
from fractions import Fraction
from itertools import combinations, count, permutations, product
from math import factorial

import numpy as np
import pytest

from splu_ref.channels.parameters import ParameterError, SpluError
from splu_ref.randomness import EnumerationSource, outcomes


def law(run: Callable[[EnumerationSource], Hashable], *, shuffle: bool = False) -> dict[Hashable, Fraction]:
    mass: dict[Hashable, Fraction] = {}
    for result, probability in outcomes(run, shuffle=shuffle):
        mass[result] = mass.get(result, Fraction(0)) + probability
    return mass


def test_integers_are_uniform_and_independent() -> None:
    expected = dict.fromkeys(product(range(3), repeat=4), Fraction(1, 81))
    assert law(lambda source: tuple(source.below(3, 4).tolist())) == expected
    assert law(lambda source: tuple(source.integer_below(3) for _ in range(4))) == expected


def test_permutations_are_uniform_or_the_identity() -> None:
    def run(source: EnumerationSource) -> Hashable:
        return tuple(source.permutation(4).tolist())

    assert law(run, shuffle=True) == dict.fromkeys(permutations(range(4)), Fraction(1, 24))
    assert law(run) == {(0, 1, 2, 3): Fraction(1)}


@pytest.mark.parametrize("codes", [[], [3], [1, 0, 1, 0, 1], [2, 2, 2], [5, -1, 2]])
def test_orders_within_codes_are_uniform(codes: list[int]) -> None:
    allowed = [
        order for order in permutations(range(len(codes))) if [codes[item] for item in order] == sorted(codes)
    ]
    mass = law(lambda source: tuple(source.order_within(np.array(codes, dtype=np.int64)).tolist()))
    assert mass == dict.fromkeys(allowed, Fraction(1, len(allowed)))


@pytest.mark.parametrize(("population", "size"), [(5, 0), (5, 1), (5, 2), (5, 3), (4, 4)])
def test_subsets_are_uniform(population: int, size: int) -> None:
    subsets = list(combinations(range(population), size))
    mass = law(lambda source: tuple(source.subset(population, size).tolist()))
    assert mass == dict.fromkeys(subsets, Fraction(1, len(subsets)))


def test_later_choices_may_depend_on_earlier_ones() -> None:
    def run(source: EnumerationSource) -> Hashable:
        first = source.integer_below(3)
        return first, tuple(source.below(first + 1, first).tolist())

    mass = law(run)
    assert mass == {
        (0, ()): Fraction(1, 3),
        (1, (0,)): Fraction(1, 6),
        (1, (1,)): Fraction(1, 6),
        **{(2, pair): Fraction(1, 27) for pair in product(range(3), repeat=2)},
    }


def test_every_path_is_walked_once() -> None:
    codes = np.array([0, 0, 0, 1, 1])
    walked = [
        (tuple(source_result), probability)
        for source_result, probability in outcomes(
            lambda source: source.order_within(codes).tolist() + source.below(2, 5).tolist()
        )
    ]
    assert len(walked) == len(set(walked)) == factorial(3) * factorial(2) * 2**5
    assert sum(probability for _, probability in walked) == 1


def test_a_computation_without_choices_has_one_outcome() -> None:
    assert list(outcomes(lambda source: source.name)) == [("enumeration", Fraction(1))]


def test_a_computation_that_depends_on_more_than_its_source_is_found() -> None:
    runs = count(2)
    with pytest.raises(SpluError, match="had the bound 2 and now has 3"):
        list(outcomes(lambda source: (source.integer_below(next(runs)), source.integer_below(2))))
    lengths = iter([3, 1])
    with pytest.raises(SpluError, match="made 1 choices where"):
        list(outcomes(lambda source: source.below(2, next(lengths)).tolist()))


def test_impossible_arguments_are_refused() -> None:
    for bound, size in ((0, 1), (2**63 + 1, 1), (2, -1)):
        with pytest.raises(ParameterError):
            EnumerationSource().below(bound, size)
    with pytest.raises(ParameterError):
        EnumerationSource().integer_below(0)
    with pytest.raises(ParameterError):
        EnumerationSource().permutation(-1)


def test_choices_repeat_only_where_they_come_next() -> None:
    source = EnumerationSource()
    source.below(2, 2)
    begin = source.choice_count
    source.below(3, 2)
    choices = source.choices(begin)
    assert (begin, choices) == (2, [0, 0])
    source.integer_below(5)
    assert source.advance()
    source.below(2, 2)
    assert not source.repeats([0, 1])
    assert source.choice_count == 2
    assert source.repeats(choices)
    assert (source.choice_count, source.integer_below(5)) == (4, 1)
    assert not source.repeats([0])  # this path goes no further yet
