"""``splu-ref sample-size``: the number of rows that an estimate under retention replacement needs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from splu_ref.channels import ParameterError, integer
from splu_ref.cli.certificates import CertificateFile, certified
from splu_ref.cli.output import AsJson, Explain, Force, show
from splu_ref.cli.progress import counted
from splu_ref.data import refuse_existing
from splu_ref.guarantees import Progress, SampleSize, printed_sample_size, sample_size, sample_size_bound

if TYPE_CHECKING:
    from splu_ref.guarantees import Certificate

EXAMPLE = "splu-ref sample-size --retention 1/2 --epsilon 1/5 --delta 1/20 --share 1/4"


def run(
    retention: Annotated[
        str, typer.Option("--retention", help="Probability p of retaining the true value, e.g. 1/5.")
    ],
    epsilon: Annotated[str, typer.Option("--epsilon", help="Error of the estimated share, exact: 0.02.")],
    delta: Annotated[
        str, typer.Option("--delta", help="Largest probability of an error of epsilon or more.")
    ],
    share: Annotated[
        list[str] | None,
        typer.Option(
            "--share",
            help="Share of the replacements that satisfy the predicate; repeat for each column.",
        ),
    ] = None,
    domain_values: Annotated[
        list[str] | None,
        typer.Option(
            "--domain-values",
            help="Instead of --share: size of the domain of replacements, for a predicate with one value.",
        ),
    ] = None,
    certificate: CertificateFile = None,
    force: Force = False,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Compute how many rows keep the error of an estimate below epsilon with probability 1 - delta.

    The estimate is of the share of rows that satisfy a predicate, from a column published by retention
    replacement. The number is the least: every table with at least so many rows suffices for every true
    count, and with one row less it does not for some count. With several columns the share is that of a
    conjunction, and only Hoeffding's bound is given.
    """
    shares = [*(share or ()), *(f"1/{integer(each, '--domain-values', 2)}" for each in domain_values or ())]
    if not shares:
        raise ParameterError(
            "no predicate: give its share among the replacements, --share 1/4, or for one value of 14 "
            "--domain-values 14"
        )
    if certificate is not None:
        if len(shares) > 1:
            raise ParameterError("there is no certificate for several columns: leave out --certificate")
        refuse_existing(certificate, force=force)
    bound = sample_size_bound(retention, shares, epsilon, delta)
    found: SampleSize | None = None
    printed: int | None = None
    if len(shares) == 1:
        with counted("searching numbers of rows") as progress:
            found = sample_size(retention, shares[0], epsilon, delta, progress=progress)
        printed = printed_sample_size(retention, epsilon, delta)
    result = {
        "retention": retention,
        "shares": shares,
        "epsilon": epsilon,
        "delta": delta,
        "rows": None if found is None else found.rows,
        "count": None if found is None else found.count,
        "rows_printed": printed,
        "rows_bound": bound,
    }
    lines = _lines(found, printed, bound)
    with certified(certificate, partial(_certificate, found), lines, force=force):
        show(result, lines, as_json=as_json)


def _certificate(found: SampleSize | None, *, progress: Progress) -> Certificate:
    from splu_ref.guarantees import sample_size_certificate  # noqa: PLC0415 - most runs write none

    assert found is not None
    return sample_size_certificate(found, progress=progress)


def _lines(found: SampleSize | None, printed: int | None, bound: int) -> list[tuple[str, str]]:
    if found is None:
        return [("rows", f"{bound} suffice, by Hoeffding's bound; the least number is not computed")]
    lines = [("rows", f"{found.rows}: the least number that suffices for every table, exactly")]
    if found.count is not None:
        why = f"with {found.rows - 1} rows, {found.count} of them counted, an error is more likely than delta"
        lines.append(("not fewer", why))
    return [
        *lines,
        ("by Hoeffding", f"{bound} rows suffice"),
        ("as printed", f"{printed} rows, by Theorem 1 of Agrawal, Srikant and Thomas"),
    ]
