"""Decimal text of exact numbers, rounded in the requested direction, and how long work reports progress."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Literal, TypeAlias, TypedDict

from splu_ref.channels import Bounds, Enclosure, Exact, integer, long_product, spend

Progress: TypeAlias = Callable[[int, int], None]
"""Called repeatedly with the number of counts treated and the number in all."""


_LONGEST_FRACTION = 10_000  # digits of a numerator or denominator that are still written out
_BLOCK, _BLOCK_BITS = 4_000, 14_000  # digits and bits converted at once: Python refuses 4,301 digits
_LONG_BITS = 20_000  # of a numerator or denominator whose first digits are taken from an enclosure
_PLAIN_ZEROS = 6  # zeros after the decimal point before scientific notation sets in


class ExactJson(TypedDict):
    """An exact probability as it stands in JSON output."""

    fraction: str | None
    decimal: str
    digits: int


def decimal_down(x: Fraction | Bounds, digits: Exact = 12) -> str:
    """Return a decimal number that is at most ``x``, with ``digits`` significant digits.

    Parameters
    ----------
    x
        A rational number, or an enclosure, of which the lower end is taken.
    digits
        Significant digits, at least 1. Trailing zeros are left out where the decimal is exact.

    Returns
    -------
    str
        Such as ``"0.61257951"`` or, below 1e-6 and from 10**digits on, ``"1.2345e-300"``.

    Raises
    ------
    ParameterError
        For ``digits`` below 1.
    """
    return _text(x.lower if isinstance(x, Bounds) else x, integer(digits, "digits", 1), up=False)


def decimal_up(x: Fraction | Bounds, digits: Exact = 12) -> str:
    """Return a decimal number that is at least ``x``; as `decimal_down`, from an upper end."""
    return _text(x.upper if isinstance(x, Bounds) else x, integer(digits, "digits", 1), up=True)


def exact_json(x: Fraction | Bounds, rounding: Literal["down", "up"], digits: Exact = 12) -> ExactJson:
    """Return ``x`` as ``{"fraction": "p/q" or None, "decimal": "0.61...", "digits": n}``.

    Parameters
    ----------
    x
        A nonnegative rational number or an enclosure of one.
    rounding
        ``"down"`` for a privacy level, ``"up"`` for an error probability.
    digits
        Significant digits wanted, at least 1.

    Returns
    -------
    dict
        ``fraction`` is None for an enclosure and beyond 10,000 digits. ``digits`` is how many of the
        decimal's digits are those of the exact number rounded in that direction; an enclosure may allow
        fewer than wanted, down to 0, where the decimal is a bound in the stated direction and no more.
    """
    wanted = integer(digits, "digits", 1)
    up = rounding == "up"
    if isinstance(x, Fraction):
        return {"fraction": _fraction_text(x), "decimal": _text(x, wanted, up=up), "digits": wanted}
    while wanted and _text(x.lower, wanted, up=up) != _text(x.upper, wanted, up=up):
        wanted -= 1
    end = x.upper if up else x.lower
    return {"fraction": None, "decimal": _text(end, max(wanted, 1), up=up), "digits": wanted}


def integer_text(value: int) -> str:
    """Return the decimal digits of an integer >= 0 of any size, whatever Python's conversion limit."""
    digits: list[str] = []
    _append_digits(digits, value, 0)
    return "".join(digits)


def _append_digits(pieces: list[str], value: int, width: int) -> None:
    """Append the digits of ``value``, padded with zeros to ``width``, halving until they are few."""
    if value.bit_length() <= _BLOCK_BITS:
        pieces.append(str(value).zfill(width))
        return
    blocks = value.bit_length() * 30103 // 100_000 // _BLOCK  # 30103/100000 > log10(2)
    low_width = (blocks + 1) // 2 * _BLOCK
    high, low = divmod(value, 10**low_width)
    _append_digits(pieces, high, max(0, width - low_width))
    _append_digits(pieces, low, low_width)


def _fraction_text(x: Fraction) -> str | None:
    if max(x.numerator, x.denominator) >= 10**_LONGEST_FRACTION:
        return None
    return f"{integer_text(x.numerator)}/{integer_text(x.denominator)}"


def _text(x: Fraction, digits: int, *, up: bool) -> str:
    if x < 0:
        return f"-{_text(-x, digits, up=not up)}"
    if x == 0:
        return "0"
    length = max(x.numerator.bit_length(), x.denominator.bit_length())
    spend(20 * (length // 30 + digits))
    if length > _LONG_BITS and (leading := _leading(x, digits)) is not None:
        mantissa, exponent = leading
        return _placed_rounded(mantissa + up, exponent, digits, exactly=False)
    spend(4 * long_product(max(length, 4 * digits)))
    # x lies within a factor of 2 of 2**size; the power of ten of its first digit is at most one off
    size = x.numerator.bit_length() - x.denominator.bit_length()
    exponent = (size - 1) * 30103 // 100_000
    while _reaches(x, exponent + 1):
        exponent += 1
    while not _reaches(x, exponent):
        exponent -= 1
    scale = digits - 1 - exponent
    above, below = x.numerator * 10 ** max(scale, 0), x.denominator * 10 ** max(-scale, 0)
    mantissa, remainder = divmod(above, below)
    return _placed_rounded(mantissa + (up and remainder > 0), exponent, digits, exactly=not remainder)


def _leading(x: Fraction, digits: int) -> tuple[int, int] | None:
    """Return the first ``digits`` digits of ``x`` and the power of ten of the first, quickly.

    None if an enclosure leaves them open, or leaves open whether there are more.
    """
    size = x.numerator.bit_length() - x.denominator.bit_length()
    nearby = (size - 1) * 30103 // 100_000
    for exponent in range(nearby - 1, nearby + 3):
        scale = digits - 1 - exponent
        bits = 4 * digits + 64 + 2 * abs(scale).bit_length()
        power = Enclosure.power(Fraction(10) if scale >= 0 else Fraction(1, 10), abs(scale), bits)
        scaled = Enclosure.of(x.numerator).scaled(1, x.denominator, bits).times(power, bits)
        if not -bits <= scaled.exponent <= 0:  # far from 10**digits
            continue
        mantissa = scaled.lower >> -scaled.exponent
        settled = mantissa == scaled.upper >> -scaled.exponent
        if settled and scaled.lower > mantissa << -scaled.exponent and len(integer_text(mantissa)) == digits:
            return mantissa, exponent
    return None


def _placed_rounded(mantissa: int, exponent: int, digits: int, *, exactly: bool) -> str:
    """Return the text of a mantissa of ``digits`` digits, or of one more after rounding up."""
    text = integer_text(mantissa)
    if len(text) > digits:  # rounded up to the next power of ten
        text, exponent = text[:-1], exponent + 1
    return _placed(text.rstrip("0") if exactly else text, exponent, digits)


def _reaches(x: Fraction, exponent: int) -> bool:
    """Return whether x >= 10**exponent."""
    power = 10 ** abs(exponent)
    if exponent >= 0:
        return bool(x.numerator >= x.denominator * power)
    return bool(x.numerator * power >= x.denominator)


def _placed(text: str, exponent: int, digits: int) -> str:
    """Put the decimal point into significant digits whose first one stands for 10**exponent."""
    if 0 <= exponent < digits:
        text = text.ljust(exponent + 1, "0")
        whole_part, fraction_part = text[: exponent + 1], text[exponent + 1 :]
    elif -_PLAIN_ZEROS <= exponent < 0:
        whole_part, fraction_part = "0", "0" * (-exponent - 1) + text
    else:
        return f"{_pointed(text[0], text[1:])}e{exponent}"
    return _pointed(whole_part, fraction_part)


def _pointed(whole_part: str, fraction_part: str) -> str:
    return f"{whole_part}.{fraction_part}" if fraction_part else whole_part
