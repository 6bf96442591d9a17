"""First stage: every claim of the ledger, its evidence checked again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

from splu_ref.report.model import Row
from splu_ref.report.progress import Progress
from splu_ref.report.stages.outcome import Outcome
from splu_ref.report.workers import WorkerPool

DEFINITION = "a definition: there is nothing to prove"


class ClaimResult(Protocol):
    """What came of one claim."""

    @property
    def id(self) -> str:
        """Its id, such as ``splu.T3``."""
        ...

    @property
    def status(self) -> str:
        """Its status."""
        ...

    @property
    def grade(self) -> str | None:
        """The grade of evidence reached in this run."""
        ...

    @property
    def passed(self) -> bool:
        """Whether all evidence holds."""
        ...

    @property
    def summary(self) -> str:
        """The evidence in one line."""
        ...

    @property
    def seconds(self) -> float:
        """Time taken."""
        ...

    @property
    def message(self) -> str:
        """What failed or could not be checked here, or the empty text."""
        ...

    @property
    def recorded(self) -> str:
        """When the evidence that gives the grade was accepted, if not in this run; else the empty text."""
        ...


class Ledger(Protocol):
    """The claims of the source documents; found by the command line, never imported here."""

    @property
    def printed(self) -> Mapping[str, Callable[..., Fraction]]:
        """Formulas exactly as printed, by claim id."""
        ...

    @property
    def figures(self) -> Mapping[str, Callable[[], Mapping[str, Any]]]:
        """The numbers of redrawn figures, by claim id."""
        ...

    def rows(self) -> Sequence[Mapping[str, object]]:
        """Return what the ledger says of each claim, as plain values."""
        ...

    def run(
        self,
        claim_id: str = "all",
        progress: Callable[[str, int, int], None] | None = None,
        *,
        coq: bool = False,
        spread: Callable[..., Iterable[tuple[str, Any]]] = ...,
    ) -> Sequence[ClaimResult]:
        """Check the evidence of one claim, or of all; with ``coq`` also by Coq, where it is installed.

        ``spread`` shares the claims among processes, as `WorkerPool.each` does.
        """
        ...


def ledger_stage(ledger: Ledger, pool: WorkerPool, progress: Progress, *, coq: bool = False) -> Outcome:
    """Return a row for each claim of the ledger; one that came back without a result has failed."""
    known = {str(entry["id"]): entry for entry in ledger.rows()}
    progress.stage("Claims of the ledger", len(known))
    results = ledger.run(
        "all", lambda claim_id, done, _: progress.at(claim_id, done), coq=coq, spread=pool.each
    )
    rows = [_row(result, known[result.id]) for result in results]
    for lost in known.keys() - {row.id for row in rows}:
        title, status = _text(known[lost], "title"), _text(known[lost], "status")
        rows.append(Row("ledger", lost, title, status, False, detail="it was not checked"))
    return Outcome(rows=tuple(rows))


def _row(result: ClaimResult, entry: Mapping[str, object]) -> Row:
    return Row(
        stage="ledger",
        id=result.id,
        title=_text(entry, "title"),
        status=str(result.status),
        passed=result.passed,
        grade=str(result.grade or ""),
        evidence=result.summary,
        seconds=result.seconds,
        detail=result.message,
        scope=_text(entry, "scope"),
        source=_text(entry, "source"),
        statement=_text(entry, "statement"),
        words=_text(entry, "words"),
        witness=_witness(entry.get("witness")),
        corrected_by=_text(entry, "corrected_by"),
        unchecked=DEFINITION if str(result.status) == "definition" else result.recorded,
    )


def _text(entry: Mapping[str, object], key: str) -> str:
    return str(entry.get(key) or "")


def _witness(witness: object) -> str:
    """Return a counterexample as a sentence: the case, the printed value, the true one, and why."""
    if not isinstance(witness, Mapping):
        return "" if witness is None else str(witness)
    parameters, order = witness.get("parameters"), str(witness.get("order") or "")
    case = ", ".join(f"{k} = {v}" for k, v in parameters.items()) if isinstance(parameters, Mapping) else ""
    values = f"printed {witness.get('printed')}, true {witness.get('true')}"
    sentences = [
        f"{case}: {values}" if case else values,
        str(witness.get("by_hand") or ""),
        f"Smallest by {order.removeprefix('by ')}" if order else "",
    ]
    return " ".join(
        sentence if sentence.endswith(".") else f"{sentence}." for sentence in sentences if sentence
    )
