"""``splu-ref estimate``: a count in the original, from the published table."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer

from splu_ref.cli.output import AsJson, about, note, show
from splu_ref.cli.progress import counted
from splu_ref.estimators import estimate_count
from splu_ref.manifest import Manifest, read_manifest
from splu_ref.microdata import Microdata, read_table
from splu_ref.model import Concept, DataError, Gamma, ParameterError

NAME = "estimate"
EXAMPLE = "splu-ref estimate published.csv --gamma 5 --sensitive occupation --where 'occupation=Sales'"


def run(
    published: Annotated[Path, typer.Argument(help="The published table: .csv, .csv.gz or .parquet.")],
    where: Annotated[list[str], typer.Option("--where", help="COLUMN=VALUE to count.")],
    gamma: Annotated[str | None, typer.Option("--gamma", help="Size of a decoy group, as published.")] = None,
    sensitive: Annotated[list[str] | None, typer.Option("--sensitive", help="Sensitive column.")] = None,
    manifest: Annotated[
        Path | None, typer.Option("--manifest", help="Manifest of the release, for gamma and the columns.")
    ] = None,
    method: Annotated[str, typer.Option("--method", help="mle: the published count itself.")] = "mle",
    as_json: AsJson = False,
) -> None:
    """Estimate how many records of the original hold a sensitive value, with a 95 % interval.

    The estimate is unbiased; small counts are wrong on purpose.
    """
    if method != "mle":
        raise ParameterError(f"--method {method} is unknown: this version offers mle")
    facts = None if manifest is None else read_manifest(manifest)
    size, columns = _release(gamma, sensitive, facts)
    concept = Concept.parse(where)
    column, value = concept.assignments[0]
    if len(concept.assignments) > 1 or column not in columns:
        raise ParameterError(
            f"--method mle counts one sensitive value alone, not {concept}: "
            f"give a single --where on {' or '.join(columns)}"
        )
    with about(published), counted("counting"):
        table = read_table(published)
        _require_release(table, size, facts)
        count = table.count(concept)
    if facts is not None and value not in facts.domains[column]:
        raise ParameterError(
            f"{value!r} is not a value of {column!r}{_suggestion(value, facts.domains[column])}"
        )
    if count == 0 and facts is None:
        note(f"no published row has {concept}: a rare value may have vanished, or it is misspelled")
    estimate = estimate_count(count, size, bound=table.row_count // size)
    result = {
        "estimate": estimate.estimate,
        "standard_error": estimate.standard_error,
        "interval": list(estimate.interval),
        "method": method,
        "published_count": count,
        "predicate_count": table.row_count,
        "variance": str(estimate.variance),
        "bound": estimate.bound,
        "estimate_within_bound": estimate.estimate_within_bound,
        "interval_within_bound": list(estimate.interval_within_bound),
    }
    least, greatest = estimate.interval
    lines = [
        ("concept", str(concept)),
        ("estimate", f"{estimate.estimate} records of the original (unbiased)"),
        ("standard error", f"{estimate.standard_error:.2f} = sqrt({estimate.variance})"),
        ("95 % interval", f"{least} to {greatest}, exact"),
    ]
    if greatest > table.row_count // size:
        least, greatest = estimate.interval_within_bound
        lines.append(("at most N / gamma", f"{estimate.estimate_within_bound}, {least} to {greatest}"))
    show(result, lines, as_json=as_json)


def _release(
    gamma: str | None, sensitive: list[str] | None, facts: Manifest | None
) -> tuple[Gamma, tuple[str, ...]]:
    """Return gamma and the sensitive columns, from the options, the manifest, or both if they agree."""
    if facts is None:
        if gamma is None or not sensitive:
            raise ParameterError("say --gamma and --sensitive, or give the release's --manifest")
        return Gamma(gamma), tuple(sensitive)
    if gamma is not None and Gamma(gamma) != facts.gamma:
        raise ParameterError(f"--gamma {gamma} contradicts the manifest, which says {facts.gamma}: drop one")
    for column in sensitive or ():
        if column not in facts.domains:
            raise ParameterError(
                f"--sensitive {column} contradicts the manifest, which says {', '.join(facts.domains)}: "
                "drop one"
            )
    return facts.gamma, tuple(sensitive or facts.domains)


def _require_release(table: Microdata, gamma: Gamma, facts: Manifest | None) -> None:
    """Raise unless the table can be a release with that gamma, and the one of the manifest."""
    rows = table.row_count
    if rows % gamma:
        raise DataError(f"{rows} rows are no multiple of gamma = {gamma}: this is no release with that gamma")
    if facts is not None and rows != facts.rows:
        raise DataError(
            f"the table has {rows} rows, the manifest says {facts.rows}: give the files of one release"
        )


def _suggestion(value: str, domain: tuple[str, ...]) -> str:
    close = get_close_matches(value, domain, n=3)
    return (
        f": did you mean {' or '.join(map(repr, close))}?" if close else f": it has {', '.join(domain[:20])}"
    )
