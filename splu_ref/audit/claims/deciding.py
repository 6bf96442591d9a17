"""Claims decided one by one, whatever their kind."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from splu_ref.audit.claims.claim import Claim, ClaimsFile
from splu_ref.audit.claims.quotes import Ledger, quote
from splu_ref.audit.claims.verdict import Finding
from splu_ref.channels import InputError, WorkError, left
from splu_ref.guarantees import Progress


def decide(claim: Claim, ledger: Ledger | None = None, *, progress: Progress | None = None) -> Finding:
    """Confirm, narrow or refute a claim by exact computation, or say that it is not decided.

    Parameters
    ----------
    claim
        As `splu_ref.audit.claims.read_claims` returns it.
    ledger
        The ledger of the paper's claims, for what is registered there as printed. Without it no quotation is
        recognized, and claims about printed formulas are refused.
    progress
        Called now and then with (work done, work in all).

    Raises
    ------
    InputError
        If the claim is too large to be decided, or needs a ledger. The message names the line of the key, as
        far as one key is to blame, without the file.
    """
    try:
        finding = claim.decide(ledger, progress)
        if ledger is None:
            return finding
        repeated = [quote(ledger, row, how) for row, how in claim.repeats(ledger)]
        return replace(finding, quotes=tuple(repeated))
    except InputError as error:
        message = str(error)
        named = [word for word in message.split() if word in claim.key_lines]
        line = claim.key_lines[named[0]] if named else claim.line
        raise InputError(f"line {line}, claim {claim.id}: {message}") from None


def foresee(file: ClaimsFile) -> None:
    """Raise if the claims of a file, each as it stands, would take more than what is left of the budget.

    Narrowing a claim that fails takes more; that is counted where it is done.

    Raises
    ------
    InputError
        With the line of the claim at which the work becomes too much.
    """
    work = 0
    for claim in file.claims:
        with suppress(InputError):  # it is refused before any work
            work += claim.work()
        if work > left():
            raise WorkError(
                f"{file.path}, line {claim.line}, claim {claim.id}: the claims up to this one take more than "
                f"about a minute together, this one with {claim.size}: divide the file, or give smaller "
                f"numbers"
            )
