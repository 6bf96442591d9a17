"""Claims of small-sum privacy for a sensitive value alone, in one release or for the mean of several."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from splu_ref.audit.claims.claim import CountPrivacy
from splu_ref.audit.claims.narrowing import first_failure, largest
from splu_ref.audit.claims.verdict import Finding, Proof, Verdict
from splu_ref.audit.claims.words import command, records, setting, written
from splu_ref.certificates import error_certificate, privacy_certificate
from splu_ref.certificates.form import Certificate
from splu_ref.guarantees import PrivacyMinimum, error_probability, privacy_minimum
from splu_ref.guarantees.plateaus import Plateaus
from splu_ref.guarantees.progress import Progress
from splu_ref.model import CertificateError


def audit_privacy(claim: CountPrivacy, progress: Progress | None = None) -> Finding:
    """Decide a claim by the exact T_P in the form of Definition 2; the form of Theorem 4 is reported.

    A claim that fails is narrowed to the largest alpha for which it is true (T_P does not rise with alpha)
    and, for several releases, to the largest number of releases up to which it is true.
    """
    least = _level(claim, claim.alpha, claim.releases, progress=progress)
    t_p, t_p_definition = least.t_p.json("down"), least.t_p_definition.json("down")
    count, times = "the published count of", ""
    if claim.releases > 1:
        count = f"the mean of {claim.releases} independent published counts of"
        times = f" --releases {claim.releases}"
    finding = Finding(
        Verdict.CONFIRMED,
        stated=(
            f"{setting(claim)}, {count} every value with {records(claim.alpha)} is off by at least "
            f"{written(claim, 'epsilon')} of it with probability at least {written(claim, 't_p')}"
        ),
        found=f"T_P is {t_p_definition['decimal']}, least at f = {least.argmin_definition}",
        key="t_p",
        numbers={
            "t_p": t_p,
            "t_p_definition": t_p_definition,
            "argmin": least.argmin,
            "argmin_definition": least.argmin_definition,
            "releases": claim.releases,
        },
        recompute=command("privacy", claim, "alpha", more=f"--at-least {claim.written['t_p']}{times}"),
        remarks=(_KEYED,) if claim.releases > 1 else (),
    )
    if _holds(claim, least):
        return _confirmed(claim, least, finding)
    instead = f"T_P up to {t_p_definition['decimal']}" if least.t_p_definition.bounds(12).lower else ""
    return _narrowed(claim, least, replace(finding, instead=instead))


_KEYED = "Releases of an unchanged table under the same key are copies of each other and count as one"


def _confirmed(claim: CountPrivacy, least: PrivacyMinimum, finding: Finding) -> Finding:
    remarks = finding.remarks
    if least.t_p.bounds(12).upper < claim.t_p:
        strict = least.t_p.decimal("down")
        by_theorem_4 = (
            "Definition 2 decides, which counts an error of exactly epsilon f: by Theorem 4, which does not, "
            f"T_P is {strict}, below the claim"
        )
        remarks = (*remarks, by_theorem_4)
    if claim.releases > 1:
        reason = "a certificate speaks of one release: compute the number again"
        return replace(finding, remarks=remarks, without_certificate=reason)
    proof = Proof("decides", partial(_certificate, claim, claim.alpha))
    return replace(finding, remarks=remarks, proofs=(proof,))


def _narrowed(claim: CountPrivacy, least: PrivacyMinimum, finding: Finding) -> Finding:
    """Return the finding of a claim that fails: narrowed to what is true of it, or refuted."""
    failing = least.argmin_definition
    near = _about_largest(claim, failing)
    alpha = largest(lambda most: _holds_up_to(claim, most, claim.releases), failing, near)
    releases = first_failure(lambda times: _holds_up_to(claim, claim.alpha, times), claim.releases - 1)
    parts, remarks = [], finding.remarks
    if alpha:
        parts.append(f"true for alpha up to {alpha}")
    if releases:
        parts.append("true for a single release" if releases == 1 else f"true for up to {releases} releases")
        remarks += ("The certificate of what is true speaks of a single release",)
    if claim.releases > 1:
        pooled = claim.releases * (alpha + 1)
        decides = partial(_error_certificate, claim, pooled)
        reason = (
            f"The mean of {claim.releases} counts errs at f = {alpha + 1} as one count does at f = {pooled}, "
            "of which the certificate speaks"
        )
        remarks = (*remarks, reason)
    else:
        decides = partial(_refutation, claim, alpha + 1)
    proofs = [Proof("decides", decides)]
    if releases:
        proofs.append(Proof("remains", partial(_certificate, claim, claim.alpha)))
    elif alpha and claim.releases == 1:
        proofs.append(Proof("remains", partial(_certificate, claim, alpha)))
    return replace(
        finding,
        verdict=Verdict.NARROWED if parts else Verdict.REFUTED,
        key="alpha" if alpha else "t_p",
        true_for="; ".join(parts),
        proofs=tuple(proofs),
        remarks=remarks,
    )


def _about_largest(claim: CountPrivacy, failing: int) -> int:
    """Return the alpha up to which the claim would be true if errors fell from plateau to plateau.

    They nearly do, and one error is quickly enclosed.
    """
    plateaus = Plateaus(claim.releases * claim.epsilon, failing, strict=False)

    def wrong_enough(number: int) -> bool:
        pooled = claim.releases * plateaus.start(number)
        found = error_probability(claim.gamma, claim.epsilon, pooled, retention=claim.retention).bounds()
        return found.upper >= claim.t_p

    return plateaus.start(largest(wrong_enough, len(plateaus) + 1) + 1) - 1


def _level(
    claim: CountPrivacy, alpha: int, releases: int, progress: Progress | None = None
) -> PrivacyMinimum:
    return privacy_minimum(
        claim.gamma, claim.epsilon, alpha, releases, retention=claim.retention, progress=progress
    )


def _holds_up_to(claim: CountPrivacy, alpha: int, releases: int) -> bool:
    return _holds(claim, _level(claim, alpha, releases))


def _holds(claim: CountPrivacy, least: PrivacyMinimum) -> bool:
    return least.t_p_definition.compare(claim.t_p, "t_p") >= 0


def _refutation(claim: CountPrivacy, failing: int) -> Certificate:
    """Certify T_P at the claim's alpha or, if that is too large, the error at the first count that fails."""
    try:
        return _certificate(claim, claim.alpha)
    except CertificateError:
        return _error_certificate(claim, failing)


def _certificate(claim: CountPrivacy, alpha: int) -> Certificate:
    return privacy_certificate(claim.gamma, claim.epsilon, alpha, retention=claim.retention)


def _error_certificate(claim: CountPrivacy, frequency: int) -> Certificate:
    return error_certificate(claim.gamma, claim.epsilon, frequency, retention=claim.retention)
