"""Vectors of error probabilities, T_P, T_f and concepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from splu_ref.conformance.build import Case, Group

PAGE = "docs/specification/certificates.md"
CONCEPTS_PAGE = "docs/specification/conformance.md"
EPSILONS = ("3/10", "0.1", "1/3", "1/2", "1", "1.5", "2/7")
# In floating point, ceil(0.28 * 25) is 8, ceil((1 - 0.7) * 10) is 4, ceil((1 + 0.1) * 50) is 56, and so on.
FLOAT_TRAPS = {("0.28", 25), ("2.2", 25), ("1.1", 50), ("0.14", 50), ("0.7", 10), ("0.1", 50)}
THRESHOLDS: dict[tuple[int, str], tuple[str, ...]] = {
    (2, "1/2"): ("1/10", "0.05", "1", "3/4"),
    (3, "1/2"): ("1/10", "1/4"),
    (3, "3/10"): ("1/5", "1/3"),
    (5, "1"): ("1/100", "1/8"),
    (5, "0.4"): ("0.3", "1/10"),
    (10, "0.3"): ("0.52", "0.48", "1/4"),
    (2, "3/2"): ("1/2", "0"),
}


def groups() -> Iterator[Group]:
    """Yield the vector files of guarantees about counts."""
    for gamma in (2, 3, 5, 10):
        about = f"Pr(|f' - f| >= epsilon f) for groups of {gamma}."
        yield Group("error_probability", f"gamma-{gamma}", about, PAGE, tuple(_errors()), {"gamma": gamma})
    yield Group("error_probability", "invalid", "Probabilities of nothing.", PAGE, tuple(_no_errors()))
    for gamma in (2, 3, 5, 10, 20):
        for epsilon in ("3/10", "0.1", "1"):
            name = f"gamma-{gamma}-epsilon-{epsilon.replace('/', '_')}"
            parameters = {"gamma": gamma, "epsilon": epsilon}
            about = f"T_P for groups of {gamma} and the relative error {epsilon}."
            yield Group("privacy_minimum", name, about, PAGE, tuple(_minima()), parameters)
    yield Group("privacy_minimum", "invalid", "Minima that do not exist.", PAGE, tuple(_no_minima()))
    for (gamma, epsilon), levels in THRESHOLDS.items():
        name = f"gamma-{gamma}-epsilon-{epsilon.replace('/', '_')}"
        parameters = {"gamma": gamma, "epsilon": epsilon}
        about = f"T_f for groups of {gamma} and the relative error {epsilon}."
        yield Group(
            "utility_threshold", name, about, PAGE, tuple(_thresholds(parameters, levels)), parameters
        )
    yield Group(
        "utility_threshold", "invalid", "Thresholds that do not exist.", PAGE, tuple(_no_thresholds())
    )
    for gamma, epsilon in ((2, "1/2"), (2, "1"), (3, "3/10"), (5, "1/10")):
        name = f"gamma-{gamma}-epsilon-{epsilon.replace('/', '_')}"
        parameters = {"gamma": gamma, "epsilon": epsilon}
        about = f"The error of the closed form for one concept, groups of {gamma}."
        yield Group("concept_error", name, about, CONCEPTS_PAGE, tuple(_concepts(gamma)), parameters)


def _errors() -> Iterator[Case]:
    for epsilon in EPSILONS:
        for frequency in (1, 2, 3, 10, 14):
            name = f"{frequency}-epsilon-{epsilon.replace('/', '_')}"
            yield Case(name, {"epsilon": epsilon, "frequency": frequency})
    for epsilon, frequency in sorted(FLOAT_TRAPS):
        name = f"float-trap-{frequency}-epsilon-{epsilon}"
        yield Case(name, {"epsilon": epsilon, "frequency": frequency}, ("Boundary", "Floats"))
    yield Case("impossible", {"epsilon": "30", "frequency": 2}, ("Impossible",))
    yield Case("certain", {"epsilon": "1/1000000", "frequency": 1}, ("Extremes",))


def _no_errors() -> Iterator[Case]:
    yield from _refused({"gamma": 3, "epsilon": "1/2", "frequency": 4}, "frequency")


def _minima() -> Iterator[Case]:
    for alpha in (1, 2, 3, 5, 10, 21):
        yield Case(f"alpha-{alpha}", {"alpha": alpha}, ("Boundary",) if alpha >= 10 else ())


def _no_minima() -> Iterator[Case]:
    yield from _refused({"gamma": 3, "epsilon": "1/2", "alpha": 4}, "alpha")


def _refused(valid: Mapping[str, object], count: str) -> Iterator[Case]:
    for name, flag, changed in (
        ("gamma-1", "OutOfRange", {"gamma": 1}),
        ("gamma-fraction", "WrongType", {"gamma": 2.5}),
        ("epsilon-0", "OutOfRange", {"epsilon": "0"}),
        ("epsilon-negative", "OutOfRange", {"epsilon": "-1/2"}),
        ("epsilon-number", "WrongType", {"epsilon": 0.5}),
        ("epsilon-word", "WrongType", {"epsilon": "half"}),
        ("epsilon-denominator-0", "OutOfRange", {"epsilon": "1/0"}),
        (f"{count}-0", "OutOfRange", {count: 0}),
        (f"{count}-null", "WrongType", {count: None}),
    ):
        yield Case(name, dict(valid) | changed, (flag,), "parameter")
    yield Case(f"no-{count}", {key: valid[key] for key in valid if key != count}, ("Missing",), "parameter")


def _thresholds(parameters: Mapping[str, object], levels: tuple[str, ...]) -> Iterator[Case]:
    for level in levels:
        name = f"t_e-{level.replace('/', '_')}"
        yield Case(name, {"t_e": level}, ("Impossible",) if level in ("0", "1") else ())


def _no_thresholds() -> Iterator[Case]:
    valid = {"gamma": 3, "epsilon": "1/2", "t_e": "1/4"}
    for name, flag, changed in (
        ("gamma-1", "OutOfRange", {"gamma": 1}),
        ("epsilon-0", "OutOfRange", {"epsilon": "0"}),
        ("t_e-above-1", "OutOfRange", {"t_e": "5/4"}),
        ("t_e-negative", "OutOfRange", {"t_e": "-1/4"}),
        ("t_e-0", "Impossible", {"t_e": "0"}),
        ("t_e-number", "WrongType", {"t_e": 0.25}),
    ):
        yield Case(name, valid | changed, (flag,), "parameter")


def _concepts(gamma: int) -> Iterator[Case]:
    def fields(inside: int, both: int, value: int, rows: int, decoys: int) -> dict[str, int]:
        return {
            "predicate_count": inside,
            "concept_count": both,
            "sensitive_count": value,
            "rows": rows,
            "decoys_in_predicate": decoys,
        }

    yield Case("all-of-the-predicate", fields(2, 2, 2, 40 * gamma, 0))
    yield Case("half-of-the-predicate", fields(4, 2, 2, 40 * gamma, 0))
    yield Case("one-decoy-inside", fields(9, 3, 4, 60 * gamma, 1))
    yield Case("all-decoys-inside", fields(gamma * 3 + 2, 3, 3, 30 * gamma, 3 * (gamma - 1)), ("Limit",))
    yield Case("frequent-value", fields(3, 2, 4, 4 * gamma, 1), ("Limit",))
    yield Case("more-than-the-value", fields(9, 4, 3, 60 * gamma, 0), ("OutOfRange",), "parameter")
    yield Case("more-than-the-predicate", fields(3, 2, 2, 60 * gamma, 2), ("OutOfRange",), "parameter")
    yield Case("too-few-rows", fields(2, 1, 3, 3 * gamma - 1, 0), ("Infeasible",), "parameter")
