"""Whatever the file says, the checker answers in one line, soon, and without a traceback."""

import contextlib
import copy
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref import certificate_checker
from splu_ref.certificate_checker import MAX_BYTES, Unreadable, check, check_text, main
from splu_ref.guarantees import (
    certificate_text,
    error_certificate,
    privacy_certificate,
    threshold_certificate,
)
from splu_ref.spec import (
    certificates_counts,
    certificates_draws,
    certificates_grammar,
    certificates_limits,
    certificates_operators,
    certificates_replacement,
)
from tests.pace import within

PRIVACY = privacy_certificate(10, "3/10", 3)
THRESHOLD = threshold_certificate(3, "9/10", "1/10")


@pytest.mark.parametrize(
    "text",
    [
        "", "null", "[]", "{}", '"schema"', "NaN", "Infinity", "1e999999999", "9" * 1_000_000, "[" * 100_000,
        '{"a":' * 100_000, "[" * 100_000 + "]" * 100_000, '{"schema": "x", "schema": "x"}', "\x00",
        "\ufeff{}", '"\\ud800"', "{'schema': 1}", " " * (MAX_BYTES + 1), certificate_text(PRIVACY) * 2,
        certificate_text(PRIVACY)[:-3], certificate_text(PRIVACY).replace("certificate/1", "certificate/2"),
        certificate_text(PRIVACY).replace('"claim"', '"claims"'),
        certificate_text(PRIVACY).replace('"alpha": "3"', '"alpha": "3", "alpha": "3"'),
        certificate_text(PRIVACY).replace('"alpha": "3"', '"alpha": 3'),
        certificate_text(PRIVACY).replace('"alpha": "3"', '"alpha": "\u0663"'),
        certificate_text(PRIVACY).replace('"alpha": "3"', '"alpha": "3\\n"'),
    ],
)  # fmt: skip
def test_texts_that_are_no_certificate(text: str) -> None:
    with pytest.raises(Unreadable) as caught:
        check_text(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x80", certificate_text(PRIVACY).encode("utf-16")])
def test_bytes_that_are_no_text(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(content)
    assert main([str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.out.startswith("unreadable: ")
    assert printed.out.count("\n") == 1
    assert printed.err == ""


@pytest.mark.parametrize(
    "parameters",
    [
        {"gamma": "10", "epsilon": "3/10", "alpha": "100001"},
        {"gamma": "2", "epsilon": "1/1000000", "alpha": "600000"},
        {"gamma": "1000000", "epsilon": "1/2", "alpha": "1"},
        {"gamma": "10", "epsilon": "1", "alpha": "50000"},
        {"gamma": "3", "epsilon": "4", "alpha": "300000"},
        {"gamma": "10", "epsilon": "1/25", "alpha": "50000"},  # only the terms of all sums together
        {"gamma": "999999999999", "epsilon": "999999999999", "alpha": "999999999999"},
        {"gamma": "2", "epsilon": "1/" + "9" * 400, "alpha": "999999999999"},
        {"gamma": "2", "epsilon": "9" * 400, "alpha": "999999999"},
    ],
)
def test_work_without_bound_is_refused_before_it_starts(parameters: dict[str, str]) -> None:
    certificate = copy.deepcopy(PRIVACY) | {"parameters": parameters}
    with within(1), pytest.raises(Unreadable, match="too large"):
        check(certificate)


def test_extreme_tilts_are_judged_in_little_time_and_memory() -> None:
    largest = "f" * 64
    for upper in ((largest, "1"), (largest, "e" + "f" * 63), ("1", "1")):
        for lower in (("1", largest), ("1", "1"), ("e" + "f" * 63, largest)):
            certificate = copy.deepcopy(THRESHOLD)
            for side, (numerator, denominator) in (("upper", upper), ("lower", lower)):
                certificate["evidence"]["tail"][side].update(numerator=numerator, denominator=denominator)
            tracemalloc.start()
            with contextlib.suppress(Unreadable):  # a fraction not in lowest terms
                assert not check(certificate).valid
            assert tracemalloc.get_traced_memory()[1] < 50_000_000
            tracemalloc.stop()


def test_zero_at_very_many_counts_takes_no_time() -> None:
    certificate = copy.deepcopy(PRIVACY)
    certificate["parameters"] = {"gamma": "3", "epsilon": "5", "alpha": "20000"}
    with within(5):
        assert not check(certificate).valid


SMALL_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.slow
@settings(max_examples=150)
@given(
    base=st.sampled_from([PRIVACY, THRESHOLD]),
    path=st.lists(st.integers(min_value=0, max_value=9), max_size=5),
    junk=SMALL_JSON,
)
def test_junk_at_any_place(base: dict[str, Any], path: list[int], junk: object) -> None:
    certificate: Any = copy.deepcopy(base)
    parent, key, value = None, None, certificate
    for step in path:
        keys = (
            list(value)
            if isinstance(value, dict)
            else list(range(len(value)))
            if isinstance(value, list)
            else []
        )
        if not keys:
            break
        parent, key = value, keys[step % len(keys)]
        value = parent[key]
    if parent is None:
        certificate = junk
    else:
        parent[key] = junk
    with contextlib.suppress(Unreadable):
        valid = check(certificate).valid
        assert not valid or certificate == base or certificate["produced_by"] != base["produced_by"]


@settings(max_examples=100)
@given(junk=SMALL_JSON)
def test_any_json_text(junk: object) -> None:
    with pytest.raises(Unreadable):
        check_text(json.dumps(junk))


@settings(max_examples=100)
@given(content=st.binary(max_size=200))
def test_any_bytes(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("hostile") / "c.json"
    path.write_bytes(content)
    assert main([str(path)]) == 2


def _bare(claim: str, parameters: dict[str, str], evidence: dict[str, Any]) -> dict[str, Any]:
    return {**PRIVACY, "claim": claim, "parameters": parameters, "statement": "", "evidence": evidence}


_SIDE = {"numerator": "1", "denominator": "1", "mantissa": "", "shift": ""}


def _forms(candidates: list[Any]) -> dict[str, Any]:
    form = {"argmin": "1", "numerator": "1", "candidates": candidates}
    return {"theorem_4": form, "definition_2": form}


@pytest.mark.parametrize(
    "certificate",
    [
        _bare("small-sum-privacy", {"gamma": "2", "epsilon": "1", "alpha": "18500"}, _forms([])),
        _bare("small-sum-privacy", {"gamma": "2", "epsilon": "1", "alpha": "18500"}, _forms([0] * 18_499)),
        _bare(
            "utility-threshold",
            {"gamma": "2", "epsilon": "1", "t_e": "1/2", "t_f": "1"},
            {"violation": None, "ends": [], "tail": {"from": "4844", "upper": _SIDE, "lower": _SIDE}},
        ),
    ],
)
def test_lists_of_another_length_are_refuted_before_any_probability(
    certificate: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificate_checker, "_bound", None)
    monkeypatch.setattr(certificate_checker, "_numerator", None)
    verdict = check(certificate)
    assert not verdict.valid
    assert "entries, and the arithmetic gives" in verdict.reason


@pytest.mark.parametrize("certificate", [PRIVACY, THRESHOLD, error_certificate(10, "3/10", 3)])
def test_a_statement_of_other_words_is_refuted_before_any_probability(
    certificate: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_bound", "_numerator", "_chernoff"):
        monkeypatch.setattr(certificate_checker, name, None)
    for statement in ("", certificate["statement"].replace("gamma", "Gamma"), certificate["statement"] + " "):
        verdict = check({**certificate, "statement": statement})
        assert (verdict.valid, verdict.reason) == (False, "statement is not what the arithmetic gives")


def _spent(certificate: dict[str, Any]) -> int:
    check(certificate)
    return certificate_checker.MAX_SUMMED - certificate_checker._unspent.get()


def test_dyadic_probabilities_cost_the_few_terms_of_their_tails() -> None:
    for gamma, epsilon in (("2", "1"), ("4", "3")):
        certificate = privacy_certificate(gamma, epsilon, 1000)
        assert _spent(certificate) < 10**8
        assert check(certificate).valid


def test_exact_sums_are_refused_once_they_are_too_large_together(monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = privacy_certificate(2, 1, 40)
    spent = _spent(certificate)
    assert check(certificate).valid
    monkeypatch.setattr(certificate_checker, "MAX_SUMMED", spent)
    assert check(certificate).valid
    monkeypatch.setattr(certificate_checker, "MAX_SUMMED", spent - 1)
    with pytest.raises(Unreadable, match="too large together"):
        check(certificate)


@pytest.mark.parametrize("values", [None, "3"])
@pytest.mark.parametrize("t_f", ["1000000000", "300000000000"])
def test_a_bound_far_below_any_number_is_never_written_out(t_f: str, values: str | None) -> None:
    """Its denominator would be 2 to the power of some 10^11: more than memory holds."""
    column = "" if values is None else f", in a column of {values} values"
    parameters = {"gamma": "3", "epsilon": "1/2", "t_e": "1/10", "t_f": t_f, "draws": "capped:1"}
    claim = {
        **PRIVACY,
        "claim": "utility-bound",
        "parameters": parameters if values is None else {**parameters, "values": values},
        "statement": f"With gamma = 3 and draws = capped:1{column}, whatever the table: |f' - f| >= (1/2) f "
        f"has a probability of at most 1/10 for every count f >= {t_f}.",
        "evidence": {
            side: {"numerator": p, "denominator": q, "mantissa": "1", "shift": "1"}
            for side, p, q in (("upper", "3", "2"), ("lower", "1", "2"))
        },
    }
    tracemalloc.start()
    try:
        assert "mantissa is not what" in check(claim).reason
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_limits_are_those_of_the_specification() -> None:
    stated = {
        "MAX_BYTES": certificates_grammar.MOST_BYTES,
        "MAX_TRIALS": certificates_limits.MOST_TRIALS,
        "MAX_BITS": certificates_limits.MOST_BITS,
        "MAX_EXACT": certificates_limits.MOST_EXACT,
        "MAX_TERMS": certificates_limits.MOST_TERMS,
        "MAX_SUMMED": certificates_limits.MOST_EXACT_WITH_RETENTION,
        "MAX_OWNERS": certificates_counts.MOST_CONCEPT_TRIALS,
        "MAX_PAIRS": certificates_counts.MOST_CONCEPT_OUTCOMES,
        "MAX_RARE": certificates_counts.MOST_WITH_ALL_OR_NONE,
        "MAX_VALUES": certificates_replacement.MOST_COUNTS,
        "MAX_SUMS": certificates_replacement.MOST_SUMS,
        "MAX_SETS": certificates_operators.MOST_PAIRS,
        "MAX_GROUP": certificates_draws.MOST_GROUP,
        "MAX_NOISE": certificates_draws.MOST_SLOTS,
        "MAX_TILT": certificates_draws.MOST_TILT_BITS,
    }
    assert {name: getattr(certificate_checker, name) for name in stated} == stated
    # MAX_EXPONENT limits no certificate: above it every sum exceeds any level that a parameter can give.
    limits = {name for name in vars(certificate_checker) if name.startswith("MAX_")}
    assert limits - {"MAX_EXPONENT"} == stated.keys()
