"""What the checker computes with: sums and their work, enclosures, decimals, and the line it prints."""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest

from splu_ref import certificate_checker as checker
from splu_ref.certificate_checker import MAX_SUMMED, law_of, main
from splu_ref.certificates import certificate_text, error_certificate, privacy_certificate
from splu_ref.guarantees import decimal_down, decimal_up

ENDS = [checker._Between(low, high, at) for high in range(4) for low in range(high + 1) for at in (-2, 0, 1)]


def ends(number: checker._Between) -> tuple[Fraction, Fraction]:
    return Fraction(2) ** number.exponent * number.low, Fraction(2) ** number.exponent * number.high


def test_numbers_between_two_bounds_are_exact_while_they_are_short() -> None:
    for one in ENDS:
        for other in ENDS:
            (low, high), (least, most) = ends(one), ends(other)
            assert ends(one.plus(other)) == (low + least, high + most)
            assert ends(one.times(other)) == (low * least, high * most)
            if least:
                lower, upper = ends(one.over(other))
                assert lower <= low / most <= high / least <= upper
                assert max(low / most - lower, upper - high / least) * 2**380 <= high / least


def test_long_numbers_are_rounded_outward_to_384_bits() -> None:
    long = checker._Between(2**400 + 1, 2**400 + 3, -7)
    for found, truth in (
        (long._trim(), ends(long)),
        (long.times(long), tuple(end**2 for end in ends(long))),
        (long.plus(checker._Between(1, 1, -2000)), tuple(end + Fraction(1, 2**2000) for end in ends(long))),
        (checker._power(3, 1000), (Fraction(3) ** 1000,) * 2),
        (checker._power(3, 0), (Fraction(1),) * 2),
    ):
        lower, upper = ends(found)
        assert lower <= truth[0] <= truth[1] <= upper
        assert (upper - lower) * 2**370 <= upper
        assert found.high.bit_length() <= 385
    for m in (0, 1, 63, 64, 65, 128, 1000):
        exact = 1
        for factor in range(2, m + 1):
            exact *= factor
        lower, upper = ends(checker._factorial(m))
        assert lower <= exact <= upper
        assert (upper - lower) * 2**370 <= upper


@pytest.mark.parametrize(
    ("retention", "costs", "sizes"),
    [("1/5", (15, 750, 2550, 150, 0, 0), (150, 1)), ("2/7", (46, 2990, 4370, 11_500, 0, 0), (230, 1))],
)
def test_exact_sums_and_the_work_that_is_counted_for_them(
    retention: str, costs: tuple[int, ...], sizes: tuple[int, int]
) -> None:
    law = law_of(5, Fraction(retention))
    p, q = Fraction(law.u, law.w), Fraction(law.s, law.t)
    assert (p, law.plain) == (Fraction(retention), retention == "1/5")
    assert p + 4 * q == 1
    assert checker._sizes(law, 10) == sizes
    for (f, j), cost in zip(((1, 1), (10, 3), (10, 9), (10, 40), (10, 41), (3, 13)), costs, strict=True):
        checker._unspent.set(MAX_SUMMED)
        found = Fraction(checker._numerator(law, f, j), law.whole(f))
        assert MAX_SUMMED - checker._unspent.get() == cost
        own = [comb(f, k) * p**k * (1 - p) ** (f - k) for k in range(f + 1)]
        others = [comb(4 * f, k) * q**k * (1 - q) ** (4 * f - k) for k in range(4 * f + 1)]
        assert found == sum(
            a * b for x, a in enumerate(own) for y, b in enumerate(others) if abs(x + y - f) >= j
        )
    checker._unspent.set(costs[1] - 1)
    with pytest.raises(checker.Unreadable, match="too large together"):
        checker._numerator(law, 10, 3)
    checker._unspent.set(costs[1])
    assert checker._numerator(law, 10, 3) > 0


@pytest.mark.parametrize(
    ("numerator", "denominator"),
    [
        (0, 7), (1, 1), (1, 2), (1, 3), (5, 9), (1, 10**6), (1, 10**7), (3, 2 * 10**6), (1, 3 * 10**5),
        (10**12 - 1, 10**12), (10**13 - 1, 10**13), (10**13 - 1, 10**17), (123_456_789_012_345, 10**20),
        (1, 7 * 10**9), (2**40 + 1, 2**200), (1, 8192), (1, 2**43), (99_999_999_999_951, 10**15),
    ],
)  # fmt: skip
def test_decimals_are_those_of_the_library(numerator: int, denominator: int) -> None:
    value = Fraction(numerator, denominator)
    assert checker._decimal(numerator, denominator, up=False) == decimal_down(value)
    assert checker._decimal(numerator, denominator, up=True) == decimal_up(value)


def test_the_one_line_that_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    certificate, path = error_certificate(10, "0.3", 5), tmp_path / "c.json"
    false = {**certificate, "evidence": {**certificate["evidence"], "numerator": "1"}}
    for text, code, line, claim in (
        (certificate_text(certificate), 0, f"valid: {certificate['statement']}", "error-probability"),
        (
            json.dumps(false),
            1,
            "false: evidence.numerator is not what the arithmetic gives",
            "error-probability",
        ),
        ("{", 2, "unreadable: the file is not JSON, or nested too deeply", None),
        ('{"a":"1","a":"2"}', 2, "unreadable: a key stands twice in the same object", None),
        ("[1]", 2, "unreadable: a number stands outside a string", None),
    ):
        path.write_text(text)
        assert main([str(path)]) == code
        assert capsys.readouterr().out == line + "\n"
        assert main([str(path), "--json"]) == code
        assert json.loads(capsys.readouterr().out) == {
            "valid": code == 0, "claim": claim, "reason": line.split(": ", 1)[1],
        }  # fmt: skip
    path.write_bytes(b"\xff")
    for named in (str(path), str(tmp_path), str(tmp_path / "absent\n")):
        assert main([named]) == 2
        assert capsys.readouterr().out == f"unreadable: no text can be read from {named!a}\n"
    for words in ([], ["a", "b"], ["--json"]):
        assert main(words) == 2
        assert "usage: python certificate_checker.py FILE [--json]" in capsys.readouterr().out


def test_as_many_bytes_as_a_checker_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, text = tmp_path / "c.json", certificate_text(privacy_certificate(3, "1/2", 2))
    path.write_text(text + " " * (4_000_000 - len(text)))
    assert main([str(path)]) == 0
    path.write_text(text + " " * (4_000_001 - len(text)))
    assert main([str(path)]) == 2
    assert capsys.readouterr().out.endswith("unreadable: the certificate is longer than 4000000 bytes\n")


def test_runs_of_counts_with_one_error() -> None:
    for epsilon in (Fraction(1, 7), Fraction(1, 2), Fraction(999, 1000)):
        for strict in (False, True):
            errors = {f: checker._error(f, epsilon, strict=strict) for f in range(1, 41)}
            firsts = [(f, j) for f, j in errors.items() if errors.get(f - 1) != j]
            assert checker._runs(epsilon, 40, strict=strict) == firsts
