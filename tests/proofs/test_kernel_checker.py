"""The checker that Coq has proved agrees with the one in Python, on certificates and on forgeries.

Whatever Python calls valid the proved checker calls valid, unless no theorem covers it. It may accept more: a
statement that is true although the evidence is not what the format prescribes.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from hashlib import sha256
from itertools import product
from math import ceil, comb
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from splu_ref.certificate_checker import MAX_BYTES, Unreadable, check_text
from splu_ref.channels import CertificateError, GroupDraws, Levels
from splu_ref.cli import main
from splu_ref.guarantees import (
    Certificate,
    KernelWord,
    breach_certificate,
    decimal_down,
    decimal_up,
    error_certificate,
    kernel_check,
    kernel_program,
    privacy_certificate,
    rare_privacy_certificate,
    threshold_certificate,
)
from tests.proofs.kernel_certificates import GENERATED, compared

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "vectors" / "certificate"
FOLDER = ROOT / "proofs" / "splu_proofs" / "kernel_checker"
needs_program = pytest.mark.skipif(
    kernel_program() is None, reason="the proved checker is not built: run make coq"
)


def _python(text: str) -> KernelWord:
    try:
        return KernelWord.VALID if check_text(text).valid else KernelWord.FALSE
    except Unreadable:
        return KernelWord.UNREADABLE


def _agree(text: str) -> tuple[KernelWord, KernelWord]:
    """Return both verdicts; fail if Python accepts what the proved checker refuses."""
    first, second = _python(text), kernel_check(text).word
    if first is KernelWord.VALID:
        assert second in {KernelWord.VALID, KernelWord.NOT_COVERED}, text
    return first, second


# ---- the test vectors ---------------------------------------------------------------------------------


def _texts() -> Iterator[str]:
    for path in sorted(VECTORS.glob("*.json")):
        for vector in json.loads(path.read_text())["vectors"]:
            text = vector.get("input", {}).get("text")
            if isinstance(text, str):
                yield text


@needs_program
def test_both_checkers_agree_on_the_vectors() -> None:
    seen = Counter(_agree(text) for text in _texts())
    assert seen[KernelWord.VALID, KernelWord.VALID] >= 45
    assert seen[KernelWord.FALSE, KernelWord.FALSE] >= 150
    assert seen[KernelWord.UNREADABLE, KernelWord.VALID] == 0
    assert seen[KernelWord.VALID, KernelWord.FALSE] == seen[KernelWord.VALID, KernelWord.UNREADABLE] == 0


# ---- generated certificates, and forgeries of them ------------------------------------------------------


@needs_program
@pytest.mark.slow
def test_both_checkers_agree_on_generated_certificates() -> None:
    # they agree on 99 % of certificates, or one of 500 shows it with a probability above 99 %
    rows = compared(500)
    assert {row.claim for row in rows} == set(GENERATED)
    assert all(row.accepted == row.made and not row.refused for row in rows), rows
    assert sum(row.made for row in rows) == 500


@needs_program
@pytest.mark.slow
def test_the_proved_checker_accepts_no_forgery_whose_statement_is_false() -> None:
    choose, seen, beyond = random.Random("forgeries"), 0, 0
    for _ in range(60):  # some twenty of each kind of forgery
        for forged in _forgeries(_plain(choose)):
            text = json.dumps(forged)
            first, second = _agree(text)
            seen += 1
            if second is KernelWord.VALID:
                assert _is_true(forged), text
                beyond += first is KernelWord.FALSE  # true, and not in the form that the format prescribes
    assert seen > 280
    assert beyond < seen // 4


def _plain(choose: random.Random) -> Certificate:
    """Return a generated certificate of one release, with independent draws and a retention of 1/gamma."""
    while True:
        certificate = GENERATED[choose.choice(list(FORGED))](choose)
        if not {"releases", "draws", "retention"} & set(certificate["parameters"]):
            return certificate


def _forgeries(certificate: Certificate) -> Iterator[Any]:
    """Yield certificates whose statement and evidence belong together and were not computed."""
    for change in FORGED[certificate["claim"]]:
        forged = json.loads(json.dumps(certificate))
        change(forged)
        yield forged


def _probability(gamma: int, epsilon: Fraction, f: int, *, strict: bool = False) -> Fraction:
    """Return the probability of an error as a sum over every outcome, in the order of the definition."""
    n, total = gamma * f, 0
    for x in range(n + 1):
        distance = abs(x - f)
        if distance > epsilon * f or (not strict and distance == epsilon * f):
            total += comb(n, x) * (gamma - 1) ** (n - x)
    return Fraction(total, gamma**n)


FORMS = {"theorem_4": True, "definition_2": False}


def _state_privacy(forged: Any, values: dict[str, str]) -> None:
    parameters, evidence = forged["parameters"], forged["evidence"]
    gamma, epsilon = parameters["gamma"], parameters["epsilon"]
    parts = [
        f"|f' - f| {'>' if strict else '>='} ({epsilon}) f has a probability of at least {values[form]}, "
        f"least at f = {int(evidence[form]['argmin'], 16)}"
        for form, strict in FORMS.items()
    ]
    forged["statement"] = (
        f"With gamma = {gamma}, for every count f from 1 to {parameters['alpha']}: {'; '.join(parts)}."
    )


def _least(forged: Any, form: str) -> tuple[int, int]:
    f = int(forged["evidence"][form]["argmin"], 16)
    return int(forged["evidence"][form]["numerator"], 16), int(forged["parameters"]["gamma"]) ** (
        int(forged["parameters"]["gamma"]) * f
    )


def _restated(forged: Any, raised: int = 0) -> None:
    """Write the statement anew from the evidence, each last digit raised."""
    values = {}
    for form in FORMS:
        value = decimal_down(Fraction(*_least(forged, form)), 12)
        digits = re.match(r"[0-9.]+", value)
        assert digits is not None
        if raised:
            more = Fraction(digits.group()) + Fraction(raised, 10**11)
            value = f"{more.numerator / more.denominator:.12g}" + value[digits.end() :]
        values[form] = value
    _state_privacy(forged, values)


def _more_counts(forged: Any) -> None:
    forged["parameters"]["alpha"] = str(int(forged["parameters"]["alpha"]) + 7)
    _restated(forged)


def _other_gamma(forged: Any) -> None:
    forged["parameters"]["gamma"] = str(int(forged["parameters"]["gamma"]) + 1)
    _restated(forged)


def _other_argmin(forged: Any) -> None:
    gamma, epsilon = int(forged["parameters"]["gamma"]), Fraction(forged["parameters"]["epsilon"])
    for form, strict in FORMS.items():
        f = int(forged["evidence"][form]["argmin"], 16) % int(forged["parameters"]["alpha"]) + 1
        top = _probability(gamma, epsilon, f, strict=strict) * gamma ** (gamma * f)
        forged["evidence"][form] |= {"argmin": f"{f:x}", "numerator": f"{int(top):x}"}
    _restated(forged)


def _smaller_numerator(forged: Any) -> None:
    for form in FORMS:
        entry = forged["evidence"][form]
        entry["numerator"] = f"{max(0, int(entry['numerator'], 16) - 1):x}"
    _restated(forged)


def _larger_numerator(forged: Any) -> None:
    for form in FORMS:
        entry = forged["evidence"][form]
        entry["numerator"] = f"{int(entry['numerator'], 16) + 1:x}"
    _restated(forged)


def _raised_decimal(forged: Any) -> None:
    _restated(forged, 1)


def _fewer_candidates(forged: Any) -> None:
    for form in FORMS:
        forged["evidence"][form]["candidates"] = forged["evidence"][form]["candidates"][:-1]


def _state_error(forged: Any) -> None:
    parameters = forged["parameters"]
    gamma, f = int(parameters["gamma"]), int(parameters["frequency"])
    value = decimal_up(Fraction(int(forged["evidence"]["numerator"], 16), gamma ** (gamma * f)), 12)
    forged["statement"] = (
        f"With gamma = {gamma} and the count f = {f}: |f' - f| >= ({parameters['epsilon']}) f has a "
        f"probability of at most {value}, which is exact or rounded up."
    )


def _smaller_error(forged: Any) -> None:
    forged["evidence"]["numerator"] = f"{max(0, int(forged['evidence']['numerator'], 16) - 1):x}"
    _state_error(forged)


def _larger_error(forged: Any) -> None:
    forged["evidence"]["numerator"] = f"{int(forged['evidence']['numerator'], 16) + 1:x}"
    _state_error(forged)


def _wider_error(forged: Any) -> None:
    parameters = forged["parameters"]
    parameters["epsilon"] = str(Fraction(parameters["epsilon"]) / 2)
    f, j = int(parameters["frequency"]), ceil(Fraction(parameters["epsilon"]) * int(parameters["frequency"]))
    window = {"first": max(0, f - j + 1), "last": min(int(parameters["gamma"]) * f, f + j - 1)}
    forged["evidence"] |= {name: f"{number:x}" for name, number in window.items()}
    _state_error(forged)


def _moved(by: int) -> Callable[[Any], None]:
    def move(forged: Any) -> None:
        parameters = forged["parameters"]
        before, parameters["t_f"] = parameters["t_f"], str(max(1, int(parameters["t_f"]) + by))
        gamma, epsilon = int(parameters["gamma"]), Fraction(parameters["epsilon"])
        f = int(parameters["t_f"]) - 1
        top = int(_probability(gamma, epsilon, f) * gamma ** (gamma * f)) if f else 0
        j = ceil(epsilon * f)
        window = {"f": f, "first": max(0, f - j + 1), "last": min(gamma * f, f + j - 1), "numerator": top}
        forged["evidence"]["violation"] = {name: f"{each:x}" for name, each in window.items()} if f else None
        forged["statement"] = (
            f"With gamma = {gamma}: |f' - f| >= ({epsilon}) f has a probability of at most "
            f"{parameters['t_e']} for every count f >= {parameters['t_f']}"
            + (f", and above {parameters['t_e']} at f = {f}." if f else ".")
        )
        assert before

    return move


def _earlier_tail(forged: Any) -> None:
    tail = forged["evidence"]["tail"]
    tail["from"] = f"{max(1, int(tail['from'], 16) // 2):x}"


def _flat_tilts(forged: Any) -> None:
    for side in ("upper", "lower"):
        if forged["evidence"]["tail"][side] is not None:
            forged["evidence"]["tail"][side] |= {"numerator": "1", "denominator": "1"}


def _smaller_t_e(forged: Any) -> None:
    parameters = forged["parameters"]
    before, after = parameters["t_e"], str(Fraction(parameters["t_e"]) * Fraction(9, 10))
    parameters["t_e"] = after
    forged["statement"] = (
        forged["statement"]
        .replace(f"at most {before} ", f"at most {after} ")
        .replace(f"above {before} ", f"above {after} ")
    )


FORGED: dict[str, list[Callable[[Any], None]]] = {
    "small-sum-privacy": [
        _more_counts, _other_gamma, _other_argmin, _smaller_numerator, _larger_numerator, _raised_decimal,
        _fewer_candidates,
    ],
    "error-probability": [_smaller_error, _larger_error, _wider_error],
    "utility-threshold": [
        _moved(-1), _moved(1), _moved(-2), _earlier_tail, _flat_tilts, _smaller_t_e,
    ],
}  # fmt: skip
"""The ways in which certificates of a claim are forged."""


def _is_true(certificate: Any) -> bool:
    """Return whether the statement holds, by brute force; of a threshold, for some counts."""
    parameters = certificate["parameters"]
    gamma, epsilon = int(parameters["gamma"]), Fraction(parameters["epsilon"])
    if certificate["claim"] == "error-probability":
        found = re.search(r"at most ([0-9.e-]+), which", certificate["statement"])
        assert found is not None
        return _probability(gamma, epsilon, int(parameters["frequency"])) <= Fraction(found[1])
    if certificate["claim"] == "utility-threshold":
        t_f, t_e = int(parameters["t_f"]), Fraction(parameters["t_e"])
        below = all(_probability(gamma, epsilon, f) <= t_e for f in range(t_f, t_f + 25))
        return below and (t_f == 1 or _probability(gamma, epsilon, t_f - 1) > t_e)
    said = re.findall(r"of at least ([0-9.e-]+), least at f = ([0-9]+)", certificate["statement"])
    for (value, argmin), strict in zip(said, FORMS.values(), strict=True):
        counts = range(1, int(parameters["alpha"]) + 1)
        every = [_probability(gamma, epsilon, f, strict=strict) for f in counts]
        if min(every) < Fraction(value) or every.index(min(every)) + 1 != int(argmin):
            return False
    return True


def _posterior(x: Fraction, present: Fraction, absent: Fraction) -> Fraction:
    return x * present / (x * present + (1 - x) * absent)


def _is_private(alpha: Fraction, beta: Fraction, d: Fraction, gamma: Fraction) -> bool:
    """Return whether posteriors stay within the bounds, at some priors up to d."""
    for present, absent in ((alpha + beta, beta), (1 - alpha - beta, 1 - beta)):
        for x in (d, d / 2, d / 1000):
            if not d / gamma * x <= _posterior(x, present, absent) <= gamma:
                return False
    return True


def _tuple_certificate(alpha: Fraction, beta: Fraction, d: Fraction, gamma: Fraction) -> Any:
    """Return a certificate of d-gamma whose parts belong together, be it true or not."""
    scale = alpha.denominator * beta.denominator * d.denominator * gamma.denominator
    sides = {
        "published": (beta * gamma * (1 - d), (alpha + beta) * d * (1 - gamma)),
        "unpublished": ((1 - alpha - beta) * gamma, (1 - beta) * d),
    }
    certificate = _certificate()
    certificate |= {
        "claim": "d-gamma",
        "parameters": {"alpha": str(alpha), "beta": str(beta), "d": str(d), "gamma": str(gamma)},
        "statement": f"With alpha = {alpha} and beta = {beta}, the alpha-beta algorithm is ({d}, {gamma})-"
        f"private: for every prior of a tuple above 0 and at most {d}, tuples independent, its posterior is "
        f"at most {gamma}, and at least {d / gamma} times the prior.",
        "evidence": {
            name: {"left": f"{int(left * scale):x}", "right": f"{int(right * scale):x}"}
            for name, (left, right) in sides.items()
        },
    }
    return certificate


@needs_program
@pytest.mark.slow
def test_both_checkers_agree_on_the_privacy_of_tuples() -> None:
    parts = sorted({Fraction(p, q) for q in range(1, 5) for p in range(q + 1)})
    seen: Counter[KernelWord] = Counter()
    for alpha, beta, d, gamma in product(parts, repeat=4):
        if not 0 < alpha <= 1 - beta or not 0 < d <= gamma < 1:
            continue
        first, second = _agree(json.dumps(_tuple_certificate(alpha, beta, d, gamma)))
        assert first is second
        assert (second is KernelWord.VALID) <= _is_private(alpha, beta, d, gamma)
        seen[second] += 1
    assert min(seen[KernelWord.VALID], seen[KernelWord.FALSE]) > 20


def _law(gamma: int, p: Fraction, f: int) -> list[Fraction]:
    """Return the law of f' at a retention probability, one trial after the other."""
    law = [Fraction(1)]
    for chance in [p] * f + [(1 - p) / (gamma - 1)] * ((gamma - 1) * f):
        none, more = [*law, Fraction(0)], [Fraction(0), *law]
        law = [(1 - chance) * x + chance * y for x, y in zip(none, more, strict=True)]
    return law


def _error_at(gamma: int, p: Fraction, epsilon: Fraction, f: int, *, strict: bool) -> Fraction:
    law = _law(gamma, p, f)
    return sum(
        (
            mass
            for x, mass in enumerate(law)
            if abs(x - f) > epsilon * f or (not strict and abs(x - f) == epsilon * f)
        ),
        Fraction(0),
    )


@needs_program
@pytest.mark.slow
def test_a_forgery_at_another_retention_is_accepted_only_if_it_is_true() -> None:
    choose, seen = random.Random("retentions"), Counter[bool]()
    for _ in range(60):
        gamma, epsilon = choose.randint(2, 5), Fraction(choose.randint(1, 6), choose.randint(2, 6))
        p = Fraction(choose.randint(1, 6), 7)
        alpha = choose.randint(1, 6)
        certificate = json.loads(json.dumps(privacy_certificate(gamma, epsilon, alpha, retention=p)))
        assert kernel_check(json.dumps(certificate)).word is KernelWord.VALID
        for form, strict in FORMS.items():
            every = [_error_at(gamma, p, epsilon, f, strict=strict) for f in range(1, alpha + 1)]
            entry = certificate["evidence"][form]
            whole = (p.denominator * ((1 - p) / (gamma - 1)).denominator ** (gamma - 1)) ** int(
                entry["argmin"], 16
            )
            assert Fraction(int(entry["numerator"], 16), whole) == min(every)
            assert int(entry["argmin"], 16) == every.index(min(every)) + 1
            entry["numerator"] = f"{int(entry['numerator'], 16) + choose.choice([-1, 1]):x}"
            assert _agree(json.dumps(certificate))[1] is KernelWord.FALSE
        f = choose.randint(1, 8)
        certificate = json.loads(json.dumps(error_certificate(gamma, epsilon, f, retention=p)))
        top = max(0, int(certificate["evidence"]["numerator"], 16) + choose.choice([-1, 0, 1]))
        whole = (p.denominator * ((1 - p) / (gamma - 1)).denominator ** (gamma - 1)) ** f
        value = decimal_up(Fraction(top, whole), 12)
        certificate["evidence"]["numerator"] = f"{top:x}"
        certificate["statement"] = re.sub(
            r"at most .*, which", f"at most {value}, which", certificate["statement"]
        )
        accepted = _agree(json.dumps(certificate))[1] is KernelWord.VALID
        assert accepted == (Fraction(top, whole) == _error_at(gamma, p, epsilon, f, strict=False))
        seen[accepted] += 1
    assert min(seen.values()) > 10


@needs_program
@pytest.mark.parametrize("name", ["0", "1", "3/2", "1/3", "2/8", "1/" + "9" * 1_000_000, None, [], "-1/2"])
def test_a_retention_that_cannot_be_is_refused(name: object) -> None:
    certificate = json.loads(json.dumps(error_certificate(3, "1/2", 4, retention="1/2")))
    assert kernel_check(json.dumps(certificate)).word is KernelWord.VALID
    certificate["parameters"]["retention"] = name
    assert (
        _python(json.dumps(certificate))
        is kernel_check(json.dumps(certificate)).word
        is KernelWord.UNREADABLE
    )


def test_brute_force_refutes_what_is_false() -> None:
    certificate = privacy_certificate(3, "1/4", 9)
    assert _is_true(certificate)
    changed = json.loads(json.dumps(certificate))
    changed["parameters"]["alpha"] = "60"
    assert not _is_true(changed)
    half = Fraction(1, 2)
    assert not _is_private(half, Fraction(0), half, half)


# ---- files that are no certificates ----------------------------------------------------------------------


HOSTILE = {
    "nothing": "",
    "not JSON": "{",
    "a number": "1",
    "a long number": "1" * 1_000_000,
    "deep lists": "[" * 1_000_000,
    "deep objects": '{"a":' * 500_000,
    "many lists": "[" + "[]," * 1_000_000 + "[]]",
    "many keys": "{" + ",".join(f'"{number}":null' for number in range(300_000)) + "}",
    "a key twice": '{"a":null,"a":null}',
    "no text": "\udcff",
    "too long": " " * (MAX_BYTES + 1),
    "null": "null",
}


@needs_program
@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_is_no_certificate_is_unreadable(name: str) -> None:
    verdict = kernel_check(HOSTILE[name])
    assert verdict.word is KernelWord.UNREADABLE
    assert "\n" not in verdict.reason


def _certificate() -> Any:
    return json.loads(json.dumps(error_certificate(3, "1/2", 4)))


@needs_program
@pytest.mark.parametrize(
    ("path", "value", "word"),
    [
        (("parameters", "gamma"), "9" * 1_000_000, KernelWord.UNREADABLE),
        (("parameters", "gamma"), None, KernelWord.UNREADABLE),
        (("parameters", "gamma"), "03", KernelWord.UNREADABLE),
        (("parameters", "gamma"), "100000000000", KernelWord.UNREADABLE),
        (("parameters", "frequency"), "999999999999", KernelWord.UNREADABLE),
        (("parameters", "epsilon"), "2/4", KernelWord.UNREADABLE),
        (("parameters", "epsilon"), "1/0", KernelWord.UNREADABLE),
        (("parameters", "epsilon"), "0", KernelWord.UNREADABLE),
        (("parameters", "epsilon"), "1/2/3", KernelWord.UNREADABLE),
        (("parameters", "more"), "1", KernelWord.UNREADABLE),
        (("parameters",), [], KernelWord.UNREADABLE),
        (("evidence",), None, KernelWord.UNREADABLE),
        (("evidence", "numerator"), "f" * 1_000_000, KernelWord.FALSE),
        (("evidence", "numerator"), "f" * 2_000_000, KernelWord.FALSE),
        (("evidence", "numerator"), [], KernelWord.FALSE),
        (("evidence", "first"), "0", KernelWord.FALSE),
        (("statement",), "With gamma = 4", KernelWord.FALSE),
        (("statement",), None, KernelWord.FALSE),
        (("schema",), "splu-ref/certificate/2", KernelWord.UNREADABLE),
        (("claim",), "unknown", KernelWord.UNREADABLE),
        (("claim",), "optimal-operator", KernelWord.NOT_COVERED),
        (("produced_by", "version"), "a b", KernelWord.UNREADABLE),
    ],
)
def test_a_wrong_field_is_refused(path: tuple[str, ...], value: object, word: KernelWord) -> None:
    certificate = _certificate()
    holder = certificate
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    text = json.dumps(certificate)
    assert kernel_check(text).word is word
    assert word is KernelWord.NOT_COVERED or _python(text) is word


DEEP = "deep"
REPLACEMENTS: dict[str, Any] = {
    "a long number": "9" * 1_000_000,
    "a long denominator": "1/" + "9" * 1_000_000,
    "a long hexadecimal number": "f" * 1_000_000,
    "deep lists": DEEP,
    "many counts": "1 " * 100_000 + "1",
    "a list of a long number": ["f" * 1_000_000],
    "a long list": ["0"] * 300_000,
    "lists in a list": [["1"]],
    "null in a list": [None],
    "an object": {},
    "null": None,
    "true": True,
    "no letter": "",
    "a negative number": "-1",
}
"""What stands in the place of a field, or of the object that holds fields."""
LARGE = [name for name, value in REPLACEMENTS.items() if value == DEEP or len(json.dumps(value)) > 1_000]
"""Those that take long to read. Each is put into a third of the fields, and in the place of every list."""

COMPUTED = {
    "statement", "argmin", "numerator", "denominator", "secret", "f", "first", "last", "left", "right",
    "upper", "lower",
}  # fmt: skip
"""What the arithmetic gives, so that something else makes a certificate false."""
NOT_READ = {"candidates", "ends", "violation", "f", "first", "last", "numerator", "mantissa", "shift"}
"""What no theorem needs, in some place of a certificate."""
REFUSED = {KernelWord.FALSE, KernelWord.UNREADABLE}


def _fields(holder: Any) -> Iterator[tuple[Any, str]]:
    """Yield every object of a certificate with each of its keys."""
    for key, value in holder.items():
        yield holder, key
        if isinstance(value, dict):
            yield from _fields(value)


@needs_program
@pytest.mark.slow
@pytest.mark.parametrize("name", REPLACEMENTS)
@pytest.mark.parametrize("claim", GENERATED)
def test_a_hostile_field_gets_one_line(claim: str, name: str) -> None:
    certificate = json.loads(json.dumps(GENERATED[claim](random.Random("hostile"))))
    assert kernel_check(json.dumps(certificate)).word is KernelWord.VALID
    for place, (holder, key) in enumerate(_fields(certificate)):
        if name in LARGE and not isinstance(holder[key], list) and (place + LARGE.index(name)) % 3:
            continue
        if key in {"version", "spec"} and name == "a negative number":
            continue  # "-1" is a name like others
        if holder[key] == REPLACEMENTS[name]:
            continue
        value, holder[key] = holder[key], REPLACEMENTS[name]
        text = json.dumps(certificate).replace(json.dumps(DEEP), "[" * 1_000_000 + "]" * 1_000_000)
        holder[key] = value
        verdict = kernel_check(text)
        assert _python(text) in REFUSED, key
        assert verdict.word in REFUSED or key in NOT_READ, key
        assert verdict.word is KernelWord.UNREADABLE or key in COMPUTED | NOT_READ, key
        assert "\n" not in verdict.reason
        assert len(verdict.reason) < 300 or verdict.word is KernelWord.VALID


@needs_program
def test_the_counts_of_a_prior_are_read_and_bounded() -> None:
    levels = Levels(Fraction(1, 10), Fraction(1, 2))
    certificate = json.loads(json.dumps(breach_certificate(Fraction(1, 2), 3, levels, [1, 20, 30])))
    assert _agree(json.dumps(certificate)) == (KernelWord.VALID, KernelWord.VALID)
    hostile: tuple[object, ...] = (None, [], "", "01", "1 1 1 1", "9" * 1_000_000, "9" * 12 + " 1 2")
    for counts in hostile:
        certificate["parameters"]["counts"] = counts
        text = json.dumps(certificate)
        assert _python(text) is kernel_check(text).word is KernelWord.UNREADABLE


@needs_program
def test_a_prior_whose_sums_take_gigabytes_is_not_covered() -> None:
    certificate = json.loads(
        json.dumps(breach_certificate(0, 4, Levels(Fraction(1, 2), Fraction(2, 3)), [1, 1, 1, 1]))
    )
    certificate["parameters"]["counts"] = "1 1 9999999999 9999999999"
    assert kernel_check(json.dumps(certificate)).word is KernelWord.UNREADABLE
    certificate["parameters"]["counts"] = "1 1 400000000 400000000"
    assert kernel_check(json.dumps(certificate)).word is KernelWord.NOT_COVERED
    certificate["parameters"]["counts"] = "1 1 399999999 399999999"
    assert kernel_check(json.dumps(certificate)).word is KernelWord.FALSE  # by its statement, before any sum


TOO_LARGE = {
    "concept-error": ("sensitive_count", "99999"),
    "small-sum-privacy": ("alpha", "401"),
    "utility-threshold": ("t_f", "900000"),
}


@needs_program
@pytest.mark.parametrize("claim", TOO_LARGE)
def test_parameters_of_long_sums_are_refused_by_both(claim: str) -> None:
    made: dict[str, Certificate] = {
        "concept-error": GENERATED["concept-error"](random.Random("large")),
        "small-sum-privacy": rare_privacy_certificate(3, "1/2", 5, GroupDraws("all-or-none", 999)),
        "utility-threshold": threshold_certificate(3, "1/2", "1/4", retention="1/2"),
    }
    certificate, (name, value) = json.loads(json.dumps(made[claim])), TOO_LARGE[claim]
    assert _agree(json.dumps(certificate)) == (KernelWord.VALID, KernelWord.VALID)
    certificate["parameters"][name] = value
    if claim == "concept-error":
        certificate["parameters"]["rows"] = str(99_999 * 1_000)
        certificate["parameters"]["gamma"] = "2"
    text = json.dumps(certificate)
    assert _python(text) is kernel_check(text).word is KernelWord.UNREADABLE


@needs_program
@pytest.mark.parametrize("claim", ["error-probability", "utility-threshold"])
def test_all_or_none_draws_are_refused_where_python_refuses_them(claim: str) -> None:
    choose = random.Random("draws")
    certificate = json.loads(json.dumps(GENERATED[claim](choose)))
    certificate["parameters"].pop("retention", None)
    certificate["parameters"]["draws"] = "all-or-none:999"
    text = json.dumps(certificate)
    assert _python(text) is kernel_check(text).word is KernelWord.UNREADABLE


@needs_program
def test_a_file_is_read_by_name_and_a_folder_is_refused(tmp_path: Path) -> None:
    program = kernel_program()
    assert program is not None
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(_certificate()))
    runs = [(file, 0), (tmp_path, 2), (tmp_path / "none.json", 2), (Path("/dev/zero"), 2)]
    for name, code in runs:
        done = subprocess.run([program, name], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout.count("\n"), done.stderr) == (code, 1, "")


# ---- the command ------------------------------------------------------------------------------------------


def _program(folder: Path, answer: str, code: int) -> Path:
    path = folder / "splu-kernel-check"
    path.write_text(f"#!/bin/sh\ncat > /dev/null\necho '{answer}'\nexit {code}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize(
    ("answer", "exit_code", "code"),
    [("valid: so", 0, 0), ("false: no", 1, 1), ("unreadable: no", 2, 1), ("not covered: no", 3, 3)],
)
def test_the_command_prints_both_verdicts(
    answer: str,
    exit_code: int,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    program = _program(tmp_path, answer, exit_code)
    monkeypatch.setattr("splu_ref.guarantees.kernel_checker.kernel_program", lambda: program)
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(_certificate()))
    assert main(["check", str(file), "--kernel", "--json"]) == code
    said = json.loads(capsys.readouterr().out)
    assert (said["valid"], said["kernel"]["verdict"]) == (True, answer.partition(":")[0])
    assert main(["check", str(file), "--kernel"]) == code
    assert "proved checker" in capsys.readouterr().out
    file.write_text(file.read_text().replace("at most", "at least"))
    assert main(["check", str(file), "--kernel"]) == 1


def test_a_program_without_a_verdict_is_an_error(tmp_path: Path) -> None:
    for answer, code in (("valid: so", 1), ("nothing", 0), ("", 77)):
        with pytest.raises(CertificateError, match="ended without a verdict"):
            kernel_check("{}", program=_program(tmp_path, answer, code))


def test_a_checker_that_runs_long_is_stopped(tmp_path: Path) -> None:
    program = tmp_path / "slow"
    program.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    program.chmod(0o700)
    with pytest.raises(CertificateError, match="did not finish in"):
        kernel_check("{}", program=program, seconds=1)


def test_without_the_program_the_command_says_how_to_build_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("splu_ref.guarantees.kernel_checker.kernel_program", lambda: None)
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(_certificate()))
    assert main(["check", str(file), "--kernel"]) == 2
    assert "run make coq" in capsys.readouterr().err
    assert main(["check", str(file)]) == 0


# ---- what is committed ------------------------------------------------------------------------------


def test_what_coq_printed_is_free_of_axioms() -> None:
    printed = (FOLDER / "statements.txt").read_text()
    requested = re.findall(r"^Print Assumptions (\w+)\.", (FOLDER / "Statements.v").read_text(), re.MULTILINE)
    assert printed.count("Closed under the global context\n") == len(requested) >= 4
    assert "Axioms:" not in printed
    proved = re.findall(
        r"^(?:Theorem|Corollary) (\w+)",
        "".join(path.read_text() for path in sorted(FOLDER.glob("*.v"))),
        re.MULTILINE,
    )
    assert set(proved) == set(requested)


# ---- faults in the checker break its proof ---------------------------------------------------------------


FAULTS = {
    "none": ("Tuples", "(g_num c <? g_den c)", "(g_num c <? g_den c)", "DGamma"),
    "an argmin of 0": ("Minimum", "(1 <=? argmin w)", "true", "Privacy"),
    "any numerator": (
        "Minimum", "(numerator g H (distance strict p q H) =? least w)", "(least w =? least w)", "Privacy",
    ),
    "any decimal": ("Minimum", "(value_num w * whole <=? least w * value_den w)", "true", "Privacy"),
    "a posterior below the level": (
        "Replacement", "(rho2_num l * seen l own all <=? seen l own set * rho2_den l)", "true", "Belief",
    ),
    "an observed value outside the set": ("Replacement", "is_in (observed c) (secret c)", "true", "Belief"),
    "an observed value without records": ("Replacement", "(1 <=? own)", "true", "Belief"),
    "a retention of 1": ("Replacement", "(p_num l <? p_den l)", "true", "Safe"),
    "any amplification": (
        "Replacement", "(most * ratio_den c =? ratio_num c * rest)", "true", "Safe",
    ),
    "chances that do not belong together": (
        "Retention", "(other_num r * own_den r * (g - 1) =? (own_den r - own_num r) * other_den r)", "true",
        "RetentionLaw",
    ),
    "a retention of 1 in a law": ("Retention", "(own_num r <? own_den r)", "true", "RetentionLaw"),
    "any bound of an error at a retention": (
        "Retention", "(e_top c * e_value_den c <=? e_value_num c * whole_at r g (e_count c))", "true",
        "RetentionLaw",
    ),
    "a count that is never compared": (
        "Retention", "not_less_at h (numerator_at r g h j')", "true", "RetentionPrivacy",
    ),
    "a larger argmin at a retention": ("Retention", "(argmin w <=? alpha)", "true", "RetentionPrivacy"),
    "any decimal at a retention": (
        "Retention", "(value_num w * whole_at r g H <=? least w * value_den w)", "true", "RetentionPrivacy",
    ),
    "a goal that was divided too often": ("Lower", "(steps <=? d) && ", "", "Scales"),
    "a goal that is rounded down": ("Lower", "(low + 1 <? tails", "(low <? tails", "Scales"),
    "counts before the argmin": ("Minimum", "(f' =? argmin w)", "(f' <=? argmin w)", "Privacy"),
    "any bound of an error": (
        "Checker", "(e_top c * e_value_den c <=? e_value_num c * power (e_gamma c) (e_gamma c * e_count c))",
        "true", "Privacy",
    ),
    "a gamma of 1": ("Tuples", "(g_num c <? g_den c)", "true", "DGamma"),
    "a tilt below 1": ("Rounding", "(high_den c <=? high_num c)", "true", "Threshold"),
    "a tilt of 0 for any error": (
        "Rounding", "((1 <=? low_num c) || (t_num c =? t_den c))", "true", "Threshold",
    ),
    "a threshold that is not the least at a retention": ("Rounding", " && no_smaller_at", "", "Threshold"),
    "counts before the tail at a retention": ("Rounding", " && ends_fit_at", "", "Threshold"),
    "any numerator under all-or-none draws": (
        "Exact", "(rare_numerator (argmin w) =? least w)", "true", "AllOrNone",
    ),
    "counts that are not compared under all-or-none draws": (
        "Exact", "ok && rare_not_less (f + 1)", "ok", "AllOrNone",
    ),
    "any error of a concept": (
        "Exact", "(k_top c * k_value_den c <=? k_value_num c * power (k_gamma c) owners)", "true", "Concept",
    ),
    "an estimate that does not exist": (
        "Exact", "if k_rows c <=? g * s then true", "if k_rows c <=? g * s then false", "Concept",
    ),
    "any belief in a single value once it is seen": ("Replacement", "(alone <=? goal)", "true", "SafeCounts"),
    "sums of counts that are not bounded": (
        "Replacement", "N.min left ((goal - alone) / step) + 1", "left + 1", "SafeCounts",
    ),
    "a belief above the level": (
        "Replacement", "(most_num c * rho2_den l <? rho2_num l * most_den c)", "true", "SafeCounts",
    ),
}  # fmt: skip
"""A file of the checker, a condition in it and what replaces it, and the proof that then fails."""


SAMPLE = ["none", "a gamma of 1"]
"""Faults that are tried in every run: of the proof that Coq compiles soonest."""
RECORD = Path(__file__).with_name("kernel_faults.txt")
"""By fault the digest of what Coq read when the proof failed: a fault whose files change is tried again."""


def _digest(name: str) -> str:
    """Return SHA-256 of a fault and of the proof that fails with all that it imports from the two folders."""
    read: dict[str, str] = {}

    def enter(module: str) -> None:
        if module not in read:
            [path] = FOLDER.parent.glob(f"[ck]*/{module}.v")
            read[module] = path.read_text()
            for imported in re.findall(r"^From (?:Kernel|SPLU) Require Import ([^.]+)\.", read[module], re.M):
                for each in imported.split():
                    enter(each)

    enter(FAULTS[name][3])
    return sha256(repr((FAULTS[name], sorted(read.items()))).encode()).hexdigest()


def _tried(name: str, folder: Path) -> None:
    """Have Coq compile the proof with a fault, which must fail, and there."""
    module, condition, replacement, proof = FAULTS[name]
    for part in ("coq", "kernel_checker"):
        shutil.copytree(FOLDER.parent / part, folder / part)
    file = folder / "kernel_checker" / f"{module}.v"
    assert file.read_text().count(condition) == 1
    file.write_text(file.read_text().replace(condition, replacement))
    command = ["make", "-C", str(folder / "kernel_checker"), f"{proof}.vo"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode == 0) == (name == "none"), done.stderr
    assert name == "none" or f'File "./{proof}.v"' in done.stderr


@needs_program
@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_the_proof_fails_if_a_condition_is_dropped(name: str, tmp_path: Path) -> None:
    if name in SAMPLE or f"{_digest(name)} {name}" not in RECORD.read_text().splitlines():
        _tried(name, tmp_path)


def test_a_fault_is_tried_again_once_what_its_proof_imports_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {name: _digest(name) for name in FAULTS}
    for part in ("coq", "kernel_checker"):
        shutil.copytree(FOLDER.parent / part, tmp_path / part, ignore=shutil.ignore_patterns("*.vo"))
    monkeypatch.setattr(f"{__name__}.FOLDER", tmp_path / "kernel_checker")
    assert {name: _digest(name) for name in FAULTS} == before
    with (tmp_path / "coq" / "Sawtooth.v").open("a") as file:
        file.write("(* a remark *)\n")
    kept = {FAULTS[name][3] for name in FAULTS if _digest(name) == before[name]}
    assert kept == {"DGamma", "Belief", "Safe", "SafeCounts"}  # which are about single records


def _write() -> None:
    """Try every fault that is not recorded, and print the record."""
    recorded = RECORD.read_text().splitlines() if RECORD.exists() else []
    for name in FAULTS:
        line = f"{_digest(name)} {name}"
        if line not in recorded:
            with TemporaryDirectory() as folder:
                _tried(name, Path(folder))
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _write()
