"""``splu-ref utility`` for a conjunction: the error at a count, or the least count that is accurate."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from splu_ref.channels import Bounds, ParameterError, integer, positive
from splu_ref.cli.certificates import setting, words
from splu_ref.cli.progress import counted
from splu_ref.guarantees import (
    Conjunction,
    ExactJson,
    conjunction_bias,
    conjunction_error_bound,
    conjunction_error_probability,
    conjunction_threshold,
    conjunction_variance,
    exact_json,
)

Lines: TypeAlias = list[tuple[str, str]]

SUPPOSED = (
    "the decoys of the predicate's other records are a random choice (hypothesis H of splu.V); errors can be "
    "larger for a predicate that depends on the values among its decoys"
)


def conjunction_error(case: Conjunction, epsilon: str, concept_count: str) -> tuple[dict[str, object], Lines]:
    """Return the error probability at x3, exactly where it can be enumerated, and its bounds."""
    ratio, x3 = positive(epsilon, "epsilon"), integer(concept_count, "concept_count", 1)
    with counted("bounding the error"):
        bound = conjunction_error_bound(case, ratio, x3)
    try:
        with counted("enumerating the published counts"):
            exactly = exact_json(conjunction_error_probability(case, ratio, x3), "up")
    except ParameterError:  # too large: the bounds remain
        exactly = None
    variance, bias = _float(conjunction_variance(case, x3)), _float(conjunction_bias(case, x3))
    approximately = None if variance is None or bias is None else (variance**0.5, bias)
    result = _known(case) | {
        "epsilon": str(ratio),
        "concept_count": x3,
        "error": exactly,
        "bound": _rounded(bound.bound),
        "chebyshev": _rounded(bound.chebyshev),
        "chernoff": _rounded(bound.chernoff),
        "standard_error": None if approximately is None else approximately[0],
        "bias": None if approximately is None else approximately[1],
    }
    meaning = (
        f"with {setting(case.law)}, the estimate of {x3} records of a predicate of {case.predicate_count} "
        f"with a value of {case.frequency} among {case.rows} is off by at least {ratio} of it with that "
        f"probability"
    )
    shown = "too large to enumerate" if exactly is None else words(exactly)
    return result, [
        ("error probability", shown),
        ("at most", _bound_text(bound.bound)),
        ("by Chebyshev alone", _bound_text(bound.chebyshev)),
        ("by Chernoff alone", _bound_text(bound.chernoff)),
        ("standard error", _moments(approximately)),
        ("in words", meaning),
        ("assumption", SUPPOSED),
    ]


def conjunction_least(case: Conjunction, epsilon: str, t_e: str) -> tuple[dict[str, object], Lines]:
    """Return the least x3 from which on the error probability is certified to be at most T_E."""
    with counted("checking counts") as progress:
        found = conjunction_threshold(case, epsilon, t_e, progress=progress)
    result = _known(case) | {
        "epsilon": str(found.epsilon),
        "t_e": str(found.t_e),
        "threshold": found.threshold,
        "largest": found.largest,
        "band": [found.band.first, found.band.last],
    }
    proof = (
        f"every count up to {found.largest}, with published counts from {found.band.first} to "
        f"{found.band.last}"
    )
    if found.threshold is None:
        meaning = f"not even for {found.largest} records, the most there can be, is it proved"
    else:
        meaning = (
            f"with {setting(case.law)}, any {found.threshold} to {found.largest} records of the predicate "
            f"with the value are estimated off by at least {found.epsilon} of them with probability at most "
            f"{found.t_e}"
        )
    return result, [
        (
            "accurate from",
            "nowhere, as far as is proved" if found.threshold is None else str(found.threshold),
        ),
        ("proved by", proof),
        ("in words", meaning),
        ("assumption", SUPPOSED),
    ]


def _bound_text(bound: Fraction) -> str:
    """Return the text of a bound of a probability."""
    return words(_rounded(bound)) + ("; a bound above 1 is void" if bound > 1 else "")


def _rounded(bound: Fraction) -> ExactJson:
    """Return a bound as a decimal, without its long fraction."""
    return exact_json(Bounds(bound, bound), "up")


def _float(number: Fraction) -> float | None:
    """Return the nearest double, or None beyond the largest: the divisor D may be close to 0."""
    try:
        return float(number)
    except OverflowError:
        return None


def _moments(approximately: tuple[float, float] | None) -> str:
    if approximately is None:
        return "too large for a float: the retention probability is hardly above f/N"
    return "{:.6g}, bias {:.3g} (approximations)".format(*approximately)


def _known(case: Conjunction) -> dict[str, object]:
    return {
        "gamma": int(case.law.gamma),
        "retention": str(case.law.retention),
        "rows": case.rows,
        "frequency": case.frequency,
        "predicate_count": case.predicate_count,
    }
