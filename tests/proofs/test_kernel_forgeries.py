"""Forged certificates: the proved checker accepts one only if its statement is true.

Truth is decided by brute force: the law of f' at a retention trial by trial, the numbers of successes one by
one, the pairs of published counts one by one, the sets of values one by one.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import pytest

from splu_ref.channels import GroupDraws, Levels
from splu_ref.guarantees import (
    KernelWord,
    breach_certificate,
    decimal_down,
    decimal_up,
    kernel_check,
    kernel_program,
    rare_privacy_certificate,
    threshold_certificate,
)
from tests.proofs.kernel_certificates import GENERATED, concept_error
from tests.proofs.test_kernel_checker import FORMS, _agree, _error_at

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(kernel_program() is None, reason="the proved checker is not built: run make coq"),
]


def _copy(certificate: Any) -> Any:
    return json.loads(json.dumps(certificate))


def _accepted(certificate: Any) -> bool:
    return _agree(json.dumps(certificate))[1] is KernelWord.VALID


def test_a_threshold_at_another_retention_is_accepted_only_if_it_is_true() -> None:
    choose, seen = random.Random("thresholds"), Counter[bool]()
    for _ in range(25):
        gamma, epsilon = choose.randint(2, 4), Fraction(choose.randint(2, 6), 4)
        p, t_e = Fraction(choose.choice([1, 3, 5, 6]), 7), Fraction(1, choose.randint(3, 8))
        made = _copy(threshold_certificate(gamma, epsilon, t_e, retention=p))
        assert _accepted(made)
        for by in (-2, -1, 1, 2):
            forged, parameters = _copy(made), made["parameters"]
            t_f = int(parameters["t_f"]) + by
            if t_f < 1:
                continue
            forged["parameters"]["t_f"] = str(t_f)
            above = f", and above {t_e} at f = {t_f - 1}" if t_f > 1 else ""
            forged["statement"] = re.sub(
                "for every count .*", f"for every count f >= {t_f}{above}.", made["statement"]
            )
            if t_f == 1:
                forged["evidence"]["violation"] = None
            elif forged["evidence"]["violation"] is None:
                forged["evidence"]["violation"] = {"f": "1", "first": "0", "last": "1", "numerator": "1"}
            errors = [_error_at(gamma, p, epsilon, f, strict=False) for f in range(max(1, t_f - 1), t_f + 6)]
            true = max(errors[t_f > 1 :]) <= t_e and (t_f == 1 or errors[0] > t_e)
            seen[true] += 1
            assert not true  # the least threshold is one number
            assert not _accepted(forged), forged
        for side in ("upper", "lower"):
            if made["evidence"]["tail"][side] is not None:
                forged = _copy(made)
                forged["evidence"]["tail"][side] |= {"numerator": "1", "denominator": "1"}
                assert not _accepted(forged)
    assert seen[False] > 60


def test_all_or_none_draws_are_accepted_only_if_the_statement_is_true() -> None:
    choose, seen = random.Random("all or none"), Counter[bool]()
    for _ in range(40):
        gamma, alpha = choose.randint(2, 6), choose.randint(1, 12)
        epsilon = Fraction(choose.randint(1, 12), choose.randint(1, 12))
        made = _copy(rare_privacy_certificate(gamma, epsilon, alpha, GroupDraws("all-or-none", 20)))
        words, evidence = [], made["evidence"]
        move, shift = choose.choice([0, 0, 1]), choose.choice([-1, 0, 0, 1])
        true = True
        for form, strict in FORMS.items():
            every = [
                sum(
                    Fraction(comb(f, y) * (gamma - 1) ** (f - y), gamma**f)
                    for y in range(f + 1)
                    if abs(gamma * y - f) > epsilon * f or (not strict and abs(gamma * y - f) == epsilon * f)
                )
                for f in range(1, alpha + 1)
            ]
            argmin = (int(evidence[form]["argmin"], 16) - 1 + move) % alpha + 1
            top = max(0, int(every[argmin - 1] * gamma**argmin) + shift)
            evidence[form] = {"argmin": f"{argmin:x}", "numerator": f"{top:x}"}
            value = decimal_down(Fraction(top, gamma**argmin), 12)
            words.append(
                f"|f' - f| {'>' if strict else '>='} ({epsilon}) f has a probability of at least {value}, "
                f"least at f = {argmin}"
            )
            true &= every.index(min(every)) + 1 == argmin and Fraction(top, gamma**argmin) == min(every)
        made["statement"] = (
            f"With gamma = {gamma} and draws = all-or-none:20, for every count f from 1 to {alpha}: "
            f"{'; '.join(words)}."
        )
        assert _accepted(made) == true, made
        seen[true] += 1
    assert min(seen.values()) > 8


def test_a_concept_is_accepted_only_with_its_own_error() -> None:
    choose, seen = random.Random("concepts"), Counter[bool]()
    for _ in range(60):
        made = _copy(GENERATED["concept-error"](choose))
        parameters = {name: int(value) for name, value in made["parameters"].items() if name != "epsilon"}
        gamma, epsilon = parameters.pop("gamma"), Fraction(made["parameters"]["epsilon"])
        changed = choose.choice([*parameters, "numerator", "nothing"])
        top = int(made["evidence"]["numerator"], 16)
        if changed in parameters:
            more = gamma if changed == "rows" else 1
            parameters[changed] += more
            made["parameters"][changed] = str(parameters[changed])
        elif changed == "numerator":
            top += 1
        rows, f, count, both, decoys = parameters.values()
        value = decimal_up(Fraction(top, gamma ** (gamma * f)), 12)
        made["evidence"]["numerator"] = f"{top:x}"
        made["statement"] = (
            f"With gamma = {gamma}: where x3 = {both} of the {count} records of a predicate carry a value, "
            f"which f = {f} of {rows} records carry and which {decoys} others of the predicate have among "
            f"their decoys, the corrected estimate of x3 is off by at least ({epsilon}) x3 with a "
            f"probability of at most {value}, which is exact or rounded up."
        )
        outside = gamma * f - both - decoys
        fits = both <= f and both + decoys <= count and decoys <= (gamma - 1) * f and outside <= rows - count
        exact = fits and concept_error(gamma, epsilon, rows, f, count, both, decoys) == Fraction(
            top, gamma ** (gamma * f)
        )
        assert _accepted(made) == exact, made
        seen[exact] += 1
    assert min(seen.values()) > 8


def _largest(p: Fraction, values: int, counts: list[int], low: Fraction) -> Fraction:
    """Return the largest belief in a set of values with a prior of at most ``low``, once a value is seen."""
    total, largest = sum(counts), Fraction(0)
    law = counts + [0] * (values - len(counts))
    for size in range(1, values + 1):
        for chosen in combinations(range(values), size):
            weight = sum(law[place] for place in chosen)
            if weight > low * total:
                continue
            for seen in range(values):
                joint = [
                    Fraction(law[place], total) * (p * (place == seen) + (1 - p) / values)
                    for place in range(values)
                ]
                every = sum(joint, Fraction(0))
                if every:
                    largest = max(largest, sum((joint[place] for place in chosen), Fraction(0)) / every)
    return largest


def test_given_counts_a_bound_on_beliefs_is_accepted_if_and_only_if_it_is_true() -> None:
    choose, seen = random.Random("beliefs"), Counter[bool]()
    while sum(seen.values()) < 120:
        values = choose.randint(2, 6)
        counts = [choose.randint(1, 9) for _ in range(choose.randint(2, values))]
        low, high = sorted([Fraction(choose.randint(1, 19), 20), Fraction(choose.randint(1, 19), 20)])
        p = Fraction(choose.randint(0, 12), 12)
        if low == high:
            continue
        made = _copy(breach_certificate(p, values, Levels(low, high), counts))
        if made["claim"] != "safe":
            continue
        largest = _largest(p, values, counts, low)
        said = Fraction(
            *(int(made["evidence"]["largest"][name], 16) for name in ("numerator", "denominator"))
        )
        assert said == largest
        assert _accepted(made)
        most = max(Fraction(0), largest + Fraction(choose.choice([-1, 1]), choose.choice([7, 100, 10**6])))
        if most >= high:
            continue
        made["evidence"]["largest"] = {
            "numerator": f"{most.numerator:x}",
            "denominator": f"{most.denominator:x}",
        }
        made["statement"] = re.sub("to more than .*, below", f"to more than {most}, below", made["statement"])
        assert (kernel_check(json.dumps(made)).word is KernelWord.VALID) == (most >= largest), made
        seen[most >= largest] += 1
    assert min(seen.values()) > 20
