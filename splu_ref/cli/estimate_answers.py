"""Estimated counts as ``splu-ref estimate`` reports them, as JSON and as lines of text."""

from __future__ import annotations

from typing import Any

from splu_ref.cli.output import note, show
from splu_ref.estimators import (
    AnyOf,
    Query,
    QueryEstimate,
    approximation,
    estimate_count,
    half_width,
    is_exact,
    json_number,
)
from splu_ref.mechanisms import (
    AlphaBeta,
    Anatomy,
    PerturbedGeneralization,
    ReleaseData,
    SmallDomainRandomization,
    SpluGen,
    SpluGens,
)

_FAR = 2.5
"""Standard errors between estimate and interval end from which the text explains the distance."""

BY_CHANNEL = {
    "inversion": "published counts times the inverse of the channel matrix",
    "em": "maximum-likelihood counts, none negative, by expectation maximization",
}

"""Description of each method for releases by other mechanisms than SPLU-Gen."""

OWN_ESTIMATORS = {
    SmallDomainRandomization.name: {
        "inversion": "published counts times the inverse of each part's channel matrix"
    },
    PerturbedGeneralization.name: {
        "inversion": "each group's published record, corrected for replacement, times the group's size"
    },
    AlphaBeta.name: {"inversion": "published tuples, minus the expected fakes, over alpha"},
    Anatomy.name: {
        "inversion": "values of the groups of the predicate's records, corrected for those of other records",
        "shares": "for each group with the value, the share of its records that satisfy the predicate",
    },
}

"""The same for mechanisms with a special estimator."""


def answer_json(known: ReleaseData, query: Query, answer: QueryEstimate) -> dict[str, Any]:
    """Return the JSON object of an answer."""
    result: dict[str, Any] = {
        "estimate": json_number(answer.estimate),
        "standard_error": answer.standard_error,
        "interval": None if answer.interval is None else [json_number(end) for end in answer.interval],
        "half_width": half_width(answer.interval),
        "approximation": approximation(exact=is_exact(known, query, answer), interval=answer.interval),
        "interval_kind": answer.interval_kind,
        "method": answer.method,
        "published_count": answer.published_count,
        "predicate_count": answer.predicate_count,
    }
    if answer.condition_number is not None:
        result["condition_number"] = answer.condition_number
    if answer.note is not None:
        result["note"] = answer.note
    if answer.variance_estimate is not None:
        result["variance_estimate"] = str(answer.variance_estimate)
        result["exact"] = answer.exact
    if answer.warning is not None:
        result["warning"] = answer.warning
    return result


def unanswered_json(reason: str) -> dict[str, Any]:
    """Return the JSON object of a query whose maximum likelihood search has not converged."""
    result: dict[str, Any] = dict.fromkeys(("estimate", "standard_error", "interval", "half_width"))
    return result | {"approximation": "none", "method": "em", "warning": reason}


def _shown(value: float) -> str:
    """Return a number with one decimal, a whole one without."""
    return f"{value:.1f}".removesuffix(".0")


def show_answer(
    known: ReleaseData,
    query: Query,
    answer: QueryEstimate,
    summary: str,
    *,
    as_json: bool,
) -> None:
    """Print the answer to a query: the estimate with its interval first."""
    result, rows = answer_json(known, query, answer), known.table.row_count
    column, condition = query.conditions[0]
    tuples = isinstance(known.mechanism, AlphaBeta)
    unit = "records in groups that show it" if isinstance(known.mechanism, Anatomy) else "records"
    place = "predicate"
    if tuples:
        unit, place = "tuples", "domain"
    if (
        isinstance(known.mechanism, SpluGens)
        and answer.method == "mle"
        and isinstance(condition, AnyOf)
        and len(condition.values) == 1
    ):
        lines = _value_lines(answer, known.mechanism.for_column(column), rows, result)
        lines.append(("query", str(query)))
    else:
        lines = [
            ("estimate", _shown(answer.estimate)),
            *uncertainty_lines(answer),
            ("query", str(query)),
            ("method", f"{answer.method}: {summary}"),
            ("published", f"{answer.published_count} {unit}, of {answer.predicate_count} in the {place}"),
        ]
    if isinstance(known.mechanism, PerturbedGeneralization):
        among = f"the records of the original, in {rows} groups"
    elif tuples:
        among = "the tuples of the original, which are distinct"
    else:  # records deleted at publication are in no count
        among = f"the {rows} records of the release, with their true values"
    lines.append(("among", among))
    if answer.condition_number is not None:
        lines.append(("condition", f"{answer.condition_number:.3g} (2-norm of the transition matrix)"))
    if answer.note is not None:
        lines.append(("note", answer.note))
    if answer.warning is not None:
        lines.append(("warning", answer.warning))
    if answer.published_count == 0 < answer.predicate_count and known.attached_manifest is None:
        note(f"no published row has {query}: a rare value may have vanished, or the value is misspelled")
    show(result, lines, as_json=as_json)


def uncertainty_lines(answer: QueryEstimate) -> list[tuple[str, str]]:
    """Return the lines of the standard error and the interval."""
    if answer.interval is None:
        return [("standard error", "none"), ("95 % interval", "none")]
    label = "95 % interval" if answer.warning is None else "interval"  # the warning says which it is
    least, greatest = answer.interval
    accuracy = "exact" if answer.exact else "approximate"
    text = f"{_shown(least)} to {_shown(greatest)}, {accuracy}"
    reach = max(answer.estimate - least, greatest - answer.estimate)
    if answer.standard_error is None:  # the note says why
        return [("standard error", "none"), (label, text)]
    inside = least <= answer.estimate <= greatest
    if inside and reach > _FAR * answer.standard_error > 0 and answer.note is None:  # a note says why itself
        text += (
            f"; up to {reach / answer.standard_error:.1f} standard errors away, because the standard error "
            "is larger at other counts of the interval"
        )
    return [("standard error", _shown(answer.standard_error)), (label, text)]


def _value_lines(
    answer: QueryEstimate, mechanism: SpluGen, rows: int, result: dict[str, Any]
) -> list[tuple[str, str]]:
    """Return the lines of the count of a value alone, whose law is known, and complete the JSON object."""
    gamma, retention = mechanism.gamma, mechanism.retention
    if mechanism.draws.bound is not None:
        return _dependent_value_lines(answer, mechanism, rows, result)
    count = estimate_count(answer.published_count, gamma, rows // gamma, retention=retention)
    result |= {
        "variance": str(count.variance),
        "bound": count.bound,
        "estimate_within_bound": count.estimate_within_bound,
        "interval_within_bound": list(count.interval_within_bound),
    }
    least, greatest = (int(end) for end in answer.interval or count.interval)
    accuracy = result["approximation"]
    lines = [
        ("estimate", f"{count.estimate}, unbiased"),
        ("standard error", f"{count.standard_error:.2f} = sqrt({count.variance})"),
        ("95 % interval", f"{least} to {greatest}, {accuracy}"),
    ]
    if greatest > rows // gamma:
        least, greatest = count.interval_within_bound
        lines.append(("at most N / gamma", f"{count.estimate_within_bound}, {least} to {greatest}"))
    return lines


def _dependent_value_lines(
    answer: QueryEstimate, mechanism: SpluGen, rows: int, result: dict[str, Any]
) -> list[tuple[str, str]]:
    """Return the lines of the count of a value under dependent draws, and complete the JSON object."""
    bound = rows // mechanism.gamma
    result |= {
        "variance": None,
        "bound": bound,
        "estimate_within_bound": min(int(answer.estimate), bound),
        "interval_within_bound": [min(int(end), bound) for end in answer.interval or ()],
        "draws": str(mechanism.draws),
    }
    errors = "errors are for a plausible plan, since the true plan is secret"
    if mechanism.draws.name == "all-or-none":
        errors += "; every value that may be rare counts as rare in it, so they may be too large"
    return [
        ("estimate", f"{_shown(answer.estimate)}, unbiased"),
        *uncertainty_lines(answer),
        ("draws", f"{mechanism.draws}: {errors}"),
    ]
