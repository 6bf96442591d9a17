"""What the checker computes with: sums and their work, enclosures, decimals, and the line it prints."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest

from splu_ref import certificate_checker as checker
from splu_ref.certificate_checker import MAX_SUMMED, law_of, main
from splu_ref.guarantees import (
    certificate_text,
    concept_certificate,
    error_certificate,
    privacy_certificate,
    threshold_certificate,
)

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


def test_long_numbers_count_by_their_digits() -> None:
    law = law_of(3, Fraction(12_345_678_901, 10**11))
    assert checker._sizes(law, 4) == (452, 3)
    checker._unspent.set(MAX_SUMMED)
    checker._numerator(law, 4, 2)
    assert MAX_SUMMED - checker._unspent.get() == 452 * 3 * 6


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


@pytest.mark.parametrize(
    ("gamma", "n", "x", "upper", "width"),
    [
        (5, 50, 20, True, (624, -394)),
        (5, 50, 3, False, (14, -391)),
        (10, 1000, 130, True, (11_725, -393)),
        (10, 1000, 70, False, (1068, -394)),
        (2, 10, 10, True, (1, -393)),
        (5, 50, 51, True, (0, 0)),
    ],
)
def test_the_width_of_a_tail(gamma: int, n: int, x: int, upper: bool, width: tuple[int, int]) -> None:
    found, share = checker._tail(gamma, n, x, upper=upper), Fraction(1, gamma)
    assert (found.high - found.low, found.exponent) == width
    reached = range(x, n + 1) if upper else range(x + 1)
    truth = sum(comb(n, k) * share**k * (1 - share) ** (n - k) for k in reached)
    assert ends(found)[0] <= truth <= ends(found)[1]


@pytest.mark.parametrize(
    ("gamma", "retention", "f", "epsilon", "most"),
    [
        (10, "1/10", 1000, "3/10", 17_331),  # two tails of 1154 terms each, of 40,000,000 in all
        (10, "1/10", 1000, "1/1000", 15_772),
        (10, "1/10", 10, "3/10", 41_322),
        (10, "2/7", 100, "3/10", 265_814),
        (5, "1/3", 1000, "3/10", 10_970),
        (5, "1/3", 30, "5", 264_900),
    ],
)
def test_how_many_probabilities_are_computed(
    gamma: int, retention: str, f: int, epsilon: str, most: int
) -> None:
    law = law_of(gamma, Fraction(retention))
    checker.refuse_if_too_large(law, f, Fraction(epsilon), most)
    with pytest.raises(checker.Unreadable, match="too large for a check in bounded time"):
        checker.refuse_if_too_large(law, f, Fraction(epsilon), most + 1)


def test_the_largest_counts_that_are_checked() -> None:
    law, kept = law_of(10, Fraction(1, 10)), law_of(5, Fraction(1, 3))
    checker.refuse_if_too_large(law, 100_000, Fraction(14_997, 200_000), 0)  # 15,000 terms of 4,000,000 bits
    checker.refuse_if_too_large(kept, 80_581, Fraction(1, 10), 0)
    for refused in (
        (law, 100_000, Fraction(14_998, 200_000), 0),
        (law, 100_001, Fraction(1, 200_000), 0),
        (kept, 80_582, Fraction(1, 10), 0),
    ):
        with pytest.raises(checker.Unreadable, match="too large for a check in bounded time"):
            checker.refuse_if_too_large(*refused)


def test_the_calls_of_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[int, Fraction, int]] = []
    monkeypatch.setattr(checker, "refuse_if_too_large", lambda _, *given: calls.append(given))
    for certificate in (
        privacy_certificate(3, "1/2", 5, 2),  # of each form as many runs as counts
        privacy_certificate(3, "1/5", 7),  # of each form floor(7/5) + 1
        error_certificate(3, "1/2", 4),
        threshold_certificate(3, "1/2", "1/10"),
    ):
        assert checker.check(certificate).valid
    half, t_f, start = Fraction(1, 2), int(certificate["parameters"]["t_f"]), certificate["evidence"]["tail"]
    gap = int(start["from"], 16) - t_f
    assert gap > 2
    assert calls == [
        (10, half, 10),
        (7, Fraction(1, 5), 4),
        (4, half, 0),
        (t_f + gap, half, gap // 2 + 1),
    ]


def test_a_tilt_of_one_proves_nothing_and_is_on_neither_wrong_side() -> None:
    certificate: Any = threshold_certificate(3, "1/2", "1/10")
    one = {"numerator": "1", "denominator": "1", "mantissa": f"{2**255:x}", "shift": "ff"}
    start = int(certificate["evidence"]["tail"]["from"], 16)
    for side in ("upper", "lower"):
        changed = copy.deepcopy(certificate)
        changed["evidence"]["tail"][side] = one
        verdict = checker.check(changed)
        assert not verdict.valid
        assert verdict.reason == f"the Chernoff bound from f = {start} on is above 1/10"


@pytest.mark.parametrize(
    ("gamma", "rows", "f", "n", "x3", "decoys"),
    [
        (2, 8, 2, 3, 1, 1), (2, 8, 2, 3, 2, 0), (2, 8, 2, 3, 1, 2), (2, 4, 2, 2, 1, 1), (3, 9, 2, 4, 1, 2),
        (3, 9, 3, 5, 2, 3), (3, 12, 2, 8, 2, 4), (2, 6, 3, 6, 3, 3), (2, 4, 1, 1, 1, 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("epsilon", ["1/4", "1/2", "1", "3/2"])
def test_a_concept_against_every_pair_of_counts(
    gamma: int, rows: int, f: int, n: int, x3: int, decoys: int, epsilon: str
) -> None:
    share, distance, inside = Fraction(1, gamma), Fraction(epsilon), x3 + decoys
    wrong = Fraction(0)
    for y3 in range(inside + 1):
        for y1 in range(gamma * f - inside + 1):
            trials = ((inside, y3), (gamma * f - inside, y1))
            chance = Fraction(1)
            for total, seen in trials:
                chance *= comb(total, seen) * share**seen * (1 - share) ** (total - seen)
            published = y3 + y1
            if gamma * published < rows:
                raw = Fraction(
                    gamma * (rows - published) * y3 - n * (gamma - 1) * published, rows - gamma * published
                )
                if abs(min(max(raw, Fraction(0)), Fraction(n)) - x3) < distance * x3:
                    continue
            wrong += chance
    counts = {"rows": rows, "sensitive_count": f, "predicate_count": n, "concept_count": x3}
    certificate: Any = concept_certificate(gamma, epsilon, **counts, decoys_in_predicate=decoys, error=wrong)
    verdict = checker.check(certificate)
    assert verdict.valid, verdict.reason
    assert verdict.reason == certificate["statement"]
    certificate["evidence"]["numerator"] = f"{int(certificate['evidence']['numerator'], 16) + 1:x}"
    assert not checker.check(certificate).valid
