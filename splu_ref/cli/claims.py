"""``splu-ref claims``: the ledger of the papers' claims."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from splu_ref.channels import ParameterError
from splu_ref.cli.ledger import load_ledger
from splu_ref.cli.output import AsJson, note, show
from splu_ref.output import draw

EXAMPLE = "splu-ref claims splu.T3"


def run(
    claim: Annotated[
        str | None, typer.Argument(help="A claim's id, or the end of it, such as t3 [all claims].")
    ] = None,
    reaffirm: Annotated[
        bool, typer.Option("--reaffirm", help="Re-run the claim's evidence and bind it to the present code.")
    ] = False,
    reason: Annotated[
        str, typer.Option("--reason", help="Why the claim is affirmed; recorded with it.")
    ] = "",
    changes: Annotated[
        str, typer.Option("--changes", help="Parts of the claim that may change, such as words,steps.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Show the claims of the source papers with their status: proved, refuted or corrected.

    A refuted claim comes with the smallest counterexample and with the statement to rely on instead.
    """
    ledger = load_ledger()
    if claim is not None:
        claim = _full(claim, [str(row["id"]) for row in ledger.rows()])
    if reaffirm:
        if claim is None:
            raise ParameterError("--reaffirm needs a claim's id: splu-ref claims splu.B --reaffirm")
        parts = tuple(filter(None, changes.split(",")))
        for part, text in ledger.reaffirm(claim, reason=reason, changes=parts)[claim].items():
            note(f"{part}: {text}")
    rows = ledger.rows(claim)
    if as_json or claim is not None:
        show({"claims": rows}, _page(rows[0]), as_json=as_json)
    else:
        _overview(rows)


def _full(given: str, ids: list[str]) -> str:
    """Return the id that equals or ends with ``given``, ignoring case.

    Of several matches, the one of the SPLU paper is taken, and a note names the others. Without a match,
    ``given`` is returned: the ledger refuses it and suggests similar ids.
    """
    lower = given.lower()
    for matches in (
        [each for each in ids if each == given],
        [each for each in ids if each.lower() == lower],
        [each for each in ids if each.lower().endswith(f".{lower}")],
    ):
        of_splu = [each for each in matches if each.startswith("splu.")]
        if len(matches) == 1 or len(of_splu) == 1:
            (found,) = of_splu or matches
            others = [each for each in matches if each != found]
            if others:
                note(f"{', '.join(others)} also matches: write the id in full")
            return found
        if matches:
            raise ParameterError(f"{given} may be any of {', '.join(matches)}: write one of them in full")
    return given


def _page(row: dict[str, Any]) -> list[tuple[str, str]]:
    witness = row["witness"]
    lines = [
        (row["id"], row["title"]),
        ("paper", row["paper"]),
        ("source", row["source"]),
        ("status", row["status"] + (f", by evidence of grade {row['grade']}" if row["grade"] else "")),
        ("scope", ": ".join(filter(None, [row["scope"], row["instances"]]))),
        ("says", row["words"]),
        ("formula", row["statement"]),
        ("if", "; ".join(row["hypotheses"])),
        ("witness", "" if witness is None else _case(witness)),
        ("instead", row["corrected_by"] or ""),
        ("falls with it", ", ".join(row["topples"])),
        *_kernel(row["kernel"]),
        ("rests on", ", ".join(row["depends_on"])),
        ("needed by", ", ".join(row["dependants"])),
        ("licenses", ", ".join(row["licenses"])),
    ]
    return [(name, text) for name, text in lines if text]


def _case(witness: dict[str, Any]) -> str:
    case = ", ".join(f"{name} = {value}" for name, value in witness["parameters"].items())
    return f"{case}: printed {witness['printed']}, true {witness['true']}. {witness['by_hand']}"


def _kernel(kernel: dict[str, Any] | None) -> list[tuple[str, str]]:
    if kernel is None:
        return []
    return [
        ("proved in Coq", kernel["covers"]),
        ("not in Coq", kernel["leaves"]),
        ("theorems", ", ".join(kernel["theorems"])),
    ]


def _overview(rows: list[dict[str, Any]]) -> None:
    for paper, of_paper in groupby(rows, key=itemgetter("paper")):
        table = Table(
            box=None, header_style="bold", title=f"\n{paper}", title_style="bold", title_justify="left"
        )
        for heading in ("claim", "status", "grade", "says", "instead"):
            table.add_column(heading)
        for row in of_paper:
            color = {"refuted": "red", "proved": "green", "corrected": "green"}.get(row["status"], "")
            table.add_row(
                row["id"], Text(row["status"], style=color), row["grade"] or "",
                row["title"], row["corrected_by"] or "",
            )  # fmt: skip
        draw(table)
