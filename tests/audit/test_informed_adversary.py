"""What a published count shows who knows all other records, against the laws written out."""

from __future__ import annotations

from fractions import Fraction
from itertools import zip_longest

import pytest

from splu_ref.audit.attacks.informed_adversary import distinction_probability
from splu_ref.audit.attacks.table_attack import Attackable
from splu_ref.channels import Bounds
from splu_ref.channels.parameters import ParameterError
from splu_ref.mechanisms import Anatomy, DistributionBased, RetentionReplacement, SpluGen, Swapping


def _bin(trials: int, chance: Fraction) -> list[Fraction]:
    law = [Fraction(1)]
    for _ in range(trials):
        law = _sum(law, [1 - chance, chance])
    return law


def _sum(law: list[Fraction], other: list[Fraction]) -> list[Fraction]:
    found = [Fraction(0)] * (len(law) + len(other) - 1)
    for at, part in enumerate(law):
        for further, chance in enumerate(other):
            found[at + further] += part * chance
    return found


def _right(law: list[Fraction], other: list[Fraction]) -> Fraction:
    pairs = zip_longest(law, other, fillvalue=Fraction(0))
    return (1 + sum((abs(a - b) for a, b in pairs), Fraction(0)) / 2) / 2


def _drawn(law: str, gamma: int, f: int, releases: int) -> list[Fraction]:
    """Return the law of the sum of the counts where no other value is flagged or rare."""
    name, _, reported = law.partition(":")
    bound = int(reported or f)
    if name == "all-or-none":
        groups = _bin(f * releases, Fraction(1, gamma))
        return [part for each in groups for part in (each, *[Fraction(0)] * (gamma - 1))]
    noisy = min(f, bound)
    return [Fraction(0)] * ((f - noisy) * releases) + _bin(gamma * noisy * releases, Fraction(1, gamma))


@pytest.mark.parametrize("releases", [1, 3])
@pytest.mark.parametrize(("gamma", "law", "f"), [
    (2, "independent", 1), (3, "independent", 4), (5, "independent", 7), (3, "capped:4", 4),
    (3, "capped:3", 4), (2, "capped:1", 2), (5, "capped:2", 9), (3, "all-or-none:4", 4),
    (2, "all-or-none:1", 1),
])  # fmt: skip
def test_draws_distinguish_neighbors_as_their_laws_do(gamma: int, law: str, f: int, releases: int) -> None:
    found = distinction_probability(SpluGen(gamma, draws=law), "v", f, 100, releases)
    true = _right(_drawn(law, gamma, f, releases), _drawn(law, gamma, f - 1, releases))
    assert found.lower <= true <= found.upper
    assert found.upper - found.lower < Fraction(1, 2**60)


@pytest.mark.parametrize("releases", [1, 2])
def test_other_mechanisms_distinguish_neighbors_as_their_laws_do(releases: int) -> None:
    rows, f = 12, 4
    replacing = RetentionReplacement("1/3", {"v": ("a", "b", "c")})
    own, other = Fraction(5, 9), Fraction(2, 9)
    kept = [_sum(_bin(count * releases, own), _bin((rows - count) * releases, other)) for count in (f, f - 1)]
    two_kinds = [
        _sum(_bin(count * releases, Fraction(1, 2)), _bin(count * releases, Fraction(1, 2)))
        for count in (f, f - 1)
    ]
    shares = [_bin(rows * releases, Fraction(count, rows)) for count in (f, f - 1)]
    cases: list[tuple[Attackable, list[list[Fraction]]]] = [
        (replacing, kept), (SpluGen(2, "1/2"), two_kinds), (DistributionBased(), shares),
    ]  # fmt: skip
    for mechanism, laws in cases:
        found = distinction_probability(mechanism, "v", f, rows, releases)
        assert found.lower <= _right(*laws) <= found.upper
        assert found.upper - found.lower < Fraction(1, 2**60)


def test_exact_counts_show_everything() -> None:
    sure = Bounds(Fraction(1), Fraction(1))
    for mechanism in (Anatomy(2), Swapping("1/3"), SpluGen(3, 1), SpluGen(3, draws="all-or-none:4")):
        assert distinction_probability(mechanism, "v", 5, 100) == sure
    with pytest.raises(ParameterError, match=": choose another attack"):
        distinction_probability(RetentionReplacement("1/3", {"v": ("a",)}, replacing="identity"), "v", 5, 100)
