"""Vectors of guarantees for a retention probability other than 1 / gamma."""

from __future__ import annotations

from collections.abc import Iterator

from splu_ref.conformance.build import Case, Group

PAGE = "docs/specification/conformance.md"
LAWS = ((2, "3/4"), (3, "1/2"), (3, "0.2"), (5, "1/3"))


def groups() -> Iterator[Group]:
    """Yield the vector files of guarantees with a retention probability."""
    for gamma, retention in LAWS:
        name = f"gamma-{gamma}-retention-{retention.replace('/', '_')}"
        words = f"groups of {gamma} and the retention probability {retention}."
        parameters = {"gamma": gamma, "retention": retention}
        features = ("retention",)
        about = f"Pr(|f' - f| >= epsilon f) for {words}"
        yield Group("error_probability", name, about, PAGE, tuple(_errors()), parameters, features)
        for epsilon in ("3/10", "1"):
            about = f"T_P for the relative error {epsilon}, {words}"
            fixed = {**parameters, "epsilon": epsilon}
            full = f"{name}-epsilon-{epsilon.replace('/', '_')}"
            yield Group("privacy_minimum", full, about, PAGE, tuple(_minima()), fixed, features)
        about = f"T_f for {words}"
        yield Group("utility_threshold", name, about, PAGE, tuple(_thresholds()), parameters, features)
    invalid = tuple(_no_retention())
    about = "Retention probabilities that do not exist."
    yield Group("error_probability", "invalid-retention", about, PAGE, invalid, requires=("retention",))


def _errors() -> Iterator[Case]:
    for epsilon in ("3/10", "1/2", "1", "0.28"):
        for frequency in (1, 2, 10, 25):
            name = f"{frequency}-epsilon-{epsilon.replace('/', '_')}"
            yield Case(name, {"epsilon": epsilon, "frequency": frequency})


def _minima() -> Iterator[Case]:
    for alpha in (1, 3, 10, 21):
        yield Case(f"alpha-{alpha}", {"alpha": alpha})


def _thresholds() -> Iterator[Case]:
    for epsilon, t_e in (("1/2", "1/4"), ("1", "1/10")):
        name = f"epsilon-{epsilon.replace('/', '_')}-t_e-{t_e.replace('/', '_')}"
        yield Case(name, {"epsilon": epsilon, "t_e": t_e})


def _no_retention() -> Iterator[Case]:
    fields = {"gamma": 3, "epsilon": "1/2", "frequency": 4}
    for name, text in {"zero": "0", "negative": "-1/2", "above-1": "3/2"}.items():
        yield Case(name, {**fields, "retention": text}, ("OutOfRange",), "parameter")
