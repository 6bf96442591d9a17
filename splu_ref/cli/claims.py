"""``splu-ref claims``: the ledger of the papers' claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import groupby
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from splu_ref.channels import ParameterError
from splu_ref.cli.ledger import load_ledger
from splu_ref.cli.output import AsJson, Explain, note, show
from splu_ref.output import draw, plain_formula

EXAMPLE = "splu-ref claims splu.T3"


def run(
    claim: Annotated[
        str | None,
        typer.Argument(
            metavar="[PAPER|ID]",
            help="A paper (splu), a claim's id (splu.T3), or the end of it (t3) [the papers].",
        ),
    ] = None,
    paper: Annotated[str | None, typer.Option("--paper", help="List the claims of a paper.")] = None,
    status: Annotated[
        str | None, typer.Option("--status", help="List claims of one status alone, such as refuted.")
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
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Show the claims of the source papers with their status: proved, refuted or corrected.

    A refuted claim comes with the smallest counterexample and with the statement to rely on instead.
    """
    ledger = load_ledger()
    changed: dict[str, str] = {}
    if reaffirm:
        if claim is None:
            raise ParameterError("--reaffirm needs a claim's id: splu-ref claims splu.B --reaffirm")
        parts = tuple(filter(None, changes.split(",")))
        changed = ledger.reaffirm(claim, reason=reason, changes=parts)[claim]
    rows: list[dict[str, Any]] = ledger.rows()
    papers = list(dict.fromkeys(map(_paper, rows)))
    if claim is not None and claim.lower() in papers:
        claim, paper = None, paper or claim
    if paper is not None and paper.lower() not in papers:
        raise ParameterError(f"--paper {paper} is unknown: choose one of {', '.join(papers)}")
    if claim is not None:
        if paper is not None or status is not None:
            raise ParameterError("--paper and --status list claims: leave out the id, or these options")
        claim = _full(claim, [str(row["id"]) for row in rows])
    for part, text in changed.items():
        note(f"{part}: {text}")
    if claim is not None:
        [row] = ledger.rows(claim)
        show({"claims": [row]}, _page(row), as_json=as_json, details=_evidence(row), explain=explain)
        return
    statuses = sorted({row["status"] for row in rows})
    if status is not None and status not in statuses:
        raise ParameterError(f"--status {status} is unknown: choose one of {', '.join(statuses)}")
    listed = [
        row
        for row in rows
        if (paper is None or _paper(row) == paper.lower()) and status in (None, row["status"])
    ]
    if as_json:
        show({"claims": listed}, [], as_json=True)
    elif paper is None and status is None:
        _papers(listed)
    else:
        _list(listed)


def _paper(row: dict[str, Any]) -> str:
    """Return the name of a claim's paper."""
    return str(row["id"]).partition(".")[0]


def _full(given: str, ids: list[str]) -> str:
    """Return the id that equals or ends with ``given``, ignoring case.

    Of several matches, the one of the SPLU paper is taken, and a note names the others. Without a match an
    error suggests similar ids.
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
    close = get_close_matches(given, ids, n=3, cutoff=0.5)
    papers = ", ".join(dict.fromkeys(each.partition(".")[0] for each in ids))
    remedy = f"did you mean {' or '.join(close)}?" if close else f"its papers are {papers}"
    raise ParameterError(f"the ledger has no claim {given!r}: {remedy}")


def _page(row: dict[str, Any]) -> list[tuple[str, str]]:
    witness = row["witness"]
    lines = [
        (row["id"], row["title"]),
        ("status", row["status"] + (f", by evidence of grade {row['grade']}" if row["grade"] else "")),
        ("instead", row["corrected_by"] or ""),
        ("scope", ": ".join(filter(None, [row["scope"], row["instances"]]))),
        ("says", row["words"]),
        ("formula", plain_formula(row["statement"])),
        ("if", "; ".join(map(plain_formula, row["hypotheses"]))),
        ("witness", "" if witness is None else _case(witness)),
        ("falls with it", ", ".join(row["topples"])),
        ("paper", row["paper"]),
        ("source", row["source"]),
    ]
    return [(name, text) for name, text in lines if text]


def _evidence(row: dict[str, Any]) -> list[tuple[str, str]]:
    lines = [
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


def _counts(rows: Sequence[dict[str, Any]]) -> str:
    """Return the number of claims, in all and by status."""
    by_status = Counter(row["status"] for row in rows)
    return f"{len(rows)} claims: " + ", ".join(f"{number} {name}" for name, number in by_status.most_common())


def _papers(rows: Sequence[dict[str, Any]]) -> None:
    """Print the papers with their numbers of claims."""
    lines = [("all papers", _counts(rows))]
    for name, of_paper in groupby(rows, key=_paper):
        claims = list(of_paper)
        refuted = sum(row["status"] == "refuted" for row in claims)
        lines.append((name, f"{len(claims)} claims, {refuted} refuted. {claims[0]['paper']}"))
    lines.append(
        ("next", "splu-ref claims splu, splu-ref claims --status refuted, or splu-ref claims splu.T3")
    )
    show({}, lines, as_json=False)


def _list(rows: Sequence[dict[str, Any]]) -> None:
    """Print a list of claims."""
    title = f"{_counts(rows)} (choose by --paper, --status)"
    table = Table(box=None, header_style="bold", title=title, title_justify="left")
    for heading in ("claim", "status", "grade", "says", "instead"):
        table.add_column(heading)
    for row in rows:
        color = {"refuted": "red", "proved": "green", "corrected": "green"}.get(row["status"], "")
        table.add_row(
            row["id"], Text(row["status"], style=color), row["grade"] or "",
            row["title"], row["corrected_by"] or "",
        )  # fmt: skip
    draw(table)
