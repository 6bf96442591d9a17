"""``splu-ref entropy``: the entropy that each record of a small table loses by a release."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from splu_ref.audit import read_world
from splu_ref.channels import EntropyLoss, Exact, LogForm, ParameterError, ValueLoss, one_budget
from splu_ref.cli.output import AsJson, Explain, about, show
from splu_ref.cli.progress import counted
from splu_ref.guarantees import decimal_up

EXAMPLE = "splu-ref entropy salaries.toml"


@one_budget()
def run(
    world: Annotated[
        Path, typer.Argument(help="Records with their laws, and the released statistic (TOML).")
    ],
    released: Annotated[
        str | None, typer.Option("--released", help="Show only this released value, as it is printed.")
    ] = None,
    base: Annotated[
        str, typer.Option("--base", help="Base of the logarithms in decimals, above 1; 2 gives bits.")
    ] = "2",
    explain: Explain = False,
    as_json: AsJson = False,
) -> int:
    """Compute the entropy that each record loses by the release of a statistic, exactly.

    The loss of a released value is the largest loss of entropy of a record (Chirayath et al. 2006); below 0,
    every record became more uncertain. Also: its mean, the mutual information, and the largest loss where a
    gain counts as 0. Exact forms are sums of logarithms of integers; decimals are rounded up. The file lists
    independent records or whole tables, up to a million of them, and names a count, sum, mean, max, histogram
    or predicate of them, or a mechanism, whose code is run on every outcome of its random choices.
    """
    LogForm({}).narrowed(base=base)  # refuses an invalid base before the computation
    file = read_world(world)
    with about(world), counted("computing entropies"):
        found = file.losses()
    rows = sorted(found.values, key=_order)
    if released is not None:
        rows = [row for row in rows if str(row.released) == released]
        if not rows:
            raise ParameterError(
                f"--released {released} is impossible in this world: leave it out to see all"
            )
    outcomes = [
        {"released": str(row.released), "probability": str(row.probability), **_loss_json(row.loss, base)}
        for row in rows
    ]
    result: dict[str, object] = {
        "title": file.title,
        "release": file.release,
        "records": file.world.places,
        "tables": file.world.size,
        "base": base,
        "entropies": [_loss_json(form, base) for form in found.entropies],
        "outcomes": outcomes,
        "expected": _loss_json(found.expected, base),
        "worst": _loss_json(found.worst, base),
        "mutual_information": {
            "records": [_loss_json(form, base) for form in found.records],
            "table": _loss_json(found.whole, base),
        },
        "relative": [None if share is None else decimal_up(share) for share in found.relative],
        "min_entropy_leakage": _loss_json(found.leakage, base),
    }
    show(result, _lines(rows, found, base), as_json=as_json)
    return 0


def _order(row: ValueLoss[Hashable]) -> tuple[Fraction, str]:
    """Order texts before numbers."""
    value = row.released
    return (Fraction(value), "") if isinstance(value, int | Fraction) else (Fraction(0), str(value))


def _loss_json(form: LogForm, base: Exact) -> dict[str, str | Mapping[str, str]]:
    return {"loss": str(form), "exact": form.as_texts(), "decimal": decimal_up(form.narrowed(base=base))}


def _lines(rows: list[ValueLoss[Hashable]], found: EntropyLoss[Hashable], base: str) -> list[tuple[str, str]]:
    unit = "bits" if base == "2" else f"to base {base}"

    def size(form: LogForm) -> str:
        exactly = str(form)
        shown = decimal_up(form.narrowed(base=base), 6)
        return f"{shown} {unit}" if exactly == shown or len(exactly) > 60 else f"{shown} {unit} = {exactly}"

    each = [(str(row.released), f"with probability {row.probability}: {size(row.loss)}") for row in rows]
    return [
        *each,
        ("expected loss", size(found.expected)),
        ("worst, gains as 0", size(found.worst)),
        ("of one record", f"I(X; S) at most {size(max(found.records))}"),
        ("of the whole table", f"I(D; S) = {size(found.whole)}"),
        ("best guess", f"min-entropy leakage {size(found.leakage)}"),
    ]
