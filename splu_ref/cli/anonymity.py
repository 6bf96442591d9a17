"""``splu-ref anonymity``: k-anonymity, l-diversity, (alpha, k)-anonymity and t-closeness of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from splu_ref.audit import OPEN, Anonymity
from splu_ref.channels import ParameterError, integer
from splu_ref.cli.output import AsJson, Explain, Separator, about, show
from splu_ref.cli.progress import counted
from splu_ref.data import read_table
from splu_ref.estimators import Columns
from splu_ref.guarantees import decimal_down, decimal_up, exact_json

EXAMPLE = "splu-ref anonymity adult.csv --quasi sex --quasi race --sensitive occupation"


def run(
    table: Annotated[Path, typer.Argument(help="The table: .csv, .csv.gz or .parquet.")],
    quasi: Annotated[
        list[str], typer.Option("--quasi", help="Quasi-identifier: a column that may be known; repeat.")
    ],
    sensitive: Annotated[
        str | None, typer.Option("--sensitive", help="The column whose values are to be protected.")
    ] = None,
    number: Annotated[
        str | None,
        typer.Option("--l", help="l of recursive (c, l)-diversity, whose least c is computed [2]."),
    ] = None,
    separator: Separator = None,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Count how anonymous a table is: k, l, alpha and t, exactly.

    Records with equal values in all --quasi columns are a group; an empty cell is a value. t is for values at
    equal distances from each other. Nothing is published.
    """
    if number is not None and sensitive is None:
        raise ParameterError("--l is about the values of a sensitive column: name it, --sensitive")
    with about(table), counted("counting"):
        data = read_table(table)
        found = Anonymity.of(Columns(data, {}), quasi, sensitive)
    result: dict[str, object] = {
        "records": found.records,
        "groups": sum(found.sizes.values()),
        "quasi": list(quasi),
        "sensitive": sensitive,
        "k": found.k,
        "alone": found.alone,
    }
    lines = [
        ("groups", f"{sum(found.sizes.values())} of {found.records} records, by {', '.join(quasi)}"),
        ("k", f"{found.k}: the smallest group; {found.alone_in_words}"),
    ]
    if sensitive is not None:
        assert found.distance is not None
        least = 2 if number is None else integer(number, "--l", 2)
        bound = found.recursive(least)
        result |= {
            "l": found.distinct,
            "entropy_l": found.entropy_whole,
            "entropy": found.entropy.as_texts(),
            "recursive": {"l": least, "c_above": None if bound is None else exact_json(bound, "up")},
            "alpha": exact_json(found.alpha, "up"),
            "t": exact_json(found.distance, "up"),
            "homogeneous_groups": found.homogeneous,
            "exposed_records": found.exposed,
        }
        fewer = f"no c: a group has fewer than {least} values"
        bits = decimal_down(found.entropy.narrowed(), 6)
        lines += [
            ("l", f"{found.distinct} different values of {sensitive!r} at least in each group"),
            ("entropy", f"{bits} bits at least: entropy l-diverse for l = {found.entropy_whole}"),
            (f"recursive, l = {least}", fewer if bound is None else f"c above {decimal_up(bound, 6)}"),
            ("alpha", f"{decimal_up(found.alpha, 6)}: the largest share of a value in a group"),
            (
                "t",
                f"{decimal_up(found.distance, 6)}: how far a group's shares are from the table's, at most",
            ),
            (
                "exposed",
                f"{found.exposed} records, in {found.homogeneous} groups that have one value each",
            ),
        ]
    show(result, [*lines, ("limits", OPEN)], as_json=as_json)
