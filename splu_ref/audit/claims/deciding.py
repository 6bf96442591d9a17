"""Claims decided one by one, whatever their kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from splu_ref.audit.claims.claim import (
    Claim,
    ClaimsFile,
    ConceptPrivacy,
    CountError,
    CountPrivacy,
    CountUtility,
)
from splu_ref.audit.claims.concepts import audit_concepts
from splu_ref.audit.claims.privacy import audit_privacy
from splu_ref.audit.claims.quotes import RECONSTRUCTION, THRESHOLD, Ledger, quotes
from splu_ref.audit.claims.utility import audit_error, audit_formula, audit_utility
from splu_ref.audit.claims.verdict import Finding
from splu_ref.audit.concepts import concept_work
from splu_ref.binomial.work import WorkError, left
from splu_ref.channels import PublishedCount
from splu_ref.guarantees import chebyshev_threshold, error_offset
from splu_ref.guarantees.count_error import enclosure_work
from splu_ref.guarantees.least_error import search_work
from splu_ref.guarantees.privacy import limited
from splu_ref.guarantees.progress import Progress
from splu_ref.guarantees.utility import proof_start, scan_work
from splu_ref.model import InputError, shown


def decide(claim: Claim, ledger: Ledger | None = None, *, progress: Progress | None = None) -> Finding:
    """Confirm, narrow or refute a claim by exact computation.

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
        finding = _decided(claim, ledger, progress)
        return replace(finding, quotes=quotes(claim, ledger))
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
        work += _work(claim)
        if work > left():
            raise WorkError(
                f"{file.path}, line {claim.line}, claim {claim.id}: the claims up to this one take more than "
                f"about a minute together, this one with {_size(claim)}: divide the file, or give smaller "
                f"numbers"
            )


def _work(claim: Claim) -> int:
    """Return about the work of deciding a claim; 0 for one that is refused before any work."""
    law = PublishedCount(claim.gamma, claim.retention)
    try:
        if isinstance(claim, CountPrivacy):
            limited(claim.gamma, claim.epsilon, claim.alpha, claim.releases, claim.retention)
            return search_work(law, claim.epsilon, claim.alpha, claim.releases)
        if isinstance(claim, ConceptPrivacy):
            return concept_work(claim.gamma, claim.epsilon, claim.alpha, claim.estimator)
        if isinstance(claim, CountError):
            offset = error_offset(claim.epsilon, claim.frequency)
            return enclosure_work(law, claim.frequency, offset, 256)
        return scan_work(law, claim.epsilon, proof_start(law, claim.epsilon, claim.t_e)[0])
    except InputError:
        return 0


def _size(claim: Claim) -> str:
    """Return the number of a claim that decides how long it takes."""
    if isinstance(claim, CountPrivacy | ConceptPrivacy):
        return f"alpha = {shown(claim.alpha)}"
    if isinstance(claim, CountError):
        return f"frequency = {shown(claim.frequency)}"
    return f"epsilon = {shown(claim.epsilon)} with t_e = {shown(claim.t_e)}"


def _decided(claim: Claim, ledger: Ledger | None, progress: Progress | None) -> Finding:
    if isinstance(claim, CountPrivacy):
        return audit_privacy(claim, progress)
    if isinstance(claim, CountUtility):
        return audit_utility(claim, progress)
    if isinstance(claim, CountError):
        return audit_error(claim)
    if isinstance(claim, ConceptPrivacy):
        printed = _printed(ledger, RECONSTRUCTION, "estimator") if claim.estimator == "printed" else None
        return audit_concepts(claim, printed, progress)
    if claim.formula == "printed":
        return audit_formula(claim, _printed(ledger, THRESHOLD, "formula"), progress)
    return audit_formula(claim, partial(chebyshev_threshold, retention=claim.retention), progress)


def _printed(ledger: Ledger | None, row: str, key: str) -> Callable[..., Any]:
    if ledger is None:
        raise InputError(
            f'{key} "printed" is kept with the proofs only: install splu-ref again, with its proofs'
        )
    return ledger.printed[row]
