"""Decimal text: on the right side, by less than one unit of its last digit."""

from __future__ import annotations

import sys
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from splu_ref.channels import Bounds
from splu_ref.channels.binomial import MOST, left, one_budget
from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import decimal_down, decimal_up, decimals, exact_json, integer_text

positives = st.builds(
    lambda x, e: x * Fraction(10) ** e,
    st.fractions(min_value=Fraction(1, 10**6), max_value=10**6),
    st.integers(-40, 40),
)


@given(positives, st.integers(1, 30))
@example(Fraction(999_999, 10**6), 3)
@example(Fraction(1), 1)
@example(Fraction(10) ** -7, 2)
def test_decimals_enclose_within_one_unit_of_the_last_digit(x: Fraction, digits: int) -> None:
    down, up = decimal_down(x, digits), decimal_up(x, digits)
    assert Fraction(down) <= x <= Fraction(up)
    size = next(e for e in range(-60, 60) if Fraction(10) ** e <= x < Fraction(10) ** (e + 1))
    unit = Fraction(10) ** (size + 1 - digits)
    assert x - Fraction(down) < unit
    assert Fraction(up) - x < unit
    for text in (down, up):
        figures = text.split("e")[0].replace(".", "").lstrip("0")
        assert len(figures.rstrip("0")) <= digits


@pytest.mark.parametrize(
    ("x", "digits", "down", "up"),
    [
        (Fraction(0), 5, "0", "0"),
        (Fraction(1), 5, "1", "1"),
        (Fraction(1, 2), 12, "0.5", "0.5"),
        (Fraction(2, 3), 4, "0.6666", "0.6667"),
        (Fraction(1) - Fraction(1, 10**20), 4, "0.9999", "1.000"),
        (Fraction(1, 3 * 10**6), 3, "3.33e-7", "3.34e-7"),
        (Fraction(1, 3 * 10**5), 3, "0.00000333", "0.00000334"),
        (Fraction(1, 3 * 10**300), 3, "3.33e-301", "3.34e-301"),
        (Fraction(10**300), 3, "1e300", "1e300"),
        (Fraction(123_456), 3, "1.23e5", "1.24e5"),
        (Fraction(120), 3, "120", "120"),
        (Fraction(100), 3, "100", "100"),
        (Fraction(612_579_511, 10**9), 8, "0.61257951", "0.61257952"),
    ],
)
def test_known_texts(x: Fraction, digits: int, down: str, up: str) -> None:
    assert (decimal_down(x, digits), decimal_up(x, digits)) == (down, up)


def test_enclosures_give_their_outer_ends() -> None:
    bounds = Bounds(Fraction(1, 3), Fraction(2, 3))
    assert (decimal_down(bounds, 3), decimal_up(bounds, 3)) == ("0.333", "0.667")
    assert exact_json(bounds, "down") == {"fraction": None, "decimal": "0.3", "digits": 0}
    narrow = Bounds(Fraction("0.12345"), Fraction("0.12349"))
    assert exact_json(narrow, "down", 9) == {"fraction": None, "decimal": "0.1234", "digits": 4}
    assert exact_json(narrow, "up", 9) == {"fraction": None, "decimal": "0.1235", "digits": 4}


def test_fractions_are_written_out_up_to_ten_thousand_digits() -> None:
    limit = sys.get_int_max_str_digits()
    written = exact_json(Fraction(1, 3**20_000), "down", 5)  # 9,543 digits
    assert written["digits"] == 5
    text = written["fraction"]
    assert text is not None
    assert text.startswith("1/")
    assert len(text) == 2 + 9543
    assert int(text[2:602]) == 3**20_000 // 10 ** (9543 - 600)
    assert exact_json(Fraction(1, 10**10_000 - 1), "down")["fraction"] is not None
    assert exact_json(Fraction(1, 10**10_000), "down")["fraction"] is None
    assert exact_json(Fraction(5, 9), "up", 3) == {"fraction": "5/9", "decimal": "0.556", "digits": 3}
    assert sys.get_int_max_str_digits() == limit


@given(st.integers(0, 30_000), st.integers(0, 10**20))
@example(8_000, 0)
@example(12_001, 7)
def test_integers_of_any_size_are_written(zeros: int, low: int) -> None:
    value = 10**zeros + low
    text = integer_text(value)
    assert not text.startswith("0")
    total = 0
    for start in range(0, len(text), 4000):
        block = text[start : start + 4000]
        total = total * 10 ** len(block) + int(block)
    assert total == value


def test_no_digits_is_refused() -> None:
    with pytest.raises(ParameterError, match="digits"):
        decimal_down(Fraction(1, 2), 0)


@pytest.mark.parametrize(
    "x",
    [
        Fraction(3**80, 1 << 30_000), Fraction(1, 10**7000), Fraction(10**7000 + 1, 10**14_000),
        Fraction(10**7000 - 1, 10**14_000), Fraction(2**30_001, 3**20_000), Fraction(7**9000),
        Fraction(1999999999999 * 10**7000 + 1, 10**9000),
    ],
)  # fmt: skip
@pytest.mark.parametrize("digits", [1, 12, 40])
def test_first_digits_from_an_enclosure_are_those_of_the_number(
    x: Fraction, digits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    quickly = decimal_down(x, digits), decimal_up(x, digits)
    monkeypatch.setattr(decimals, "_LONG_BITS", 10**9)
    assert quickly == (decimal_down(x, digits), decimal_up(x, digits))


def test_first_digits_of_a_tiny_number_are_found_without_long_powers_of_ten() -> None:
    with one_budget():
        assert decimal_up(Fraction(1, 1 << 4_000_000)) == "1.04074438201e-1204120"
        assert MOST - left() < 10**8


@pytest.mark.parametrize("digits", [1, 3, 12, 40])
def test_first_digits_are_found_at_once(digits: int) -> None:
    """Also where twenty zeros follow them: bits for more than that are taken; forty are left to division."""
    first = int(("123456789" * 5)[:digits])
    for x, shift in (
        (first + Fraction(1, 10**20), 0),
        (first + Fraction(1, 10**20), 7000),
        (first + Fraction(1, 10**20), -10_000),
        (first + Fraction(1, 3), -1),
        (first + Fraction(1, 3), 1),
    ):
        assert decimals._leading(x * Fraction(10) ** shift, digits) == (first, digits - 1 + shift)
    assert decimals._leading((first + Fraction(1, 10**40)) * Fraction(10) ** 7000, digits) is None
    assert decimals._leading(first * Fraction(10) ** 7000, digits) is None  # perhaps all of them
