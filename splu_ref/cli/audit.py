"""``splu-ref audit``: decide a publisher's claims by exact arithmetic."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from splu_ref.audit import Finding, Ledger, LedgerError, Verdict, decide, foresee, read_claims
from splu_ref.channels import InputError, one_budget
from splu_ref.cli.ledger import load_ledger
from splu_ref.cli.output import AsJson, Explain, Force, Separator, note, show
from splu_ref.cli.progress import counted
from splu_ref.guarantees import certificate_text
from splu_ref.output import draw, say
from splu_ref.report import (
    MAKE_CERTIFICATES,
    AuditedClaim,
    ClaimsAudit,
    check_claims_folder,
    claims_table,
    write_claims_audit,
)

EXAMPLE = "splu-ref audit claims.toml --report audit"

_EXPLAINED = 6  # of more claims, confirmed ones have no sentence


@one_budget()
def run(
    claims: Annotated[Path, typer.Argument(help="The publisher's claims (TOML).")],
    report: Annotated[
        Path | None,
        typer.Option("--report", help="Write index.html, claims.json, junit.xml and certificates/ here."),
    ] = None,
    separator: Separator = None,
    force: Force = False,
    explain: Explain = False,
    as_json: AsJson = False,
) -> int:
    """Check a publisher's claims by exact arithmetic: confirmed, narrowed, refuted or not decided.

    A narrowed claim is false as stated and true in a smaller range: for alpha up to 3, from T_f = 2401 on,
    for a single release. Neither a claim that is not decided nor its negation was proved. With --report each
    verdict gets a certificate, if there is one for its kind. Exit 0 if every claim is confirmed, 1 if any is
    refuted or narrowed, 3 if none is and one is not decided; 2 if a claim needs the ledger and that cannot be
    loaded: then the others are printed.
    """
    ledger = _ledger()
    file = read_claims(claims)
    if report is not None:
        check_claims_folder(file, report, force=force)
    foresee(file)
    audited, undecided = [], []
    for number, claim in enumerate(file.claims, start=1):
        with counted(f"claim {claim.id}, {number} of {len(file.claims)}") as progress:
            start = perf_counter()
            try:
                finding = decide(claim, ledger, progress=progress)
            except LedgerError as error:
                undecided.append(str(error))
                continue
            except InputError as error:
                raise InputError(f"{claims}, {error}") from None
            made, reason = ({}, MAKE_CERTIFICATES) if report is None else _certificates(finding)
            audited.append(
                AuditedClaim(
                    claim=claim,
                    finding=finding,
                    seconds=perf_counter() - start,
                    certificates=made,
                    without_certificate=finding.without_certificate or reason,
                )
            )
    audit = ClaimsAudit(file.path, file.title, tuple(audited))
    if report is not None and not undecided:
        write_claims_audit(audit, report, force=force)
        note(f"wrote {report / 'index.html'}")
    if as_json:
        show(audit.to_json(), [], as_json=True)
    else:
        written = report is not None and not undecided
        say(audit.summary if written else f"{audit.summary}; {MAKE_CERTIFICATES}")
        if explain:
            draw(claims_table(audit))
        else:
            # What a claim got wrong is first: of many claims, the last lines may be cut.
            ordered = sorted(audited, key=lambda each: each.finding.verdict is Verdict.CONFIRMED)
            show({}, [(each.claim.id, _in_words(each, len(audited))) for each in ordered], as_json=False)
    if undecided:
        more = f"; nor are {len(undecided) - 1} more" if len(undecided) > 1 else ""
        raise InputError(f"{claims}, {undecided[0]}{more}")
    return audit.exit_code


def _in_words(audited: AuditedClaim, claims: int) -> str:
    """Return the verdict and its sentence, which is left out if many claims are and this one is confirmed."""
    brief = audited.finding.verdict is Verdict.CONFIRMED and claims > _EXPLAINED
    return str(audited.finding.verdict) if brief else f"{audited.finding.verdict}: {audited.sentence}"


def _ledger() -> Ledger | None:
    try:
        found: Ledger = load_ledger()
    except InputError:
        note("without the package splu_proofs, claims are not compared with those of the paper")
        return None
    return found


def _certificates(finding: Finding) -> tuple[dict[str, str], str]:
    """Return the certificates by role, and the reason if the deciding one is missing."""
    made, reason = {}, ""
    for proof in finding.proofs:
        try:
            made[proof.role] = certificate_text(proof.make())
        except InputError as error:  # too large for the checker
            if proof.role == "decides":
                reason = str(error)
    return made, reason
