"""``splu-ref useful``: error probability of a query on an alpha-beta release, and the release's privacy."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from splu_ref.channels import ParameterError, exact, integer, natural_logarithm, one_budget, positive
from splu_ref.cli.output import AsJson, Explain, Force, note, show
from splu_ref.cli.progress import counted
from splu_ref.guarantees import (
    ExactJson,
    TupleChances,
    TupleLevels,
    TupleQueryError,
    d_gamma_certificate,
    decimal_down,
    decimal_up,
    exact_json,
    possible_counts,
    worst_query_error,
    write_certificate,
)

EXAMPLE = "splu-ref useful --alpha 1/2 --beta 1/100 --n 500 --m 10000 --query-size 2500 --rho 2 --level 1/2"
MOST_COUNTS = 2_000
"""Largest number of counts that are searched for the worst one."""
EXACT_MOST = 1_000
"""Tuples of the largest query whose error probability is given as a fraction."""


@one_budget()
def run(
    alpha: Annotated[
        str, typer.Option("--alpha", help="A tuple of the table is published with probability alpha + beta.")
    ],
    beta: Annotated[
        str, typer.Option("--beta", help="Any other tuple of the domain is published with probability beta.")
    ],
    n: Annotated[str, typer.Option("--n", help="Tuples in the table.")],
    m: Annotated[str, typer.Option("--m", help="Tuples in the domain.")],
    query_size: Annotated[
        str, typer.Option("--query-size", help="Tuples of the domain that a query selects.")
    ],
    rho: Annotated[
        str | None,
        typer.Option("--rho", help="Errors of rho sqrt(n) or more count; or give --k and --level."),
    ] = None,
    k: Annotated[
        str | None, typer.Option("--k", help="With --level: rho^2 = k/gamma, as in Theorem 4.4.")
    ] = None,
    count: Annotated[
        str | None, typer.Option("--count", help="True count of the query [the worst one].")
    ] = None,
    d: Annotated[str | None, typer.Option("--d", help="Largest prior of a tuple, with --level.")] = None,
    level: Annotated[str | None, typer.Option("--level", help="gamma: largest posterior of a tuple.")] = None,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="Write a certificate of (d, gamma)-privacy here.")
    ] = None,
    force: Force = False,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Compute the error probability of a query on an alpha-beta release, and the release's privacy.

    The error probability is exact, or enclosed and rounded up. --level gamma gives the largest d for which
    the release is (d, gamma)-private; with --d the exit code is 1 unless the release is (d, gamma)-private.
    """
    chances = TupleChances.of(alpha, beta)
    tuples, domain = integer(n, "n", 1), integer(m, "m", 1)
    counts = possible_counts(tuples, domain, query_size)
    radius = _radius_squared(rho, k, level, tuples)
    with counted("searching counts"):
        error, worst, error_bound = _error(chances, query_size, counts, radius, count)
    if (d is not None or certificate is not None) and level is None:
        raise ParameterError("--d and --certificate need a posterior: add --level GAMMA")
    levels = None if d is None or level is None else TupleLevels.of(d, level)
    if certificate is not None:
        if levels is None:
            raise ParameterError("--certificate needs a prior: add --d D")
        if levels.allow(chances):
            write_certificate(certificate, d_gamma_certificate(chances, levels), force=force)
        else:
            note("no certificate is written: the release is not (d, gamma)-private")
    largest = None if level is None else chances.largest_d(level)
    ratio = chances.amplification
    epsilon = None if ratio is None else decimal_up(natural_logarithm(ratio))
    result = {
        "error": error_bound,
        "count": error.count,
        "worst": worst,
        "rho_squared": str(radius / tuples),
        "variance": str(error.variance),
        "chebyshev": str(min(error.variance / radius, Fraction(1))),
        "amplification": None if ratio is None else str(ratio),
        "epsilon": epsilon,
        "largest_d": None if largest is None else str(largest),
        "holds": None if levels is None else levels.allow(chances),
        "printed_conditions": None if levels is None else levels.printed_conditions(chances),
    }
    lines = [
        (
            "error",
            f"at most {error_bound['decimal']} for |estimate - Q| >= rho sqrt(n), rho^2 = {radius / tuples}",
        ),
        ("count", f"Q = {error.count}" + (", the worst one" if worst else "")),
        ("variance", f"{error.variance} of the estimate; Chebyshev's bound is {result['chebyshev']}"),
        (
            "one tuple more or less",
            "unbounded" if epsilon is None else f"e^epsilon = {ratio}: epsilon <= {epsilon}",
        ),
    ]
    if largest is not None:
        lines.append(
            ("largest d", f"{largest} (about {decimal_down(largest, 4)}) at gamma = {exact(level or 0)}")
        )
    if levels is not None:
        holds = "holds" if levels.allow(chances) else "does not hold"
        printed = "are met" if levels.printed_conditions(chances) else "are not met"
        lines.append(
            ("(d, gamma)", f"({levels.d}, {levels.gamma})-privacy {holds}; the printed conditions {printed}")
        )
    show(result, lines, as_json=as_json)
    if levels is not None and not levels.allow(chances):
        raise typer.Exit(1)


def _radius_squared(rho: str | None, k: str | None, level: str | None, tuples: int) -> Fraction:
    """Return rho^2 n, from rho or as k n/gamma."""
    if (rho is None) == (k is None):
        raise ParameterError("no error bound: give --rho R, or --k K with --level GAMMA")
    if rho is not None:
        return positive(rho, "rho") ** 2 * tuples
    if level is None:
        raise ParameterError("--k defines rho^2 = k/gamma: add --level GAMMA")
    return positive(k or 0, "k") / positive(level, "level") * tuples


def _error(
    chances: TupleChances, query_size: str, counts: range, radius: Fraction, count: str | None
) -> tuple[TupleQueryError, bool, ExactJson]:
    """Return the error at ``count`` or the worst one, whether it is the worst one, and its probability."""
    if count is not None:
        error = TupleQueryError.of(chances, query_size, count, radius)
        if error.count not in counts:
            raise ParameterError(
                f"--count {count} is impossible: {counts[0]} to {counts[-1]} tuples of such a query can be "
                "in the table"
            )
        exactly = error.query_size <= EXACT_MOST
        return error, False, exact_json(error.exact() if exactly else error.bounds(), "up")
    if len(counts) > MOST_COUNTS:
        raise ParameterError(
            f"the search for the worst of {len(counts)} counts takes too long: give one, --count Q"
        )
    error, bounds = worst_query_error(chances, query_size, counts, radius)
    return error, True, exact_json(bounds, "up")
