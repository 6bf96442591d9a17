"""The ledger as text."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap

from .claim import Claim
from .ledger import Ledger
from .result import ClaimResult

WIDTH = 110
ID = 14
"""Room for the longest id."""
_INDENT = " " * 12


def ledger_table(ledger: Ledger) -> str:
    """Return the ledger as a table: id, status, grade, then the claim in words."""
    lines = [f"{'claim':<{ID}}  {'status':<10}  {'grade':<10}  what it says", "-" * WIDTH]
    for claim in ledger:
        lines.append(
            f"{claim.id:<{ID}}  {claim.status:<10}  {claim.grade or '-':<10}  {claim.title} ({claim.source})"
        )
        for part in _parts(claim):
            lines += [_INDENT + line for line in wrap(part, WIDTH - len(_INDENT))]
    return "\n".join(lines) + "\n"


def _parts(claim: Claim) -> Iterable[str]:
    yield claim.words
    if claim.instances:
        yield f"Verified on: {claim.instances}."
    witness = claim.witness
    if witness is not None:
        case = ", ".join(f"{name} = {value}" for name, value in witness.texts.items())
        yield f"Smallest witness: {case}. {witness.by_hand}"
    if claim.corrected_by:
        yield f"What holds instead: {claim.corrected_by}."
    if claim.kernel is not None:
        yield f"Proved in Coq: {claim.kernel.covers} ({', '.join(claim.kernel.names)})"
        if claim.kernel.leaves:
            yield f"Not in Coq: {claim.kernel.leaves}"
    if claim.topples:
        yield f"Falls with it: {', '.join(claim.topples)}."
    if claim.rests_on:
        yield f"Rests on: {', '.join(claim.rests_on)}."


def run_table(results: Iterable[ClaimResult]) -> str:
    """Return the results of a run as a table: status, grade reached, time, and every piece of evidence."""
    lines = [f"{'claim':<{ID}}  {'status':<10}  {'grade':<10}  {'passed':<6}  {'time':>7}", "-" * WIDTH]
    for result in results:
        passed = "yes" if result.passed else "NO"
        head = f"{result.id:<{ID}}  {result.status:<10}  {result.grade or '-':<10}  {passed:<6}"
        lines.append(f"{head}  {result.seconds:6.2f}s")
        parts = [f"{each.name}: {each.summary}" for each in result.evidence]
        for part in filter(None, [result.message, *parts]):
            lines += wrap(part, WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT + "  ")
    return "\n".join(lines) + "\n"
