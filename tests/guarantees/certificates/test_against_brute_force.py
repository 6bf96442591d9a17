"""Generator and checker, two implementations of the written rules, against sums over every f' and f."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref import certificate_checker
from splu_ref.certificate_checker import check, check_text
from splu_ref.guarantees import (
    certificate_text,
    decimal_down,
    decimal_up,
    error_certificate,
    privacy_certificate,
    threshold_certificate,
)
from splu_ref.guarantees.certificates import form as rounding

SETTINGS = [(2, "1/2"), (2, "1"), (3, "1/3"), (3, "2"), (4, "3/10"), (5, "7/5"), (2, "3"), (3, "1/20")]


def law(gamma: int, f: int) -> list[Fraction]:
    """Pr(f' = x) for x = 0..gamma f, one trial after another."""
    masses = [Fraction(1)]
    for _ in range(gamma * f):
        longer = [Fraction(0)] * (len(masses) + 1)
        for x, mass in enumerate(masses):
            longer[x] += mass * Fraction(gamma - 1, gamma)
            longer[x + 1] += mass * Fraction(1, gamma)
        masses = longer
    return masses


def error(gamma: int, epsilon: Fraction, f: int, *, strict: bool = False) -> Fraction:
    return sum(
        (
            mass
            for x, mass in enumerate(law(gamma, f))
            if (abs(x - f) > epsilon * f if strict else abs(x - f) >= epsilon * f)
        ),
        Fraction(0),
    )


def down(value: Fraction, digits: int = 12) -> str:
    """The decimal of ``value`` cut to significant digits, digit by digit."""
    if value == 0:
        return "0"
    place = 0
    while value * 10**-place < 1:
        place -= 1
    cut = Fraction(math.floor(value * Fraction(10) ** (digits - 1 - place)), 1)
    text = str(int(cut))
    if cut / Fraction(10) ** (digits - 1 - place) == value:
        text = text.rstrip("0")
    if place >= -6:
        return "0." + "0" * (-place - 1) + text
    return text[0] + ("." + text[1:] if text[1:] else "") + f"e{place}"


def value_and_unit(entry: dict[str, str]) -> tuple[Fraction, Fraction]:
    """The number of an entry, and one unit of its last place."""
    unit = Fraction(1, 2 ** int(entry["shift"], 16))
    mantissa = int(entry["mantissa"], 16)
    assert mantissa == 0 or mantissa.bit_length() == 256
    return mantissa * unit, unit if mantissa else Fraction(0)


def assert_valid(certificate: dict[str, Any]) -> None:
    verdict = check_text(certificate_text(certificate))
    assert verdict.valid, verdict.reason
    assert verdict.reason == certificate["statement"]
    assert verdict.claim == certificate["claim"]


EDGES = [
    Fraction(2**300 - 1, 2**300), Fraction(2**256 - 1, 2**256), Fraction(2**256 + 1, 2**257),
    Fraction(10**13 - 5, 10**14), Fraction(10**15 - 1, 10**15), Fraction(10**15 - 1, 10**21),
    Fraction(1, 10**7), Fraction(1, 3 * 10**6), Fraction(1), Fraction(0),
]  # fmt: skip


@pytest.mark.parametrize("up", [False, True])
@given(value=st.sampled_from(EDGES) | st.fractions(min_value=0, max_value=1))
def test_the_written_rules_of_rounding(up: bool, value: Fraction) -> None:
    """Both implementations give the numbers next to the value that the specification defines."""
    mantissa, shift = certificate_checker._rounded(value.numerator, value.denominator, up=up)
    assert (mantissa, shift) == rounding.rounded(value, up=up)
    assert mantissa.bit_length() == (256 if value else 0)
    distance = mantissa / Fraction(2) ** shift - value
    unit = 1 / Fraction(2) ** shift
    assert 0 <= (distance if up else -distance) < unit or distance == 0
    text = certificate_checker._decimal(value.numerator, value.denominator, up=up)
    assert text == (decimal_up if up else decimal_down)(value)
    difference = Fraction(text) - value
    assert 0 <= (difference if up else -difference) <= value / 10**11


@pytest.mark.parametrize(("gamma", "epsilon_text"), SETTINGS)
def test_small_sum_privacy(gamma: int, epsilon_text: str) -> None:
    epsilon, alpha = Fraction(epsilon_text), 9
    certificate = privacy_certificate(gamma, epsilon, alpha)
    assert_valid(certificate)
    for form, strict in (("theorem_4", True), ("definition_2", False)):
        truth = {f: error(gamma, epsilon, f, strict=strict) for f in range(1, alpha + 1)}
        least = min(truth.values())
        evidence = certificate["evidence"][form]
        argmin = int(evidence["argmin"], 16)
        assert argmin == min(f for f in truth if truth[f] == least)
        assert Fraction(int(evidence["numerator"], 16), gamma ** (gamma * argmin)) == least
        sign = ">" if strict else ">="
        words = f"{sign} ({epsilon}) f has a probability of at least {down(least)}, least at f = {argmin}"
        assert words in certificate["statement"]
        for entry in evidence["candidates"]:
            f = int(entry["f"], 16)
            value, unit = value_and_unit(entry)
            assert value <= truth[f]
            assert truth[f] < value + unit or truth[f] == value == 0
            right = [
                x
                for x in range(gamma * f + 1)
                if (abs(x - f) <= epsilon * f if strict else abs(x - f) < epsilon * f)
            ]
            assert (int(entry["first"], 16), int(entry["last"], 16)) == (right[0], right[-1])


@pytest.mark.parametrize(("gamma", "epsilon_text"), SETTINGS)
def test_error_probability(gamma: int, epsilon_text: str) -> None:
    epsilon = Fraction(epsilon_text)
    for f in (1, 2, 3, 7):
        certificate = error_certificate(gamma, epsilon, f)
        assert_valid(certificate)
        numerator = int(certificate["evidence"]["numerator"], 16)
        assert Fraction(numerator, gamma ** (gamma * f)) == error(gamma, epsilon, f)


@pytest.mark.parametrize(
    ("gamma", "epsilon_text", "t_e_text"),
    [
        (2, "1/2", "1/4"),
        (2, "1", "1/4"),  # attained exactly, at f = 1 in one tail
        (3, "1", "5/9"),  # the probability at f = 1, of which no 256-bit number is an upper bound within t_e
        (3, "1", "1/10"),
        (3, "2", "1/27"),
        (4, "3", "1/1000"),  # epsilon = gamma - 1: the upper tail is a single count
        (5, "3/2", "1/20"),  # no lower tail
        (2, "3/2", "0"),  # no error at all
        (2, "3", "1/2"),
        (4, "9/10", "1/8"),
        (2, "31415926/100000000", "1/5"),
        (5, "1/2", "1"),
        (3, "1/2", "1/2"),
    ],
)
def test_utility_threshold(gamma: int, epsilon_text: str, t_e_text: str) -> None:
    epsilon, t_e = Fraction(epsilon_text), Fraction(t_e_text)
    certificate = threshold_certificate(gamma, epsilon, t_e)
    assert_valid(certificate)
    t_f = int(certificate["parameters"]["t_f"])
    start = int(certificate["evidence"]["tail"]["from"], 16)
    assert start < 60, "the sums below are slow beyond"
    if t_f > 1:
        assert error(gamma, epsilon, t_f - 1) > t_e
        numerator = int(certificate["evidence"]["violation"]["numerator"], 16)
        assert Fraction(numerator, gamma ** (gamma * (t_f - 1))) == error(gamma, epsilon, t_f - 1)
    else:
        assert certificate["evidence"]["violation"] is None
    truth = {f: error(gamma, epsilon, f) for f in range(t_f, start + 3)}
    assert max(truth.values()) <= t_e
    for entry in certificate["evidence"]["ends"]:
        value, unit = value_and_unit(entry)
        exact = truth[int(entry["f"], 16)]
        assert exact <= value
        assert value - unit < exact or exact == value == 0


@pytest.mark.slow
@settings(max_examples=60)
@given(
    gamma=st.integers(2, 40),
    epsilon=st.fractions(Fraction(1, 4), 12, max_denominator=12),
    t_e=st.fractions(Fraction(1, 64), 1, max_denominator=64)
    | st.integers(0, 40).map(lambda k: Fraction(1, 2**k)),
)
def test_every_threshold_made_is_valid(gamma: int, epsilon: Fraction, t_e: Fraction) -> None:
    assert_valid(threshold_certificate(gamma, epsilon, t_e))


def test_a_large_alpha() -> None:
    certificate = privacy_certificate(10, "3/10", 1000)
    assert len(certificate_text(certificate)) < 200_000
    assert check(certificate).valid
    assert "least at f = 1000" in certificate["statement"]
    assert "least at f = 997" in certificate["statement"]


def test_a_tie_is_broken_toward_the_least_count() -> None:
    certificate = privacy_certificate(3, 3, 5)  # no f' is so far away: 0 at every count
    assert certificate["evidence"]["theorem_4"]["argmin"] == "1"
    assert certificate["evidence"]["theorem_4"]["numerator"] == "0"
    assert check(certificate).valid
    certificate["evidence"]["theorem_4"]["argmin"] = "2"
    assert not check(certificate).valid


def test_a_threshold_certificate_that_is_kept_as_a_file() -> None:
    text = Path(__file__).with_name("threshold.json").read_text(encoding="utf-8")
    assert check_text(text).valid
    example = json.loads(text)
    ours = threshold_certificate(2, "1/2", "1/2")
    assert {**example, "produced_by": None} == {**ours, "produced_by": None}


@pytest.mark.parametrize(
    ("p", "n", "k", "width"),
    [("1/10", 1000, 101, 5061), ("1/10", 1000, 130, 9272), ("9/10", 1000, 905, 696), ("1/5", 10, 3, 30)],
)
def test_tails_are_enclosed_as_narrowly_as_their_roundings_allow(p: str, n: int, k: int, width: int) -> None:
    chance = Fraction(p)
    tail = rounding._Tail(chance).upper(n, k)
    true = sum(math.comb(n, i) * chance**i * (1 - chance) ** (n - i) for i in range(k, n + 1))
    assert tail.bounds().lower <= true <= tail.bounds().upper
    assert tail.upper - tail.lower == width
