"""``splu-ref entropy``: what a release of a small table costs each record, in bits."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from splu_ref.audit import read_world
from splu_ref.channels import EntropyLoss, Exact, LogForm, ParameterError, ValueLoss, one_budget
from splu_ref.cli.output import AsJson, about, show
from splu_ref.cli.progress import counted
from splu_ref.guarantees import decimal_up

EXAMPLE = "splu-ref entropy salaries.toml"


@one_budget()
def run(
    world: Annotated[Path, typer.Argument(help="Records with their laws, and what is released (TOML).")],
    released: Annotated[
        str | None, typer.Option("--released", help="Only this released value, as it would be printed.")
    ] = None,
    base: Annotated[
        str, typer.Option("--base", help="Of the logarithms that decimals are in, above 1; 2: bits.")
    ] = "2",
    as_json: AsJson = False,
) -> int:
    """Say what releasing a statistic costs each record in entropy, exactly, for every value it may have.

    The loss of a released value is the largest loss of entropy of a record (Chirayath et al. 2006); below 0,
    every record became more uncertain. Beside it: its mean, mutual information, and the largest loss where a
    gain counts as none. Exact forms are sums of logarithms of whole numbers; decimals are rounded up. The
    file lists independent records or whole tables, up to a million of them, and names a count, sum, mean,
    max, histogram or predicate of them, or a mechanism, whose code is run on every outcome of its choices.
    """
    LogForm({}).narrowed(base=base)  # refused before anything is computed
    told = read_world(world)
    with about(world), counted("computing entropies"):
        found = told.losses()
    rows = sorted(found.values, key=_order)
    if released is not None:
        rows = [row for row in rows if str(row.released) == released]
        if not rows:
            raise ParameterError(
                f"--released {released} is impossible in this world: leave it out to see all"
            )
    outcomes = [
        {"released": str(row.released), "probability": str(row.probability), **_told(row.loss, base)}
        for row in rows
    ]
    result: dict[str, object] = {
        "title": told.title,
        "release": told.release,
        "records": told.world.places,
        "tables": told.world.size,
        "base": base,
        "entropies": [_told(form, base) for form in found.entropies],
        "outcomes": outcomes,
        "expected": _told(found.expected, base),
        "worst": _told(found.worst, base),
        "mutual_information": {
            "records": [_told(form, base) for form in found.records],
            "table": _told(found.whole, base),
        },
        "relative": [None if share is None else decimal_up(share) for share in found.relative],
        "min_entropy_leakage": _told(found.leakage, base),
    }
    show(result, _lines(rows, found, base), as_json=as_json)
    return 0


def _order(row: ValueLoss[Hashable]) -> tuple[Fraction, str]:
    """Order numbers by size, and before them texts by their letters."""
    value = row.released
    return (Fraction(value), "") if isinstance(value, int | Fraction) else (Fraction(0), str(value))


def _told(form: LogForm, base: Exact) -> dict[str, str | Mapping[str, str]]:
    return {"loss": str(form), "exact": form.as_texts(), "decimal": decimal_up(form.narrowed(base=base))}


def _lines(rows: list[ValueLoss[Hashable]], found: EntropyLoss[Hashable], base: str) -> list[tuple[str, str]]:
    unit = "bits" if base == "2" else f"to base {base}"

    def size(form: LogForm) -> str:
        exactly = str(form)
        shown = decimal_up(form.narrowed(base=base), 6)
        return f"{shown} {unit}" if exactly == shown or len(exactly) > 60 else f"{shown} {unit} = {exactly}"

    each = [(str(row.released), f"with chance {row.probability}: {size(row.loss)}") for row in rows]
    return [
        *each,
        ("expected loss", size(found.expected)),
        ("worst, gains as 0", size(found.worst)),
        ("of one record", f"I(X; S) at most {size(max(found.records))}"),
        ("of the whole table", f"I(D; S) = {size(found.whole)}"),
        ("best guess", f"min-entropy leakage {size(found.leakage)}"),
    ]
