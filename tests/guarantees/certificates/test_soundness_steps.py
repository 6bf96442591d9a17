"""Every step of the checker removed or altered in turn: a false certificate that only this step rejects.

The forgeries are consistent with themselves: a checker without the step says that they are valid.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from splu_ref import certificate_checker
from splu_ref.channels import GroupDraws
from splu_ref.guarantees import (
    Noise,
    dependent_draws_certificate,
    dependent_draws_threshold,
    privacy_certificate,
    threshold_certificate,
)

SOURCE = Path(certificate_checker.__file__).read_text(encoding="utf-8")
Parameters = dict[str, str]


def built(source: str) -> ModuleType:
    """Return the checker of another source text."""
    module = ModuleType("bent_checker")
    sys.modules[module.__name__] = module  # where a dataclass looks for the module it stands in
    exec(compile(source, "bent_checker.py", "exec"), vars(module))
    return module


def outcome(module: ModuleType, text: str) -> str:
    try:
        return "valid" if module.check_text(text).valid else "false"
    except module.Unreadable:
        return "unreadable"
    except Exception:
        return "breaks"


def shape(claim: str, parameters: Parameters) -> Any:
    """Return evidence with the keys of a claim whose evidence follows from its parameters."""
    form = {"argmin": "", "numerator": ""} | ({} if "draws" in parameters else {"candidates": ""})
    if parameters.get("draws", "").startswith("capped"):
        form["candidates"] = ""
    sides = {"left": "", "right": ""}
    return {
        "small-sum-privacy": {"theorem_4": form, "definition_2": form},
        "error-probability": {"f": "", "first": "", "last": "", "numerator": ""},
        "concept-error": {"numerator": ""},
        "d-gamma": {"published": sides, "unpublished": sides},
        "safe": {"largest": {"numerator": "", "denominator": ""}},
    }.get(claim)


def consistent(module: ModuleType, claim: str, parameters: Parameters, evidence: Any = None) -> str:
    """Return the certificate whose statement and evidence are what ``module`` computes."""
    kept = {name: getattr(module, name) for name in ("_compare", "_framed", "_as_long")}
    vars(module).update(
        _compare=lambda *_: None, _framed=lambda *_: None, _as_long=lambda _, computed, __: list(computed)
    )
    given = evidence or shape(claim, parameters)
    module._unspent.set(module.MAX_SUMMED)
    statement, found = module._CLAIMS[claim][2](parameters, given, None)
    vars(module).update(kept)
    whole = {
        "schema": module.SCHEMA,
        "claim": claim,
        "parameters": parameters,
        "statement": statement,
        "evidence": found,
        "produced_by": {"version": "1", "spec": "2"},
    }
    return json.dumps(whole)


def tail(start: int, upper: str | None, lower: str | None) -> dict[str, Any]:
    """Return the witnesses of a threshold: where the tail begins, and its tilts."""

    def side(tilt: str | None) -> dict[str, str] | None:
        if tilt is None:
            return None
        p, _, q = tilt.partition("/")
        return {"numerator": f"{int(p):x}", "denominator": f"{int(q or 1):x}", "mantissa": "", "shift": ""}

    return {
        "violation": None,
        "ends": None,
        "tail": {"from": f"{start:x}", "upper": side(upper), "lower": side(lower)},
    }


# ---- steps that refuse ------------------------------------------------------------------------------


def leaves(test: ast.expr) -> Iterator[ast.expr]:
    """Yield the conditions any of which is enough."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        for value in test.values:
            yield from leaves(value)
    elif isinstance(test, ast.BoolOp) and isinstance(test.values[-1], ast.BoolOp):
        yield from leaves(test.values[-1])  # any of which is enough where the others hold
    elif isinstance(test, ast.IfExp):
        yield from leaves(test.body)
        yield from leaves(test.orelse)
    else:
        yield test


def refusals() -> dict[tuple[str, str], str]:
    """Return the source without each condition for which the checker raises, by function and condition."""
    lines = SOURCE.splitlines(keepends=True)
    assert SOURCE.isascii(), "places are counted in bytes"
    found = {}
    for function in ast.walk(ast.parse(SOURCE)):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if not isinstance(node, ast.If) or not isinstance(node.body[-1], ast.Raise):
                continue
            for leaf in leaves(node.test):
                assert leaf.end_lineno is not None
                assert leaf.end_col_offset is not None
                begin = sum(map(len, lines[: leaf.lineno - 1])) + leaf.col_offset
                end = sum(map(len, lines[: leaf.end_lineno - 1])) + leaf.end_col_offset
                key = function.name, " ".join(SOURCE[begin:end].split())
                if function.name == "check_text" and key[1].startswith("len(dict"):
                    continue  # it stands in the function within
                found[key] = f"{SOURCE[:begin]}False{SOURCE[end:]}"
    return found


REFUSALS = refusals()
TUPLES = {"alpha": "2/5", "beta": "1/5", "d": "1/4", "gamma": "1/2"}  # both conditions hold with equality
SMALL = {"gamma": "10", "epsilon": "3/10", "alpha": "3"}
ERROR = {"gamma": "3", "epsilon": "1/2", "frequency": "4"}
LEAST = {"gamma": "3", "epsilon": "1/2", "t_e": "1/4"}
CONCEPT = {
    "gamma": "2",
    "epsilon": "1/2",
    "rows": "12",
    "sensitive_count": "2",
    "predicate_count": "4",
    "concept_count": "2",
    "decoys_in_predicate": "1",
}
PRIOR = {"retention": "1/2", "values": "4", "rho1": "1/5", "rho2": "1/2", "counts": "2 3 10 5"}
ANY = {name: PRIOR[name] for name in ("retention", "values", "rho1", "rho2")}
SEEN = {"secret": ["0"], "observed": "0"}  # from 1/10 to (1 + 1/4) / (1 + 5/2) = 5/14
BOUNDED_PRIOR = {**PRIOR, "rho2": "5/14"}
ROWS = {"retention": "1/2", "share": "1/4", "epsilon": "1/2", "delta": "1/10", "rows": "13"}
POOR: dict[str, dict[str, str]] = {
    "violation": {"count": "b", "first": "", "last": "", "numerator": ""},
    "bound": {"from": "18"},
}
FEW = {**ROWS, "rows": "7"}
FIVE = {**POOR, "violation": {**POOR["violation"], "count": "5"}}
PAIR = {**PRIOR, "rho1": "1/4", "counts": "2 3 15"}  # two values together, and no single one as much
PRIVACY = json.dumps(privacy_certificate(10, "3/10", 3))
CANDIDATES = json.loads(PRIVACY)["evidence"]["theorem_4"]["candidates"]
THRESHOLD = threshold_certificate(3, "1/2", "1/4")
T_F = int(THRESHOLD["parameters"]["t_f"])
TAIL = int(THRESHOLD["evidence"]["tail"]["from"], 16)
CAPPED = GroupDraws("capped", 4)
SLOTS = dependent_draws_certificate(
    dependent_draws_threshold(3, "1/10", "1/10", CAPPED, Noise.of(CAPPED, 3, 5))
)
FROM = int(SLOTS["parameters"]["t_f"])
DRAWN: dict[str, str] = SLOTS["parameters"]
RARE = {"gamma": "3", "epsilon": "2/5", "alpha": "4", "draws": "all-or-none:4"}
# No error is so large.
SURE = {"gamma": "3", "epsilon": "3", "t_e": "1/10", "t_f": "5", "draws": "capped:4"}


def replaced(*path: str, value: Any) -> str:
    """Return the certificate of T_P with something else at a place."""
    certificate = json.loads(PRIVACY)
    place = certificate
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(certificate)


def bare(claim: str, parameters: Parameters, evidence: Any) -> str:
    """Return a certificate of which nothing but parameters and evidence is right."""
    top = json.loads(PRIVACY)
    return json.dumps(
        {**top, "claim": claim, "parameters": parameters, "evidence": evidence, "statement": ""}
    )


def shipped_tilts(sides: dict[str, Any]) -> list[str]:
    """Return the tilts of a true certificate."""
    return [
        f"{int(each['numerator'], 16)}/{int(each['denominator'], 16)}"
        for each in (sides["upper"], sides["lower"])
    ]


def shipped_tail() -> dict[str, Any]:
    """Return the witnesses of the true certificate."""
    return tail(TAIL, *shipped_tilts(THRESHOLD["evidence"]["tail"]))


def with_tilt(side: str, numerator: str, denominator: str, whole: dict[str, Any] = THRESHOLD) -> str:
    """Return the certificate of T_f with another tilt."""
    certificate = json.loads(json.dumps(whole))
    sides = certificate["evidence"].get("tail", certificate["evidence"])
    sides[side].update(numerator=numerator, denominator=denominator)
    return json.dumps(certificate)


def tilted(upper: str | None, lower: str | None) -> dict[str, Any]:
    """Return the witnesses of a bound of draws."""
    sides = tail(1, upper, lower)["tail"]
    return {side: sides[side] for side in ("upper", "lower")}


TILTS = shipped_tilts(SLOTS["evidence"])
Forged = tuple[str, Parameters, Any]
# Ten records, nine of them with the second value; at rho1 = 1/5 the first value is protected.
PAIRED = {"counts": "1 9", "rho1": "1/5", "rho2": "1/2", "keep": "mean", "against": "values"}
ALL = {**PAIRED, "against": "any"}
FREE = {**PAIRED, "rho1": "1/20"}  # nothing is protected


def operator(
    matrix: str,
    rows: str,
    prices: list[tuple[str, str, str]] | None = None,
    weights: str = "1 1",
    scale: int = 2,
) -> dict[str, Any]:
    """Return the evidence of an operator; a matrix is written "1 0, 1 2 / 3": rows and denominator."""
    entries, _, unit = matrix.partition("/")
    return {
        "denominator": unit.strip() or "1",
        "matrix": [row.split() for row in entries.split(",")],
        "scale": f"{scale:x}",
        "weights": weights.split(),
        "rows": rows.split(),
        "prices": [
            {"published": seen, "secret": secret.split(), "amount": amount}
            for seen, secret, amount in prices or []
        ],
    }


def priced(published: str, secret: str) -> dict[str, Any]:
    """Return what would prove that 5/6 is the most, if the price were right."""
    return operator("3 0, 1 2 / 3", "c 12", [(published, secret, "4")], "12 12", 36)


def spoiled(name: str, value: Any) -> dict[str, Any]:
    """Return evidence of the best operator where nothing is protected, with something else at a place."""
    return {**operator("1 0, 0 1", "1 1"), name: value}


TRIPLE = {**PAIRED, "counts": "1 1 8", "keep": "share", "against": "sets"}
BEST = operator(
    "8 0 0, 0 0 8, 1 0 7 / 8",
    "0 0 8",
    [("1", "1", "1"), ("0", "0 1", "2"), ("1", "0 1", "1")],
    "1 1 8",
    10,
)
FORGED: dict[tuple[str, str], str | Forged] = {
    ("_concept_error", "rows % gamma"): ("concept-error", {**CONCEPT, "rows": "13"}, None),
    ("_concept_error", "not fits"): ("concept-error", {**CONCEPT, "predicate_count": "2"}, None),
    ("_utility_threshold", "start < 1"): (
        "utility-threshold",
        {**LEAST, "t_e": "1", "t_f": "1"},
        tail(0, None, None),
    ),
    ("_utility_threshold", "t_e > 1"): (
        "utility-threshold",
        {**LEAST, "t_e": "3/2", "t_f": "1"},
        tail(1, None, None),
    ),
    # A tail that begins at once, where the bound proves nothing: T_f would be 2.
    ("_utility_threshold", "at_most > t_e"): (
        "utility-threshold",
        {**LEAST, "t_f": "2"},
        tail(2, "3/2", "1/2"),
    ),
    ("_utility_threshold", "top * t_e.denominator <= t_e.numerator * law.whole(f)"): (
        "utility-threshold",
        {**LEAST, "t_f": str(T_F + 1)},
        shipped_tail(),
    ),
    ("_utility_threshold", "top * t_e.denominator > t_e.numerator * law.whole(f)"): (
        "utility-threshold",
        {**LEAST, "t_f": str(T_F - 2)},
        shipped_tail(),
    ),
    ("_tilt", "math.gcd(p, q) != 1"): (
        "utility-threshold",
        {**LEAST, "t_f": str(T_F)},
        tail(200, "8/6", "6/8"),
    ),
    # (3/2)^(4F) / 3^(4F) is a power of 2, and computed with the powers of 3 in it.
    ("_chernoff", "(mantissa, shift) != _rounded(value.low, 1, up=True)"): (
        "utility-threshold",
        {"gamma": "4", "epsilon": "3", "t_e": "1/10", "t_f": "1"},
        tail(300, "3", None),
    ),
    ("_levels", "p > 1"): ("safe", {**ANY, "retention": "2"}, None),
    ("_levels", "low == 0"): ("safe", {**PRIOR, "rho1": "0"}, None),
    ("_levels", "low >= high"): ("breach", {**PRIOR, "rho1": "1/2", "rho2": "1/3"}, SEEN),
    ("_levels", "high >= 1"): ("safe", {**PRIOR, "rho2": "1"}, None),
    ("_prior", "len(counts) > values"): ("breach", {**PRIOR, "values": "3", "rho2": "4/13"}, SEEN),
    # The same value twice counts as much as two.
    ("_breach", "sorted({place for place in secret if place < len(counts)}) != secret"): (
        "breach",
        {**PRIOR, "rho2": "3/7"},
        {"secret": ["0", "0"], "observed": "0"},
    ),
    ("_breach", "observed not in secret"): (
        "breach",
        {**PRIOR, "rho2": "7/16"},
        {"secret": ["0"], "observed": "1"},
    ),
    ("_breach", "prior > low"): ("breach", PRIOR, {"secret": ["2"], "observed": "2"}),
    ("_breach", "posterior < high"): ("breach", PRIOR, SEEN),
    ("_safe", "found >= high"): ("safe", {**PRIOR, "rho2": "2/5"}, None),
    ("_safe", "1 + p * values / (1 - p) >= least"): ("safe", ANY, None),
    ("_sample_size", "not 0 < p < 1"): ("sample-size", {**ROWS, "retention": "1", "rows": "1"}, POOR),
    ("_sample_size", "not 0 < share < 1"): ("sample-size", {**ROWS, "share": "0", "rows": "1"}, POOR),
    ("_sample_size", "not 0 < delta < 1"): ("sample-size", {**ROWS, "delta": "1", "rows": "1"}, POOR),
    ("_sample_size", "not _reaches(2 * start * (p * epsilon) ** 2, 2 / delta)"): (
        "sample-size",
        ROWS,
        {**POOR, "bound": {"from": "17"}},
    ),
    ("_missed", "top * delta.denominator <= delta.numerator * whole"): (
        "sample-size",
        {**ROWS, "rows": "14"},
        POOR,
    ),
    ("_optimal_operator", "not 0 < low < high < 1"): (
        "optimal-operator",
        {**PAIRED, "rho1": "0"},
        operator("1 0, 0 1", "1 1"),
    ),
    ("_optimal_operator", "any(sum(row) != unit for row in matrix)"): (
        "optimal-operator",
        FREE,
        operator("2 0, 0 2", "2 2"),
    ),
    ("_optimal_operator", "Fraction(sum(rows), scale) != kept"): (
        "optimal-operator",
        FREE,
        operator("1 0, 1 0", "1 1"),
    ),
    ("_require_admitted", "max(column) > required.ratio * min(column)"): (
        "optimal-operator",
        ALL,
        operator("1 0, 0 1", "1 1"),
    ),
    ("_require_admitted", "largest[number] > required.high * seen"): (
        "optimal-operator",
        PAIRED,
        operator("1 0, 0 1", "1 1"),
    ),
    # Half of what is kept, of half of the diagonal.
    ("_require_weights", "sum(weights) != scale"): (
        "optimal-operator",
        {**FREE, "keep": "least"},
        operator("1 1, 1 1 / 2", "1 1", weights="1 1", scale=4),
    ),
    (
        "_require_weights",
        "any(weight * sum(named) != each * scale for weight, each in zip(weights, named, strict=True))",
    ): ("optimal-operator", FREE, operator("1 0, 1 0", "2 0", weights="2 0")),
    ("_require_columns", "above * ratio.numerator > below * ratio.denominator"): (
        "optimal-operator",
        ALL,
        operator("1 1, 1 1 / 2", "1 0"),
    ),
    ("_require_entries", "sum(required.counts[place] for place in secret) > required.room"): (
        "optimal-operator",
        PAIRED,
        operator("1 0, 1 0", "9 0", [("1", "1", "2")], "9 9", 18),
    ),
    ("_require_entries", 'required.against == "values" and len(secret) != 1'): (
        "optimal-operator",
        {**TRIPLE, "against": "values"},
        BEST,
    ),
    (
        "_require_entries",
        "(row - gain) * high.denominator + required.counts[place] * paid < 0",
    ): ("optimal-operator", FREE, operator("1 0, 1 0", "1 0")),
    ("_require_places", 'required.against == "any" and prices'): (
        "optimal-operator",
        ALL,
        operator("4 1, 1 4 / 5", "4 4", [("0", "0", "1")], "5 5", 10),
    ),
    # The value of one record counted twice.
    ("_require_places", "secret != sorted(set(secret))"): (
        "optimal-operator",
        {**PAIRED, "against": "sets"},
        priced("0", "0 0"),
    ),
    ("_object", "set(value) != set(keys)"): replaced(
        "produced_by", value={"version": "1", "spec": "2", "x": "3"}
    ),
    ("_match", "not re.fullmatch(pattern, value)"): replaced("produced_by", "version", value="a b"),
    ("_whole", "number < least"): ("small-sum-privacy", {**SMALL, "releases": "1"}, None),
    ("_law", "not 0 < retention < 1"): ("error-probability", {**ERROR, "retention": "0"}, None),
    ("_law", "retention == Fraction(1, gamma)"): ("error-probability", {**ERROR, "retention": "1/3"}, None),
    ("_d_gamma", "alpha == 0"): ("d-gamma", {**TUPLES, "alpha": "0"}, None),
    ("_d_gamma", "d == 0"): ("d-gamma", {**TUPLES, "d": "0"}, None),
    ("_d_gamma", "gamma >= 1"): ("d-gamma", {**TUPLES, "gamma": "1"}, None),
    ("_d_gamma", "left < right"): ("d-gamma", {**TUPLES, "alpha": "1/2"}, None),
    ("_fraction", "str(value) != text"): PRIVACY.replace('"3/10"', '"6/20"'),
    ("_compare", "found != computed"): replaced("evidence", "theorem_4", "numerator", value="1"),
    ("check", 'top["schema"] != SCHEMA'): replaced("schema", value="splu-ref/certificate/2"),
    ("check_text", 'len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES'): PRIVACY
    + " " * certificate_checker.MAX_BYTES,
    ("unique", "len(dict(pairs)) != len(pairs)"): PRIVACY.replace(
        '"alpha": "3"', '"alpha": "3", "alpha": "3"'
    ),
    # Two releases, of which the statement would know nothing.
    ("_all_or_none_privacy", '"releases" in parameters'): (
        "small-sum-privacy",
        {**RARE, "releases": "2"},
        None,
    ),
    ("_draws", '"retention" in parameters'): (
        "error-probability",
        {**ERROR, "retention": "1/2", "draws": "capped:4"},
        None,
    ),
    # All or none is another law; and above the cap the law depends on the table.
    ("_error_probability", 'draws[0] != "capped"'): (
        "error-probability",
        {**ERROR, "draws": "all-or-none:4"},
        None,
    ),
    ("_error_probability", "f > draws[1]"): (
        "error-probability",
        {**ERROR, "draws": "capped:3"},
        None,
    ),
    ("_small_sum_privacy", "draws is not None and alpha > draws[1]"): (
        "small-sum-privacy",
        {**RARE, "draws": "all-or-none:3"},
        None,
    ),
    ("_utility_threshold", 'draws[0] != "capped"'): (
        "utility-threshold",
        {**LEAST, "t_f": str(T_F), "draws": f"all-or-none:{TAIL}"},
        shipped_tail(),
    ),
    ("_utility_threshold", "max(start, t_f) > draws[1] + 1"): (
        "utility-threshold",
        {**LEAST, "t_f": str(T_F), "draws": f"capped:{TAIL - 2}"},
        shipped_tail(),
    ),
    ("_utility_bound", "t_e > 1"): ("utility-bound", {**SURE, "t_e": "3/2"}, tilted(None, None)),
    # All or none errs more than independent draws, whose bound this is.
    ("_utility_bound", 'values is None and name != "capped"'): (
        "utility-bound",
        {**LEAST, "t_f": str(TAIL), "draws": "all-or-none:4"},
        tilted(*shipped_tilts(THRESHOLD["evidence"]["tail"])),
    ),
    # Such a bound holds, as that of M records is no larger; but the argument is about counts above M.
    ("_utility_bound", "values is not None and t_f <= bound"): (
        "utility-bound",
        {**SURE, "t_f": "4", "values": "9"},
        tilted(None, None),
    ),
    ("_utility_bound", "at_most > t_e"): (
        "utility-bound",
        {**DRAWN, "t_f": str(FROM // 2)},
        tilted(*TILTS),
    ),
    # The bound of the other side, which says nothing of this one.
    ("_slots", "p < q"): (
        "utility-bound",
        {**DRAWN, "t_f": str(2 * FROM)},
        tilted(TILTS[1], TILTS[1]),
    ),
    ("_slots", "p > q"): (
        "utility-bound",
        {**DRAWN, "t_f": str(2 * FROM)},
        tilted(TILTS[0], TILTS[0]),
    ),
    # (27/16) / 3^3 is a power of 2, and computed with the powers of 3 in it.
    ("_slots", "(mantissa, shift) != _rounded(value.low, 1, up=True)"): (
        "utility-bound",
        {"gamma": "4", "epsilon": "3/2", "t_e": "1/10", "t_f": "2", "draws": "capped:1", "values": "4"},
        tilted("3", None),
    ),
}
"""A certificate that the checker refuses and would find valid without the condition."""

LIMITS: dict[tuple[str, str], tuple[str, Forged] | tuple[str, Forged, int]] = {
    ("_all_or_none_privacy", "alpha > MAX_RARE"): ("MAX_RARE", ("small-sum-privacy", RARE, None)),
    ("_utility_bound", "law.gamma > MAX_GROUP"): (
        "MAX_GROUP",
        ("utility-bound", SURE, tilted(None, None)),
    ),
    ("_utility_bound", "t_f * law.gamma > MAX_NOISE"): (
        "MAX_NOISE",
        ("utility-bound", {**SURE, "draws": "capped:1"}, tilted(None, None)),
    ),
    ("_utility_bound", "bound * (values or 1) > MAX_NOISE"): (
        "MAX_NOISE",
        ("utility-bound", {**SURE, "values": "9"}, tilted(None, None)),
        35,  # gamma t_f is 15
    ),
    ("_utility_bound", "max(tilts[side]).bit_length() > MAX_TILT"): (
        "MAX_TILT",
        (
            "utility-bound",
            {**LEAST, "t_f": str(TAIL), "draws": "capped:4"},
            tilted(*shipped_tilts(THRESHOLD["evidence"]["tail"])),
        ),
    ),
    ("_numerator", "left < 0"): ("MAX_SUMMED", ("error-probability", ERROR, None)),
    ("_concept_error", "gamma * f > MAX_OWNERS"): ("MAX_OWNERS", ("concept-error", CONCEPT, None)),
    ("_concept_error", "(inside + 1) * (outside + 1) > MAX_PAIRS"): (
        "MAX_PAIRS",
        ("concept-error", CONCEPT, None),
    ),
    ("_prior", "len(counts) > MAX_VALUES"): ("MAX_VALUES", ("breach", BOUNDED_PRIOR, SEEN)),
    ("_largest_posterior", "len(set(small)) * len(small) * room > MAX_SUMS"): (
        "MAX_SUMS",
        ("safe", PRIOR, None),
    ),
    ("_largest_gain", "left < 0"): (
        "MAX_SETS",
        ("optimal-operator", TRIPLE, BEST),
    ),
    ("_refuse_long_sum", "n > MAX_TRIALS"): ("MAX_TRIALS", ("sample-size", ROWS, POOR)),
    ("_refuse_long_sum", "bits > MAX_BITS"): ("MAX_BITS", ("sample-size", ROWS, POOR)),
    ("_refuse_long_sum", "bits * digits * (last + 2) > MAX_SUMMED"): (
        "MAX_SUMMED",
        ("sample-size", ROWS, POOR),
    ),
    ("refuse_if_too_large", "n > MAX_TRIALS"): ("MAX_TRIALS", ("error-probability", ERROR, None)),
    ("refuse_if_too_large", "exact"): ("MAX_BITS", ("error-probability", ERROR, None)),
    ("refuse_if_too_large", "terms * sums > MAX_TERMS"): ("MAX_TERMS", ("small-sum-privacy", SMALL, None)),
}
"""A limit, and a certificate that is valid and would be refused if the limit were 1, or a number given."""

BREAKS: dict[tuple[str, str], str] = {
    ("_tilt", "q < 1"): with_tilt("upper", "1", "0"),
    ("_chernoff", "p == 0 and k > 0"): with_tilt("lower", "0", "1"),
    ("_chernoff", "shift < value.exponent"): with_tilt("upper", "fffffffb", "1"),
    ("_utility_bound", "values is not None and not tilts[side][0]"): with_tilt("lower", "0", "1", SLOTS),
    ("_slots", "shift < value.exponent"): with_tilt("upper", "fffffffb", "1", SLOTS),
    ("_breach", 'not isinstance(given["secret"], list)'): bare("breach", PRIOR, {**SEEN, "secret": None}),
    ("_safe", "p == 1"): bare("safe", {**ANY, "retention": "1"}, shape("safe", ANY)),
    ("_sample_size", '_hex(violating["count"], "evidence.violation.count") > rows - 1'): bare(
        "sample-size", ROWS, {**POOR, "violation": {**POOR["violation"], "count": "fffff"}}
    ),
    ("_optimal_operator", "unit == 0"): bare("optimal-operator", FREE, operator("0 0, 0 0 / 0", "1 1")),
    ("_optimal_operator", "scale == 0"): bare(
        "optimal-operator", FREE, {**spoiled("scale", "0"), "weights": ["0", "0"]}
    ),
    ("_prices", "not isinstance(given, list)"): bare("optimal-operator", FREE, spoiled("prices", None)),
    ("_prices", 'not isinstance(each["secret"], list)'): bare(
        "optimal-operator",
        FREE,
        spoiled("prices", [{"published": "0", "secret": None, "amount": "0"}]),
    ),
    ("_require_places", "published >= size"): bare("optimal-operator", PAIRED, priced("2", "0")),
    ("_require_places", "not secret"): bare("optimal-operator", PAIRED, priced("0", "")),
    ("_require_places", "secret[-1] >= size"): bare("optimal-operator", PAIRED, priced("0", "2")),
    ("_sized", "not isinstance(given, list)"): bare("optimal-operator", FREE, spoiled("rows", None)),
    ("_sized", "len(given) != len(counts)"): bare("optimal-operator", FREE, spoiled("rows", ["2"])),
    ("_object", "not isinstance(value, dict)"): replaced("produced_by", value=["version", "spec"]),
    ("_match", "not isinstance(value, str)"): replaced("parameters", "alpha", value=None),
    ("_fraction", 'name == "epsilon" and value == 0'): replaced("parameters", "epsilon", value="0"),
    ("_framed", "not isinstance(found, str)"): replaced("statement", value=None),
    ("_compare", "not isinstance(found, dict)"): replaced(
        "evidence", "theorem_4", "candidates", value=["1"] * len(CANDIDATES)
    ),
    ("_as_long", "not isinstance(found, list)"): replaced(
        "evidence", "theorem_4", "candidates", value={"a": "1"}
    ),
    ("_as_long", "len(found) != len(computed)"): replaced("evidence", "theorem_4", "candidates", value=[]),
    ("check", "not isinstance(claim, str)"): replaced("claim", value=[]),
    ("check", "claim not in _CLAIMS"): replaced("claim", value="utility"),
}
"""What the checker refuses in a sentence, and could not go on with."""

NEEDLESS = {
    ("_chernoff", "p < q"): "with a tilt below 1 the bound above is at least 1, and so not at most t_e",
    ("_chernoff", "p > q"): "with a tilt above 1 the bound below is at least 1, and so not at most t_e",
    (
        "_framed",
        "not re.fullmatch(pattern, found)",
    ): "the statement is compared in the end; this saves the work",
    ("_utility_bound", "draws is None"): "the parameter is one that the claim has to have",
    ("_d_gamma", "kept > 1"): "then 1 - alpha - beta is below 0, and the second condition fails",
    ("_d_gamma", "d > gamma"): "then gamma (1-d) is below d (1-gamma), and the first condition fails",
    ("main", "len(names) != 1"): "of the command line",
    ("main", "not Path(names[0]).is_file()"): "of the command line",
}
"""Conditions without which the verdict would be the same, and why."""


def test_every_condition_for_which_the_checker_raises_is_listed_once() -> None:
    listed = [*FORGED, *LIMITS, *BREAKS, *NEEDLESS]
    assert sorted(listed) == sorted(REFUSALS)
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize("step", FORGED, ids=": ".join)
def test_a_forgery_that_only_one_condition_stops(step: tuple[str, str]) -> None:
    without, forged = built(REFUSALS[step]), FORGED[step]
    text = forged if isinstance(forged, str) else consistent(without, *forged)
    assert outcome(without, text) == "valid"
    assert outcome(certificate_checker, text) in ("false", "unreadable")


@pytest.mark.parametrize("step", LIMITS, ids=": ".join)
def test_a_limit_that_only_one_condition_keeps(
    step: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (limit, valid, *lowered), without = LIMITS[step], built(REFUSALS[step])
    text = consistent(certificate_checker, *valid)
    assert outcome(certificate_checker, text) == outcome(without, text) == "valid"
    most = lowered[0] if lowered else 1
    monkeypatch.setattr(certificate_checker, limit, most)
    setattr(without, limit, most)
    assert (outcome(certificate_checker, text), outcome(without, text)) == ("unreadable", "valid")


@pytest.mark.parametrize("step", BREAKS, ids=": ".join)
def test_what_would_break_the_checker_is_refused(step: tuple[str, str]) -> None:
    assert outcome(certificate_checker, BREAKS[step]) in ("false", "unreadable")
    assert outcome(built(REFUSALS[step]), BREAKS[step]) != outcome(certificate_checker, BREAKS[step])


# ---- steps that compute -----------------------------------------------------------------------------

TIE = {"gamma": "2", "epsilon": "1", "t_e": "1/32"}  # attained at f = 3: 2^(1-2f)
POSITIVE = {**TUPLES, "alpha": "1/4", "beta": "1/10"}  # a published tuple is believed too much
NEGATIVE = {**TUPLES, "beta": "1/4"}  # one that is not published too little
ALTERED: tuple[tuple[str, str, str, Parameters, Any], ...] = (
    # Operators: twice the amplification, sets and values that just fit, a belief just above rho2.
    (
        "max(column) > required.ratio * min(column)",
        "max(column) > 2 * required.ratio * min(column)",
        "optimal-operator",
        ALL,
        operator("8 1, 1 8 / 9", "8 8", weights="9 9", scale=18),
    ),
    (
        "if total + weight <= room",
        "if total + weight < room",
        "optimal-operator",
        {**PAIRED, "counts": "2 8", "against": "sets"},
        operator("1 0, 0 1", "1 1"),
    ),
    (
        "if pair[0] <= required.room",
        "if pair[0] < required.room",
        "optimal-operator",
        {**PAIRED, "counts": "2 8"},
        operator("1 0, 0 1", "1 1"),
    ),
    (
        "largest[number] > required.high * seen",
        "largest[number] > required.high * seen + 1",
        "optimal-operator",
        PAIRED,
        operator("1 0, 0 1", "1 1"),
    ),
    # What is kept, and what bounds it.
    (
        'if required.keep == "share" else',
        'if required.keep != "share" else',
        "optimal-operator",
        FREE,
        operator("1 0, 0 1", "1 9", weights="1 9", scale=10),
    ),
    (
        "Fraction(min(diagonal), unit)",
        "Fraction(max(diagonal), unit)",
        "optimal-operator",
        {**FREE, "keep": "least"},
        operator("1 0, 1 0", "1 1"),
    ),
    (
        "gained - max(-row, 0) + max(short, 0)",
        "gained - max(-row, 0)",
        "optimal-operator",
        ALL,
        operator("1 1, 1 1 / 2", "1 0"),
    ),
    (
        "* high.denominator - every[published] * high.numerator",
        "* high.denominator",
        "optimal-operator",
        PAIRED,
        operator("0 1, 0 1", "0 1", [("0", "0", "1")]),
    ),
    # What an error is, and its runs.
    (
        '_runs(times * epsilon, alpha, strict=sign == ">")',
        "_runs(times * epsilon, alpha, strict=False)",
        "small-sum-privacy",
        {**SMALL, "alpha": "10"},
        None,
    ),
    ("else math.ceil(epsilon * f)", "else math.floor(epsilon * f) + 1", "error-probability", ERROR, None),
    ("while f <= alpha:", "while f < alpha:", "small-sum-privacy", {**SMALL, "alpha": "7"}, None),
    (
        "math.floor(j / epsilon) + 1  # where",
        "math.floor(j / epsilon) + 2  # where",
        "small-sum-privacy",
        {**SMALL, "alpha": "10"},
        None,
    ),
    (
        "math.ceil(j / epsilon) if strict",
        "math.ceil(j / epsilon) + 1 if strict",
        "small-sum-privacy",
        {**SMALL, "alpha": "10"},
        None,
    ),
    # The sum.
    ("first, last = max(0, f - j + 1)", "first, last = max(0, f - j)", "error-probability", ERROR, None),
    ("min(n, f + j - 1)\n    outside", "min(n, f + j)\n    outside", "error-probability", ERROR, None),
    (
        "return _terms(gamma, n, 0, first - 1) + ",
        "return ",
        "error-probability",
        {**ERROR, "epsilon": "1"},
        None,
    ),
    (" + _terms(gamma, n, last + 1, n)", "", "error-probability", {**ERROR, "epsilon": "1"}, None),
    (
        "return law.whole(f) - _terms(gamma, n, first, last)",
        "return law.whole(f) - _terms(gamma, n, first + 1, last)",
        "error-probability",
        {**ERROR, "epsilon": "1/4"},
        None,
    ),
    (
        "total -= term if k >= first else 0",
        "total -= term if k > first else 0",
        "error-probability",
        {**ERROR, "retention": "1/2"},
        None,
    ),
    ("if j > f and f + j > n:", "if j >= f:", "error-probability", {**ERROR, "epsilon": "1"}, None),
    # The least of all, the first among equals.
    (
        "least = min(size.values())",
        "least = max(size.values())",
        "small-sum-privacy",
        {**SMALL, "alpha": "12"},
        None,
    ),
    (
        "_, f, j = min((top and top",
        "_, f, j = max((top and top",
        "small-sum-privacy",
        {"gamma": "2", "epsilon": "3", "alpha": "5"},
        None,
    ),
    (".plus(_tail(law.gamma, n, f - j, upper=False))", "", "small-sum-privacy", SMALL, None),
    (
        "value = _tail(law.gamma, n, f + j, upper=True).plus",
        "value = _NOTHING.plus",
        "small-sum-privacy",
        SMALL,
        None,
    ),
    (
        "bounds[f, j] = _bound(law, times * f, j, up=False)",
        "bounds[f, j] = _bound(law, times * f, j, up=True)",
        "small-sum-privacy",
        SMALL,
        None,
    ),
    (
        "value = _decimal(exact[f, j], law.whole(times * f), up=False)",
        "value = _decimal(exact[f, j], law.whole(times * f), up=True)",
        "small-sum-privacy",
        {**SMALL, "alpha": "12"},
        None,
    ),
    (
        "top = _numerator(law, f, j)\n    value = _decimal(top, law.whole(f), up=True)",
        "top = _numerator(law, f, j)\n    value = _decimal(top, law.whole(f), up=False)",
        "error-probability",
        {**ERROR, "frequency": "20"},
        None,
    ),
    # Several releases.
    (
        "_runs(times * epsilon, alpha",
        "_runs(epsilon, alpha",
        "small-sum-privacy",
        {**SMALL, "releases": "3"},
        None,
    ),
    (
        "_bound(law, times * f, j, up=False)",
        "_bound(law, f, j, up=False)",
        "small-sum-privacy",
        {**SMALL, "releases": "3"},
        None,
    ),
    (
        "_numerator(law, times * f, j) for",
        "_numerator(law, f, j) for",
        "small-sum-privacy",
        {**SMALL, "releases": "3"},
        None,
    ),
    # The threshold: at t_f - 1, up to the tail, and the tail.
    (
        "if top * t_e.denominator <= t_e",
        "if top * t_e.denominator < t_e",
        "utility-threshold",
        {**TIE, "t_f": "4"},
        tail(4, "100", "0"),
    ),
    (
        "runs, f = [], math.floor(_error(t_f, epsilon) / epsilon)",
        "runs, f = [], math.floor(_error(t_f, epsilon) / epsilon) + 2",
        "utility-threshold",
        {**LEAST, "t_f": str(T_F - 2)},
        shipped_tail(),
    ),
    (
        "while f < start:",
        "while f < start - 40:",
        "utility-threshold",
        {**LEAST, "t_f": str(T_F - 2)},
        shipped_tail(),
    ),
    (
        "at_most += bound",
        "at_most = bound",
        "utility-threshold",
        {**LEAST, "t_f": str(T_F)},
        tail(12, "6/5", "1/2"),
    ),
    (
        "if epsilon <= extreme and t_e < 1",
        "if epsilon < extreme and t_e < 1",
        "utility-threshold",
        {**TIE, "t_f": "1"},
        tail(1, None, None),
    ),
    (
        "k = math.floor((1 + epsilon) * start)",
        "k = math.floor((1 + epsilon) * start) + start",
        "utility-threshold",
        {**LEAST, "t_f": str(T_F)},
        shipped_tail(),
    ),
    (
        "math.ceil((1 - epsilon) * start)",
        "math.ceil((1 - epsilon) * start) - 1",
        "utility-threshold",
        {**LEAST, "t_f": str(T_F)},
        shipped_tail(),
    ),
    (
        "(law.gamma - 1) * start),",
        "0),",
        "utility-threshold",
        {"gamma": "4", "epsilon": "2", "t_e": "1/4", "t_f": "1"},
        tail(2, "3", None),
    ),
    # Breaches, and that there is none.
    (
        "other = (1 - p) / values\n",
        "other = 1 - p\n",
        "breach",
        {**PRIOR, "rho1": "1/10", "rho2": "1/9"},
        SEEN,
    ),
    (
        "p * seen + other * weight) / (p",
        "p * weight + other * weight) / (p",
        "breach",
        {**PRIOR, "rho1": "1/4", "rho2": "11/20"},
        {"secret": ["0", "1"], "observed": "0"},
    ),
    ("(p * seen + other * total)\n", "(p * seen + other * weight)\n", "breach", PRIOR, SEEN),
    (
        "weight, total = sum(counts[place] for place in secret), sum(counts)",
        "weight, total = counts[secret[0]], sum(counts)",
        "breach",
        {**PRIOR, "rho2": "3/8"},
        {"secret": ["0", "1"], "observed": "1"},
    ),
    ("math.floor(low * sum(", "math.floor(low * max(", "safe", {**PRIOR, "rho2": "9/20"}, None),
    ("own, own + sums.bit_length() - 1", "own, own", "safe", PAIR, None),
    (
        "        others.remove(own)\n",
        "",
        "safe",
        {**PRIOR, "rho1": "1/3", "rho2": "9/10", "counts": "3 20"},
        None,
    ),
    (
        "sums |= (sums << count) & ((2 << left) - 1)",
        "sums |= count & ((2 << left) - 1)",
        "safe",
        {**PAIR, "rho2": "17/32"},
        None,
    ),
    (
        "for count in counts if count <= room]",
        "for count in counts if count < room]",
        "safe",
        {**PRIOR, "rho1": "3/20", "rho2": "2/5"},
        None,
    ),
    ("largest = max(largest, _post", "largest = min(largest, _post", "safe", {**PRIOR, "rho2": "2/5"}, None),
    (
        "least = high * (1 - low) / (low * (1 - high))",
        "least = high / low / (1 - high)",
        "safe",
        {**ANY, "rho1": "1/10", "rho2": "17/50"},
        None,
    ),
    # Too few rows.
    ("_reaches(2 * start *", "_reaches(4 * start *", "sample-size", ROWS, {**POOR, "bound": {"from": "c"}}),
    (
        "(p * epsilon) ** 2, 2 / delta)",
        "(p * epsilon) ** 2, 1 / delta)",
        "sample-size",
        ROWS,
        {**POOR, "bound": {"from": "13"}},
    ),
    (
        "term = term * x.numerator // (k * x.denominator)",
        "term = term * x.numerator // x.denominator",
        "sample-size",
        {**ROWS, "delta": "1/2", "rows": "1"},
        {**POOR, "bound": {"from": "7"}},
    ),
    ("return p + (1 - p) * share,", "return p,", "sample-size", FEW, FIVE),
    (
        "apart = count * own + (n - count) * other, p * epsilon * n",
        "apart = count * own + (n - count) * other, p * epsilon * (n - 1)",
        "sample-size",
        FEW,
        FIVE,
    ),
    ("math.floor(mean - apart) + 1)", "math.floor(mean - apart) + 2)", "sample-size", FEW, FIVE),
    ("math.ceil(mean + apart) - 1)\n", "math.ceil(mean + apart) - 2)\n", "sample-size", FEW, FIVE),
    (
        "        top -= term if k >= first else 0\n    if",
        "        top -= term if k > first else 0\n    if",
        "sample-size",
        ROWS,
        POOR,
    ),
    # Sets of tuples.
    ("kept * d * (1 - gamma)", "alpha * d * (1 - gamma)", "d-gamma", POSITIVE, None),
    ("beta * gamma * (1 - d)", "beta * gamma", "d-gamma", POSITIVE, None),
    ("(1 - kept) * gamma", "(1 - alpha) * gamma", "d-gamma", NEGATIVE, None),
    ("(1 - beta) * d)", "(1 - kept) * d)", "d-gamma", NEGATIVE, None),
    # Concepts.
    ("inside <= n and ", "", "concept-error", {**CONCEPT, "predicate_count": "2"}, None),
    (
        "x3 <= f and ",
        "",
        "concept-error",
        {**CONCEPT, "sensitive_count": "1", "decoys_in_predicate": "0"},
        None,
    ),
    (
        "decoys <= (gamma - 1) * f and ",
        "",
        "concept-error",
        {
            **CONCEPT,
            "sensitive_count": "3",
            "concept_count": "1",
            "decoys_in_predicate": "4",
            "predicate_count": "6",
        },
        None,
    ),
    (" and outside <= rows - n", "", "concept-error", {**CONCEPT, "predicate_count": "12"}, None),
    (
        "min(max(raw, 0), n * spread)",
        "min(raw, n * spread)",
        "concept-error",
        {
            **CONCEPT,
            "epsilon": "3/2",
            "concept_count": "1",
            "decoys_in_predicate": "0",
            "predicate_count": "8",
            "rows": "16",
        },
        None,
    ),
    (
        "min(max(raw, 0), n * spread)",
        "max(raw, 0)",
        "concept-error",
        {**CONCEPT, "predicate_count": "3", "epsilon": "1"},
        None,
    ),
    (
        "below = top * low.denominator <= low",
        "below = top * low.denominator < low",
        "concept-error",
        {**CONCEPT, "epsilon": "1"},
        None,
    ),
    (
        "above = top * high.denominator >= high",
        "above = top * high.denominator > high",
        "concept-error",
        {**CONCEPT, "predicate_count": "3"},
        None,
    ),
)
"""A step, what a careless hand would make of it, and parameters at which that is false."""


@pytest.mark.parametrize(("old", "new", "claim", "parameters", "evidence"), ALTERED)
def test_a_forgery_by_a_checker_with_an_altered_step(
    old: str, new: str, claim: str, parameters: Parameters, evidence: Any
) -> None:
    assert SOURCE.count(old) == 1
    altered = built(SOURCE.replace(old, new))
    forged = consistent(altered, claim, parameters, evidence)
    assert outcome(altered, forged) == "valid"
    assert outcome(certificate_checker, forged) in ("false", "unreadable")


def test_a_threshold_that_is_attained_is_accepted() -> None:
    """Definition 1 says at most: at T_f = 3 the error is exactly 1/32."""
    certificate = threshold_certificate(2, 1, Fraction(1, 32))
    assert certificate["parameters"]["t_f"] == "3"
    assert outcome(certificate_checker, json.dumps(certificate)) == "valid"
