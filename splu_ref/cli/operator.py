"""``splu-ref operator``: the optimal randomization matrix under a privacy guarantee, with its proof."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from splu_ref.channels import DataError, Levels, one_budget
from splu_ref.cli.certificates import certified
from splu_ref.cli.matrices import matrix_text
from splu_ref.cli.options import refuse_overlap
from splu_ref.cli.output import AsJson, Explain, Force, about, note, show
from splu_ref.cli.progress import counted
from splu_ref.data import refuse_existing, write_whole
from splu_ref.guarantees import (
    MOST_VALUES,
    Appraisal,
    Optimum,
    Progress,
    Requirement,
    best_operator,
    decimal_up,
    uniform_retention,
    uniform_variances,
)

if TYPE_CHECKING:
    from splu_ref.guarantees import Certificate

EXAMPLE = "splu-ref operator --prior adult.csv --column occupation --rho1 1/10 --rho2 1/2"

_OBJECTIVES = {
    "share": "the expected share of records that retain their value",
    "mean": "the mean probability that a value is retained",
    "least": "the least probability that a value is retained",
}
_GUARANTEES = {
    "any": "no belief under any prior",
    "values": "no belief in a single value, under the table's counts as prior,",
    "sets": "no belief in any set of values, under the table's counts as prior,",
}
MOST_SHOWN = 60
"""Largest number of values of a matrix; against one prior `MOST_VALUES` may be smaller."""


@one_budget()
def run(
    prior: Annotated[Path, typer.Option("--prior", help="A table whose counts are the prior.")],
    column: Annotated[str, typer.Option("--column", help="The sensitive column of --prior.")],
    rho1: Annotated[str, typer.Option("--rho1", help="Largest prior belief that is protected.")],
    rho2: Annotated[str, typer.Option("--rho2", help="Posterior that it may reach and not exceed.")],
    keep: Annotated[
        str,
        typer.Option(
            "--keep",
            help="Maximize the share of records that retain their value (share), the mean of the "
            "matrix's diagonal (mean), or its least entry (least).",
        ),
    ] = "share",
    against: Annotated[
        str,
        typer.Option(
            "--against",
            help="Bound beliefs under every prior (any), or under the table's counts beliefs in single "
            "values (values) or in all sets of values (sets). The last two need the extra operators.",
        ),
    ] = "any",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the matrix, for publish --matrix.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="Write a certificate that the operator is optimal.")
    ] = None,
    force: Force = False,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Find the optimal randomization matrix under a bound on posterior beliefs, with its proof.

    Row u is the distribution of the published value for true value u. A posterior of exactly rho2 is
    admitted, which others count as a breach. The matrix that retains most is not the most accurate: some
    values may never be published, and counts may not be estimable. The rank, the variance of each count and
    the same for uniform perturbation are therefore reported too. The result is verified exactly, or refused.
    """
    from splu_ref.data import read_table, text  # noqa: PLC0415 - it loads polars

    levels = Levels.of(rho1, rho2)
    written = [path for path in (output, certificate) if path is not None]
    refuse_overlap(written, [prior])
    for path in written:
        refuse_existing(path, force=force)
    with about(prior):
        table = read_table(prior)
        table.codes(column)  # a single value is refused
        histogram = dict(zip(map(text, table.domain(column)), table.histogram(column).tolist(), strict=True))
        most = MOST_VALUES.get(against, MOST_SHOWN)
        if len(histogram) > most:
            raise DataError(
                f"column {column!r} has {len(histogram)} values, and an operator --against {against} is "
                f"computed for at most {most}: group "
                f"them{'' if against == 'any' else ' or use --against any'}"
            )
    counts = {value: count for value, count in histogram.items() if count}
    wanted = Requirement.of(tuple(counts.values()), levels, keep, against)
    with counted("searching operators"):
        found = best_operator(wanted)
        appraisal = Appraisal(found.channel(list(counts)), counts)
        condition, variances = appraisal.condition_number, appraisal.variances
    values = list(counts)
    retention = uniform_retention(wanted)
    kept = retention + (1 - retention) / len(values)  # the same for all values and objectives
    ordinary = uniform_variances(counts, retention)
    result = {
        "keep": keep,
        "against": against,
        "rho1": str(levels.rho1),
        "rho2": str(levels.rho2),
        "values": len(values),
        "objective": str(found.objective),
        "uniform_objective": str(kept),
        "uniform_retention": str(retention),
        "rank": appraisal.rank,
        "never_published": list(appraisal.never_published),
        "amplification": None if appraisal.amplification is None else str(appraisal.amplification),
        "condition_number": _decimal(condition),
        "variances": {value: _decimal(each) for value, each in variances.items()},
        "uniform_variances": {value: _decimal(each) for value, each in ordinary.items()},
        "certified": True,
    }
    lines = _lines(wanted, found, appraisal, kept, ordinary)
    if output is not None:
        write_whole(output, matrix_text(column, values, found.matrix), force=force)
        lines.append(
            (
                "matrix",
                f"{output} (publish with it: splu-ref publish TABLE --mechanism operator --matrix {output})",
            )
        )
    with certified(certificate, partial(_certificate, found), lines, force=force):
        show(result, lines, as_json=as_json)
    if output is not None:
        note(
            f"the matrix depends on the counts of {prior}, and the manifest of a release contains it: use a "
            "table whose counts are public, or publish them first"
        )


def _certificate(found: Optimum, *, progress: Progress) -> Certificate:
    from splu_ref.guarantees import operator_certificate  # noqa: PLC0415 - most runs write none

    progress(0, 1)
    return operator_certificate(found)


def _decimal(number: Fraction | None) -> str | None:
    return None if number is None else decimal_up(number, 6)


def _lines(
    wanted: Requirement,
    found: Optimum,
    appraisal: Appraisal[str],
    kept: Fraction,
    ordinary: Mapping[str, Fraction | None],
) -> list[tuple[str, str]]:
    size, lines = len(wanted.counts), []
    if appraisal.rank < size:
        blind = [value for value, each in appraisal.variances.items() if each is None]
        lines.append(
            (
                "cannot be inverted",
                f"rank {appraisal.rank} of {size}: no unbiased estimate of the counts of {_named(blind)}",
            )
        )
    levels = wanted.levels
    lines += [
        ("optimum", f"{_about(found.objective)}: {_OBJECTIVES[wanted.keep]}; no admitted operator has more"),
        ("guarantee", f"{_GUARANTEES[wanted.against]} rises from at most {levels.rho1} above {levels.rho2}"),
        ("uniform perturbation", f"{_about(kept)} under the same bound"),
    ]
    if appraisal.never_published:
        lines.append(("never published", _named(appraisal.never_published)))
    ratio = appraisal.amplification
    lines.append(("amplification", "infinite" if ratio is None else str(ratio)))
    if appraisal.condition_number is not None:
        lines.append(("condition number", str(_decimal(appraisal.condition_number))))
        rarest = min(appraisal.counts, key=lambda value: appraisal.counts[value])
        mine, other = (_decimal(each[rarest]) for each in (appraisal.variances, ordinary))
        lines.append(
            ("variance", f"of the count of {rarest}: {mine}, with uniform perturbation {other or 'none'}")
        )
    return lines


def _named(values: tuple[str, ...] | list[str]) -> str:
    return ", ".join(values[:5]) + (f" and {len(values) - 5} more" if len(values) > 5 else "")


def _about(share: Fraction) -> str:
    fraction = str(share)
    return fraction if len(fraction) < 24 else f"about {_decimal(share)}"
